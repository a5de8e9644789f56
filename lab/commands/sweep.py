"""`plyhouse sweep BOT`: a grid of a bot's settings against one opponent, with error bars and plots.

    plyhouse sweep mcts --nodes 50,100,200 --playouts 1,5 --against random --plot sweep.png

Every setting of a bot of the house is an option of its name, in the plural; `--set NAME=A,B,C` says
the same of any bot.  The games are played in this process, or one process a core, without a server.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bots import registry
from bots.bot import DEFAULT_LEVEL, Budget
from bots.commands import arguments
from bots.commands.arguments import BadOption
from bots.online import readiness
from bots.online.entry import Entry, make_entry
from bots.online.output import log_to_stderr
from bots.registry import UnknownBot
from games import registry as games
from lab.commands import farm_options
from lab.commands.farm_options import BAD_INPUT
from lab.commands.match import parse_bot
from lab.experiments import plots, sweep_report
from lab.experiments.grid import BUDGETS, BadGrid, GridAxis, Sweep, make_axis, make_rival
from lab.experiments.journal import BadJournal, Journal
from lab.experiments.plots import NoPlot
from lab.experiments.running import Experiment, ask, duration
from lab.experiments.workers import Schedule
from lab.farm.executor import WorkerFailed
from lab.farm.farm import open_executor
from lab.farm.where import Where
from protocol.files import whole_file

GAME: Final = "tic_tac_toe"  # by default
GAMES: Final = 100  # of a setting, by default
MAX_GAMES: Final = 10**9
SEED: Final = 1  # by default, so that the same command goes on with the same games
FOLDER: Final = Path("build") / "sweeps"
ASKED_S: Final = 600.0  # a sweep that takes longer begins only with leave
ASKED_GAMES: Final = 1_000_000  # and one of so many games


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse sweep`."""
    parser.add_argument("bot", metavar="BOT", help=", ".join(registry.names()))
    parser.add_argument(
        "--game", default=GAME, help=f"{', '.join(games.names())} (default: {GAME})"
    )
    grid = parser.add_argument_group("the grid: values such as 50,100,200, of any of these")
    grid.add_argument(
        "--nodes", "--iterations", metavar="N,N", help="nodes for each action; of mcts simulations"
    )
    grid.add_argument("--ms", metavar="N,N", help="milliseconds for each action")
    grid.add_argument("--level", metavar="N,N", help="strength, 1 to 8, for bots that have levels")
    grid.add_argument(
        "--set", action="append", default=[], metavar="K=V,V", help="a setting, of any bot"
    )
    _add_settings(grid)
    parser.add_argument(
        "--against", default="random", metavar="BOT", help="such as minimax:3 (default: random)"
    )
    arguments.add_strength(parser, "against-", " of the opponent")
    parser.add_argument(
        "--games", type=int, default=GAMES, metavar="N",
        help=f"of each setting, half of them in each seat (default: {GAMES})",
    )  # fmt: skip
    parser.add_argument(
        "--seed", type=int, default=SEED, help=f"of all random numbers (default: {SEED})"
    )
    farm_options.add_jobs(parser)
    farm_options.add_farm(parser, "processes")
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="time and losses as charts: .png, .svg or .pdf"
    )
    for form in ("csv", "json"):
        parser.add_argument(
            f"--{form}", nargs="?", const="-", metavar="FILE",
            help=f"the results as {form.upper()}; without a file on stdout, and nothing else there",
        )  # fmt: skip
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER",
        help="where the journal lies, by which the same command goes on after it was stopped "
        f"(default: one for each sweep in {FOLDER})",
    )  # fmt: skip
    parser.add_argument("--fresh", action="store_true", help="start anew; ignore the journal")
    parser.add_argument("--yes", action="store_true", help="do not ask, however long it takes")


