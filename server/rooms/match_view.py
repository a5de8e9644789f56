"""A room's match as its followers see it, encoded: what does not change is encoded only once.

A state of a match goes out at every move, to both players and to all who look on.  They differ in
what is for one player alone.  Each of the two is encoded once, and the newest plies in it were
encoded when they were made (core/past/plies.py).
"""

from __future__ import annotations

from typing import TypeAlias, cast

from msgspec.structs import replace

from games.game import END
from protocol import codec
from protocol.parts import Event
from server.core import match as matches
from server.core import room as rooms
from server.core.events import Who
from server.core.match import Match
from server.core.room import Room
from server.rooms.peers import Peer

# What a player sees more of a match than others do: the seat, and for how many points it may
# resign, where that is not just one.  The other reason is that it is its turn.
OwnFields: TypeAlias = tuple[int, tuple[int, ...] | None]


class MatchView:
    """One state of a match, for all who follow its room."""

    __slots__ = ("_frames", "_match", "_own", "_state")

    def __init__(self, room: Room, match: Match, now: int) -> None:
        self._match = match
        self._own = _own_fields(room, match)
        self._frames: dict[tuple[bool, OwnFields | None], bytes] = {}
        players = match.seated
        if room.away != rooms.NOBODY_AWAY:
            players = matches.seats(match, rooms.absent(room), rooms.claims(room, now))
        # The newest plies are kept as msgpack, and stand so in what is encoded in msgpack.
        plies = cast("tuple[Event, ...]", match.newest)
        self._state = matches.state(match, room.number, room.seq, now, players, plies)

    def view_of(self, peer: Peer) -> OwnFields | None:
        """Return what a connection sees more than others do."""
        who = peer.who or peer.me()
        for player, fields in self._own:
            if player is who or (player.session == who.session and player.same(who)):
                return fields
        return None

    def frame_for(self, peer: Peer) -> bytes:
        """Return the state for one connection as a frame; it is built once for all who see it."""
        own, text = self.view_of(peer), peer.text
        frame = self._frames.get((text, own))
        if frame is None:
            frame = peer.transport.frame(self.payload(own, text), text)
            self._frames[text, own] = frame
        return frame

    def payload(self, own: OwnFields | None, text: bool) -> bytes:
        """Return the state, encoded, with what is for one player alone; None: as all see it."""
        state = self._state
        if text:
            state = replace(state, events=self._match.recent)
        if own is not None:
            legal = self._match.position.legal_notation() if own[0] == state.to_move else None
            state = replace(state, legal=legal, resign=own[1])
        return codec.ENCODE[text](state)


def _own_fields(room: Room, match: Match) -> list[tuple[Who, OwnFields]]:
    """Return which players see more than others do, and what."""
    to_move = END if match.result is not None else match.position.to_move
    if match.game.forfeit_points is None and match.game.resign_points is None:  # one point each
        return [(match.players[to_move], (to_move, None))] if to_move >= 0 else []
    return [
        (match.players[seat], (seat, price))
        for seat, price in enumerate(rooms.shown_resignations(room))
        if seat == to_move or price is not None
    ]
