"""Rooms folded anew from the log, broken logs, and history for who may see it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.messages import Resign
from protocol.parts import Result
from server.core import events
from server.core.effects import SHOW_ROOM
from server.core.orders import Restarted
from server.core.room import Room
from server.rooms import replay
from server.store.contract import EventRow
from tests.server.core import score

VOID = Result(winner=None, returns=(0.0, 0.0), how="void", reason="cannot be replayed")
CLOSED = events.Closed(99, "its match cannot be replayed")
Damage = Callable[[list[EventRow]], list[EventRow]]


def row(seq: int, event: events.Event, match: int | None = 1) -> EventRow:
    return EventRow(score.ROOM, seq, 1, event.kind, match, events.write_body(event))


def replayed(rows: Sequence[EventRow]) -> Room:
    found = replay.replay(rows)
    assert found is not None
    room, broken, *_ = found
    assert broken is None
    return room


def broken(rows: Sequence[EventRow], why: str) -> list[events.Event]:
    """What is written at last of a room whose log stops making sense."""
    found = replay.replay(rows)
    assert found is not None
    room, said, *_ = found
    assert said is not None
    assert why in said
    work = replay.give_up(room, 99)
    assert (room.seq, work.room.seq) == (rows[-1].seq, rows[-1].seq + len(work.events))
    assert work.room.state == "closed"
    assert SHOW_ROOM in work.effects
    return work.events


def three_matches() -> score.Table:
    """Ann and bob are in their third match, with dice."""
    table = score.started("pebbles")
    for number in (1, 2):
        table.at(0, table.mover(), table.play(table.match.position.legal_notation()[0]))
        table.at(0, score.ANN, Resign(match=f"{score.ROOM}.{number}"))
        table.at(0, score.ANN, score.ready())
        table.at(0, score.BOB, score.ready())
    table.at(0, table.mover(), table.play(table.match.position.legal_notation()[0]))
    return table


def test_a_room_comes_back_as_it_was_with_its_dice() -> None:
    table = three_matches()
    room = replayed(table.rows)
    assert score.plain(room) == score.plain(table.room)
    assert table.room.played == 3
    assert room.match is not None
    assert room.match.deal == table.match.deal
    assert room.secret == table.room.secret


def test_matches_that_are_long_over_are_not_played_through() -> None:
    rows = three_matches().rows
    first = next(i for i, r in enumerate(rows) if r.kind == "play")
    rows[first] = row(rows[first].seq, events.Played(0, 2, 0, "nonsense", 0, 0))
    assert replayed(rows).played == 3


def test_the_last_match_is_played_through_though_it_is_over() -> None:
    table = score.started()
    table.plays("1", "4", "2", "5", "3")
    room = replayed(table.rows)
    assert room.match is not None
    assert room.match.game.format_position(room.match.position) == "xxx/oo1/3 o"
    assert len(room.match.recent) == 5


def test_a_room_that_was_away_for_a_while_goes_on() -> None:
    now = 10**9
    table = score.started(options=score.RATED)
    table.plays("1")
    table.room = replayed(table.rows)
    table.at(now, None, Restarted())
    table.at(now + 5, score.BOB, table.play("5"))
    assert table.kinds() == ["play"]


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [EventRow(score.ROOM, 1, 1, "created", None, b"\xc1")],
        [EventRow(score.ROOM, 1, 1, "conjured", None, b"\x91\x00")],
        [row(1, events.Closed(0, "why not"), None)],
    ],
)
def test_a_room_without_its_beginning_is_not_read(rows: list[EventRow]) -> None:
    assert replay.replay(rows) is None


def started_with(**change: Any) -> Damage:
    """The log with another `started`."""

    def damage(rows: list[EventRow]) -> list[EventRow]:
        event = events.read_body("started", rows[5].body)
        assert isinstance(event, events.Started)
        return [*rows[:5], row(6, replace(event, **change)), *rows[6:]]

    return damage


def eighth(event: events.Event) -> Damage:
    """The log with another eighth event, bob's first action."""
    return lambda rows: [*rows[:7], row(8, event), *rows[8:]]


