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

and a legend; of several games the worst plays of all of them, each with its game.  With the
doubling cube the sums of plays and of the cube stand apart, and beside a decision what was wrong
with it; in backgammon a performance rating stands below.  Plies are counted from 1, as in
`plyhouse replay`.  Values are those of the side that played.
"""

from __future__ import annotations

from collections.abc import Sequence

from protocol.analysis import AnalysedPlay, MatchAnalysis
from protocol.records.analyses import (
    LOST_IN,
    MAX_WORST,
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
    roll_before,
    standing,
    total_rows,
    value_text,
    worst,
)
from protocol.records.plain_text import pad, width

INDENTED = ("by plays", "by the cube", "by resigning", "about the cube", "of plays", "of the cube")
GAP = "  "


def format_analysis(
    analysis: MatchAnalysis, seats: tuple[str, str], *, all_plays: bool = False
) -> str:
    """An analysis as text; `seats` are what the game calls them, such as X and O.

    `all_plays`: every play by ply, not only the worst.
    """
    lines = [format_left(analysis)] if analysis.left else []
    if analysis.series is not None:
        lines.append(standing(analysis.series))
    lines += [f"analysed by {analysis.by}", "", *_totals(analysis, seats)]
    if analysis.partial:
        lines += ["", "it did not fit into one message: some of its plays are missing"]
    plays = [("", analysis, play) for play in listed(analysis, all_plays=all_plays)]
    if plays:
        lines += _table("every play" if all_plays else "the worst plays", plays, seats)
    elif analysis.plays or analysis.resignations:
        lines += ["", "no play was measurably worse than the best"]
    return "\n".join(lines) + "\n"


def listed(analysis: MatchAnalysis, *, all_plays: bool = False) -> list[AnalysedPlay]:
    """Return the plays that have a line: every play by ply, or the worst first."""
    return in_order(analysis) if all_plays else worst(analysis)


def format_series(analyses: Sequence[MatchAnalysis], seats: tuple[str, str]) -> str:
    """The games of a series, one line each, the sums of both sides, and the worst plays of all."""
    head = ["game", *(f"{seat} {what}" for seat in seats for what in ("lost", "rating"))]
    names = [
        standing(each.series) if each.series is not None else f"game {number}"
        for number, each in enumerate(analyses, 1)
    ]
    rows = [
        [
            name,
            *(
                cell
                for total in analysis.totals
                for cell in (figure(total.loss, analysis.unit), rating_text(total))
            ),
        ]
        for name, analysis in zip(names, analyses, strict=True)
    ]
    sums = added_up(analyses)
    lines = [f"analysed by {sums.by}", "", *_aligned([head, *rows], "<>>>>"), ""]
    lines += ["all games:", "", *_totals(sums, seats)]
    plays = [
        (f"{each.series.game if each.series is not None else number}: ", each, play)
        for number, each in enumerate(analyses, 1)
        for play in worst(each)
    ]
    plays.sort(key=lambda item: -(item[2].loss or 0.0))
    lines += _table("the worst plays", plays[:MAX_WORST], seats) if plays else []
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


def _totals(analysis: MatchAnalysis, seats: tuple[str, str]) -> list[str]:
    """A row for each count, a column for each side."""
    counts = [
        [f"  {name}" if name in INDENTED else name, *cells] for name, *cells in total_rows(analysis)
    ]
    return _aligned([["", *seats], *counts], "<>>")


def _table(
    title: str, plays: Sequence[tuple[str, MatchAnalysis, AnalysedPlay]], seats: tuple[str, str]
) -> list[str]:
    """A row a play, with the game that it is of ("2: ", or nothing), and what the columns mean."""
    rows = [["ply", "side", "played", "", "best", "", "loss", "", "", "", "luck"]]
    for game, analysis, play in plays:
        own = next((option for option in play.best if option.action == play.action), None)
        best = play.best[0] if play.best else None
        luck = roll_before(analysis, play)
        rows.append(
            [
                f"{game}{play.ply + 1}",
                seats[play.seat],
                f"{luck.roll}: {play.action}" if luck is not None else play.action,
                value_text(analysis, own) if own is not None else "",
                best.action if best is not None and best is not own else "",
                value_text(analysis, best) if best is not None and best is not own else "",
                loss_text(analysis, play),
                mark_of(play),
                MISTAKES[play.mistake] if play.mistake is not None else "",
                f"cube {play.shows}" if play.shows > 1 else "",
                luck_text(analysis, luck.luck) if luck is not None else "",
            ]
        )
    for column in (10, 9, 8):  # luck, the cube and mistakes about it, where there are any
        if not any(row[column] for row in rows[1:]):
            rows = [[*row[:column], *row[column + 1 :]] for row in rows]
    analysis = plays[0][1]
    legend = [
        "ply: counted from 1, rolls included",
        f"loss: {LOST_IN[analysis.unit]}",
        marks_text(analysis),
        *([RATING] if rates(analysis) else []),
    ]
    sides = "><<><>><" + "<" * (len(rows[0]) - 9) + ">"
    return ["", f"{title}:", "", *_aligned(rows, sides), "", *legend]


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Rows in columns, each to the left or right as `sides` says with < and >."""
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [
        GAP.join(pad(cell, w, side) for cell, side, w in zip(row, sides, widths, strict=False))
        .rstrip()
        for row in rows
    ]  # fmt: skip
