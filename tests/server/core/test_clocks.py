"""Time: whose it is, when a flag falls, lag, pauses; all of it to the millisecond."""

from __future__ import annotations

import pytest

from protocol.errors import Code
from protocol.messages import Error, Play, Resign, Say
from protocol.parts import Clocks, Result
from server.core import life, playing
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Reply, Resend
from server.core.events import Ended, Played, Who
from server.core.orders import (
    Alarm,
    Disconnected,
    Reconnected,
    Restarted,
    Stalled,
    Stepped,
    Unstalled,
)
from server.core.room import Asker, Work
from tests.server.core.cast import ANN, BLITZ, BOB, CAT, HOUR, MATCH, MINUTE, PER_MOVE, ROOM
from tests.server.core.score import Table, answer, finished, fresh, offer, ready, seated, started


@pytest.fixture
def table() -> Table:
    """A blitz match that has just begun."""
    return started(options=BLITZ)


FLAG = Result(winner=1, returns=(-1.0, 1.0), how="flag", reason="flag")


def left(table: Table, now: int) -> tuple[int, int]:
    """Time that both seats are shown to have."""
    clocks = table.seen(now).clocks
    assert clocks is not None
    return clocks.remaining


def test_time_passes_from_when_the_position_was_shown_and_stands_before(table: Table) -> None:
    assert table.seen(1_500).clocks == Clocks(
        remaining=(58_500, 60_000), increment_ms=2_000, running=0, suggested_ms=3_600
    )
    table = seated(options=BLITZ)
    table.at(0, ANN, ready())
    room, _, _ = life.handle(table.room, ready(), Asker(BOB), 0, fresh())
    assert playing.wake_at(room) is None
    assert not playing.flag(Work(room, Asker(CAT), 10 * MINUTE, fresh()))
    room = playing.shown(room, turn=5, now=7)  # an older turn: nothing
    assert playing.wake_at(room) is None
    room = playing.shown(room, turn=6, now=9)
    assert playing.shown(room, turn=6, now=50) is room
    assert playing.wake_at(room) == 9 + MINUTE + 201


def test_a_room_without_a_match_shows_nothing_and_one_without_a_clock_measures_and_waits() -> None:
    table = seated()
    assert playing.shown(table.room, turn=3, now=1) is table.room
    table = started()
    assert table.seen(0).clocks is None
    assert table.at(9 * HOUR, ANN, table.play("5"), lag=100) == [
        Played(9 * HOUR, 0, 0, "5", 9 * HOUR, 0)
    ]


def test_an_action_costs_what_it_took_and_earns_the_increment_once(table: Table) -> None:
    assert table.at(7_000, ANN, table.play("5")) == [Played(7_000, 0, 0, "5", 7_000, 0)]
    assert left(table, 7_000) == (55_000, 60_000)
    table.at(10_500, BOB, table.play("1"))
    assert left(table, 10_500) == (55_000, 58_500)
    table.at(12_500, BOB, table.play("1", turn=7))
    assert table.effects == [Resend()]
    assert left(table, 12_500) == (53_000, 58_500)


def test_a_clock_for_each_action_starts_anew() -> None:
    table = started(options=PER_MOVE)
    table.at(4_900, ANN, table.play("5"))
    clocks = table.seen(5_900).clocks
    assert clocks == Clocks(remaining=(5_000, 4_000), per_move_ms=5_000, running=1,
                            suggested_ms=4_500)  # fmt: skip


def test_an_action_at_the_deadline_is_in_time(table: Table) -> None:
    assert table.at(MINUTE, ANN, table.play("5")) == [Played(MINUTE, 0, 0, "5", MINUTE, 0)]
    assert left(table, MINUTE) == (2_000, MINUTE)


def test_a_flag_falls_before_the_action_is_looked_at(table: Table) -> None:
    nonsense = Play(match=MATCH, turn=99, action="nonsense")
    assert table.at(MINUTE + 1, ANN, nonsense) == [Ended(MINUTE + 1, FLAG, MINUTE + 1)]
    over = Reply(Error(code=Code.MATCH_OVER, text="this match is over"))
    assert table.effects == [SHOW_MATCH, SHOW_ROOM, over]


