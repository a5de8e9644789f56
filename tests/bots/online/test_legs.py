"""The runner on a ladder: it joins, and plays the rooms in which it is seated."""

from __future__ import annotations

import asyncio
import logging

import pytest
from msgspec.structs import replace

from bots.bot import Budget
from bots.online import room as room_player
from bots.online import runner as runners
from bots.online import search_task
from client.connection import Interrupted
from protocol.errors import Code, Refusal
from protocol.ladder import LadderTold
from protocol.messages import RoomState, Welcome
from protocol.parts import Offer_, Player
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
from tests.support.pausable_bot import PausableBot, running

pytestmark = pytest.mark.usefixtures("pausable_bot")
BOT = Player(name="bea", program="minimax")


def leg(
    room: int = 7, pair: int = 3, number: int = 0, state: str = "playing", game: str = "tic_tac_toe"
) -> RoomState:
    """A leg, in which the runner has seat 1."""
    return room_state(
        room, state=state, opponent=BOT, game=game, match=f"{room}.1", leg=("daily", pair, number)
    )


@pytest.mark.usefixtures("at_once")
async def test_it_joins_with_salt_and_slots_and_tries_again_where_it_may_do_better() -> None:
    async with running(slots=3) as connection:
        passing = [Interrupted("ladder_join"), refusal(Code.SERVER_NOT_STORED)]
        connection.refuse["ladder_join"] = passing
        await connection.runner.enlist("daily", code="X7K2M9")
        (_, ladder, salt, slots, code), *again = connection.calls
        assert again == [connection.calls[0]] * 2
        assert (ladder, slots, code) == ("daily", 3, "X7K2M9")
        assert len(bytes.fromhex(salt)) == 16
        assert connection.runner.ladders == {"daily"}


async def test_a_refused_join_is_told(connection: FakeConnection) -> None:
    connection.refuse["ladder_join"] = [refusal(Code.LADDER_UNKNOWN, "no ladder is called daily")]
    with pytest.raises(Refusal, match="no ladder is called daily"):
        await connection.runner.enlist("daily")
    assert connection.runner.ladders == set()


async def test_a_leg_is_played_without_a_word_and_forgotten_when_it_is_over() -> None:
    for end in ("over", "closed"):
        async with running() as connection:
            await connection.until("play", leg(), match_state())
            await connection.settle(match_state(turn=9, result=WON), leg(state=end))
            await connection.settle(leg(state="closed"))
            assert connection.verbs() == ["play"]
            assert connection.runner.rooms == {}


async def test_an_opponent_who_is_absent_is_left_to_the_server(
    connection: FakeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(room_player, "BOT_READY_S", 0.0)
    await connection.settle(leg(state="waiting"))
    assert connection.calls == []
    assert connection.runner.rooms.keys() == {7}


async def test_both_legs_of_a_pair_take_one_slot_and_never_wait_for_a_thread() -> None:
    async with running(slots=2) as connection:
        PausableBot.go.clear()
        await connection.until("ready", leg(7, 3, 0), leg(8, 3, 1), invited(9), invited(10))
        await connection.settle()
        assert [call[1] for call in connection.calls if call[0] == "join"] == [9]
        connection.push(*(match_state(match=f"{room}.1") for room in (7, 8, 9)))
        await eventually(lambda: len(PausableBot.asked) == 3)


async def test_a_game_that_it_plays_no_longer_is_resigned_and_not_left() -> None:
    async with running(only=("connect_four",)) as connection:
        await connection.until("resign", leg(), match_state())
        await connection.settle()
        assert connection.calls == [("resign", "7.1")]
        assert connection.runner.rooms == {}


@pytest.mark.parametrize(("waited", "left"), [(0.0, 100), (0.03, 70), (9.0, 25)])
def test_waiting_for_a_thread_is_on_the_clock(waited: float, left: int) -> None:
    assert search_task._after_waiting(Budget(nodes=5, ms=100), waited) == Budget(nodes=5, ms=left)
    assert search_task._after_waiting(Budget(nodes=5), waited) == Budget(nodes=5)


async def test_a_word_of_the_server_is_a_warning(
    connection: FakeConnection, caplog: pytest.LogCaptureFixture
) -> None:
    text = "6 of its last 50 matches were lost by crashes"
    await connection.settle(LadderTold(ladder="daily", code=Code.LADDER_SUSPENDED, text=text))
    [record] = [record for record in caplog.records if text in record.getMessage()]
    assert record.levelno == logging.WARNING
    assert "daily" in record.getMessage()


async def test_a_bot_that_came_for_one_ladder_goes_when_that_is_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runners, "SECOND_LEG_S", 0.001)
    async with running() as connection:
        await connection.runner.enlist("daily", tied=True)
        await connection.until("play", leg(), match_state())
        connection.push(LadderTold(ladder="Daily", code=Code.LADDER_SIBLINGS, text="no kin"))
        await connection.settle(LadderTold(ladder="Daily", code=Code.LADDER_FINISHED, text="over"))
        assert connection.runner.draining
        assert "ladder_leave" not in connection.verbs()  # there is nothing left to leave
        over = match_state(turn=9, result=WON), leg(number=1, state="over")
        await connection.until("close", *over)
        assert connection.runner.dismissed == []


