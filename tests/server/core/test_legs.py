"""A ladder's room: its match begins with it, and three things end it that end no other."""

from __future__ import annotations

from typing import Any

import pytest

from games import registry
from games.dice import Deal
from protocol.errors import Code, Refusal
from protocol.messages import ClockOptions, Join, Leave, Options, Resign, Result, Say, Watch
from server import archive
from server.archive import _sealed
from server.core import match as matches
from server.core import playing, seating
from server.core import room as rooms
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Follow, Remind, Reply
from server.core.events import (
    Closed,
    Created,
    Ended,
    Event,
    Leg,
    Opened,
    Played,
    Rolled,
    Struck,
    Who,
)
from server.core.lobby import Lobby
from server.core.orders import Alarm, Back, Close, Gone, Release, Restarted, Stalled, Unstalled
from server.core.room import Room
from tests.server.core.score import (
    ANN,
    BOB,
    BOT,
    CAT,
    MATCH,
    MINUTE,
    PER_MOVE,
    RATED,
    ROOM,
    Table,
    finished,
    on_a_ladder,
    plain,
    started,
)

LONG = Options(clock=ClockOptions(base_ms=10 * MINUTE))
VOID = Result(winner=None, returns=(0.0, 0.0), how="void", reason="both away")
SECRET = bytes(range(32))


def again(table: Table) -> Room:
    """The room as a new process reads it from the log."""
    found = archive.replay(table.rows)
    assert found is not None
    assert found[1] is None
    assert plain(found[0]) == plain(table.room)
    return found[0]


def lost(seat: int, how: str) -> Result:
    winner: Any = 1 - seat
    returns = (-1.0, 1.0) if seat == 0 else (1.0, -1.0)
    return Result(winner=winner, returns=returns, how=how, reason=how)


def ends(events: list[Event]) -> list[Result]:
    return [event.result for event in events if isinstance(event, Ended)]


# ---------------------------------------------------------------- how it begins


def test_a_leg_begins_with_its_room() -> None:
    table = on_a_ladder(opening=("5", "1"))
    assert [row.kind for row in table.rows] == [
        "created", "joined", "joined", "started", "opening", "opening",
    ]  # fmt: skip
    assert [row.match for row in table.rows] == [None, None, None, 1, 1, 1]
    assert table.events[-2:] == [Opened(0, 0, 0, "5"), Opened(0, 1, 1, "1")]
    assert table.effects == [SHOW_ROOM, SHOW_MATCH]
    again(table)


def test_an_opening_is_seen_and_costs_no_time() -> None:
    seen = on_a_ladder(opening=("5", "1")).seen(0)
    assert [(e.kind, e.ply, e.seat, e.action) for e in seen.events] == [
        ("opening", 0, 0, "5"), ("opening", 1, 1, "1"),
    ]  # fmt: skip
    assert seen.clocks is not None
    assert (seen.clocks.remaining, seen.clocks.running) == ((MINUTE, MINUTE), 0)
    assert (seen.turn, seen.ply, seen.to_move) == (6, 2, 0)


def test_an_opening_is_nobodys_decision() -> None:
    table = on_a_ladder(opening=("5", "1"))
    assert table.match.moved == (0, 0)
    assert not matches.answered_before(table.match, 0, 4, "5")


def test_the_room_says_of_which_pair_it_is() -> None:
    room = on_a_ladder(number=1).room
    state, line = rooms.state(room), rooms.line(room)
    assert (state.ladder, state.pair, state.leg, state.owner) == ("knights", 34, 1, "house")
    assert line.ladder == "knights"
    assert (state.options.rated, state.options.public, state.code) == (True, True, None)
    other = started().room
    assert (rooms.state(other).ladder, rooms.line(other).ladder) == (None, None)


@pytest.mark.parametrize("options", [Options(), Options(rated=True)])
def test_a_leg_has_a_clock(options: Options) -> None:
    with pytest.raises(Refusal) as no:
        on_a_ladder(options=options)
    assert no.value.code == Code.LOBBY_BAD_OPTION


def test_a_leg_is_rated_and_public_whatever_the_terms_say() -> None:
    room = on_a_ladder(options=PER_MOVE).room
    assert (room.options.rated, room.options.clock) == (True, PER_MOVE.clock)


def test_a_deal_without_a_secret_is_a_mistake() -> None:
    leg = Leg(12, "knights", 34, 0, (), "L12.34")
    with pytest.raises(ValueError, match="secret"):
        seating.open_leg(ROOM, leg, "pebbles", RATED, (ANN, BOB), ("", ""), None, 0)


def test_nobody_is_the_owner() -> None:
    assert Lobby().next_session == 1
    room = on_a_ladder().room
    assert not any(room.owner.same(who) for who in (ANN, BOB, CAT, BOT, Who(1, "house", None)))


def test_nobody_else_sits_down_and_all_look_on() -> None:
    table = on_a_ladder()
    assert table.refuses(0, CAT, Join(room=ROOM)).code == Code.ROOM_FULL
    table.at(0, CAT, Watch(room=ROOM))
    assert table.effects == [Follow(on=True)]
    table.at(0, CAT, Say(room=ROOM, text="oh"), follows=True)
    assert table.kinds() == ["said"]
    table.at(0, BOB, Join(room=ROOM))
    assert (table.events, table.effects) == ([], [Follow(on=True)])


