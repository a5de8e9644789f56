"""`plyhouse bench cluster`: several servers on one PostgreSQL, and what happens to them happens.

Ordinary clients play all games through a load balancer, so most of them are at another server than
their rooms.  Meanwhile, at moments that follow from the seed, a server is killed, stopped and
woken, or cut from the database, or PostgreSQL itself is killed.  In the end every action that
anybody was ever shown must stand in the log exactly once, at the place it was shown at; the rules
must agree with all of it; and every match must have come to its end by itself.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import socket
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Final

import msgspec

from bench.server.server import UNLIMITED
from bench.support.balancer import Balancer
from bench.support.players import PlayedRoom, seat
from bench.support.postgres import NoPostgres, PostgresServer
from bench.support.report import Missing, complain, progress, tried
from bench.support.transcript import Row, compare, digest, public_event
from bots.arena.local_server import ServerProcess
from games import registry
from protocol.errors import Code, PlyhouseError
from protocol.history import ACTIONS
from protocol.parts import ClockOptions, Event, Options

BASE_MS: Final = 600_000
PAUSED_S: Final = 5.0  # longer than a lease
CUT_S: Final = 5.0
DOWN_S: Final = 0.5  # from a kill to the next start
SETTLE_S: Final = (0.5, 2.5)  # between what happens: at least, at most
SECONDS_A_BLOW: Final = 40.0
HEALTHY_S: Final = 30.0
PASSING: Final = frozenset(
    {Code.ROOM_BUSY, Code.ROOM_MOVING, Code.SERVER_NOT_STORED, Code.SERVER_UNANSWERED}
)
LOG: Final = "SELECT room, seq, kind, match, body FROM plyhouse.event ORDER BY room, seq"


class Stuck(PlyhouseError):
    """Matches that do not go on; the sentence says in which rooms."""

    def __init__(self, text: str) -> None:
        super().__init__("bench/stuck", text)


class Blow(msgspec.Struct):
    """What happened, and how long it was until every room with a match on had gone on."""

    what: str
    played_on_s: float


class ClusterReport(msgspec.Struct, kw_only=True):
    """What a run showed.  Nothing was lost or doubled exactly if `problems` is empty."""

    servers: int
    rooms: int
    seed: int
    blows: list[Blow]
    matches: int
    actions: int
    shown: int
    log_hash: str
    seconds: float
    problems: list[str]


class ClusterPlan(msgspec.Struct, frozen=True):
    """What to do.  `think`: mean time of a player, in seconds."""

    servers: int = 3
    rooms: int = 12
    times: int = 8
    seed: int = 1
    think: float = 0.05

    @property
    def limit(self) -> float:
        """Seconds for everything."""
        return 180.0 + SECONDS_A_BLOW * self.times


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench cluster`."""
    plan = ClusterPlan()
    for name, what in (
        ("servers", "how many"),
        ("rooms", "matches at once"),
        ("times", "how often something happens to a server or the database"),
        ("seed", "of actions and moments"),
    ):
        value = getattr(plan, name)
        parser.add_argument(f"--{name}", type=int, default=value, help=f"{what} (default {value})")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Do it and print the report; 1 if there are problems, 2 if it could not be done."""
    if not 2 <= args.servers <= 16 or args.rooms < 1 or args.times < 0:
        return complain("cluster", "2 to 16 servers, and at least 1 room")
    plan = ClusterPlan(args.servers, args.rooms, args.times, args.seed)
    return tried("cluster", plan.limit, partial(carry_out, plan), None if args.json else show)


class ClusterProcesses:
    """Servers as processes, each with a wire of its own to the database, behind a balancer."""

    def __init__(self, folder: Path, postgres: PostgresServer, servers: int) -> None:
        self.postgres = postgres
        self.wires = [Balancer([postgres.port]) for _ in range(servers)]
        self.ports = [_free_port() for _ in range(servers)]
        self.front = Balancer(self.ports)
        self.folder = folder
        self.servers: list[ServerProcess] = []

    async def start(self) -> None:
        """Start them all."""
        await self.front.start()
        for n, wire in enumerate(self.wires):
            await wire.start()
            command = (
                "serve", "--database", self.postgres.url(port=wire.port),
                "--advertise", f"127.0.0.1:{self.ports[n]}",
                "--secret", str(self.folder / "cluster.secret"),
            )  # fmt: skip
            server = ServerProcess(self.folder / f"server-{n + 1}", UNLIMITED, command=command)
            server.port = self.ports[n]
            self.servers.append(server)
            await asyncio.to_thread(server.start)

    async def close(self) -> list[int]:
        """End them all; return their exit codes."""
        codes = [await asyncio.to_thread(server.stop) for server in self.servers]
        for each in (self.front, *self.wires):
            await each.close()
        return codes


# ---------------------------------------------------------------- what happens


async def kill_server(cluster: ClusterProcesses, draw: random.Random) -> str:
    """Kill a server, and start it again."""
    server = draw.choice(cluster.servers)
    await asyncio.to_thread(server.kill)
    await asyncio.sleep(DOWN_S)
    await asyncio.to_thread(server.start)
    return "kill -9"


async def stop_server(cluster: ClusterProcesses, draw: random.Random) -> str:
    """Stop a server for longer than its lease lasts, and let it go on."""
    pid = draw.choice(cluster.servers).pid
    os.kill(pid, signal.SIGSTOP)
    try:
        await asyncio.sleep(PAUSED_S)
    finally:
        os.kill(pid, signal.SIGCONT)
    return "stopped and woken"


async def cut_server(cluster: ClusterProcesses, draw: random.Random) -> str:
    """Cut a server from the database for a while."""
    wire = draw.choice(cluster.wires)
    wire.cut(True)
    await asyncio.sleep(CUT_S)
    wire.cut(False)
    return "cut from the database"


async def kill_database(cluster: ClusterProcesses, draw: random.Random) -> str:
    """Kill PostgreSQL, and start it again."""
    await asyncio.to_thread(cluster.postgres.kill)
    await asyncio.sleep(DOWN_S)
    await asyncio.to_thread(cluster.postgres.start)
    return "PostgreSQL killed"


BLOWS: Final = (kill_server, stop_server, cut_server, kill_server, kill_database)


async def carry_out(plan: ClusterPlan, folder: Path) -> ClusterReport:
    """Play, let things happen, compare."""
    began = time.monotonic()
    try:
        postgres = await asyncio.to_thread(PostgresServer)
    except NoPostgres as error:
        raise Missing(str(error)) from None
    try:
        await asyncio.to_thread(postgres.start)
        cluster = ClusterProcesses(folder, postgres, plan.servers)
        await cluster.start()
        try:
            async with asyncio.timeout(plan.limit):
                rooms, blows = await _play(plan, cluster)
                histories = [await room.history() for room in rooms]
                for room in rooms:
                    await room.close()
        finally:
            codes = await cluster.close()
        log = await _read_log(postgres)
    finally:
        await asyncio.to_thread(postgres.remove)
    problems = [f"a server ended with exit code {code}" for code in codes if code]
    for room, history in zip(rooms, histories, strict=True):
        found = compare(room.transcripts, history, log.get(room.number, []))
        problems += [f"room {room.number}: {problem}" for problem in found]
    actions = [event for events in log.values() for event in events if event.kind in ACTIONS]
    return ClusterReport(
        servers=plan.servers,
        rooms=len(rooms),
        seed=plan.seed,
        blows=blows,
        matches=sum(room.matches_over for room in rooms),
        actions=len(actions),
        shown=sum(len(transcript.actions) for room in rooms for transcript in room.transcripts),
        log_hash=digest(actions),
        seconds=time.monotonic() - began,
        problems=problems,
    )


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

    async def play(room: PlayedRoom) -> None:
        await room.play(1)
        while not done.is_set():
            await room.play(room.matches_over + 1)

    async with asyncio.TaskGroup() as group:
        for room in rooms:
            group.create_task(play(room))
        blows = await _strike(plan, cluster, rooms)
        done.set()
    return rooms, blows


async def _strike(
    plan: ClusterPlan, cluster: ClusterProcesses, rooms: Sequence[PlayedRoom]
) -> list[Blow]:
    draw, blows = random.Random(plan.seed), list[Blow]()
    for number, strike in zip(range(plan.times), cycle(BLOWS), strict=False):
        await asyncio.sleep(draw.uniform(*SETTLE_S))
        before, began = _counts(rooms), time.monotonic()
        striking = asyncio.ensure_future(strike(cluster, draw))
        stuck = await _until_all_went_on(before, rooms)
        went_on = time.monotonic()
        what = await striking
        if stuck:
            raise Stuck(f"after {what} nothing more was played in rooms {stuck}")
        blows.append(Blow(what, went_on - began))
        progress(f"{number + 1} of {plan.times}: {what}; all went on after {went_on - began:.1f} s")
    return blows


def _counts(rooms: Sequence[PlayedRoom]) -> list[int]:
    return [len(room.transcripts[0].actions) for room in rooms]


def _all_went_on(before: Sequence[int], rooms: Sequence[PlayedRoom]) -> bool:
    """Whether something was played in every room since, twice at least."""
    return all(now >= then + 2 for now, then in zip(_counts(rooms), before, strict=True))


async def _until_all_went_on(before: Sequence[int], rooms: Sequence[PlayedRoom]) -> list[int]:
    """Wait until something was played in every room; return those where nothing was, in time."""
    deadline = time.monotonic() + HEALTHY_S
    while time.monotonic() < deadline and not _all_went_on(before, rooms):  # noqa: ASYNC110
        await asyncio.sleep(0.01)  # as nobody tells
    counts = zip(rooms, _counts(rooms), before, strict=True)
    return [room.number for room, now, then in counts if now < then + 2]


async def _read_log(postgres: PostgresServer) -> dict[int, list[Event]]:
    import asyncpg

    db = await asyncpg.connect(postgres.url())
    rows: list[Row] = [tuple(record) for record in await db.fetch(LOG)]
    await db.close()
    log: dict[int, list[Event]] = {}
    for row in rows:
        if row[0] > 0:
            log.setdefault(row[0], []).append(public_event(row))
    return log


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def show(report: ClusterReport) -> None:
    """Print the report for people."""
    print(f"{report.servers} servers, {report.rooms} rooms (seed {report.seed})")
    for what, times in sorted(Counter(blow.what for blow in report.blows).items()):
        waits = sorted(blow.played_on_s for blow in report.blows if blow.what == what)
        print(f"{what}: {times} times; all rooms went on after {waits[0]:.1f} to {waits[-1]:.1f} s")
    print(
        f"{report.matches} matches, {report.actions:,} actions in the log,"
        f" {report.shown:,} times one was shown to a player"
    )
    print(f"hash of the log: {report.log_hash}")
    for problem in report.problems[:20]:
        print(f"PROBLEM: {problem}")
    if report.problems:
        print(f"VERDICT: {len(report.problems)} problems")
    else:
        print("VERDICT: nothing shown was lost, nothing was played twice, all matches ended")
