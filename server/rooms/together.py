"""What one change of a room sends to the same connection is one write, and one system call.

When a match begins or ends, everybody who follows its room is sent two messages: the room and the
match.  Whoever sends several enters `Together`, and what is sent meanwhile is gathered there until
that is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Written(Protocol):
    """A connection that is sent several frames at once; sockets.Socket is one."""

    def write_all(self, frames: Sequence[bytes]) -> None:
        """Write frames, in order."""


class Together:
    """A context in which frames are gathered; it may be entered again while it is entered.

    `open`: whether a connection should hand what it is sent to `add`, and not write it.
    """

    __slots__ = ("_depth", "_frames", "open")

    def __init__(self) -> None:
        self.open = False
        self._depth = 0
        self._frames: dict[Written, list[bytes]] = {}

    def add(self, connection: Written, frame: bytes) -> None:
        """Have a frame written when all is said."""
        frames = self._frames.get(connection)
        if frames is None:
            self._frames[connection] = [frame]
        else:
            frames.append(frame)

    def write_now(self, connection: Written) -> None:
        """Write what was gathered for a connection, as something else is about to be."""
        frames = self._frames.pop(connection, None)
        if frames is not None:
            connection.write_all(frames)

    def __enter__(self) -> None:
        self._depth += 1
        self.open = True

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth:
            return
        self.open = False
        gathered, self._frames = self._frames, {}
        for connection, frames in gathered.items():
            connection.write_all(frames)