# ---------------------------------------------------------------- strikes


def test_an_illegal_action_is_refused_as_ever_and_written_down() -> None:
    table, other = on_a_ladder(), started(options=RATED)
    for each in (table, other):
        each.plays("5")
    no = other.refuses(0, BOB, other.play("5"))
    assert table.at(9, BOB, table.play("5")) == [Struck(9, 1, 1, "5")]
    assert table.effects == [Reply(table.reply())]
    assert (table.reply().code, table.reply().text) == (no.code, no.text)
    assert table.reply().legal == no.legal
    assert table.match.position == other.match.position
    again(table)


def test_a_strike_leaves_the_clock_running() -> None:
    table = on_a_ladder()
    table.at(900, ANN, table.play("e4"))
    assert table.match.clock.left(0, 1_000) == MINUTE - 1_000
    (played,) = table.at(1_000, ANN, table.play("5"))
    assert isinstance(played, Played)
    assert played.spent == 1_000


@pytest.mark.parametrize("junk", ["e4", "0", "pass", ""])
def test_what_cannot_be_read_is_a_strike_too(junk: str) -> None:
    table = on_a_ladder()
    assert table.at(0, ANN, table.play(junk)) == [Struck(0, 0, 0, junk)]


def test_a_strike_keeps_forty_characters_in_ascii() -> None:
    table = on_a_ladder()
    (struck,) = table.at(0, ANN, table.play("5\u200b\n" + "x" * 99))
    assert isinstance(struck, Struck)
    assert struck.action == "5\\u200b\\n" + "x" * 31


def test_the_third_strike_of_a_seat_ends_the_match() -> None:
    table = on_a_ladder()
    table.at(0, ANN, table.play("no"))
    table.at(0, ANN, table.play("5"))
    table.at(0, BOB, table.play("5"))
    table.at(0, BOB, table.play("5"))
    assert table.match.strikes == (1, 2)
    table.at(7, BOB, table.play("5"))
    assert table.kinds() == ["strike", "ended"]
    assert table.events[1] == Ended(7, lost(1, "illegal"), 7)
    assert table.reply().code == Code.MATCH_ILLEGAL_ACTION
    assert table.room.state == "over"
    again(table)


def test_what_comes_too_late_or_too_early_is_no_strike() -> None:
    table = on_a_ladder()
    assert table.refuses(0, BOB, table.play("5")).code == Code.MATCH_NOT_YOUR_TURN
    assert table.refuses(0, ANN, table.play("e4", turn=3)).code == Code.MATCH_STALE_TURN
    assert table.refuses(0, CAT, table.play("e4")).code == Code.ROOM_NOT_SEATED
    assert table.refuses(0, ANN, table.play("5", note="n" * 600)).code == Code.MATCH_BAD_NOTE


def test_strikes_are_a_ladders_alone() -> None:
    table = started(options=RATED)
    for _ in range(4):
        assert table.refuses(0, ANN, table.play("e4")).code == Code.MATCH_BAD_NOTATION


# ---------------------------------------------------------------- who is away


def test_who_is_away_for_a_minute_loses() -> None:
    table = on_a_ladder(options=LONG)
    table.at(5_000, BOB, Gone())
    assert playing.wake_at(table.room) == 5_000 + MINUTE
    assert table.at(4_999 + MINUTE, None, Alarm()) == []
    assert ends(table.at(5_000 + MINUTE, None, Alarm())) == [lost(1, "disconnect")]
    again(table)


def test_who_comes_back_in_time_plays_on() -> None:
    table = on_a_ladder()
    table.at(5_000, BOB, Gone())
    table.at(6_000, BOB, Back())
    assert playing.wake_at(table.room) == MINUTE + 201  # ann's flag
    assert table.at(MINUTE, None, Alarm()) == []


def test_the_clock_runs_on_while_its_player_is_away() -> None:
    table = on_a_ladder()
    table.at(5_000, ANN, Gone())
    assert playing.wake_at(table.room) == MINUTE + 201
    assert ends(table.at(MINUTE + 201, None, Alarm())) == [lost(0, "flag")]


def test_if_both_are_away_the_match_is_void() -> None:
    table = on_a_ladder()
    table.plays("5", now=1_000)
    table.at(2_000, ANN, Gone())
    table.at(3_000, BOB, Gone())
    assert playing.wake_at(table.room) == MINUTE + 1_201  # bob's flag comes first
    table.at(MINUTE + 1_201, None, Alarm())
    assert ends(table.events) == [VOID]
    again(table)


def test_if_both_are_away_when_the_minute_is_over_the_match_is_void() -> None:
    table = on_a_ladder(options=LONG)
    table.at(2_000, ANN, Gone())
    table.at(60_000, BOB, Gone())
    table.at(2_000 + MINUTE, None, Alarm())
    assert ends(table.events) == [VOID]


