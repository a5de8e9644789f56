"""The server's time: milliseconds of the wall clock that never run backwards."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime

log = logging.getLogger("plyhouse")
DAY_MS = 24 * 3_600_000


class WrongClock(Exception):
    """The machine's clock and the log do not agree; the sentence says what to do."""


class WallClock:
    """The wall clock, read once at start and advanced with the event loop's monotonic time.

    `last_at`: the latest time that the log knows of; the clock begins there or later.
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
        self._latest = 0  # in the log
        self._started = self._seconds()
        self.begin_after(last_at)

    def now(self) -> int:
        """Return the time in ms."""
        return self._wall + int((self._seconds() - self._started) * 1000)

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
        self._latest = max(self._latest, at)
        self._wall = max(self._wall, at)

    def warn_of_gap(self) -> None:
        """Say so if the log was last written to more than a day ago: perhaps that is not true."""
        if 0 < self._latest < self._system - DAY_MS:
            log.warning(
                "this house was last used at %s, and by this machine's clock it is %s; if that is"
                " wrong, stop, set the clock, and start again with --clock-was-wrong",
                _text(self._latest), _text(self._system),
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
