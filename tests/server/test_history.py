"""History: what its pages tell, and to whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from games import dice, registry
from protocol import codec
from protocol.errors import Code
from protocol.messages import (
    MAX_SERVER_FRAME,
    Abort,
    Error,
    History,
    HistoryPage,
    Join,
    Leave,
    Options,
    Resign,
    Say,
)
from server import archive
from server.core.events import (
    KIND,
    Closed,
    Dealt,
    Event,
    Readied,
    Said,
    Who,
    read_body,
    write_body,
)
from server.core.room import Room
from server.core.session import Bucket
from server.runtime import Peer
from server.store.store import EventRow, Read
from tests.server.core.score import (
    ANN,
    BOB,
    BOT,
    CAT,
    CODE,
    MATCH,
    PRIVATE,
    RATED,
    ROOM,
    Table,
    fresh,
    ready,
    seated,
    started,
)


def row(seq: int, event: Event, match: int | None = 1) -> EventRow:
    return EventRow(ROOM, seq, 1, KIND[type(event)], match, write_body(event))


# ---------------------------------------------------------------- asking


class Line:
    """A socket that writes down what it would send."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def push(self, frame: bytes, key: str | None) -> None:
        self.frames.append(frame)

    def frame(self, payload: bytes, text: bool) -> bytes:
        return payload

    def end(self, code: int, reason: str) -> None:
        raise AssertionError("nobody hangs up")


class Log:
    """A store that reads from a list, at once."""

    server, epoch, last_at = "test", 1, 0

    def __init__(self, rows: Sequence[EventRow] | None) -> None:
        self.rows = rows

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        if self.rows is None:
            done(None)
            return
        found = [r for r in self.rows if r.room == room and r.seq > since]
        found = [r for r in found if not kinds or r.kind in kinds]
        done(found[: limit if limit >= 0 else None])

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"history does not {name}")


def asked(
    rows: Sequence[EventRow] | None,
    who: Who = ANN,
    room: Room | None = None,
    since: int = 0,
    code: str | None = None,
    page: int = 200,
    follows: bool = False,
) -> Any:
    """The answer to `history`; `room`: the room if it is open."""
    line = Line()
    peer = Peer(line, Bucket(1, 0))
    peer.who = who
    peer.follows = {ROOM} if follows else None
    request = History(id=3, room=ROOM, since=since, code=code)
    archive.read(Log(rows), page, peer, request, room)
    (frame,) = line.frames
    assert len(frame) <= MAX_SERVER_FRAME
    return codec.decode_reply(frame)


def told(answer: Any) -> HistoryPage:
    assert isinstance(answer, HistoryPage)
    assert answer.re == 3
    return answer


def refused(answer: Any) -> str:
    assert isinstance(answer, Error)
    assert answer.re == 3
    return answer.code


def closed(options: Options | None = None) -> Table:
    table = started(options=options)
    table.plays("1", "4", "2", "5", "3")
    table.at(0, ANN, Leave(room=ROOM))
    table.at(0, BOB, Leave(room=ROOM))
    return table


def test_history_tells_all_in_order() -> None:
    table = started()
    table.plays("5")
    page = told(asked(table.rows, room=table.room))
    assert [(e.seq, e.kind) for e in page.events] == list(
        enumerate(["created", "joined", "joined", "ready", "ready", "started", "play"], 1)
    )
    assert page.events[-1].match == MATCH
    assert page.next is None


def test_history_is_paged() -> None:
    table = started()
    page = told(asked(table.rows, room=table.room, page=4))
    assert ([e.seq for e in page.events], page.next) == ([1, 2, 3, 4], 4)
    page = told(asked(table.rows, room=table.room, page=4, since=4))
    assert ([e.seq for e in page.events], page.next) == ([5, 6], None)
    page = told(asked(table.rows, room=table.room, since=6))
    assert (page.events, page.next) == ((), None)


@pytest.mark.parametrize("text", ["𝄞" * 500, '"' * 500])
def test_a_page_is_no_larger_than_a_frame(text: str) -> None:
    table = started()
    for _ in range(300):
        table.at(0, ANN, Say(room=ROOM, text=text))
    seqs, since = [], 0
    while True:
        page = told(asked(table.rows, room=table.room, since=since))
        seqs += [e.seq for e in page.events]
        if page.next is None:
            break
        since = page.next
    assert seqs == list(range(1, 307))


