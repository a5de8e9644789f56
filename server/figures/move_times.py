"""How long moves take, stage by stage: of every n-th frame, and n grows with the load.

What rooms append goes through here.  In a frame that is measured, the answer to a move is received
here first, which looks at the clock; any other move costs one comparison more.

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
    """The histograms of all stages.  `append` is the store's; `clock` returns nanoseconds."""

    def __init__(
        self,
        append: Callable[[list[Row], Done], None],
        clock: Callable[[], int] = time.perf_counter_ns,
    ) -> None:
        self._append = append
        self._begun: int | None = None  # when the frame came that is measured; None: none is
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
        self._begun = self.clock()

    def end(self) -> None:
        """The frame has been received: what is appended from now on is not its move."""
        self._begun = None

    def append(self, rows: list[Row], done: Done) -> None:
        """Have the store append what a room hands to it."""
        if self._begun is not None and type(rows[0]) is EventRow and rows[0].kind == Played.kind:
            done = self._measured(self._begun, done)
        self._append(rows, done)

    def _measured(self, begun: int, done: Done) -> Done:
        """Return what counts a move that is handed to the store now, once `done` has shown it."""
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
