"""A room's match as its followers see it, encoded: what does not change is encoded only once.

A state of a match goes out at every move, to both players and to all who look on.  They differ in
what is for one player alone, which is joined to what is the same for all.  The players were in the
last one as well, and the match itself keeps its newest plies encoded (core/past/plies.py).
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Raw
from msgspec.structs import replace

from games.game import END
from protocol import codec
from protocol.messages import MatchState
from protocol.parts import Player
from server.core import match as matches
from server.core import room as rooms
from server.core.events import Who
from server.core.match import Match
from server.core.room import Room, Seats
from server.rooms.peers import Peer

# What a player sees more of a match than others do: the seat, and for how many points it may
# resign, where that is not just one.  The other reason is that it is its turn.
OwnFields: TypeAlias = tuple[int, tuple[int, ...] | None]


class EncodedParts:
    """What the newest state of a room, or of its match, shares with the next, as it is encoded."""

    __slots__ = ("_players", "_seats")

    def __init__(self) -> None:
        self._players: Seats | None = None
        self._seats = Raw()

    def seats(self, players: Seats) -> Raw:
        """Return the players for a message, as they are while nobody is away."""
        if players is not self._players:
            self._players = players
            one, two = [who.player() if who is not None else None for who in players]
            self._seats = Raw(codec.encode_part((one, two)))
        return self._seats


class MatchView:
    """One state of a match, for all who follow its room."""

    __slots__ = ("_frame", "_frames", "_match", "_now", "_own", "_room", "shared")

    def __init__(self, room: Room, match: Match, now: int, parts: EncodedParts) -> None:
        self._room = room
        self._match = match
        self._now = now
        self._own = _own_fields(room, match)
        if room.away == rooms.NOBODY_AWAY:  # nearly always, and asked at every move
            seats: Raw | tuple[Player, Player] = parts.seats(match.players)
        else:
            seats = self._seats()
        state = matches.state(match, room.number, room.seq, now, seats, match.newest)
        self.shared = codec.encode(state)  # in msgpack, as everybody sees it
        self._frame: bytes | None = None  # that, as a frame
        self._frames: dict[tuple[bool, OwnFields | None], bytes] = {}

    def _seats(self) -> tuple[Player, Player]:
        room = self._room
        return matches.seats(self._match, rooms.absent(room), rooms.claims(room, self._now))

    def view_of(self, peer: Peer) -> OwnFields | None:
        """Return what a connection sees more than others do."""
        who = peer.who or peer.me()
        session = who.session
        for player, fields in self._own:
            if player is who or (player.session == session and player.same(who)):
                return fields
        return None

    def frame_for(self, peer: Peer) -> bytes:
        """Return the state for one connection as a frame; it is built once for all who see it."""
        own = self.view_of(peer)
        if own is None and not peer.text:
            if self._frame is None:
                self._frame = peer.transport.frame(self.shared, False)
            return self._frame
        frame = self._frames.get((peer.text, own))
        if frame is None:
            frame = peer.transport.frame(self._payload(own, peer.text), peer.text)
            self._frames[peer.text, own] = frame
        return frame

    def payload(self, peer: Peer) -> bytes:
        """Return the state for one connection, in its encoding."""
        return self._payload(self.view_of(peer), peer.text)

    def _payload(self, own: OwnFields | None, text: bool) -> bytes:
        if text:
            return codec.encode(self.as_seen(own), True)
        if own is None:
            return self.shared
        seat, resign = own
        payload = self.shared
        if seat == self._match.position.to_move and self._match.result is None:
            payload = codec.add_field(payload, b"legal", self._match.position.legal_notation())
        return payload if resign is None else codec.add_field(payload, b"resign", resign)

    def as_seen(self, own: OwnFields | None) -> MatchState:
        """Return the state with what is for one player alone; None: as everybody sees it."""
        room, match = self._room, self._match
        state = matches.state(match, room.number, room.seq, self._now, self._seats(), match.recent)
        if own is None:
            return state
        seat, resign = own
        legal = match.position.legal_notation() if seat == state.to_move else None
        return replace(state, legal=legal, resign=resign)


def _own_fields(room: Room, match: Match) -> list[tuple[Who, OwnFields]]:
    """Return which players see more than others do, and what."""
    to_move = END if match.result is not None else match.position.to_move
    prices = rooms.shown_resignations(room)
    if prices is rooms.ONE_POINT_EACH:  # nearly always
        return [(match.players[to_move], (to_move, None))] if to_move >= 0 else []
    return [
        (match.players[seat], (seat, price))
        for seat, price in enumerate(prices)
        if seat == to_move or price is not None
    ]
