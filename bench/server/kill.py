"""`plyhouse bench kill`: kill -9 the server in the middle of many matches, and see what is lost.

Ordinary clients play; the server is killed several times at moments that follow from the seed, and
started again on the same port and data.  In the end every action that anybody was ever shown must
stand in the log exactly once, at the place it was shown at, the rules must agree with all that was
shown, and no clock may have run while the server was down.

With `--times` it is killed as often as that, while match after match is played: at random moments,
in mid-commit, and twice in quick succession (bench/server/killing.py).
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path

import msgspec

from bench.server.killing import Kill, Killed, Manner, kill_planned, kill_somehow, manners
from bench.server.server import UNLIMITED
from bench.support.log_place import LogPlace, add_argument, log_place, read_log
from bench.support.players import PlayedRoom, lost, mean_plies, seat
from bench.support.report import complain, out_of_time, progress, tried
from bench.support.transcript import compare, digest
from games import registry
from lab.arena.local_server import ServerProcess
from protocol.history import ACTIONS
from protocol.parts import ClockOptions, Event, Options

BASE_MS = 600_000  # no flag falls; the clocks show who was charged
TIME_LIMIT = 120.0  # seconds for everything ...
TIME_A_KILL = 15.0  # ... and for each of many kills
FIRST, LAST = 0.1, 0.7  # the share of a mean match within which the kills fall


class KillReport(msgspec.Struct, kw_only=True):
    """What a run showed.  Nothing was lost or doubled exactly if `problems` is empty."""

    game: str
    matches: int
    seed: int
    kills: list[Kill]
    actions: int  # in the log
    shown: int  # how often a player was shown an action for the first time
    log_hash: str
    charged_s: float  # thinking time on all clocks together
    seconds: float
    problems: list[str]


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
        """Seconds for everything."""
        return TIME_LIMIT + TIME_A_KILL * self.times


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench kill`."""
    parser.add_argument(
        "--matches", type=int, default=KillPlan.matches, help="at once (default 50)"
    )
    parser.add_argument("--kills", type=int, default=KillPlan.kills, help="how often (default 3)")
    parser.add_argument(
        "--times", type=int, default=0, help="so often, in all manners, over many matches"
    )
    parser.add_argument("--game", default=KillPlan.game, help=f"default {KillPlan.game}")
    parser.add_argument("--seed", type=int, default=KillPlan.seed, help="of actions and moments")
    add_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Do it and print the report; 1 if there are problems, 2 if it could not be done."""
    if args.game not in registry.names() or args.matches < 1 or min(args.kills, args.times) < 0:
        names = ", ".join(registry.names())
        return complain("kill", f"at least 1 match, of {names}")
    plan = KillPlan(args.game, args.matches, args.kills, args.seed, times=args.times,
                    database=args.database)  # fmt: skip
    trial = partial(carry_out, plan)
    return tried("kill", plan.limit, trial, None if args.json else show)


async def carry_out(
    plan: KillPlan, folder: Path, env: Mapping[str, str] | None = None
) -> KillReport:
    """Play, kill, restart, compare.  `folder` is where data and log of the server go."""
    with log_place(plan.database) as place:
        return await _carry_out(plan, folder, env, place)


async def _carry_out(
    plan: KillPlan, folder: Path, env: Mapping[str, str] | None, place: LogPlace
) -> KillReport:
    began = time.monotonic()
    server = ServerProcess(folder / "data", UNLIMITED, command=("serve", *place.words), env=env)
    await asyncio.to_thread(server.start)
    rooms, kills = list[PlayedRoom](), list[Killed]()
    over: float | None = None  # when time was over
    try:
        async with asyncio.timeout(plan.limit):
            options = Options(clock=ClockOptions(base_ms=BASE_MS))
            for number in range(plan.matches):
                address = server.address
                rooms.append(await seat(address, plan.game, options, number, plan.think))
            ends = await _play_and_kill(plan, server, rooms, place, kills)
            histories = [await room.history() for room in rooms]
            for room in rooms:
                await room.close()
    except TimeoutError:
        over = time.monotonic()
    finally:
        code = await asyncio.to_thread(server.stop)
    log = await read_log(place, server.data)
    report = _report(plan, rooms, kills, log)
    if over is None:
        report.problems += _differences(rooms, histories, log)
        report.charged_s, charges = _check_clocks(rooms, kills, ends, log)
        report.problems += charges
    else:
        report.problems += out_of_time(plan.limit, {
            room.number: lost(room.players, log.get(room.number, []), over) for room in rooms
        })  # fmt: skip
    if code != 0:
        report.problems.append(f"the server ended with exit code {code}")
    report.seconds = time.monotonic() - began
    return report


async def _play_and_kill(
    plan: KillPlan, server: ServerProcess, rooms: Sequence[PlayedRoom], place: LogPlace,
    kills: list[Killed],
) -> list[float]:  # fmt: skip
    """Let one match, or with `times` one after the other, be played in each room; kill meanwhile.

    Returns:
        When each room's last match was over.
    """
    done = asyncio.Event()
    if not plan.times:
        done.set()

    async def play(room: PlayedRoom) -> float:
        await room.play(1)
        while not done.is_set():
            await room.play(room.matches_over + 1)
        return time.monotonic()

    async with asyncio.TaskGroup() as group:
        games = [group.create_task(play(room)) for room in rooms]
        if plan.times:
            await _kill_many_times(plan, server, rooms, place, kills)
        else:
            await _kill_often(plan, server, rooms, kills)
        done.set()
    return [game.result() for game in games]


async def _kill_often(
    plan: KillPlan, server: ServerProcess, rooms: Sequence[PlayedRoom], kills: list[Killed]
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
        kills.append(Killed(Kill(plies, under_way, end - begin), begin, end))


async def _kill_many_times(
    plan: KillPlan, server: ServerProcess, rooms: Sequence[PlayedRoom], place: LogPlace,
    kills: list[Killed],
) -> None:  # fmt: skip
    """Kill and restart `times` times; two in quick succession are two."""
    draw = random.Random(plan.seed)
    times, next_manners = 0, cycle(manners(place))
    while times < plan.times:
        manner = next(next_manners)
        begin, end = await kill_somehow(server, manner, draw, place)
        plies = sum(len(room.transcripts[0].actions) for room in rooms)
        kills.append(Killed(Kill(plies, len(rooms), end - begin, manner), begin, end))
        times += 2 if manner is Manner.TWICE else 1
        if len(kills) % 20 == 0:
            progress(f"{times} of {plan.times} kills, {plies:,} plies")


def _differences(
    rooms: Sequence[PlayedRoom],
    histories: Sequence[Sequence[Event]],
    log: Mapping[int, Sequence[Event]],
) -> list[str]:
    """What the players were shown otherwise than history, log and rules say."""
    return [
        f"room {room.number}: {problem}"
        for room, history in zip(rooms, histories, strict=True)
        for problem in compare(room.transcripts, history, log.get(room.number, []))
    ]


def _report(
    plan: KillPlan,
    rooms: Sequence[PlayedRoom],
    kills: Sequence[Killed],
    log: Mapping[int, Sequence[Event]],
) -> KillReport:
    """What was done; what is wrong with it is added later."""
    actions = [event for events in log.values() for event in events if event.kind in ACTIONS]
    return KillReport(
        game=plan.game,
        matches=len(rooms),
        seed=plan.seed,
        kills=[killed.kill for killed in kills],
        actions=len(actions),
        shown=sum(len(transcript.actions) for room in rooms for transcript in room.transcripts),
        log_hash=digest(actions),
        charged_s=0.0,
        seconds=0.0,
        problems=[],
    )


def _check_clocks(
    rooms: Sequence[PlayedRoom],
    kills: Sequence[Killed],
    ends: Sequence[float],
    log: Mapping[int, Sequence[Event]],
) -> tuple[float, list[str]]:
    """No match may have cost more thinking time than it lasted while the server was up."""
    total, problems = 0, []
    for room, end in zip(rooms, ends, strict=True):
        begin = max(player.first_agreed_at for player in room.players)
        away = sum(max(0.0, min(end, killed.end) - max(begin, killed.begin)) for killed in kills)
        plies = [event for event in log.get(room.number, []) if event.kind == "play"]
        spent = sum(event.spent_ms or 0 for event in plies)
        final = room.transcripts[0].final.values()
        gone = sum(2 * BASE_MS - sum(s.clocks.remaining) for s in final if s.clocks is not None)
        allowed = 1000 * (end - begin - away) + len(plies)  # each ply may be rounded up to a ms
        total += spent
        if max(spent, gone) > allowed:
            problems.append(
                f"room {room.number}: {max(spent, gone)} ms were charged, of {allowed:.0f} ms"
                " in which the server was up"
            )
    return total / 1000, problems


def show(report: KillReport) -> None:
    """Print the report for people."""
    print(f"{report.matches} matches of {report.game} (seed {report.seed})")
    for manner in Manner:
        if manner is not Manner.PLANNED and (kills := _of(report, manner)):
            print(f"killed {manner}: {kills} time{'s' if kills > 1 else ''}")
    for number, kill in enumerate(report.kills, 1):
        if kill.manner is not Manner.PLANNED:
            continue
        print(
            f"kill {number}: after {kill.after_plies:,} plies, {kill.under_way} matches under way,"
            f" back after {kill.down_s:.1f} s"
        )
    print(
        f"{report.actions:,} actions in the log, {report.shown:,} times one was shown to a player"
    )
    print(f"hash of the log: {report.log_hash}")
    for problem in report.problems[:20]:
        print(f"PROBLEM: {problem}")
    if report.problems:
        print(f"VERDICT: {len(report.problems)} problems")
        return
    down = sum(kill.down_s for kill in report.kills)
    print(
        f"VERDICT: nothing shown was lost, nothing was played twice, and of {down:.1f} s without a"
        " server not a moment was charged to anyone's clock"
    )


def _of(report: KillReport, manner: Manner) -> int:
    return sum(kill.manner is manner for kill in report.kills)
