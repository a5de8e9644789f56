"""`plyhouse match`: bots against each other, through a real server, with numbers at the end.

A server is started as a process of its own on a free port, with its data in a folder that is gone
afterwards; the bots are ordinary clients of it.  Two of them play match after match (bots/duel.py);
several, or two with --pairs or --sprt, play in pairs on a ladder (bots/tournament.py).
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import logging
import secrets
import signal
import sys

from bots import crosstable, readiness, registry, terms
from bots.app import BAD_INPUT
from bots.bot import DEFAULT_LEVEL, Budget
from bots.duel import Duel, Plan
from bots.local_server import LocalServer, ServerFailed
from bots.report import Progress, print_report
from bots.runner import Unreachable
from bots.terms import BadTerms, Entry
from bots.tournament import MOST, Contest, Outcome, Tournament
from games import registry as games
from protocol.errors import PlyhouseError, Refusal
from protocol.messages import ClockOptions

MATCHES = 10  # where nobody says
PAIRS = 10  # of each two
CLOCK = ClockOptions(base_ms=600_000, increment_ms=10_000)  # a ladder has one
VERDICTS = {"better": 0, "not better by 30": 1, "undecided": 3}
FAILED = 4  # an exit code that is no verdict


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse match`."""
    parser.add_argument("a", metavar="A", help=", ".join(registry.names()))
    parser.add_argument("b", metavar="B", help="its opponent; may be the same")
    parser.add_argument("more", metavar="C", nargs="*", help="others: all meet all, in pairs")
    parser.add_argument("--game", default="tic_tac_toe", help=", ".join(games.names()))
    parser.add_argument(
        "--games", type=int, metavar="N", help=f"matches of two bots (default: {MATCHES})"
    )
    parser.add_argument(
        "--pairs", type=int, metavar="N",
        help="pairs of each two: the same opening or dice, seats swapped; with --sprt at most",
    )  # fmt: skip
    parser.add_argument(
        "--sprt", action="store_true",
        help="until it is known if A is better than B; exit code 0 yes, 1 not by 30 Elo, 3 unknown",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, help="of all random numbers (default: a fresh one)")
    parser.add_argument(
        "--clock", metavar="S+I", help="seconds and increment, such as 60+0.5 (in pairs: 600+10)"
    )
    parser.add_argument(
        "--concurrency",
        type=int,
        default=1,
        metavar="K",
        help="matches at once, or pairs",
    )
    parser.epilog = "A bot may carry its level: mcts:4."
    for side, of in (("", "all"), ("a-", "A"), ("b-", "B")):
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
    """Play and print.

    Returns:
        0 done, 1 if a bot crashed or the server failed, 2 for bad input, 130 after Ctrl-C.  With
        --sprt: 0 better, 1 not better by 30, 3 undecided, 4 if the server failed.
    """
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    try:
        plan = contest_of(args) if _in_pairs(args) else plan_of(args)
    except (*BAD_INPUT, Refusal) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    try:
        if isinstance(plan, Contest):
            return asyncio.run(_contest(plan, args))
        return asyncio.run(_duel(plan, args))
    except (PlyhouseError, ServerFailed, Unreachable) as error:
        print(f"plyhouse: {getattr(error, 'text', error)}", file=sys.stderr)
        return FAILED if args.sprt else 1


# ---------------------------------------------------------------- what is asked for


def _in_pairs(args: argparse.Namespace) -> bool:
    return bool(args.more or args.sprt or args.pairs is not None)


def plan_of(args: argparse.Namespace) -> Plan:
    """The duel that the arguments ask for.

    Raises:
        one of BAD_INPUT: with what is allowed.
    """
    games.game(args.game)
    matches = MATCHES if args.games is None else args.games
    _check_counts(games=matches, concurrency=args.concurrency)
    seed = _seed(args)
    entries = (_entry(args, 0, seed), _entry(args, 1, seed + 1))
    return Plan(entries, args.game, matches, seed, parse_clock(args.clock), args.concurrency)


def contest_of(args: argparse.Namespace) -> Contest:
    """The tournament that the arguments ask for.

    Raises:
        one of BAD_INPUT: with what is allowed.
    """
    games.game(args.game)
    if args.games is not None:
        raise BadTerms("--games counts single matches of two bots; here --pairs counts pairs")
    if args.show:
        raise BadTerms("--show draws single matches of two bots, not pairs")
    if args.sprt and args.more:
        raise BadTerms("--sprt is for two bots: whether the first is better than the second")
    count = 2 + len(args.more)
    if count > MOST:
        raise BadTerms(f"{MOST} bots at most, not {count}")
    pairs = PAIRS if args.pairs is None and not args.sprt else args.pairs
    _check_counts(pairs=1 if pairs is None else pairs, concurrency=args.concurrency)
    seed, clock = _seed(args), parse_clock(args.clock)
    entries = [_entry(args, place, seed + place) for place in range(count)]
    if clock is None:
        entries = [_with_budget(entry) for entry in entries]
    return Contest(
        tuple(entries), args.game, clock or CLOCK, pairs, args.sprt, seed, args.concurrency
    )


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        if value < 1:
            raise BadTerms(f"--{name} must be 1 or more, not {value}")


