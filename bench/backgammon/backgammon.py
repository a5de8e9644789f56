"""`plyhouse bench backgammon`: how well and how fast our net plays, GNU Backgammon beside it.

matches  points a game in pairs with the same dice, raw and with the luck taken out
         (bench/backgammon/match.py)
times    milliseconds a decision on one thread, and the size of the weights; these need no peer
         (bench/backgammon/times.py)
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from bench.backgammon import times as backgammon_times
from bench.backgammon.match import Contests, Interval, PairScore, Players
from bench.backgammon.peers import PACKAGE, PEERS, version
from bench.backgammon.times import Time
from bench.support.report import (
    Missing,
    Report,
    code_text,
    complain,
    load_average,
    output,
    print_load,
    slim_table,
)
from bots.backgammon.judge import nets_file
from bots.backgammon.weights import BadWeights
from bots.engine import compiled

BUSY = 0.5  # of the load at the beginning: from here on times mean little
PLIES = (0, 1, 2)
PAIRS = {0: 1_000, 1: 400, 2: 100}  # about three minutes each, by plies

# What is wanted, at least and to aim at: points a game (None: without a limit of time; else so many
# milliseconds for each of our turns), milliseconds, bytes.
POINTS: dict[tuple[str, int, int | None], tuple[float, float]] = {
    ("gnubg", 0, None): (-0.10, -0.03),
    ("gnubg", 1, None): (0.03, 0.04),
    ("gnubg", 2, None): (0.06, 0.07),
    ("gnubg2", 2, 50): (-0.01, 0.01),
    ("pubeval", 0, None): (0.55, 0.65),
}
MEAN_MS = {0: (0.1, 0.03), 1: (5.0, 2.0), 2: (50.0, 30.0)}
LONGEST_MS = {2: 200.0}
BYTES = (400_000, 200_000)


class ContestResult(msgspec.Struct, kw_only=True):
    """A contest.  Points are ours a game; shares are of all games."""

    peer: str
    player: str | None  # the peer that played in our place; None: we did
    plies: int  # ours
    ms: int | None  # for each of our turns; None: no limit
    pairs: int
    raw: Interval
    adjusted: Interval
    wins: float
    gammons: float  # backgammons too
    gammons_lost: float
    seconds: float
    target: float | None
    aim: float | None


class BackgammonReport(Report, kw_only=True):
    """Everything that was measured; what could not be is empty."""

    matches: list[ContestResult]
    times: list[Time]
    weights: str
    bytes: int
    peer: str | None  # of the package with the peers
    seed: int
    compiled: bool
    load: float | None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench backgammon`."""
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
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if a peer is missing, 2 if nothing can be measured."""
    try:
        plies, peers = _asked(args)
        players = Players(args.weights)
    except (ValueError, BadWeights) as error:
        return complain("backgammon", error)
    file = args.weights or nets_file()
    report = BackgammonReport(
        matches=[], times=[], weights=file.name, bytes=file.stat().st_size,
        peer=version(), seed=args.seed, compiled=compiled.available(),
        load=load_average(),
    )  # fmt: skip
    report.times = times(players, plies, args)
    missing: Missing | None = None
    try:
        report.matches = matches(players, plies, peers, args) if args.pairs != 0 else []
    except Missing as error:
        missing = error
    output(report, args.json, show)
    if missing is None:
        return 0
    complain("backgammon", missing)
    return 1


def _asked(args: argparse.Namespace) -> tuple[list[int], list[str]]:
    """Plies and peers; ValueError where the arguments make no sense."""
    if min(args.timed, args.pairs or 0) < 0 or args.processes < 1:
        raise ValueError("pairs and timed start at 0, processes at 1")
    if args.ms is not None and args.ms < 1:
        raise ValueError("a turn has 1 ms at least")
    words, peers = args.plies.split(","), args.against.split(",")
    for word in words:
        if word not in map(str, PLIES):
            raise ValueError(f"plies are 0, 1 and 2, with commas between them, not {args.plies!r}")
    for peer in peers:
        if peer not in PEERS:
            raise ValueError(f"there is no peer {peer!r}; there are {', '.join(PEERS)}")
    return sorted({int(word) for word in words}), [peer for peer in PEERS if peer in peers]


def times(players: Players, plies: Sequence[int], args: argparse.Namespace) -> list[Time]:
    """Milliseconds a decision, in the same positions for all plies."""
    if not args.timed:
        return []
    positions = backgammon_times.sample(players.judge, args.seed, args.timed)
    return [backgammon_times.timed(players.judge, n, positions) for n in plies]


def matches(
    players: Players, plies: Sequence[int], peers: Sequence[str], args: argparse.Namespace
) -> list[ContestResult]:
    """Games against each peer; raises Missing."""
    results = []
    contests = Contests(players, args.weights, args.processes, args.ms, args.player)
    for peer in peers:
        players.peer(peer)  # missing, if it is, before any game begins
        ahead = [n for n in plies if n == 0 or peer != "pubeval"]
        for n in [0] if args.player else ahead:
            score = contests.contest(peer, n, args.pairs or PAIRS[n], args.seed)
            results.append(match(peer, n, score, args.ms, args.player))
    return results


def match(
    peer: str, plies: int, score: PairScore, ms: int | None = None, player: str | None = None
) -> ContestResult:
    """The result of a contest; who plays in our place has no goal."""
    target, aim = (None, None) if player else POINTS.get((peer, plies, ms), (None, None))
    return ContestResult(
        peer=peer, player=player, plies=plies, ms=ms, pairs=len(score.pairs), raw=score.raw(),
        adjusted=score.adjusted(), wins=score.share(1), gammons=score.share(2),
        gammons_lost=score.share(2, -1), seconds=score.seconds, target=target, aim=aim,
    )  # fmt: skip


def show(report: BackgammonReport) -> None:
    """Print the report for people."""
    console = Console()
    if report.matches:
        console.print(_match_table(report.matches))
    if report.times:
        console.print(_time_table(report.times))
    peer = f", {PACKAGE} {report.peer}" if report.peer else ""
    console.print(
        f"{report.weights}: {report.bytes:,} bytes (goal {BYTES[0]:,}/{BYTES[1]:,}).\n"
        f"{report.place}, {code_text(report.compiled)}{peer}; ± is 95 %, seed {report.seed}."
    )
    if report.times:
        print_load(console, report.load, BUSY)
    for sentence in missed(report):
        console.print(f"OFF ITS TARGET: {sentence}")


def _match_table(rows: Sequence[ContestResult]) -> Table:
    title = (
        "Points a game, in pairs with the same dice; gnubg is GNU Backgammon 0-ply, gnubg2 2-ply"
    )
    columns = ("pairs", "raw", "without luck", "won", "gammons", "goal")
    table = slim_table(title, ["ours, theirs"], columns)
    for row in rows:
        goal = "" if row.target is None else f"{row.target:+.2f}/{row.aim:+.2f}"
        gammons = f"{100 * row.gammons:.0f}:{100 * row.gammons_lost:.0f}"
        limit = "" if row.ms is None else f" at {row.ms} ms"
        table.add_row(
            f"{row.player or f'{row.plies}-ply{limit}'}, {row.peer}", str(row.pairs),
            _points(row.raw, 2), _points(row.adjusted, 3), f"{100 * row.wins:.1f}", gammons, goal,
        )  # fmt: skip
    return table


def _points(points: Interval, digits: int) -> str:
    bar = "" if points.margin is None else f" ± {points.margin:.{digits}f}"
    return f"{points.mean:+.{digits}f}{bar}"


def _time_table(rows: Sequence[Time]) -> Table:
    title = "Milliseconds of one thread's CPU time a decision"
    columns = ["n", "mean", "median", "95 %", "longest", "goal, mean"]
    table = slim_table(title, [""], columns)
    for row in rows:
        low, high = MEAN_MS[row.plies]
        for name, spread, goal in (
            (f"{row.plies}-ply, of two turns or more", row.choice, f"{low:g}/{high:g}"),
            ("       forced ones too", row.all, ""),
        ):
            figures = (spread.mean, spread.median, spread.p95, spread.longest)
            texts = [f"{value:.3f}" if value < 10 else f"{value:.1f}" for value in figures]
            table.add_row(name, str(spread.decisions), *texts, goal)
    return table


def missed(report: BackgammonReport) -> list[str]:
    """What is worse than its target."""
    sentences = []
    for match in report.matches:
        if match.target is not None and match.adjusted.mean < match.target:
            points = f"{match.adjusted.mean:+.3f} points of {match.target:+.2f}"
            sentences.append(f"{match.plies}-ply against {match.peer}, {points}")
    for row in report.times:
        least, longest = MEAN_MS[row.plies][0], LONGEST_MS.get(row.plies)
        if row.choice.mean > least:
            sentences.append(f"{row.plies}-ply, mean {row.choice.mean:.2f} ms of {least:g}")
        if longest is not None and row.choice.longest > longest:
            sentences.append(f"{row.plies}-ply, longest {row.choice.longest:.0f} ms of {longest:g}")
    if report.bytes > BYTES[0]:
        sentences.append(f"weights, {report.bytes:,} bytes of {BYTES[0]:,}")
    return sentences
