"""Thinking on the opponent's time: when it begins, that it ends at once, and what is kept of it."""

from __future__ import annotations

import pytest

from bots import registry
from bots.bot import Budget
from bots.engine.tree import SLICE, Tree
from protocol.hints import AdviceWanted
from protocol.parts import Offer_
from tests.bots.engine.trees import at, first_decision
from tests.bots.online.fake_connection import (
    WON,
    FakeConnection,
    eventually,
    match_state,
    room_state,
)
from tests.support.pausable_bot import PausableBot, seated

MINE, THEIRS = "x2/3/3 o", "x2/3/2o x"  # it sits at seat 1, with the o


ON = {"ponder": "on"}


async def awake() -> None:
    await eventually(lambda: not PausableBot.dreaming.is_set())


@pytest.mark.usefixtures("pausable_bot")
async def test_it_ponders_from_the_first_turn_of_the_opponent_to_its_last() -> None:
    async with seated(settings=ON) as seat:
        seat.push(match_state("3/3/3 x", turn=1))
        await eventually(PausableBot.dreaming.is_set)
        await seat.until("play", match_state(MINE, turn=2))
        seat.push(match_state(THEIRS, turn=3))
        await eventually(PausableBot.dreaming.is_set)
        seat.push(match_state(THEIRS, turn=4, result=WON))
        await awake()
    assert PausableBot.told == [
        "ponder 3/3/3 x", "awake", f"think {MINE}", f"ponder {THEIRS}", "awake",
    ]  # fmt: skip
    assert len(PausableBot.made) == 1


@pytest.mark.usefixtures("pausable_bot")
async def test_it_does_not_where_nobody_asked_for_it(seat: FakeConnection) -> None:
    await seat.until("play", match_state("3/3/3 x", turn=1), match_state(MINE, turn=2))
    await seat.settle(match_state(THEIRS, turn=3))
    assert PausableBot.told == [f"think {MINE}"]


@pytest.mark.usefixtures("pausable_bot")
async def test_neither_an_offer_nor_a_hint_wakes_it_but_the_table_that_is_closed() -> None:
    async with seated(settings=ON) as seat:
        seat.push(match_state(THEIRS, turn=3))
        await eventually(PausableBot.dreaming.is_set)
        offer = Offer_(seat=0, kind="draw")
        await seat.until("answer", match_state(THEIRS, turn=3, offers=(offer,)))
        wanted = AdviceWanted(ask=9, game="tic_tac_toe", position="3/3/3 x", legal=("1",))
        assert await seat.until("advise", wanted)
        assert PausableBot.told == [f"ponder {THEIRS}", "think 3/3/3 x"]
        assert PausableBot.dreaming.is_set()
        seat.push(room_state(state="closed"))
        await awake()


@pytest.mark.usefixtures("pausable_bot")
async def test_a_crash_while_it_ponders_costs_the_match() -> None:
    async with seated(settings=ON) as seat:
        PausableBot.broken = True
        calls = await seat.until("resign", match_state(THEIRS, turn=3))
        assert calls == [("resign", "7.1", "crashed")]


def test_what_was_pondered_is_kept_when_the_opponent_has_moved() -> None:
    start = first_decision("connect_four")
    tree = Tree(start.game, plain=True, megabytes=1)
    tree.think(start, 50, [0])
    after = start.apply(tree.candidates()[0].action)
    assert tree.ponder(after, 600, [0]) == 600
    reply = tree.candidates()[0]
    tree.think(after.apply(reply.action), 1, [0])
    assert tree.visits == reply.visits + 1


def test_half_of_the_memory_is_left_for_thinking() -> None:
    start = first_decision("connect_four")
    tree = Tree(start.game, plain=True, megabytes=1)
    tree._limit //= 8
    made = tree.ponder(start, 10**9, [0])
    grown = SLICE * start.game.max_legal * 8
    assert tree._limit // 2 <= len(tree.memory()) < tree._limit // 2 + grown
    assert made < 10**9
    assert tree.ponder(start, 10**9, [0]) == 0
    assert tree.think(start, 10, [0]) == 10


def test_a_bot_ponders_within_its_tree_until_that_is_proven() -> None:
    bot = registry.bot("mcts", seed=1, ponder="on", megabytes=1)
    start = at("connect_four", "7/7/7/7/ooo4/xxx4 x")
    assert bot.ponder(start, [1]) == 0
    assert 0 < bot.ponder(start, [0]) < 200  # until it was proven
    assert bot.choose(start, Budget(nodes=5)).nodes == 0


def test_pondering_is_bounded_in_playouts_however_many_a_node_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bots.roster.mcts.MAX_PONDERED", 60)
    bot = registry.bot("mcts", seed=1, ponder="on", playouts=20, megabytes=1)
    assert bot.ponder(at("connect_four", "7/7/7/7/ooo4/xxx4 x"), [0]) == 3
