"""What is sent to the same connection at once is one write, and one system call.

When a match begins or ends, everybody who follows its room is sent two messages: the room and the
match.  Requests that come at once are answered at once, too: a flood of them costs a third less so.
Code that sends several enters the batch, and what is sent meanwhile is gathered there until that is
left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

WriteAll: TypeAlias = Callable[[Sequence[bytes]], None]  # writes frames to a connection, in order


class WriteBatch:
    """A context in which frames are gathered; it may be entered again while it is entered.

    `open`: whether a connection should hand what it is sent to `add`, and not write it.
    """

    __slots__ = ("_depth", "_frames", "open")

    def __init__(self) -> None:
        self.open = False
        self._depth = 0
        self._frames: dict[WriteAll, list[bytes]] = {}

    def add(self, write: WriteAll, frame: bytes) -> None:
        """Have a frame written when all is said."""
        frames = self._frames.get(write)
        if frames is None:
            self._frames[write] = [frame]
        else:
            frames.append(frame)

    def write_now(self, write: WriteAll) -> None:
        """Write what was gathered for a connection, as something else is about to be."""
        frames = self._frames.pop(write, None)
        if frames is not None:
            write(frames)

    def __enter__(self) -> None:
        self._depth += 1
        self.open = True

    def __exit__(self, *_: object) -> None:
        self._depth -= 1
        if self._depth:
            return
        self.open = False
        gathered, self._frames = self._frames, {}
        for write, frames in gathered.items():
            write(frames)
