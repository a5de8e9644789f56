"""The runner on a ladder: it joins, and plays the rooms in which it is seated."""

from __future__ import annotations

import asyncio
import logging

import pytest
from msgspec.structs import replace

from bots import runner as runners
from bots import table, terms, thought
from bots.bot import Budget
from bots.runner import Runner
from client.connection import Interrupted
from protocol.errors import Code, Refusal
from protocol.ladder import LadderTold
from protocol.messages import Offer_, Player, RoomState, Welcome
from tests.bots.fake_house import (
    RIVAL,
    WON,
    FakeHouse,
    eventually,
    invited,
    match_state,
    refusal,
    room_state,
)
from tests.bots.patient import Patient, patient, running  # noqa: F401  # a fixture

BOT = Player(name="bea", program="minimax")


def leg(
    room: int = 7, pair: int = 3, number: int = 0, state: str = "playing", game: str = "tic_tac_toe"
) -> RoomState:
    """A leg, in which the runner has seat 1."""
    return room_state(
        room, state=state, opponent=BOT, game=game, match=f"{room}.1", leg=("daily", pair, number)
    )


async def test_it_joins_with_salt_and_slots() -> None:
    async with running(slots=3) as (house, runner):
        await runner.enlist("daily")
        [(_, ladder, salt, slots)] = house.calls
        assert (ladder, slots) == ("daily", 3)
        assert len(bytes.fromhex(salt)) == 16
        assert runner.ladders == {"daily"}


async def test_joining_is_tried_again_where_it_may_do_better(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runners, "RETRY_S", 0.001)
    async with running() as (house, runner):
        house.refuse["ladder_join"] = [Interrupted("ladder_join"), refusal(Code.SERVER_NOT_STORED)]
        await runner.enlist("daily")
        assert len(house.calls) == 3
        assert len({call[2] for call in house.calls}) == 1


async def test_a_refused_join_is_told() -> None:
    async with running() as (house, runner):
        house.refuse["ladder_join"] = [refusal(Code.LADDER_UNKNOWN, "no ladder is called daily")]
        with pytest.raises(Refusal, match="no ladder is called daily"):
            await runner.enlist("daily")
        assert runner.ladders == set()


async def test_a_leg_is_played_without_a_word_and_forgotten_when_it_is_over() -> None:
    for end in ("over", "closed"):
        async with running() as (house, runner):
            house.push(leg(), match_state())
            await house.until("play")
            house.push(match_state(turn=9, result=WON), leg(state=end))
            await house.settle()
            house.push(leg(state="closed"))
            await house.settle()
            assert [call[0] for call in house.calls] == ["play"]
            assert runner.tables == {}


async def test_an_opponent_who_is_absent_is_left_to_the_server(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table, "BOT_PATIENCE_S", 0.0)
    async with running() as (house, runner):
        house.push(leg(state="waiting"))
        await house.settle()
        assert house.calls == []
        assert runner.tables.keys() == {7}


async def test_the_entrys_own_strength_plays_within_the_clock() -> None:
    async with running(budget=Budget(nodes=77)) as (house, _):
        house.push(leg(), match_state())
        await house.until("play")
        assert [nodes for _, nodes in Patient.asked] == [77]


async def test_both_legs_of_a_pair_take_one_slot_and_never_wait_for_a_thread() -> None:
    async with running(slots=2) as (house, _):
        Patient.go.clear()
        house.push(leg(7, 3, 0), leg(8, 3, 1), invited(9), invited(10))
        await house.until("ready")
        await house.settle()
        assert [call[1] for call in house.calls if call[0] == "join"] == [9]
        house.push(*(match_state(match=f"{room}.1") for room in (7, 8, 9)))
        await eventually(lambda: len(Patient.asked) == 3)


async def test_a_game_that_it_plays_no_longer_is_resigned_and_not_left() -> None:
    async with running(only=("connect_four",)) as (house, runner):
        house.push(leg(), match_state())
        await house.until("resign")
        await house.settle()
        assert house.calls == [("resign", "7.1")]
        assert runner.tables == {}


@pytest.mark.parametrize(("waited", "left"), [(0.0, 100), (0.03, 70), (9.0, 25)])
def test_waiting_for_a_thread_is_on_the_clock(waited: float, left: int) -> None:
    assert thought._less(Budget(nodes=5, ms=100), waited) == Budget(nodes=5, ms=left)
    assert thought._less(Budget(nodes=5), waited) == Budget(nodes=5)


