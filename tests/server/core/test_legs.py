"""A ladder's room: its match begins with it, and three things end it that end no other."""

from __future__ import annotations

from typing import Any

import pytest

from games import registry
from games.dice import Deal
from protocol.errors import Code, Refusal
from protocol.messages import Join, Leave, Resign, Say, Watch
from protocol.parts import ClockOptions, Options, Result
from server.core import events, playing, seating
from server.core import room as rooms
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Follow, Reply, Resend
from server.core.lobby import LobbyState
from server.core.orders import (
    Alarm,
    Close,
    Disconnected,
    Reconnected,
    Release,
    Restarted,
    Stalled,
    Unstalled,
)
from server.core.past import plies
from server.core.room import Room
from server.rooms import replay
from server.services import history
from server.services.history import _sealed
from tests.server.core.cast import ANN, BOB, BOT, CAT, MATCH, MINUTE, PER_MOVE, RATED, ROOM
from tests.server.core.score import Table, on_a_ladder, plain, started

LONG = Options(clock=ClockOptions(base_ms=10 * MINUTE))
VOID = Result(winner=None, returns=(0.0, 0.0), how="void", reason="both away")
SECRET = bytes(range(32))


@pytest.fixture
def table() -> Table:
    """A leg without dice that has just begun."""
    return on_a_ladder()


def again(table: Table) -> Room:
    """The room as a new process reads it from the log."""
    replayed = replay.replay(table.rows)
    assert replayed is not None
    assert replayed[1] is None
    assert plain(replayed[0]) == plain(table.room)
    return replayed[0]


def lost(seat: int, how: str) -> Result:
    winner: Any = 1 - seat
    returns = (-1.0, 1.0) if seat == 0 else (1.0, -1.0)
    return Result(winner=winner, returns=returns, how=how, reason=how)


def ends(happened: list[events.Event]) -> list[Result]:
    return [event.result for event in happened if isinstance(event, events.Ended)]


def test_a_leg_begins_with_its_room_and_an_opening_that_is_nobodys_decision() -> None:
    table = on_a_ladder(opening=("5", "1"))
    assert [row.kind for row in table.rows] == [
        "created", "joined", "joined", "started", "opening", "opening",
    ]  # fmt: skip
    assert [row.match for row in table.rows] == [None, None, None, 1, 1, 1]
    assert table.events[-2:] == [events.Opened(0, 0, 0, "5"), events.Opened(0, 1, 1, "1")]
    assert table.effects == [SHOW_ROOM, SHOW_MATCH]
    again(table)
    assert table.match.moved == (0, 0)
    assert not plies.answered_before(table.match.last, table.match.game, 0, 4, "5")
    seen = table.seen(0)
    assert [(e.kind, e.ply, e.seat, e.action) for e in seen.events] == [
        ("opening", 0, 0, "5"), ("opening", 1, 1, "1"),
    ]  # fmt: skip
    assert seen.clocks is not None
    assert (seen.clocks.remaining, seen.clocks.running) == ((MINUTE, MINUTE), 0)
    assert (seen.turn, seen.ply, seen.to_move) == (6, 2, 0)


def test_the_room_says_of_which_pair_it_is() -> None:
    room = on_a_ladder(number=1).room
    state, line = rooms.state(room), rooms.lobby_row(room)
    assert (state.ladder, state.pair, state.leg, state.owner) == ("knights", 34, 1, "house")
    assert line.ladder == "knights"
    assert (state.options.rated, state.options.public, state.code) == (True, True, None)
    other = started().room
    assert (rooms.state(other).ladder, rooms.lobby_row(other).ladder) == (None, None)


def test_a_leg_needs_a_clock_and_for_dice_a_secret() -> None:
    for options in (Options(), Options(rated=True)):
        with pytest.raises(Refusal) as no:
            on_a_ladder(options=options)
        assert no.value.code == Code.LOBBY_BAD_OPTION
    leg = events.Leg(12, "knights", 34, 0, (), "L12.34")
    with pytest.raises(ValueError, match="secret"):
        seating.open_leg(ROOM, leg, "pebbles", RATED, (ANN, BOB), ("", ""), None, 0)


def test_whatever_the_terms_say_a_leg_is_rated_and_nobody_its_owner() -> None:
    assert LobbyState().names.next_number == 1
    room = on_a_ladder(options=PER_MOVE).room
    assert (room.options.rated, room.options.clock) == (True, PER_MOVE.clock)
    assert not any(
        room.owner.same(who) for who in (ANN, BOB, CAT, BOT, events.Who(1, "house", None))
    )


def test_nobody_else_sits_down_and_all_look_on(table: Table) -> None:
    assert table.refuses(0, CAT, Join(room=ROOM)).code == Code.ROOM_FULL
    table.at(0, CAT, Watch(room=ROOM))
    assert table.effects == [Follow(on=True)]
    table.at(0, CAT, Say(room=ROOM, text="oh"), follows=True)
    assert table.kinds() == ["said"]
    table.at(0, BOB, Join(room=ROOM))
    assert (table.events, table.effects) == ([], [Follow(on=True)])


