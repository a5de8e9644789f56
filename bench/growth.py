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
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table

from bench.svg import GREY, Axis, Line, Panel, drawing
from bots import alphabeta, compiled
from bots.alphabeta import AlphaBeta
from bots.search import simple_minimax
from bots.search.simple_minimax import SimpleMinimax
from bots.search.uct import NODE, VISITS
from bots.tree import Tree
from games import registry
from games.game import CHANCE, Position

BYTES = 8 * NODE  # of one node
MEGABYTES = 1_000  # a tree may grow so large; only what is used is taken
PLAIN_MEGABYTES = 8
SEED = 1

COLORS = {
    "tic_tac_toe": "#0072b2",
    "connect_four": "#d55e00",
    "ultimate_tic_tac_toe": "#009e73",
    "backgammon": "#cc79a7",
}  # of the palette by M. Okabe and K. Ito that everybody can tell apart
DEEP_GAME, BRANCHES = "connect_four", 7

Seen: TypeAlias = simple_minimax.Found | alphabeta.Found


class Point(msgspec.Struct, kw_only=True):
    """One size of search.  `path`: plies from the root to a leaf, on average."""

    game: str
    simulations: int
    seconds: float
    bytes: int
    path: float


class Depth(msgspec.Struct, kw_only=True):
    """Positions that a search to so many plies looks at."""

    search: str
    depth: int
    positions: int


