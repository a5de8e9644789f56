"""Rooms folded anew from the log, broken logs, and history for who may see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from games import dice, registry
from protocol import codec
from protocol.errors import Code
from protocol.messages import (
    MAX_SERVER_FRAME,
    Abort,
    Error,
    History,
    HistoryPage,
    Leave,
    Options,
    Resign,
    Result,
    Say,
)
from server import archive
from server.core.events import (
    KIND,
    Closed,
    Dealt,
    Ended,
    Event,
    Played,
    Readied,
    Rolled,
    Said,
    Started,
    Who,
    read_body,
    write_body,
)
from server.core.orders import Restarted
from server.core.room import Room
from server.core.session import Bucket
from server.runtime import Peer
from server.store.store import EventRow
from tests.server.core.score import (
    ANN,
    BOB,
    CAT,
    CODE,
    MATCH,
    PRIVATE,
    RATED,
    ROOM,
    Table,
    fresh,
    plain,
    ready,
    seated,
    started,
)

VOID = Result(winner=None, returns=(0.0, 0.0), how="void", reason="cannot be replayed")


def row(seq: int, event: Event, match: int | None = 1) -> EventRow:
    return EventRow(ROOM, seq, 1, KIND[type(event)], match, write_body(event))


def replayed(rows: Sequence[EventRow]) -> Room:
    found = archive.replay(rows)
    assert found is not None
    room, broken = found
    assert broken is None
    return room


def broken(rows: Sequence[EventRow], why: str) -> list[Event]:
    """What is written at last of a room whose log stops making sense."""
    found = archive.replay(rows)
    assert found is not None
    room, said = found
    assert said is not None
    assert why in said
    work = archive.give_up(room, 99)
    assert (room.seq, work.room.seq) == (rows[-1].seq, rows[-1].seq + len(work.events))
    assert work.room.state == "closed"
    assert work.effects == []
    return work.events


def three_matches() -> Table:
    """Ann and bob are in their third match, with dice."""
    table = started("pebbles")
    for number in (1, 2):
        table.at(0, table.mover(), table.play(table.match.position.legal_notation()[0]))
        table.at(0, ANN, Resign(match=f"{ROOM}.{number}"))
        table.at(0, ANN, ready())
        table.at(0, BOB, ready())
    table.at(0, table.mover(), table.play(table.match.position.legal_notation()[0]))
    return table


# ---------------------------------------------------------------- folding


def test_a_room_comes_back_as_it_was() -> None:
    table = three_matches()
    assert plain(replayed(table.rows)) == plain(table.room)
    assert table.room.played == 3


def test_the_dice_of_the_match_that_is_on_come_back() -> None:
    table = three_matches()
    room = replayed(table.rows)
    assert room.match is not None
    assert room.match.deal == table.match.deal
    assert room.secret == table.room.secret


def test_matches_that_are_long_over_are_not_played_through() -> None:
    rows = three_matches().rows
    first = next(i for i, r in enumerate(rows) if r.kind == "play")
    rows[first] = row(rows[first].seq, Played(0, 2, 0, "nonsense", 0, 0))
    assert replayed(rows).played == 3


def test_the_last_match_is_played_through_though_it_is_over() -> None:
    table = started()
    table.plays("1", "4", "2", "5", "3")
    room = replayed(table.rows)
    assert room.match is not None
    assert room.match.game.format_position(room.match.position) == "xxx/oo1/3 o"
    assert len(room.match.recent) == 5


def test_a_room_that_was_away_for_a_while_goes_on() -> None:
    now = 10**9
    table = started(options=RATED)
    table.plays("1")
    table.room = replayed(table.rows)
    table.at(now, None, Restarted())
    table.at(now + 5, BOB, table.play("5"))
    assert table.kinds() == ["play"]


# ---------------------------------------------------------------- logs that make no sense


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [EventRow(ROOM, 1, 1, "created", None, b"\xc1")],
        [EventRow(ROOM, 1, 1, "conjured", None, b"\x91\x00")],
        [row(1, Closed(0, "why not"), None)],
    ],
)
def test_a_room_without_its_beginning_is_not_read(rows: list[EventRow]) -> None:
    assert archive.replay(rows) is None


def test_a_match_of_a_game_that_is_gone_is_void() -> None:
    table = started()
    start = next(i for i, r in enumerate(table.rows) if r.kind == "started")
    event = read_body("started", table.rows[start].body)
    assert isinstance(event, Started)
    table.rows[start] = row(table.rows[start].seq, replace(event, game="go"))
    events = broken(table.rows, "seq 6 cannot be replayed: no game is called 'go'")
    assert events == [Ended(99, VOID), Closed(99, "its match cannot be replayed")]


def test_a_match_of_another_version_of_the_rules_is_void() -> None:
    table = started()
    event = read_body("started", table.rows[5].body)
    assert isinstance(event, Started)
    table.rows[5] = row(6, replace(event, rules_version=2))
    events = broken(table.rows, "tic_tac_toe was rules version 2, is 1")
    assert events == [Ended(99, VOID), Closed(99, "its match cannot be replayed")]


def _twice(rows: list[EventRow]) -> None:
    rows[7] = rows[6]


def _gap(rows: list[EventRow]) -> None:
    del rows[6]


def _garbage(rows: list[EventRow]) -> None:
    rows[7] = rows[7]._replace(body=rows[7].body[:-3])


def _unknown(rows: list[EventRow]) -> None:
    rows[7] = rows[7]._replace(kind="dance")


def _illegal(rows: list[EventRow]) -> None:
    rows[7] = row(8, Played(0, 1, 1, "1", 0, 0))


def _nonsense(rows: list[EventRow]) -> None:
    rows[7] = row(8, Played(0, 1, 1, "e4", 0, 0))


def _wrong_seat(rows: list[EventRow]) -> None:
    rows[7] = row(8, Played(0, 1, 0, "5", 0, 0))


def _wrong_ply(rows: list[EventRow]) -> None:
    rows[7] = row(8, Played(0, 2, 1, "5", 0, 0))


def _a_roll(rows: list[EventRow]) -> None:
    rows[7] = row(8, Rolled(0, 1, "5"))


def _created_again(rows: list[EventRow]) -> None:
    rows[7] = rows[0]._replace(seq=8)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (_twice, "it follows seq 7"),
        (_gap, "it follows seq 6"),
        (_garbage, "play: "),
        (_unknown, "no event is called 'dance'"),
        (_illegal, "is not legal in"),
        (_nonsense, "'e4'"),
        (_wrong_seat, "ply 1 by seat 0 is not the next"),
        (_wrong_ply, "ply 2 by seat 1 is not the next"),
        (_a_roll, "ply 1 by seat -1 is not the next"),
        (_created_again, "created once"),
    ],
)
def test_a_match_whose_log_is_damaged_is_void(
    damage: Callable[[list[EventRow]], None], why: str
) -> None:
    table = started()
    table.plays("1", "2", "3")
    damage(table.rows)
    events = broken(table.rows, why)
    assert events == [Ended(99, VOID), Closed(99, "its match cannot be replayed")]


def test_a_match_that_is_over_does_not_end_twice() -> None:
    table = started()
    table.plays("1", "4", "2", "5", "3")
    _illegal(table.rows)
    assert broken(table.rows, "seq 8") == [Closed(99, "its match cannot be replayed")]


def test_an_action_without_a_match_closes_the_room() -> None:
    table = seated()
    rows = [*table.rows, row(4, Played(0, 0, 0, "1", 0, 0))]
    assert broken(rows, "no match is on") == [Closed(99, "its match cannot be replayed")]


def test_what_is_given_up_counts_its_matches() -> None:
    table = three_matches()
    last = table.rows[-1]
    table.rows[-1] = last._replace(body=b"\x90")
    found = archive.replay(table.rows)
    assert found is not None
    assert (found[0].played, found[0].state) == (3, "playing")
    assert archive.give_up(found[0], 0).room.played == 3


# ---------------------------------------------------------------- history


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
        self, room: int, since: int, limit: int, done: Callable[[list[EventRow] | None], None]
    ) -> None:
        if self.rows is None:
            done(None)
            return
        done([r for r in self.rows if r.room == room and r.seq > since][:limit])

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"history does not {name}")


def asked(
    rows: Sequence[EventRow] | None,
    who: Who = ANN,
    room: Room | None = None,
    since: int = 0,
    code: str | None = None,
    page: int = 200,
) -> Any:
    """The answer to `history`; `room`: the room if it is open."""
    line = Line()
    peer = Peer(line, Bucket(1, 0))
    peer.who = who
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


def test_a_private_one_is_for_who_was_there_or_knows_its_code() -> None:
    rows = closed(PRIVATE).rows
    for who, code in ((ANN, None), (BOB, None), (CAT, CODE), (CAT, CODE.lower())):
        assert told(asked(rows, who=who, code=code)).events[-1].kind == "closed"
    for code in (None, "AAAAAA"):
        assert refused(asked(rows, who=CAT, code=code)) == Code.ROOM_WRONG_CODE


def test_its_host_may_read_it_though_it_never_sat_there() -> None:
    table = Table(options=PRIVATE, seat=None, owner=CAT)
    assert told(asked(table.rows, who=CAT)).events[0].kind == "created"


def test_a_damaged_row_lets_nobody_in() -> None:
    rows = closed(PRIVATE).rows
    rows[2] = rows[2]._replace(body=b"\xc1")
    assert refused(asked(rows, who=BOB)) == Code.ROOM_WRONG_CODE
    assert told(asked(rows, who=ANN)).events


def test_all_kinds_of_all_games_are_told() -> None:
    for name in registry.names():
        table = started(name)
        table.at(0, table.mover(), table.play(table.match.position.legal_notation()[0]))
        assert len(told(asked(table.rows, room=table.room)).events) == len(table.rows)
