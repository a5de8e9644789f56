"""The runner against a house without a network: what it answers, and what it does not do twice."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

import pytest
from msgspec.structs import replace

from bots.online import room
from bots.online.terms import match_seed
from client.connection import Interrupted
from games.game import Game
from protocol.errors import Code
from protocol.messages import Push, Welcome
from protocol.parts import ClockOptions, Clocks, Offer_, Options, Player, Series
from tests.bots.online.fake_connection import (
    RIVAL,
    WON,
    FakeConnection,
    eventually,
    invited,
    match_state,
    refusal,
    room_state,
)
from tests.support.pausable_bot import PausableBot, running, seated

pytestmark = pytest.mark.usefixtures("pausable_bot")
WELCOME = Welcome(version=1, server="s", name="house", now=0)


async def test_it_loads_its_code_before_it_is_ready(
    connection: FakeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    loading, loaded = threading.Event(), threading.Event()

    def prepare(cls: type[PausableBot], game: Game) -> None:
        loading.set()
        assert loaded.wait(60)

    monkeypatch.setattr(PausableBot, "loaded", classmethod(lambda cls, game: loaded.is_set()))
    monkeypatch.setattr(PausableBot, "prepare", classmethod(prepare))
    await connection.until("join", invited(), room_state())
    assert await asyncio.to_thread(loading.wait, 5)
    await connection.settle()
    assert connection.verbs() == ["join"]
    loaded.set()
    await connection.until("ready")


async def test_a_bot_that_cannot_load_its_code_says_so_and_leaves(
    connection: FakeConnection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def prepare(cls: type[PausableBot], game: Game) -> None:
        raise RuntimeError("no compiler")

    monkeypatch.setattr(PausableBot, "loaded", classmethod(lambda cls, game: False))
    monkeypatch.setattr(PausableBot, "prepare", classmethod(prepare))
    await connection.until("leave", invited())
    await connection.settle()
    said = "I cannot play tic_tac_toe: getting ready failed."
    assert connection.calls == [("join", 7, None), ("say", 7, said), ("leave", 7)]
    assert connection.runner.rooms == {}
    assert "mcts cannot prepare for tic_tac_toe" in caplog.text
    assert "no compiler" in caplog.text


async def test_where_dice_roll_the_bot_adds_its_share(connection: FakeConnection) -> None:
    dice = type("Dice", (), {"has_chance": True})()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room.games, "game", lambda name: dice)
        [(_, _, salt)] = await connection.until("ready", invited(7), invited(8))
    assert len(salt) == 32
    assert set(salt) <= set("0123456789abcdef")


async def test_an_invitation_is_joined_and_readied_and_one_without_a_free_slot_declined(
    connection: FakeConnection,
) -> None:
    await connection.until("ready", invited(7), invited(8))
    await connection.settle()
    busy = ("decline", 8, "busy", "I have no time just now.")
    assert sorted(connection.calls) == [busy, ("join", 7, None), ("ready", 7, None)]


async def test_an_invitation_that_has_expired_frees_the_slot(connection: FakeConnection) -> None:
    connection.refuse["join"] = [refusal(Code.ROOM_FULL)]
    await connection.until("join", invited(7))
    await connection.settle()
    assert connection.runner.rooms == {}


@pytest.mark.parametrize(
    ("strength", "sentence"),
    [
        ({"set": {"depth": "x"}}, "depth=x is not possible: it takes a whole number from 1 to 9"),
        ({"set": {"seed": "1"}}, "there is no setting 'seed'"),
        ({"level": 8}, "mcts has levels 1 to 3, not 8"),
        ({"level": 1, "nodes": 5}, "a strength is a level or a number of nodes, not both"),
    ],
)
async def test_an_impossible_strength_is_declined_in_words_and_nobody_sits_down(
    connection: FakeConnection, strength: dict[str, Any], sentence: str
) -> None:
    [(_, room, why, text)] = await connection.until("decline", invited(7, **strength))
    assert (room, why) == (7, "terms")
    assert sentence in text
    assert connection.runner.rooms == {}


async def test_it_says_what_it_thought_once_of_a_turn_and_answers_it_again(
    seat: FakeConnection,
) -> None:
    PausableBot.go.clear()
    await seat.settle(match_state("3/3/3 x", turn=1), *[match_state("x2/3/3 o", turn=2)] * 3)
    PausableBot.go.set()
    [(_, match, turn, action, note)] = await seat.until("play")
    assert (match, turn, action) == ("7.1", 2, "9")
    assert note.startswith("mcts 3 nodes 0.")
    assert note.endswith(" s | 9 3 +0.20")
    await seat.settle()
    assert seat.verbs() == ["play"]
    again = replace(WELCOME, rooms=(7,)), room_state(state="playing"), match_state()
    plays = await seat.until("play", *again, count=2)
    assert plays[0] == plays[1]
    assert len(PausableBot.asked) == 1


async def test_a_takeback_ends_the_thought_and_nothing_of_it_is_played(
    seat: FakeConnection,
) -> None:
    PausableBot.go.clear()
    seat.push(match_state("xo1/x2/3 o", turn=6))
    await eventually(lambda: PausableBot.asked)
    seat.push(match_state("3/3/3 x", turn=7))
    await seat.settle(match_state("x2/3/3 o", turn=8))
    PausableBot.go.set()
    [(_, _, turn, _, _)] = await seat.until("play")
    assert turn == 8
    assert len(PausableBot.made) == 1


async def test_a_turn_that_passes_while_another_is_thought_about_is_never_thought_about(
    seat: FakeConnection,
) -> None:
    PausableBot.go.clear()
    seat.push(match_state("xo1/x2/3 o", turn=6))
    await eventually(lambda: PausableBot.asked)
    await seat.settle(match_state(turn=8), match_state("3/3/3 x", turn=9))
    PausableBot.go.set()
    [(_, _, turn, _, _)] = await seat.until("play", match_state(turn=10))
    assert (turn, len(PausableBot.asked)) == (10, 2)


@pytest.mark.usefixtures("at_once")
async def test_a_play_that_nobody_waits_for_is_not_sent_again(seat: FakeConnection) -> None:
    seat.refuse["play"] = [refusal(Code.ROOM_BUSY)] * 1_000
    await seat.until("play", match_state(), count=2)
    await seat.settle(match_state("3/3/3 x", turn=3))
    sent = len(seat.calls)
    await asyncio.sleep(0.01)
    assert len(seat.calls) <= sent + 1


async def test_each_match_has_a_bot_of_its_own_with_a_seed_of_its_own(seat: FakeConnection) -> None:
    await seat.until("play", match_state(match="7.1"))
    await seat.until(
        "play", match_state(match="7.1", turn=9, result=WON), match_state(match="7.2"), count=2
    )
    seeds = [match_seed(4, match) for match in ("7.1", "7.2")]
    assert [bot.seed for bot in PausableBot.made] == seeds


async def test_an_invitation_s_strength_decides_the_nodes_and_the_clock_bounds_their_time(
    connection: FakeConnection,
) -> None:
    PausableBot.go.clear()  # only the stop flag can end it now
    clocks = Clocks(remaining=(5_000, 5_000), running=1, suggested_ms=5)
    await connection.until("play", invited(level=3), room_state(), match_state(clocks=clocks))
    assert [nodes for _, nodes in PausableBot.asked] == [3]


@pytest.mark.usefixtures("at_once")
async def test_a_refusal_that_passes_is_tried_again() -> None:
    async with running() as connection:
        connection.refuse["ready"] = [refusal(Code.ROOM_BUSY)]
        connection.refuse["play"] = [refusal(Code.ROOM_BUSY), refusal(Code.SERVER_NOT_STORED)]
        assert await connection.until("ready", invited(), count=2) == [("ready", 7, None)] * 2
        plays = await connection.until("play", room_state(), match_state(), count=3)
        assert plays[0] == plays[1] == plays[2]


async def test_a_stale_turn_is_no_reason_to_resign(seat: FakeConnection) -> None:
    seat.refuse["play"] = [refusal(Code.MATCH_STALE_TURN)]
    await seat.until("play", match_state())
    await seat.settle()
    assert seat.verbs() == ["play"]


async def test_a_play_that_the_server_will_never_take_costs_the_match(
    seat: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    seat.refuse["play"] = [refusal(Code.MATCH_ILLEGAL_ACTION, "9 is not legal")]
    assert await seat.until("resign", match_state()) == [("resign", "7.1")]
    assert "9 is not legal" in caplog.text


async def test_a_bot_that_crashes_resigns_and_says_where_and_the_next_match_goes_on(
    seat: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    PausableBot.broken = True
    assert await seat.until("resign", match_state()) == [("resign", "7.1", "crashed")]
    assert "out of ideas" in caplog.text
    assert "match 7.1: ply 3, tic_tac_toe 'x2/3/3 o', seed" in caplog.text
    PausableBot.broken = False
    [(_, match, _, _, _)] = await seat.until(
        "play", match_state(turn=9, result=WON), match_state(match="7.2")
    )
    assert match == "7.2"


async def test_a_resignation_that_got_lost_is_sent_again(
    seat: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    PausableBot.broken = True
    seat.refuse["resign"] = [Interrupted("resign")]
    await seat.until("resign", match_state())
    await seat.settle()
    await seat.until("resign", match_state(), count=2)
    assert len(PausableBot.asked) == 1


async def test_a_position_it_cannot_read_costs_one_match(
    seat: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    await seat.until("resign", replace(match_state(), position="?"))
    assert "NotationError" in caplog.text
    assert seat.runner.rooms.keys() == {7}


async def test_a_rematch_waits_for_the_opponent(seat: FakeConnection) -> None:
    await seat.settle(match_state(result=WON), room_state(match="7.1"))
    assert seat.calls == []
    calls = await seat.until("ready", room_state(seat=0, ready=(False, True)))
    assert calls == [("ready", 7, None)]


async def test_the_next_game_of_a_series_waits_for_nobody(seat: FakeConnection) -> None:
    on, over = Series(points=3, score=(2, 0)), Series(points=3, score=(3, 0), winner=0)
    await seat.settle(match_state(result=WON), room_state(match="7.1", series=over))
    assert seat.calls == []
    calls = await seat.until("ready", room_state(match="7.1", series=on))
    assert calls == [("ready", 7, None)]


async def test_it_does_not_give_a_series_up_because_another_program_is_slow(
    seat: FakeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "BOT_READY_S", 0.0)
    program = Player(name="ann", program="slow")
    on = room_state(opponent=program, match="7.1", series=Series(points=3, score=(2, 0)))
    await seat.until("ready", on)
    await seat.settle(on)
    assert "leave" not in seat.verbs()


async def test_it_stays_for_an_opponent_who_has_not_come_yet_and_leaves_with_who_was_there(
    connection: FakeConnection,
) -> None:
    await connection.until("ready", invited(), room_state(opponent=None), room_state(opponent=None))
    await connection.settle()
    assert connection.runner.rooms.keys() == {7}
    await connection.until("leave", room_state(), room_state(opponent=None))
    await connection.settle()
    assert connection.runner.rooms == {}


@pytest.mark.parametrize("early", [True, False])
async def test_who_invites_it_and_leaves_at_once_is_not_waited_for(
    connection: FakeConnection, early: bool
) -> None:
    """The news may come before the program has seen the answer to its `join`, or just after."""
    connection.join_answer = room_state()
    gone = room_state(opponent=None, seq=2)
    if early:
        connection.push(invited(), gone)
    else:
        await connection.until("join", invited())
        connection.push(gone)
    await connection.until("leave")
    await connection.settle()
    assert connection.runner.rooms == {}


@pytest.mark.parametrize("opponent", [Player(name="ann"), Player(name="b", program="minimax")])
async def test_it_gets_up_when_nothing_starts_even_where_nobody_may_speak(
    connection: FakeConnection, opponent: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    which = "BOT_READY_S" if opponent.program else "READY_S"
    monkeypatch.setattr(room, which, 0.001)
    connection.refuse["say"] = [refusal(Code.CHAT_BAD_TEXT)]
    await connection.until("leave", invited(), room_state(opponent=opponent))
    assert connection.calls[-2:] == [
        ("say", 7, "Nothing has started here for a while, so I leave."),
        ("leave", 7),
    ]


@pytest.mark.parametrize(
    ("clock", "plays"),
    [
        (ClockOptions(base_ms=3_600_000, increment_ms=60_000), True),
        (ClockOptions(base_ms=3_600_001), False),
        (ClockOptions(per_move_ms=600_000), True),
        (ClockOptions(per_move_ms=600_001), False),
    ],
)
async def test_a_bot_of_the_house_plays_by_no_clock_that_holds_its_slot_for_days(
    connection: FakeConnection, clock: ClockOptions, plays: bool
) -> None:
    invitation = replace(invited(), options=Options(clock=clock))
    await connection.until("ready" if plays else "decline", invitation)
    assert connection.verbs() == (["join", "ready"] if plays else ["decline"])
    connection.name = "greta"  # whose bots are her own affair
    connection.calls.clear()
    await connection.settle(replace(invitation, room=8))
    assert connection.verbs() == (["decline"] if plays else ["join", "ready"])  # it has one slot


AWAY = Player(name="ann", absent=True)


async def test_who_has_gone_before_a_match_is_not_waited_for_as_long(
    connection: FakeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room, "ABSENT_READY_S", 0.001)
    await connection.until("leave", invited(), room_state(opponent=AWAY))


ON: dict[str, Any] = {"state": "playing", "match": "7.1"}
RESTING = room_state(opponent=AWAY, rests=True, **ON)


async def test_a_match_that_rests_takes_no_slot_and_no_memory_and_is_taken_up_again(
    seat: FakeConnection, pausable_bot: None
) -> None:
    await seat.until("play", match_state(), room_state(**ON))
    await seat.settle(match_state("x2/3/2o x", turn=3), RESTING)
    await seat.until("join", replace(invited(), room=8))
    assert "decline" not in seat.verbs()
    await seat.until("play", match_state("xx1/3/2o o", turn=4), room_state(**ON), count=2)
    assert len(PausableBot.made) == 2
    await seat.settle(replace(invited(), room=9))
    assert seat.verbs().count("decline") == 1  # both rooms take a slot now


async def test_a_draining_bot_leaves_a_match_that_rests_to_who_comes_back_under_its_name() -> None:
    for first in (True, False):
        async with seated() as seat:
            await seat.settle(match_state("3/3/3 x", turn=1), room_state(**ON))
            if first:
                await seat.settle(RESTING)
                seat.runner.drain()
            else:
                seat.runner.drain()
                await seat.settle(RESTING)
            await seat.until("close")
            assert set(seat.verbs()) == {"close"}


@pytest.mark.parametrize(("level", "nodes"), [(2, 2), (99, None)])
async def test_a_bot_that_was_started_again_plays_on_at_the_level_of_its_seat(
    connection: FakeConnection, pausable_bot: None, level: int, nodes: int | None
) -> None:
    me = Player(name="house", program="mcts", level=level)
    await connection.until("play", replace(room_state(**ON), seats=(RIVAL, me)), match_state())
    assert nodes is None or PausableBot.asked[-1][1] == nodes


@pytest.mark.parametrize(
    "gone",
    [
        pytest.param(room_state(state="closed"), id="a closed room"),
        pytest.param(room_state(seat=None), id="a lost seat"),
        pytest.param(WELCOME, id="a room that a resumed session has no longer"),
    ],
)
async def test_what_is_gone_is_forgotten(seat: FakeConnection, gone: Push) -> None:
    await seat.settle(gone)
    assert seat.runner.rooms == {}


async def test_a_takeback_is_granted(seat: FakeConnection) -> None:
    assert await seat.until(
        "answer", match_state("3/3/3 x", offers=(Offer_("takeback", 0), Offer_("draw", 1)))
    ) == [("answer", "7.1", "takeback", True)]


@pytest.mark.parametrize(("value", "accept"), [(0.2, False), (0.0, True), (-0.5, True)])
async def test_a_draw_is_taken_by_who_does_not_stand_better(
    seat: FakeConnection, value: float, accept: bool
) -> None:
    PausableBot.value = value
    await seat.until("play", match_state())
    assert await seat.until(
        "answer", match_state("x2/3/2o x", turn=3, offers=(Offer_("draw", 0),))
    ) == [("answer", "7.1", "draw", accept)]
    await seat.settle()
    assert accept or ("I see myself at +0.20" in seat.calls[-1][2])


async def test_a_draw_is_declined_before_the_first_move(seat: FakeConnection) -> None:
    [(*_, accepted)] = await seat.until(
        "answer", match_state("3/3/3 x", turn=1, offers=(Offer_("draw", 0),))
    )
    assert not accepted
    [(_, _, text)] = await seat.until("say")
    assert "I have not moved yet" in text


@pytest.mark.parametrize(
    ("expects", "points", "accept", "why"),
    [
        (-1.4, 2, True, ""),
        (-2.0, 2, True, ""),
        (-2.2, 2, False, "2 is not enough: I expect +2.20."),
        (None, 2, False, "2 is not enough: I cannot tell what is due."),
    ],
)
async def test_a_resignation_is_taken_for_what_the_bot_expects_here(
    seat: FakeConnection, expects: float | None, points: int, accept: bool, why: str
) -> None:
    """It is the opponent's turn, so what the bot expects is what that seat does not."""
    PausableBot.expects = expects
    state = match_state("x2/3/2o x", turn=3, offers=(Offer_("resign", 0, points),))
    assert await seat.until("answer", state) == [("answer", "7.1", "resign", accept)]
    await seat.settle(state)
    assert seat.verbs().count("answer") == 1  # once, however often it is shown
    assert accept or seat.calls[-1] == ("say", 7, why)


