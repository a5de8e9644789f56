"""How long moves take, stage by stage: of every n-th frame, and n grows with the load.

In a frame that is measured, what a room has the store call is called here, between two looks at
the clock; any other move costs the room one comparison.

    judge   from the frame until its event is handed to the store: decoded, admitted, judged
    store   until the store has answered: the wait for the commit before, and its own
    show    until it was written to the players' connections
    all     the sum of them
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from server.core.events import Played
from server.figures.histogram import MS, TIMES_NS, Histogram
from server.store.contract import Done, EventRow, Row

STAGES: Final = ("judge", "store", "show", "all")
OFTEN_NS: Final = 50 * MS  # if the last measured frame is not so long ago, fewer are measured ...
SELDOM_NS: Final = 200 * MS  # ... and more if it is longer ago than this
MAX_STRIDE: Final = 1_023  # one in so many is measured at least


class MoveTimes:
    """The histograms of all stages.  `clock` returns nanoseconds.

    `begun`: when the frame came that is measured; None: none is.
    """

    def __init__(self, clock: Callable[[], int] = time.perf_counter_ns) -> None:
        self.begun: int | None = None
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
            self._stride = min(MAX_STRIDE, 2 * self._stride + 1)
        elif ago > SELDOM_NS:
            self._stride = max(1, self._stride // 2)
        return self._stride

    def begin(self) -> None:
        """Measure the frame that came now, until `end`."""
        self.begun = self.clock()

    def end(self) -> None:
        """The frame has been received: what is appended from now on is not its move."""
        self.begun = None

    def measured(self, rows: list[Row], done: Done) -> Done:
        """Return what the store is to call for rows that it is handed now: for a move that is
        measured what counts it, once `done` has shown it.
        """
        begun = self.begun
        if begun is None or type(rows[0]) is not EventRow or rows[0].kind != Played.kind:
            return done
        handed = self.clock()

        def answered(error: Exception | None) -> None:
            stored = self.clock()
            done(error)
            if error is None:
                shown = self.clock()
                stages = (handed - begun, stored - handed, shown - stored, shown - begun)
                for stage, took in zip(STAGES, stages, strict=True):
                    self.histograms[stage].observe(took)

        return answered