def test_even_a_body_beyond_all_bounds_does_not_stop_the_pages() -> None:
    rows = [row(1, Said(0, ANN, "x" * 100_000), None), row(2, Said(0, ANN, "y"), None)]
    table = started()
    page = told(asked(rows, room=table.room))
    assert ([e.seq for e in page.events], page.next) == ([1], 1)


def test_a_row_that_cannot_be_read_is_left_out() -> None:
    table = started()
    table.rows[2] = table.rows[2]._replace(body=b"\xc1")
    assert [e.seq for e in told(asked(table.rows, room=table.room)).events] == [1, 2, 4, 5, 6]


def test_a_log_that_cannot_be_read_is_said_so() -> None:
    assert refused(asked(None, room=started().room)) == Code.SERVER_NOT_STORED
    assert refused(asked(None)) == Code.SERVER_NOT_STORED
    assert refused(asked([])) == Code.SERVER_NOT_STORED


def test_a_secret_is_in_history_once_its_match_is_over() -> None:
    table = seated("pebbles", secret=5)
    secrets = [fresh(5).secret.hex()]

    def seen() -> list[tuple[str | None, str | None]]:
        page = told(asked(table.rows, room=table.room))
        return [(e.commitment, e.secret) for e in page.events if e.kind == "dealt"]

    promised = dice.commitment(fresh(5).secret)
    assert seen() == [(promised, None)]
    table.at(0, ANN, ready())
    table.at(0, BOB, ready())
    assert seen() == [(promised, None)]
    table.at(0, ANN, Abort(match=MATCH))
    assert [secret for _, secret in seen()] == [secrets[0], None]
    table.at(0, ANN, ready())
    table.at(0, BOB, ready())
    assert [secret for _, secret in seen()] == [secrets[0], None]
    dealt = [read_body(r.kind, r.body) for r in table.rows if r.kind == "dealt"]
    assert isinstance(dealt[1], Dealt)
    secrets.append(dealt[1].secret.hex())
    table.at(0, ANN, Resign(match="17.2"))
    assert [secret for _, secret in seen()] == [*secrets, None]


def test_a_thought_in_a_rated_match_is_in_history_once_it_is_over() -> None:
    table = started(options=RATED)
    table.at(0, ANN, table.play("5", note="the middle"))
    assert told(asked(table.rows, room=table.room)).events[6].note is None
    table.at(0, BOB, Resign(match=MATCH))
    assert told(asked(table.rows, room=table.room)).events[6].note == "the middle"


def test_a_thought_in_any_other_match_is_there_at_once() -> None:
    table = started()
    table.at(0, ANN, table.play("5", note="the middle"))
    assert told(asked(table.rows, room=table.room)).events[6].note == "the middle"


def test_a_salt_is_not_told_before_the_match() -> None:
    table = seated("pebbles")
    table.at(0, ANN, ready("abcdef"))
    assert isinstance(table.events[0], Readied)
    page = told(asked(table.rows, room=table.room))
    assert page.events[-1].kind == "ready"
    assert "abcdef" not in repr(page)


# ---------------------------------------------------------------- history of rooms that are closed


def test_a_closed_room_is_an_open_book() -> None:
    table = closed(RATED)
    page = told(asked(table.rows, who=CAT))
    assert page.events[-1].kind == "closed"
    assert told(asked(table.rows, who=CAT, since=12)).events[0].seq == 13


def test_a_private_one_is_for_who_owned_it_or_knows_its_code() -> None:
    rows = closed(PRIVATE).rows
    for who, code in ((ANN, None), (CAT, CODE), (CAT, CODE.lower()), (BOB, CODE)):
        assert told(asked(rows, who=who, code=code)).events[-1].kind == "closed"
    for code in (None, "AAAAAA"):
        assert refused(asked(rows, who=CAT, code=code)) == Code.ROOM_WRONG_CODE


def test_its_host_may_read_it_though_it_never_sat_there() -> None:
    table = Table(options=PRIVATE, seat=None, owner=CAT)
    rows = [*table.rows, row(2, Closed(0, "nobody was here"), None)]
    assert told(asked(rows, who=CAT)).events[0].kind == "created"


