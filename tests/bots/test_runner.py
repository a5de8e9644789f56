"""The runner against a house without a network: what it answers, and what it does not do twice."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

import pytest

from bots import table, terms
from bots.bot import Budget
from client.connection import Interrupted
from games.game import Game
from protocol.errors import Code
from protocol.messages import AdviceWanted, Clocks, Offer_, Player, Welcome
from tests.bots.fake_house import (
    WON,
    eventually,
    invited,
    match_state,
    refusal,
    room_state,
)
from tests.bots.patient import Patient, patient, running, seated  # noqa: F401  # a fixture


async def test_an_invitation_is_joined_and_readied() -> None:
    async with running() as (house, _):
        house.push(invited())
        await house.until("ready")
        assert house.calls == [("join", 7, None), ("ready", 7, None)]


async def test_it_loads_its_code_before_it_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    loading, loaded = threading.Event(), threading.Event()

    def prepare(cls: type[Patient], game: Game) -> None:
        loading.set()
        assert loaded.wait(5)

    monkeypatch.setattr(Patient, "loaded", classmethod(lambda cls, game: loaded.is_set()))
    monkeypatch.setattr(Patient, "prepare", classmethod(prepare))
    async with running() as (house, _):
        house.push(invited(), room_state())
        await house.until("join")
        assert await asyncio.to_thread(loading.wait, 5)
        await house.settle()
        assert [call[0] for call in house.calls] == ["join"]
        loaded.set()
        await house.until("ready")


async def test_a_bot_that_cannot_load_its_code_says_so_and_leaves(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def prepare(cls: type[Patient], game: Game) -> None:
        raise RuntimeError("no compiler")

    monkeypatch.setattr(Patient, "loaded", classmethod(lambda cls, game: False))
    monkeypatch.setattr(Patient, "prepare", classmethod(prepare))
    async with running() as (house, runner):
        house.push(invited())
        await house.until("leave")
        await house.settle()
        said = "I cannot play tic_tac_toe: getting ready failed."
        assert house.calls == [("join", 7, None), ("say", 7, said), ("leave", 7)]
        assert runner.tables == {}
    assert "mcts cannot prepare for tic_tac_toe" in caplog.text
    assert "no compiler" in caplog.text


async def test_where_dice_roll_the_bot_adds_its_share() -> None:
    dice = type("Dice", (), {"has_chance": True})()
    async with running() as (house, _runner):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(table.games, "game", lambda name: dice)
            house.push(invited(7), invited(8))
            [(_, _, salt)] = await house.until("ready")
        assert len(salt) == 32
        assert set(salt) <= set("0123456789abcdef")


async def test_an_invitation_without_a_free_slot_is_left_to_expire() -> None:
    async with running(slots=1) as (house, _runner):
        house.push(invited(7), invited(8))
        await house.until("ready")
        await house.settle()
        assert [call for call in house.calls if call[0] == "join"] == [("join", 7, None)]


async def test_an_invitation_that_has_expired_frees_the_slot() -> None:
    async with running() as (house, runner):
        house.refuse["join"] = [refusal(Code.ROOM_FULL)]
        house.push(invited(7))
        await house.until("join")
        await house.settle()
        assert runner.tables == {}


@pytest.mark.parametrize(
    ("strength", "sentence"),
    [
        ({"set": {"depth": "x"}}, "depth=x is not possible: it takes a whole number from 1 to 9"),
        ({"set": {"seed": "1"}}, "there is no setting 'seed'"),
        ({"level": 8}, "mcts has levels 1 to 3, not 8"),
        ({"level": 1, "nodes": 5}, "a strength is a level or a number of nodes, not both"),
    ],
)
async def test_an_impossible_strength_is_answered_in_the_chat_and_nobody_sits_down(
    strength: dict[str, Any], sentence: str
) -> None:
    async with running() as (house, runner):
        house.push(invited(7, **strength))
        await house.until("leave")
        assert [call[0] for call in house.calls] == ["watch", "say", "leave"]
        assert sentence in house.calls[1][2]
        assert runner.tables == {}


async def test_it_plays_when_its_turn_comes_and_says_what_it_thought() -> None:
    async with seated() as (house, _):
        house.push(match_state("3/3/3 x", turn=1), match_state("x2/3/3 o", turn=2))
        [(_, match, turn, action, note)] = await house.until("play")
        assert (match, turn, action) == ("7.1", 2, "9")
        assert note.startswith("mcts 3 nodes 0.")
        assert note.endswith(" s | 9 3 +0.20")


async def test_the_same_turn_is_thought_about_once_and_answered_again() -> None:
    async with seated() as (house, _):
        house.push(match_state())
        await house.until("play")
        house.push(Welcome(version=1, server="s", name="house", now=0, rooms=(7,)))
        house.push(room_state(state="playing"), match_state())
        plays = await house.until("play", count=2)
        assert plays[0] == plays[1]
        assert len(Patient.asked) == 1


async def test_a_turn_under_thought_is_not_begun_again() -> None:
    async with seated() as (house, _):
        Patient.go.clear()
        house.push(match_state(), match_state(), match_state())
        await house.settle()
        Patient.go.set()
        await house.until("play")
        await house.settle()
        assert len(Patient.asked) == 1
        assert len([call for call in house.calls if call[0] == "play"]) == 1


async def test_a_takeback_ends_the_thought_and_nothing_of_it_is_played() -> None:
    async with seated() as (house, _):
        Patient.go.clear()
        house.push(match_state("xo1/x2/3 o", turn=6))
        await eventually(lambda: Patient.asked)
        house.push(match_state("3/3/3 x", turn=7))
        house.push(match_state("x2/3/3 o", turn=8))
        await house.settle()
        Patient.go.set()
        [(_, _, turn, _, _)] = await house.until("play")
        assert turn == 8
        assert len(Patient.made) == 1


async def test_each_match_has_a_bot_of_its_own_with_a_seed_of_its_own() -> None:
    async with seated() as (house, _):
        house.push(match_state(match="7.1"))
        await house.until("play")
        house.push(match_state(match="7.1", turn=9, result=WON), match_state(match="7.2"))
        await house.until("play", count=2)
        assert [bot.seed for bot in Patient.made] == [
            terms.match_seed(4, "7.1"),
            terms.match_seed(4, "7.2"),
        ]


async def test_an_invitations_strength_decides_the_nodes() -> None:
    async with running() as (house, _):
        house.push(invited(level=3), room_state(), match_state())
        await house.until("play")
        assert [nodes for _, nodes in Patient.asked] == [3]


async def test_the_clock_bounds_the_time_of_a_budget_in_nodes() -> None:
    async with running(budget=Budget(nodes=10**9)) as (house, _):
        Patient.go.clear()  # only the stop flag can end it now
        clocks = Clocks(remaining=(5_000, 5_000), running=1, suggested_ms=5)
        house.push(invited(), room_state(), match_state(clocks=clocks))
        await house.until("play")


async def test_a_refusal_that_passes_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "RETRY_S", 0.001)
    async with seated() as (house, _):
        house.refuse["play"] = [refusal(Code.ROOM_BUSY), refusal(Code.SERVER_NOT_STORED)]
        house.push(match_state())
        plays = await house.until("play", count=3)
        assert plays[0] == plays[1] == plays[2]


async def test_a_busy_room_is_asked_again_whether_it_is_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table, "RETRY_S", 0.001)
    async with running() as (house, _):
        house.refuse["ready"] = [refusal(Code.ROOM_BUSY)]
        house.push(invited())
        assert await house.until("ready", count=2) == [("ready", 7, None)] * 2


async def test_a_stale_turn_is_no_reason_to_resign() -> None:
    async with seated() as (house, _):
        house.refuse["play"] = [refusal(Code.MATCH_STALE_TURN)]
        house.push(match_state())
        await house.until("play")
        await house.settle()
        assert [call[0] for call in house.calls] == ["play"]


async def test_a_play_that_the_server_will_never_take_costs_the_match(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with seated() as (house, _):
        house.refuse["play"] = [refusal(Code.MATCH_ILLEGAL_ACTION, "9 is not legal")]
        house.push(match_state())
        assert await house.until("resign") == [("resign", "7.1")]
        assert "9 is not legal" in caplog.text


async def test_a_bot_that_crashes_resigns_and_says_where_and_the_next_match_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with seated() as (house, _):
        Patient.broken = True
        house.push(match_state())
        assert await house.until("resign") == [("resign", "7.1", "crashed")]
        assert "out of ideas" in caplog.text
        assert "match 7.1: turn 2, tic_tac_toe 'x2/3/3 o', seed" in caplog.text
        Patient.broken = False
        house.push(match_state(turn=9, result=WON), match_state(match="7.2"))
        [(_, match, _, _, _)] = await house.until("play")
        assert match == "7.2"


async def test_a_resignation_that_got_lost_is_sent_again(caplog: pytest.LogCaptureFixture) -> None:
    async with seated() as (house, _):
        Patient.broken = True
        house.refuse["resign"] = [Interrupted("resign")]
        house.push(match_state())
        await house.until("resign")
        await house.settle()
        house.push(match_state())
        await house.until("resign", count=2)
        assert len(Patient.asked) == 1


async def test_a_position_it_cannot_read_costs_one_match(caplog: pytest.LogCaptureFixture) -> None:
    async with seated() as (house, runner):
        strange = match_state()
        house.push(type(strange)(**{**_fields(strange), "position": "?"}))
        await house.until("resign")
        assert "NotationError" in caplog.text
        assert runner.tables.keys() == {7}


async def test_a_rematch_waits_for_the_opponent() -> None:
    async with seated() as (house, _):
        house.push(match_state(result=WON), room_state(match="7.1"))
        await house.settle()
        assert house.calls == []
        house.push(room_state(seat=0, ready=(False, True)))
        assert await house.until("ready") == [("ready", 7, None)]


async def test_it_gets_up_when_the_opponent_has_left() -> None:
    async with seated() as (house, runner):
        house.push(room_state(opponent=None))
        await house.until("leave")
        await house.settle()
        assert runner.tables == {}


async def test_it_stays_for_an_opponent_who_has_not_come_yet() -> None:
    async with running() as (house, runner):
        house.push(invited(), room_state(opponent=None), room_state(opponent=None))
        await house.until("ready")
        await house.settle()
        assert runner.tables.keys() == {7}


@pytest.mark.parametrize("opponent", [Player(name="ann"), Player(name="b", program="minimax")])
async def test_it_gets_up_when_nothing_starts(
    opponent: Player, monkeypatch: pytest.MonkeyPatch
) -> None:
    which = "BOT_PATIENCE_S" if opponent.program else "PATIENCE_S"
    monkeypatch.setattr(table, which, 0.001)
    async with running() as (house, _):
        house.push(invited(), room_state(opponent=opponent))
        await house.until("leave")
        assert house.calls[-2:] == [
            ("say", 7, "Nothing has started here for a while, so I get up."),
            ("leave", 7),
        ]


async def test_it_gets_up_even_where_nobody_may_speak(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "PATIENCE_S", 0.001)
    async with running() as (house, _runner):
        house.refuse["say"] = [refusal(Code.CHAT_BAD_TEXT)]
        house.push(invited(), room_state())
        await house.until("leave")


async def test_a_closed_room_and_a_lost_seat_are_forgotten() -> None:
    for gone in (room_state(state="closed"), room_state(seat=None)):
        async with seated() as (house, runner):
            house.push(gone)
            await house.settle()
            assert runner.tables == {}


async def test_a_takeback_is_granted() -> None:
    async with seated() as (house, _):
        house.push(match_state("3/3/3 x", offers=(Offer_("takeback", 0), Offer_("draw", 1))))
        assert await house.until("answer") == [("answer", "7.1", "takeback", True)]


@pytest.mark.parametrize(("value", "accept"), [(0.2, False), (0.0, True), (-0.5, True)])
async def test_a_draw_is_taken_by_who_does_not_stand_better(value: float, accept: bool) -> None:
    Patient.value = value
    async with seated() as (house, _):
        house.push(match_state())
        await house.until("play")
        house.push(match_state("x2/3/2o x", turn=3, offers=(Offer_("draw", 0),)))
        assert await house.until("answer") == [("answer", "7.1", "draw", accept)]
        await house.settle()
        assert accept or ("I see myself at +0.20" in house.calls[-1][2])


async def test_a_draw_is_declined_before_the_first_move() -> None:
    async with seated() as (house, _):
        house.push(match_state("3/3/3 x", turn=1, offers=(Offer_("draw", 0),)))
        assert await house.until("answer") == [("answer", "7.1", "draw", False)]
        [(_, _, text)] = await house.until("say")
        assert "I have not moved yet" in text


async def test_advice_is_thought_about_and_given() -> None:
    async with running() as (house, _):
        house.push(AdviceWanted(ask=5, game="tic_tac_toe", position="3/3/3 x", legal=("1",)))
        assert await house.until("advise") == [("advise", 5, "9", "9 3 +0.20")]


async def test_a_crash_over_advice_is_reported_and_nothing_else(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with running() as (house, _):
        Patient.broken = True
        house.push(AdviceWanted(ask=5, game="tic_tac_toe", position="3/3/3 x", legal=("1",)))
        await eventually(lambda: "crashed when asked" in caplog.text)
        assert house.calls == []


async def test_a_restarted_bot_takes_up_the_rooms_it_is_shown() -> None:
    async with running() as (house, runner):
        house.push(room_state(state="playing", match="7.1"), match_state())
        await house.until("play")
        assert runner.tables.keys() == {7}


async def test_a_restarted_bot_walks_out_of_a_game_it_plays_no_longer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    async with running(only=("connect_four",)) as (house, _runner):
        house.push(room_state(state="playing", match="7.1"), match_state())
        await house.until("leave")
        assert house.calls == [("resign", "7.1"), ("leave", 7)]
        assert "it plays connect_four" in caplog.text


async def test_a_room_that_a_resumed_session_has_no_longer_is_forgotten() -> None:
    async with seated() as (house, runner):
        house.push(Welcome(version=1, server="s", name="house", now=0))
        await house.settle()
        assert runner.tables == {}


async def test_draining_ends_at_once_when_nothing_is_on() -> None:
    async with running() as (house, runner):
        await house.settle()
        runner.drain()
        await house.until("close")


async def test_draining_plays_to_the_end_takes_nothing_new_and_leaves() -> None:
    async with seated(slots=3) as (house, runner):
        house.push(match_state("3/3/3 x", turn=1))
        await house.settle()
        runner.drain()
        house.push(invited(9), match_state("x2/3/3 o"))
        await house.until("play")
        await house.settle()
        assert [call[0] for call in house.calls] == ["play"]
        house.push(match_state(turn=9, result=WON))
        await house.until("close")
        assert [call[0] for call in house.calls] == ["play", "leave", "close"]


async def test_draining_waits_for_a_match_that_began_while_it_left() -> None:
    async with seated() as (house, runner):
        house.refuse["leave"] = [refusal(Code.ROOM_MATCH_ON)]
        runner.drain()
        await house.until("leave")
        house.push(room_state(state="playing", match="7.1"), match_state())
        await house.until("play")
        house.push(match_state(turn=9, result=WON), room_state(match="7.1"))
        await house.until("close")


async def test_abandoning_resigns_first() -> None:
    async with seated() as (house, runner):
        Patient.go.clear()
        house.push(match_state())
        await eventually(lambda: Patient.asked)
        abandoning = asyncio.create_task(runner.abandon())
        await house.until("resign")
        house.push(match_state(turn=9, result=WON))
        await abandoning
        assert [call[0] for call in house.calls][:3] == ["resign", "leave", "close"]


def _fields(state: Any) -> dict[str, Any]:
    return {name: getattr(state, name) for name in state.__struct_fields__}