def _add_settings(grid: argparse._ArgumentGroup) -> None:
    """An option for each setting of a bot, unless its name is taken."""
    taken = {*BUDGETS, "iterations", "set", "bot", "game", "games", "against", "seed", "jobs"}
    taken |= {"concurrency", "plot", "csv", "json", "out", "fresh", "yes", "help", "farm"}
    taken |= {f"against_{name}" for name in (*BUDGETS, "set")}
    for program in registry.names():
        try:
            settings = registry.bot_class(program).SETTINGS
        except UnknownBot:
            continue  # a broken file; a command that asks for this bot says so
        for setting in settings:
            if setting.name not in taken and setting.name.isidentifier():
                taken.add(setting.name)
                option = setting.name.replace("_", "-")
                about = f"{program}: {setting.meaning}".replace("%", "%%")
                grid.add_argument(
                    f"--{option}", dest=f"setting_{setting.name}", metavar="V,V", help=about
                )


def run(args: argparse.Namespace) -> int:
    """Play the grid, and print what came of it.

    Returns:
        0 done, 1 if a bot failed or a file cannot be written, 2 for bad input, 130 after Ctrl-C.
    """
    log_to_stderr()
    try:
        sweep = sweep_of(args)
        _check_outputs(args)
        place = farm_options.parse_jobs(args)
        path = (args.out or FOLDER / f"{sweep.program}-{sweep.game}-{sweep.digest()}") / "journal"
        with Journal(path.with_suffix(".jsonl"), sweep.head(), fresh=args.fresh) as journal:
            return _play(args, sweep, journal, place)
    except (*BAD_INPUT, BadGrid, BadJournal, NoPlot) as error:
        _say(f"plyhouse: {error}")
        return 2
    except WorkerFailed as error:
        _say(f"plyhouse: {error}; what was played before is kept, and the same command goes on")
    except OSError as error:
        file = error.filename or "a file of the sweep"
        _say(f"plyhouse: {file} cannot be written: {error.strerror}")
    return 1


def sweep_of(args: argparse.Namespace) -> Sweep:
    """The sweep that the arguments ask for.

    Raises:
        one of BAD_INPUT, BadGrid: with what is allowed.
    """
    games.game(args.game)
    if args.games < 2 or args.games % 2 or args.games > MAX_GAMES:
        raise BadOption(f"--games must be even, as seats are swapped, from 2 on, not {args.games}")
    program, level = parse_bot(args.bot)
    axes = _axes(args, program, level)
    rival, rival_budget = _rival(args)
    side, title = make_rival(rival, rival_budget)
    return Sweep(program, args.game, axes, side, title, args.games, args.seed)


def _axes(args: argparse.Namespace, program: str, level: int | None) -> tuple[GridAxis, ...]:
    """What is varied, and what is given one value: the budget first."""
    texts = {name: text for name in BUDGETS if (text := getattr(args, name)) is not None}
    if level is not None:
        if texts:
            raise BadOption(f"{program}:{level} names its level; leave out --{next(iter(texts))}")
        texts["level"] = str(level)
    given = {
        name.removeprefix("setting_"): text
        for name, text in vars(args).items()
        if name.startswith("setting_") and text is not None
    }
    for name, value in arguments.parse_settings(args.set).items():
        if name in given:
            raise BadOption(f"{name} is given twice")
        given[name] = str(value)
    axes = [make_axis(program, name, _listed(text)) for name, text in given.items()]
    if not texts and _needs_level(program, axes):
        texts["level"] = str(DEFAULT_LEVEL)
    return (*(make_axis(program, name, _listed(text)) for name, text in texts.items()), *axes)


def _needs_level(program: str, axes: Sequence[GridAxis]) -> bool:
    """Whether choices have no end of their own, so that the default level ends them.

    Raises:
        BadOption: some have.
    """
    bot_class = registry.bot_class(program)
    points = itertools.product(*([(axis.name, value) for value in axis.values] for axis in axes))
    ends = {bot_class.ends_itself({**bot_class.defaults(), **dict(point)}) for point in points}
    if len(ends) > 1:
        raise BadOption(
            "some of these settings say how far to look, others leave that to the budget: give one"
            " by --nodes, --ms or --level"
        )
    return ends == {False} and bool(bot_class.LEVELS)