def _seed(args: argparse.Namespace) -> int:
    return secrets.randbits(32) if args.seed is None else int(args.seed)


def _with_budget(entry: Entry) -> Entry:
    """The entry with the usual level, where nothing says how long it may think."""
    if entry.budget is not None:
        return entry
    return dataclasses.replace(entry, budget=terms.level_budget(entry.program, DEFAULT_LEVEL))


def _entry(args: argparse.Namespace, place: int, seed: int) -> Entry:
    """The bot in a place, from 0: what is said of it, else what is said of all."""
    programs = [parse_bot(text) for text in (args.a, args.b, *args.more)]
    program, level = programs[place]
    side = "ab"[place] if place < 2 else None
    own = [getattr(args, f"{side}_{name}") if side else None for name in ("nodes", "ms", "level")]
    if level is not None:
        if own[2] is not None:
            raise BadTerms(f"{program}:{level} says its level already; leave out --{side}-level")
        own[2] = level
    alone = own != [None, None, None]
    nodes, ms, level = own if alone else [args.nodes, args.ms, args.level]
    budget: Budget | None = terms.parse_budget(
        program, nodes=nodes, ms=ms, level=level, alone=alone
    )
    mine = _known(program)
    theirs = set().union(*(_known(other) for other, _ in programs))
    shared = {
        name: value
        for name, value in terms.parse_settings(args.set).items()
        if name in mine or name not in theirs  # what none of them knows is refused
    }
    settings = terms.parse_settings(getattr(args, f"{side}_set")) if side else {}
    return terms.entry(
        program, seed=seed, only=(args.game,), budget=budget, settings={**shared, **settings},
        slots=args.concurrency, alias=f"{program}-{level}" if level is not None else None,
    )  # fmt: skip


def _known(program: str) -> set[str]:
    """The names of a bot's settings."""
    return {setting.name for setting in registry.kind(program).SETTINGS}


def parse_bot(text: str) -> tuple[str, int | None]:
    """A bot such as "mcts", or "mcts:4" with its level.

    Raises:
        BadTerms: what follows the colon is no number.
    """
    program, colon, level = text.partition(":")
    if not colon:
        return program, None
    if not (level.isascii() and level.isdigit() and len(level) < 4):
        raise BadTerms(f"{text!r} is no bot with a level; one looks like mcts:4")
    return program, int(level)


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


# ---------------------------------------------------------------- playing


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _on_signal(game: Duel | Tournament) -> None:
    """Let Ctrl-C and SIGTERM stop a game."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, game.stop)


def _form(args: argparse.Namespace) -> str:
    return "json" if args.json else "csv" if args.csv else "text"


async def _duel(plan: Plan, args: argparse.Namespace) -> int:
    await readiness.prepare(plan.entries, _say)
    async with LocalServer() as server:
        with Progress(plan.matches, plan.game, show=args.show, quiet=args.json or args.csv) as look:
            duel = Duel(plan, server.url, look.on_match)
            _on_signal(duel)
            records = await duel.play()
    print_report(plan.entries, plan.game, plan.seed, records, _form(args))
    if len(records) < plan.matches:
        print(f"plyhouse: stopped after {len(records)} of {plan.matches}", file=sys.stderr)
    if duel.interrupted:
        return 130
    return 1 if duel.crashes or len(records) < plan.matches else 0


async def _contest(contest: Contest, args: argparse.Namespace) -> int:
    await readiness.prepare(contest.entries, _say)
    async with LocalServer() as server:
        with crosstable.Progress(contest, quiet=args.json or args.csv) as look:
            tournament = Tournament(contest, server.url, look.on_state)
            _on_signal(tournament)
            outcome = await tournament.play()
    crosstable.print_outcome(contest, outcome, _form(args))
    return exit_code(contest, outcome)


def exit_code(contest: Contest, outcome: Outcome) -> int:
    """See `run`."""
    pairs, said = outcome.state.ladder.pairs, outcome.state.verdict
    if not contest.sprt and not outcome.finished:
        print(f"plyhouse: stopped after {pairs} of {contest.total} pairs", file=sys.stderr)
    if outcome.interrupted:
        return 130
    if contest.sprt:
        return VERDICTS["undecided" if said is None else said.word]
    return 1 if outcome.crashes or not outcome.finished else 0
