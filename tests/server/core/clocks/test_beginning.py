"""Before each side has made its first decision no clock runs, and who is away is waited for."""

from __future__ import annotations

import pytest

from client.records.verify import verify
from games import clock as clocks
from protocol import messages as wire
from protocol.errors import Code
from protocol.parts import ClockOptions, Clocks, Options, Result
from protocol.records.record import MatchRecord
from server.core import absence, life, playing, room
from server.core.effects import SHOW_MATCH
from server.core.events import Dealt, Ended, Played, public, read_body
from server.core.orders import Alarm, Disconnected, Reconnected, Restarted
from server.core.room import Asker
from tests.server.core.cast import ANN, BOB, BOT, HOUR, MATCH, MINUTE, ROOM
from tests.server.core.score import Table, answer, fresh, offer, on_a_ladder, ready, seated, started

BEGIN = 40_000
FAST = Options(clock=ClockOptions(base_ms=MINUTE, increment_ms=1_000))
RATED = Options(clock=ClockOptions(base_ms=MINUTE), rated=True)
VOID = Result(winner=None, returns=(0.0, 0.0), how="void", reason="not begun in time")


def clocks_at(table: Table, now: int) -> Clocks:
    """What is shown of the clocks."""
    seen = table.seen(now).clocks
    assert seen is not None
    return seen


def judged(table: Table, number: int = 1) -> str | None:
    """What verify finds wrong in a match of the table."""
    name = f"{ROOM}.{number}"
    rows = [row for row in table.rows if row.match == number]
    events = [public(row.seq, name, read_body(row.kind, row.body), sealed=False) for row in rows]
    return verify(MatchRecord(name, tuple(events))).wrong


def not_begun(table: Table, at: int) -> None:
    """Nothing ends before `at`, and then the match is void and counts for no player."""
    table.at(at - 1, None, Alarm())
    assert table.events == []
    table.at(at, None, Alarm())
    assert isinstance(table.events[0], Ended)
    assert table.events[0].result == VOID
    assert table.room.score == (0.0, 0.0)
    assert judged(table, table.room.played) is None


def test_a_room_with_a_clock_has_forty_seconds_to_begin_or_what_its_owner_says() -> None:
    for each, begin in (
        (ClockOptions(base_ms=3 * MINUTE, increment_ms=2_000), BEGIN),
        (ClockOptions(base_ms=24 * HOUR), 72 * MINUTE),
        (ClockOptions(per_move_ms=5_000), BEGIN),
        (ClockOptions(per_move_ms=24 * HOUR), 24 * HOUR),
        (ClockOptions(base_ms=MINUTE, begin_ms=0), 0),
        (ClockOptions(base_ms=MINUTE, begin_ms=7_000), 7_000),
    ):
        clock = seated(options=Options(clock=each)).room.options.clock
        assert clock is not None
        assert clock.begin_ms == begin
    assert seated().room.options.clock is None


def test_the_first_decisions_cost_nothing_and_then_the_clocks_run() -> None:
    table = started(options=FAST)
    expected = Clocks(
        remaining=(60_000, 60_000), increment_ms=1_000, suggested_ms=2_800, begin_ms=31_000
    )
    assert clocks_at(table, 9_000) == expected
    assert playing.wake_at(table.room) == BEGIN
    assert table.at(39_000, ANN, table.play("5"), lag=90) == [Played(39_000, 0, 0, "5", 39_000, 0)]
    assert clocks_at(table, 40_000).begin_ms == 39_000
    table.at(41_000, BOB, table.play("1"))
    clock = clocks_at(table, 51_000)
    assert (clock.remaining, clock.running, clock.begin_ms) == ((51_000, 61_000), 0, None)
    table.at(51_000, ANN, table.play("2"))
    table.at(51_000 + 61_000 + 201, None, Alarm())
    assert table.match.result is not None
    assert table.match.result.how == "flag"
    assert judged(table) is None


