"""What is kept of an open room beside its events, so that a server which starts need not read them.

It says who sits there, what the room is called and how it is found, and what it was at a moment not
long ago, as from there its events can be folded: before one of its newest matches, or, where much
has happened since, as chat or takebacks, in the middle of one.  That is written anew now and then:
a few events are read in no time.  All of it follows from the events: what is missing or cannot be
read costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from games import registry
from protocol.messages import Said
from protocol.parts import Options, Series
from server.core import room as rooms
from server.core.events import Created, Event, Joined, Left, Leg, Started, Who, write_body
from server.core.past.kept_match import KeptMatch, kept, restored
from server.core.room import Room, RoomPhase, Seats
from server.store.contract import RoomRow

VERSION = 1
RESEATING = frozenset({Created, Joined, Left})
MIN_TAIL = 50  # events before the newest match that a start reads as well: 0.2 ms of a room
# Events after which a room is kept as it stands, and as many more as its match has plies, which are
# kept with it: so a start reads a few ms of each, and little is written for it.
MANY = 500


class Base(Struct, frozen=True, array_like=True):
    """A room as it was, without what a Snapshot says as well; see Room.

    `match`: None before one that begins.  It is stored, so fields are only ever added at the end.
    """

    seq: int
    seats: Seats
    ready: tuple[bool, bool]
    salts: tuple[str, str]
    score: tuple[float, float]
    played: int
    rematch: bool
    secret: bytes | None
    state: RoomPhase = "waiting"
    series: Series | None = None
    over_at: int = 0
    touched: int = 0
    match: KeptMatch | None = None
    began: int = 0
    unheard: tuple[Said, ...] = ()


class Snapshot(Struct, frozen=True, array_like=True):
    """What a server knows of an open room whose events it has not read; see Room.

    `base`: None before the second match, as there are few events then.
    """

    version: int
    game: str
    options: Options
    owner: Who
    code: str | None
    leg: Leg | None
    seats: Seats
    base: Base | None = None
    name: str = ""

    def unloaded(self, number: int) -> Room:
        """Return as much of the room as is known: no match, and no word of what it does now.

        Until that is known no bot holds a slot for it, if it may be at rest.
        """
        return Room(number, 0, self.game, self.options, self.owner, self.code, seats=self.seats,
                    leg=self.leg, name=self.name,
                    rested=-1 if self.options.clock is not None else 0)  # fmt: skip

    @property
    def since(self) -> int:
        """The seq after which the events are wanted."""
        return self.base.seq if self.base is not None else 0

    def room(self, number: int) -> Room | None:
        """Return the room as it was at its base; None: it is to be folded whole."""
        base = self.base
        if base is None:
            return None
        try:
            match = restored(base.match, number) if base.match is not None else None
        except registry.UnknownGame:  # the one that reads it whole says so
            return None
        return Room(
            number, base.seq, self.game, self.options, self.owner, self.code, state=base.state,
            seats=base.seats, ready=base.ready, salts=base.salts, empty_since=0, score=base.score,
            played=base.played, rematch=base.rematch, secret=base.secret, leg=self.leg,
            series=base.series, over_at=base.over_at, touched=base.touched, match=match,
            name=self.name, began=base.began, unheard=base.unheard,
        )  # fmt: skip


def of_room(room: Room, base: Base | None) -> Snapshot:
    """Return what is kept of a room; `base`: from where its events are read."""
    return Snapshot(
        VERSION,
        room.game,
        room.options,
        room.owner,
        room.code,
        room.leg,
        room.seats,
        base,
        room.name,
    )


def base_before(room: Room, events: Iterable[Event]) -> Base | None:
    """Return what a room is before the match that begins among these next events.

    None: none does, or it is the room's first.
    """
    if not room.played:
        return None
    for event in events:
        if isinstance(event, Started):
            return base_of(room, between=True)
        room = rooms.fold(room, event)
    return None


def base_of(room: Room, between: bool = False) -> Base:
    """Return what is to be kept of a room as it stands.

    `between`: another match begins, so nothing of the one that is over is wanted any more.
    """
    match = kept(room.match) if room.match is not None and not between else None
    return Base(
        room.seq, room.seats, room.ready, room.salts, room.score, room.played, room.rematch,
        room.secret, room.state, room.series, room.over_at, room.touched, match,
        room.began, room.unheard,
    )  # fmt: skip


def rows_after(
    old: Room | None, room: Room, events: Sequence[Event], base: Base | None
) -> tuple[Base | None, list[RoomRow]]:
    """Return the base of a room after these events, and what of it is to be stored.

    `old`: the room before them, None if there was none; `base`: its base then.
    """
    if room.state == "closed":
        return base, [RoomRow(room.number, 0)]
    newer, since = None, base.seq if base is not None else 0
    if old is not None and room.played > old.played and old.seq - since > MIN_TAIL:
        newer = base_before(old, events)
    elif room.seq - since > MANY + (room.match.ply if room.match is not None else 0):
        newer = base_of(room)
    base = newer or base
    same_name = old is not None and old.name == room.name
    if newer is None and same_name and RESEATING.isdisjoint(map(type, events)):
        return base, []
    return base, [row_of(room, base)]


def row_of(room: Room, base: Base | None) -> RoomRow:
    """Return the row of an open room."""
    return RoomRow(room.number, 1, write_snapshot(of_room(room, base)))


write_snapshot = write_body
_decode = msgspec.msgpack.Decoder(Snapshot).decode


def read_snapshot(body: bytes) -> Snapshot | None:
    """Return what is kept of a room; None: nothing that this version can read."""
    try:
        snapshot = _decode(body)
    except msgspec.DecodeError:
        return None
    return snapshot if snapshot.version == VERSION else None
