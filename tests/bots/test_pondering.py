"""Thinking on the opponent's time: when it begins, that it ends at once, and what is kept of it."""

from __future__ import annotations

import argparse
import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bots import registry, terms, versus
from bots.bot import BadSetting, Bot, Budget, Choice, Setting
from bots.roster.mcts import Mcts
from bots.runner import Runner
from bots.tree import SLICE, Tree
from games.game import Ints, Position
from protocol.messages import AdviceWanted, Offer_
from tests.bots.fake_house import (
    WON,
    FakeHouse,
    eventually,
    invited,
    match_state,
    room_state,
)
from tests.bots.trees import at, first_decision

MINE, THEIRS = "x2/3/3 o", "x2/3/2o x"  # it sits at seat 1, with the o


def written(position: Position) -> str:
    return position.game.format_position(position)


class Dreamer(Bot):
    """Ponders until it is told to stop; `busy` while it does."""

    SETTINGS = (Setting("ponder", False, ""),)
    made: list[Dreamer]
    told: list[str]
    broken = False
    busy = threading.Event()

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        type(self).made.append(self)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        self.told.append(f"think {written(position)}")
        return Choice(position.legal_actions()[-1], value=0.0, nodes=1)

    def ponder(self, position: Position, stop: Ints) -> int:
        self.told.append(f"ponder {written(position)}")
        if Dreamer.broken:
            raise RuntimeError("out of dreams")
        self.busy.set()
        while not stop[0]:
            time.sleep(0.001)
        self.busy.clear()
        self.told.append("awake")
        return 1


@asynccontextmanager
async def seated(ponder: str = "on") -> AsyncIterator[FakeHouse]:
    """A Dreamer that was invited to room 7, with this setting, and sits at seat 1."""
    Dreamer.made, Dreamer.told, Dreamer.broken = [], [], False
    Dreamer.busy = threading.Event()
    house = FakeHouse()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_load", lambda name, path: Dreamer)
        runner = Runner(house, terms.entry("mcts", seed=4))  # type: ignore[arg-type]
        serving = asyncio.create_task(runner.serve())
        try:
            house.push(invited(set={"ponder": ponder}), room_state())
            await house.until("ready")
            house.calls.clear()
            yield house
        finally:
            await house.close()
            await serving
        await eventually(lambda: not Dreamer.busy.is_set())


async def test_it_ponders_from_the_first_turn_of_the_opponent_to_its_last() -> None:
    async with seated() as house:
        house.push(match_state("3/3/3 x", turn=1))
        await eventually(Dreamer.busy.is_set)
        house.push(match_state(MINE, turn=2))
        await house.until("play")
        house.push(match_state(THEIRS, turn=3))
        await eventually(Dreamer.busy.is_set)
        house.push(match_state(THEIRS, turn=4, result=WON))
        await eventually(lambda: not Dreamer.busy.is_set())
    assert Dreamer.told == [
        "ponder 3/3/3 x", "awake", f"think {MINE}", f"ponder {THEIRS}", "awake",
    ]  # fmt: skip
    assert len(Dreamer.made) == 1


async def test_it_does_not_where_nobody_asked_for_it() -> None:
    async with seated("off") as house:
        house.push(match_state("3/3/3 x", turn=1), match_state(MINE, turn=2))
        await house.until("play")
        house.push(match_state(THEIRS, turn=3))
        await house.settle()
    assert Dreamer.told == [f"think {MINE}"]


async def test_what_changes_nothing_on_the_board_does_not_wake_it() -> None:
    async with seated() as house:
        house.push(match_state(THEIRS, turn=3))
        await eventually(Dreamer.busy.is_set)
        house.push(match_state(THEIRS, turn=3, offers=(Offer_(seat=0, kind="draw"),)))
        await house.until("answer")
        assert Dreamer.told == [f"ponder {THEIRS}"]


async def test_it_wakes_when_the_table_is_closed() -> None:
    async with seated() as house:
        house.push(match_state(THEIRS, turn=3))
        await eventually(Dreamer.busy.is_set)
        house.push(room_state(state="closed"))
        await eventually(lambda: not Dreamer.busy.is_set())


async def test_a_hint_does_not_wait_for_it() -> None:
    async with seated() as house:
        house.push(match_state(THEIRS, turn=3))
        await eventually(Dreamer.busy.is_set)
        house.push(AdviceWanted(ask=9, game="tic_tac_toe", position="3/3/3 x", legal=("1",)))
        assert await house.until("advise")
        assert Dreamer.busy.is_set()


async def test_a_crash_while_it_ponders_costs_the_match() -> None:
    async with seated() as house:
        Dreamer.broken = True
        house.push(match_state(THEIRS, turn=3))
        assert await house.until("resign") == [("resign", "7.1", "crashed")]


# ---------------------------------------------------------------- the trees of mcts


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


def test_a_bot_ponders_within_its_tree_and_only_if_the_tree_is_kept() -> None:
    bot = registry.bot("mcts", seed=1, ponder="on", megabytes=1)
    start = at("connect_four", "7/7/7/7/ooo4/xxx4 x")
    assert bot.ponder(start, [1]) == 0
    assert 0 < bot.ponder(start, [0]) < 200  # until it was proven
    assert bot.choose(start, Budget(nodes=5)).nodes == 0
    with pytest.raises(BadSetting, match="ponder=on needs keep=on"):
        terms.entry(
            "mcts", seed=1, only=("connect_four",), settings={"ponder": "on", "keep": "off"}
        )


def test_pondering_is_bounded_in_playouts_however_many_a_node_makes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("bots.roster.mcts.PONDERED", 60)
    bot = registry.bot("mcts", seed=1, ponder="on", playouts=20, megabytes=1)
    assert bot.ponder(at("connect_four", "7/7/7/7/ooo4/xxx4 x"), [0]) == 3


@pytest.mark.socket
def test_a_match_at_a_real_server_is_pondered_in_and_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    spent: list[int] = []
    really = Mcts.ponder

    def ponder(self: Mcts, position: Position, stop: Ints) -> int:
        spent.append(really(self, position, stop))
        return spent[-1]

    monkeypatch.setattr(Mcts, "ponder", ponder)
    parser = argparse.ArgumentParser()
    versus.add_arguments(parser)
    words = "mcts random --games 2 --nodes 30 --a-set ponder=on --json"
    assert versus.run(parser.parse_args(words.split())) == 0
    assert capsys.readouterr().err == ""
    assert len(spent) >= 4