async def test_a_word_of_the_server_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    async with running() as (house, _):
        text = "6 of its last 50 matches were lost by crashes"
        house.push(LadderTold(ladder="daily", code=Code.LADDER_SUSPENDED, text=text))
        await house.settle()
        [record] = [record for record in caplog.records if text in record.getMessage()]
        assert record.levelno == logging.WARNING
        assert "daily" in record.getMessage()


async def test_a_restarted_bot_takes_up_its_leg() -> None:
    async with running() as (house, runner):
        welcome = Welcome(version=1, server="s", name="house", now=0, rooms=(7,))
        house.push(welcome, leg(), match_state())
        await house.until("play")
        assert runner.tables.keys() == {7}


async def test_who_takes_no_invitations_says_so() -> None:
    house = FakeHouse()
    entry = terms.entry("mcts", seed=4, alias="mcts-2", invited=False)
    runner = Runner(house, entry)  # type: ignore[arg-type]
    serving = asyncio.create_task(runner.serve())
    house.push(invited(7))
    await house.until("leave")
    assert [call[0] for call in house.calls] == ["watch", "say", "leave"]
    assert "ladders" in house.calls[1][2]
    await house.close()
    await serving


async def test_it_finds_its_seat_under_another_name() -> None:
    async with running(alias="mcts-2") as (house, _):
        state = match_state("3/3/3 x", turn=1, offers=(Offer_("draw", 1),))
        seats = (RIVAL, Player(name="house", program="mcts-2"))
        house.push(room_state(state="playing", match="7.1"), replace(state, seats=seats))
        await house.settle()
        assert house.calls == []  # the offer is its own
        house.push(match_state())
        [(_, _, _, _, note)] = await house.until("play")
        assert note.startswith("mcts-2 3 nodes")


# ---------------------------------------------------------------- the end


async def test_draining_leaves_the_ladder_and_plays_both_legs() -> None:
    async with running() as (house, runner):
        await runner.enlist("daily")
        house.push(leg(), match_state())
        await house.until("play")
        runner.drain()
        await house.until("ladder_leave")
        house.push(match_state(turn=9, result=WON), leg(state="over"))
        await house.settle()
        assert "close" not in [call[0] for call in house.calls]
        house.push(leg(8, 3, 1), match_state(match="8.1"))
        await house.until("play", count=2)
        house.push(match_state(match="8.1", turn=9, result=WON), leg(8, 3, 1, "over"))
        await house.until("close")
        assert [call[0] for call in house.calls][-3:] == ["ladder_leave", "play", "close"]


async def test_draining_does_not_wait_for_ever_for_a_second_leg(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runners, "SECOND_LEG_S", 0.001)
    async with running() as (house, runner):
        house.push(leg(), match_state())
        await house.until("play")
        runner.drain()
        house.push(match_state(turn=9, result=WON), leg(state="over"))
        await house.until("close")


async def test_with_dice_no_second_leg_follows() -> None:
    async with running() as (house, runner):
        house.push(leg(game="backgammon"))
        await house.settle()
        runner.drain()
        house.push(leg(state="over", game="backgammon"))
        await house.until("close")


async def test_draining_goes_on_where_the_ladder_is_gone() -> None:
    async with running() as (house, runner):
        await runner.enlist("daily")
        house.refuse["ladder_leave"] = [refusal(Code.LADDER_UNKNOWN)]
        runner.drain()
        await house.until("close")


async def test_abandoning_resigns_the_second_leg_as_well() -> None:
    async with running() as (house, runner):
        Patient.go.clear()
        house.push(leg(), match_state())
        await eventually(lambda: Patient.asked)
        abandoning = asyncio.create_task(runner.abandon())
        await house.until("resign")
        house.push(match_state(turn=9, result=WON), leg(state="over"))
        house.push(leg(8, 3, 1), match_state(match="8.1"))
        assert await house.until("resign", count=2) == [("resign", "7.1"), ("resign", "8.1")]
        house.push(match_state(match="8.1", turn=9, result=WON), leg(8, 3, 1, "over"))
        await abandoning
