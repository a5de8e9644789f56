"""Rooms folded anew from the log, broken logs, and history for who may see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from msgspec.structs import replace

from protocol.messages import (
    Resign,
    Result,
)
from server import archive
from server.core.events import (
    KIND,
    Closed,
    Ended,
    Event,
    Played,
    Rolled,
    Started,
    read_body,
    write_body,
)
from server.core.orders import Restarted
from server.core.room import Room
from server.store.store import EventRow
from tests.server.core.score import (
    ANN,
    BOB,
    RATED,
    ROOM,
    Table,
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
