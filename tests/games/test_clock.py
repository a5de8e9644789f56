"""Clocks read like a score: who, when, and what is left."""

from __future__ import annotations

import pytest

from games.clock import LAG_PER_MATCH, LAG_PER_MOVE, Clock, each_move, fischer, untimed

MINUTE = 60_000


def running(clock: Clock, seat: int, now: int) -> Clock:
    """The clock of a seat to which the position was shown at `now`."""
    return clock.start(seat).shown(now)


def test_a_started_clock_stands_until_the_position_is_shown() -> None:
    clock = fischer(MINUTE).start(0)
    assert clock.left(0, now=1_000_000) == MINUTE
    assert clock.deadline(lag=0) is None
    assert not clock.fallen(now=10**12, lag=0)
    clock = clock.shown(now=1_000_000)
    assert clock.left(0, now=1_000_500) == MINUTE - 500
    assert clock.deadline(lag=0) == 1_000_000 + MINUTE
    assert clock.shown(now=1_030_000) == clock, "to be shown again does not give the time back"


def test_while_nobody_runs_nothing_changes() -> None:
    clock = fischer(MINUTE)
    assert clock.shown(now=5) == clock.press(spent=1_000, lag=0) == clock.stop(spent=9) == clock
    assert clock.start(None).shown(now=5).since is None
    assert clock.pause("pair", now=9_999).remaining == (MINUTE, MINUTE)
    assert untimed().start(0).shown(now=0).pause("pair", now=9_999).remaining == (0, 0)


def test_only_the_running_seat_loses_time() -> None:
    clock = running(fischer(MINUTE), 1, now=0)
    assert clock.left(0, now=9_000) == MINUTE
    assert clock.left(1, now=9_000) == MINUTE - 9_000
    assert (clock.spent(0, now=9_000), clock.spent(1, now=9_000)) == (0, 9_000)
    assert clock.left(1, now=-1_000) == MINUTE, "time never runs backwards"
    assert clock.left(1, now=2 * MINUTE) == 0, "nor below nothing"


def test_an_action_costs_what_it_took_and_earns_the_increment() -> None:
    clock = running(fischer(MINUTE, increment=2_000), 0, now=0).press(spent=7_000, lag=0)
    assert clock.remaining == (MINUTE - 7_000 + 2_000, MINUTE)
    assert clock.running is None
    clock = running(clock, 1, now=8_000).press(spent=500, lag=0)
    assert clock.remaining == (55_000, MINUTE + 1_500)


def test_an_action_at_the_deadline_is_in_time_and_one_later_is_not() -> None:
    clock = running(fischer(3_000, increment=1_000), 0, now=10_000)
    for lag in (0, 150):
        assert clock.deadline(lag=lag) == 13_000 + lag
        assert not clock.fallen(now=13_000 + lag, lag=lag)
        assert clock.fallen(now=13_001 + lag, lag=lag)
    assert clock.press(spent=3_000, lag=0).remaining[0] == 1_000, "just the increment is left"
    assert clock.press(spent=3_100, lag=clock.credit(0, lag=150)).remaining[0] == 1_050


def test_lag_is_forgiven_up_to_a_limit_an_action() -> None:
    clock = running(fischer(MINUTE), 1, now=0)
    assert clock.credit(1, lag=70) == 70
    assert clock.credit(1, lag=5_000) == LAG_PER_MOVE
    assert clock.credit(1, lag=-3) == 0
    assert clock.deadline(lag=5_000) == MINUTE + LAG_PER_MOVE
    pressed = clock.press(spent=1_000, lag=70)
    assert pressed.remaining[1] == MINUTE - 930
    assert pressed.lag_left == (LAG_PER_MATCH, LAG_PER_MATCH - 70)


