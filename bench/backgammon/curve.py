"""`plyhouse bench curve`: how the nets of backgammon learnt; a table, and a plot as SVG.

Nothing is measured here: a file of weights holds the curve of its own training
(bots/commands/train.py).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console

from bench.support.report import complain, slim_table
from bots.backgammon import weights
from bots.backgammon.training.settings import TrainingSettings
from bots.backgammon.weights import BadWeights
from client.plot import Axis, Curve, Panel, panels


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench curve`."""
    parser.add_argument("--weights", type=Path, default=weights.FILE, help="default: the shipped")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="write an SVG")


def run(args: argparse.Namespace) -> int:
    """Print the curve; 2 if there is none, or the plot cannot be written."""
    try:
        nets = weights.load(args.weights)
        trained = {**whole(nets.trained), "hidden": nets.hidden}
        if len(trained.get("curve", [])) < 2:
            raise BadWeights(f"{args.weights} does not say how its nets were trained")
        if args.plot is not None:
            args.plot.write_text(plot(trained), encoding="utf-8")
    except (BadWeights, OSError) as error:
        return complain("curve", error)
    show(trained)
    return 0


def whole(trained: dict[str, Any]) -> dict[str, Any]:
    """The training and that of the nets it has refined, as one."""
    if trained.get("games") != 0 or len(trained.get("before", {}).get("curve", [])) < 2:
        return trained
    before = whole(trained["before"])
    games, rounds = before["games_played"], len(before["studied"])
    curve = [[games, rounds + n, points, error] for _, n, points, error in trained["curve"]]
    return {
        **before,
        "curve": [*before["curve"][:-1], *curve],
        "seconds": before["seconds"] + trained["seconds"],
        "studied": [*before["studied"], *trained["studied"]],
    }


def settings(trained: dict[str, Any]) -> TrainingSettings:
    """The settings that nets were trained by."""
    names = TrainingSettings.__struct_fields__
    return TrainingSettings.checked(**{name: trained[name] for name in names if name in trained})


def show(trained: dict[str, Any]) -> None:
    """Print it for people."""
    title = "Points a game against the hand-made evaluation"
    table = slim_table(title, [], ["games + rounds", "points", "step"])
    steps = settings(trained)
    for games, rounds, points, error in trained["curve"]:
        step = f"{steps.step(games):.4f}" if games < steps.games else ""
        after = f"{games:,} + {rounds}" if rounds else f"{games:,}"
        table.add_row(after, f"{points:+.3f} ± {error:.3f}", step)
    Console().print(table)
    print(caption(trained))


def caption(trained: dict[str, Any]) -> str:
    """The settings in a line."""
    hidden = " + ".join(map(str, trained["hidden"]))
    minutes = trained["seconds"] / 60
    rounds = f" and {len(trained['studied'])} rounds of lookahead" if trained["studied"] else ""
    return (
        f"{trained['games_played']:,} games, seed {trained['seed']}{rounds}, {hidden} hidden "
        f"units, lambda {trained['decay']:g}, {minutes:.0f} minutes"
    )


def plot(trained: dict[str, Any]) -> str:
    """The panels: points as the nets learnt, and the length of a step."""
    curve, steps = trained["curve"][:-1], settings(trained)
    thousands = Axis("thousand games", label=lambda value: f"{value:,.0f}")
    points = Axis("points against the hand-made evaluation", label=lambda value: f"{value:+.2f}")
    last = trained["curve"][-1][2]
    drawn = [
        Panel(
            "By games: points a game",
            thousands,
            points,
            [Curve("on the way", [(g / 1000, won) for g, n, won, _ in curve if n == 0], 0)],
        ),
        Panel(
            "By games: length of a step, alpha",
            thousands,
            Axis("alpha", log=True, label=lambda value: f"{value:g}"),
            [Curve("alpha", [(g / 1000, steps.step(g)) for g, n, _, _ in curve if n == 0], 0)],
        ),
    ]
    taught = [(float(n), won) for _, n, won, _ in curve if n]
    if taught:
        end = Curve("in the end", [(taught[0][0], last), (taught[-1][0], last)], 1, dashed=True)
        across = Axis("rounds")
        title = "By rounds of lookahead: points a game"
        drawn.append(Panel(title, across, points, [Curve("after each", taught, 0), end]))
    return panels(drawn, caption(trained))