def test_a_flag_is_found_by_the_alarm(table: Table) -> None:
    due = playing.wake_at(table.room)
    assert due == MINUTE + 201  # all the lag that might be forgiven has passed
    assert table.at(due - 1, None, Alarm()) == []
    assert table.at(due, None, Alarm()) == [Ended(due, FLAG, due)]
    assert table.effects == [SHOW_MATCH, SHOW_ROOM]
    assert table.room.score == (0.0, 1.0)


def test_what_is_left_at_the_end_is_shown_and_who_lost_on_time_has_none(table: Table) -> None:
    table.at(2 * MINUTE, None, Alarm())
    clocks = table.seen(3 * MINUTE).clocks
    assert clocks == Clocks(remaining=(0, MINUTE), increment_ms=2_000)
    table = started(options=BLITZ)
    table.at(10_000, BOB, Resign(match=MATCH))
    assert left(table, MINUTE) == (50_000, MINUTE)
    table = started(options=BLITZ)
    table.plays("1", "4", "2", "5", "3", now=1_000)
    assert left(table, HOUR) == left(table, 1_000)
    assert table.seen(HOUR).clocks == Clocks(remaining=(65_000, 64_000), increment_ms=2_000)


def test_lag_is_forgiven_and_moves_the_deadline_of_who_has_it(table: Table) -> None:
    assert table.at(1_000, ANN, table.play("5"), lag=150) == [Played(1_000, 0, 0, "5", 1_000, 150)]
    assert left(table, 1_000) == (MINUTE - 850 + 2_000, MINUTE)
    table = started(options=BLITZ)
    table.at(MINUTE + 150, ANN, table.play("5"), lag=150)
    assert table.kinds() == ["play"]
    assert left(table, MINUTE + 150) == (2_000, MINUTE)
    table = started(options=BLITZ)
    table.at(MINUTE + 151, ANN, table.play("5"), lag=150)
    assert table.kinds() == ["ended"]
    table = started(options=BLITZ)
    table.at(MINUTE + 100, BOB, Say(room=ROOM, text="time!"), lag=0)
    table.at(MINUTE + 150, ANN, table.play("5"), lag=200)
    assert table.kinds() == ["play"]


@pytest.mark.parametrize(("spent", "lag", "forgiven"), [(90, 150, 90), (900, 3_000, 200)])
def test_lag_is_never_more_than_the_time_spent_or_a_fifth_of_a_second(
    spent: int, lag: int, forgiven: int, table: Table
) -> None:
    (played,) = table.at(spent, ANN, table.play("5"), lag=lag)
    assert isinstance(played, Played)
    assert played.lag == forgiven


def test_lag_is_forgiven_up_to_a_twentieth_of_the_clock_a_match() -> None:
    table = started("connect_four", options=BLITZ)
    now, forgiven = 0, [0, 0]
    for column in "1234567" * 5 + "12":
        now += 500
        (played,) = table.at(now, table.mover(), table.play(column), lag=200)[:1]
        assert isinstance(played, Played)
        forgiven[played.seat] += played.lag
        if table.room.state != "playing":
            break
    assert table.match.clock.lag_left == (3_000 - forgiven[0], 3_000 - forgiven[1])


def restarted(now: int = HOUR) -> Table:
    """A blitz match in which ann has thought for 20 s when the server stops; it starts at `now`."""
    table = started(options=BLITZ)
    table.at(5_000, ANN, table.play("5"))
    table.at(9_000, BOB, table.play("1"))
    table.room = table.stored  # what stands in the log
    table.at(now, None, Restarted())
    return table


