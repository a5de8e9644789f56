"""What a server reads of its log at start: the sessions, and the open rooms and ladders.

A room is folded anew from its rows.  A room whose match cannot be replayed by today's rules ends
that match void and closes; the server still starts.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from msgspec.structs import replace

from games import registry
from games.game import BrokenRules, IllegalAction, NotationError
from protocol.history import DURING
from server.admin.core import events as house_events
from server.admin.core.events import HOUSE_LOG
from server.admin.core.rules import HouseRules
from server.core import match as matches
from server.core import room as rooms
from server.core.events import Closed, Created, Ended, NotReplayed, read_body, write_body
from server.core.orders import Gone
from server.core.past.fold import PastFold
from server.core.room import NOBODY, Fresh, Room, Work
from server.core.session import Session
from server.ladder.core.events import Made
from server.ladder.service import LadderService
from server.rooms.actor import RoomActor
from server.rooms.directory import RoomDirectory
from server.rooms.index_rows import row_of
from server.rooms.peers import Delivery
from server.rooms.wall_clock import WallClock
from server.store.contract import DamagedRow, EventRow, Row, Store

log = logging.getLogger("plyhouse")
NOT_REPLAYED = (NotReplayed, IllegalAction, NotationError, BrokenRules, registry.UnknownGame)


def read_sessions(store: Store) -> list[Session]:
    """Read all logins."""
    return [
        Session(*row[:4], guest=bool(row.guest), recovery=row.recovery, played=bool(row.played))
        for row in store.sessions()
    ]


def read_rules(store: Store) -> HouseRules:
    """Read what the host has ordered; an event that cannot be read is left out, with a word."""
    rules = HouseRules()
    for row in store.all_events(HOUSE_LOG):
        rules.seq = row.seq
        try:
            rules.fold(house_events.read(row.kind, row.body), seq=row.seq)
        except NotReplayed as error:
            log.error("an order of the host, seq %d, cannot be read: %s", row.seq, error)
    return rules


def reopen(
    store: Store, directory: RoomDirectory, ladders: LadderService, clock: WallClock
) -> None:
    """Open the rooms and ladders that were open when the last server ended.

    Raises:
        WrongClock: the log is more than a day ahead of the machine's clock.
    """
    directory.last_number = store.last_room()
    opened: list[tuple[RoomActor, str | None, list[EventRow]]] = []
    for number in store.open_rooms():
        try:
            rows = store.all_events(number)
        except DamagedRow as damage:
            log.error("room %d stays shut: %s", number, damage)
            continue
        if rows and rows[0].kind == Made.kind:
            ladders.load(rows)
            continue
        replayed = replay(rows)
        if replayed is None:
            log.error("room %d cannot be read and stays shut", number)
            continue
        room, error = replayed
        if rows[-1].epoch >= store.times_from:
            clock.begin_after(room.touched)
        opened.append((directory.restore(room), error, rows if error is not None else []))
    clock.warn_of_gap()
    for actor, error, rows in opened:  # only now is it known what time it is
        if error is None:
            actor.start()
            continue
        log.error("room %d: %s; its match is void", actor.room.number, error)
        work = give_up(actor.room, clock.now())
        delivery = Delivery(Gone(), work.asker, None, work.now)
        actor.commit(work.room, work.events, (), delivery, _index_rows(rows, work))
    ladders.resume()


def _index_rows(rows: Sequence[EventRow], work: Work) -> list[Row]:
    """Return the row of the match that is given up, as its events tell of it."""
    fold, index = PastFold(), list[Row]()
    for row in rows:
        fold.take(row.kind, row.body)
    for event in work.events:
        summary = fold.take(event.kind, write_body(event))
        if summary is not None:
            index.append(row_of(work.room.number, work.room.played, summary))
    return index


def replay(rows: Sequence[EventRow]) -> tuple[Room, str | None] | None:
    """Fold a room's rows; of its matches only the last is played through.

    Returns:
        The room, and why the fold stopped early if it did (such a room is only fit for `give_up`);
        None if not even the first row can be read.
    """
    first = _created(rows)
    if first is None:
        return None
    room = rooms.create(rows[0].room, first)
    newest = max((row.seq for row in rows if row.kind == "started"), default=0)
    for row in rows[1:]:
        try:
            room = _fold(room, row, old=row.seq < newest)
        except NOT_REPLAYED as error:
            return _broken(room, rows), f"seq {row.seq} cannot be replayed: {error}"
    return room, None


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
    """Return the room without its match: its seq, and whether a match is under way."""
    bounds = [row.kind for row in rows if row.kind in ("started", "ended")]
    on = bool(bounds) and bounds[-1] == "started"
    state = "playing" if on else "waiting"
    return replace(room, seq=rows[-1].seq, state=state, match=None, played=bounds.count("started"))


def give_up(room: Room, now: int) -> Work:
    """Close a room that cannot go on; its match, if one is under way, ends void."""
    work = Work(room, NOBODY, now, Fresh(b"", ""))
    if room.state == "playing":
        work.events.append(Ended(now, matches.result((0.0, 0.0), "void", "cannot be replayed")))
    work.events.append(Closed(now, "its match cannot be replayed"))
    work.room = replace(room, seq=room.seq + len(work.events), state="closed")
    return work
