"""`plyhouse match A B`: bot against bot, through a real server, with numbers at the end.

A server is started as a process of its own on a free port, with its data in a folder that is gone
afterwards; both bots are ordinary clients of it.  Seats are swapped after each match.  Every match
has its own seeds, derived from --seed and the match's number: with a budget in nodes and without
dice the same command plays the same matches.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import secrets
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from bots import readiness, registry, terms
from bots.app import BAD_INPUT
from bots.bot import Budget, Choice
from bots.local_server import LocalServer, ServerFailed
from bots.report import Progress, print_report
from bots.runner import Runner, Unreachable, enter
from bots.score import Record
from bots.table import Hooks
from bots.terms import BadTerms, Entry
from games import registry as games
from protocol.errors import PlyhouseError, Refusal
from protocol.messages import ClockOptions, MatchState, Options

OWNERS = ("A", "B")  # the two sessions' names


@dataclass(frozen=True, slots=True)
class Plan:
    """A duel to be played.  `entries`: A and B."""

    entries: tuple[Entry, Entry]
    game: str
    matches: int
    seed: int
    clock: ClockOptions | None = None
    lanes: int = 1  # matches at once


@dataclass(slots=True)
class Lane:
    """One room, in which the two play `share` matches one after the other."""

    share: int
    started: list[str] = field(default_factory=list)


class Duel:
    """Two runners at one server, and the records of their matches."""

    def __init__(
        self, plan: Plan, url: str, on_match: Callable[[MatchState, Record], None]
    ) -> None:
        """`on_match` sees every state of every match."""
        self.plan = plan
        self.url = url
        self.records: dict[str, Record] = {}
        self.crashes: list[str] = []
        self.interrupted = False
        self._on_match = on_match
        self._lanes: dict[int, Lane] = {}
        self._over = asyncio.Event()

    def stop(self) -> None:
        """End it here; what has been played to its end counts."""
        self.interrupted = True
        self._over.set()

    async def play(self) -> list[Record]:
        """Play all matches; the records of those that ended, in order.

        Raises:
            PlyhouseError: the server refuses something, or is gone.
        """
        hooks = [
            Hooks(
                on_match=self._see,
                on_choice=self._effort(0),
                on_crash=self.crashes.append,
                on_closed=self._left,
                encore=self._encore,
            ),
            Hooks(on_choice=self._effort(1), on_crash=self.crashes.append, on_closed=self._left),
        ]
        houses = [
            await enter(e, self.url, name)
            for e, name in zip(self.plan.entries, OWNERS, strict=True)
        ]
        runners = [
            Runner(house, e, h)
            for house, e, h in zip(houses, self.plan.entries, hooks, strict=True)
        ]
        serving = [asyncio.create_task(runner.serve()) for runner in runners]
        over = asyncio.create_task(self._over.wait())
        try:
            await self._open_lanes(runners[0])
            await asyncio.wait({over, *serving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
            for house in houses:
                await house.close()
            await asyncio.gather(*serving)
        for house in houses:
            if house.reason is not None:
                raise house.reason
        return sorted((r for r in self.records.values() if r.how), key=lambda r: r.number)

    async def _open_lanes(self, runner: Runner) -> None:
        """One room after the other, so that rooms, and with them the seeds, are numbered alike."""
        plan = self.plan
        lanes = min(plan.lanes, plan.matches)
        options = Options(clock=plan.clock, public=False)
        rival = f"{OWNERS[1]}/{plan.entries[1].program}"
        for lane in range(lanes):
            share = plan.matches // lanes + (lane < plan.matches % lanes)
            room = await runner.host(plan.game, options, rival)
            self._lanes.setdefault(room, Lane(0)).share = share

    # ---- hooks

    def _encore(self, room: int) -> bool:
        lane = self._lanes.get(room)
        return lane is not None and len(lane.started) < lane.share and not self._over.is_set()

    def _left(self, room: int) -> None:
        """Neither leaves before the end unless something is wrong: do not wait for ever."""
        self._over.set()

    def _effort(self, side: int) -> Callable[[MatchState, Choice, float], None]:
        def add(state: MatchState, choice: Choice, seconds: float) -> None:
            self._record(state).efforts[side].add(choice.nodes, seconds)

        return add

    def _see(self, state: MatchState) -> None:
        record = self._record(state)
        for event in state.events:
            record.actions[event.seq] = event.action or ""
        record.plies = state.ply
        if state.result is not None:
            record.points = state.result.returns[record.seat]
            record.how, record.reason = state.result.how, state.result.reason
        self._on_match(state, record)
        if sum(1 for r in self.records.values() if r.how) == self.plan.matches:
            self._over.set()

    def _record(self, state: MatchState) -> Record:
        """The record of a match, begun when the match is first seen."""
        record = self.records.get(state.match)
        if record is None:
            lane = self._lanes.setdefault(state.room, Lane(0))
            lane.started.append(state.match)
            seat = 0 if state.seats[0].name == OWNERS[0] else 1
            seeds = [terms.match_seed(entry.seed, state.match) for entry in self.plan.entries]
            number = len(self.records) + 1
            record = Record(number, state.match, seat, (seeds[0], seeds[1]))
            self.records[state.match] = record
        return record


# ---------------------------------------------------------------- the command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse match`."""
    parser.add_argument("a", metavar="A", help=", ".join(registry.names()))
    parser.add_argument("b", metavar="B", help="its opponent; may be the same")
    parser.add_argument("--game", default="tic_tac_toe", help=", ".join(games.names()))
    parser.add_argument("--games", type=int, default=10, metavar="N", help="matches (default: 10)")
    parser.add_argument("--seed", type=int, help="of all random numbers (default: a fresh one)")
    parser.add_argument("--clock", metavar="S+I", help="seconds and increment, such as 60+0.5")
    parser.add_argument("--concurrency", type=int, default=1, metavar="K", help="matches at once")
    for side, of in (("", "both"), ("a-", "A"), ("b-", "B")):
        parser.add_argument(f"--{side}nodes", type=int, help=f"nodes for each action of {of}")
        parser.add_argument(f"--{side}ms", type=int, help=f"milliseconds for each action of {of}")
        parser.add_argument(f"--{side}level", type=int, help=f"strength of {of}, 1 to 8")
        parser.add_argument(
            f"--{side}set", action="append", default=[], metavar="K=V", help=f"a setting of {of}"
        )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--show", action="store_true", help="draw every board")
    output.add_argument("--json", action="store_true", help="results as JSON")
    output.add_argument("--csv", action="store_true", help="a line a match")


