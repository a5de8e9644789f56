"""What a room is by its rows in the log.

A room whose match cannot be replayed by today's rules ends that match void and closes; the server
still starts.  server/services/loading.py says which rooms are read when.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from msgspec.structs import replace

from games import registry
from games.game import BrokenRules, IllegalAction, NotationError
from protocol.errors import Code
from protocol.history import DURING
from protocol.messages import Error
from server.core import match as matches
from server.core import room as rooms
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Broadcast
from server.core.events import (
    Closed,
    Created,
    Ended,
    NotReplayed,
    UnknownRules,
    read_body,
    write_body,
)
from server.core.past.fold import PastFold
from server.core.room import NOBODY, Room, Secrets, Work
from server.rooms import snapshot as snapshots
from server.rooms.index_rows import row_of
from server.rooms.snapshot import Base, Snapshot
from server.store.contract import DatabaseAway, EventRow, Row, Store, StoreError

log = logging.getLogger("plyhouse")
UNKNOWN = (UnknownRules, registry.UnknownGame)
NOT_REPLAYED = (NotReplayed, IllegalAction, NotationError, BrokenRules, registry.UnknownGame)


class Replayed(NamedTuple):
    """A room that was folded from its rows.

    `error`: why that stopped early, if it did: such a room is only fit for `give_up`; `base`: what
    it was before its newest match, if that is not its first; `is_unknown`: it stopped as the rules
    are not here, so another server may know better.
    """

    room: Room
    error: str | None
    base: Base | None
    is_unknown: bool = False


def replay(rows: Sequence[EventRow]) -> Replayed | None:
    """Fold a room's rows; of its matches only the last is played through.

    Returns:
        The room; None if not even the first row can be read.
    """
    first = _created(rows)
    if first is None:
        return None
    room, base = rooms.create(rows[0].room, first), None
    newest = _newest_start(rows)
    for row in rows[1:]:
        if row.seq == newest and room.played:
            base = snapshots.base_of(room, between=True)
        try:
            room = _fold(room, row, old=row.seq < newest)
        except NOT_REPLAYED as error:
            broken = _broken(room, rows)
            if isinstance(error, BrokenRules):  # which could not show the match either
                broken = replace(broken, match=None)
            why = f"seq {row.seq} cannot be replayed: {error}"
            return Replayed(broken, why, None, isinstance(error, UNKNOWN))
    return Replayed(room, None, base)


def replay_on(room: Room, rows: Sequence[EventRow]) -> Room | None:
    """Fold what came after a room was kept; `room`: as it was then.

    Returns:
        The room; None if that cannot be: then `replay` says why.
    """
    begins = room.match is None and room.played > 0  # it was kept before a match that began
    if begins and (not rows or rows[0].kind != "started"):
        return None
    newest = _newest_start(rows)
    try:
        for row in rows:
            room = _fold(room, row, old=row.seq < newest)
    except NOT_REPLAYED:
        return None
    return room


def _newest_start(rows: Sequence[EventRow]) -> int:
    """Return at which seq the newest match began, 0 if none did."""
    return max((row.seq for row in rows if row.kind == "started"), default=0)


def _created(rows: Sequence[EventRow]) -> Created | None:
    try:
        first = read_body(rows[0].kind, rows[0].body) if rows else None
    except NotReplayed as error:
        log.error("room %d, seq %d cannot be read: %s", rows[0].room, rows[0].seq, error)
        return None
    return first if isinstance(first, Created) else None


def _fold(room: Room, row: EventRow, old: bool) -> Room:
    if row.seq != room.seq + 1:
        raise NotReplayed(f"it follows seq {room.seq}")
    if old and row.kind in DURING:
        return replace(room, seq=row.seq)
    return rooms.fold(room, read_body(row.kind, row.body))


def _broken(room: Room, rows: Sequence[EventRow]) -> Room:
    """Return the room with its last seq, and with the match that is on as far as that goes."""
    bounds = [row.kind for row in rows if row.kind in ("started", "ended")]
    on = bool(bounds) and bounds[-1] == "started"
    state, played = "playing" if on else "waiting", bounds.count("started")
    match = room.playing() if on and room.played == played else None
    return replace(room, seq=rows[-1].seq, state=state, match=match, played=played)


class ReadRoom(NamedTuple):
    """A room that was read from the log.

    `error`: why its match cannot go on, if so, and then `rows`: all its rows; `is_unknown`: see
    Replayed.
    """

    room: Room
    base: Base | None
    error: str | None = None
    rows: Sequence[EventRow] = ()
    is_unknown: bool = False


def read_room(store: Store, number: int, snapshot: Snapshot) -> ReadRoom | None:
    """Read a room from the log; None if it cannot be, which is logged.

    Raises:
        DatabaseAway: it cannot be read now.
    """
    try:
        before = snapshot.room(number)
        if before is not None:
            room = replay_on(before, store.events_before(number, before.seq))
            if room is not None:
                return ReadRoom(room, snapshot.base)
        return read_rows(number, store.events_before(number))
    except DatabaseAway:
        raise
    except StoreError as damage:
        log.error("room %d stays shut: %s", number, damage)
        return None


def read_rows(number: int, rows: Sequence[EventRow]) -> ReadRoom | None:
    """Return what all rows of a room say; None if they cannot be read, which is logged."""
    replayed = replay(rows)
    if replayed is None:
        log.error("room %d cannot be read and stays shut", number)
        return None
    room, error, base, is_unknown = replayed
    return ReadRoom(room, base, error, rows if error is not None else (), is_unknown)


def past_rows(rows: Sequence[EventRow], work: Work) -> list[Row]:
    """Return the row of the match that is given up, as its events tell of it."""
    fold, index = PastFold(), list[Row]()
    for row in rows:
        fold.take(row.kind, row.body)
    for event in work.events:
        summary = fold.take(event.kind, write_body(event))
        if summary is not None:
            index.append(row_of(work.room.number, work.room.played, summary))
    return index


def give_up(room: Room, now: int) -> Work:
    """Close a room that cannot go on; its match, if one is under way, ends void.

    Nobody follows it after a start; after a takeover its players do.
    """
    work = Work(room, NOBODY, now, Secrets(b"", ""))
    text = "this room cannot be read any more, and is closed"
    if room.state == "playing":
        ended = Ended(now, matches.result((0.0, 0.0), "void", "cannot be replayed"))
        work.events.append(ended)
        text = f"{text}; its match is void"
        if room.match is not None:
            work.room = replace(room, match=matches.ended(room.match, ended))
            work.then(SHOW_MATCH)
    work.events.append(Closed(now, "its match cannot be replayed"))
    work.room = replace(work.room, seq=room.seq + len(work.events), state="closed")
    work.then(SHOW_ROOM, Broadcast(Error(code=Code.ROOM_FAILED, text=text)))
    return work