def test_after_a_restart_a_clock_stands_and_says_why_until_its_player_is_back() -> None:
    table = restarted()
    assert table.seen(2 * HOUR).clocks == Clocks(
        remaining=(57_000, 58_000), increment_ms=2_000, running=0, paused="server",
        suggested_ms=3_500,
    )  # fmt: skip
    assert table.room.away == (HOUR, HOUR)
    table.at(HOUR + 5_000, BOB, Reconnected())
    assert table.effects == [SHOW_ROOM]
    assert left(table, HOUR + 9_000) == (57_000, 58_000)
    table.at(HOUR + 10_000, ANN, Reconnected())
    assert table.effects == [SHOW_ROOM, SHOW_MATCH]
    assert left(table, HOUR + 11_000) == (56_000, 58_000)


def test_or_after_half_a_minute_with_a_clock_or_without() -> None:
    table = restarted()
    assert playing.wake_at(table.room) == HOUR + 30_000
    assert table.at(HOUR + 29_999, None, Alarm()) == []
    assert left(table, HOUR + 29_999) == (57_000, 58_000)
    table.at(HOUR + 30_000, None, Alarm())
    assert table.effects == [SHOW_MATCH]
    assert left(table, HOUR + 31_000) == (56_000, 58_000)
    assert playing.wake_at(table.room) == HOUR + 30_000 + 57_000 + 201
    table = started()
    table.at(HOUR, None, Restarted())
    assert playing.wake_at(table.room) == HOUR + 30_000
    table.at(HOUR + 30_000, None, Alarm())
    assert table.match.clock.paused is None


def test_an_action_ends_the_pause_and_costs_nothing() -> None:
    table = restarted()
    table.at(HOUR + 10_000, ANN, table.play("9"))
    assert left(table, HOUR + 10_000) == (59_000, 58_000)
    assert table.seen(HOUR + 11_000).clocks == Clocks(
        remaining=(59_000, 57_000), increment_ms=2_000, running=1, suggested_ms=3_533
    )


def test_the_end_ends_the_pause_and_a_second_look_does_not() -> None:
    table = restarted()
    table.room = playing.shown(table.room, table.match.turn, HOUR + 1)
    assert left(table, HOUR + 20_000) == (57_000, 58_000)
    table.at(HOUR, BOB, Resign(match=MATCH))
    assert table.seen(HOUR).clocks == Clocks(remaining=(57_000, 58_000), increment_ms=2_000)


def test_a_takeback_ends_a_pause_and_does_not_go_back_to_one() -> None:
    table = restarted()
    table.at(HOUR, ANN, offer("takeback"))
    table.at(HOUR + 1_000, BOB, answer("takeback", True))
    assert table.seen(HOUR + 2_000).clocks == Clocks(
        remaining=(59_000, 60_000), increment_ms=2_000, running=0, suggested_ms=3_600
    )
    table = restarted()
    table.at(HOUR + 1_000, ANN, table.play("9"))
    table.at(HOUR + 1_000, ANN, offer("takeback"))
    table.at(HOUR + 2_000, BOB, answer("takeback", True))
    clocks = table.seen(HOUR + 3_000).clocks
    assert clocks is not None
    assert (clocks.paused, clocks.remaining) == (None, (56_000, 58_000))


def test_between_matches_neither_a_restart_nor_a_failing_log_stops_a_clock() -> None:
    table = finished(BLITZ)
    table.at(HOUR, None, Restarted())
    assert table.match.clock.paused is None
    table.at(HOUR, ANN, Reconnected())
    assert table.effects == [SHOW_ROOM]
    table.at(HOUR, None, Stalled())
    table.at(HOUR, None, Unstalled())
    assert table.effects == []


def test_a_log_that_fails_stops_the_clock_and_it_goes_on_from_there(table: Table) -> None:
    assert table.at(10_000, None, Stalled()) == []
    assert table.effects == [SHOW_MATCH]
    assert table.seen(40_000).clocks == Clocks(
        remaining=(50_000, 60_000), increment_ms=2_000, running=0, paused="store",
        suggested_ms=3_600,
    )  # fmt: skip
    assert playing.wake_at(table.room) is None
    table.at(45_000, None, Stalled())
    assert table.effects == []
    table.at(HOUR, None, Unstalled())
    assert table.effects == [SHOW_MATCH]
    assert playing.wake_at(table.room) == HOUR + 50_000 + 201
    assert table.at(HOUR + 1_000, ANN, table.play("5")) == [
        Played(HOUR + 1_000, 0, 0, "5", 11_000, 0)
    ]
    assert left(table, HOUR + 1_000) == (51_000, 60_000)


