"""The server's time: milliseconds of the wall clock that never run backwards."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


class WallClock:
    """The wall clock, read once at start and advanced with the event loop's monotonic time.

    `last_at`: the latest time that the log knows of; the clock begins there or later.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, last_at: int) -> None:
        self.loop = loop
        self._wall = max(last_at, int(time.time() * 1000))
        self._started = loop.time()

    def now(self) -> int:
        """Return the time in ms."""
        return self._wall + int((self.loop.time() - self._started) * 1000)

    def begin_after(self, at: int) -> None:
        """Set the clock forward to begin at `at` or later, when a room in the log was changed."""
        self._wall = max(self._wall, at)

    def call_at(self, at: int, call: Callable[[], None]) -> asyncio.TimerHandle:
        """Run `call` when `now()` reaches `at`."""
        return self.loop.call_at(self._started + (at - self._wall) / 1000 + 0.001, call)

    def call_later(self, wait_s: float, call: Callable[[], None]) -> asyncio.TimerHandle:
        """Run `call` in `wait_s` seconds."""
        return self.loop.call_later(wait_s, call)