class Report(msgspec.Struct, kw_only=True):
    """Everything that was found."""

    rounds: int
    compiled: bool
    points: list[Point]
    depths: list[Depth]
    python: str
    machine: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench growth`."""
    parser.add_argument("--game", action="append", help="only this game; may be given repeatedly")
    parser.add_argument("--rounds", type=int, default=3, help="the median counts (default 3)")
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="no larger search than one of so long (1)"
    )
    parser.add_argument(
        "--positions", type=int, default=2_000_000, help="no deeper than so many (two million)"
    )
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the plot")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if the plot cannot be written, 2 if it was asked wrongly."""
    try:
        games = _asked(args)
    except ValueError as error:
        print(f"plyhouse bench growth: {error}", file=sys.stderr)
        return 2
    report = Report(
        rounds=args.rounds,
        compiled=compiled.available(),
        points=[point for game in games for point in growth(game, args.rounds, args.seconds)],
        depths=depths(args.positions),
        python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}",
    )
    if args.json:
        print(msgspec.json.encode(report).decode())
    else:
        show(report)
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
        if game not in COLORS:
            raise ValueError(f"there is no game {game!r}; there are {', '.join(COLORS)}")
    return [game for game in COLORS if game in (args.game or COLORS)]


# ---------------------------------------------------------------- measuring


def growth(game: str, rounds: int, limit: float) -> list[Point]:
    """Searches of a game, each about three times as large as the one before, up to the limit."""
    position = first_decision(game)
    grown_tree(position, 100)  # compiled now
    found: list[Point] = []
    for half_decades in range(4, 13):
        simulations = round(10 ** (half_decades / 2))
        times = []
        for _ in range(rounds):
            tree, seconds = grown_tree(position, simulations)
            times.append(seconds)
        memory = tree.memory()
        walked = sum(int(memory[node + VISITS]) for node in range(NODE, len(memory), NODE))
        found.append(
            Point(
                game=game,
                simulations=simulations,
                seconds=statistics.median(times),
                bytes=tree.size * BYTES,
                path=walked / tree.visits - 1,
            )
        )
        if found[-1].seconds * 3 > limit:
            break
    print(game, file=sys.stderr, flush=True)
    return found


def first_decision(game: str) -> Position:
    """The first position in which a seat is to move; dice fall as their lowest number says."""
    position = registry.game(game).initial()
    while position.to_move == CHANCE:
        position = position.apply(position.legal_actions()[0])
    return position


def grown_tree(position: Position, simulations: int) -> tuple[Tree, float]:
    """A fresh tree after a search, and the CPU seconds that it took."""
    megabytes = MEGABYTES if compiled.available() else PLAIN_MEGABYTES
    tree = Tree(position.game, seed=SEED, proofs=False, keep=False, megabytes=megabytes)
    stop = compiled.ints(1)
    began = time.process_time()
    tree.think(position, simulations, stop)
    return tree, time.process_time() - began


def depths(most: int) -> list[Depth]:
    """How many positions each search looks at, as deep as `most` of them allow."""
    start = registry.game(DEEP_GAME).initial()

    def readable(pruning: bool) -> Callable[[int], Seen]:
        state = list(start.state)
        return lambda depth: SimpleMinimax(start.game, pruning=pruning).run(state, most, [0], depth)

    def tabled(depth: int) -> Seen:
        return AlphaBeta(start.game).think(start, most, compiled.ints(1), depth)

    searches: dict[str, Callable[[int], Seen]] = {
        "plain minimax": readable(False),
        "alpha-beta": readable(True),
        "with order and table": tabled,
    }
    found = []
    for name, search in searches.items():
        for depth in range(1, 31):
            seen = search(depth)
            if seen.depth < depth:
                break
            found.append(Depth(search=name, depth=depth, positions=seen.nodes))
        print(name, file=sys.stderr, flush=True)
    return found


# ---------------------------------------------------------------- what is shown


def show(report: Report) -> None:
    """Print the report for people."""
    console = Console()
    table = Table(title="UCT: what a search takes", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("game", no_wrap=True)
    for name in ("simulations", "CPU s", "us each", "MB", "B each", "path"):
        table.add_column(name, justify="right", no_wrap=True)
    for p in report.points:
        each = p.seconds / p.simulations * 1e6
        row = (f"{p.simulations:,}", f"{p.seconds:.4f}", f"{each:.2f}", f"{p.bytes / 1e6:.2f}")
        table.add_row(p.game, *row, f"{p.bytes / p.simulations:.0f}", f"{p.path:.1f}")
    console.print(table)
    table = Table(title=f"{DEEP_GAME}: positions for a depth", box=box.SIMPLE_HEAD)
    names = list(dict.fromkeys(d.search for d in report.depths))
    for name in ("depth", *names):
        table.add_column(name, justify="right", no_wrap=True)
    counts = {(d.search, d.depth): f"{d.positions:,}" for d in report.depths}
    for depth in sorted({d.depth for d in report.depths}):
        table.add_row(str(depth), *(counts.get((name, depth), "") for name in names))
    console.print(table)
    console.print(_where(report))


def _where(report: Report) -> str:
    how = "compiled" if report.compiled else "PLAIN PYTHON, as there is no numba"
    return f"{report.machine}, Python {report.python}, {how}, one thread, median of {report.rounds}"


def plot(report: Report) -> str:
    """The four panels."""
    across = Axis("simulations", write=_power)
    most = max((p.simulations for p in report.points), default=1)

    def lines(value: str, bound: Line | None = None) -> list[Line]:
        names = list(dict.fromkeys(p.game for p in report.points))
        found = [
            Line(
                name.replace("_", " "),
                COLORS[name],
                [(p.simulations, getattr(p, value)) for p in report.points if p.game == name],
            )
            for name in names
        ]
        return [*found, *([bound] if bound else [])]

    ends = (100, most)
    steady = Line("one microsecond each", GREY, [(n, n / 1e6) for n in ends], dashed=True)
    children = BYTES * BRANCHES
    worst = Line("seven nodes each", GREY, [(n, n * children) for n in ends], dashed=True)
    return drawing(
        [
            Panel("UCT: time", across, Axis("CPU time", write=_seconds), lines("seconds", steady)),
            Panel("UCT: memory", across, Axis("bytes", write=_bytes), lines("bytes", worst)),
            Panel("UCT: mean path", across, Axis("plies", log=False), lines("path")),
            Panel(
                "Alpha-beta: positions, connect four",
                Axis("depth in plies", log=False),
                Axis("positions", write=_power),
                _depth_lines(report),
            ),
        ],
        _where(report),
    )


def _depth_lines(report: Report) -> list[Line]:
    colors = ("#d55e00", "#0072b2", "#009e73")
    names = list(dict.fromkeys(d.search for d in report.depths))
    found = [
        Line(name, color, [(d.depth, d.positions) for d in report.depths if d.search == name])
        for name, color in zip(names, colors, strict=False)
    ]
    deepest = max((d.depth for d in report.depths), default=1)
    best = [(depth, least_positions(BRANCHES, depth)) for depth in range(1, deepest + 1)]
    return [*found, Line("best possible order", GREY, best, dashed=True)]


def least_positions(branches: int, depth: int) -> int:
    """Positions that searches to 1, 2 ... `depth` plies cannot do without, with pruning, where
    every node has so many children.

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
