"""What a crowd is sent goes out in slices, so that nobody else waits for all of it.

A system call a spectator: 500 of them in one turn of the event loop are 5 ms in which nobody's move
is read.  So all but the first of a room are put in a queue, and each turn serves some of it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final, Protocol

A_SLICE: Final = 12  # connections that are written to in one turn: 0.15 ms


class Waiting(Protocol):
    """A connection that holds what it should be sent; sockets.Socket is one."""

    def serve(self) -> None:
        """Write what was held."""


class Crowds:
    """The connections that wait for their turn, of all rooms, first come first served."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._waiting: deque[Waiting] = deque()

    def add(self, connection: Waiting) -> None:
        """Serve a connection in one of the next turns."""
        if not self._waiting:
            self.loop.call_soon(self._serve_some)
        self._waiting.append(connection)

    def _serve_some(self) -> None:
        for _ in range(min(A_SLICE, len(self._waiting))):
            self._waiting.popleft().serve()
        if self._waiting:
            self.loop.call_soon(self._serve_some)
