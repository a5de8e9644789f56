"""Answers from the log: the history of a room, and the rows of a finished match.

What is read is shown to those who may see it: core/access.py decides that.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

from protocol import history
from protocol.analysis import Resignation
from protocol.errors import Code, Refusal
from protocol.history import COURSE
from protocol.messages import History, HistoryPage
from protocol.notation import format_match
from protocol.parts import Event as PublicEvent
from protocol.records.resignations import resignations_of
from server.core import access
from server.core import room as rooms
from server.core.events import (
    Chatted,
    Created,
    Dealt,
    Event,
    NotReplayed,
    Started,
    Who,
    public,
    read_body,
)
from server.core.room import Asker, Room
from server.rooms.peers import Peer
from server.services.purged import refusal_of
from server.store.contract import EventRow, LogReader, Outline, PastRow

log = logging.getLogger("plyhouse")
JUDGED = (*COURSE, "offered", "answered")  # kinds of rows that a match is judged by
ENDS = ("started", "ended")
MAX_ROWS = 10_000  # of one match; five times what the longest has without takebacks
MAX_LOOKED = 10 * MAX_ROWS  # from its start to its end: people may talk
TOO_LONG = "this match is too long for any bot"
PAGE_BYTES = 96 * 1024  # of bodies; even if all is escaped in JSON, a server's frame holds that

MatchBounds: TypeAlias = tuple[EventRow, EventRow]  # of a match: its start and its end
# Called with the rows of a match, or with why there are none.
MatchRead: TypeAlias = Callable[[list[EventRow] | Refusal], None]


def _read(row: EventRow) -> Event | None:
    try:
        return read_body(row.kind, row.body)
    except NotReplayed as error:
        log.error("room %d, seq %d cannot be read: %s", row.room, row.seq, error)
        return None


def _created(rows: Sequence[EventRow]) -> Created | None:
    first = _read(rows[0]) if rows else None
    return first if isinstance(first, Created) else None


def answer(store: LogReader, page: int, peer: Peer, request: History, room: Room | None) -> None:
    """Answer `history` with up to `page` events.  `room`: the room if it is open."""
    asker = peer.asker(request.room)
    if room is not None and access.may_look(room, asker, request.code):
        _read_page(store, page, peer, request, room)
        return

    whole: list[EventRow] | None = None

    def look(outline: Outline | None) -> None:
        _check_reader(store, asker, request.code, room, outline, check)

    def check(until: int | Refusal | None) -> None:
        if isinstance(until, Refusal):
            peer.refuse(until, request.id)
        elif whole is not None:
            _send_page(peer, request, _up_to(whole, until), page, room)
        else:
            _read_page(store, page, peer, request, room, until)

    def read(rows: list[EventRow] | None) -> None:
        nonlocal whole
        if rows and len(rows) <= page:  # all of it, as in any room of a ladder: it is read once
            whole = rows
            look(Outline(rows, 0))
        else:
            store.read_outline(request.room, 0, (), 0, look)

    if request.since == 0:
        store.read_events(request.room, 0, page + 1, read)
    else:
        store.read_outline(request.room, 0, (), 0, look)


def _check_reader(
    store: LogReader, asker: Asker, code: str | None, room: Room | None,
    outline: Outline | None, done: Callable[[int | Refusal | None], None],
) -> None:  # fmt: skip
    """Call `done` with up to which seq somebody outside the room may read; None: all of it.

    `outline`: the room's first event and its last, at least.  A refusal is room/wrong-code, or
    server/not-stored if the log cannot be read, or lacks the room's end yet.
    """
    rows = outline.rows if outline is not None else []
    gone = refusal_of(rows[0].kind, rows[0].body) if rows else None
    if gone is not None:
        done(gone)
        return
    first = _created(rows)
    if first is None or (room is None and rows[-1].kind != "closed"):
        done(_unreadable())
        return
    number = rows[0].room
    if access.reads_all(room or rooms.create(number, first), asker, code):
        done(None)
        return

    def find_end(played: list[PastRow] | None) -> None:
        if played:
            store.read_outline(number, played[0].match, ("ended",), 0, partial(take_end, played[0]))
        else:
            done(_unreadable() if played is None else access.wrong_code())

    def take_end(played: PastRow, outline: Outline | None) -> None:
        rows = outline.rows if outline is not None else ()
        ends = [row.seq for row in rows if row.kind == "ended" and row.match == played.match]
        done(ends[0] if ends else _unreadable())

    store.read_last(number, asker.who.session, find_end)


def _read_page(
    store: LogReader, page: int, peer: Peer, request: History, room: Room | None,
    until: int | None = None,
) -> None:  # fmt: skip
    def send(rows: list[EventRow] | None) -> None:
        if rows is not None and len(rows) <= page and room is not None:
            read = rows[-1].seq if rows else request.since
            if read < room.seq:  # the room knows better how far it has come: see check_numbers
                log.error("room %d: events from seq %d on are missing", request.room, read + 1)
                rows = None
        _send_page(peer, request, _up_to(rows, until), page, room)

    store.read_events(request.room, request.since, page + 1, send)


def _up_to(rows: list[EventRow] | None, until: int | None) -> list[EventRow] | None:
    if rows is None or until is None:
        return rows
    return [row for row in rows if row.seq <= until]


def _send_page(
    peer: Peer, request: History, rows: list[EventRow] | None, page: int, room: Room | None
) -> None:
    if rows is None:
        peer.refuse(_unreadable(), request.id)
        return
    fitting = _fitting(rows[:page])
    reader = peer.me()
    events = [e for row in rows[:fitting] if (e := public_event(row, room, reader)) is not None]
    following = rows[fitting - 1].seq if len(rows) > fitting else None
    peer.send(HistoryPage(re=request.id, room=request.room, events=tuple(events), next=following))


def _unreadable() -> Refusal:
    return Refusal(Code.SERVER_NOT_STORED, "the log of this room cannot be read now")


def _fitting(rows: Sequence[EventRow]) -> int:
    """Return how many of these rows one message holds: one, at least."""
    size = 0
    for n, row in enumerate(rows):
        size += len(row.body)
        if n and size > PAGE_BYTES:
            return n
    return len(rows)


def public_event(row: EventRow, room: Room | None, reader: Who | None = None) -> PublicEvent | None:
    """Return an event as everybody may see it; None, with a word in the log, if it is unreadable.

    `room`: the room if it is open; `reader`: who reads it, from whom what spectators say is
    withheld while they play there.
    """
    event = _read(row)
    if event is None:
        return None
    withheld = (
        isinstance(event, Chatted)
        and room is not None
        and room.withholds(row.seq, event.who, reader)
    )
    if withheld:
        return None
    name = format_match(row.room, row.match) if row.match is not None else None
    rated = room is not None and room.options.rated
    sealed = _sealed(row, room) or _is_dealt_again(event, room)
    return public(row.seq, name, event, sealed, rated)


def _sealed(row: EventRow, room: Room | None) -> bool:
    """Whether the match of a row is still to be kept secret: it has not been played to its end.

    The dice of a ladder's match are so while the room is open: another match may have the same.
    """
    if room is None or row.match is None:
        return False
    if room.leg is not None and row.kind == "dealt":
        return True
    return row.match > (room.played if room.playing() is None else room.played - 1)


def _is_dealt_again(event: Event, room: Room | None) -> bool:
    """Whether a match that was called off left these dice to one that is not over."""
    match = room.match if room is not None else None
    if match is None or match.deal is None or not isinstance(event, Dealt):
        return False
    return event.deal == match.deal.name and (match.result is None or match.withheld)


def find_match(
    store: LogReader, asker: Asker, number: int, which: int, code: str | None, room: Room | None,
    done: Callable[[MatchBounds | Refusal], None],
) -> None:  # fmt: skip
    """Find match `which` of room `number`, if the asker may read it and it is over.

    `room`: the room if it is open.
    """

    def look(outline: Outline | None) -> None:
        if outline is None:
            done(_unreadable())
        elif room is not None and access.may_look(room, asker, code):
            done(_bounds(which, outline.rows))
        else:
            _check_reader(store, asker, code, room, outline, partial(check, outline.rows))

    def check(outline: list[EventRow], until: int | Refusal | None) -> None:
        if isinstance(until, Refusal):
            done(until)
            return
        bounds = _bounds(which, outline)
        is_later = until is not None and not isinstance(bounds, Refusal) and bounds[1].seq > until
        done(access.wrong_code() if is_later else bounds)

    store.read_outline(number, which, ENDS, 0, look)


def read_match(
    store: LogReader, asker: Asker, number: int, which: int, code: str | None, room: Room | None,
    check_start: Callable[[Started], None], done: MatchRead,
) -> None:  # fmt: skip
    """Read the rows that make up the course of match `which` of room `number`.

    `room`: the room if it is open.  `check_start` is shown how the match began before its actions
    are read, and may raise a Refusal.
    """

    def read_course(bounds: MatchBounds | Refusal) -> None:
        try:
            if isinstance(bounds, Refusal):
                raise bounds
            start, end = bounds
            started = _read(start)
            if not isinstance(started, Started):
                raise _unreadable()
            check_start(started)
        except Refusal as no:
            done(no)
        else:

            def finish(rows: list[EventRow] | None) -> None:
                done(_own_rows(rows, end))

            length = end.seq - start.seq + 1
            if length > MAX_LOOKED:
                done(Refusal(Code.ANALYSIS_NO_BOT, TOO_LONG))
            else:
                store.read_events(number, start.seq - 1, length, finish, JUDGED)

    find_match(store, asker, number, which, code, room, read_course)


def _own_rows(rows: list[EventRow] | None, end: EventRow) -> list[EventRow] | Refusal:
    """Return the rows of the match with this end, or why they are not all there."""
    if rows is not None and len(rows) > MAX_ROWS:
        return Refusal(Code.ANALYSIS_NO_BOT, TOO_LONG)
    own = [row for row in rows or () if row.match == end.match]
    return own if own and own[-1].seq == end.seq else _unreadable()


def _bounds(which: int, outline: Sequence[EventRow]) -> MatchBounds | Refusal:
    """Return the rows of a match's start and end, or why there are none."""
    own = {row.kind: row for row in outline if row.match == which}
    if own.keys() >= set(ENDS):
        return own["started"], own["ended"]
    return Refusal(Code.ANALYSIS_NOT_OVER, "there is no such match that is over")


def remaining_actions(rows: Sequence[EventRow]) -> list[PublicEvent]:
    """Return the actions among the rows of a match that no takeback has undone, by ply.

    Raises:
        NotReplayed: a row cannot be read.
    """
    return history.remaining_actions(_public_course(rows))


def resignations(rows: Sequence[EventRow]) -> tuple[Resignation, ...]:
    """Return who would give up the match of these rows.

    Raises:
        NotReplayed: a row cannot be read.
    """
    return resignations_of(_public_course(rows))


def _public_course(rows: Sequence[EventRow]) -> Iterator[PublicEvent]:
    """Yield the events of these rows that a match is judged by."""
    for row in rows:
        if row.kind in JUDGED:
            yield public(row.seq, None, read_body(row.kind, row.body), sealed=False)
