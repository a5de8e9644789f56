"""`plyhouse match`: bots against each other, through a real server, with numbers at the end.

The server is a process of its own on a free port, with its data in a temporary folder; the bots are
ordinary clients of it.  Two of them play match after match (lab/arena/duel.py); several, or two
with --pairs or --sprt, play in pairs on a ladder (lab/arena/tournament.py).
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import sys
from contextlib import redirect_stdout

from bots import registry
from bots.bot import DEFAULT_LEVEL, CannotPlay
from bots.commands import arguments
from bots.commands.arguments import BadOption
from bots.online import readiness
from bots.online.entry import Entry, level_budget, make_entry
from bots.online.output import log_to_stderr
from bots.online.runner import Unreachable
from bots.registry import UnknownBot
from games import registry as games
from lab.arena.duel import Duel, DuelPlan
from lab.arena.duel_report import DuelProgress, ReportForm, print_report
from lab.arena.local_server import ServerFailed, local_server
from lab.arena.score import DuelRecord
from lab.arena.shares import Engines, SharedDuel
from lab.arena.tournament import MAX_BOTS, Tournament, TournamentPlan, TournamentResult
from lab.arena.tournament_report import TournamentProgress, print_result
from lab.commands.farm_options import BAD_INPUT
from lab.farm.executor import WorkerFailed
from lab.farm.farm import open_executor
from lab.farm.interrupts import interruptible
from lab.farm.where import HELP, BadFarm, Where, parse_where
from protocol.errors import PlyhouseError, Refusal
from protocol.ladder import MIN_PAIRS, USUAL, Hypotheses
from protocol.notation import parse_clock
from protocol.parts import ClockOptions
from protocol.shell.signals import ending_signals

GAME = "tic_tac_toe"  # by default
MATCHES = 10  # by default
PAIRS = 10  # of each two, by default
CLOCK = ClockOptions(base_ms=600_000, increment_ms=10_000)  # of a ladder, by default
HYPOTHESES = {  # of --sprt
    "elo0": "--sprt decides between A being so many Elo stronger",
    "elo1": "and so many",
    "alpha": "how often --sprt may call A better where elo0 is true",
    "beta": "how often not better where elo1 is",
}
VERDICTS = {"better": 0, "not better": 1, "undecided": 3}
FAILED = 4  # an exit code that is no verdict


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse match`."""
    parser.add_argument("a", metavar="A", help=registry.described())
    parser.add_argument("b", metavar="B", help="its opponent; may be the same")
    parser.add_argument(
        "more", metavar="C", nargs="*", default=[], help="more bots: each meets each, in pairs"
    )
    parser.add_argument(
        "--game", default=GAME, help=f"{', '.join(games.names())} (default: {GAME})"
    )
    parser.add_argument(
        "--games", type=int, metavar="N", help=f"matches of two bots (default: {MATCHES})"
    )
    parser.add_argument(
        "--pairs", type=int, metavar="N",
        help="pairs of each two: the same opening or dice, seats swapped; with --sprt at most",
    )  # fmt: skip
    parser.add_argument(
        "--sprt", action="store_true",
        help="play until A is known to be better; exit code 0: it is, 1: not by --elo1, 3: unknown;"
        f" it takes {MIN_PAIRS} pairs at least",
    )  # fmt: skip
    for name, meaning in (
        ("elo0", "--sprt decides between A being so many Elo stronger"),
        ("elo1", "and so many"),
        ("alpha", "how often --sprt may call A better where elo0 is true"),
        ("beta", "how often not better where elo1 is"),
    ):
        parser.add_argument(
            f"--{name}",
            type=float,
            metavar="X",
            help=f"{meaning} (default: {getattr(USUAL, name):g})",
        )
    parser.add_argument("--seed", type=int, help="of all random numbers (default: a fresh one)")
    parser.add_argument(
        "--clock",
        metavar="CLOCK",
        help="such as 60s+0.5s, or 5+3 in minutes + seconds (default: none; in pairs 10+10)",
    )
    parser.add_argument(
        "--concurrency", type=int, default=1, metavar="K", help="matches at once, or pairs"
    )
    parser.add_argument(
        "--farm", metavar="WHERE",
        help=f"{HELP}; matches of two bots only (default: one server here, in this process)",
    )  # fmt: skip
    parser.epilog = (
        "A bot may carry its level: mcts:4.  Two bots begin every match at the start of the game.\n"
        "In pairs (--pairs, --sprt, or more bots) both matches of a pair begin with the same\n"
        "opening, drawn by --seed from all of one ply, or of two where those of one are 8 or\n"
        "fewer; openings that mirror each other count once.  With dice a pair has the same dice."
    )
    for side, of in (("", ""), ("a-", " of A"), ("b-", " of B")):
        arguments.add_strength(parser, side, of)
    arguments.add_engines(parser)
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--show", action="store_true", help="draw every board")
    output.add_argument("--json", action="store_true", help="results as JSON")
    output.add_argument("--csv", action="store_true", help="results as CSV, a row a match")