def test_a_restart_gives_everybody_a_minute() -> None:
    table = on_a_ladder()
    table.plays("5", now=1_000)
    table.room = table.stored = again(table)
    table.at(9_000, None, Restarted())
    assert playing.wake_at(table.room) == 9_000 + playing.RESUME_MS
    table.at(9_000 + playing.RESUME_MS, None, Alarm())
    assert table.match.clock.paused is None
    table.at(40_000, ANN, Back())
    table.at(9_000 + MINUTE, None, Alarm())
    assert ends(table.events) == [lost(1, "disconnect")]


# ---------------------------------------------------------------- how it ends


def test_a_leg_that_is_over_waits_for_its_ladder() -> None:
    table = on_a_ladder()
    table.at(3, ANN, Resign(match=MATCH, crashed=True))
    assert table.events == [Ended(3, lost(0, "crash"), 3)]
    assert (table.room.state, rooms.state(table.room).state) == ("over", "over")
    assert playing.wake_at(table.room) is None
    table.at(4, BOB, Leave(room=ROOM))
    table.at(4, ANN, Leave(room=ROOM))
    assert (table.kinds(), table.room.state) == (["left"], "over")
    assert table.refuses(4, ANN, Join(room=ROOM)).code == Code.ROOM_FULL
    assert table.at(5, None, Close("scored")) == [Closed(5, "scored")]
    assert table.effects == [SHOW_ROOM]
    again(table)


def test_the_last_action_may_come_twice() -> None:
    table = on_a_ladder()
    table.plays("5", "1", "4", "2")
    last = table.play("6")
    table.at(0, ANN, last)
    assert table.at(0, ANN, last) == []
    assert table.effects == [Remind()]


def test_a_leg_that_is_closed_in_its_midst_is_void() -> None:
    table = on_a_ladder()
    table.at(6, None, Close("stopped"))
    void = Result(winner=None, returns=(0.0, 0.0), how="void", reason="called off")
    assert table.events == [Ended(6, void, 6), Closed(6, "stopped")]
    assert table.room.state == "closed"


def test_a_room_that_is_no_ladders_knows_neither_order() -> None:
    for table in (started(), finished()):
        for order in (Release(0), Close("why")):
            table.refuses(0, None, order)


# ---------------------------------------------------------------- dice


def test_a_leg_with_dice_waits_for_the_roll() -> None:
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


def test_a_release_rolls_once() -> None:
    table = on_a_ladder("backgammon")
    assert table.at(1, None, Release(1)) == []
    (rolled,) = table.at(2, None, Release(0))
    assert isinstance(rolled, Rolled)
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
    (rolled,) = table.at(0, None, Release(0))
    position = registry.game("backgammon").initial()
    fallen = Deal("L12.34", SECRET, ("00ff", "ee")).roll(0, position.chance())
    assert isinstance(rolled, Rolled)
    assert rolled.action == position.game.format_action(position, fallen)


def play_in_step(one: Table, two: Table) -> None:
    """Both matches to their ends, each playing by another rule, rolls released in step."""
    while "playing" in (one.room.state, two.room.state):
        for table, which in ((one, 0), (two, -1)):
            while table.room.playing() is not None and playing.waiting_ply(table.room) is None:
                table.plays(table.match.position.legal_notation()[which])
        waits = [playing.waiting_ply(table.room) for table in (one, two)]
        ply = min(ply for ply in waits if ply is not None) if waits != [None, None] else 0
        for table in (one, two):
            if table.room.state == "playing":
                table.at(0, None, Release(ply))


def test_two_rooms_with_one_deal_have_the_same_dice() -> None:
    one, two = on_a_ladder("backgammon"), on_a_ladder("backgammon", number=1)
    play_in_step(one, two)
    rolls = [
        {e.ply: e.action for e in map(archive._read, t.rows) if isinstance(e, Rolled)}
        for t in (one, two)
    ]
    common = rolls[0].keys() & rolls[1].keys()
    assert len(common) > 20
    assert all(rolls[0][ply] == rolls[1][ply] for ply in common)
    for table in (one, two):
        again(table)


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
    table.at(3_000, mover, Back())
    assert (table.match.clock.paused, table.match.clock.since) == (None, 3_000)


def test_a_store_that_fails_does_not_end_the_wait_either() -> None:
    table = on_a_ladder("backgammon")
    table.at(0, None, Stalled())
    table.at(0, None, Unstalled())
    assert table.match.clock.paused == "pair"


def test_who_is_away_while_the_dice_wait_loses_after_a_minute() -> None:
    table = on_a_ladder("backgammon")
    table.at(0, BOB, Gone())
    table.at(MINUTE, None, Alarm())
    (ended,) = table.events
    assert isinstance(ended, Ended)
    assert (ended.result.how, ended.result.winner) == ("disconnect", 0)


def test_a_leg_is_stored_as_it_was_made() -> None:
    (created, *_) = map(archive._read, on_a_ladder("backgammon", number=1).rows)
    assert isinstance(created, Created)
    assert created.leg == Leg(12, "knights", 34, 1, (), "L12.34")