def run(args: argparse.Namespace) -> int:
    """Play the duel and print it.

    Returns:
        0 done, 1 if a bot crashed or the server failed, 2 for bad input, 130 after Ctrl-C.
    """
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    try:
        plan = plan_of(args)
    except (*BAD_INPUT, Refusal) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    try:
        return asyncio.run(_run(plan, args))
    except (PlyhouseError, ServerFailed, Unreachable) as error:
        print(f"plyhouse: {getattr(error, 'text', error)}", file=sys.stderr)
        return 1


def plan_of(args: argparse.Namespace) -> Plan:
    """What the arguments ask for.

    Raises:
        one of BAD_INPUT: with what is allowed.
    """
    games.game(args.game)
    for name, value in (("--games", args.games), ("--concurrency", args.concurrency)):
        if value < 1:
            raise BadTerms(f"{name} must be 1 or more, not {value}")
    seed = secrets.randbits(32) if args.seed is None else args.seed
    entries = (_entry(args, "a", seed), _entry(args, "b", seed + 1))
    return Plan(entries, args.game, args.games, seed, parse_clock(args.clock), args.concurrency)


def _entry(args: argparse.Namespace, side: str, seed: int) -> Entry:
    """A or B: what is said of it, else what is said of both."""
    program = getattr(args, side)
    own = [getattr(args, f"{side}_{name}") for name in ("nodes", "ms", "level")]
    alone = own != [None, None, None]
    nodes, ms, level = own if alone else [args.nodes, args.ms, args.level]
    budget: Budget | None = terms.parse_budget(
        program, nodes=nodes, ms=ms, level=level, alone=alone
    )
    mine, theirs = _known(program), _known(args.b if side == "a" else args.a)
    shared = {
        name: value
        for name, value in terms.parse_settings(args.set).items()
        if name in mine or name not in theirs  # what neither knows is refused
    }
    settings = {**shared, **terms.parse_settings(getattr(args, f"{side}_set"))}
    return terms.entry(
        program, seed=seed, only=(args.game,), budget=budget, settings=settings,
        slots=args.concurrency,
    )  # fmt: skip


def _known(program: str) -> set[str]:
    """The names of a bot's settings."""
    return {setting.name for setting in registry.kind(program).SETTINGS}


def parse_clock(text: str | None) -> ClockOptions | None:
    """A clock such as "60+0.5": seconds for the match, and for each action on top.

    Raises:
        BadTerms: with what is allowed.
    """
    if text is None:
        return None
    base, _, increment = text.partition("+")
    try:
        base_ms, increment_ms = round(float(base) * 1000), round(float(increment or 0) * 1000)
    except (ValueError, OverflowError):
        raise BadTerms(f"{text!r} is no clock; one looks like 60+0.5, in seconds") from None
    if not (1_000 <= base_ms <= 7 * 24 * 3_600_000 and 0 <= increment_ms <= 3_600_000):
        raise BadTerms(f"{text!r}: a clock has 1 second to a week, and up to an hour on top")
    return ClockOptions(base_ms=base_ms, increment_ms=increment_ms)


def _say(text: str) -> None:
    print(text, file=sys.stderr)


async def _run(plan: Plan, args: argparse.Namespace) -> int:
    await readiness.prepare(plan.entries, _say)
    async with LocalServer() as server:
        with Progress(plan.matches, plan.game, show=args.show, quiet=args.json or args.csv) as look:
            duel = Duel(plan, server.url, look.on_match)
            loop = asyncio.get_running_loop()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, duel.stop)
            records = await duel.play()
    form = "json" if args.json else "csv" if args.csv else "text"
    print_report(plan.entries, plan.game, plan.seed, records, form)
    if len(records) < plan.matches:
        print(f"plyhouse: stopped after {len(records)} of {plan.matches}", file=sys.stderr)
    if duel.interrupted:
        return 130
    return 1 if duel.crashes or len(records) < plan.matches else 0