def run(args: argparse.Namespace) -> int:
    """Play and print.

    Returns:
        0 done, 1 if a bot crashed or the server failed, 2 for bad input, 130 after Ctrl-C.  With
        --sprt: 0 better, 1 not better, 3 undecided, 4 if the server failed.
    """
    log_to_stderr()
    try:
        _test(args)
        arguments.make_engines(args, (args.game,))
        in_pairs = args.more or args.sprt or args.pairs is not None
        place = _place(args, bool(in_pairs))
        with redirect_stdout(sys.stderr):  # a bot's file may print when it is loaded
            plan = tournament_of(args) if in_pairs else duel_of(args)
    except (*BAD_INPUT, Refusal) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    try:
        if isinstance(plan, TournamentPlan):
            return asyncio.run(_play_tournament(plan, args))
        if place is not None:
            return _play_shared(plan, args, place)
        return asyncio.run(_play_duel(plan, args))
    except (BadFarm, CannotPlay, UnknownBot) as error:  # on another machine, or an engine here
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    except (PlyhouseError, ServerFailed, Unreachable, WorkerFailed) as error:
        print(f"plyhouse: {getattr(error, 'text', error)}", file=sys.stderr)
        return FAILED if args.sprt else 1


def duel_of(args: argparse.Namespace) -> DuelPlan:
    """The duel that the arguments ask for.

    Raises:
        one of BAD_INPUT: with what is allowed.
    """
    games.game(args.game)
    matches = MATCHES if args.games is None else args.games
    _check_counts(games=matches, concurrency=args.concurrency)
    seed = arguments.seed_of(args)
    entries = (_entry(args, 0, seed), _entry(args, 1, seed + 1))
    return DuelPlan(entries, args.game, matches, seed, _clock(args), args.concurrency)


def tournament_of(args: argparse.Namespace) -> TournamentPlan:
    """The tournament that the arguments ask for.

    Raises:
        one of BAD_INPUT: with what is allowed.
    """
    games.game(args.game)
    if args.games is not None:
        raise BadOption("--games counts single matches of two bots; here --pairs counts pairs")
    if args.show:
        raise BadOption("--show draws single matches of two bots, not pairs")
    test = _test(args)
    if args.sprt and args.more:
        raise BadOption("--sprt is for two bots: whether the first is better than the second")
    count = 2 + len(args.more)
    if count > MAX_BOTS:
        raise BadOption(f"at most {MAX_BOTS} bots can play, not {count}")
    pairs = PAIRS if args.pairs is None and not args.sprt else args.pairs
    _check_counts(pairs=1 if pairs is None else pairs, concurrency=args.concurrency)
    if args.sprt and pairs is not None and pairs < MIN_PAIRS:
        raise BadOption(
            f"--sprt says nothing before {MIN_PAIRS} pairs, so --pairs {pairs} is too few"
        )
    seed, clock = arguments.seed_of(args), _clock(args)
    if args.clock is not None and clock is None:
        raise BadOption("pairs are played with a clock; --clock none is for single matches")
    entries = [_entry(args, place, seed + place) for place in range(count)]
    if clock is None:
        entries = [_with_budget(entry) for entry in entries]
    return TournamentPlan(
        tuple(entries), args.game, clock or CLOCK, pairs, args.sprt, seed, args.concurrency, test
    )


def _test(args: argparse.Namespace) -> Hypotheses:
    """What --sprt is to decide between.

    Raises:
        BadOption: that makes no test, or there is none.
    """
    given = {name: getattr(args, name) for name in Hypotheses.__struct_fields__}
    given = {name: value for name, value in given.items() if value is not None}
    if given and not args.sprt:
        raise BadOption(f"--{next(iter(given))} belongs to --sprt")
    try:
        return Hypotheses(**given)
    except ValueError as error:
        raise BadOption(f"--sprt: {error}") from None


def _place(args: argparse.Namespace, in_pairs: bool) -> Where | None:
    """Where a duel is played in shares; None where it is not.

    Raises:
        BadFarm, BadOption: there is no such place, or these matches cannot be shared out.
    """
    if args.farm is None:
        return None
    if in_pairs:
        raise BadOption(
            "--farm plays single matches of two bots; pairs are a ladder's, on which bots play "
            "from any machine: plyhouse bot --ladder"
        )
    if args.show:
        raise BadOption("--show draws matches that are played here; leave out --farm")
    return parse_where(args.farm)


def _check_counts(**counts: int) -> None:
    for name, value in counts.items():
        if value < 1:
            raise BadOption(f"--{name} must be 1 or more, not {value}")


def _clock(args: argparse.Namespace) -> ClockOptions | None:
    return None if args.clock is None else parse_clock(args.clock)


def _with_budget(entry: Entry) -> Entry:
    """The entry with the default level, if nothing else limits its thinking."""
    if entry.budget is not None or entry.bot_class.ends_itself(entry.settings):
        return entry
    return dataclasses.replace(entry, budget=level_budget(entry.program, DEFAULT_LEVEL))


