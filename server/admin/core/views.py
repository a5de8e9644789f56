"""What a host is shown: rows of plain values, as JSON has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from msgspec import Struct

from server.admin.core.events import (
    Drained,
    HouseEvent,
    Kicked,
    LadderOrdered,
    Lifted,
    Noticed,
    Released,
    Restricted,
    RoomShut,
    RoomsShut,
)
from server.admin.core.rules import Restriction, words_of
from server.core.room import Room

DONE = {"ban": "banned", "mute": "muted"}
ORDERED = {"open": "opened", "stop": "stopped", "remove": "removed", "drop": "dropped a bot of"}
UNDONE = {"ban": "unbanned", "mute": "unmuted"}


class VisitorRow(Struct, frozen=True, omit_defaults=True):
    """Somebody who is connected.  `addresses`: one a connection; `muted`: and may not speak."""

    name: str
    program: str | None
    addresses: tuple[str, ...]
    rooms: tuple[int, ...]
    muted: bool = False


class RoomView(Struct, frozen=True, omit_defaults=True):
    """An open room.  `idle_ms`: since something happened there last; `address`: from which it was
    opened, "" where that is not known, as after a start.
    """

    room: int
    game: str
    state: str
    seats: tuple[str | None, str | None]
    owner: str
    public: bool
    idle_ms: int
    match: str | None = None
    ply: int = 0
    ladder: str | None = None
    following: int = 0
    address: str = ""


class RestrictionRow(Struct, frozen=True, omit_defaults=True):
    """A ban or a mute that holds; `for_ms`: how long still, None: for good."""

    restraint: str
    target: str
    since: int
    for_ms: int | None
    why: str


class NodeView(Struct, frozen=True, omit_defaults=True):
    """One of several servers.  `lease_ms`: what is left of its lease; `line`: whether there is one
    to it; `here`: it is the one that was asked; `drains`: it hands over what it has.
    """

    node: int
    epoch: int
    url: str
    version: int
    lease_ms: int
    rooms: int
    connections: int
    ladders: bool = False
    line: bool = False
    here: bool = False
    drains: bool = False


class DiskRow(Struct, frozen=True):
    """Bytes on the disk.  `of`: `free`, `log`, or the address or network that stored them lately.

    `limit`: what is kept free for moves, or what a day allows; null where there is none.
    """

    of: str
    size: int
    limit: int | None


class LogRow(Struct, frozen=True, omit_defaults=True):
    """One act of a host, in words."""

    seq: int
    at: int
    by: str
    kind: str
    text: str


class Listing(Struct, frozen=True, omit_defaults=True):
    """Rows of one kind.  `total` counts those that were left out, too; `server`: its state."""

    rows: tuple[object, ...]
    total: int
    server: str = ""


class Done(Struct, frozen=True):
    """An act was stored and carried out; `text` says what came of it."""

    text: str


def disk_rows(
    free: int | None, used: int | None, reserve: int, stored: Sequence[tuple[str, int, int]]
) -> list[DiskRow]:
    """Return what is known of the disk, and of who had how much stored, of how much a day."""
    rows = [DiskRow("free", free, reserve)] if free is not None else []
    rows += [DiskRow("log", used, None)] if used is not None else []
    return rows + [DiskRow(*each) for each in stored]


def room_view(room: Room, following: int, address: str, now: int) -> RoomView:
    """Return a room as a host sees it; never its code or its secret."""
    match = room.playing()
    one, two = (who.title() if who is not None else None for who in room.seats)
    return RoomView(
        room=room.number,
        game=room.game,
        state=room.state,
        seats=(one, two),
        owner=room.owner.title(),
        public=room.options.public,
        idle_ms=max(0, now - room.touched),
        match=match.name if match is not None else None,
        ply=match.ply if match is not None else 0,
        ladder=room.leg.name if room.leg is not None else None,
        following=following,
        address=address,
    )


def restriction_row(restriction: Restriction, now: int) -> RestrictionRow:
    """Return a ban or a mute as a host sees it."""
    until = restriction.until
    return RestrictionRow(
        restraint=restriction.restraint,
        target=restriction.target.text,
        since=restriction.since,
        for_ms=None if until is None else until - now,
        why=restriction.why,
    )


def log_row(seq: int, event: HouseEvent) -> LogRow:
    return LogRow(seq, event.at, event.by, event.kind, _words(event))


def _words(event: HouseEvent) -> str:
    match event:
        case Restricted(at, _, restraint, target, until, why):
            time = "" if until is None else f" for {words_of(until - at)}"
            return f"{DONE[restraint]} {target.text}{time}{_because(why)}"
        case Lifted(_, _, restraint, target):
            return f"{UNDONE[restraint]} {target.text}"
        case Kicked(_, _, name, why):
            return f"kicked {name}{_because(why)}"
        case RoomShut(_, _, room, why):
            return f"closed room {room}{_because(why)}"
        case RoomsShut(_, _, target, why):
            return f"closed all rooms of {target.text}{_because(why)}"
        case Released(_, _, name, _):
            return f"released the name {name}"
        case LadderOrdered(_, _, "drop", ladder, player):
            return f"dropped {player} of the ladder {ladder}"
        case LadderOrdered(_, _, act, ladder, _):
            return f"{ORDERED[act]} the ladder {ladder}"
        case Noticed(at, _, text, until):
            time = "" if until is None else f" for {words_of(until - at)}"
            return f"told everybody{time}: {text}"
        case Drained(_, _, at_once, 0):
            return "stopped the server" if at_once else "let the server run dry"
        case Drained(_, _, at_once, server):
            return f"stopped server {server}" if at_once else f"had server {server} hand over"
        case _:
            assert_never(event)


def _because(why: str) -> str:
    return f": {why}" if why else ""
