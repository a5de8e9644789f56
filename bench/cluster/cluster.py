"""`plyhouse bench cluster`: several servers on one PostgreSQL, and what happens to them happens.

Ordinary clients play all games through a load balancer, so most of them are at another server than
their rooms.  Meanwhile servers are killed, stopped and woken, cut from the database, from each
other or from everything, and PostgreSQL itself is killed, as blows.py has it and as the seed draws
it.  In the end every action that anybody was ever shown must stand in the log exactly once, at the
place it was shown at; the rules must agree with all of it; and every match must have come to its
end by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Sequence
from itertools import cycle
from pathlib import Path
from typing import Final

import msgspec

from bench.cluster.blows import KINDS, BlowKind, drawn
from bench.cluster.networks import (
    PLAYERS,
    ClusterNetwork,
    ClusterProcesses,
    NamespaceNetwork,
    WireNetwork,
)
from bench.support.log_place import LogPlace, read_log
from bench.support.namespaces import NoNamespaces
from bench.support.players import PlayedRoom, seat
from bench.support.postgres import NoPostgres
from bench.support.report import BadPlan, FigureTable, Missing, progress, spread
from bench.support.story import ONE_STORY, StoryReport, differences, figures
from games import registry
from protocol.errors import Code, PlyhouseError
from protocol.parts import ClockOptions, Options

BASE_MS: Final = 600_000
SETTLE_S: Final = (0.5, 2.5)  # between what happens: at least, at most
SECONDS_A_BLOW: Final = 40.0
HEALTHY_S: Final = 30.0
PASSING: Final = frozenset(
    {Code.ROOM_BUSY, Code.ROOM_MOVING, Code.SERVER_NOT_STORED, Code.SERVER_UNANSWERED}
)
NETWORKS: Final = ("any", "namespaces", "wires")


class Stuck(PlyhouseError):
    """Matches that do not go on; the sentence says in which rooms."""

    def __init__(self, text: str) -> None:
        super().__init__("bench/stuck", text)


class Blow(msgspec.Struct):
    """What happened, and how long it was until every room with a match on had gone on."""

    what: str
    played_on_s: float


class ClusterReport(StoryReport, kw_only=True):
    """What a run showed."""

    network: str
    blows: list[Blow]
    matches: int


class ClusterPlan(msgspec.Struct, frozen=True):
    """What to do.  `think`: mean time of a player, in seconds; `network`: one of NETWORKS."""

    servers: int = 3
    rooms: int = 12
    times: int = len(KINDS)
    seed: int = 1
    network: str = "any"
    think: float = 0.05

    @property
    def limit(self) -> float:
        return 180.0 + SECONDS_A_BLOW * self.times


def add_arguments(parser: argparse.ArgumentParser) -> None:
    plan = ClusterPlan()
    for name, what in (
        ("servers", "how many"),
        ("rooms", "matches at once"),
        ("times", "how often something happens to a server or the database"),
        ("seed", "of actions and moments"),
    ):
        value = getattr(plan, name)
        parser.add_argument(f"--{name}", type=int, default=value, help=f"{what} (default {value})")
    parser.add_argument(
        "--network",
        choices=NETWORKS,
        default=plan.network,
        help="each server in a network namespace of its own, which only root may make, or all on"
        " this machine behind wires that can be cut (default: namespaces where they can be made)",
    )


def measure(args: argparse.Namespace, folder: Path) -> ClusterReport:
    if not 2 <= args.servers <= 16 or args.rooms < 1 or args.times < 0:
        raise BadPlan("2 to 16 servers, and at least 1 room")
    plan = ClusterPlan(args.servers, args.rooms, args.times, args.seed, args.network)
    return asyncio.run(carry_out(plan, folder))


async def carry_out(plan: ClusterPlan, folder: Path) -> ClusterReport:
    """Play, let things happen, compare."""
    began = time.monotonic()
    network = await asyncio.to_thread(_network, plan, folder)
    try:
        with network.entered(PLAYERS):
            await asyncio.to_thread(network.start_database)
            rooms, blows, codes = await _played(plan, network)
            log = await read_log(LogPlace(network.postgres.url()), folder)
    finally:
        await network.close()
    failed = [f"a server ended with exit code {code}" for code in codes if code]
    report = ClusterReport(
        **figures(rooms, log), seed=plan.seed, seconds=time.monotonic() - began,
        network=network.name, blows=blows, matches=sum(room.matches_over for room in rooms),
        tables=[_by_kind(blows)], problems=[*differences(rooms, log), *failed],
        verdict=f"{ONE_STORY}, all matches ended",
    )  # fmt: skip
    place = f"{plan.servers} servers ({report.network}), {plan.rooms} rooms, {len(blows)} blows"
    report.tell(f"{place}; {report.matches} matches")
    return report


def _network(plan: ClusterPlan, folder: Path) -> ClusterNetwork:
    """Make the network that was asked for.

    Raises:
        Missing: it cannot be made here.
    """
    try:
        if plan.network != "wires":
            try:
                return NamespaceNetwork(folder, plan.servers)
            except NoNamespaces as error:
                if plan.network == "namespaces":
                    raise
                progress(f"{error}; the servers are cut apart by wires")
        return WireNetwork(folder, plan.servers)
    except (NoNamespaces, NoPostgres) as error:
        raise Missing(str(error)) from None


async def _played(
    plan: ClusterPlan, network: ClusterNetwork
) -> tuple[list[PlayedRoom], list[Blow], list[int]]:
    """Return the rooms, what happened, and with which codes the servers ended."""
    cluster = ClusterProcesses(network)
    try:
        async with asyncio.timeout(plan.limit):
            await cluster.start()
            rooms, blows = await _play(plan, cluster)
            for room in rooms:
                await room.history()
            for room in rooms:
                await room.close()
            await cluster.settle()
    finally:
        codes = await cluster.close()
    return rooms, blows, codes


async def _play(
    plan: ClusterPlan, cluster: ClusterProcesses
) -> tuple[list[PlayedRoom], list[Blow]]:
    """Let match after match be played in each room, and strike meanwhile."""
    options, games = Options(clock=ClockOptions(base_ms=BASE_MS)), cycle(registry.names())
    address = f"127.0.0.1:{cluster.front.port}"
    rooms = [
        await seat(address, game, options, number, plan.think)
        for number, game in zip(range(plan.rooms), games, strict=False)
    ]
    for player in (player for room in rooms for player in room.players):
        player.passing = PASSING
    done = asyncio.Event()
    try:
        async with asyncio.TaskGroup() as group:
            for room in rooms:
                group.create_task(room.play_until(done))
            blows = await _strike(plan, cluster, rooms)
            done.set()
    except ExceptionGroup as errors:
        # A group of tasks raises nothing else: its first is what went wrong, the others are of
        # players, who were left alone by that.
        raise errors.exceptions[0] from None
    return rooms, blows


async def _strike(
    plan: ClusterPlan, cluster: ClusterProcesses, rooms: Sequence[PlayedRoom]
) -> list[Blow]:
    draw, blows = random.Random(plan.seed), list[Blow]()
    for number, kind in enumerate(drawn(plan.times, draw, cluster.network.is_silent)):
        await asyncio.sleep(draw.uniform(*SETTLE_S))
        took_s = await _one_blow(kind, cluster, rooms, draw)
        blows.append(Blow(kind.what, took_s))
        progress(f"{number + 1} of {plan.times}: {kind.what}; all went on after {took_s:.1f} s")
    return blows


async def _one_blow(
    kind: BlowKind, cluster: ClusterProcesses, rooms: Sequence[PlayedRoom], draw: random.Random
) -> float:
    """Have something happen to the owner of a room, and pass; return how long it was until all
    rooms had gone on.

    Raises:
        Stuck: some did not.
    """
    n = await cluster.owner_of(draw.choice(rooms).number)
    async with kind.strike(cluster, n, draw):
        going_on = asyncio.ensure_future(_until_all_went_on(kind.what, rooms))
    return await going_on


def _positions(rooms: Sequence[PlayedRoom]) -> list[int]:
    """How many positions the first player of each room was shown: one a message."""
    return [len(room.transcripts[0].positions) for room in rooms]


async def _until_all_went_on(what: str, rooms: Sequence[PlayedRoom]) -> float:
    """Wait until something was played in every room; return how many seconds that took.

    Raises:
        Stuck: in some nothing was, in time.
    """
    before, began, still = _positions(rooms), time.monotonic(), list(rooms)
    while still:
        await asyncio.sleep(0.01)  # as nobody tells
        counts = zip(rooms, _positions(rooms), before, strict=True)
        still = [room for room, now, then in counts if now < then + 2]  # one may be on its way
        if still and time.monotonic() > began + HEALTHY_S:
            stuck = [room.number for room in still]
            raise Stuck(f"after {what} nothing more was played in rooms {stuck}")
    return time.monotonic() - began


def _by_kind(blows: Sequence[Blow]) -> FigureTable:
    table = FigureTable("seconds until all rooms went on", ["times", "seconds", "goal"])
    for kind in KINDS:
        waits = [blow.played_on_s for blow in blows if blow.what == kind.what]
        if waits:
            table.rows[kind.what] = [len(waits), spread(waits), kind.goal_s]
    return table
