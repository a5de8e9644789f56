"""Rounds: whatever is compared is measured in turn, forwards and then backwards.

So an hour that gets busier favours no side.  A ratio is taken inside a round, and the median of
the rounds counts: absolute figures move with the machine and the hour.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from bench.support.report import FigureTable, Spread, progress, spread

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def in_turns(
    sides: Mapping[K, Callable[[Path], T]], rounds: int, folder: Path,
    tell: Callable[[T], str], limit_s: float = math.inf,
) -> list[dict[K, T]]:  # fmt: skip
    """Measure every side in every round, each time with a folder of its own that is not there yet.

    `tell` says what came of one; no round begins that would probably end after `limit_s`.
    """
    begin, longest, results = time.monotonic(), 0.0, list[dict[K, T]]()
    for number in range(rounds):
        at = time.monotonic()
        if results and at - begin + longest > limit_s:
            progress(f"{number} rounds of {rounds}: another would end too late (--minutes)")
            break
        order = list(sides) if number % 2 == 0 else list(sides)[::-1]
        results.append({})
        for place, side in enumerate(order):
            results[-1][side] = sides[side](folder / f"{number}-{place}")
            progress(f"round {number + 1} of {rounds}: {side}: {tell(results[-1][side])}")
        longest = max(longest, time.monotonic() - at)
    return results


def by_side(
    title: str, measures: Mapping[str, Callable[[T], float | None]], rounds: Sequence[dict[K, T]],
    columns: Mapping[str, K],
) -> FigureTable:  # fmt: skip
    """A row for each measure that could be taken, a column for each side."""
    return _table(title, columns, {
        name: [spread(of(each[side]) for each in rounds) for side in columns.values()]
        for name, of in measures.items()
    })  # fmt: skip


def ratios(
    title: str, measures: Mapping[str, Callable[[T], float | None]], rounds: Sequence[dict[K, T]],
    columns: Mapping[str, tuple[K, K]],
) -> FigureTable:  # fmt: skip
    """The same of one side to another, inside each round."""
    return _table(title, columns, {
        name: [spread(ratio(of(r[a]), of(r[b])) for r in rounds) for a, b in columns.values()]
        for name, of in measures.items()
    })  # fmt: skip


def _table(title: str, columns: Iterable[str], rows: dict[str, list[Spread | None]]) -> FigureTable:
    return FigureTable(title, [*columns], {n: [*cells] for n, cells in rows.items() if any(cells)})


def ratio(one: float | None, other: float | None) -> float | None:
    """One figure to another; None where there is nothing to compare."""
    return one / other if one and other else None
