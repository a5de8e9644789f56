"""An analysis in words and figures, and the sums of several: what commands and terminal share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from protocol.analysis import (
    AnalysedCube,
    AnalysedResigning,
    AnalysedTotal,
    CubeMistake,
    MatchAnalysis,
    Unit,
    performance_rating,
)
from protocol.parts import Series

MISTAKES: Final[dict[CubeMistake, str]] = {
    "missed_double": "missed double",
    "early_double": "doubled too early",
    "too_good": "too good to double",
    "wrong_take": "wrong take",
    "wrong_drop": "wrong drop",
    "wrong_beaver": "wrong beaver",
    "missed_beaver": "missed beaver",
}
RATING: Final = "rating: 500 times what a decision that counts lost on average, the cube as 1"
DECIMALS: Final[dict[Unit, int]] = {"points": 3, "score": 0, "value": 3, "chance": 2}


def figure(value: float, unit: Unit, *, signed: bool = False) -> str:
    """Return a value, a loss or luck as people read it: 0.112, +0.112, or 1.12 % of a match."""
    sign = "+" if signed else ""
    if unit == "chance":
        return f"{100 * value:{sign}.{DECIMALS[unit]}f} %"
    return f"{value:{sign}.{DECIMALS[unit]}f}"


def decisions(total: AnalysedTotal) -> int:
    """Return how many decisions a side had: those that count, where some do not."""
    return total.plays if total.normalised is None else total.rated


def rating_text(total: AnalysedTotal | AnalysedCube) -> str:
    """Return a performance rating as people read it."""
    rating = performance_rating(total)
    return "-" if rating is None else f"{rating:.2f}"


def standing(series: Series) -> str:
    """Return where a series stood before a game, such as "game 3 at 2 – 1 to 5, Crawford"."""
    one, two = series.score
    text = f"game {series.game} at {one} – {two} to {series.points}"
    return f"{text}, Crawford" if series.crawford else text


def by_plays(total: AnalysedTotal) -> AnalysedTotal:
    """Return the sums of a side without its decisions about the cube, and about resignations."""
    cube, resigning = total.cube or AnalysedCube(), total.resigning or AnalysedResigning()
    return AnalysedTotal(
        plays=total.plays - cube.plays,
        loss=max(0.0, total.loss - cube.loss - resigning.loss),
        doubtful=total.doubtful - cube.doubtful - resigning.doubtful,
        blunders=total.blunders - cube.blunders - resigning.blunders,
        rated=total.rated - cube.plays,
        normalised=None
        if total.normalised is None
        else max(0.0, total.normalised - cube.normalised),
    )


def added(totals: Sequence[AnalysedTotal]) -> AnalysedTotal:
    """Return the sums of one side over several matches; luck and rating only where all have it."""
    cubes = [total.cube for total in totals if total.cube is not None]
    resigning = [total.resigning for total in totals if total.resigning is not None]
    return AnalysedTotal(
        plays=sum(total.plays for total in totals),
        forced=sum(total.forced for total in totals),
        unknown=sum(total.unknown for total in totals),
        loss=sum(total.loss for total in totals),
        doubtful=sum(total.doubtful for total in totals),
        blunders=sum(total.blunders for total in totals),
        luck=_sum_of_all(total.luck for total in totals),
        rated=sum(total.rated for total in totals),
        normalised=_sum_of_all(total.normalised for total in totals),
        cube=AnalysedCube(
            plays=sum(cube.plays for cube in cubes),
            loss=sum(cube.loss for cube in cubes),
            normalised=sum(cube.normalised for cube in cubes),
            doubtful=sum(cube.doubtful for cube in cubes),
            blunders=sum(cube.blunders for cube in cubes),
        )
        if cubes
        else None,
        resigning=AnalysedResigning(
            decisions=sum(each.decisions for each in resigning),
            loss=sum(each.loss for each in resigning),
            doubtful=sum(each.doubtful for each in resigning),
            blunders=sum(each.blunders for each in resigning),
        )
        if resigning
        else None,
    )


def _sum_of_all(values: Iterable[float | None]) -> float | None:
    sums = list(values)
    known = [value for value in sums if value is not None]
    return sum(known) if len(known) == len(sums) else None


def added_up(analyses: Sequence[MatchAnalysis]) -> MatchAnalysis:
    """Return the sums of both sides over the games of a series, one or more; plays are left out."""
    first = analyses[0]
    one, two = ([analysis.totals[seat] for analysis in analyses] for seat in (0, 1))
    return MatchAnalysis(
        game=first.game,
        by=first.by,
        unit=first.unit,
        blunder=first.blunder,
        totals=(added(one), added(two)),
        partial=any(analysis.partial for analysis in analyses),
    )
