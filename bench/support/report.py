"""What any measurement comes to: tables of figures, sentences, and what must not be.

A report is a struct, printed as JSON or for people; progress and complaints go to standard error.
"""

from __future__ import annotations

import os
import platform
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table

WIDTH: Final = 100  # columns of a page that no terminal shows
QUOTED: Final = 20  # problems that are printed; all are in the JSON


class Missing(RuntimeError):
    """Something that a measurement needs is not here; the message says what, and how to get it."""


class BadPlan(ValueError):
    """What was asked for makes no sense; the message says what would."""


class Spread(msgspec.Struct):
    """A figure over several rounds."""

    median: float
    low: float
    high: float


Cell: TypeAlias = Spread | float | str | None


class FigureTable(msgspec.Struct):
    """Figures; each row has as many as there are columns, and a name."""

    title: str
    columns: list[str]
    rows: dict[str, list[Cell]] = {}


class Report(msgspec.Struct, kw_only=True):
    """A measurement.  `problems`: what must not be, in sentences; `verdict`: what is so without."""

    tables: list[FigureTable] = []
    notes: list[str] = []
    problems: list[str] = []
    verdict: str = ""
    python: str = msgspec.field(default_factory=platform.python_version)
    machine: str = msgspec.field(
        default_factory=lambda: f"{platform.system()} {platform.machine()}"
    )


def show(report: Report) -> None:
    """Print a report for people."""
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    for each in report.tables:
        table = Table(title=each.title, box=box.SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
        table.add_column("")
        for column in each.columns:
            table.add_column(column, justify="right", no_wrap=True)
        for name, cells in each.rows.items():
            table.add_row(name, *map(text, cells))
        console.print(table, markup=False)
    for sentence in [*report.notes, f"{report.machine}, Python {report.python}."]:
        console.print(sentence, highlight=False, markup=False, soft_wrap=True)
    for problem in report.problems[:QUOTED]:
        console.print(f"PROBLEM: {problem}", highlight=False, markup=False, soft_wrap=True)
    if report.verdict:
        count = f"{len(report.problems)} problems" if report.problems else report.verdict
        console.print(f"VERDICT: {count}", highlight=False, soft_wrap=True)


def text(cell: Cell) -> str:
    """A figure for people: three digits that count."""
    match cell:
        case None:
            return ""
        case str():
            return cell
        case Spread():
            return f"{text(cell.median)} ({text(cell.low)} to {text(cell.high)})"
    if isinstance(cell, int) or abs(cell) >= 100:
        return f"{cell:,.0f}"
    return f"{cell:.{1 if abs(cell) >= 10 else 2 if abs(cell) >= 1 else 3}f}"


def spread(values: Iterable[float | None]) -> Spread | None:
    """The spread of those that could be measured; None if there are none."""
    measured = [value for value in values if value is not None]
    if not measured:
        return None
    return Spread(statistics.median(measured), min(measured), max(measured))


def median(cell: Cell) -> float:
    assert isinstance(cell, Spread | float | int), "it was measured"
    return cell.median if isinstance(cell, Spread) else cell


def load_average() -> float | None:
    """How many processes wanted a core during the last minute; None where that is unknown."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def busy_note(load: float | None, limit: float) -> list[str]:
    """Say that the machine was busy, if its load was above `limit`."""
    if load is None or load <= limit:
        return []
    return [f"THE MACHINE WAS BUSY: load {load:.1f} at the beginning."]


def code_text(compiled: bool) -> str:
    return "compiled" if compiled else "PLAIN PYTHON, as there is no numba"


def progress(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


def out_of_time(limit: float, lost: Mapping[int, Sequence[str]]) -> list[str]:
    """The problems of a trial that has not come to its end, by what was lost in each room.

    Raises:
        TimeoutError: nothing was lost: all was slow.
    """
    problems = [f"room {room}: {each}" for room, what in lost.items() for each in what]
    if not problems:
        raise TimeoutError(f"not done within {limit:.0f} s")
    return [f"the matches did not end within {limit:.0f} s, as something was lost", *problems]
