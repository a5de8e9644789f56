"""`plyhouse bench strength`: how well our bots play, with error bars, in matches without a server.

`projects` are the settings that student projects report figures for, ours beside theirs, which were
measured on other hardware; `ultimate` is mcts against OpenSpiel's MCTS; `backgammon` is gammon
against random and flat; `evaluations` lets minimax judge ultimate tic-tac-toe in three ways.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

import msgspec
from rich.console import Console
from rich.table import Table

from bench.search.contest import (
    ContestPlan,
    ContestScore,
    MinimaxPlayer,
    RandomPlayer,
    shared_contest,
)
from bench.search.openspiel import UltimatePlayer
from bench.support.report import (
    Missing,
    Report,
    code_text,
    complain,
    load_average,
    output,
    progress,
    slim_table,
)
from bots import registry
from bots.bot import Budget
from bots.commands import arguments
from bots.engine import compiled
from bots.experiments.contest import PROCESS_CPU, THREAD_CPU, RosterPlayer
from bots.farm.executor import FarmExecutor, WorkerFailed, shares_process
from bots.farm.farm import open_executor
from bots.farm.where import HERE, parse_where
from games import registry as games

ULTIMATE = "ultimate_tic_tac_toe"
DEPTH = 5  # at which the evaluations are compared


class Run(msgspec.Struct, kw_only=True):
    """One line: what A got, and what is known of it elsewhere."""

    part: str
    game: str
    a: str
    b: str
    games: int
    score: float  # wins plus half the draws, in games
    points: float  # mean points a game
    margin: float | None  # of `points`: half the 95 % interval; None with a single pair
    seconds: float  # CPU
    theirs: str = ""
    times_as_fast: float | None = None
    target: str = ""
    reached: bool | None = None


class StrengthReport(Report, kw_only=True):
    """All that was played."""

    runs: list[Run]
    compiled: bool
    load: float | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the options."""
    parts = ", ".join(PARTS)
    parser.add_argument("--part", action="append", metavar="NAME", help=f"only {parts}; repeatable")
    parser.add_argument("--games", type=int, metavar="N", help="games of each line (even)")
    parser.add_argument(
        "--ms", type=int, default=100, metavar="MS", help="of mcts at ultimate, a move (100)"
    )
    parser.add_argument(
        "--against",
        type=int,
        default=10_000,
        metavar="N",
        help="simulations of OpenSpiel at ultimate (10000)",
    )
    parser.add_argument("--level", type=int, default=5, help="of gammon and flat (5)")
    parser.add_argument("--seed", type=int, default=1)
    arguments.add_farm(parser, "this process")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Play and print; 2 if it cannot be played."""
    load = load_average()  # of others: before ours begins
    try:
        parts, place = _asked(args), HERE if args.farm is None else parse_where(args.farm)
        with open_executor(place, progress) as executor:
            runs = [row for part in parts for row in PARTS[part](args, executor)]
    except (ValueError, Missing) as error:
        return complain("strength", error)
    except WorkerFailed as error:
        complain("strength", error)
        return 1
    report = StrengthReport(runs=runs, compiled=compiled.available(), load=load)
    output(report, args.json, show)
    return 0


def _asked(args: argparse.Namespace) -> list[str]:
    """The parts to be played; ValueError where the arguments make no sense."""
    if args.games is not None and (args.games < 2 or args.games % 2):
        raise ValueError("games are played in pairs: an even number, at least 2")
    if min(args.ms, args.against) < 1:
        raise ValueError("ms and simulations start at 1")
    levels = len(registry.bot_class("gammon").LEVELS)
    if not 1 <= args.level <= levels:
        raise ValueError(f"levels are 1 to {levels}")
    for part in args.part or ():
        if part not in PARTS:
            raise ValueError(f"there is no part {part!r}; there are {', '.join(PARTS)}")
    return [part for part in PARTS if part in (args.part or PARTS)]


def projects(args: argparse.Namespace, executor: FarmExecutor) -> list[Run]:
    """What student projects report: minimax of a fixed depth against random, mcts against it."""
    settings: list[tuple[str, int, bool, str, int, float, float, float]] = [
        ("tic_tac_toe", 10, False, "", 1_000, 949.5, 45.6, 3),
        ("tic_tac_toe", 10, True, "", 1_000, 949.5, 45.6, 50),
        (ULTIMATE, 7, True, "boards", 100, 82.5, 177.0, 50),
        (ULTIMATE, 8, True, "boards", 100, 77.5, 599.0, 50),
    ]
    rows = []
    for name, depth, pruning, evaluation, count, points, seconds, faster in settings:
        count = args.games or count
        ours = partial(minimax, name, depth, pruning, evaluation)
        score = shared_contest(
            ContestPlan(name, ours, RandomPlayer, count, seed=args.seed), executor
        )
        share = count / (1_000 if name == "tic_tac_toe" else 100)
        least = 0.99 if name == ULTIMATE else 0.0
        times = seconds * share / score.seconds
        row = _row("projects", name, _minimax(depth, pruning, evaluation), "random", score)
        row.theirs = f"{points} points, {seconds} s"
        row.times_as_fast = round(times, 1)
        row.target = ("99 %, " if least else "") + f"{faster:g}x as fast"
        row.reached = times >= faster and score.score >= least
        rows.append(row)
    for name, depth, evaluation, count in (
        ("tic_tac_toe", 10, "", 200),
        (ULTIMATE, 7, "boards", 20),
    ):
        mcts = partial(roster, "mcts", Budget(nodes=10_000))
        rival = partial(minimax, name, depth, True, evaluation)
        plan = ContestPlan(name, mcts, rival, args.games or count, seed=args.seed)
        score = shared_contest(plan, executor)
        a, b = "mcts, 10,000 simulations", _minimax(depth, True, evaluation)
        rows.append(_row("projects", name, a, b, score))
    return rows


def ultimate(args: argparse.Namespace, executor: FarmExecutor) -> list[Run]:
    """mcts by the clock against OpenSpiel by simulations."""
    UltimatePlayer(args.against)  # missing, if it is, before any game begins
    mcts = partial(roster, "mcts", Budget(ms=args.ms), ULTIMATE)
    rival = partial(UltimatePlayer, args.against)
    plan = ContestPlan(ULTIMATE, mcts, rival, args.games or 100, opening=1, seed=args.seed)
    score = shared_contest(plan, executor)
    wanted = {10_000: 0.75, 100_000: 0.5}.get(args.against) if args.ms == 100 else None
    name = f"OpenSpiel's, {args.against:,} simulations"
    row = _row("ultimate", ULTIMATE, f"mcts, {args.ms} ms", name, score)
    if wanted is not None:
        row.target, row.reached = f"{wanted:.0%}", score.score >= wanted
    return [row]


def backgammon(args: argparse.Namespace, executor: FarmExecutor) -> list[Run]:
    """gammon against random and flat, all by level, with the same dice in both games of a pair."""
    level = f"level {args.level}"
    rows = []
    for name, count, least in (("random", 1_000, 2.3), ("flat", 200, None)):
        gammon = partial(roster, "gammon", _budget("gammon", args.level))
        rival = partial(roster, name, _budget(name, args.level))
        plan = ContestPlan("backgammon", gammon, rival, args.games or count, seed=args.seed)
        score = shared_contest(plan, executor)
        other = f"flat, {level}" if name == "flat" else name
        row = _row("backgammon", "backgammon", f"gammon, {level}", other, score)
        row.target = f"{least} points" if least else "> error bar"
        row.reached = score.mean >= least if least else score.mean > score.margin
        rows.append(row)
    return rows


def evaluations(args: argparse.Namespace, executor: FarmExecutor) -> list[Run]:
    """minimax of one depth at ultimate tic-tac-toe, judging in three ways."""
    rows = []
    for a, b in (("rich", "lines"), ("rich", "boards"), ("lines", "boards")):
        ours, other = (partial(minimax, ULTIMATE, DEPTH, True, name) for name in (a, b))
        plan = ContestPlan(ULTIMATE, ours, other, args.games or 200, opening=4, seed=args.seed)
        score = shared_contest(plan, executor)
        names = _minimax(DEPTH, True, a), _minimax(DEPTH, True, b)
        row = _row("evaluations", ULTIMATE, *names, score)
        if a == "rich":
            row.target, row.reached = "> error bar", score.mean > score.margin
        rows.append(row)
    return rows


PARTS: dict[str, Callable[[argparse.Namespace, FarmExecutor], list[Run]]] = {
    "projects": projects,
    "evaluations": evaluations,
    "backgammon": backgammon,
    "ultimate": ultimate,
}


def _row(part: str, game: str, a: str, b: str, score: ContestScore) -> Run:
    progress(f"{part}: {a} against {b}: {score.score:.1%}")
    return Run(
        part=part, game=game, a=a, b=b, games=score.games,
        score=round(score.score * score.games, 1), points=round(score.mean, 4),
        margin=round(score.margin, 4) if len(score.pairs) > 1 else None,
        seconds=round(score.seconds, 3),
    )  # fmt: skip


def minimax(game: str, depth: int, pruning: bool, evaluation: str) -> MinimaxPlayer:
    """A player of minimax."""
    return MinimaxPlayer(games.game(game), depth, pruning=pruning, evaluation=evaluation)


def roster(name: str, budget: Budget, compiled_for: str | None = None) -> RosterPlayer:
    """A bot of the house as a player; `compiled_for`: a game, where its choices are timed."""
    if compiled_for is not None:
        registry.bot_class(name).prepare(games.game(compiled_for))
    cpu = THREAD_CPU if shares_process() else PROCESS_CPU
    return RosterPlayer(lambda seed: registry.bot(name, seed=seed), budget, cpu)


def _budget(name: str, level: int) -> Budget:
    levels = registry.bot_class(name).LEVELS
    return Budget(nodes=levels[level - 1] if levels else 1)


def _minimax(depth: int, pruning: bool, evaluation: str) -> str:
    words = [f"minimax, depth {depth}", evaluation, "" if pruning else "no pruning"]
    return ", ".join(word for word in words if word)


def show(report: StrengthReport) -> None:
    """Print the report for people."""
    console = Console()
    title = "Matches in pairs: seats swapped, the same luck"
    figures = ["games", "score", "points a game", "CPU s"]
    table = slim_table(title, ["A against B"], figures)
    game = ""
    for row in report.runs:
        if row.game != game:
            table.add_row(f"[bold]{row.game}[/]")
            game = row.game
        bar = "" if row.margin is None else f" ± {row.margin:.3f}"
        table.add_row(
            f"  {row.a}\n  {row.b}", str(row.games), f"{100 * row.score / row.games:.1f} %",
            f"{row.points:+.3f}{bar}", f"{row.seconds:.2f}",
        )  # fmt: skip
    console.print(table)
    if any(row.theirs for row in report.runs):
        console.print(_beside(report))
    console.print(f"{report.place}, {code_text(report.compiled)}; ± is 95 %, from the pairs.")
    for row in report.runs:
        if row.reached is False:
            console.print(f"OFF ITS TARGET ({row.target}): {row.game}: {row.a} against {row.b}")


def _beside(report: StrengthReport) -> Table:
    """What student projects report, and how many times as fast ours is."""
    title = "Beside student projects (other hardware)"
    table = slim_table(title, ["against random"], ["theirs", "ours", "faster"])
    for row in report.runs:
        if row.times_as_fast is not None:
            ours = f"{row.score:g} points, {row.seconds:.2f} s"
            name = f"{row.game}, {row.games} games\n  {row.a}"
            table.add_row(
                name,
                row.theirs.replace(", ", "\n"),
                ours.replace(", ", "\n"),
                f"{row.times_as_fast:g}x",
            )
    return table
