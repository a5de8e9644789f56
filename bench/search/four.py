"""`plyhouse bench four`: connect four's solver against the same in C++, and its worst times.

bench/search/four.cpp is bots/engine/kernels/four.py in C++, compiled here with the machine's own
instructions. Both are asked for the exact score of the same positions in turn, each time with an
empty table; emptying it is not timed.  They look at the same positions in the same order, so that
their counts of nodes must agree.  Half the positions are random play, half the hardest of 40 to 120
such: EVEN and HARD below, as columns.  Times are CPU seconds.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
from rich.console import Console

from bench.support.report import (
    Missing,
    Report,
    complain,
    load_average,
    output,
    print_load,
    progress,
    slim_table,
)
from bots.engine import compiled
from bots.engine.solvers import PLENTY, ConnectFour
from games import registry
from games.game import Position

SOURCE = Path(__file__).with_suffix(".cpp")
FLAGS = ("-O3", "-march=native", "-shared", "-fPIC")
GAME = registry.game("connect_four")
RATE_TARGET = (0.8, 0.95)
WORST_TARGETS = {8: (3.0, 1.5), 10: (1.5, 0.75), 12: (0.5, 0.25), 14: (0.1, 0.05)}
BUSY = 1.5  # load above which times say little

EVEN = {
    8: ("67557643", "66135547", "43547622", "27311245", "34744262", "45772631"),
    10: ("1561151255", "1653614467", "4715426627", "1346671252", "2424165322", "6544266222"),
    12: (
        "164233255412", "526463135125", "766277563737", "527171773246", "737412511656",
        "576267511643",
    ),
    14: (
        "47233662447162", "54421415725752", "37454677653277", "73446572542645", "52757122643145",
        "32656466225473",
    ),
}  # fmt: skip
HARD = {
    8: ("75715755", "61754777", "71322227", "46172361", "63377612", "26226163"),
    10: ("7741657412", "2171642665", "1212322775", "1772444434", "3647123471", "7131746577"),
    12: (
        "722226415411", "633222271367", "245765426466", "721647226453", "741122614521",
        "246142277651",
    ),
    14: (
        "45242667527622", "66177577555615", "43242714715211", "13523355727677", "36721672366733",
        "37723361733442",
    ),
}  # fmt: skip


class Ply(msgspec.Struct, kw_only=True):
    """CPU seconds for an exact score at one ply; for each position the median round."""

    ply: int
    positions: int
    mean_s: float
    worst_s: float
    cpp_mean_s: float | None
    cpp_worst_s: float | None
    target_s: float
    aim_s: float


class SolverReport(Report, kw_only=True):
    """Everything that was measured; without a compiler nothing about C++."""

    rounds: int
    nodes: int  # of one round
    rate: float  # nodes a CPU second, median
    cpp_rate: float | None
    ratio: float | None  # median of the rounds, and its range
    ratio_low: float | None
    ratio_high: float | None
    plies: list[Ply]
    load: float | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench four`."""
    parser.add_argument("--rounds", type=int, default=5, help="the median counts (default 5)")
    parser.add_argument(
        "--ply", type=int, action="append", help="only positions with this many stones"
    )
    parser.add_argument("--alone", action="store_true", help="without C++ beside it")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 2 if it could not be measured."""
    plies = args.ply or list(WORST_TARGETS)
    try:
        if args.rounds < 1:
            raise Missing("rounds start at 1")
        if unknown := set(plies) - set(WORST_TARGETS):
            offers = ", ".join(map(str, WORST_TARGETS))
            raise Missing(f"there are positions of {offers} stones, not {min(unknown)}")
        if not compiled.available():
            raise Missing("without numba it would take hours: pip install 'plyhouse[fast]'")
        with tempfile.TemporaryDirectory(prefix="plyhouse-bench-") as folder:
            rival = None if args.alone else _rival(Path(folder))
            report = measure(plies, args.rounds, rival)
    except Missing as error:
        return complain("four", error)
    output(report, args.json, show)
    return 0


class Cpp(ConnectFour):
    """The same solver with its search in C++."""

    def __init__(self, library: Path) -> None:
        super().__init__(GAME)
        inner, ours = ctypes.CDLL(str(library)).above, self._search
        numbers, address = [ctypes.c_int64] * 3 + [ctypes.c_int] * 2, ctypes.c_void_p
        inner.argtypes = [*numbers, address, address]

        def above(*arguments: Any) -> int:
            *place, table, work, _ = arguments
            counter = work.ctypes.data + work.itemsize * ours.LEFT
            score: int = inner(*place, table.ctypes.data, counter)
            return score

        names = ("BOTTOM", "LEFT", "UNUSED", "winning")
        self._search = ModuleType("four_in_cpp")
        vars(self._search).update(above=above, **{k: getattr(ours, k) for k in names})


def _rival(folder: Path) -> Cpp | None:
    """The C++ side, compiled into `folder`; None and a sentence where there is no compiler."""
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    if compiler is None:
        progress("plyhouse bench four: no C++ compiler (g++) here: ours alone")
        return None
    library = folder / "four.so"
    done = subprocess.run(
        [compiler, *FLAGS, "-o", library, SOURCE], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise Missing(f"{compiler} cannot compile {SOURCE}: {done.stderr.strip()}")
    return Cpp(library)


def place(columns: str) -> Position:
    """The position after these columns."""
    position = GAME.initial()
    for column in columns:
        position = position.apply(int(column) - 1)
    return position


def measure(plies: list[int], rounds: int, rival: Cpp | None) -> SolverReport:
    """Ask both sides for every position in every round."""
    load = load_average()
    asked = [(ply, columns) for ply in plies for columns in EVEN[ply] + HARD[ply]]
    ours, nodes = ConnectFour(GAME), 0
    times: list[list[list[float]]] = [[], []]  # side, round, position
    for side in (ours, rival):
        if side is not None:
            side.solve(GAME.initial(), 100_000, [0])  # compiled, and memory touched
    for number in range(rounds):
        times[0].append([])
        times[1].append([])
        nodes = 0
        for _, columns in asked:
            seconds, count = _timed(ours, columns)
            times[0][-1].append(seconds)
            nodes += count
            if rival is not None:
                seconds, theirs = _timed(rival, columns)
                times[1][-1].append(seconds)
                if theirs != count:
                    raise Missing(f"C++ looked at {theirs} positions, not {count}: {columns}")
        progress(f"round {number + 1} of {rounds}")
    return _report(asked, nodes, times[0], None if rival is None else times[1], load)


def _timed(side: ConnectFour, columns: str) -> tuple[float, int]:
    """CPU seconds and nodes for a position, from an empty table."""
    side.forget()
    position = place(columns)
    began = time.thread_time()
    solution = side.solve(position, PLENTY, [0])
    return time.thread_time() - began, solution.nodes


def _report(
    asked: list[tuple[int, str]],
    nodes: int,
    ours: list[list[float]],
    theirs: list[list[float]] | None,
    load: float | None,
) -> SolverReport:
    medians = [list(map(statistics.median, zip(*t, strict=True))) for t in (ours, theirs or ours)]
    plies = []
    for ply in dict.fromkeys(ply for ply, _ in asked):
        mine, cpp = ([t for t, (p, _) in zip(m, asked, strict=True) if p == ply] for m in medians)
        target, aim = WORST_TARGETS[ply]
        plies.append(
            Ply(
                ply=ply,
                positions=len(mine),
                mean_s=statistics.mean(mine),
                worst_s=max(mine),
                cpp_mean_s=statistics.mean(cpp) if theirs else None,
                cpp_worst_s=max(cpp) if theirs else None,
                target_s=target,
                aim_s=aim,
            )
        )
    ratios = [sum(b) / sum(a) for a, b in zip(ours, theirs or [], strict=False)]
    return SolverReport(
        rounds=len(ours),
        nodes=nodes,
        rate=nodes / statistics.median(map(sum, ours)),
        cpp_rate=nodes / statistics.median(map(sum, theirs)) if theirs else None,
        ratio=statistics.median(ratios) if ratios else None,
        ratio_low=min(ratios, default=None),
        ratio_high=max(ratios, default=None),
        plies=plies,
        load=load,
    )


def show(report: SolverReport) -> None:
    """Print the report for people."""
    columns = ["stones", "positions", "mean", "worst", "C++ mean", "C++ worst", "goal"]
    table = slim_table("exact score from an empty table, CPU seconds", [], columns)
    for row in report.plies:
        figures = (row.mean_s, row.worst_s, row.cpp_mean_s, row.cpp_worst_s)
        goal = f"{row.target_s:g}/{row.aim_s:g}"
        texts = ["" if s is None else f"{s:.3f}" for s in figures]
        table.add_row(str(row.ply), str(row.positions), *texts, goal)
    console = Console()
    console.print(table)
    line = f"{report.rate / 1e6:.1f} million nodes a second"
    if report.cpp_rate is not None:
        line += f", C++ {report.cpp_rate / 1e6:.1f}: ratio {report.ratio:.2f}"
        line += f" ({report.ratio_low:.2f}-{report.ratio_high:.2f}), goal "
        line += "/".join(f"{goal:g}" for goal in RATE_TARGET)
    console.print(f"{line}.")
    console.print(f"{report.place}, median of {report.rounds} rounds.")
    print_load(console, report.load, BUSY)
    for missed in missed_targets(report):
        console.print(f"OFF ITS TARGET: {missed}")


def missed_targets(report: SolverReport) -> list[str]:
    """A line for each target that was not reached."""
    lines = [
        f"{row.ply} stones: {row.worst_s:.2f} s, at most {row.target_s:g}"
        for row in report.plies
        if row.worst_s > row.target_s
    ]
    if report.ratio is not None and report.ratio < RATE_TARGET[0]:
        lines.append(f"nodes a second: {report.ratio:.2f} of C++, at least {RATE_TARGET[0]:g}")
    return lines
