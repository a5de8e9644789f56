"""A room's match as its followers see it, encoded: what does not change is encoded only once.

A state of a match goes out at every move, to both players and to all who look on.  They differ in
what is for one player alone, which is joined to what is the same for all; and seven of the eight
past actions in it were in the last one as well.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, cast

from msgspec import Raw
from msgspec.structs import replace

from protocol import codec
from protocol.messages import MatchState
from protocol.parts import Event
from server.core import match as matches
from server.core import room as rooms
from server.core.match import Match
from server.core.room import Room
from server.rooms.peers import Peer

# Who sees more of a match than others do, by session and program: the seat, and for how many points
# it may resign, where that is not just one.  The other reason is that it is its turn.
OwnField: TypeAlias = tuple[int, tuple[int, ...] | None]
OwnFields: TypeAlias = dict[tuple[int, str | None], OwnField]


class PastActions:
    """The past actions in the newest state of a match, as they are encoded."""

    __slots__ = ("_encoded", "_events")

    def __init__(self) -> None:
        self._events: tuple[Event, ...] = ()
        self._encoded: tuple[Raw, ...] = ()

    def encode(self, state: MatchState) -> bytes:
        """Return a state in msgpack; of its actions only those are encoded that are new."""
        events, known = state.events, self._events
        if events is not known:
            if known and len(events) > 1 and events[-2] is known[-1]:
                kept = self._encoded[len(known) - len(events) + 1 :]
                self._encoded = (*kept, Raw(codec.encode_part(events[-1])))
            else:
                self._encoded = tuple([Raw(codec.encode_part(event)) for event in events])
            self._events = events
        raw = cast("tuple[Event, ...]", self._encoded)  # which is encoded as it is
        return codec.encode(replace(state, events=raw))


class MatchView(NamedTuple):
    """One state of a match, for all who follow its room."""

    match: Match
    state: MatchState
    own: OwnFields
    shared: bytes  # the state in msgpack, as everybody sees it

    def view_of(self, peer: Peer) -> OwnField | None:
        """Return what a connection sees more than others do."""
        who = peer.who
        return None if who is None else self.own.get((who.session, who.program))

    def payload(self, peer: Peer) -> bytes:
        """Return the state for one connection, in its encoding."""
        own = self.view_of(peer)
        if peer.text:
            return codec.encode(self.as_seen(own), True)
        if own is None:
            return self.shared
        seat, resign = own
        payload = self.shared
        if seat == self.state.to_move:
            payload = codec.add_field(payload, b"legal", self.match.position.legal_notation())
        return payload if resign is None else codec.add_field(payload, b"resign", resign)

    def as_seen(self, own: OwnField | None) -> MatchState:
        """Return the state with what is for one player alone; None: as everybody sees it."""
        if own is None:
            return self.state
        seat, resign = own
        legal = self.match.position.legal_notation() if seat == self.state.to_move else None
        return replace(self.state, legal=legal, resign=resign)


def match_view(room: Room, match: Match, now: int, actions: PastActions) -> MatchView:
    """Return the match of a room as everybody sees it, and which players see more."""
    if room.away == rooms.NOBODY_AWAY:  # nearly always, and asked at every move
        state = matches.state(match, room.number, room.seq, now)
    else:
        absent, claims = rooms.absent(room), rooms.claims(room, now)
        state = matches.state(match, room.number, room.seq, now, absent, claims)
    own: OwnFields = {}
    for seat, prices in enumerate(rooms.shown_resignations(room)):
        if seat == state.to_move or prices is not None:
            who = match.players[seat]
            own[who.session, who.program] = seat, prices
    return MatchView(match, state, own, actions.encode(state))