async def test_a_bot_that_fails_over_a_resignation_declines_it_and_plays_on(
    seat: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    PausableBot.broken = True
    state = match_state("x2/3/2o x", turn=3, offers=(Offer_("resign", 0, 1),))
    assert await seat.until("answer", state) == [("answer", "7.1", "resign", False)]
    assert "crashed over a resignation" in caplog.text


async def test_a_resignation_is_answered_before_the_bot_s_own_play(seat: FakeConnection) -> None:
    PausableBot.expects = 3.0
    offers = (Offer_("resign", 0, 1),)
    await seat.until("play", match_state(offers=offers))
    assert seat.verbs().index("answer") < seat.verbs().index("play")


async def test_a_restarted_bot_walks_out_of_a_game_it_plays_no_longer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with running(only=("connect_four",)) as connection:
        await connection.until("leave", room_state(state="playing", match="7.1"), match_state())
        assert connection.calls == [("resign", "7.1"), ("leave", 7)]
        assert "it plays connect_four" in caplog.text


async def test_draining_ends_at_once_when_nothing_is_on(connection: FakeConnection) -> None:
    connection.runner.drain()
    await connection.until("close")


async def test_draining_plays_to_the_end_takes_nothing_new_and_leaves() -> None:
    async with seated(slots=3) as connection:
        await connection.settle(match_state("3/3/3 x", turn=1))
        connection.runner.drain()
        await connection.until("play", invited(9), match_state("x2/3/3 o"))
        await connection.settle()
        assert sorted(connection.verbs()) == ["decline", "play"]
        await connection.until("close", match_state(turn=9, result=WON))
        assert connection.verbs()[2:] == ["leave", "close"]


async def test_draining_waits_for_a_match_that_began_while_it_left(seat: FakeConnection) -> None:
    seat.refuse["leave"] = [refusal(Code.ROOM_MATCH_ON)]
    seat.runner.drain()
    await seat.until("leave")
    await seat.until("play", room_state(state="playing", match="7.1"), match_state())
    await seat.until("close", match_state(turn=9, result=WON), room_state(match="7.1"))
