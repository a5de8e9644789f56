"""`plyhouse bench backgammon`: how well and how fast our net plays, GNU Backgammon beside it.

matches  points a game in pairs with the same dice, raw and with the luck taken out
         (bench/backgammon_match.py)
loss     points given away a decision, by the judgement of GNU Backgammon 2-ply, which is the finer
         yardstick (bench/backgammon_loss.py)
times    milliseconds a decision on one thread, and the size of the weights; these need no peer
         (bench/backgammon_times.py)
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table as Drawn

from bench import backgammon_loss, backgammon_times
from bench.backgammon_loss import Bench, Loss
from bench.backgammon_match import Hall, Interval, Ours, Score, Table
from bench.backgammon_peers import PACKAGE, PEERS, TITLES, Gnu, Missing, Player, Pubeval, version
from bench.backgammon_times import Time
from bench.process import ROOT
from bots import compiled
from bots.judge import nets_file
from bots.weights import BadWeights

KEPT = ROOT / "build" / "backgammon-decisions.json"
BUSY = 0.5  # of the load at the beginning: from here on times mean little
PLIES = (0, 1, 2)
PAIRS = {0: 1_000, 1: 400, 2: 100}  # about three minutes each, by plies

# What is wanted, at least and to aim at: points a game, milliseconds, bytes.
POINTS = {
    ("gnubg", 0): (-0.10, -0.03),
    ("gnubg", 1): (-0.03, 0.03),
    ("gnubg", 2): (0.0, 0.06),
    ("pubeval", 0): (0.55, 0.65),
}
MEAN_MS = {0: (0.1, 0.03), 1: (5.0, 2.0), 2: (50.0, 30.0)}
LONGEST_MS = {2: 200.0}
BYTES = (400_000, 200_000)


class Match(msgspec.Struct, kw_only=True):
    """A contest.  Points are ours a game; shares are of all games."""

    peer: str
    plies: int
    pairs: int
    raw: Interval
    adjusted: Interval
    wins: float
    gammons: float  # backgammons too
    gammons_lost: float
    seconds: float
    target: float | None
    aim: float | None


class Report(msgspec.Struct, kw_only=True):
    """Everything that was found; what could not be measured is empty."""

    matches: list[Match]
    losses: list[Loss]
    times: list[Time]
    weights: str
    bytes: int
    peer: str | None  # of the package with the peers
    seed: int
    compiled: bool
    load: float | None
    python: str
    machine: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench backgammon`."""
    many = ", ".join(f"{n} at {plies}" for plies, n in PAIRS.items())
    parser.add_argument("--pairs", type=int, metavar="N", help=f"of games ({many} plies); 0: none")
    parser.add_argument("--plies", default="0,1,2", help="to look ahead (0,1,2)")
    parser.add_argument(
        "--against", default=",".join(PEERS), help="gnubg, pubeval (both; pubeval meets 0 plies)"
    )
    parser.add_argument(
        "--decisions", type=int, default=800, metavar="N", help="that are judged (800); 0: none"
    )
    parser.add_argument(
        "--timed",
        type=int,
        default=400,
        metavar="N",
        help="decisions timed (400); 0: none",
    )
    parser.add_argument("--weights", type=Path, metavar="FILE", help="others than the shipped ones")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="for the games (1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--kept", type=Path, default=KEPT, metavar="FILE", help="where judgements are kept"
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if a peer is missing, 2 if nothing can be measured."""
    try:
        plies, peers = _asked(args)
        table = Table(args.weights)
    except (ValueError, BadWeights) as error:
        print(f"plyhouse bench backgammon: {error}", file=sys.stderr)
        return 2
    file = args.weights or nets_file()
    report = Report(
        matches=[], losses=[], times=[], weights=file.name, bytes=file.stat().st_size,
        peer=version(), seed=args.seed, compiled=compiled.available(),
        load=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        python=platform.python_version(), machine=f"{platform.system()} {platform.machine()}",
    )  # fmt: skip
    report.times = times(table, plies, args)
    missing = ""
    try:
        report.losses = losses(table, plies, args) if args.decisions else []
        report.matches = matches(table, plies, peers, args) if args.pairs != 0 else []
    except Missing as error:
        missing = f"plyhouse bench backgammon: {error}"
    if args.json:
        print(msgspec.json.encode(report).decode())
    else:
        show(report)
    if missing:
        print(missing, file=sys.stderr)
    return 1 if missing else 0


def _asked(args: argparse.Namespace) -> tuple[list[int], list[str]]:
    """Plies and peers; ValueError where the arguments make no sense."""
    if min(args.decisions, args.timed, args.pairs or 0) < 0 or args.processes < 1:
        raise ValueError("pairs, decisions and timed start at 0, processes at 1")
    words, peers = args.plies.split(","), args.against.split(",")
    for word in words:
        if word not in map(str, PLIES):
            raise ValueError(f"plies are 0, 1 and 2, with commas between them, not {args.plies!r}")
    for peer in peers:
        if peer not in PEERS:
            raise ValueError(f"there is no peer {peer!r}; there are {', '.join(PEERS)}")
    return sorted({int(word) for word in words}), [peer for peer in PEERS if peer in peers]


# ---------------------------------------------------------------- the parts


def times(table: Table, plies: Sequence[int], args: argparse.Namespace) -> list[Time]:
    """Milliseconds a decision, in the same positions for all plies."""
    if not args.timed:
        return []
    places = backgammon_times.some(table.judge, args.seed, args.timed)
    return [backgammon_times.timed(table.judge, n, places) for n in plies]


def losses(table: Table, plies: Sequence[int], args: argparse.Namespace) -> list[Loss]:
    """Points that we, GNU Backgammon 0-ply and pubeval give away; raises Missing."""
    gnu = Gnu()
    bench = Bench(gnu, f"{PACKAGE} {version()}, {backgammon_loss.PLIES}-ply", args.kept)
    positions = backgammon_loss.first(gnu, args.seed, args.decisions)
    players: dict[str, Player] = {f"ours, {n}-ply": Ours(table.judge, n) for n in plies}
    players |= {TITLES["gnubg"]: gnu, TITLES["pubeval"]: Pubeval()}
    return backgammon_loss.losses(players, bench, positions)


def matches(
    table: Table, plies: Sequence[int], peers: Sequence[str], args: argparse.Namespace
) -> list[Match]:
    """Games against each peer; raises Missing."""
    found = []
    hall = Hall(table, args.weights, args.processes)
    for peer in peers:
        table.peer(peer)  # missing, if it is, before any game begins
        for n in plies if peer == "gnubg" else [n for n in plies if n == 0]:
            score = hall.contest(peer, n, args.pairs or PAIRS[n], args.seed)
            found.append(match(peer, n, score))
    return found


def match(peer: str, plies: int, score: Score) -> Match:
    """The line of a contest."""
    target, aim = POINTS.get((peer, plies), (None, None))
    return Match(
        peer=peer, plies=plies, pairs=len(score.pairs), raw=score.raw(),
        adjusted=score.adjusted(), wins=score.share(1), gammons=score.share(2),
        gammons_lost=score.share(2, -1), seconds=score.seconds, target=target, aim=aim,
    )  # fmt: skip


# ---------------------------------------------------------------- what is printed


def show(report: Report) -> None:
    """Print the report for people."""
    console = Console()
    if report.matches:
        console.print(_match_table(report.matches))
    if report.losses:
        console.print(_loss_table(report.losses))
    if report.times:
        console.print(_time_table(report.times))
    how = "compiled" if report.compiled else "PLAIN PYTHON, as there is no numba"
    peer = f", {PACKAGE} {report.peer}" if report.peer else ""
    console.print(
        f"{report.weights}: {report.bytes:,} bytes (goal {BYTES[0]:,}/{BYTES[1]:,}).\n"
        f"{report.machine}, Python {report.python}, {how}{peer}; ± is 95 %, seed {report.seed}."
    )
    if report.times and report.load is not None and report.load > BUSY:
        console.print(f"THE MACHINE WAS BUSY: load {report.load:.1f} at the beginning.")
    for line in missed(report):
        console.print(f"OFF ITS TARGET: {line}")


def _table(title: str, first: str, *names: str) -> Drawn:
    """A table that fits into 80 columns: two spaces, not three, between its own."""
    table = Drawn(title=title, box=box.SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for name in names:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def _match_table(found: Sequence[Match]) -> Drawn:
    title = "Points a game, in pairs with the same dice; gnubg is GNU Backgammon 0-ply"
    columns = ("pairs", "raw", "without luck", "won", "gammons", "goal")
    table = _table(title, "ours, theirs", *columns)
    for line in found:
        goal = "" if line.target is None else f"{line.target:+.2f}/{line.aim:+.2f}"
        gammons = f"{100 * line.gammons:.0f}:{100 * line.gammons_lost:.0f}"
        table.add_row(
            f"{line.plies}-ply {line.peer}", str(line.pairs), _points(line.raw, 2),
            _points(line.adjusted, 3), f"{100 * line.wins:.1f}", gammons, goal,
        )  # fmt: skip
    return table


def _points(found: Interval, digits: int) -> str:
    bar = "" if found.margin is None else f" ± {found.margin:.{digits}f}"
    return f"{found.mean:+.{digits}f}{bar}"


def _loss_table(found: Sequence[Loss]) -> Drawn:
    title = f"Given away in {found[0].decisions} decisions, by GNU Backgammon 2-ply"
    table = _table(title, "", "points a decision", "best turn", "blunders")
    for line in found:
        bar = "" if line.loss.margin is None else f" ± {line.loss.margin:.4f}"
        table.add_row(
            line.player, f"{line.loss.mean:.4f}{bar}", f"{line.best:.1%}", f"{line.blunders:.1%}"
        )
    return table


def _time_table(found: Sequence[Time]) -> Drawn:
    title = "Milliseconds of one thread's CPU time a decision"
    table = _table(title, "", "n", "mean", "median", "95 %", "longest", "goal, mean")
    for line in found:
        low, high = MEAN_MS[line.plies]
        for name, spread, goal in (
            (f"{line.plies}-ply, of two turns or more", line.choice, f"{low:g}/{high:g}"),
            ("       forced ones too", line.all, ""),
        ):
            figures = (spread.mean, spread.median, spread.p95, spread.longest)
            row = [f"{value:.3f}" if value < 10 else f"{value:.1f}" for value in figures]
            table.add_row(name, str(spread.decisions), *row, goal)
    return table


def missed(report: Report) -> list[str]:
    """What is worse than its target."""
    found = []
    for match in report.matches:
        if match.target is not None and match.adjusted.mean < match.target:
            points = f"{match.adjusted.mean:+.3f} points of {match.target:+.2f}"
            found.append(f"{match.plies}-ply against {match.peer}, {points}")
    for line in report.times:
        least, longest = MEAN_MS[line.plies][0], LONGEST_MS.get(line.plies)
        if line.choice.mean > least:
            found.append(f"{line.plies}-ply, mean {line.choice.mean:.2f} ms of {least:g}")
        if longest is not None and line.choice.longest > longest:
            found.append(f"{line.plies}-ply, longest {line.choice.longest:.0f} ms of {longest:g}")
    if report.bytes > BYTES[0]:
        found.append(f"weights, {report.bytes:,} bytes of {BYTES[0]:,}")
    return found