def test_lag_is_forgiven_up_to_a_limit_a_match() -> None:
    clock = fischer(MINUTE)
    for turn in range(LAG_PER_MATCH // LAG_PER_MOVE):
        clock = running(clock, 0, now=turn * 1_000)
        clock = clock.press(spent=300, lag=clock.credit(0, lag=LAG_PER_MOVE))
    assert clock.lag_left == (0, LAG_PER_MATCH)
    assert clock.credit(0, lag=LAG_PER_MOVE) == 0
    assert clock.credit(1, lag=LAG_PER_MOVE) == LAG_PER_MOVE
    assert running(clock, 0, now=0).deadline(lag=100) == clock.remaining[0]


@pytest.mark.parametrize(
    ("clock", "a_match", "an_action"),
    [
        (fischer(10_000, 100), 500, 200),
        (fischer(3_000), 150, 150),
        (fischer(10 * MINUTE), LAG_PER_MATCH, LAG_PER_MOVE),
        (each_move(1_000), LAG_PER_MATCH, 50),
        (each_move(MINUTE), LAG_PER_MATCH, LAG_PER_MOVE),
        (untimed(), LAG_PER_MATCH, LAG_PER_MOVE),
    ],
)
def test_lag_is_forgiven_up_to_a_twentieth_of_the_clock(
    clock: Clock, a_match: int, an_action: int
) -> None:
    clock = clock.forgiving(is_ladder=False)
    assert clock.lag_left == (a_match, a_match)
    assert clock.credit(0, lag=5_000) == an_action
    assert clock.forgiving(is_ladder=True).credit(0, lag=5_000) == 0


def test_nobody_gains_time_by_lag() -> None:
    clock = running(fischer(MINUTE), 0, now=0).press(spent=30, lag=200)
    assert clock.remaining[0] == MINUTE
    assert clock.lag_left[0] == LAG_PER_MATCH - 30


def test_a_clock_for_each_move_starts_anew_every_time() -> None:
    clock = running(each_move(5_000), 0, now=0)
    assert clock.deadline(lag=0) == 5_000
    clock = clock.press(spent=4_900, lag=0)
    assert clock.remaining == (5_000, 5_000)
    assert running(clock, 1, now=5_000).fallen(now=10_001, lag=0)


def test_an_untimed_clock_measures_and_never_falls() -> None:
    clock = running(untimed(), 0, now=1_000)
    assert clock.spent(0, now=61_000) == MINUTE
    assert clock.deadline(lag=0) is None
    assert not clock.fallen(now=10**12, lag=0)
    for lag in (0, 200):
        assert clock.press(spent=100, lag=lag).remaining == (0, 0)


def test_a_pause_charges_what_was_used_and_forgives_what_follows() -> None:
    clock = running(fischer(MINUTE), 0, now=0).pause("store", now=4_000)
    assert clock.paused == "store"
    assert clock.left(0, now=4_000) == MINUTE - 4_000
    assert clock.left(0, now=500_000) == MINUTE - 4_000
    assert not clock.fallen(now=500_000, lag=0)
    clock = clock.resume().shown(now=600_000)
    assert clock.left(0, now=601_000) == MINUTE - 5_000
    assert clock.deadline(lag=0) == 600_000 + MINUTE - 4_000
    assert clock.press(clock.spent(0, now=601_000), lag=0).remaining == (MINUTE - 5_000, MINUTE)


def test_a_pause_does_not_lift_a_flag_that_fell_before_it() -> None:
    clock = running(fischer(MINUTE), 0, now=0)
    for paused, late in ((clock.pause("store", MINUTE), 0), (clock.pause("store", MINUTE + 9), 9)):
        assert paused.fallen(now=9 * MINUTE, lag=0) == (late > 0)
        assert paused.resume().fallen(now=9 * MINUTE, lag=0) == (late > 0)
        assert not paused.fallen(now=9 * MINUTE, lag=9)


def test_a_second_pause_adds_up_until_the_turn_begins_anew() -> None:
    clock = running(fischer(MINUTE), 0, now=0).pause("store", now=4_000)
    assert clock.start(1) == fischer(MINUTE).start(1)
    assert clock.pause("server", now=9_000).spent(0, now=10_000) == 4_000
    clock = clock.resume().shown(now=10_000).pause("store", now=11_000)
    assert clock.spent(0, now=99_000) == 5_000


def test_the_end_charges_the_running_seat_and_adds_nothing() -> None:
    clock = running(fischer(MINUTE, increment=2_000), 1, now=0)
    assert clock.stop(spent=7_000).remaining == (MINUTE, MINUTE - 7_000)
    assert clock.stop(spent=MINUTE + 1).remaining == (MINUTE, 0)
    assert clock.stop(spent=0).running is None
    paused = clock.pause("server")
    assert (paused.remaining, paused.running) == ((MINUTE, MINUTE), 1), "all of it is forgiven"


def test_a_paused_clock_starts_by_an_action_and_not_by_being_shown() -> None:
    clock = fischer(MINUTE).start(0).pause("pair")
    assert clock.shown(now=7) == clock
    assert clock.resume().shown(now=7).since == 7
    assert clock.resume().paused is None
    pressed = running(fischer(MINUTE), 0, now=0).pause("server", now=1_000).press(spent=0, lag=0)
    assert pressed.paused is None
    assert pressed.start(1).shown(now=9_000).running == 1


@pytest.mark.parametrize(
    ("clock", "suggested"),
    [
        (fischer(MINUTE), 2_000),
        (fischer(MINUTE, increment=1_000), 2_800),
        (fischer(300, increment=1_000), 200),
        (fischer(50), 1),
        (each_move(5_000), 4_500),
        (each_move(500), 400),
    ],
)
def test_the_suggested_time_leaves_a_tenth_of_a_second(clock: Clock, suggested: int) -> None:
    assert clock.suggested(0) == suggested
    assert clock.suggested(1) == suggested


def test_a_game_of_three_minutes_is_kept_to_the_millisecond() -> None:
    clock, now = fischer(3 * MINUTE, increment=1_000), 0
    for seat, thought in ((0, 2_500), (1, 400), (0, 61_000), (1, 0), (0, 100_000)):
        clock = running(clock, seat, now)
        now += thought
        clock = clock.press(clock.spent(seat, now), lag=0)
    assert clock.remaining == (180_000 - 163_500 + 3_000, 180_000 - 400 + 2_000)
