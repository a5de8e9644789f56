"""What is kept of an open room beside its events, so that a server which starts need not read them.

It says who sits there and how the room is found, and what the room was before one of its newest
matches, as from there its events can be folded.  That is written anew once in some matches: a few
short ones are read in no time.  All of it follows from the events: what is missing or cannot be
read costs time and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from msgspec import Struct

from protocol.parts import Options
from server.core import room as rooms
from server.core.events import Created, Event, Joined, Left, Leg, Started, Who, write_body
from server.core.room import Room, Seats
from server.store.contract import RoomRow

VERSION = 1
RESEATING = frozenset({Created, Joined, Left})
FEW = 50  # events before the newest match that a start reads as well: 0.2 ms of a room


class Base(Struct, frozen=True, array_like=True):
    """A room before a match, without what a Snapshot says as well; see Room."""

    seq: int
    seats: Seats
    ready: tuple[bool, bool]
    salts: tuple[str, str]
    score: tuple[float, float]
    played: int
    rematch: bool
    secret: bytes | None


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

    def asleep(self, number: int) -> Room:
        """Return as much of the room as is known: no match, and no word of what it does now."""
        return Room(number, 0, self.game, self.options, self.owner, self.code, seats=self.seats,
                    leg=self.leg)  # fmt: skip

    @property
    def since(self) -> int:
        """The seq after which the events are wanted."""
        return self.base.seq if self.base is not None else 0

    def room(self, number: int) -> Room | None:
        """Return the room as it was before a match; None: it is to be folded whole."""
        base = self.base
        if base is None:
            return None
        return Room(
            number, base.seq, self.game, self.options, self.owner, self.code, seats=base.seats,
            ready=base.ready, salts=base.salts, deserted=0, score=base.score, played=base.played,
            rematch=base.rematch, secret=base.secret, leg=self.leg,
        )  # fmt: skip


def of_room(room: Room, base: Base | None) -> Snapshot:
    """Return what is kept of a room; `base`: of its newest match."""
    return Snapshot(
        VERSION, room.game, room.options, room.owner, room.code, room.leg, room.seats, base
    )


def base_before(room: Room, events: Iterable[Event]) -> Base | None:
    """Return what a room is before the match that begins among these next events.

    None: none does, or it is the room's first.
    """
    if not room.played:
        return None
    for event in events:
        if isinstance(event, Started):
            return base_of(room)
        room = rooms.fold(room, event)
    return None


def base_of(room: Room) -> Base:
    """Return what is to be kept of a room that stands before a match."""
    return Base(
        room.seq, room.seats, room.ready, room.salts, room.score, room.played, room.rematch,
        room.secret,
    )  # fmt: skip


def rows_after(
    old: Room | None, room: Room, events: Sequence[Event], base: Base | None
) -> tuple[Base | None, list[RoomRow]]:
    """Return the base of a room after these events, and what of it is to be stored.

    `old`: the room before them, None if there was none; `base`: its base then.
    """
    if room.state == "closed":
        return base, [RoomRow(room.number, 0)]
    begun = None
    if old is not None and room.played > old.played:
        kept = base.seq if base is not None else 0
        begun = base_before(old, events) if old.seq - kept > FEW else None
    base = begun or base
    if begun is None and RESEATING.isdisjoint(map(type, events)):
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
