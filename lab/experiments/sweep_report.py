"""What a sweep has found: as text, as CSV, as JSON, and as two charts."""

from __future__ import annotations

import csv
import io
import json
import math
import platform
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bots.bot import Value, format_value
from games import registry as games
from lab.arena.score import cut_text
from lab.experiments.grid import BUDGETS, GridAxis, Sweep, key
from lab.experiments.plots import Chart, ChartLine
from lab.experiments.sample import CellSample, Measurement, rate

WHAT = "95 % intervals: Wilson's of the rates; from the spread of pairs of the times"


class SweptCell(NamedTuple):
    """A cell of the grid, and what was played of it."""

    point: Mapping[str, Value]
    sample: CellSample

    def rates(self) -> dict[str, Measurement]:
        """The shares of games lost, drawn and won."""
        tally, games_played = self.sample.tally, self.sample.games
        counts = {"loss": tally.losses, "draw": tally.draws, "win": tally.wins}
        return {name: rate(count, games_played) for name, count in counts.items()}

    def times(self) -> dict[str, Measurement]:
        sample = self.sample
        return {"ms": sample.a.wall(sample.pairs), "cpu_ms": sample.a.cpu(sample.pairs)}

    def row(self, points: bool) -> dict[str, Any]:
        """All of it as plain values; `points`: with the points a game."""
        sample, tally = self.sample, self.sample.tally
        estimates = {**self.rates(), **self.times()}
        if points:
            estimates["points"] = sample.points_a_game()
        return {
            "settings": dict(self.point),
            "games": sample.games,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "as_first": list(sample.by_seat(0)),
            "as_second": list(sample.by_seat(1)),
            "failures": sample.failures,
            **{name: estimate.row() for name, estimate in estimates.items()},
            "cut": [sample.a.cut, sample.b.cut],
            "nodes_a_choice": round(sample.a.nodes / max(1, sample.a.choices), 1),
            "plies": round(sample.plies / max(1, sample.games), 2),
        }


def swept(sweep: Sweep, samples: Mapping[str, CellSample]) -> list[SweptCell]:
    """The cells of a sweep, in the order of its grid."""
    return [SweptCell(point, samples[key(point)]) for point in sweep.points]


def title(sweep: Sweep) -> str:
    bot = " ".join([sweep.program, *sweep.fixed])
    return f"{bot} against {sweep.rival_title} at {sweep.game}"


def text(sweep: Sweep, cells: Sequence[SweptCell]) -> str:
    """Two tables: how the games ended, and what the choices took."""
    names = [axis.name for axis in sweep.varied]
    head = [[format_value(cell.point[name]) for name in names] for cell in cells]
    rates = [[str(c.sample.games), *map(_per_cent, c.rates().values())] for c in cells]
    times = [
        [*map(_milliseconds, c.times().values()), _each(c.sample.a.nodes, c.sample.a.choices)]
        for c in cells
    ]
    took = [*names, "ms a move", "CPU ms a move", "nodes a move"]
    cuts = [sum(c.sample.a.cut for c in cells), sum(c.sample.b.cut for c in cells)]
    if cuts[0]:
        took.append("cut %")
        times = _joined(times, [[_share(c.sample.a.cut, c.sample.a.choices)] for c in cells])
    parts = [
        title(sweep),
        f"half of the games in each seat, seed {sweep.seed}",
        *table([*names, "games", "loss %", "draw %", "win %"], _joined(head, rates)),
        "",
        *table(took, _joined(head, times)),
    ]
    if games.game(sweep.game).max_return > 1:
        points = [[_signed(c.sample.points_a_game())] for c in cells]
        parts += ["", *table([*names, "points a game"], _joined(head, points))]
    failed = [sum(cell.sample.failures[side] for cell in cells) for side in (0, 1)]
    for who, count in zip((sweep.program, sweep.rival_title), failed, strict=True):
        if count:
            parts.append(f"{who} lost {count:,} games by an error or an illegal choice")
    for who, count in zip((sweep.program, sweep.rival_title), cuts, strict=True):
        if count:
            parts.append(cut_text(who, count))
    if not sweep.repeatable:
        parts.append("choices that a clock ends differ from run to run, whatever the seed")
    return "\n".join([*parts, WHAT])


def _share(count: int, of: int) -> str:
    return f"{100 * count / of:.1f}" if of else "-"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of columns, aligned at their right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = [head, *rows]
    return ["  ".join(c.rjust(w) for c, w in zip(line, widths, strict=True)) for line in lines]


