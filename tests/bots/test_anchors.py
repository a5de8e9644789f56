"""The house's anchors: when they come, what they join, and that they share a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Executor
from contextlib import asynccontextmanager

import pytest
from msgspec.structs import replace

from bots import anchors, terms
from bots.anchors import Anchors
from bots.runner import Runner
from bots.terms import Entry
from protocol.errors import Code
from protocol.ladder import LadderLine
from protocol.messages import ClockOptions
from tests.bots.fake_house import FakeHouse, eventually, match_state, refusal, room_state
from tests.bots.patient import Patient, patient  # noqa: F401  # a fixture

DAILY = LadderLine(
    name="daily",
    game="tic_tac_toe",
    format="endless",
    clock=ClockOptions(base_ms=10_000, increment_ms=100),
    state="running",
    owner="ann",
    at=1,
)
NAMES = ["random", "minimax-2", "minimax-4", "mcts-2", "mcts-4", "mcts-6"]


class Hall:
    """Where anchors are brought: a fake house for each, with the same list of ladders."""

    def __init__(self) -> None:
        self.lines: list[LadderLine] = []
        self.houses: dict[str, FakeHouse] = {}
        self.runners: list[Runner] = []
        self.anchors = Anchors(4, self.bring)
        self.refuse: list[Exception] = []

    async def bring(self, entry: Entry, workers: Executor) -> Runner:
        house = self.houses[entry.name] = FakeHouse()
        house.lines = self.lines
        if self.refuse:
            house.refuse["ladder_join"] = [self.refuse.pop()]
        runner = Runner(house, entry, workers=workers)  # type: ignore[arg-type]
        self.runners.append(runner)
        return runner

    def joins(self) -> list[tuple[str, str, int]]:
        """Who joined what, with how many slots."""
        return [
            (name, call[1], call[3])
            for name, house in self.houses.items()
            for call in house.calls
            if call[0] == "ladder_join"
        ]


@asynccontextmanager
async def hall(*lines: LadderLine) -> AsyncIterator[Hall]:
    found = Hall()
    found.lines += lines
    running = asyncio.create_task(found.anchors.run())
    try:
        yield found
    finally:
        Patient.go.set()
        found.anchors.stop()
        for runner in found.runners:
            runner.drain()
        async with asyncio.timeout(10):
            await running


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchors, "LOOK_S", 0.001)


def test_an_anchor_is_a_program_with_the_nodes_of_its_level() -> None:
    found = {entry.name: entry for entry in anchors.entries(4)}
    assert list(found) == NAMES
    assert [entry.slots for entry in found.values()] == [2, 2, 2, 2, 2, 1]
    assert found["mcts-2"].budget == terms.level_budget("mcts", 2)
    info = found["mcts-2"].info()
    assert (info.program, info.levels) == ("mcts-2", 0)  # of all bots the last to be asked a hint


async def test_none_but_random_comes_before_there_is_a_ladder() -> None:
    async with hall() as found:
        await eventually(lambda: "random" in found.houses)
        await found.houses["random"].until("ladders", count=2)
        assert list(found.houses) == ["random"]
        found.lines.append(DAILY)
        await eventually(lambda: len(found.joins()) == 6)
        assert found.joins() == [(name, "daily", 2 - (name == "mcts-6")) for name in NAMES]


async def test_each_ladder_is_joined_once_and_those_that_are_over_never() -> None:
    lines = (DAILY, replace(DAILY, name="old", state="finished"))
    async with hall(*lines) as found:
        await eventually(lambda: len(found.joins()) == 6)
        found.lines.append(replace(DAILY, name="weekly"))
        await eventually(lambda: len(found.joins()) == 12)
        await found.houses["random"].until("ladders", count=5)
        assert {ladder for _, ladder, _ in found.joins()} == {"daily", "weekly"}
        assert len(found.joins()) == 12


async def test_an_anchor_that_is_refused_does_not_keep_the_others_away() -> None:
    async with hall() as found:
        await eventually(lambda: "random" in found.houses)
        found.refuse.append(refusal(Code.LADDER_QUOTA))
        found.lines.append(DAILY)
        await eventually(lambda: len(found.joins()) == 6)
        await found.houses["random"].until("ladders", count=3)
        assert len(found.joins()) == 6


async def test_an_anchor_waits_until_it_is_compiled_and_loads_that_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []
    monkeypatch.setattr(Patient, "ready", classmethod(lambda cls, game: bool(done)))
    monkeypatch.setattr(Patient, "loaded", classmethod(lambda cls, game: len(done) == 2))
    monkeypatch.setattr(Patient, "prepare", classmethod(lambda cls, game: done.append(game.name)))
    async with hall(DAILY) as found:
        await eventually(lambda: "random" in found.houses)
        await found.houses["random"].until("ladders", count=2)
        assert found.joins() == []
        done.append("compiled")
        await eventually(lambda: len(found.joins()) == 6)
        assert done == ["compiled", "tic_tac_toe"]


async def test_all_anchors_but_the_slow_one_think_on_one_thread() -> None:
    async with hall(DAILY) as found:
        await eventually(lambda: len(found.joins()) == 6)
        Patient.go.clear()
        for house in found.houses.values():
            house.push(room_state(leg=("daily", 1, 1), state="playing"), match_state())
        await eventually(lambda: len(Patient.asked) == 2)
        for house in found.houses.values():
            await house.settle()
        assert len(Patient.asked) == 2
        Patient.go.set()
        await eventually(lambda: len(Patient.asked) == 6)
        for runner, house in zip(found.runners, found.houses.values(), strict=True):
            house.push(room_state(leg=("daily", 1, 1), state="closed"))
            await house.settle()
            assert not runner.tables


async def test_a_random_that_is_here_already_is_the_zero() -> None:
    house, entry = FakeHouse(), terms.entry("random", seed=1, slots=16)
    zero = Runner(house, entry)  # type: ignore[arg-type]
    serving = asyncio.create_task(zero.serve())
    house.lines = [DAILY]
    others = Hall()
    others.anchors = Anchors(4, others.bring, zero)
    running = asyncio.create_task(others.anchors.run())
    [(_, ladder, _, slots)] = await house.until("ladder_join")
    assert (ladder, slots) == ("daily", 2)
    await eventually(lambda: len(others.joins()) == 5)
    assert "random" not in others.houses
    others.anchors.stop()
    for runner in (zero, *others.runners):
        runner.drain()
    await asyncio.gather(running, serving)


def test_what_is_compiled_before_they_come_is_each_program_once() -> None:
    assert [entry.program for entry in anchors.prepared()] == ["minimax", "mcts"]
