"""A room as its followers see it, encoded once: each sees, beside what all see, which seat is its
own, and members the code of a private room.
"""

from __future__ import annotations

from server.core import room as rooms
from server.core.room import Room
from server.rooms.peers import Peer


class SharedRoom:
    """One state of a room, for all who follow it."""

    __slots__ = ("_frames", "_now", "_room", "_watching")

    def __init__(self, room: Room, watching: int, now: int) -> None:
        self._room = room
        self._watching = watching
        self._now = now
        self._frames: dict[tuple[bool, int | None, bool], bytes] = {}

    def frame_for(self, peer: Peer) -> bytes:
        """Return the state for one connection as a frame; it is built once for all who see it."""
        seat, inside = rooms.place_of(self._room, peer.who)
        frame = self._frames.get((peer.text, seat, inside))
        if frame is None:
            state = rooms.state(self._room, peer.who, self._watching, self._now)
            frame = self._frames[peer.text, seat, inside] = peer.frame(state)
        return frame