def _joined(head: list[list[str]], rows: list[list[str]]) -> list[list[str]]:
    return [left + right for left, right in zip(head, rows, strict=True)]


def _per_cent(estimate: Measurement) -> str:
    value, low, high = (100 * each for each in estimate)
    return f"{value:.1f} ({low:.1f}–{high:.1f})" if not math.isnan(value) else "-"


def _milliseconds(estimate: Measurement) -> str:
    if math.isinf(estimate.high):
        return f"{estimate.value:.3f}"
    return f"{estimate.value:.3f} ±{estimate.high - estimate.value:.3f}"


def _signed(estimate: Measurement) -> str:
    if math.isinf(estimate.high):
        return f"{estimate.value:+.3f}"
    return f"{estimate.value:+.3f} ±{estimate.high - estimate.value:.3f}"


def _each(total: float, count: int) -> str:
    return f"{total / count:,.0f}" if count else "-"


def as_json(sweep: Sweep, cells: Sequence[SweptCell]) -> str:
    """All of it."""
    points = games.game(sweep.game).max_return > 1
    head = {name: value for name, value in sweep.head().items() if name != "journal"}
    found = {
        **head,
        "games": sweep.games,
        "machine": machine(),
        "intervals": WHAT,
        "cells": [cell.row(points) for cell in cells],
    }
    return json.dumps(found, indent=1) + "\n"


def as_csv(sweep: Sweep, cells: Sequence[SweptCell]) -> str:
    """A row a cell; an interval is two columns more, `_low` and `_high`."""
    points = games.game(sweep.game).max_return > 1
    out = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for cell in cells:
        flat: dict[str, Any] = {k: format_value(v) for k, v in cell.point.items()}
        for name, value in cell.row(points).items():
            if isinstance(value, list):
                ends = (
                    ("bot", "rival") if name in ("failures", "cut") else ("wins", "draws", "losses")
                )
                flat |= {f"{name}_{end}": v for end, v in zip(ends, value, strict=True)}
            elif name != "settings":
                parts = value if isinstance(value, dict) else {"value": value}
                flat |= {name if k == "value" else f"{name}_{k}": v for k, v in parts.items()}
        if writer is None:
            writer = csv.DictWriter(out, list(flat), lineterminator="\n")
            writer.writeheader()
        writer.writerow(flat)
    return out.getvalue()


def machine() -> str:
    return f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"


def charts(sweep: Sweep, cells: Sequence[SweptCell]) -> list[Chart]:
    """Time against the setting, and losses against the setting; one line for each of the others."""
    axis = across(sweep.varied)
    ticks = () if axis is None or axis.numbers else [format_value(v) for v in axis.values]
    log = axis is not None and not ticks and _is_wide(axis)
    name = "" if axis is None else axis.name
    lines: dict[str, list[SweptCell]] = {}
    for cell in cells:
        lines.setdefault(_line(sweep, cell, name), []).append(cell)

    def series(measure: str) -> list[ChartLine]:
        return [
            ChartLine(line, [(_place(axis, cell), _measured(cell, measure)) for cell in of])
            for line, of in lines.items()
        ]

    time, losses = series("cpu_ms"), series("loss")
    positive = all(estimate.value > 0 for line in time for _, estimate in line.points)
    return [
        Chart("Time", name, "CPU ms a move", time, log, log and positive, ticks),
        Chart("Losses", name, "losses, %", losses, log, ticks=ticks),
    ]


def across(axes: Sequence[GridAxis]) -> GridAxis | None:
    """The axis that a plot goes along: a budget, else numbers, else words; None: there is none."""
    budgets = [axis for name in BUDGETS for axis in axes if axis.name == name]
    numbers = [axis for axis in axes if axis.numbers]
    return next(iter([*budgets, *numbers, *axes]), None)


def _is_wide(axis: GridAxis) -> bool:
    """Whether the values are better shown by their logarithms."""
    values = [float(value) for value in axis.values]
    return min(values) > 0 and max(values) / min(values) >= 8


def _line(sweep: Sweep, cell: SweptCell, without: str) -> str:
    names = [axis.name for axis in sweep.varied if axis.name != without]
    return ", ".join(f"{name} {format_value(cell.point[name])}" for name in names)


def _place(axis: GridAxis | None, cell: SweptCell) -> float:
    if axis is None:
        return 0.0
    value = cell.point[axis.name]
    return float(value) if axis.numbers else float(axis.values.index(value))


def _measured(cell: SweptCell, measure: str) -> Measurement:
    if measure == "cpu_ms":
        return cell.times()[measure]
    return Measurement(*(100 * part for part in cell.rates()[measure]))
