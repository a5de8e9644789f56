"""The house's anchors: when they come, what they join, and that they share a thread."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from bots.online import anchors
from bots.online.anchors import Anchors
from bots.online.entry import Entry, level_budget, make_entry
from bots.online.pool import BotPool
from bots.online.runner import Runner
from bots.online.tokens import Tokens
from protocol.errors import Code
from protocol.ladder import LadderLine
from protocol.parts import ClockOptions
from tests.bots.online.fake_connection import (
    FakeConnection,
    eventually,
    match_state,
    refusal,
    room_state,
)
from tests.support.pausable_bot import PausableBot

pytestmark = pytest.mark.usefixtures("pausable_bot")
DAILY = LadderLine(
    name="daily", game="tic_tac_toe", format="endless", state="running", owner="ann", at=1,
    clock=ClockOptions(base_ms=10_000, increment_ms=100),
)  # fmt: skip
NAMES = ["random", "minimax-2", "minimax-4", "mcts-2", "mcts-4", "mcts-6"]


class AnchorHost:
    """Where anchors are brought: a fake house for each, with the same list of ladders."""

    def __init__(self, zero: Runner | None = None) -> None:
        self.lines: list[LadderLine] = []
        self.connections: dict[str, FakeConnection] = {}  # the newest of each
        self.brought: list[tuple[str, FakeConnection]] = []
        self.runners: list[Runner] = []
        self.anchors = Anchors(4, self.bring, zero)
        self.refuse: list[Exception] = []

    async def bring(self, entry: Entry, workers: Executor) -> Runner:
        connection = self.connections[entry.name] = FakeConnection()
        self.brought.append((entry.name, connection))
        connection.lines = self.lines
        if self.refuse:
            connection.refuse["ladder_join"] = [self.refuse.pop()]
        runner = Runner(connection, entry, workers=workers)  # type: ignore[arg-type]
        self.runners.append(runner)
        return runner

    async def looked(self, times: int) -> None:
        """Wait until the list of ladders was read so often."""
        await eventually(lambda: "random" in self.connections)
        await self.connections["random"].until("ladders", count=times)

    async def joined(self, times: int) -> None:
        await eventually(lambda: len(self.joins()) == times)

    def joins(self) -> list[tuple[str, str, int]]:
        """Who joined what, with how many slots."""
        return [
            (name, call[1], call[3])
            for name, connection in self.brought
            for call in connection.calls
            if call[0] == "ladder_join"
        ]


@asynccontextmanager
async def anchor_host(*lines: LadderLine, zero: Runner | None = None) -> AsyncIterator[AnchorHost]:
    found = AnchorHost(zero)
    found.lines += lines
    running = asyncio.create_task(found.anchors.run())
    try:
        yield found
    finally:
        PausableBot.go.set()
        found.anchors.stop()
        for runner in found.runners:
            runner.drain()
        async with asyncio.timeout(60):
            await running


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anchors, "LOOK_S", 0.001)


def test_an_anchor_is_a_program_with_the_nodes_of_its_level() -> None:
    found = {entry.name: entry for entry in anchors.entries(4)}
    assert list(found) == NAMES
    assert [entry.slots for entry in found.values()] == [2, 2, 2, 2, 2, 1]
    assert found["mcts-2"].budget == level_budget("mcts", 2)
    info = found["mcts-2"].info()
    assert (info.program, info.levels) == ("mcts-2", 0)  # of all bots the last to be asked a hint


async def test_they_come_with_the_first_ladder_and_join_each_once_but_none_that_is_over() -> None:
    async with anchor_host() as found:
        await found.looked(2)
        assert list(found.connections) == ["random"]
        found.refuse.append(refusal(Code.LADDER_QUOTA))  # the next to come; it keeps none away
        found.lines += [DAILY, replace(DAILY, name="old", state="finished")]
        await found.joined(6)
        assert found.joins() == [(name, "daily", 2 - (name == "mcts-6")) for name in NAMES]
        found.lines.append(replace(DAILY, name="weekly"))
        await found.joined(12)
        await found.looked(len(found.connections["random"].calls) + 3)
        assert {ladder for _, ladder, _ in found.joins()} == {"daily", "weekly"}
        assert len(found.joins()) == 12


async def test_they_join_where_a_match_ends_soon_and_the_host_s_ladders_first() -> None:
    slow = ClockOptions(base_ms=7 * 86_400_000)
    late = ClockOptions(base_ms=60_000, increment_ms=60_000)
    lines = [
        replace(DAILY, name="held", clock=slow),
        replace(DAILY, name="held-too", clock=late),
        replace(DAILY, name="held-as-well", clock=ClockOptions(per_move_ms=60_000)),
        DAILY,
        replace(DAILY, name="league", clock=slow, owner="house"),
    ]
    async with anchor_host(*lines) as found:
        await found.joined(12)
        await found.looked(len(found.connections["random"].calls) + 3)
        joined = [ladder for name, ladder, _ in found.joins() if name == "random"]
        assert joined == ["league", "daily"]
        assert {ladder for _, ladder, _ in found.joins()} == set(joined)


async def test_they_go_when_all_their_ladders_are_over_and_come_back_with_the_next() -> None:
    async with anchor_host(DAILY) as found:
        await found.joined(6)
        zero, *others = [connection for _, connection in found.brought]
        found.lines[:] = [replace(DAILY, state="finished")]
        await eventually(lambda: all(connection.closed for connection in others))
        assert not zero.closed  # it looks for ladders
        found.lines.append(replace(DAILY, name="weekly"))
        await found.joined(12)
        assert len(found.brought) == 11
        await eventually(lambda: len(found.anchors._serving) == 6)
        assert {ladder for _, ladder in found.anchors._asked} == {"weekly"}
        assert sorted(name for name, ladder, _ in found.joins() if ladder == "weekly") == sorted(
            NAMES
        )


async def test_an_anchor_waits_until_it_is_compiled_and_loads_that_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done: list[str] = []
    monkeypatch.setattr(PausableBot, "ready", classmethod(lambda cls, game: bool(done)))
    monkeypatch.setattr(PausableBot, "loaded", classmethod(lambda cls, game: len(done) == 2))
    monkeypatch.setattr(
        PausableBot, "prepare", classmethod(lambda cls, game: done.append(game.name))
    )
    async with anchor_host(DAILY) as found:
        await found.looked(2)
        assert found.joins() == []
        done.append("compiled")
        await found.joined(6)
        assert done == ["compiled", "tic_tac_toe"]


async def test_all_anchors_but_the_slow_one_think_on_one_thread() -> None:
    async with anchor_host(DAILY) as found:
        await found.joined(6)
        PausableBot.go.clear()
        for connection in found.connections.values():
            connection.push(room_state(leg=("daily", 1, 1), state="playing"), match_state())
        await eventually(lambda: len(PausableBot.asked) == 2)
        for connection in found.connections.values():
            await connection.settle()
        assert len(PausableBot.asked) == 2
        PausableBot.go.set()
        await eventually(lambda: len(PausableBot.asked) == 6)
        for runner, connection in zip(found.runners, found.connections.values(), strict=True):
            await connection.settle(room_state(leg=("daily", 1, 1), state="closed"))
            assert not runner.rooms


async def test_a_random_that_is_here_already_is_the_zero() -> None:
    connection, entry = FakeConnection(), make_entry("random", seed=1, slots=16)
    connection.lines = [DAILY]
    zero = Runner(connection, entry)  # type: ignore[arg-type]
    serving = asyncio.create_task(zero.serve())
    async with anchor_host(zero=zero) as others:
        [(_, ladder, _, slots, _)] = await connection.until("ladder_join")
        assert (ladder, slots) == ("daily", 2)
        await others.joined(5)
        assert "random" not in others.connections
        zero.drain()
    await serving


async def test_they_end_where_the_last_one_has_ended_in_the_same_turn_of_the_loop() -> None:
    over = asyncio.Event()

    class Ending(FakeConnection):
        """A runner and its connection: `serve` ends just before `ladders` is answered."""

        @property
        def connection(self) -> Ending:
            return self

        async def serve(self) -> None:
            await over.wait()

        async def ladders(self) -> None:  # type: ignore[override]
            await asyncio.sleep(0)  # until `serve` waits, so that it is woken first
            asyncio.get_running_loop().call_soon(over.set)
            await over.wait()
            following.stop()
            raise refusal(Code.LADDER_UNKNOWN)

    async def bring(*_: object) -> Ending:
        return Ending()

    following = Anchors(4, bring)  # type: ignore[arg-type]
    await following.run()


def test_what_is_compiled_before_they_come_is_each_program_once() -> None:
    assert [entry.program for entry in anchors.to_compile()] == ["minimax", "mcts"]


async def test_a_pool_keeps_nothing_of_bots_that_have_gone_with_their_ladders(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def enter(_: Entry) -> FakeConnection:
        return FakeConnection()

    bots = BotPool("127.0.0.1:1", "ann", Tokens(str(tmp_path / "tokens.json")))
    monkeypatch.setattr(bots, "_enter", enter)
    for _ in range(3):
        runner = await bots._bring(make_entry("random", seed=1))
        await runner.connection.close()
    told = await bots._bring(make_entry("random", seed=1))
    told.dismissed.append("daily")  # which the exit code tells of
    await told.connection.close()
    here = await bots._bring(make_entry("random", seed=1))
    assert bots.runners == [told, here]