ILLEGAL = events.Played(0, 1, 1, "1", 0, 0)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda rows: [*rows[:7], rows[6], *rows[8:]], "it follows seq 7"),
        (lambda rows: [*rows[:6], *rows[7:]], "it follows seq 6"),
        (lambda rows: [*rows[:7], rows[7]._replace(body=rows[7].body[:-3]), *rows[8:]], "play: "),
        (lambda rows: [*rows[:7], rows[7]._replace(kind="dance"), *rows[8:]], "called 'dance'"),
        (lambda rows: [*rows[:7], rows[0]._replace(seq=8), *rows[8:]], "created once"),
        (eighth(ILLEGAL), "is not legal in"),
        (eighth(events.Played(0, 1, 1, "e4", 0, 0)), "'e4'"),
        (eighth(events.Played(0, 1, 0, "5", 0, 0)), "ply 1 by seat 0 is not"),
        (eighth(events.Played(0, 2, 1, "5", 0, 0)), "ply 2 by seat 1 is not"),
        (eighth(events.DiceRolled(0, 1, "5")), "ply 1 by seat -1 is not"),
        (started_with(game="go"), "seq 6 cannot be replayed: no game is called 'go'"),
        (started_with(rules_version=2), "tic_tac_toe was rules version 2, and here is 1"),
    ],
    ids=["twice", "gap", "garbage", "unknown", "created again", "illegal", "nonsense", "wrong seat",
         "wrong ply", "a roll", "a game that is gone", "another version of the rules"],
)  # fmt: skip
def test_a_match_whose_log_is_damaged_is_void(damage: Damage, why: str) -> None:
    table = score.started()
    table.plays("1", "2", "3")
    assert broken(damage(table.rows), why) == [events.Ended(99, VOID), CLOSED]


def test_where_no_match_is_on_the_room_is_closed_alone() -> None:
    table = score.seated()
    rows = [*table.rows, row(4, events.Played(0, 0, 0, "1", 0, 0))]
    assert broken(rows, "no match is on") == [CLOSED]
    table = score.started()
    table.plays("1", "4", "2", "5", "3")
    assert broken(eighth(ILLEGAL)(table.rows), "seq 8") == [CLOSED]


def test_what_is_given_up_counts_its_matches() -> None:
    table = three_matches()
    last = table.rows[-1]
    table.rows[-1] = last._replace(body=b"\x90")
    found = replay.replay(table.rows)
    assert found is not None
    assert (found[0].played, found[0].state) == (3, "playing")
    assert replay.give_up(found[0], 0).room.played == 3


def test_in_a_log_of_an_earlier_server_a_match_that_was_called_off_has_the_dice_of_then() -> None:
    table = score.started("pebbles")
    secret, players = bytes(32), (score.BOB, score.ANN)
    old = [
        events.Ended(1, Result(winner=None, returns=(0.0, 0.0), how="abort", reason="abort")),
        events.Dealt(1, "17.2", secret),
        events.Readied(2, 0, "aa"),
        events.Readied(2, 1, "bb"),
        events.Started(2, "pebbles", 1, table.room.options, players, "17.2", ("bb", "aa")),
    ]
    matches = (1, 2, None, None, 2)
    rows = [
        row(seq, event, match)
        for seq, (event, match) in enumerate(zip(old, matches, strict=True), table.room.seq + 1)
    ]
    match = replayed([*table.rows, *rows[:2]]).match
    assert match is not None
    assert not match.withheld
    room = replayed([*table.rows, *rows])
    assert room.match is not None
    assert room.match.deal is not None
    assert (room.match.deal.name, room.match.deal.secret) == ("17.2", secret)
    assert (room.match.players, room.match.deal.salts) == (players, ("bb", "aa"))
