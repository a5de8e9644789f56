"""Reading the log: rooms folded anew at start, and pages of history for who may see them."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import msgspec

from games import registry
from games.game import IllegalAction, NotationError
from protocol.errors import Code, Refusal
from protocol.messages import Event as PublicEvent
from protocol.messages import History, HistoryPage
from server.core import match as matches
from server.core import room as rooms
from server.core import seating
from server.core.events import Closed, Created, Ended, Event, public, read_body
from server.core.match import RulesChanged
from server.core.room import NOBODY, Fresh, Room, Work
from server.runtime import Peer
from server.store.store import EventRow, Store

log = logging.getLogger("plyhouse")
UNREADABLE = (msgspec.DecodeError, KeyError)
NOT_REPLAYED = (*UNREADABLE, RulesChanged, IllegalAction, NotationError, registry.UnknownGame)


def replay(rows: Sequence[EventRow]) -> tuple[Room, str | None] | None:
    """Fold a room's rows.

    Returns:
        The room, and why the fold stopped early if it did (the room is then as it was before, but
        for its seq, which is the last row's); None if not even the first row can be read.
    """
    try:
        first = read_body(rows[0].kind, rows[0].body) if rows else None
    except UNREADABLE:
        first = None
    if not isinstance(first, Created):
        return None
    room = rooms.create(rows[0].room, first)
    for row in rows[1:]:
        try:
            room = rooms.fold(room, read_body(row.kind, row.body))
        except NOT_REPLAYED as error:
            last = msgspec.structs.replace(room, seq=rows[-1].seq)
            return last, f"seq {row.seq} cannot be replayed: {error}"
    return room, None


def give_up(room: Room, now: int) -> Work:
    """End what cannot be gone on with: the match, if any, is void, and the room closes."""
    work = Work(room, NOBODY, now, Fresh(b"", ""))
    if room.playing() is not None:
        work.record(Ended(now, matches.result((0.0, 0.0), "void", "cannot be replayed")))
    work.record(Closed(now, "its match cannot be replayed"))
    return work


def read(store: Store, page: int, peer: Peer, request: History, room: Room | None) -> None:
    """Answer `history`.

    `room`: the open room, whose doors were checked; None: one that is closed.
    """
    if room is not None:
        store.read_events(
            request.room, request.since, page + 1,
            lambda rows: _answer(peer, request, rows, page, room),
        )  # fmt: skip
        return
    store.read_events(request.room, 0, -1, lambda rows: _answer_closed(peer, request, rows, page))


def _answer_closed(peer: Peer, request: History, rows: list[EventRow] | None, page: int) -> None:
    found = replay(rows) if rows else None
    if rows is not None and found is not None and peer.who is not None:
        room = found[0]
        try:
            seating.check_code(room, peer.asker(request.room), request.code)
        except Refusal as no:
            peer.refuse(no, request.id)
            return
        later = [row for row in rows if row.seq > request.since]
        _answer(peer, request, later[: page + 1], page, room)
        return
    _answer(peer, request, None, page, None)


def _answer(
    peer: Peer, request: History, rows: list[EventRow] | None, page: int, room: Room | None
) -> None:
    if rows is None:
        peer.refuse(Refusal(Code.SERVER_NOT_STORED, "the log cannot be read now"), request.id)
        return
    events = [e for row in rows[:page] if (e := _public(row, room)) is not None]
    following = rows[page - 1].seq if len(rows) > page else None
    peer.send(HistoryPage(re=request.id, room=request.room, events=tuple(events), next=following))


def _public(row: EventRow, room: Room | None) -> PublicEvent | None:
    try:
        event: Event = read_body(row.kind, row.body)
    except UNREADABLE:
        log.error("room %d, seq %d cannot be read", row.room, row.seq)
        return None
    name = f"{row.room}.{row.match}" if row.match is not None else None
    return public(row.seq, name, event, _sealed(row, room))


def _sealed(row: EventRow, room: Room | None) -> bool:
    """Whether the match of a row is still to be kept secret: it has not been played to its end."""
    if room is None or row.match is None:
        return False
    over = room.played if room.match is None or room.match.result is not None else room.played - 1
    return row.match > over and room.state != "closed"