def test_a_room_whose_end_is_not_stored_tells_nothing_yet() -> None:
    table = started("pebbles")
    assert refused(asked(table.rows, room=None)) == Code.SERVER_NOT_STORED


def test_a_damaged_row_lets_nobody_in() -> None:
    rows = closed(PRIVATE).rows
    rows[5] = rows[5]._replace(body=b"\xc1")
    assert rows[5].kind == "started"
    assert refused(asked(rows, who=BOB)) == Code.ROOM_WRONG_CODE
    assert told(asked(rows, who=ANN)).events


# ---------------------------------------------------------------- who has played, and left


def left_private() -> Table:
    """Ann and bob have played in ann's private room; bob has left, and cat sits there now."""
    table = started("pebbles", PRIVATE)
    table.at(0, ANN, Resign(match=MATCH))
    table.at(0, BOB, Leave(room=ROOM))
    table.at(0, ANN, Say(room=ROOM, text="between ourselves"))
    table.at(0, CAT, Join(room=ROOM, code=CODE))
    return table


@pytest.mark.parametrize("is_open", [True, False], ids=["open", "closed"])
def test_who_has_played_in_a_private_room_reads_up_to_the_own_last_match(is_open: bool) -> None:
    table = left_private()
    if not is_open:
        table.at(0, CAT, Leave(room=ROOM))
        table.at(0, ANN, Leave(room=ROOM))
    page = told(asked(table.rows, who=BOB, room=table.room if is_open else None))
    assert (page.events[-1].kind, page.next) == ("ended", None)
    assert [e.secret is not None for e in page.events if e.kind == "dealt"] == [True]
    page = told(asked(table.rows, who=BOB, room=table.room if is_open else None, page=5))
    assert page.next == 5


def test_who_came_late_into_a_long_private_room_has_played_there_all_the_same() -> None:
    table = left_private()
    for _ in range(300):
        table.at(0, ANN, Say(room=ROOM, text="all evening"))
    table.at(0, ANN, ready())
    table.at(0, CAT, ready())
    table.at(0, ANN, Resign(match="17.2"))
    table.at(0, CAT, Leave(room=ROOM))
    table.at(0, ANN, Leave(room=ROOM))
    last = told(asked(table.rows, who=CAT, since=table.rows[-8].seq)).events[-1]
    assert (last.kind, last.match) == ("ended", "17.2")


def test_who_only_sat_in_a_private_room_needs_its_code() -> None:
    table = left_private()
    table.at(0, CAT, Leave(room=ROOM))
    assert refused(asked(table.rows, who=CAT, room=table.room)) == Code.ROOM_WRONG_CODE
    page = told(asked(table.rows, who=CAT, room=table.room, code=CODE))
    assert page.events[-1].kind == "left"


def test_a_running_match_is_for_those_in_the_room() -> None:
    table = left_private()
    table.at(0, ANN, ready())
    table.at(0, CAT, ready())
    for who in (ANN, CAT):
        assert told(asked(table.rows, who=who, room=table.room)).events[-1].kind == "roll"
    assert told(asked(table.rows, who=BOB, room=table.room)).events[-1].match == MATCH
    watching = asked(table.rows, who=Who(9, "eve"), room=table.room, follows=True)
    assert told(watching).events[-1].kind == "roll"
    assert refused(asked(table.rows, who=Who(9, "eve"), room=table.room)) == Code.ROOM_WRONG_CODE


@pytest.mark.parametrize("program", [None, "mcts", "random"])
def test_what_a_program_may_read_its_owner_and_the_other_programs_may(program: str | None) -> None:
    table = Table("pebbles", PRIVATE)
    table.at(0, BOT, Join(room=ROOM, code=CODE))
    table.at(0, ANN, ready())
    table.at(0, BOT, ready())
    asker = Who(BOT.session, BOT.name, program)
    assert told(asked(table.rows, who=asker, room=table.room)).events[-1].kind == "roll"
    table.at(0, BOT, Resign(match=MATCH))
    table.at(0, BOT, Leave(room=ROOM))
    assert told(asked(table.rows, who=asker, room=table.room)).events[-1].kind == "ended"


def test_all_kinds_of_all_games_are_told() -> None:
    for name in registry.names():
        table = started(name)
        table.at(0, table.mover(), table.play(table.match.position.legal_notation()[0]))
        assert len(told(asked(table.rows, room=table.room)).events) == len(table.rows)
