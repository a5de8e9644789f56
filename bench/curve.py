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
    for name in ("games + lessons", "points", "step"):
        table.add_column(name, justify="right", no_wrap=True)
    steps = settings(trained)
    for games, lessons, points, error in trained["curve"]:
        step = f"{steps.step(games):.4f}" if games < steps.games else ""
        after = f"{games:,} + {lessons}" if lessons else f"{games:,}"
        table.add_row(after, f"{points:+.3f} ± {error:.3f}", step)
    Console().print(table)
    print(caption(trained))


def caption(trained: dict[str, Any]) -> str:
    """The settings in a line."""
    hidden = " + ".join(map(str, trained["hidden"]))
    minutes = trained["seconds"] / 60
    lessons = f" and {len(trained['studied'])} lessons" if trained["studied"] else ""
    return (
        f"{trained['games_played']:,} games, seed {trained['seed']}{lessons}, {hidden} hidden "
        f"units, lambda {trained['decay']:g}, {minutes:.0f} minutes"
    )


def plot(trained: dict[str, Any]) -> str:
    """What they won as they learnt, and how long a step was."""
    curve, steps = trained["curve"][:-1], settings(trained)
    thousands = Axis("thousand games", log=False, write=lambda value: f"{value:,.0f}")
    points = Axis("points", log=False, write=lambda value: f"{value:+.2f}")
    last = trained["curve"][-1][2]
    panels = [
        Panel(
            "By games: points a game against the hand-made evaluation",
            thousands,
            points,
            [Line("on the way", COLOR, [(g / 1000, won) for g, n, won, _ in curve if n == 0])],
        ),
        Panel(
            "By games: length of a step, alpha",
            thousands,
            Axis("alpha", write=lambda value: f"{value:g}"),
            [Line("alpha", COLOR, [(g / 1000, steps.step(g)) for g, n, _, _ in curve if n == 0])],
        ),
    ]
    taught = [(float(n), won) for _, n, won, _ in curve if n]
    if taught:
        end = Line("in the end", "#d55e00", [(taught[0][0], last), (taught[-1][0], last)], True)
        across = Axis("lessons", log=False)
        title = "By lessons: points a game against the hand-made evaluation"
        panels.append(Panel(title, across, points, [Line("after each", COLOR, taught), end]))
    return drawing(panels, caption(trained))
