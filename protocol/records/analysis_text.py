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

from collections.abc import Sequence

from games.game import Game
from protocol.analysis import AnalysedPlay, MatchAnalysis
from protocol.records.analyses import (
    LOST_IN,
    MISTAKES,
    RATING,
    added_up,
    figure,
    in_order,
    loss_text,
    luck_text,
    mark_of,
    marks_text,
    rates,
    rating_text,
    standing,
    total_rows,
    value_text,
    worst,
)
from protocol.records.plain_text import pad, width

INDENTED = ("by plays", "by the cube", "by resigning", "about the cube", "of plays", "of the cube")
GAP = "  "


def format_analysis(analysis: MatchAnalysis, game: Game, *, all_plays: bool = False) -> str:
    """An analysis as text.  `all_plays`: every play by ply, not only the worst."""
    lines = [f"analysed by {analysis.by}", ""]
    if analysis.series is not None:
        lines.insert(0, standing(analysis.series))
    if analysis.left:
        lines = [format_left(analysis), *lines]
    lines += _totals(analysis, game)
    plays = listed(analysis, all_plays=all_plays)
    if plays:
        title = "every play" if all_plays else "the worst plays"
        lines += ["", f"{title}:", "", *_table(analysis, game, plays), "", *legend(analysis)]
    elif analysis.plays or analysis.resignations:
        lines += ["", "no play was measurably worse than the best"]
    return "\n".join(lines) + "\n"


def listed(analysis: MatchAnalysis, *, all_plays: bool = False) -> list[AnalysedPlay]:
    """Return the plays that have a line: every play by ply, or the worst first."""
    return in_order(analysis) if all_plays else worst(analysis)


def legend(analysis: MatchAnalysis) -> list[str]:
    """What the columns mean."""
    lines = ["ply: counted from 1, rolls included", _lost_in(analysis), marks_text(analysis)]
    return [*lines, RATING] if rates(analysis) else lines


def _lost_in(analysis: MatchAnalysis) -> str:
    return f"loss: {LOST_IN[analysis.unit]}"


def format_series(analyses: Sequence[MatchAnalysis], game: Game) -> str:
    """The games of a series, one line each, and the sums of both sides."""
    head = ["game", *(f"{seat} {what}" for seat in game.seats for what in ("lost", "rating"))]
    rows = [
        [
            standing(analysis.series) if analysis.series is not None else f"game {number}",
            *(
                cell
                for total in analysis.totals
                for cell in (figure(total.loss, analysis.unit), rating_text(total))
            ),
        ]
        for number, analysis in enumerate(analyses, 1)
    ]
    sums = added_up(analyses)
    lines = [f"analysed by {sums.by}", "", *_aligned([head, *rows], "<>>>>"), ""]
    lines += ["all games:", "", *_totals(sums, game), "", _lost_in(sums)]
    if rates(sums):
        lines.append(RATING)
    return "\n".join(lines) + "\n"


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
    counts = [
        [f"  {name}" if name in INDENTED else name, *cells] for name, *cells in total_rows(analysis)
    ]
    return _aligned([["", *game.seats], *counts], "<>>")


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
                value_text(analysis, own),
                best.action if best is not own else "",
                value_text(analysis, best) if best is not own else "",
                loss_text(analysis, play),
                mark_of(play),
                MISTAKES[play.mistake] if play.mistake is not None else "",
                f"cube {play.shows}" if play.shows > 1 else "",
                luck_text(analysis, roll.luck) if roll is not None else "",
            ]
        )
    for column in (10, 9, 8):  # luck, the cube and mistakes about it, where there are any
        if not any(row[column] for row in rows[1:]):
            rows = [[*row[:column], *row[column + 1 :]] for row in rows]
    return _aligned(rows, "><<><>><" + "<" * (len(rows[0]) - 9) + ">")


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Rows in columns, each to the left or right as `sides` says with < and >."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        GAP.join(pad(cell, w, side) for cell, side, w in zip(row, sides, widths, strict=False))
        .rstrip()
        for row in rows
    ]  # fmt: skip