def test_who_does_not_begin_in_time_has_not_lost_whichever_side_it_is() -> None:
    for moves in ((), ("5",)):
        table = started(options=FAST)
        table.plays(*moves)
        not_begun(table, BEGIN)
        assert table.room.state == "waiting"
        table.at(BEGIN, ANN, ready())
        table.at(BEGIN, BOB, ready())
        assert table.match.players == (ANN, BOB), "they keep their seats"
        table.at(3 * BEGIN, ANN, table.play("5"))
        assert table.events[0].kind == "play", "a play that the alarm has not overtaken counts"


def test_who_is_away_is_waited_for_and_then_has_the_whole_time_to_begin() -> None:
    table = seated(options=FAST)
    table.at(0, ANN, ready())
    table.at(0, ANN, Disconnected())
    table.at(0, BOB, ready())
    assert playing.wake_at(table.room) is None
    assert clocks_at(table, 9 * HOUR).begin_ms == BEGIN
    table.at(9 * HOUR, ANN, Reconnected())
    assert SHOW_MATCH in table.effects
    table.at(9 * HOUR + 30_000, ANN, Disconnected())
    assert SHOW_MATCH in table.effects, "all see who is waited for"
    assert playing.wake_at(table.room) is None
    table.at(10 * HOUR, ANN, Reconnected())
    table.at(10 * HOUR + 39_000, ANN, table.play("5"))
    table.at(10 * HOUR + 39_000, BOB, Disconnected())
    assert playing.wake_at(table.room) is None, "so it is for the other side"
    table.at(20 * HOUR, BOB, Reconnected())
    assert playing.wake_at(table.room) == 20 * HOUR + BEGIN
    table.at(20 * HOUR, BOB, table.play("1"))
    table.at(20 * HOUR + 9_000, ANN, Disconnected())
    assert playing.wake_at(table.room) == 20 * HOUR + 61_000 + 201, "a clock that runs goes on"
    table.at(21 * HOUR, None, Alarm())
    assert judged(table) is None


def test_one_who_is_waited_for_may_be_given_up_as_without_a_clock() -> None:
    table = started(options=FAST)
    table.at(0, BOB, Disconnected())
    assert table.refuses(HOUR, ANN, wire.Claim(match=MATCH)).code == Code.MATCH_NOT_ALLOWED
    table.at(HOUR, ANN, Disconnected())
    table.at(HOUR + absence.LEFT_EARLY_MS, None, Alarm())
    assert table.match.result is not None
    assert table.match.result.reason == "both players left"
    assert judged(table) is None
    table = started(options=FAST)
    table.at(0, BOB, Disconnected())
    table.at(MINUTE, ANN, wire.Abort(match=MATCH))
    assert judged(table) is None


def test_a_restart_waits_for_both_and_gives_the_whole_time_to_begin_again() -> None:
    table = started(options=FAST)
    table.at(9_000, None, Restarted(used=8_000))
    assert playing.wake_at(table.room) == 9_000 + playing.RESUME_MS
    table.at(39_000, None, Alarm())
    assert clocks_at(table, HOUR).begin_ms == BEGIN
    table.at(HOUR, BOB, Reconnected())
    table.at(HOUR, ANN, Reconnected())
    not_begun(table, HOUR + BEGIN)


def test_a_takeback_of_a_first_move_gives_its_time_to_begin_back() -> None:
    table = started(options=FAST)
    table.plays("5", "1", "2", now=1_000)
    table.at(1_000, ANN, offer("takeback"))
    table.at(1_000, BOB, answer("takeback", True))
    assert clocks_at(table, 2_000).begin_ms is None, "the other side has begun, and so has this one"
    table = started(options=FAST)
    table.plays("5")
    table.at(0, ANN, offer("takeback"))
    table.at(0, BOB, answer("takeback", True))
    not_begun(table, BEGIN)


def test_no_player_of_a_rated_match_is_rid_of_dice_by_not_beginning() -> None:
    table = started("backgammon", RATED)
    first, second = table.mover(), BOB if table.mover() is ANN else ANN
    seat = table.room.seat_of(second)
    assert clocks_at(table, 0).running is None
    table.at(0, first, table.play(table.match.position.legal_notation()[0]))
    assert clocks_at(table, 0).running == seat, "the dice after it were seen"
    table.at(1_000, second, Disconnected())
    assert clocks_at(table, 10_000).begin_ms == 30_000
    assert clocks_at(table, 50_000).remaining[seat or 0] == 50_000
    table.at(BEGIN + MINUTE + 201, None, Alarm())
    assert table.match.result is not None
    assert (table.match.result.how, table.match.result.winner) == ("flag", 1 - (seat or 0))
    assert judged(table) is None


