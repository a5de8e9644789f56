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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Final

from bench.server.killing import Kill, Killed, Manner, kill_planned, kill_somehow, manners
from bench.support.log_place import LogPlace, add_argument, log_place
from bench.support.players import PlayedRoom, mean_plies, seat
from bench.support.process import UNLIMITED
from bench.support.report import BadPlan, progress
from bench.support.story import ONE_STORY, StoryReport, TrialOutcome, figures, judge, try_server
from games import registry
from lab.arena.local_server import ServerProcess
from protocol.parts import ClockOptions, Options

BASE_MS: Final = 600_000  # no flag falls; the clocks show who was charged
TIME_LIMIT: Final = 120.0  # seconds for everything ...
TIME_A_KILL: Final = 15.0  # ... and for each of many kills
FIRST, LAST = 0.1, 0.7  # the share of a mean match within which the kills fall


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
    rooms, kills, ends = list[PlayedRoom](), list[Killed](), list[float]()

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
        game=plan.game, matches=len(rooms), kills=[killed.kill for killed in kills],
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
    kills: list[Killed],
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


def _check_clocks(
    rooms: Sequence[PlayedRoom],
    kills: Sequence[Killed],
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
