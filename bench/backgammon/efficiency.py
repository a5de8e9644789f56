"""`plyhouse bench efficiency`: how live the doubling cube is, in our nets' own games with it.

The judgement of the cube rests on these numbers (bots/backgammon/cube/cube_judge.py: LIVE).  They
follow from the nets alone, and nobody else's opinion goes into them.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import msgspec
from rich.console import Console

from bench.support.report import Report, code_text, complain, output, progress, slim_table
from bots.backgammon.judge import Judge, nets_file
from bots.backgammon.kernels.net import CONTACT, EXACT, ONE_WAY, RACE
from bots.backgammon.training.efficiency import CubeGames, CubePosition, by_pips, measured
from bots.backgammon.weights import BadWeights
from bots.engine import compiled

GAMES: Final = 8_000
FAR: Final = 1_000  # pips, more than there can be
# Where the efficiency is told: of which kind of position, from how many pips on, below how many.
PLACES: Final = (
    ("contact", CONTACT, 0, FAR),
    ("one-way contact", ONE_WAY, 0, FAR),
    ("race, below 50 pips", RACE, 0, 50),
    ("race, 50 to 74 pips", RACE, 50, 75),
    ("race, 75 pips or more", RACE, 75, FAR),
    ("bearing off, below 20 pips", EXACT, 0, 20),
    ("bearing off, 20 to 39 pips", EXACT, 20, 40),
    ("bearing off, 40 pips or more", EXACT, 40, FAR),
)


class EfficiencyRow(msgspec.Struct, kw_only=True):
    """How live the cube was in some positions, and was taken to be; `margin` is 95 %."""

    where: str
    positions: int
    share: float
    margin: float
    used: float


class EfficiencyReport(Report, kw_only=True):
    """Everything that was measured.

    by_pips  in races and bearing off: how live it is with no pips left, and by how much more with
             each pip
    """

    places: list[EfficiencyRow]
    by_pips: dict[str, tuple[float, float]]
    games: int
    weights: str
    seed: int
    compiled: bool


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench efficiency`."""
    parser.add_argument("--games", type=int, default=GAMES, metavar="N", help=f"({GAMES})")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="others than the shipped ones")
    parser.add_argument("--seed", type=int, default=1, help="of the dice (1)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Play, measure and print; 2 if there is nothing to play with."""
    if args.games < 1:
        return complain("efficiency", ValueError("at least one game is played"))
    try:
        games = CubeGames(Judge(weights=args.weights))
    except BadWeights as error:
        return complain("efficiency", error)
    positions = list(games.positions(args.games, args.seed, progress))
    report = EfficiencyReport(
        places=places(positions),
        by_pips={name: lines for name, kind in (("race", RACE), ("bearing off", EXACT))
                 if (lines := line(positions, kind)) is not None},
        games=args.games, weights=(args.weights or nets_file()).name, seed=args.seed,
        compiled=compiled.available(),
    )  # fmt: skip
    output(report, args.json, show)
    return 0


def places(positions: list[CubePosition]) -> list[EfficiencyRow]:
    """How live the cube was in each of PLACES; without those where nobody could have turned it."""
    told = []
    for where, kind, least, below in PLACES:
        some = [p for p in positions if p.kind == kind and least <= p.pips < below]
        if any(p.live != p.dead for p in some):
            told.append(EfficiencyRow(where=where, **msgspec.to_builtins(measured(some))))
    return told


def line(positions: list[CubePosition], kind: int) -> tuple[float, float] | None:
    """How live it is in positions of a kind with no pips left, and how much more with each pip."""
    try:
        return by_pips([p for p in positions if p.kind == kind])
    except ValueError:
        return None


def show(report: EfficiencyReport) -> None:
    """Print the report for people."""
    console = Console()
    table = slim_table(
        "How live the cube is: 0 nobody turns it again, 1 it is turned at the very point",
        [""], ["positions", "measured", "used"],
    )  # fmt: skip
    for place in report.places:
        share = f"{place.share:.3f} ± {place.margin:.3f}"
        table.add_row(place.where, f"{place.positions:,}", share, f"{place.used:.3f}")
    console.print(table)
    for name, (start, more) in report.by_pips.items():
        console.print(f"{name}: {start:.3f}, and {more:.5f} more with each pip of who is ahead")
    console.print(
        f"{report.games:,} games of {report.weights}, {report.place}, {code_text(report.compiled)};"
        f" ± is 95 %, seed {report.seed}."
    )