async def test_a_bot_that_its_ladder_has_dropped_goes_and_says_so() -> None:
    async with running() as connection:
        await connection.runner.enlist("daily", tied=True)
        dropped = LadderTold(ladder="daily", code=Code.LADDER_SUSPENDED, text="dropped by ann")
        await connection.until("close", dropped)
        assert connection.runner.dismissed == ["daily"]


async def test_a_bot_of_many_ladders_stays_when_one_is_over(connection: FakeConnection) -> None:
    for ladder in ("daily", "weekly"):
        await connection.runner.enlist(ladder)
    await connection.settle(LadderTold(ladder="daily", code=Code.LADDER_FINISHED, text="over"))
    assert (connection.runner.ladders, connection.runner.draining) == ({"weekly"}, False)


@pytest.mark.parametrize("state", ["running", "finished", None])
async def test_an_end_that_came_while_the_line_was_lost_is_noticed(state: str | None) -> None:
    async with running() as connection:
        await connection.runner.enlist("daily", tied=True)
        connection.ladder_state = state
        welcome = Welcome(version=1, server="s", name="house", now=0)
        await connection.settle(welcome)
        assert connection.runner.draining is (state != "running")


async def test_who_takes_no_invitations_says_so() -> None:
    async with running(alias="mcts-2", invited=False) as connection:
        await connection.until("decline", invited(7))
        assert connection.calls == [("decline", 7, "terms", "I play on ladders only.")]


async def test_it_finds_its_seat_under_another_name() -> None:
    async with running(alias="mcts-2") as connection:
        state = match_state("3/3/3 x", turn=1, offers=(Offer_("draw", 1),))
        seats = (RIVAL, Player(name="house", program="mcts-2"))
        await connection.settle(
            room_state(state="playing", match="7.1"), replace(state, seats=seats)
        )
        assert connection.calls == []  # the offer is its own
        [(_, _, _, _, note)] = await connection.until("play", match_state())
        assert note.startswith("mcts-2 3 nodes")


async def test_draining_leaves_the_ladder_and_plays_both_legs(connection: FakeConnection) -> None:
    await connection.runner.enlist("daily")
    await connection.until("play", leg(), match_state())
    connection.runner.drain()
    await connection.until("ladder_leave")
    await connection.settle(match_state(turn=9, result=WON), leg(state="over"))
    assert "close" not in connection.verbs()
    await connection.until("play", leg(8, 3, 1), match_state(match="8.1"), count=2)
    await connection.until(
        "close", match_state(match="8.1", turn=9, result=WON), leg(8, 3, 1, "over")
    )
    assert connection.verbs()[-3:] == ["ladder_leave", "play", "close"]


async def test_draining_does_not_wait_for_ever_for_a_second_leg(
    connection: FakeConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runners, "SECOND_LEG_S", 0.001)
    await connection.until("play", leg(), match_state())
    connection.runner.drain()
    await connection.until("close", match_state(turn=9, result=WON), leg(state="over"))


async def test_with_dice_no_second_leg_follows(connection: FakeConnection) -> None:
    await connection.settle(leg(game="backgammon"))
    connection.runner.drain()
    await connection.until("close", leg(state="over", game="backgammon"))


async def test_draining_goes_on_where_the_ladder_is_gone(connection: FakeConnection) -> None:
    await connection.runner.enlist("daily")
    connection.refuse["ladder_leave"] = [refusal(Code.LADDER_UNKNOWN)]
    connection.runner.drain()
    await connection.until("close")


async def test_abandoning_resigns_the_second_leg_as_well(connection: FakeConnection) -> None:
    PausableBot.go.clear()
    connection.push(leg(), match_state())
    await eventually(lambda: PausableBot.asked)
    abandoning = asyncio.create_task(connection.runner.abandon())
    await connection.until("resign")
    connection.push(match_state(turn=9, result=WON), leg(state="over"))
    calls = await connection.until("resign", leg(8, 3, 1), match_state(match="8.1"), count=2)
    assert calls == [("resign", "7.1"), ("resign", "8.1")]
    connection.push(match_state(match="8.1", turn=9, result=WON), leg(8, 3, 1, "over"))
    await abandoning