def test_an_action_that_is_stored_all_the_same_ends_the_pause(table: Table) -> None:
    table.at(10_000, None, Stalled())
    assert table.at(HOUR, ANN, table.play("5")) == [Played(HOUR, 0, 0, "5", 10_000, 0)]
    table.at(HOUR + 1, None, Unstalled())
    assert table.effects == []


@pytest.mark.parametrize("who", [None, ANN], ids=["the log works again", "an action comes"])
def test_a_flag_that_could_not_be_stored_falls_when(who: Who | None, table: Table) -> None:
    assert table.at(MINUTE + 300, None, Stalled()) == []
    assert left(table, HOUR) == (0, MINUTE)
    message = table.play("5") if who else Unstalled()
    assert table.at(HOUR, who, message) == [Ended(HOUR, FLAG, MINUTE + 300)]


def test_a_step_of_the_time_is_charged_to_nobody_and_lets_no_flag_fall(table: Table) -> None:
    assert table.at(HOUR, None, Stepped(HOUR - 10_000)) == []
    assert table.effects == [SHOW_MATCH]
    assert left(table, HOUR) == (50_000, 60_000)
    assert playing.wake_at(table.room) == HOUR + 50_000 + 201
    assert table.at(HOUR + 1_000, ANN, table.play("5")) == [
        Played(HOUR + 1_000, 0, 0, "5", 11_000, 0)
    ]
    table.at(2 * HOUR, None, Stepped(2 * HOUR))  # more than bob has had the turn
    assert left(table, 2 * HOUR) == (51_000, 60_000)


def test_nobody_has_been_away_nor_a_room_without_anybody_for_the_time_of_a_step() -> None:
    table = started()
    table.at(0, BOB, Disconnected())
    table.at(HOUR, None, Stepped(HOUR - 1_000))
    assert table.effects == []
    assert table.room.away == (None, HOUR - 1_000)
    table = restarted()
    table.at(2 * HOUR, None, Stepped(HOUR))
    assert (table.room.away, table.room.empty_since) == ((2 * HOUR, 2 * HOUR), 2 * HOUR)
    assert playing.wake_at(table.room) == 2 * HOUR + 30_000
    table = finished()
    table.at(HOUR, None, Stepped(HOUR))
    assert (table.room.touched, table.room.over_at) == (HOUR, HOUR)


def test_a_restart_during_the_pause_of_a_restart_changes_nothing() -> None:
    table = restarted()
    table.at(HOUR + 1, None, Stalled())
    assert table.effects == []
    table.at(HOUR + 2, None, Unstalled())
    assert (table.effects, table.match.clock.paused) == ([], "server")


@pytest.mark.parametrize(("moves", "hours"), [("", 24), ("1 2 3", 24), ("1 2 3 4", 720)])
def test_a_match_that_both_have_left_is_void_after_days_unless_it_has_a_clock(
    moves: str, hours: int
) -> None:
    table = started()
    table.plays(*moves.split())
    table.at(1 * HOUR, ANN, Disconnected())
    assert playing.wake_at(table.room) is None
    table.at(2 * HOUR, BOB, Disconnected())
    due = playing.wake_at(table.room)
    assert due == (2 + hours) * HOUR
    assert table.at(due - 1, None, Alarm()) == []
    void = Result(winner=None, returns=(0.0, 0.0), how="void", reason="both players left")
    assert table.at(due, None, Alarm()) == [Ended(due, void, due)]
    assert table.room.score == (0.0, 0.0)
    assert playing.wake_at(table.room) == due + playing.REMATCH_MS
    table = started(options=BLITZ)
    table.at(0, ANN, Disconnected())
    table.at(0, BOB, Disconnected())
    assert playing.wake_at(table.room) == MINUTE + 201
