"""An analysis in words and figures, and the sums of several: what commands and terminal share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from protocol.analysis import (
    AnalysedCube,
    AnalysedOption,
    AnalysedPlay,
    AnalysedResigning,
    AnalysedRoll,
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
LOST_IN: Final[dict[Unit, str]] = {
    "points": "in points a game; best play would have won so much more on average",
    "chance": "in chances to win the match",
    "score": "in stones; wins +4 is a win with the fourth last stone, loses -4 the other's",
    "value": "in value, from -1, a sure loss, to 1, a sure win",
}
MAX_WORST: Final = 10  # plays that are listed as the worst
MIN_LOSS: Final = 0.001  # that is worth a line
DECIMALS: Final[dict[Unit, int]] = {"points": 3, "score": 0, "value": 3, "chance": 2}


def figure(value: float, unit: Unit, *, signed: bool = False) -> str:
    """Return a value, a loss or luck as people read it: 0.112, +0.112, or 1.12 % of a match."""
    sign = "+" if signed else ""
    if unit == "chance":
        return f"{100 * value:{sign}.{DECIMALS[unit]}f} %"
    return f"{value:{sign}.{DECIMALS[unit]}f}"


def luck_text(analysis: MatchAnalysis, luck: float) -> str:
    return figure(luck, "chance" if analysis.unit == "chance" else "points", signed=True)


def value_text(analysis: MatchAnalysis, option: AnalysedOption) -> str:
    """Return what an action is worth, such as +0.122 points, "wins +4", or at a score 54.20 %
    (+0.122).
    """
    if option.value is None:
        return option.note
    if analysis.unit == "score":
        return f"{option.note} {option.value:+.0f}".strip() if option.value else option.note
    text = figure(option.value, analysis.unit, signed=analysis.unit != "chance")
    return text if option.equity is None else f"{text} ({option.equity:+.3f})"


def loss_text(analysis: MatchAnalysis, play: AnalysedPlay) -> str:
    """Return what a play lost, with the error of that."""
    if play.loss is None:
        return "not proven"
    error = f" ±{play.error:.3f}" if play.error else ""
    return figure(play.loss, analysis.unit) + error


def mark_of(play: AnalysedPlay) -> str:
    return "??" if play.blunder else "?" if play.doubtful else ""


def marks_text(analysis: MatchAnalysis) -> str:
    """Return what the marks stand for."""
    if analysis.blunder is None:
        return "??: lost the win, or the draw; ?: something less"
    end = ", with the cube as 1" if knows_cube(analysis) else ""
    return f"??: lost more than {analysis.blunder:g}; ?: more than half of that{end}"


def roll_before(analysis: MatchAnalysis, play: AnalysedPlay) -> AnalysedRoll | None:
    """Return the roll that a play was made with; a resignation was made with none."""
    if play in analysis.resignations:
        return None
    return next((roll for roll in analysis.rolls if roll.ply == play.ply - 1), None)


def knows_cube(analysis: MatchAnalysis) -> bool:
    """Return whether there was a doubling cube."""
    return any(total.cube is not None for total in analysis.totals)


def rates(analysis: MatchAnalysis) -> bool:
    """Return whether the sides get a performance rating."""
    return any(total.normalised is not None for total in analysis.totals)


def in_order(analysis: MatchAnalysis) -> list[AnalysedPlay]:
    """Return all plays by ply, with those who resigned behind what was played until then."""
    return sorted([*analysis.plays, *analysis.resignations], key=lambda play: play.ply)


def costly(analysis: MatchAnalysis) -> list[AnalysedPlay]:
    """Return the plays that lost something, but for those whose loss may be chance alone."""
    return [
        play
        for play in in_order(analysis)
        if play.blunder or (play.loss or 0.0) > max(MIN_LOSS, play.error or 0.0)
    ]


def worst(analysis: MatchAnalysis) -> list[AnalysedPlay]:
    """Return the plays that cost most, worst first."""
    plays = sorted(costly(analysis), key=lambda p: (-(p.loss or 0.0), not p.blunder, p.ply))
    return plays[:MAX_WORST]


def total_rows(analysis: MatchAnalysis) -> list[tuple[str, str, str]]:
    """Return the counts that say something of this analysis: the name, and that of each side."""
    totals, cube, unit = analysis.totals, knows_cube(analysis), analysis.unit
    rows: list[tuple[bool, str, Callable[[AnalysedTotal], str]]] = [
        (True, "decisions", lambda t: str(decisions(t))),
        (any(t.forced for t in totals), "forced", lambda t: str(t.forced)),
        (any(t.unknown for t in totals), "not proven", lambda t: str(t.unknown)),
        (True, "lost", lambda t: figure(t.loss, unit)),
        (cube, "by plays", lambda t: figure(by_plays(t).loss, unit)),
        (cube, "by the cube", lambda t: figure(t.cube.loss if t.cube else 0.0, unit)),
        (
            any(t.resigning for t in totals),
            "by resigning",
            lambda t: figure(t.resigning.loss if t.resigning else 0.0, unit),
        ),
        (not cube, "a decision", _loss_a_decision),
        (True, "doubtful ?", lambda t: str(t.doubtful)),
        (True, "blunders ??", lambda t: str(t.blunders)),
        (cube, "about the cube", lambda t: str(t.cube.blunders if t.cube else 0)),
        (totals[0].luck is not None, "luck", lambda t: luck_text(analysis, t.luck or 0.0)),
        (rates(analysis), "performance rating", rating_text),
        (cube, "of plays", lambda t: rating_text(by_plays(t))),
        (cube, "of the cube", lambda t: rating_text(t.cube) if t.cube else "-"),
    ]
    return [(name, cell(totals[0]), cell(totals[1])) for present, name, cell in rows if present]


def _loss_a_decision(total: AnalysedTotal) -> str:
    """Return the mean loss of the decisions whose loss is known."""
    proven = total.plays - total.unknown
    return f"{by_plays(total).loss / proven:.3f}" if proven else "-"


def decisions(total: AnalysedTotal) -> int:
    """Return how many decisions a side had: those that count, where some do not."""
    return total.plays if total.normalised is None else total.rated


def rating_text(total: AnalysedTotal | AnalysedCube) -> str:
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
    counts = ("plays", "forced", "unknown", "loss", "doubtful", "blunders", "rated")
    return AnalysedTotal(
        **_sums(totals, counts),
        luck=_sum_of_all(total.luck for total in totals),
        normalised=_sum_of_all(total.normalised for total in totals),
        cube=AnalysedCube(**_sums(cubes, AnalysedCube.__struct_fields__)) if cubes else None,
        resigning=AnalysedResigning(**_sums(resigning, AnalysedResigning.__struct_fields__))
        if resigning
        else None,
    )


def _sums(parts: Sequence[object], names: Iterable[str]) -> dict[str, Any]:
    return {name: sum(getattr(part, name) for part in parts) for name in names}


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
