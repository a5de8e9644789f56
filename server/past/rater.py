"""Rates the people of this house, game by game: off the moves' path, in a thread, and remembered.

Nothing is computed before somebody asks.  Who asks waits for the ratings of now; the curve of the
days before is fitted afterwards, a share of a core at most, each day once.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final, NamedTuple, TypeAlias

from server.config import Config
from server.core.room import Room
from server.ladder.core import rating
from server.past import ratings
from server.past.log_reads import LogReads
from server.past.ratings import NOBODY_RATED, FieldRatings, Moment, RatedMatch
from server.store.contract import LogReader, PastRow, RatedQuery
from server.threads import in_thread

log = logging.getLogger("plyhouse")
PAUSE_S: Final = 0.5  # after a fit, at least ...
SHARE: Final = 10  # ... and so many times as long as it took: a tenth of a core
AT_ONCE_S: Final = 0.1  # of a thread's time for days of a curve, before it rests

Then: TypeAlias = Callable[[], None]


class GameRatings:
    """What is known of one game.

    `fresh`: no match has come since; `days`: the moments of the curve by day, `missing`: of how
    many matches those that are still to be fitted are.
    """

    def __init__(self) -> None:
        self.field = NOBODY_RATED
        self.fresh = False
        self.asked = 0.0  # when it may be fitted again, by the loop's clock
        self.days: dict[int, Moment] = {}
        self.matches: list[RatedMatch] = []
        self.missing: list[int] = []

    def curve(self) -> list[Moment]:
        """Return the moments of the days, oldest first."""
        return [self.days[day] for day in sorted(self.days)]


class Fit(NamedTuple):
    """What a thread has found."""

    matches: list[RatedMatch]
    field: FieldRatings
    seconds: float


class PeopleRater:
    """The ratings of people.  It subscribes to `changed`, for matches that are over."""

    def __init__(self, reads: LogReads, config: Config, loop: asyncio.AbstractEventLoop) -> None:
        self.reads = reads
        self.config = config
        self.loop = loop
        self.games: dict[str, GameRatings] = {}
        self._able = rating.available()
        self._waiting: deque[tuple[str, Then]] = deque()
        self._is_working = False  # in the log, or in a thread
        self._timer: asyncio.TimerHandle | None = None  # the rest before the next days of curves

    def changed(self, old: Room | None, new: Room) -> None:
        """Note that a rated match is over."""
        match = new.match
        if match is None or not match.rated or match.result is None or new.leg is not None:
            return
        if old is not None and old.match is not match and match.game.name in self.games:
            self.games[match.game.name].fresh = False

    def ended_elsewhere(self, game: str) -> None:
        """Note that a rated match is over at another server."""
        if game in self.games:
            self.games[game].fresh = False

    def indexed(self) -> None:
        """Note that matches of long ago have been found."""
        self.games.clear()

    def stop(self) -> None:
        self._able = False
        self._waiting.clear()
        if self._timer is not None:
            self._timer.cancel()

    def ask(self, games: Iterable[str], then: Then) -> None:
        """Call `then` once the ratings of these games are up to date, or nearly."""
        for game in games if self._able else ():
            known = self.games.get(game)
            if known is None or not (known.fresh or self.loop.time() < known.asked):
                self._waiting.append((game, lambda: self.ask(games, then)))
                self._go_on()
                return
        then()

    def _go_on(self) -> None:
        if self._is_working:
            return
        if self._waiting:
            self._is_working = True
            self._read(self._waiting[0][0])
        elif self._timer is None:
            self._fit_days()

    def _read(self, game: str) -> None:
        known = self.games.setdefault(game, GameRatings())
        known.fresh = True  # a match that ends from now on makes it stale

        def found(rows: list[PastRow] | None) -> None:
            if rows is None:  # which was said in the log; what is known stays, and is tried again
                known.fresh = False
                self._serve(game, known, PAUSE_S)
                return
            work = partial(_fit, rows, self.config.rated_people)
            in_thread(self.loop, work, lambda future: self._fitted(game, known, future))

        def begin(reader: LogReader) -> None:
            reader.read_past(RatedQuery(game, self.config.rated_matches), found)

        self.reads.ask(None, begin)

    def _fitted(self, game: str, known: GameRatings, future: asyncio.Future[Fit]) -> None:
        if not self._able or future.cancelled():
            return
        error = future.exception()
        if error is not None:
            log.error("people could not be rated at %s", game, exc_info=error)
            known.fresh, seconds = False, PAUSE_S
        else:
            known.matches, known.field, seconds = future.result()
            ends = ratings.days(known.matches)[:-1]  # the last day is now
            chosen = {_day(known.matches, n) for n in ends}
            known.days = {day: known.days[day] for day in chosen & known.days.keys()}
            known.missing = [n for n in ends if _day(known.matches, n) not in known.days]
        self._serve(game, known, seconds)

    def _serve(self, game: str, known: GameRatings, seconds: float) -> None:
        """Let those go on who wait for a game, whose fit took so many seconds."""
        known.asked = self.loop.time() + max(PAUSE_S, SHARE * seconds)
        served = [then for other, then in self._waiting if other == game]
        self._waiting = deque(each for each in self._waiting if each[0] != game)
        self._is_working = False
        for then in served:
            try:
                then()
            except Exception:  # it keeps no other from its answer
                log.exception("people's ratings at %s could not be told", game)
        self._go_on()

    def _fit_days(self) -> None:
        """Fit some of the days that curves lack, the newest first."""
        known = next((known for known in self.games.values() if known.missing), None)
        if known is None:
            return
        self._is_working = True
        matches, missing = known.matches, known.missing[::-1]

        def done(future: asyncio.Future[tuple[dict[int, Moment], float]]) -> None:
            if not self._able or future.cancelled():
                return
            error = future.exception()
            if error is not None:
                log.error("people's ratings of the past failed", exc_info=error)
                known.missing = []
                self._rest(PAUSE_S)
                return
            moments, seconds = future.result()
            if known.matches is matches:
                known.days |= moments
                known.missing = [n for n in known.missing if _day(matches, n) not in moments]
            self._rest(SHARE * seconds)

        in_thread(self.loop, partial(_fit_some, matches, missing), done)

    def _rest(self, seconds: float) -> None:
        """Fit no days for so long; who asks meanwhile need not wait for that."""
        self._is_working = False
        self._timer = self.loop.call_later(seconds, self._rested)
        self._go_on()

    def _rested(self) -> None:
        self._timer = None
        self._go_on()


def _day(matches: list[RatedMatch], count: int) -> int:
    return matches[count - 1].at // ratings.DAY_MS


def _fit(rows: list[PastRow], people: int) -> Fit:
    began = time.thread_time()
    matches = ratings.matches_of(rows, people)
    field = ratings.fitted(matches)
    return Fit(matches, field, time.thread_time() - began)


def _fit_some(matches: list[RatedMatch], counts: list[int]) -> tuple[dict[int, Moment], float]:
    """Fit the days after so many matches each, one at least, until AT_ONCE_S are over."""
    began = time.thread_time()
    moments: dict[int, Moment] = {}
    for count in counts:
        moments[_day(matches, count)] = ratings.fitted(matches[:count]).now
        if time.thread_time() - began > AT_ONCE_S:
            break
    return moments, time.thread_time() - began
