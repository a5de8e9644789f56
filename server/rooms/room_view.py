"""A room as its followers see it, encoded once: each sees, beside what all see, which seat is its
own, and members the code of a private room.
"""

from __future__ import annotations

from protocol import codec
from server.core import room as rooms
from server.core.room import Room
from server.rooms.match_view import EncodedParts
from server.rooms.peers import Peer


class SharedRoom:
    """One state of a room, for all who follow it."""

    __slots__ = ("_frames", "_now", "_parts", "_room", "_shared", "_watching")

    def __init__(self, room: Room, watching: int, now: int, parts: EncodedParts) -> None:
        self._parts = parts
        self._room = room
        self._watching = watching
        self._now = now
        self._shared: bytes | None = None  # in msgpack, as a stranger sees it
        self._frames: dict[tuple[bool, int | None, bool], bytes] = {}

    def frame_for(self, peer: Peer) -> bytes:
        """Return the state for one connection as a frame; it is built once for all who see it."""
        seat, inside = rooms.place_of(self._room, peer.who)
        frame = self._frames.get((peer.text, seat, inside))
        if frame is None:
            payload = self._payload(peer, seat, inside)
            frame = peer.transport.frame(payload, peer.text)
            self._frames[peer.text, seat, inside] = frame
        return frame

    def _payload(self, peer: Peer, seat: int | None, inside: bool) -> bytes:
        room = self._room
        if peer.text:
            return codec.encode(rooms.state(room, peer.who, self._watching, self._now), True)
        if self._shared is None:
            seats = self._parts.seats(room.seats) if room.away == rooms.NOBODY_AWAY else None
            self._shared = codec.encode(rooms.state(room, None, self._watching, self._now, seats))
        payload = self._shared
        if seat is not None:
            payload = codec.add_field(payload, b"seat", seat)
        if inside and room.code is not None:
            payload = codec.add_field(payload, b"code", room.code)
        return payload
