"""Reading the log: rooms folded anew at start, and for who may see them, history and matches."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TypeAlias

from msgspec.structs import replace

from games import registry
from games.game import IllegalAction, NotationError
from protocol.errors import Code, Refusal
from protocol.messages import Event as PublicEvent
from protocol.messages import History, HistoryPage
from server.core import match as matches
from server.core import room as rooms
from server.core import seating
from server.core.events import (
    Closed,
    Created,
    Ended,
    Event,
    NotReplayed,
    Started,
    TakenBack,
    public,
    read_body,
)
from server.core.room import NOBODY, Asker, Fresh, Room, Work
from server.runtime import Peer
from server.store.store import EventRow, Store

log = logging.getLogger("plyhouse")
BROKEN = (NotReplayed, IllegalAction, NotationError, registry.UnknownGame)
IN_A_MATCH = frozenset(
    {"play", "pass", "roll", "opening", "strike", "offered", "answered", "takeback"}
)
OUTLINE = ("created", "started", "ended", "closed")  # tells who may read the history of a room
ACTIONS = frozenset({"play", "pass", "roll", "opening"})
A_MATCH = ("started", *ACTIONS, "takeback", "ended")  # what tells its course
MOST_ROWS = 10_000  # of one match; five times what the longest has without takebacks
TOO_LONG = "this match is too long for any bot"
PAGE_BYTES = 96 * 1024  # of bodies; even if all is escaped in JSON, a server's frame holds that

# Handed the rows of a match, or why they are not to be had.
Found: TypeAlias = Callable[[list[EventRow] | Refusal], None]


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
        except BROKEN as error:
            return _broken(room, rows), f"seq {row.seq} cannot be replayed: {error}"
    return room, None


def _created(rows: Sequence[EventRow]) -> Created | None:
    first = _read(rows[0]) if rows else None
    return first if isinstance(first, Created) else None


def _read(row: EventRow) -> Event | None:
    try:
        return read_body(row.kind, row.body)
    except NotReplayed as error:
        log.error("room %d, seq %d cannot be read: %s", row.room, row.seq, error)
        return None


def _fold(room: Room, row: EventRow, old: bool) -> Room:
    if row.seq != room.seq + 1:
        raise NotReplayed(f"it follows seq {room.seq}")
    if old and row.kind in IN_A_MATCH:
        return replace(room, seq=row.seq)
    event = read_body(row.kind, row.body)
    if isinstance(event, Created):
        raise NotReplayed("a room is created once")
    return rooms.fold(room, event)


def _broken(room: Room, rows: Sequence[EventRow]) -> Room:
    """What is known of a room without its match: its seq, and whether a match is under way."""
    turns = [row.kind for row in rows if row.kind in ("started", "ended")]
    on = bool(turns) and turns[-1] == "started"
    state = "playing" if on else "waiting"
    return replace(room, seq=rows[-1].seq, state=state, match=None, played=turns.count("started"))


def give_up(room: Room, now: int) -> Work:
    """End what cannot be gone on with: the match under way, if any, is void, the room closes."""
    work = Work(room, NOBODY, now, Fresh(b"", ""))
    if room.state == "playing":
        work.events.append(Ended(now, matches.result((0.0, 0.0), "void", "cannot be replayed")))
    work.events.append(Closed(now, "its match cannot be replayed"))
    work.room = replace(room, seq=room.seq + len(work.events), state="closed")
    return work


# ---------------------------------------------------------------- history


def read(store: Store, page: int, peer: Peer, request: History, room: Room | None) -> None:
    """Answer `history`.  `room`: the room if it is open."""
    asker = peer.asker(request.room)
    if room is not None and (asker.follows or seating.may_enter(room, asker, request.code)):
        _read_page(store, page, peer, request, room)
        return

    def look(outline: list[EventRow] | None) -> None:
        try:
            until = _horizon(asker, request.code, room, outline)
        except Refusal as no:
            peer.refuse(no, request.id)
        else:
            _read_page(store, page, peer, request, room, until)

    store.read_events(request.room, 0, -1, look, OUTLINE)


def _horizon(
    asker: Asker, code: str | None, room: Room | None, outline: Sequence[EventRow] | None
) -> int | None:
    """Up to which seq somebody may read who is not in the room; None: all of it.

    A session's programs have one token, so what one may read they all may.  Who has played in a
    private room keeps those matches, but hears no more of what came after the last of them.

    Raises:
        Refusal: nothing; or the log cannot be read, or has not got the room's end yet.
    """
    first = _created(outline or ())
    if not outline or first is None or (room is None and outline[-1].kind != "closed"):
        raise _unreadable()
    at, session = room or rooms.create(outline[0].room, first), asker.who.session
    inside = [who.session for who in (at.owner, *at.seats) if who is not None]
    if session in inside or seating.may_enter(at, asker, code):
        return None
    own = {row.match for row in outline if row.kind == "started" and _in_match(row, session)}
    ends = [row.seq for row in outline if row.kind == "ended" and row.match in own]
    if not ends:
        raise seating.wrong_code()
    return ends[-1]


def _in_match(started: EventRow, session: int) -> bool:
    event = _read(started)
    return isinstance(event, Started) and session in [who.session for who in event.players]


def _read_page(
    store: Store, page: int, peer: Peer, request: History, room: Room | None,
    until: int | None = None,
) -> None:  # fmt: skip
    def answer(rows: list[EventRow] | None) -> None:
        if rows is not None and until is not None:
            rows = [row for row in rows if row.seq <= until]
        _answer(peer, request, rows, page, room)

    store.read_events(request.room, request.since, page + 1, answer)


def _answer(
    peer: Peer, request: History, rows: list[EventRow] | None, page: int, room: Room | None
) -> None:
    if rows is None:
        peer.refuse(_unreadable(), request.id)
        return
    fitting = _fitting(rows[:page])
    events = [e for row in rows[:fitting] if (e := _public(row, room)) is not None]
    following = rows[fitting - 1].seq if len(rows) > fitting else None
    peer.send(HistoryPage(re=request.id, room=request.room, events=tuple(events), next=following))


def _unreadable() -> Refusal:
    return Refusal(Code.SERVER_NOT_STORED, "the log of this room cannot be read now")


def _fitting(rows: Sequence[EventRow]) -> int:
    """How many of these rows one message holds: one, at least."""
    size = 0
    for n, row in enumerate(rows):
        size += len(row.body)
        if n and size > PAGE_BYTES:
            return n
    return len(rows)


def _public(row: EventRow, room: Room | None) -> PublicEvent | None:
    event = _read(row)
    if event is None:
        return None
    name = f"{row.room}.{row.match}" if row.match is not None else None
    rated = room is not None and room.options.rated
    return public(row.seq, name, event, _sealed(row, room), rated)


def _sealed(row: EventRow, room: Room | None) -> bool:
    """Whether the match of a row is still to be kept secret: it has not been played to its end.

    The dice of a ladder's match are so while the room is open: another match may have the same.
    """
    if room is None or row.match is None:
        return False
    if room.leg is not None and row.kind == "dealt":
        return True
    return row.match > (room.played if room.playing() is None else room.played - 1)


# ---------------------------------------------------------------- a match that is over


def match_of(name: str) -> tuple[int, str]:
    """The room of a match by its name, and which of the room's it is: "17.2" is (17, "2").

    Raises:
        Refusal: lobby/no-room.
    """
    number, _, rest = name.partition(".")
    if number.isascii() and number.isdigit() and len(number) < 16 and rest:
        return int(number), rest
    raise Refusal(Code.LOBBY_NO_ROOM, f"{name[:20]!r} is no match; one is called like '17.2'")


def finished(
    store: Store, asker: Asker, number: int, which: str, code: str | None, room: Room | None,
    look: Callable[[Started], None], found: Found,
) -> None:  # fmt: skip
    """Read the rows of match `which` of room `number` that tell its course, for who may see them.

    `room`: the room if it is open.  `look` is shown how the match began before its actions are
    read, and may refuse by a Refusal.
    """

    def first(outline: list[EventRow] | None) -> None:
        try:
            start, end = _bounds(asker, which, code, room, outline)
            begun = _read(start)
            if not isinstance(begun, Started):
                raise _unreadable()
            look(begun)
        except Refusal as no:
            found(no)
        else:
            store.read_events(number, start.seq - 1, MOST_ROWS, second(end), A_MATCH)

    def second(end: EventRow) -> Callable[[list[EventRow] | None], None]:
        def read(rows: list[EventRow] | None) -> None:
            own = [row for row in rows or () if row.match == end.match]
            if own and own[-1].seq == end.seq:
                found(own)
            elif rows is None or len(rows) < MOST_ROWS:
                found(_unreadable())
            else:
                found(Refusal(Code.ANALYSIS_NO_BOT, TOO_LONG))

        return read

    store.read_events(number, 0, -1, first, OUTLINE)


def _bounds(
    asker: Asker, which: str, code: str | None, room: Room | None, outline: list[EventRow] | None
) -> tuple[EventRow, EventRow]:
    """The rows of a match's start and end.

    Raises:
        Refusal: room/wrong-code, analysis/not-over or server/not-stored.
    """
    inside = room is not None and (asker.follows or seating.may_enter(room, asker, code))
    until = None if inside else _horizon(asker, code, room, outline)
    own = {row.kind: row for row in outline or () if str(row.match) == which}
    if not {"started", "ended"} <= own.keys():
        if outline is None:
            raise _unreadable()
        raise Refusal(Code.ANALYSIS_NOT_OVER, "there is no such match that is over")
    if until is not None and own["ended"].seq > until:
        raise seating.wrong_code()
    return own["started"], own["ended"]


def standing(rows: Sequence[EventRow]) -> list[PublicEvent]:
    """The actions among the rows of a match, by ply; what was taken back is folded away.

    Raises:
        NotReplayed: a row cannot be read.
    """
    found: list[PublicEvent] = []
    for row in rows:
        if row.kind == "takeback":
            event = read_body(row.kind, row.body)
            if isinstance(event, TakenBack):
                del found[event.ply :]
        elif row.kind in ACTIONS:
            found.append(public(row.seq, None, read_body(row.kind, row.body), sealed=False))
    return found
