"""How late the event loop is: no move is read while something else has it."""

from __future__ import annotations

import asyncio
from typing import Final

from server.figures.histogram import MS, Histogram

EVERY_S: Final = 0.25
BOUNDS_NS: Final = tuple(
    ms * MS for ms in (1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000)
)


class LoopLag:
    """Sets a timer again and again, and notes how late each rings.

    Timers of asyncio ring up to a millisecond late on a loop that has nothing to do.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.histogram = Histogram(BOUNDS_NS)
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None

    def start(self) -> None:
        self._timer = self._loop.call_at(
            due := self._loop.time() + EVERY_S, lambda: self._ring(due)
        )

    def _ring(self, due: float) -> None:
        self.histogram.observe(max(0, int((self._loop.time() - due) * 1e9)))
        self.start()

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
