"""What all measurements have in common: where they ran, figures over several rounds, and printing.

A report is a struct, printed as JSON or as tables; progress and complaints go to standard error.
"""

from __future__ import annotations

import asyncio
import os
import platform
import statistics
import sys
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table

from bench.support.guard import Guard
from lab.arena.local_server import ServerFailed
from protocol.errors import PlyhouseError


class Missing(RuntimeError):
    """Something that a measurement needs is not here; the message says what, and how to get it."""


class Spread(msgspec.Struct):
    """A figure over several rounds."""

    median: float
    low: float
    high: float


class Report(msgspec.Struct, kw_only=True):
    """Where a measurement ran; each measurement adds its figures."""

    python: str = msgspec.field(default_factory=platform.python_version)
    machine: str = msgspec.field(
        default_factory=lambda: f"{platform.system()} {platform.machine()}"
    )

    @property
    def place(self) -> str:
        """The machine and its Python."""
        return f"{self.machine}, Python {self.python}"


R = TypeVar("R", bound=Report)


def spread(values: Sequence[float]) -> Spread:
    """The spread of one value or more."""
    return Spread(statistics.median(values), min(values), max(values))


def spread_or_none(values: Sequence[float | None]) -> Spread | None:
    """The spread of those that could be measured."""
    measured = [value for value in values if value is not None]
    return spread(measured) if measured else None


def load_average() -> float | None:
    """How many processes wanted a core during the last minute; None where that is unknown."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


def print_load(console: Console, load: float | None, limit: float) -> None:
    """Say that the machine was busy, if its load was above `limit`."""
    if load is not None and load > limit:
        console.print(f"THE MACHINE WAS BUSY: load {load:.1f} at the beginning.")


def code_text(compiled: bool) -> str:
    """How the searches ran."""
    return "compiled" if compiled else "PLAIN PYTHON, as there is no numba"


def slim_table(title: str, left: Sequence[str], right: Sequence[str]) -> Table:
    """A table for 80 columns, its columns aligned to the left, then to the right.

    Two spaces, not three, are between its columns; where room is short, the left ones wrap.
    """
    table = Table(title=title, box=box.SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    for name in left:
        table.add_column(name)
    for name in right:
        table.add_column(name, justify="right", no_wrap=True)
    return table


def output(report: R, as_json: bool, show: Callable[[R], None]) -> None:
    """Print a report as JSON, or for people."""
    if as_json:
        print(msgspec.json.encode(report).decode())
    else:
        show(report)


def errors_text(count: int, complaints: Sequence[str]) -> str:
    """How many errors there were, and the first of them."""
    return f"Errors: {count}." + "".join(f"\n  {complaint}" for complaint in complaints)


def progress(sentence: str) -> None:
    """Say how far a measurement is."""
    print(sentence, file=sys.stderr, flush=True)


def complain(what: str, error: object) -> int:
    """Say why `plyhouse bench WHAT` cannot measure: the exit code."""
    progress(f"plyhouse bench {what}: {error}")
    return 2


class TrialReport(Protocol):
    """What a trial found; `problems` are sentences."""

    problems: list[str]


Trial = TypeVar("Trial", bound=TrialReport)


def out_of_time(limit: float, lost: Mapping[int, Sequence[str]]) -> list[str]:
    """The problems of a trial that has not come to its end, by what was lost in each room.

    Raises:
        TimeoutError: nothing was lost: all was slow.
    """
    problems = [f"room {room}: {each}" for room, what in lost.items() for each in what]
    if not problems:
        raise TimeoutError
    return [f"the matches did not end within {limit:.0f} s, as something was lost", *problems]


def tried(
    what: str,
    limit: float,
    trial: Callable[[Path], Coroutine[None, None, Trial]],
    show: Callable[[Trial], None] | None,
) -> int:
    """Do a trial in a folder of its own, and print its report, as JSON where `show` is None.

    Returns:
        0; 1 if there are problems, 2 if it could not be done within `limit` seconds, or at all.
    """
    folder, guard = Path(tempfile.mkdtemp(prefix=f"plyhouse-{what}-")), Guard()
    guard.remove_with_us(folder)
    try:
        report = asyncio.run(trial(folder))
    except TimeoutError:
        return complain(what, f"not done within {limit:.0f} s")
    except (ServerFailed, PlyhouseError, OSError, Missing) as error:
        return complain(what, error)
    finally:
        guard.close()
    if show is None:
        print(msgspec.json.encode(report).decode())
    else:
        show(report)
    return 1 if report.problems else 0