def _entry(args: argparse.Namespace, place: int, seed: int) -> Entry:
    """The bot in a place, from 0, with its own options, else those of all."""
    programs = [parse_bot(text) for text in (args.a, args.b, *args.more)]
    program, level = programs[place]
    side = "ab"[place] if place < 2 else None
    own = [getattr(args, f"{side}_{name}") if side else None for name in ("nodes", "ms", "level")]
    if level is not None:
        if own[2] is not None:
            raise BadOption(f"{program}:{level} names its level already; leave out --{side}-level")
        own[2] = level
    alone = own != [None, None, None]
    nodes, ms, level = own if alone else [args.nodes, args.ms, args.level]
    budget = arguments.parse_budget(program, nodes=nodes, ms=ms, level=level, alone=alone)
    mine = _setting_names(program)
    theirs = set().union(*(_setting_names(other) for other, _ in programs))
    shared = {
        name: value
        for name, value in arguments.parse_settings(args.set).items()
        if name in mine or name not in theirs  # make_entry refuses one that no bot has
    }
    settings = arguments.parse_settings(getattr(args, f"{side}_set")) if side else {}
    return make_entry(
        program, seed=seed, only=(args.game,), budget=budget, settings={**shared, **settings},
        slots=args.concurrency, alias=f"{program}-{level}" if level is not None else None,
    )  # fmt: skip


def _setting_names(program: str) -> set[str]:
    return {setting.name for setting in registry.bot_class(program).SETTINGS}


def parse_bot(text: str) -> tuple[str, int | None]:
    """A bot such as "mcts", or "mcts:4" with its level.

    Raises:
        BadOption: what follows the colon is not a number.
    """
    program, colon, level = text.partition(":")
    if not colon:
        return program, None
    if not (level.isascii() and level.isdigit() and len(level) < 4):
        raise BadOption(f"{text!r} is not a bot with a level; write one as mcts:4")
    return program, int(level)


def _say(text: str) -> None:
    print(text, file=sys.stderr)


def _stop_on_signal(contest: Duel | Tournament) -> None:
    """Let Ctrl-C, SIGTERM and SIGHUP stop a contest."""
    loop = asyncio.get_running_loop()
    for number in ending_signals():
        loop.add_signal_handler(number, contest.stop)


def _form(args: argparse.Namespace) -> ReportForm:
    return "json" if args.json else "csv" if args.csv else "text"


async def _play_duel(plan: DuelPlan, args: argparse.Namespace) -> int:
    await readiness.prepare(plan.entries, _say)
    quiet = args.json or args.csv
    boards = sys.stdout if args.show else None
    async with local_server() as server:
        with (
            redirect_stdout(sys.stderr),  # what bots print is no result
            DuelProgress(plan.matches, plan.game, boards=boards, quiet=quiet) as progress,
        ):
            duel = Duel(plan, server.url, progress.on_match)
            _stop_on_signal(duel)
            records = await duel.play()
    return _print_duel(plan, args, records, bool(duel.crashes), duel.interrupted)


def _play_shared(plan: DuelPlan, args: argparse.Namespace, place: Where) -> int:
    duel = SharedDuel(plan, Engines(tuple(args.engine), args.engine_log))
    interrupted = False
    try:
        with (
            interruptible(),
            open_executor(place, arguments.say) as executor,
            DuelProgress(plan.matches, plan.game, quiet=args.json or args.csv) as progress,
        ):
            if place.kind != "dask":
                asyncio.run(readiness.prepare(plan.entries, _say))
            for record in duel.play(executor):
                progress.on_end(record)
    except KeyboardInterrupt:
        interrupted = True
    return _print_duel(plan, args, duel.records, duel.crashes > 0, interrupted)


def _print_duel(
    plan: DuelPlan,
    args: argparse.Namespace,
    records: list[DuelRecord],
    crashed: bool,
    interrupted: bool,
) -> int:
    """Print how a duel ended: the exit code."""
    print_report(plan.entries, plan.game, plan.seed, records, _form(args))
    if len(records) < plan.matches:
        print(f"plyhouse: stopped after {len(records)} of {plan.matches}", file=sys.stderr)
    if interrupted:
        return 130
    return 1 if crashed or len(records) < plan.matches else 0


async def _play_tournament(plan: TournamentPlan, args: argparse.Namespace) -> int:
    await readiness.prepare(plan.entries, _say)
    async with local_server() as server:
        with (
            redirect_stdout(sys.stderr),  # what bots print is no result
            TournamentProgress(plan, quiet=args.json or args.csv) as progress,
        ):
            tournament = Tournament(plan, server.url, progress.on_state)
            _stop_on_signal(tournament)
            result = await tournament.play()
    print_result(plan, result, _form(args))
    return exit_code(plan, result)


def exit_code(plan: TournamentPlan, result: TournamentResult) -> int:
    """The exit code of a tournament, as `run` returns it."""
    pairs, verdict = result.state.ladder.pairs, result.state.verdict
    if not plan.sprt and not result.finished:
        print(f"plyhouse: stopped after {pairs} of {plan.total} pairs", file=sys.stderr)
    if result.interrupted:
        return 130
    if plan.sprt:
        return VERDICTS["undecided" if verdict is None else verdict.word]
    return 1 if result.crashes or not result.finished else 0
