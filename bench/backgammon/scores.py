"""`plyhouse bench scores`: the chances at each score of a match, beside published ones.

Ours come from our own games (bots/backgammon/training/match_games.py), and `--compute` makes them
anew.  They are held against the table of N. Kazaross that GNU Backgammon plays by, and so is the
formula of R. Janowski: 0.5 + 0.85 * lead / (what the trailing side needs + 6).
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console

from bench.backgammon.gnubg_program import GnuCube
from bench.support.report import Missing, Report, complain, output, progress, slim_table
from bots.backgammon.cube import match_table
from bots.backgammon.cube.match_table import MOST_AWAY, BadTable, MatchTable
from bots.backgammon.judge import Judge
from bots.backgammon.training.match_games import MatchGames, TableSettings
from bots.backgammon.weights import BadWeights

POINTS: Final = 15
SHOWN: Final = 9  # points of the table that is printed
GOALS: Final = ((0.4, 0.2), (1.5, 0.8))  # per cent: of the mean and of the largest difference


class ScoreReport(Report, kw_only=True):
    """Our chances, and how far two tables are from the published one, in per cent of a match."""

    points: int
    before: list[list[float]]
    after: list[float]
    ours: list[float]  # mean and largest difference
    formula: list[float]
    peer: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench scores`."""
    usual = TableSettings()
    parser.add_argument(
        "--points", type=int, default=POINTS, metavar="N", help=f"that are compared ({POINTS})"
    )
    parser.add_argument(
        "--compute", type=Path, metavar="FILE", help="compute our table anew, and write it"
    )
    parser.add_argument("--games", type=int, default=usual.games, help=f"for it ({usual.games})")
    parser.add_argument("--pairs", type=int, default=usual.pairs, help=f"for it ({usual.pairs})")
    parser.add_argument("--seed", type=int, default=usual.seed, help=f"of its dice ({usual.seed})")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Compare and print; 1 if GNU Backgammon is missing, 2 if there is no table of ours."""
    if not 2 <= args.points <= MOST_AWAY or min(args.games, args.pairs) < 1:
        wanted = f"points are 2 to {MOST_AWAY}, games and pairs start at 1"
        return complain("scores", ValueError(wanted))
    try:
        table = match_table.read(match_table.FILE) if args.compute is None else _computed(args)
    except (BadTable, BadWeights, OSError) as error:
        return complain("scores", error)
    try:
        gnu = GnuCube()
    except Missing as error:
        complain("scores", error)
        return 1
    try:
        published = gnu.table(MOST_AWAY)
    finally:
        gnu.close()
    output(compared(table, published, args.points, gnu.version), args.json, show)
    return 0


def _computed(args: argparse.Namespace) -> MatchTable:
    settings = TableSettings(games=args.games, pairs=args.pairs, seed=args.seed)
    table = MatchGames(Judge(), settings, progress).table()
    match_table.write(args.compute, table, msgspec.to_builtins(settings))
    return table


def compared(table: MatchTable, published: MatchTable, points: int, peer: str) -> ScoreReport:
    """Hold our table, and the formula, against a published one."""
    return ScoreReport(
        points=points,
        before=[[round(100 * chance, 2) for chance in row] for row in table.before],
        after=[round(100 * chance, 2) for chance in table.after],
        ours=_differences(lambda *score: table.chance(*score[:2], crawford_over=score[2]),
                          published, points),
        formula=_differences(lambda *score: janowski(*score[:2]), published, points),
        peer=peer,
    )  # fmt: skip


def janowski(away: int, their_away: int) -> float:
    """The chance by R. Janowski's formula, which does not know what the Crawford game is."""
    return 0.5 + 0.85 * (their_away - away) / (max(away, their_away) + 6)


def _differences(
    chance: Callable[[int, int, bool], float], published: MatchTable, points: int
) -> list[float]:
    """The mean and the largest difference to the published table, in per cent of a match."""
    scores = [(a, b, False) for a in range(1, points + 1) for b in range(1, points + 1)]
    scores += [(a, 1, True) for a in range(1, points + 1)]
    differences = [
        100 * abs(chance(a, b, over) - published.chance(a, b, crawford_over=over))
        for a, b, over in scores
    ]
    return [round(statistics.fmean(differences), 3), round(max(differences), 3)]


def show(report: ScoreReport) -> None:
    """Print the report for people."""
    console = Console()
    shown = min(SHOWN, report.points)
    title = "Per cent of the matches won, by the points that we (down) and they (across) need"
    table = slim_table(title, ["we need"], [str(n + 1) for n in range(shown)])
    for away in range(shown):
        table.add_row(str(away + 1), *(f"{report.before[away][b]:.1f}" for b in range(shown)))
    table.add_row("after Crawford", *(f"{report.after[away]:.1f}" for away in range(shown)))
    table.caption = "The last line: what we need when they need one point"
    console.print(table)
    table = slim_table(
        f"Difference to Kazaross-XG2, up to {report.points} points and after the Crawford game",
        [""], ["mean, %", "largest, %"],
    )  # fmt: skip
    table.add_row("ours", *(f"{value:.2f}" for value in report.ours))
    table.add_row("Janowski's formula", *(f"{value:.2f}" for value in report.formula))
    table.add_row("goal", *(f"{least:g}/{aim:g}" for least, aim in GOALS))
    console.print(table)
    console.print(f"The published table is that of GNU Backgammon {report.peer}.")
    for name, value, (least, _) in zip(("mean", "largest"), report.ours, GOALS, strict=True):
        if value > least:
            console.print(f"OFF ITS TARGET: {name} difference, {value:.2f} % of {least:g} %")
