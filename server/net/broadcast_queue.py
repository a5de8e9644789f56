"""What a crowd is sent goes out in slices, so that no one else waits for all of it.

A system call a spectator: 500 of them in one turn of the event loop are 5 ms in which no move
is read.  So all but the first of a room are put in a queue, which is served a slice at a time.

Before each slice the loop comes to rest.  One that has always something to do keeps more waiting
than what it reads: the thread that stores moves needs the interpreter, and gets it from a thread
that never rests only after milliseconds.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

A_SLICE: Final = 12  # connections that are written to at once: 0.15 ms
REST_S: Final = 0.000_5  # from a slice to the next, which selectors round up to a millisecond
SLICES: Final = 64  # are all that may wait: if more connections wait, they are larger


class BroadcastQueue:
    """The connections that wait for their turn, of all rooms, first come first served."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._waiting: deque[Callable[[], None]] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, serve: Callable[[], None]) -> None:
        """Call `serve`, which writes what a connection holds, in one of the next slices."""
        if not self._waiting:
            self.loop.call_later(REST_S, self._serve_some)
        self._waiting.append(serve)

    def _serve_some(self) -> None:
        for _ in range(min(max(A_SLICE, len(self._waiting) // SLICES), len(self._waiting))):
            self._waiting.popleft()()
        if self._waiting:
            self.loop.call_later(REST_S, self._serve_some)
