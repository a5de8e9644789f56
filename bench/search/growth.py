"""`plyhouse bench growth`: how time and memory of the searches grow; a table, and a plot as SVG.

UCT: fresh trees from the first position of each game, without proofs, which would end a search, for
100 simulations and every half decade more.  Of each search: CPU seconds, bytes of its tree, and the
mean length of a path, which the tree knows, as every simulation counts once in each node of its
path.  Time is the median of the rounds; the rest is the same in each.

Alpha-beta: positions that are looked at for a depth, all depths before it included, in connect four
from the first position: without pruning, with it, and with the order and the table of the compiled
search.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec
from rich.console import Console

from bench.support.report import Report, code_text, complain, output, progress, slim_table
from bots.engine import alphabeta, compiled
from bots.engine.alphabeta import AlphaBeta
from bots.engine.compiled_bot import first_decision
from bots.engine.kernels.uct import NODE, VISITS
from bots.engine.tree import Tree
from bots.reading import simple_minimax
from bots.reading.simple_minimax import SimpleMinimax
from client.plot import Axis, Curve, Panel, panels
from games import registry
from games.game import Position

BYTES = 8 * NODE  # of one node
MEGABYTES = 1_000  # a tree may grow so large; only what is used is taken
PLAIN_MEGABYTES = 8
SEED = 1

GAMES = ("tic_tac_toe", "connect_four", "ultimate_tic_tac_toe", "backgammon")
DEEP_GAME, BRANCHES = "connect_four", 7

SearchResult: TypeAlias = simple_minimax.MinimaxResult | alphabeta.AlphaBetaResult


class Point(msgspec.Struct, kw_only=True):
    """One size of search.  `path`: plies from the root to a leaf, on average."""

    game: str
    simulations: int
    seconds: float
    bytes: int
    path: float


class DepthCount(msgspec.Struct, kw_only=True):
    """Positions that a search to `depth` plies looks at."""

    search: str
    depth: int
    positions: int


class GrowthReport(Report, kw_only=True):
    """Everything that was measured."""

    rounds: int
    compiled: bool
    points: list[Point]
    depths: list[DepthCount]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench growth`."""
    parser.add_argument("--game", action="append", help="only this game; may be given repeatedly")
    parser.add_argument("--rounds", type=int, default=3, help="the median counts (default 3)")
    parser.add_argument("--seconds", type=float, default=1.0, help="the longest search (1)")
    parser.add_argument(
        "--positions",
        type=int,
        default=2_000_000,
        help="the most that a depth may take (two million)",
    )
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the plot")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if the plot cannot be written, 2 if the arguments are wrong."""
    try:
        games = _asked(args)
    except ValueError as error:
        return complain("growth", error)
    report = GrowthReport(
        rounds=args.rounds,
        compiled=compiled.available(),
        points=[point for game in games for point in growth(game, args.rounds, args.seconds)],
        depths=depths(args.positions),
    )
    output(report, args.json, show)
    try:
        if args.svg is not None:
            args.svg.write_text(plot(report), encoding="utf-8")
    except OSError as error:
        print(f"plyhouse bench growth: {args.svg}: {error.strerror}", file=sys.stderr)
        return 1
    return 0


def _asked(args: argparse.Namespace) -> list[str]:
    """The games to be measured; ValueError where the arguments make no sense."""
    if args.rounds < 1 or args.positions < 1 or not args.seconds > 0:
        raise ValueError("rounds and positions start at 1, seconds above 0")
    for game in args.game or ():
        if game not in GAMES:
            raise ValueError(f"there is no game {game!r}; there are {', '.join(GAMES)}")
    return [game for game in GAMES if game in (args.game or GAMES)]


def growth(game: str, rounds: int, limit: float) -> list[Point]:
    """Searches of a game, each about three times as large as the one before, up to the limit."""
    position = first_decision(registry.game(game))
    grown_tree(position, 100)  # compiled now
    points: list[Point] = []
    for half_decades in range(4, 13):
        simulations = round(10 ** (half_decades / 2))
        times = []
        for _ in range(rounds):
            tree, seconds = grown_tree(position, simulations)
            times.append(seconds)
        memory = tree.memory()
        walked = sum(int(memory[node + VISITS]) for node in range(NODE, len(memory), NODE))
        points.append(
            Point(
                game=game,
                simulations=simulations,
                seconds=statistics.median(times),
                bytes=tree.size * BYTES,
                path=walked / tree.visits - 1,
            )
        )
        if points[-1].seconds * 3 > limit:
            break
    progress(game)
    return points


def grown_tree(position: Position, simulations: int) -> tuple[Tree, float]:
    """A fresh tree after a search, and the CPU seconds that it took."""
    megabytes = MEGABYTES if compiled.available() else PLAIN_MEGABYTES
    tree = Tree(position.game, seed=SEED, proofs=False, keep=False, megabytes=megabytes)
    stop = compiled.ints(1)
    began = time.process_time()
    tree.think(position, simulations, stop)
    return tree, time.process_time() - began


