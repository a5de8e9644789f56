"""The server's time: milliseconds of the wall clock that never run backwards.

Two things happen to a machine that are no player's doing, and no player may pay for them.  It
stands still, as it was paused, moved or had no processor for us: then this time stands still with
it, and what lay in the sockets meanwhile is in time.  And its clock goes ahead of us, by such a
stand, by a sleep in which the monotonic clock stood still, or as it hears what time it is: then
this time goes forward to it in one step, and code that waits or measures hears by how much and lets
that pass.

Dates alone follow a step: a ban, or a name that was not used, ends when the calendar says so.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

log = logging.getLogger("plyhouse")
DAY_MS = 24 * 3_600_000
BEAT_S: Final = 0.1  # how often the time is asked for, at least, while a server is up ...
AWAY_S: Final = 0.25  # ... and without that for so long, it was not there: a late turn takes less
STEP_MS: Final = 1_000  # so far behind the machine's clock, this one goes forward to it
WORTH_TELLING_MS: Final = 10_000
GAP_MS: Final = 3_600_000  # between the log and the clock at a start, that is told: an hour


class WrongClock(Exception):
    """The machine's clock and the log do not agree; the sentence says what to do."""


class WallClock:
    """The wall clock, read at start and advanced with the event loop's monotonic time.

    `last_at`: the latest time that the log knows of; the clock begins there or later.  Between
    `start` and `stop` it is compared with the machine's.  `stepped` are called with the ms by which
    it has just gone forward: that much is to be added to every time from which somebody counts.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, last_at: int) -> None:
        """Read the clock.

        Raises:
            WrongClock: the log is more than a day ahead of it.
        """
        self.loop = loop
        # asyncio's own loops only hand this on, and it is asked at every frame.
        plain = type(loop).time is asyncio.BaseEventLoop.time
        self._seconds = time.monotonic if plain else loop.time
        self._wall = self._system = int(time.time() * 1000)
        self.latest = 0  # in the log, as it was read
        self._started = self._asked = self._seconds()
        self._away_s = math.inf  # AWAY_S while it beats
        self._beat: asyncio.TimerHandle | None = None
        self.stepped: list[Callable[[int], None]] = []
        self.begin_after(last_at)
        self._there_since = self._wall

    def now(self) -> int:
        """Return the time in ms."""
        seconds = self._seconds()
        if seconds - self._asked > self._away_s:
            self._started += seconds - self._asked
        self._asked = seconds
        return self._wall + int((seconds - self._started) * 1000)

    def up_ms(self) -> int:
        """Return for how long the server has been there, since its start or the last step."""
        return max(0, self.now() - self._there_since)

    def start(self) -> None:
        """Notice from now on when the machine stands still, or its clock goes ahead."""
        self.stop()
        self.now()
        self._away_s = AWAY_S
        self._beat = self.loop.call_later(BEAT_S, self._compare)

    def stop(self) -> None:
        """Compare no more."""
        self._away_s = math.inf
        if self._beat is not None:
            self._beat.cancel()

    def _compare(self) -> None:
        self._beat = self.loop.call_later(BEAT_S, self._compare)
        behind = int(time.time() * 1000) - self.now()
        if behind >= STEP_MS:
            self._step(behind)

    def _step(self, ms: int) -> None:
        self._wall += ms
        self._there_since = self.now()
        for hear in self.stepped:
            hear(ms)
        if ms >= WORTH_TELLING_MS:
            log.warning(
                "the time goes on at %s, %.0f s later: this machine stood still or slept, or its"
                " clock was set; no player is charged for that",
                _text(self.now()), ms / 1000,
            )  # fmt: skip

    def begin_after(self, at: int) -> None:
        """Set the clock forward to begin at `at` or later, which the log knows of.

        Raises:
            WrongClock: it is more than a day ahead of the machine's clock.
        """
        if at > self._system + DAY_MS:
            raise WrongClock(
                f"by this machine's clock it is {_text(self._system)}, but the log was written to"
                f" at {_text(at)}: set the clock right; or, if it is right now and was wrong then,"
                " start once with --clock-was-wrong"
            )
        self.latest = max(self.latest, at)
        self._wall = max(self._wall, at)

    def warn_of_gap(self) -> None:
        """Say so where the log and the machine's clock are far apart: one may be wrong, or was."""
        if self.latest > self._system + GAP_MS:
            log.warning(
                "by this machine's clock it is %s, but the log was written to at %s, where the time"
                " goes on; if the clock is right now and was wrong then, start once with"
                " --clock-was-wrong",
                _text(self._system), _text(self.latest),
            )  # fmt: skip
        elif 0 < self.latest < self._system - GAP_MS:
            log.warning(
                "this house was last used at %s, and by this machine's clock it is %s; if that is"
                " wrong, stop, set the clock, and start again with --clock-was-wrong",
                _text(self.latest), _text(self._system),
            )  # fmt: skip

    def call_at(self, at: int, call: Callable[[], None]) -> asyncio.TimerHandle:
        """Run `call` when `now()` reaches `at`."""
        return self.loop.call_at(self._started + (at - self._wall) / 1000 + 0.001, call)

    def call_later(self, wait_s: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        """Run `call` in `wait_s` seconds."""
        return self.loop.call_later(wait_s, call)


def _text(at: int) -> str:
    """Return a time in ms for people."""
    try:
        return f"{datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d %H:%M} UTC"
    except (OverflowError, ValueError, OSError):  # beyond the calendar
        return f"{at} ms after 1970"
