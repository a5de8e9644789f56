"""An analysis as text for people: what each side gave away, and where.

    analysed by gammon, 1 ply

                        X       O
    decisions          34      31
    lost            1.234   0.456
    a decision      0.036   0.015
    doubtful ?          3       1
    blunders ??         4       2
    luck           +0.812  -0.812

    ply  side  played                    best                    loss
     13  X     31: 24/21 6/5   +0.010    8/5 6/5   +0.122       0.112  ??

and a legend.  With the doubling cube the sums of plays and of the cube stand apart, and beside a
decision what was wrong with it; in backgammon a performance rating stands below.  Plies are counted
from 1, as in `plyhouse replay`.  Values are those of the side that played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from games.game import Game
from protocol.analysis import AnalysedOption, AnalysedPlay, AnalysedTotal, MatchAnalysis
from protocol.records.analyses import (
    MISTAKES,
    RATING,
    added_up,
    by_plays,
    decisions,
    figure,
    rating_text,
    standing,
)
from protocol.records.plain_text import pad, width

WORST_PLAYS = 10  # the number listed, if not all are
LOSSES = {
    "points": "loss: in points a game; best play would have won so much more on average",
    "chance": "loss: in chances to win the match",
    "score": "loss: in stones; wins +4 is a win with the fourth last stone, loses -4 the other's",
    "value": "loss: in value, from -1, a sure loss, to 1, a sure win",
}
GAP = "  "


def format_analysis(analysis: MatchAnalysis, game: Game, *, all_plays: bool = False) -> str:
    """An analysis as text.  `all_plays`: every play by ply, not only the worst."""
    lines = [f"analysed by {analysis.by}", ""]
    if analysis.series is not None:
        lines.insert(0, standing(analysis.series))
    if analysis.left:
        lines = [format_left(analysis), *lines]
    lines += _totals(analysis, game)
    plays = _decisions(analysis) if all_plays else _worst(analysis)
    if plays:
        title = "every play" if all_plays else "the worst plays"
        lines += ["", f"{title}:", "", *_table(analysis, game, plays), "", *legend(analysis)]
    elif analysis.plays or analysis.resignations:
        lines += ["", "no play was measurably worse than the best"]
    return "\n".join(lines) + "\n"


def legend(analysis: MatchAnalysis) -> list[str]:
    """What the columns mean."""
    if analysis.blunder is None:
        marks = "??: lost the win, or the draw; ?: something less"
    else:
        marks = f"??: lost more than {analysis.blunder:g}; ?: more than half of that"
        marks += ", with the cube as 1" if _knows_cube(analysis) else ""
    lines = ["ply: counted from 1, rolls included", LOSSES[analysis.unit], marks]
    return [*lines, RATING] if _rates(analysis) else lines


def format_series(analyses: Sequence[MatchAnalysis], game: Game) -> str:
    """The games of a series, one line each, and the sums of both sides."""
    head = ["game", *(f"{seat} {what}" for seat in game.seats for what in ("lost", "rating"))]
    rows = [
        [
            standing(analysis.series) if analysis.series is not None else "",
            *(
                cell
                for total in analysis.totals
                for cell in (_amount(analysis, total.loss), rating_text(total))
            ),
        ]
        for analysis in analyses
    ]
    sums = added_up(analyses)
    lines = [f"analysed by {sums.by}", "", *_aligned([head, *rows], "<>>>>"), ""]
    lines += ["all games:", "", *_totals(sums, game), "", LOSSES[sums.unit]]
    if _rates(sums):
        lines.append(RATING)
    return "\n".join(lines) + "\n"


def _knows_cube(analysis: MatchAnalysis) -> bool:
    return any(total.cube is not None for total in analysis.totals)


def _rates(analysis: MatchAnalysis) -> bool:
    return any(total.normalised is not None for total in analysis.totals)


def format_left(analysis: MatchAnalysis) -> str:
    """What was not analysed: the last plies of a match, or of a solved game the first ones."""
    left = analysis.left
    if not left:
        return "stopped after the last one"
    of = len(left) + len(analysis.plays) + len(analysis.rolls)
    first, last = left[0] + 1, left[-1] + 1
    where = f"from ply {first} to {last}" if len(left) > 1 else f"at ply {first}"
    return f"stopped: {len(left)} of {of} plays and rolls were not analysed, {where}"


def _totals(analysis: MatchAnalysis, game: Game) -> list[str]:
    """A row for each count, a column for each side."""
    counts = [[name, *map(cell, analysis.totals)] for name, cell in _counts(analysis)]
    return _aligned([["", *game.seats], *counts], "<>>")


def _counts(analysis: MatchAnalysis) -> list[tuple[str, Callable[[AnalysedTotal], str]]]:
    """The rows that this analysis has: their names, and how a side's value is written."""
    totals = analysis.totals
    cube = _knows_cube(analysis)
    rows: list[tuple[bool, str, Callable[[AnalysedTotal], str]]] = [
        (True, "decisions", lambda t: str(decisions(t))),
        (any(t.forced for t in totals), "forced", lambda t: str(t.forced)),
        (any(t.unknown for t in totals), "not proven", lambda t: str(t.unknown)),
        (True, "lost", lambda t: _amount(analysis, t.loss)),
        (cube, "  by plays", lambda t: _amount(analysis, by_plays(t).loss)),
        (cube, "  by the cube", lambda t: _amount(analysis, t.cube.loss if t.cube else 0.0)),
        (
            any(t.resigning for t in totals),
            "  by resigning",
            lambda t: _amount(analysis, t.resigning.loss if t.resigning else 0.0),
        ),
        (not cube, "a decision", _rate),
        (True, "doubtful ?", lambda t: str(t.doubtful)),
        (True, "blunders ??", lambda t: str(t.blunders)),
        (cube, "  about the cube", lambda t: str(t.cube.blunders if t.cube else 0)),
        (totals[0].luck is not None, "luck", lambda t: _luck(analysis, t.luck or 0.0)),
        (_rates(analysis), "performance rating", rating_text),
        (cube, "  of plays", lambda t: rating_text(by_plays(t))),
        (cube, "  of the cube", lambda t: rating_text(t.cube) if t.cube else "-"),
    ]
    return [(name, cell) for present, name, cell in rows if present]