def depths(limit: int) -> list[DepthCount]:
    """How many positions each search looks at, as deep as `limit` of them allow."""
    start = registry.game(DEEP_GAME).initial()

    def readable(pruning: bool) -> Callable[[int], SearchResult]:
        state = list(start.state)
        return lambda depth: SimpleMinimax(start.game, pruning=pruning).run(
            state, limit, [0], depth
        )

    def tabled(depth: int) -> SearchResult:
        return AlphaBeta(start.game).think(start, limit, compiled.ints(1), depth)

    searches: dict[str, Callable[[int], SearchResult]] = {
        "plain minimax": readable(False),
        "alpha-beta": readable(True),
        "with order and table": tabled,
    }
    counts = []
    for name, search in searches.items():
        for depth in range(1, 31):
            result = search(depth)
            if result.depth < depth:
                break
            counts.append(DepthCount(search=name, depth=depth, positions=result.nodes))
        progress(name)
    return counts


def show(report: GrowthReport) -> None:
    """Print the report for people."""
    console = Console()
    figures = ["simulations", "CPU s", "us each", "MB", "B each", "path"]
    table = slim_table("UCT: what a search takes", ["game"], figures)
    for p in report.points:
        each = p.seconds / p.simulations * 1e6
        row = (f"{p.simulations:,}", f"{p.seconds:.4f}", f"{each:.2f}", f"{p.bytes / 1e6:.2f}")
        table.add_row(p.game, *row, f"{p.bytes / p.simulations:.0f}", f"{p.path:.1f}")
    console.print(table)
    names = list(dict.fromkeys(d.search for d in report.depths))
    table = slim_table(f"{DEEP_GAME}: positions for a depth", [], ["depth", *names])
    counts = {(d.search, d.depth): f"{d.positions:,}" for d in report.depths}
    for depth in sorted({d.depth for d in report.depths}):
        table.add_row(str(depth), *(counts.get((name, depth), "") for name in names))
    console.print(table)
    console.print(_where(report))


def _where(report: GrowthReport) -> str:
    how = f"{code_text(report.compiled)}, one thread, median of {report.rounds}"
    return f"{report.place}, {how}"


def plot(report: GrowthReport) -> str:
    """The four panels."""
    across = Axis("simulations", log=True, label=_power)
    largest = max((p.simulations for p in report.points), default=1)

    def curves(value: str, bound: Curve | None = None) -> list[Curve]:
        measured = [
            Curve(
                game.replace("_", " "),
                [(p.simulations, getattr(p, value)) for p in report.points if p.game == game],
                GAMES.index(game),
            )
            for game in dict.fromkeys(p.game for p in report.points)
        ]
        return [*measured, *([bound] if bound else [])]

    ends = (100, largest)
    steady = Curve("one microsecond each", [(n, n / 1e6) for n in ends], dashed=True)
    children = BYTES * BRANCHES
    worst = Curve("seven nodes each", [(n, n * children) for n in ends], dashed=True)
    return panels(
        [
            Panel(
                "UCT: time",
                across,
                Axis("CPU time", log=True, label=_seconds),
                curves("seconds", steady),
            ),
            Panel(
                "UCT: memory", across, Axis("bytes", log=True, label=_bytes), curves("bytes", worst)
            ),
            Panel("UCT: mean path", across, Axis("plies"), curves("path")),
            Panel(
                "Alpha-beta: positions, connect four",
                Axis("depth in plies"),
                Axis("positions", log=True, label=_power),
                _depth_curves(report),
            ),
        ],
        _where(report),
    )


def _depth_curves(report: GrowthReport) -> list[Curve]:
    names = list(dict.fromkeys(d.search for d in report.depths))
    measured = [
        Curve(name, [(d.depth, d.positions) for d in report.depths if d.search == name], i)
        for i, name in enumerate(names)
    ]
    deepest = max((d.depth for d in report.depths), default=1)
    best = [(depth, least_positions(BRANCHES, depth)) for depth in range(1, deepest + 1)]
    return [*measured, Curve("best possible order", best, dashed=True)]


def least_positions(branches: int, depth: int) -> int:
    """Positions that searches to 1, 2 ... `depth` plies cannot do without, with pruning, where
    every node has `branches` children.

    Source: Knuth and Moore 1975, theorem 1: b^floor(k/2) + b^ceil(k/2) - 1 of them at ply k.
    """
    at_ply = [branches ** (k // 2) + branches ** (k - k // 2) - 1 for k in range(1, depth + 1)]
    return sum((depth - k) * count for k, count in enumerate(at_ply))


def _power(value: float) -> str:
    """A power of ten for people: 1000 as 1,000, 0.001 as it is, a million in words."""
    if value >= 1_000_000:
        return f"{value / 1_000_000:g} million"
    return f"{value:,.0f}" if value >= 1 else f"{value:g}"


def _seconds(value: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size * 0.999:
            return f"{value / size:.0f} {unit}"
    return f"{value:g} s"


def _bytes(value: float) -> str:
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:g} {unit}"
        value /= 1000
    return f"{value:g} GB"