def _listed(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _rival(args: argparse.Namespace) -> tuple[Entry, Budget | None]:
    """The opponent and its budget, if one is asked for."""
    program, level = parse_bot(args.against)
    if level is not None and args.against_level is not None:
        raise BadOption(f"{program}:{level} names its level; leave out --against-level")
    level = args.against_level if level is None else level
    budget = arguments.parse_budget(
        program, nodes=args.against_nodes, ms=args.against_ms, level=level, alone=True
    )
    settings = arguments.parse_settings(args.against_set)
    return make_entry(program, seed=0, only=(args.game,), settings=settings), budget


def _entries(sweep: Sweep) -> list[Entry]:
    programs = dict.fromkeys((sweep.program, sweep.rival.program))
    return [make_entry(program, seed=0, only=(sweep.game,)) for program in programs]


def _check_outputs(args: argparse.Namespace) -> None:
    """Raises NoPlot or BadOption for files that cannot be written in the end."""
    if args.csv == args.json == "-":
        raise BadOption("--csv and --json cannot both go to stdout")
    if args.plot is not None:
        plots.check(args.plot)
        plots.check_folder(args.plot)
    for file in (args.csv, args.json):
        if file not in (None, "-"):
            plots.check_folder(Path(file))


def _play(args: argparse.Namespace, sweep: Sweep, journal: Journal, place: Where) -> int:
    cells = {cell.key: cell for cell in sweep.cells()}
    most = max((batch.end for batch in journal.batches), default=0)
    if 2 * most > sweep.games:
        raise BadOption(
            f"{journal.path} holds up to {2 * most:,} games a setting; ask for as many or more, or "
            "start anew with --fresh"
        )
    schedule = Schedule(dict.fromkeys(cells, sweep.games // 2), journal.batches)
    if schedule.games:
        _say(f"plyhouse: goes on after {schedule.games:,} games of {journal.path}")
    experiment = Experiment(cells, sweep.seed, schedule, journal)
    interrupted, refusal = False, None
    try:
        with open_executor(place, arguments.say) as experiment.executor:
            asyncio.run(readiness.prepare(_entries(sweep), _say))
            refusal = None if args.yes else _refusal(experiment)
            if refusal is None:
                experiment.run(f"{sweep.program}, {sweep.game}")
    except KeyboardInterrupt:
        interrupted = True
        done = f"{schedule.games:,} of {schedule.total:,} games"
        _say(f"plyhouse: stopped after {done}; the same command goes on")
    if refusal is not None:
        return refusal
    _report(args, sweep, schedule)
    return 130 if interrupted else int(experiment.failed)


def _refusal(experiment: Experiment) -> int | None:
    """The exit code where it would take long and no person agrees to that; None: it may begin."""
    schedule = experiment.schedule
    if schedule.games >= schedule.total:
        return None
    experiment.probe()
    at_once = experiment.executor.max_workers
    seconds, left = schedule.seconds_left() / at_once, schedule.total - schedule.games
    if seconds < ASKED_S and left < ASKED_GAMES:
        return None
    together = "alone" if at_once == 1 else f"by {at_once} at once"
    took = f"{left:,} games will take about {duration(seconds)}, played {together}"
    answer = ask(took)
    if answer is None:
        _say(f"plyhouse: {took}; --yes plays them")
        return 2
    return None if answer else 1


def _report(args: argparse.Namespace, sweep: Sweep, schedule: Schedule) -> None:
    """Print and write what has been found so far."""
    cells = sweep_report.swept(sweep, schedule.samples)
    if "-" not in (args.csv, args.json):
        print(sweep_report.text(sweep, cells))
    for file, form in ((args.csv, sweep_report.as_csv), (args.json, sweep_report.as_json)):
        if file == "-":
            print(form(sweep, cells), end="")
        elif file is not None:
            whole_file.write(Path(file), form(sweep, cells).encode())
    if args.plot is not None:
        caption = f"{sweep_report.title(sweep)}, {sweep.games:,} games each; {sweep_report.WHAT}"
        plots.draw(sweep_report.charts(sweep, cells), caption, args.plot)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