def _rate(total: AnalysedTotal) -> str:
    """The mean loss of the decisions whose loss is known."""
    proven = total.plays - total.unknown
    return f"{by_plays(total).loss / proven:.3f}" if proven else "-"


def _decisions(analysis: MatchAnalysis) -> list[AnalysedPlay]:
    """All plays by ply, with those who resigned behind what was played until then."""
    return sorted([*analysis.plays, *analysis.resignations], key=lambda play: play.ply)


def _worst(analysis: MatchAnalysis) -> list[AnalysedPlay]:
    """The plays that cost most, worst first, without those whose loss may be chance alone."""
    decided = _decisions(analysis)
    sure = [p for p in decided if p.blunder or (p.loss or 0.0) > max(0.001, p.error or 0.0)]
    return sorted(sure, key=lambda p: (-(p.loss or 0.0), not p.blunder, p.ply))[:WORST_PLAYS]


def _table(analysis: MatchAnalysis, game: Game, plays: Sequence[AnalysedPlay]) -> list[str]:
    """A row a play."""
    before = {roll.ply + 1: roll for roll in analysis.rolls}
    rows = [["ply", "side", "played", "", "best", "", "loss", "", "", "", "luck"]]
    for play in plays:
        roll = before.get(play.ply) if play not in analysis.resignations else None
        own = next(option for option in play.best if option.action == play.action)
        best = play.best[0]
        rows.append(
            [
                str(play.ply + 1),
                game.seats[play.seat],
                f"{roll.roll}: {play.action}" if roll is not None else play.action,
                _value(analysis, own),
                best.action if best is not own else "",
                _value(analysis, best) if best is not own else "",
                _loss(analysis, play),
                "??" if play.blunder else "?" if play.doubtful else "",
                MISTAKES[play.mistake] if play.mistake is not None else "",
                f"cube {play.shows}" if play.shows > 1 else "",
                _luck(analysis, roll.luck) if roll is not None else "",
            ]
        )
    for column in (10, 9, 8):  # luck, the cube and mistakes about it, where there are any
        if not any(row[column] for row in rows[1:]):
            rows = [[*row[:column], *row[column + 1 :]] for row in rows]
    return _aligned(rows, "><<><>><" + "<" * (len(rows[0]) - 9) + ">")


def _value(analysis: MatchAnalysis, option: AnalysedOption) -> str:
    """What an action is worth, such as +0.122 points, or "wins +4"."""
    if option.value is None:
        return option.note
    if analysis.unit == "score":
        return f"{option.note} {option.value:+.0f}" if option.value else option.note
    return figure(option.value, analysis.unit, signed=analysis.unit != "chance")


def _loss(analysis: MatchAnalysis, play: AnalysedPlay) -> str:
    """A loss with its error."""
    if play.loss is None:
        return "not proven"
    error = f" ±{play.error:.3f}" if play.error else ""
    return _amount(analysis, play.loss) + error


def _amount(analysis: MatchAnalysis, loss: float) -> str:
    return figure(loss, analysis.unit)


def _luck(analysis: MatchAnalysis, luck: float) -> str:
    return figure(luck, "chance" if analysis.unit == "chance" else "points", signed=True)


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Rows in columns, each to the left or right as `sides` says with < and >."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        GAP.join(pad(cell, w, side) for cell, side, w in zip(row, sides, widths, strict=False))
        .rstrip()
        for row in rows
    ]  # fmt: skip
