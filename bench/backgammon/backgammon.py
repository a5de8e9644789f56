"""`plyhouse bench backgammon`: how well our net plays, GNU Backgammon beside it.

Points a game in pairs with the same dice, raw and with the luck taken out (match.py).
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.backgammon.match import Contest, GamePair, contest, interval, judge_of, share
from bench.backgammon.peers import PACKAGE, PEERS, version
from bench.support.report import BadPlan, FigureTable, Report, code_text
from bots.backgammon.judge import nets_file
from bots.backgammon.weights import BadWeights
from bots.engine import compiled

PLIES: Final = (0, 1, 2)
PAIRS: Final = {0: 1_000, 1: 400, 2: 100}  # about three minutes each, by plies
# Points a game against gnubg, by plies: at least, and to aim at.
POINTS: Final = {0: (-0.10, -0.03), 1: (0.03, 0.04), 2: (0.06, 0.07)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    many = ", ".join(f"{n} at {plies}" for plies, n in PAIRS.items())
    parser.add_argument("--pairs", type=int, metavar="N", help=f"of games ({many} plies); 0: none")
    parser.add_argument("--plies", default="0,1,2", help="to look ahead (0,1,2)")
    parser.add_argument(
        "--against", choices=PEERS, default="gnubg",
        help="gnubg, which does not look ahead, or gnubg2, two plies (gnubg)",
    )  # fmt: skip
    parser.add_argument("--weights", type=Path, metavar="FILE", help="others than the shipped ones")
    parser.add_argument("--processes", type=int, default=1, metavar="N", help="for the games (1)")
    parser.add_argument("--seed", type=int, default=1)


def measure(args: argparse.Namespace, folder: Path) -> Report:
    """Play."""
    words = args.plies.split(",")
    if not {*words} <= {*map(str, PLIES)}:
        raise BadPlan(f"plies are 0, 1 and 2, with commas between them, not {args.plies!r}")
    if args.processes < 1 or (args.pairs or 0) < 0:
        raise BadPlan("pairs start at 0, processes at 1")
    try:
        judge_of(args.weights)
    except BadWeights as error:
        raise BadPlan(str(error)) from None
    title = "Points a game, in pairs with the same dice; gnubg is GNU Backgammon 0-ply"
    columns = ["pairs", "raw", "without luck", "won", "gammons", "goal"]
    table, off = FigureTable(title, columns), []
    for n in sorted({int(word) for word in words}) if args.pairs != 0 else ():
        PEERS[args.against]()  # missing, if it is, before any game begins
        plan = Contest(args.against, n, args.seed, args.weights)
        pairs = contest(plan, args.pairs or PAIRS[n], args.processes)
        least, aim = POINTS[n] if args.against == "gnubg" else (-math.inf, math.inf)
        goal = f"{least:+g}/{aim:+g}" if args.against == "gnubg" else ""
        table.rows[f"{n}-ply, {args.against}"] = [*_cells(pairs), goal]
        points = interval([pair.adjusted for pair in pairs]).mean
        if points < least:
            off.append(f"OFF ITS TARGET: {n}-ply, {points:+.3f} points of {least:+.2f}")
    code = f"{code_text(compiled.available())}, {PACKAGE} {version()}"
    file = args.weights or nets_file()
    about = f"{file.name}, {file.stat().st_size:,} bytes; {code}; ± is 95 %, seed {args.seed}."
    return Report(tables=[table], notes=[about, *off])


def _cells(pairs: Sequence[GamePair]) -> list[str]:
    raw, adjusted = interval([p.raw for p in pairs]), interval([p.adjusted for p in pairs])
    gammons = f"{100 * share(pairs, 2):.0f}:{100 * share(pairs, 2, -1):.0f}"
    return [str(len(pairs)), str(raw), str(adjusted), f"{share(pairs, 1):.1%}", gammons]
