"""Fits a ladder's ratings in a thread, at a bounded share of a core, and keeps their history."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from protocol.ladder import RatingPoint
from server.ladder.core import rating, standing
from server.ladder.core.ladder import Ladder, Pair, counts
from server.ladder.core.rating import Ratings
from server.threads import in_thread

PAUSE_S: Final = 0.5  # between two fits, at least
SHARE: Final = 10  # ... and so many times as long as the last one took: a tenth of a core
MAX_POINTS: Final = 200  # of the history; beyond, it is thinned to half
RETRY_S: Final = 60.0  # after one that has failed
FIRST_POINTS: Final = 24  # that are computed anew at a start

log = logging.getLogger("plyhouse")


class _Snapshot(NamedTuple):
    """What a thread may look at: pairs that are over do not change any more."""

    players: int
    counted: Sequence[Pair]
    exact: frozenset[tuple[int, int]]
    openings: int
    pinned: int | None
    owners: Sequence[int]  # of each player with whose results its own count; empty: with no owner's


class Rater:
    """The ratings of one ladder, fitted again after `changed`; `done` is called when they are."""

    def __init__(
        self, ladder: Ladder, loop: asyncio.AbstractEventLoop, done: Callable[[], None]
    ) -> None:
        self.ladder = ladder
        self.loop = loop
        self.ratings: Ratings | None = None
        self.rated = 0  # pairs that they rest on
        self.history: list[RatingPoint] = []
        self._done = done
        self._fitting = False
        self._stale = False
        self._timer: asyncio.TimerHandle | None = None
        self._able = rating.available()

    def changed(self) -> None:
        """Fit again soon: there are pairs that the ratings do not know of."""
        self._stale = True
        if not self._fitting and self._timer is None:
            self._begin()

    def resume(self) -> None:
        """Fit what was read from the log, with a history of it."""
        if self.ladder.counted and self._able:
            self._fitting = True
            self._run(_history, self._resumed)

    def stop(self) -> None:
        self._able = False
        if self._timer is not None:
            self._timer.cancel()

    def _begin(self) -> None:
        self._timer = None
        if not self._able or not self._stale:
            return
        self._fitting, self._stale = True, False
        self._run(_fit, self._fitted)

    def _run(self, work: Callable[..., object], then: Callable[..., None]) -> None:
        ladder = self.ladder
        now = max((pair.event.at for pair in ladder.counted[-1:]), default=0)
        voices = ladder.players.voice
        snapshot = _Snapshot(
            len(ladder.players),
            ladder.counted[:],
            frozenset(ladder.exhausted),
            len(ladder.openings),
            standing.pinned(ladder),
            [voices(p, now) for p in ladder.players] if ladder.made.by_owner else (),
        )
        timed = partial(_timed, work, snapshot)
        in_thread(self.loop, timed, lambda future: self._take(future, snapshot, then))

    def _take(
        self, future: asyncio.Future[tuple[object, float]], snapshot: _Snapshot,
        then: Callable[..., None],
    ) -> None:  # fmt: skip
        self._fitting = False
        if not self._able or future.cancelled():
            return
        error = future.exception()
        if error is not None:
            log.error("ladder %s: ratings failed", self.ladder.made.name, exc_info=error)
            self._stale = True  # there may have been too little memory, and no other would ask
            self._timer = self.loop.call_later(RETRY_S, self._begin)
            return
        result, seconds = future.result()
        then(result, snapshot)
        self._timer = self.loop.call_later(max(PAUSE_S, SHARE * seconds), self._begin)
        self._done()

    def _fitted(self, ratings: Ratings, snapshot: _Snapshot) -> None:
        self.ratings, self.rated = ratings, len(snapshot.counted)
        at = max((pair.event.at for pair in snapshot.counted[-1:]), default=0)
        self.history.append(standing.point(self.ladder, ratings, at, self.rated))
        if len(self.history) > MAX_POINTS:
            self.history = thinned(self.history)

    def _resumed(self, fits: list[tuple[Ratings, int, int]], snapshot: _Snapshot) -> None:
        self.history = [standing.point(self.ladder, r, at, n) for r, at, n in fits]
        self.ratings, _, self.rated = fits[-1]


def thinned(points: Sequence[RatingPoint]) -> list[RatingPoint]:
    """Return about half of MAX_POINTS, evenly over the pairs, with the first and the last."""
    least = 2 * points[-1].pairs / MAX_POINTS
    chosen = [points[0]]
    for point in points[1:-1]:
        if point.pairs - chosen[-1].pairs >= least:
            chosen.append(point)
    return [*chosen, points[-1]]


def _timed(work: Callable[[_Snapshot], object], snapshot: _Snapshot) -> tuple[object, float]:
    began = time.thread_time()
    return work(snapshot), time.thread_time() - began


def _fit(at: _Snapshot) -> Ratings:
    """Fit the ratings to the pairs that tell something."""
    from server.ladder.core import fitting  # which needs numpy

    telling = [pair for pair in at.counted if counts(pair, at.openings, at.exact)]
    return fitting.fit(at.players, standing.pairs(telling, at.exact), at.pinned, at.owners)


def _history(at: _Snapshot) -> list[tuple[Ratings, int, int]]:
    """Return the ratings as they grew, each with its time and its number of pairs."""
    all_of = len(at.counted)
    counts = sorted({max(1, all_of * k // FIRST_POINTS) for k in range(1, FIRST_POINTS + 1)})
    return [
        (_fit(at._replace(counted=at.counted[:n])), at.counted[n - 1].event.at, n) for n in counts
    ]