def test_dice_that_nobody_has_answered_fall_again() -> None:
    table = started("backgammon", RATED)
    rolled = table.match.position
    not_begun(table, BEGIN)
    dealt = next(event for event in table.events if isinstance(event, Dealt))
    assert dealt.deal == MATCH
    table.at(BEGIN, ANN, ready())
    table.at(BEGIN, BOB, ready())
    assert table.match.position == rolled


def test_of_a_series_only_the_first_game_is_void_and_does_not_begin_again_by_itself() -> None:
    options = Options(points=3, clock=ClockOptions(base_ms=MINUTE))
    table = started("backgammon_cube", options)
    not_begun(table, BEGIN)
    assert room.next_game_at(table.room) is None
    table.at(BEGIN, ANN, ready())
    table.at(BEGIN, BOB, ready())
    table.at(BEGIN, ANN, wire.Resign(match=table.match.name, points=1))
    table.at(BEGIN, BOB, wire.Answer(match=table.match.name, kind="resign", accept=True))
    table.at(BEGIN, ANN, ready())
    table.at(BEGIN, BOB, ready())
    seat = table.match.position.to_move
    assert clocks_at(table, BEGIN).running == seat
    table.at(BEGIN, table.mover(), Disconnected())
    table.at(2 * BEGIN + MINUTE + 201, None, Alarm())
    assert table.match.result is not None
    assert table.match.result.how == "flag"


def test_a_bot_waits_without_a_slot_for_a_person_who_is_not_here_at_the_start() -> None:
    table = Table(options=FAST)
    table.at(0, BOT, wire.Join(room=ROOM))
    table.at(0, ANN, ready())
    table.at(0, ANN, Disconnected())
    table.at(0, BOT, ready())
    table.at(absence.REST_MS, None, Alarm())
    assert table.room.rests
    table.at(HOUR, None, Restarted())
    assert table.room.rests
    table.at(HOUR + 30_000, None, Alarm())
    table.at(2 * HOUR, BOT, Reconnected())
    table.at(2 * HOUR, ANN, Reconnected())
    table.at(2 * HOUR + 39_000, ANN, table.play("5"))
    assert not table.room.rests
    table = Table(options=FAST)
    table.at(0, BOT, wire.Join(room=ROOM))
    table.at(0, ANN, ready())
    table.at(0, BOT, ready())
    table.at(0, ANN, Disconnected())
    table.at(absence.LEFT_EARLY_MS, None, Alarm())
    assert table.events == []
    table.at(absence.LEFT_EARLY_MS + absence.REST_MS, None, Alarm())
    assert table.match.result is not None
    assert table.match.result.reason == "its player left"
    assert judged(table) is None


def test_on_a_ladder_the_clock_runs_at_once() -> None:
    table = on_a_ladder(options=RATED)
    assert table.room.options.clock == ClockOptions(base_ms=MINUTE)
    assert clocks_at(table, 1_000).remaining[0] == 59_000


@pytest.mark.parametrize("paused", [False, True])
def test_a_match_that_was_begun_by_an_older_server_goes_on_as_it_began(paused: bool) -> None:
    """Its options say nothing of a time to begin, and its clock was kept without one."""
    old = clocks.Clock(*clocks.fischer(MINUTE).start(0)[:9])
    assert (old.free, old.shown(5).deadline(0)) == (0, 5 + MINUTE)
    if paused:
        assert old.pause("server").resume().shown(5).deadline(0) == 5 + MINUTE


def test_a_message_long_after_the_time_to_begin_ends_no_match_as_lost() -> None:
    table = started(options=FAST)
    after, events, _ = life.handle(
        table.room, wire.Watch(room=ROOM), Asker(ANN), BEGIN + 2 * MINUTE, fresh()
    )
    assert after.state == "waiting"
    assert isinstance(events[0], Ended)
    assert events[0].result == VOID
