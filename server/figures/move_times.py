"""How long moves take, stage by stage: of every n-th frame, and n grows with the load.

A measured frame is received with another store in the store's place, which passes everything on and
looks at the clock.  So a move that is not measured costs nothing but the comparison of two ints.

    judge   from the frame until its event is handed to the store: decoded, admitted, judged
    store   until the store has answered: the wait for the commit before, and its own
    show    until it was written to the players' connections
    all     the sum of them
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, cast

from server.core.events import Played
from server.figures.histogram import MS, TIMES_NS, Histogram
from server.store.contract import Done, EventRow, Row, Store

STAGES: Final = ("judge", "store", "show", "all")
OFTEN_NS: Final = 50 * MS  # if the last measured frame is not so long ago, fewer are measured ...
SELDOM_NS: Final = 200 * MS  # ... and more if it is longer ago than this
MOST: Final = 1_023  # one in so many is measured at least


class MoveTimes:
    """The histograms of all stages.  `clock` returns nanoseconds."""

    def __init__(self, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.clock = clock
        self.histograms = {stage: Histogram(TIMES_NS) for stage in STAGES}
        self._stride = 1
        self._last = clock()

    def stride(self) -> int:
        """Return in how many frames the next one is measured, after one that was just now.

        It is odd, so that it is not in step with two players who move in turns.  Where so many do
        not come in a second, the hub does not wait for them.
        """
        now = self.clock()
        ago, self._last = now - self._last, now
        if ago < OFTEN_NS:
            self._stride = min(MOST, 2 * self._stride + 1)
        elif ago > SELDOM_NS:
            self._stride = max(1, self._stride // 2)
        return self._stride

    def watched(self, store: Store) -> Store:
        """Return a store that stands in for `store` while the frame is received that came now."""
        return cast(Store, WatchedStore(self, store))  # which passes on what it lacks

    def measured(self, begun: int, handed: int, stored: int, shown: int) -> None:
        """Count a move."""
        stages = (handed - begun, stored - handed, shown - stored, shown - begun)
        for stage, took in zip(STAGES, stages, strict=True):
            self.histograms[stage].observe(took)


class WatchedStore:
    """A store that looks at the clock when a move is handed to it, stored, and shown."""

    def __init__(self, times: MoveTimes, store: Store) -> None:
        self._times = times
        self._store = store
        self._begun = times.clock()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def append(self, rows: list[Row], done: Done) -> None:
        """As the store's contract says."""
        if type(rows[0]) is not EventRow or rows[0].kind != Played.kind:
            self._store.append(rows, done)
            return
        clock = self._times.clock
        handed = clock()

        def answered(error: Exception | None) -> None:
            stored = clock()
            done(error)
            if error is None:
                self._times.measured(self._begun, handed, stored, clock())

        self._store.append(rows, answered)