def test_an_illegal_action_is_refused_as_ever_and_written_down() -> None:
    table, other = on_a_ladder(), started(options=RATED)
    for each in (table, other):
        each.plays("5")
    no = other.refuses(0, BOB, other.play("5"))
    assert table.at(9, BOB, table.play("5")) == [events.Struck(9, 1, 1, "5")]
    assert table.effects == [Reply(table.reply())]
    assert (table.reply().code, table.reply().text) == (no.code, no.text)
    assert table.reply().legal == no.legal
    assert table.match.position == other.match.position
    again(table)


def test_a_strike_leaves_the_clock_running(table: Table) -> None:
    table.at(900, ANN, table.play("e4"))
    assert table.match.clock.left(0, 1_000) == MINUTE - 1_000
    (played,) = table.at(1_000, ANN, table.play("5"))
    assert isinstance(played, events.Played)
    assert played.spent == 1_000


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        *((junk, junk) for junk in ("e4", "0", "pass", "")),
        ("5\u200b\n" + "x" * 99, "5\\u200b\\n" + "x" * 31),
    ],
)
def test_what_cannot_be_read_is_a_strike_too_of_forty_characters_in_ascii(
    text: str, stored: str, table: Table
) -> None:
    table.at(0, ANN, table.play(text))
    assert table.events == [events.Struck(0, 0, 0, stored)]


def test_the_third_strike_of_a_seat_ends_the_match(table: Table) -> None:
    table.at(0, ANN, table.play("no"))
    table.at(0, ANN, table.play("5"))
    table.at(0, BOB, table.play("5"))
    table.at(0, BOB, table.play("5"))
    assert table.match.strikes == (1, 2)
    table.at(7, BOB, table.play("5"))
    assert table.kinds() == ["strike", "ended"]
    assert table.events[1] == events.Ended(7, lost(1, "illegal"), 7)
    assert table.reply().code == Code.MATCH_ILLEGAL_ACTION
    assert table.room.state == "over"
    again(table)


def test_a_strike_comes_neither_too_late_nor_too_early_nor_out_of_a_ladder(table: Table) -> None:
    assert table.refuses(0, BOB, table.play("5")).code == Code.MATCH_NOT_YOUR_TURN
    assert table.refuses(0, ANN, table.play("e4", turn=3)).code == Code.MATCH_STALE_TURN
    assert table.refuses(0, CAT, table.play("e4")).code == Code.ROOM_NOT_SEATED
    assert table.refuses(0, ANN, table.play("5", note="n" * 600)).code == Code.MATCH_BAD_NOTE
    table = started(options=RATED)
    for _ in range(4):
        assert table.refuses(0, ANN, table.play("e4")).code == Code.MATCH_BAD_NOTATION


def test_who_is_away_for_a_minute_loses_and_who_comes_back_in_time_plays_on() -> None:
    table = on_a_ladder(options=LONG)
    table.at(4_000, BOB, Disconnected())
    table.at(4_500, BOB, Reconnected())
    assert playing.wake_at(table.room) == 10 * MINUTE + 1  # ann's flag
    table.at(5_000, BOB, Disconnected())
    assert playing.wake_at(table.room) == 5_000 + MINUTE
    assert table.at(4_999 + MINUTE, None, Alarm()) == []
    assert ends(table.at(5_000 + MINUTE, None, Alarm())) == [lost(1, "disconnect")]
    again(table)


def test_the_clock_runs_on_while_its_player_is_away(table: Table) -> None:
    table.at(5_000, ANN, Disconnected())
    assert playing.wake_at(table.room) == MINUTE + 1
    assert ends(table.at(MINUTE + 201, None, Alarm())) == [lost(0, "flag")]


def test_if_both_are_away_when_their_time_is_over_the_match_is_void(table: Table) -> None:
    table.plays("5", now=1_000)
    table.at(2_000, ANN, Disconnected())
    table.at(3_000, BOB, Disconnected())
    assert playing.wake_at(table.room) == MINUTE + 1_001  # bob's flag comes first
    table.at(MINUTE + 1_201, None, Alarm())
    assert ends(table.events) == [VOID]
    again(table)
    table = on_a_ladder(options=LONG)
    table.at(2_000, ANN, Disconnected())
    table.at(60_000, BOB, Disconnected())
    assert ends(table.at(2_000 + MINUTE, None, Alarm())) == [VOID]


def test_a_restart_gives_everybody_a_minute(table: Table) -> None:
    table.plays("5", now=1_000)
    table.room = table.stored = again(table)
    table.at(9_000, None, Restarted())
    assert playing.wake_at(table.room) == 9_000 + playing.RESUME_MS
    table.at(9_000 + playing.RESUME_MS, None, Alarm())
    assert table.match.clock.paused is None
    table.at(40_000, ANN, Reconnected())
    table.at(9_000 + MINUTE, None, Alarm())
    assert ends(table.events) == [lost(1, "disconnect")]


