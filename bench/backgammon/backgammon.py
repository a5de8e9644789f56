"""`plyhouse bench backgammon`: how well and how fast our net plays, GNU Backgammon beside it.

matches  points a game in pairs with the same dice, raw and with the luck taken out
         (bench/backgammon/match.py)
times    milliseconds of one thread's CPU time a decision, and the size of the weights; these need
         no peer.  For a turn that is forced nothing is looked ahead, as by the bot
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.backgammon.match import Contests, Interval, Ours, PairScore, Players, self_play
from bench.backgammon.peers import PACKAGE, PEERS, version
from bench.support.report import (
    BadPlan,
    FigureTable,
    Missing,
    Report,
    busy_note,
    code_text,
    load_average,
    progress,
)
from bots.backgammon.judge import Judge, nets_file
from bots.backgammon.weights import BadWeights
from bots.engine import compiled
from games.game import Position

BUSY: Final = 0.5  # of the load at the beginning: from here on times mean little
PLIES: Final = (0, 1, 2)
PAIRS: Final = {0: 1_000, 1: 400, 2: 100}  # about three minutes each, by plies
WARM_UP: Final = 5  # decisions at each number of plies before any is timed

# What is wanted, at least and to aim at: points a game (None: without a limit of time; else so many
# milliseconds for each of our turns), milliseconds, bytes.
POINTS: Final[dict[tuple[str, int, int | None], tuple[float, float]]] = {
    ("gnubg", 0, None): (-0.10, -0.03),
    ("gnubg", 1, None): (0.03, 0.04),
    ("gnubg", 2, None): (0.06, 0.07),
    ("gnubg2", 2, 50): (-0.01, 0.01),
    ("pubeval", 0, None): (0.55, 0.65),
}
MEAN_MS: Final = {0: (0.1, 0.03), 1: (5.0, 2.0), 2: (50.0, 30.0)}
LONGEST_MS: Final = {2: 200.0}
BYTES: Final = (400_000, 200_000)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    many = ", ".join(f"{n} at {plies}" for plies, n in PAIRS.items())
    parser.add_argument("--pairs", type=int, metavar="N", help=f"of games ({many} plies); 0: none")
    parser.add_argument("--plies", default="0,1,2", help="to look ahead (0,1,2)")
    parser.add_argument(
        "--against", default="gnubg,pubeval",
        help="gnubg, gnubg2 (which looks two plies ahead), pubeval, which meets 0 plies "
        "(gnubg,pubeval)",
    )  # fmt: skip
    parser.add_argument(
        "--player", choices=sorted(PEERS), help="who plays in our place, as a yardstick (nobody)"
    )
    parser.add_argument("--ms", type=int, metavar="N", help="for each of our turns (no limit)")
    parser.add_argument(
        "--timed", type=int, default=400, metavar="N", help="decisions timed (400); 0: none"
    )
    parser.add_argument("--weights", type=Path, metavar="FILE", help="others than the shipped ones")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="for the games (1)")
    parser.add_argument("--seed", type=int, default=1)


def measure(args: argparse.Namespace, folder: Path) -> Report:
    """Time decisions, then play; that a peer is missing is a problem."""
    plies, peers = _asked(args)
    try:
        players = Players(args.weights)
    except BadWeights as error:
        raise BadPlan(str(error)) from None
    file, load = args.weights or nets_file(), load_average()
    size = file.stat().st_size
    report = Report()
    if args.timed:
        table = FigureTable(
            "Milliseconds of one thread's CPU time a decision",
            ["n", "mean", "median", "95 %", "longest", "goal, mean"],
        )
        report.tables.append(table)
        positions = sample(players.judge, args.seed, args.timed)
        for n in plies:
            report.notes += add_times(table, players.judge, n, positions)
        report.notes += busy_note(load, BUSY)
    if args.pairs != 0:
        try:
            table = FigureTable(
                "Points a game, in pairs with the same dice; gnubg is GNU Backgammon 0-ply",
                ["pairs", "raw", "without luck", "won", "gammons", "goal"],
            )
            report.notes += add_matches(table, players, plies, peers, args)
            report.tables.append(table)
        except Missing as error:
            report.problems.append(str(error))
    peer = f", {PACKAGE} {version()}" if version() else ""
    report.notes += [
        f"{file.name}: {size:,} bytes (goal {BYTES[0]:,}/{BYTES[1]:,}).",
        f"{code_text(compiled.available())}{peer}; ± is 95 %, seed {args.seed}.",
    ]
    if size > BYTES[0]:
        report.notes.append(f"OFF ITS TARGET: weights, {size:,} bytes of {BYTES[0]:,}")
    return report


def _asked(args: argparse.Namespace) -> tuple[list[int], list[str]]:
    """Plies and peers."""
    if min(args.timed, args.pairs or 0) < 0 or args.processes < 1:
        raise BadPlan("pairs and timed start at 0, processes at 1")
    if args.ms is not None and args.ms < 1:
        raise BadPlan("a turn has 1 ms at least")
    words, peers = args.plies.split(","), args.against.split(",")
    for word in words:
        if word not in map(str, PLIES):
            raise BadPlan(f"plies are 0, 1 and 2, with commas between them, not {args.plies!r}")
    for peer in peers:
        if peer not in PEERS:
            raise BadPlan(f"there is no peer {peer!r}; there are {', '.join(PEERS)}")
    return sorted({int(word) for word in words}), [peer for peer in PEERS if peer in peers]


def add_matches(
    table: FigureTable, players: Players, plies: Sequence[int], peers: Sequence[str],
    args: argparse.Namespace,
) -> list[str]:  # fmt: skip
    """Play against each peer; return what was off its target.

    Raises:
        Missing: a peer is not there.
    """
    off = []
    contests = Contests(players, args.weights, args.processes, args.ms, args.player)
    for peer in peers:
        players.peer(peer)  # missing, if it is, before any game begins
        ahead = [n for n in plies if n == 0 or peer != "pubeval"]
        for n in [0] if args.player else ahead:
            score = contests.contest(peer, n, args.pairs or PAIRS[n], args.seed)
            goal = None if args.player else POINTS.get((peer, n, args.ms))
            limit = "" if args.ms is None else f" at {args.ms} ms"
            name = f"{args.player or f'{n}-ply{limit}'}, {peer}"
            table.rows[name] = [*_cells(score), "" if goal is None else "{:+g}/{:+g}".format(*goal)]
            if goal is not None and score.adjusted().mean < goal[0]:
                points = f"{score.adjusted().mean:+.3f} points of {goal[0]:+.2f}"
                off.append(f"OFF ITS TARGET: {n}-ply against {peer}, {points}")
    return off


def _cells(score: PairScore) -> list[str]:
    gammons = f"{100 * score.share(2):.0f}:{100 * score.share(2, -1):.0f}"
    raw, adjusted = _points(score.raw(), 2), _points(score.adjusted(), 3)
    return [str(len(score.pairs)), raw, adjusted, f"{score.share(1):.1%}", gammons]


def _points(points: Interval, digits: int) -> str:
    bar = "" if points.margin is None else f" ± {points.margin:.{digits}f}"
    return f"{points.mean:+.{digits}f}{bar}"


def sample(judge: Judge, seed: int, n: int) -> list[Position]:
    """Positions of games that our 0-ply plays against itself, until `n` of them have a choice."""
    positions = []
    for _, _, position in self_play(Ours(judge, 0), seed):
        positions.append(position)
        n -= len(position.legal_actions()) > 1
        if n == 0:
            break
    return positions


def add_times(
    table: FigureTable, judge: Judge, plies: int, positions: Sequence[Position]
) -> list[str]:
    """Decide in each of these positions, at least one of them with a choice; as `add_matches`."""
    player, choice, everything = Ours(judge, plies), list[float](), list[float]()
    free = [p for p in positions if len(p.legal_actions()) > 1]
    for position in free[:WARM_UP]:
        player(position)
    for known in positions:
        forced = len(known.legal_actions()) == 1
        position = Position(known.game, known.state)  # which has no list of its actions yet
        began = time.thread_time_ns()
        player(position)
        everything.append((time.thread_time_ns() - began) / 1e6)
        choice += everything[-1:] * (not forced)
    least, aim = MEAN_MS[plies]
    table.rows[f"{plies}-ply, of two turns or more"] = [*summary(choice), f"{least:g}/{aim:g}"]
    table.rows[f"{plies}-ply, forced ones too"] = [*summary(everything), ""]
    mean, longest = statistics.fmean(choice), LONGEST_MS.get(plies, math.inf)
    progress(f"{plies}-ply: {mean:.3f} ms a decision")
    off = [f"mean {mean:.2f} ms of {least:g}"] if mean > least else []
    off += [f"longest {max(choice):.0f} ms of {longest:g}"] if max(choice) > longest else []
    return [f"OFF ITS TARGET: {plies}-ply, {what}" for what in off]


def summary(values: Sequence[float]) -> list[float]:
    """How many, mean, median, 95th percentile and longest, of one time at least."""
    ordered = sorted(values)
    p95 = ordered[math.ceil(0.95 * len(ordered)) - 1]
    return [len(ordered), statistics.fmean(ordered), statistics.median(ordered), p95, ordered[-1]]
