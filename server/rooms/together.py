"""What one change of a room sends to the same connection is one write, and one system call.

When a match begins or ends, everybody who follows its room is sent two messages: the room and the
match.  Whoever sends several enters `Together`, and connections that are sent something meanwhile
hold it until that is left.
"""

from __future__ import annotations

from typing import Protocol


class Waiting(Protocol):
    """A connection that holds what it should be sent; sockets.Socket is one."""

    def serve(self) -> None:
        """Write what was held."""


class Together:
    """A context in which frames are gathered; it may be entered again while it is entered.

    `open`: whether a connection that is sent something should hold it, and be added.
    """

    __slots__ = ("_depth", "_waiting", "open")

    def __init__(self) -> None:
        self.open = False
        self._depth = 0
        self._waiting: list[Waiting] = []

    def add(self, connection: Waiting) -> None:
        """Have a connection served when all is said."""
        self._waiting.append(connection)

    def __enter__(self) -> None:
        self._depth += 1
        self.open = True

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth:
            return
        self.open = False
        waiting, self._waiting = self._waiting, []
        for connection in waiting:
            connection.serve()