def test_a_leg_that_is_over_waits_for_its_ladder(table: Table) -> None:
    table.at(3, ANN, Resign(match=MATCH, crashed=True))
    assert table.events == [events.Ended(3, lost(0, "crash"), 3)]
    assert (table.room.state, rooms.state(table.room).state) == ("over", "over")
    assert playing.wake_at(table.room) is None
    table.at(4, BOB, Leave(room=ROOM))
    table.at(4, ANN, Leave(room=ROOM))
    assert (table.kinds(), table.room.state) == (["left"], "over")
    assert table.refuses(4, ANN, Join(room=ROOM)).code == Code.ROOM_FULL
    assert table.at(5, None, Close("scored")) == [events.Closed(5, "scored")]
    assert table.effects == [SHOW_ROOM]
    again(table)


def test_the_last_action_may_come_twice(table: Table) -> None:
    table.plays("5", "1", "4", "2")
    last = table.play("6")
    table.at(0, ANN, last)
    assert table.at(0, ANN, last) == []
    assert table.effects == [Resend()]


def test_a_leg_that_is_closed_in_its_midst_is_void(table: Table) -> None:
    table.at(6, None, Close("stopped"))
    void = Result(winner=None, returns=(0.0, 0.0), how="void", reason="called off")
    assert table.events == [events.Ended(6, void, 6), events.Closed(6, "stopped")]
    assert table.room.state == "closed"


def test_a_leg_with_dice_waits_for_the_roll_and_for_nobody_who_is_away() -> None:
    table = on_a_ladder("backgammon")
    assert [row.kind for row in table.rows][3:] == ["dealt", "started"]
    assert [row.match for row in table.rows][3:] == [1, 1]
    assert playing.waiting_ply(table.room) == 0
    seen = table.seen(0)
    assert seen.clocks is not None
    assert (seen.to_move, seen.clocks.paused, seen.clocks.running) == (-1, "pair", None)
    assert playing.wake_at(table.room) is None
    assert playing.waiting_ply(again(table)) == 0
    assert again(table).match.clock.paused == "pair"  # type: ignore[union-attr]
    table.at(0, None, Stalled())
    table.at(0, None, Unstalled())
    assert table.match.clock.paused == "pair"
    table.at(0, BOB, Disconnected())
    (result,) = ends(table.at(MINUTE, None, Alarm()))
    assert (result.how, result.winner) == ("disconnect", 0)


def test_a_release_rolls_once() -> None:
    table = on_a_ladder("backgammon")
    assert table.at(1, None, Release(1)) == []
    (rolled,) = table.at(2, None, Release(0))
    assert isinstance(rolled, events.DiceRolled)
    assert SHOW_MATCH in table.effects
    assert table.at(3, None, Release(0)) == []
    assert playing.waiting_ply(table.room) is None
    assert table.match.clock.running == table.match.position.to_move
    table.plays(table.match.position.legal_notation()[0])
    assert table.kinds() == ["play"]
    assert playing.waiting_ply(table.room) == 2
    again(table)


def test_the_dice_are_those_of_the_pairs_deal() -> None:
    table = on_a_ladder("backgammon", number=1)
    created = history._read(table.rows[0])
    assert isinstance(created, events.Created)
    assert created.leg == events.Leg(12, "knights", 34, 1, (), "L12.34")
    (rolled,) = table.at(0, None, Release(0))
    position = registry.game("backgammon").initial()
    fallen = Deal("L12.34", SECRET, ("00ff", "ee")).roll(0, position.chance())
    assert isinstance(rolled, events.DiceRolled)
    assert rolled.action == position.game.format_action(position, fallen)


def test_the_secret_is_shown_when_the_room_closes() -> None:
    table = on_a_ladder("backgammon")
    dealt = table.rows[3]
    assert _sealed(dealt, table.room)
    table.at(0, ANN, Resign(match=MATCH))
    assert table.room.state == "over"
    assert (table.seen(0).secret, rooms.state(table.room).commitment) == (None, None)
    assert _sealed(dealt, table.room)
    assert not _sealed(table.rows[-1], table.room)  # notes may be read
    assert table.at(1, None, Release(0)) == []
    table.at(2, None, Close("scored"))
    assert table.effects == [SHOW_MATCH, SHOW_ROOM]
    assert table.seen(2).secret == SECRET.hex()
    assert not _sealed(dealt, None)
    assert [row.kind for row in table.rows].count("dealt") == 1


def test_a_restart_does_not_end_the_wait_for_the_other_leg() -> None:
    table = on_a_ladder("backgammon")
    table.room = again(table)
    table.at(1_000, None, Restarted())
    assert table.match.clock.paused == "pair"
    assert playing.wake_at(table.room) == 1_000 + MINUTE
    table.at(2_000, None, Release(0))
    assert table.match.clock.paused == "server"  # its player is not back yet
    mover = table.mover()
    table.at(3_000, mover, Reconnected())
    assert (table.match.clock.paused, table.match.clock.since) == (None, 3_000)


def test_no_lag_is_forgiven_on_a_ladder(table: Table) -> None:
    happened = table.at(1_000, ANN, table.play("5"), lag=150)
    assert happened == [events.Played(1_000, 0, 0, "5", 1_000, 0)]
    table.at(MINUTE + 1_001, BOB, table.play("1"), lag=150)
    assert ends(table.events) == [lost(1, "flag")]
    again(table)
