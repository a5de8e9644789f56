"""`plyhouse bench kill`: kill -9 the server in the middle of many matches, and see what is lost.

Ordinary clients play; the server is killed several times at moments that follow from the seed, and
started again on the same port and data.  In the end every action that anybody was ever shown must
stand in the log exactly once, at the place it was shown at, the rules must agree with all that was
shown, and no clock may have run while the server was down.

With `--times` it is killed as often as that, while match after match is played: at random moments,
in mid-commit, and twice in quick succession.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import cycle
from pathlib import Path
from typing import Final

import msgspec

from bench.support.log_place import LogPlace, add_argument, log_place
from bench.support.players import PlayedRoom, mean_plies, seat
from bench.support.process import UNLIMITED
from bench.support.report import BadPlan, progress
from bench.support.story import ONE_STORY, StoryReport, TrialOutcome, figures, judge, try_server
from games import registry
from lab.arena.local_server import ServerFailed, ServerProcess
from protocol.parts import ClockOptions, Options

BASE_MS: Final = 600_000  # no flag falls; the clocks show who was charged
TIME_LIMIT: Final = 120.0  # seconds for everything ...
TIME_A_KILL: Final = 15.0  # ... and for each of many kills
FIRST, LAST = 0.1, 0.7  # the share of a mean match within which the kills fall


UP_S: Final = 0.6  # the longest that it is left alone before it is killed
COMMIT_S: Final = 2.0  # for a commit to begin
START_S: Final = 0.8  # about what a start takes: the second kill of two falls within it
LOOK_S: Final = 0.00005  # between two looks whether one has begun
WITHIN_COMMIT_S: Final = (0.0, 0.0002, 0.001)  # how far it may have come: begun, written, synced
DOWN_S: Final = (0.0, 0.3, 2.0)  # for a database: within patience, and beyond it


class Manner(StrEnum):
    """How a server is killed."""

    PLANNED = "planned"  # after so many plies
    RANDOM = "at a random moment"
    COMMIT = "in mid-commit"
    TWICE = "twice in quick succession"
    DATABASE = "with its database"  # which is killed as well, a moment before
    DATABASE_ALONE = "not at all, but its database"


WITHIN_COMMITS: Final = (Manner.COMMIT, Manner.DATABASE, Manner.DATABASE_ALONE)


class Kill(msgspec.Struct):
    """One kill: what was going on, from when to when the server was away (monotonic), and how."""

    after_plies: int
    under_way: int  # matches
    begin: float
    end: float
    manner: Manner = Manner.PLANNED

    @property
    def down_s(self) -> float:
        return self.end - self.begin


async def kill_planned(server: ServerProcess, down: float) -> tuple[float, float]:
    """Kill it now and start it again after `down` seconds; from when to when it was away."""
    begin = time.monotonic()
    await asyncio.to_thread(server.kill)
    await asyncio.sleep(down)
    await asyncio.to_thread(server.start)
    return begin, time.monotonic()


def manners(place: LogPlace) -> tuple[Manner, ...]:
    """Return in which manners a server can be killed that has its log there."""
    if place.own is not None:
        return (Manner.RANDOM, Manner.COMMIT, Manner.DATABASE_ALONE, Manner.TWICE, Manner.DATABASE)
    if place.database is not None:
        return (Manner.RANDOM, Manner.TWICE)
    return (Manner.RANDOM, Manner.COMMIT, Manner.TWICE)


async def kill_somehow(
    server: ServerProcess, manner: Manner, draw: random.Random, place: LogPlace
) -> tuple[float, float]:
    """Kill it in this manner and start it again; from when to when it was away."""
    await asyncio.sleep(draw.uniform(0.0, UP_S))
    file = place.written(server.data) if manner in WITHIN_COMMITS else None
    if file is not None:
        await asyncio.to_thread(_wait_for_commit, file, draw)
    begin = time.monotonic()
    if place.own is not None and manner in (Manner.DATABASE, Manner.DATABASE_ALONE):
        await asyncio.to_thread(place.own.kill)
        if manner is Manner.DATABASE_ALONE:
            await asyncio.sleep(draw.choice(DOWN_S))
            await asyncio.to_thread(place.own.start)
            return begin, time.monotonic()
        await asyncio.to_thread(place.own.start)
    await asyncio.to_thread(server.kill)
    if manner is Manner.TWICE:
        await _start_and_kill(server, draw.uniform(0.0, START_S))
    await asyncio.to_thread(server.start)
    return begin, time.monotonic()


def _wait_for_commit(log: Path, draw: random.Random) -> None:
    """Return as soon as the log is being written, or up to a millisecond later.

    Nothing tells another process when a commit begins, and it takes about a millisecond: so the
    file is looked at twenty times in one.
    """
    before, deadline = _state(log), time.monotonic() + COMMIT_S
    while _state(log) == before and time.monotonic() < deadline:
        time.sleep(LOOK_S)  # no event tells another process of it
    time.sleep(draw.choice(WITHIN_COMMIT_S))  # so that the kill falls anywhere within a commit


def _state(log: Path) -> tuple[int, int] | None:
    try:
        status = log.stat()
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns


async def _start_and_kill(server: ServerProcess, after: float) -> None:
    done = threading.Event()
    killing = asyncio.create_task(asyncio.to_thread(_kill_later, lambda: server.pid, after, done))
    try:
        await asyncio.to_thread(server.start)
    except ServerFailed:
        pass  # as it should: it was killed on the way
    finally:
        done.set()
        await killing
    await asyncio.to_thread(server.kill)


def _kill_later(pid: Callable[[], int], after: float, done: threading.Event) -> None:
    if done.wait(after):
        return
    try:
        os.kill(pid(), signal.SIGKILL)
    except (ServerFailed, ProcessLookupError):
        return  # it has ended, or has not come so far


class KillReport(StoryReport, kw_only=True):
    """What a run showed."""

    game: str
    matches: int
    kills: list[Kill]


@dataclass(frozen=True)
class KillPlan:
    """What to do.  `down`: seconds from a kill to the next start; `think`: mean, in seconds.

    With `times` above 0 matches go on until the server was killed so often, and `kills` is not
    looked at.
    """

    game: str = "connect_four"
    matches: int = 50
    kills: int = 3
    seed: int = 1
    think: float = 0.01
    down: float = 0.5
    times: int = 0
    database: str | None = None  # see bench/support/log_place.py

    @property
    def limit(self) -> float:
        return TIME_LIMIT + TIME_A_KILL * self.times


def add_arguments(parser: argparse.ArgumentParser) -> None:
    plan = KillPlan()
    parser.add_argument("--matches", type=int, default=plan.matches, help="at once (default 50)")
    parser.add_argument("--kills", type=int, default=plan.kills, help="how often (default 3)")
    parser.add_argument(
        "--times", type=int, default=0, help="so often, in all manners, over many matches"
    )
    parser.add_argument("--game", default=plan.game, help=f"default {plan.game}")
    parser.add_argument("--seed", type=int, default=plan.seed, help="of actions and moments")
    add_argument(parser)


def measure(args: argparse.Namespace, folder: Path) -> KillReport:
    if args.game not in registry.names() or args.matches < 1 or min(args.kills, args.times) < 0:
        raise BadPlan(f"at least 1 match, of {', '.join(registry.names())}")
    plan = KillPlan(args.game, args.matches, args.kills, args.seed, times=args.times,
                    database=args.database)  # fmt: skip
    return asyncio.run(carry_out(plan, folder))


async def carry_out(
    plan: KillPlan, folder: Path, env: Mapping[str, str] | None = None
) -> KillReport:
    """Play, kill, restart, compare.  `folder` is where data and log of the server go."""
    rooms, kills, ends = list[PlayedRoom](), list[Kill](), list[float]()

    async def play() -> None:
        options = Options(clock=ClockOptions(base_ms=BASE_MS))
        for number in range(plan.matches):
            rooms.append(await seat(server.address, plan.game, options, number, plan.think))
        ends.extend(await _play_and_kill(plan, server, rooms, place, kills))
        for room in rooms:
            await room.history()
        for room in rooms:
            await room.close()

    with log_place(plan.database) as place:
        command = ("serve", *place.words)
        server = ServerProcess(folder / "data", UNLIMITED, command=command, env=env)
        outcome = await try_server(server, place, plan.limit, play)
    problems = judge(rooms, outcome, plan.limit)
    if outcome.over is None:
        problems += _check_clocks(rooms, kills, ends, outcome)
    report = KillReport(
        **figures(rooms, outcome.log), seed=plan.seed, seconds=outcome.seconds,
        game=plan.game, matches=len(rooms), kills=kills,
        problems=problems,
    )  # fmt: skip
    report.tell(f"{report.matches} matches of {report.game}", *_told(report.kills))
    down = sum(kill.down_s for kill in report.kills)
    report.verdict = (
        f"{ONE_STORY}, and of {down:.1f} s without a server not a moment was charged to anyone's"
        " clock"
    )
    return report


async def _play_and_kill(
    plan: KillPlan, server: ServerProcess, rooms: Sequence[PlayedRoom], place: LogPlace,
    kills: list[Kill],
) -> list[float]:  # fmt: skip
    """Let one match, or with `times` one after the other, be played in each room; kill meanwhile.

    Returns:
        When each room's last match was over.
    """
    done = asyncio.Event()
    if not plan.times:
        done.set()
    async with asyncio.TaskGroup() as group:
        games = [group.create_task(room.play_until(done)) for room in rooms]
        if plan.times:
            await _kill_many_times(plan, server, rooms, place, kills)
        else:
            await _kill_often(plan, server, rooms, kills)
        done.set()
    return [game.result() for game in games]


async def _kill_often(
    plan: KillPlan, server: ServerProcess, rooms: Sequence[PlayedRoom], kills: list[Kill]
) -> None:
    """Kill and restart whenever the matches have come so far, on average, as the seed says."""
    draw, mean = random.Random(plan.seed), mean_plies(plan.game, plan.seed)
    step = (LAST - FIRST) * mean / max(1, plan.kills)
    for number in range(plan.kills):
        target = len(rooms) * (FIRST * mean + step * (number + draw.random()))
        while True:
            plies = sum(room.plies for room in rooms)
            under_way = sum(not room.over for room in rooms)
            if plies >= target or not under_way:
                break
            await asyncio.sleep(0.002)
        begin, end = await kill_planned(server, plan.down)
        kills.append(Kill(plies, under_way, begin, end))


async def _kill_many_times(
    plan: KillPlan, server: ServerProcess, rooms: Sequence[PlayedRoom], place: LogPlace,
    kills: list[Kill],
) -> None:  # fmt: skip
    """Kill and restart `times` times; two in quick succession are two."""
    draw = random.Random(plan.seed)
    times, next_manners = 0, cycle(manners(place))
    while times < plan.times:
        manner = next(next_manners)
        begin, end = await kill_somehow(server, manner, draw, place)
        plies = sum(len(room.transcripts[0].actions) for room in rooms)
        kills.append(Kill(plies, len(rooms), begin, end, manner))
        times += 2 if manner is Manner.TWICE else 1
        if len(kills) % 20 == 0:
            progress(f"{times} of {plan.times} kills, {plies:,} plies")


def _check_clocks(
    rooms: Sequence[PlayedRoom],
    kills: Sequence[Kill],
    ends: Sequence[float],
    outcome: TrialOutcome,
) -> list[str]:
    """No match may have cost more thinking time than it lasted while the server was up."""
    problems = []
    for room, end in zip(rooms, ends, strict=True):
        begin = max(player.first_agreed_at for player in room.players)
        away = sum(max(0.0, min(end, killed.end) - max(begin, killed.begin)) for killed in kills)
        plies = [event for event in outcome.log.get(room.number, []) if event.kind == "play"]
        spent = sum(event.spent_ms or 0 for event in plies)
        final = room.transcripts[0].final.values()
        gone = sum(2 * BASE_MS - sum(s.clocks.remaining) for s in final if s.clocks is not None)
        allowed = 1000 * (end - begin - away) + len(plies)  # each ply may be rounded up to a ms
        if max(spent, gone) > allowed:
            problems.append(
                f"room {room.number}: {max(spent, gone)} ms were charged, of {allowed:.0f} ms"
                " in which the server was up"
            )
    return problems


def _told(kills: Sequence[Kill]) -> list[str]:
    sentences = []
    for manner in Manner:
        times = sum(kill.manner is manner for kill in kills)
        if times and manner is not Manner.PLANNED:
            sentences.append(f"killed {manner}: {times} time{'s' if times > 1 else ''}")
    return sentences + [
        f"kill {number}: after {kill.after_plies:,} plies, {kill.under_way} matches under way,"
        f" back after {kill.down_s:.1f} s"
        for number, kill in enumerate(kills, 1)
        if kill.manner is Manner.PLANNED
    ]
