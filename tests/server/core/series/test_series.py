"""A match to points: games of a room in a row, the score, the Crawford game, and how it can end."""

from __future__ import annotations

from typing import Any

import pytest

from games.game import CHANCE
from protocol import messages
from protocol.errors import Code, Refusal
from protocol.parts import ClockOptions, Options, Series
from server.core import orders, playing, seating
from server.core import room as rooms
from server.core.events import Ended, Started
from server.core.room import BREAK_MS, Asker
from tests.server.core.cast import ANN, BOB, CAT, CODE, HOUR, ROOM
from tests.server.core.score import Table, answer, fresh, offer, ready, started

CUBE = "backgammon_cube"
LATER = "-bA---D-C---eE---c-e----B-"


def to(points: int, **more: Any) -> Table:
    """A room where the first game of a series has begun: ann has seat 0, bob seat 1."""
    return started(CUBE, Options(points=points, **more))


def state(table: Table) -> Series:
    """Where the series stands."""
    assert table.room.series is not None
    assert rooms.state(table.room).series == table.room.series
    assert rooms.lobby_row(table.room).series == table.room.series
    return table.room.series


def loses(table: Table, seat: int, points: int, now: int = 0) -> None:
    """A player gives the game that is on up for so many points, at once or with consent."""
    who = (ANN, BOB)
    name = table.match.name
    table.at(now, who[seat], messages.Resign(match=name, points=points))
    if table.room.state == "playing":
        table.at(now, who[1 - seat], answer("resign", True, name))


def again(table: Table, now: int = 0) -> None:
    """Both go on."""
    table.at(now, ANN, ready())
    table.at(now, BOB, ready())


def test_games_follow_until_a_player_has_the_points() -> None:
    table = to(4)
    assert state(table) == Series(points=4)
    assert table.seen(0).series == Series(points=4)
    loses(table, 1, 2)
    assert state(table) == Series(points=4, score=(2, 0), game=2)
    assert table.seen(0).series == state(table)
    again(table)
    assert [who.name for who in table.match.players] == ["ann", "bob"], "nobody changes seats"
    assert table.seen(0).position.endswith(":2:0:0:4:10")
    loses(table, 0, 1)
    assert state(table) == Series(points=4, score=(2, 1), game=3)
    again(table)
    loses(table, 1, 2)
    assert state(table) == Series(points=4, score=(4, 1), game=3, winner=0)


def test_after_a_series_a_rematch_is_another_one_with_the_seats_changed() -> None:
    table = to(1)
    assert state(table).crawford
    loses(table, 1, 1)
    assert state(table).winner == 0
    again(table)
    assert [who.name for who in table.match.players] == ["bob", "ann"]
    assert state(table) == Series(points=1, crawford=True)


def test_the_crawford_game_is_the_first_at_which_a_player_lacks_one_point() -> None:
    table = to(3)
    loses(table, 1, 2)
    assert state(table) == Series(points=3, score=(2, 0), game=2, crawford=True)
    again(table)
    assert doubles(table) is False
    loses(table, 0, 1)
    assert state(table) == Series(points=3, score=(2, 1), game=3)
    again(table)
    assert doubles(table) is True


def doubles(table: Table) -> bool:
    """Whether somebody may double once the first turn is played."""
    position = table.match.position
    while position.to_move == CHANCE or position.legal_notation()[0] not in ("roll", "double"):
        position = position.apply(position.legal_actions()[0])
        if position.to_move == CHANCE:
            return False
    return "double" in position.legal_notation()


def test_the_cube_is_played_like_any_other_action() -> None:
    table = to(5)
    mover = table.mover()
    table.at(0, mover, table.play(table.match.position.legal_notation()[0]))
    other = table.mover()
    assert other != mover
    assert table.match.position.legal_notation() == ("roll", "double")
    table.at(10, other, table.play("double"))
    assert table.kinds() == ["play"]
    assert table.refuses(20, other, table.play("roll")).code == Code.MATCH_NOT_YOUR_TURN
    no = table.refuses(20, mover, table.play("roll"))
    assert no.code == Code.MATCH_ILLEGAL_ACTION
    assert "the double has to be answered first: take or drop" in no.text
    assert no.legal == ("take", "drop")
    table.at(30, mover, table.play("take"))
    assert table.kinds() == ["play", "roll"]
    table.at(40, other, table.play(table.match.position.legal_notation()[-1]))
    assert table.mover() == mover
    table.at(50, mover, table.play("redouble"))
    table.at(60, other, table.play("drop"))
    assert table.kinds()[:2] == ["play", "ended"]
    assert table.match.result is not None
    assert (table.match.result.how, table.match.result.reason) == ("rules", "drop")
    winner = 0 if mover == ANN else 1
    assert state(table).score[winner] == 2


def test_a_cube_action_out_of_turn_says_what_is_in_the_way() -> None:
    table = to(5)
    no = table.refuses(0, table.mover(), table.play("double"))
    assert no.code == Code.MATCH_ILLEGAL_ACTION
    assert "one doubles before the roll" in no.text
    assert "nobody has doubled" in table.refuses(0, table.mover(), table.play("take")).text


