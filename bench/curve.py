"""`plyhouse bench curve`: how the nets of backgammon learnt; a table, and a plot as SVG.

Nothing is measured here: a file of weights holds the curve of its own training (bots/train.py).
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from bench.svg import Axis, Line, Panel, drawing
from bots import weights
from bots.training import Settings
from bots.weights import BadWeights

COLOR = "#0072b2"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench curve`."""
    parser.add_argument("--weights", type=Path, default=weights.FILE, help="default: the shipped")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write an SVG")


def run(args: argparse.Namespace) -> int:
    """Print the curve; 2 if there is none, or the plot cannot be written."""
    try:
        trained = weights.load(args.weights).trained
        if len(trained.get("curve", [])) < 2:
            raise BadWeights(f"{args.weights} does not say how its nets were trained")
        if args.plot is not None:
            args.plot.write_text(plot(trained), encoding="utf-8")
    except (BadWeights, OSError) as error:
        print(f"plyhouse bench curve: {error}", file=sys.stderr)
        return 2
    show(trained)
    return 0


def settings(trained: dict[str, Any]) -> Settings:
    """By which settings nets were trained."""
    told: dict[str, Any] = {}
    for name in Settings.__dataclass_fields__:
        if name in trained:
            told[name] = tuple(trained[name]) if name in ("hidden", "without") else trained[name]
    return Settings(**told)


def show(trained: dict[str, Any]) -> None:
    """Print it for people."""
    table = Table(title="Points a game against the hand-made evaluation", box=box.SIMPLE_HEAD)
    for name in ("games", "points", "step"):
        table.add_column(name, justify="right", no_wrap=True)
    steps = settings(trained)
    for games, points, error in trained["curve"]:
        step = f"{steps.step(games):.4f}" if games < steps.games else ""
        table.add_row(f"{games:,}", f"{points:+.3f} ± {error:.3f}", step)
    Console().print(table)
    print(caption(trained))


def caption(trained: dict[str, Any]) -> str:
    """The settings in a line."""
    hidden = " + ".join(map(str, trained["hidden"]))
    minutes = trained["seconds"] / 60
    return (
        f"{trained['games_played']:,} games, seed {trained['seed']}, {hidden} hidden units, "
        f"lambda {trained['decay']:g}, {minutes:.0f} minutes"
    )


def plot(trained: dict[str, Any]) -> str:
    """Two panels: what they won as they learnt, and how long a step was."""
    curve, steps = trained["curve"], settings(trained)
    thousands = Axis("thousand games", log=False, write=lambda value: f"{value:,.0f}")
    won = [(games / 1000, points) for games, points, _ in curve[:-1]]
    mean = [(games / 1000, curve[-1][1]) for games in (curve[0][0], curve[-1][0])]
    length = [(games / 1000, steps.step(games)) for games, _, _ in curve]
    return drawing(
        [
            Panel(
                "Points a game against the hand-made evaluation",
                thousands,
                Axis("points", log=False, write=lambda value: f"{value:+.2f}"),
                [
                    Line("on the way", COLOR, won),
                    Line("the mean of the end", "#d55e00", mean, dashed=True),
                ],
            ),
            Panel(
                "Length of a step, alpha",
                thousands,
                Axis("alpha", write=lambda value: f"{value:g}"),
                [Line("alpha", COLOR, length)],
            ),
        ],
        caption(trained),
    )