@pytest.mark.parametrize(
    ("game", "options", "why"),
    [
        (CUBE, Options(points=0), "1 point or more, not to 0"),
        (CUBE, Options(points=99), "a match is to 1 to 25 points, not to 99"),
        (CUBE, Options(points=5, jacoby=True), "the Jacoby rule: that is for games of money"),
        (CUBE, Options(start="longgammon"), "standard, nackgammon, hypergammon"),
        ("backgammon", Options(points=5), "Backgammon has one start, and no cube, points"),
        ("connect_four", Options(cube=False), "Connect four has one start"),
    ],
)
def test_terms_that_nobody_plays_by_are_refused(game: str, options: Options, why: str) -> None:
    request = messages.Create(game=game, options=options)
    with pytest.raises(Refusal) as no:
        seating.open_room(ROOM, request, Asker(ANN), 0, fresh())
    assert no.value.code == Code.LOBBY_BAD_OPTION
    assert why in no.value.text


def test_the_next_game_begins_by_itself_after_a_while() -> None:
    table = to(3)
    loses(table, 1, 1, now=5_000)
    due = playing.wake_at(table.room)
    assert due == 5_000 + BREAK_MS
    table.at(due - 1, None, orders.Alarm())
    assert table.events == []
    table.at(9_000, ANN, ready("00ff"))
    table.at(due, None, orders.Alarm())
    start = table.events[0]
    assert isinstance(start, Started)
    assert start.salts == ("00ff", "")
    assert start.series == Series(points=3, score=(1, 0), game=2)
    assert table.room.state == "playing"


def test_it_waits_for_a_player_who_is_away() -> None:
    table = to(3)
    loses(table, 1, 1, now=5_000)
    table.at(6_000, BOB, orders.Disconnected())
    table.at(6_000 + BREAK_MS, None, orders.Alarm())
    assert table.room.state == "waiting"
    table.at(90_000, BOB, orders.Reconnected())
    assert playing.wake_at(table.room) == 5_000 + BREAK_MS
    table.at(90_001, None, orders.Alarm())
    assert table.room.state == "playing"


def test_without_a_series_no_game_begins_by_itself() -> None:
    table = started(CUBE)
    assert table.room.series is None
    loses(table, 1, 1)
    assert rooms.next_game_at(table.room) is None
    again(table)
    assert [who.name for who in table.match.players] == ["bob", "ann"]


def test_who_leaves_between_two_games_gives_the_series_up() -> None:
    table = to(5)
    loses(table, 1, 2)
    table.at(0, ANN, messages.Leave(room=ROOM))
    assert state(table) == Series(points=5, score=(2, 0), game=2, winner=1, conceded=True)
    assert rooms.next_game_at(table.room) is None
    table.at(0, CAT, messages.Join(room=ROOM, code=CODE))
    table.at(0, CAT, ready())
    table.at(0, BOB, ready())
    assert state(table) == Series(points=5), "with somebody else it is another one"


def test_nobody_is_kicked_out_of_a_series() -> None:
    table = to(5)
    loses(table, 1, 2)
    no = table.refuses(0, ANN, messages.Kick(room=ROOM, seat=1))
    assert no.code == Code.ROOM_MATCH_ON


def test_a_game_that_was_called_off_is_played_once_more_with_the_same_number() -> None:
    table = to(3)
    loses(table, 1, 2)
    again(table)
    before = table.match.series
    table.at(0, ANN, messages.Abort(match=table.match.name))
    assert state(table) == before == Series(points=3, score=(2, 0), game=2, crawford=True)
    again(table)
    assert table.match.series == before


def test_no_draw_is_agreed_in_a_game_that_has_none() -> None:
    table = to(3)
    no = table.refuses(0, ANN, offer("draw", table.match.name))
    assert (no.code, table.match.offers) == (Code.MATCH_NOT_ALLOWED, ())
    assert state(table) == Series(points=3)


def test_a_flag_loses_the_game_for_its_full_price_and_not_the_series() -> None:
    table = to(7, clock=ClockOptions(base_ms=60_000, begin_ms=0))
    seat = table.match.position.to_move
    table.at(61_000, None, orders.Alarm())
    assert isinstance(table.events[0], Ended)
    assert table.match.result is not None
    assert table.match.result.how == "flag"
    assert state(table).score[1 - seat] == 3, "a checker stands in the other home"
    assert state(table).winner is None


def test_a_match_that_is_claimed_gives_the_series_to_who_was_there() -> None:
    table = to(7)
    table.at(0, BOB, orders.Disconnected())
    table.at(72 * HOUR, ANN, messages.Claim(match=table.match.name))
    assert state(table).winner == 0
    assert state(table).conceded


def test_the_resignations_that_are_offered_go_with_the_cube() -> None:
    table = to(7)
    table.put(f"XGID={LATER}:2:1:1:31:0:0:0:7:10")
    assert rooms.shown_resignations(table.room) == ((4, 8, 12), (4, 8, 12))
    no = table.refuses(0, ANN, messages.Resign(match=table.match.name, points=3))
    assert "to resign costs 4 or 8 or 12 here, not 3" in no.text


def test_a_series_is_the_fold_of_its_events() -> None:
    table = to(3)
    loses(table, 1, 2)
    again(table)
    loses(table, 0, 3)
    assert state(table).winner == 1
    assert table.stored.series == table.room.series
