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

and a legend.  Plies are counted from 1, as in `plyhouse replay`.  Values are those of the side that
played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from games.game import Game
from protocol.analysis import AnalysedOption, AnalysedPlay, AnalysedTotal, MatchAnalysis

WORST_PLAYS = 10  # the number listed, if not all are
LOSSES = {
    "points": "loss: in points a game; best play would have won so much more on average",
    "score": "loss: in stones; wins +4 is a win with the fourth last stone, loses -4 the other's",
    "value": "loss: in value, from -1, a sure loss, to 1, a sure win",
}
GAP = "  "


def format_analysis(analysis: MatchAnalysis, game: Game, *, all_plays: bool = False) -> str:
    """An analysis as text.  `all_plays`: every play by ply, not only the worst."""
    lines = [f"analysed by {analysis.by}", ""]
    if analysis.left:
        lines = [format_left(analysis), *lines]
    lines += _totals(analysis, game)
    plays = sorted(analysis.plays, key=lambda play: play.ply) if all_plays else _worst(analysis)
    if plays:
        title = "every play" if all_plays else "the worst plays"
        lines += ["", f"{title}:", "", *_table(analysis, game, plays), "", *legend(analysis)]
    elif analysis.plays:
        lines += ["", "no play was measurably worse than the best"]
    return "\n".join(lines) + "\n"


def legend(analysis: MatchAnalysis) -> list[str]:
    """What the columns mean."""
    if analysis.blunder is None:
        marks = "??: lost the win, or the draw; ?: something less"
    else:
        marks = f"??: lost more than {analysis.blunder:g}; ?: more than half of that"
    return ["ply: counted from 1, rolls included", LOSSES[analysis.unit], marks]


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
    rows: list[tuple[bool, str, Callable[[AnalysedTotal], str]]] = [
        (True, "decisions", lambda t: str(t.plays)),
        (any(t.forced for t in totals), "forced", lambda t: str(t.forced)),
        (any(t.unknown for t in totals), "not proven", lambda t: str(t.unknown)),
        (True, "lost", lambda t: _amount(analysis, t.loss)),
        (True, "a decision", _rate),
        (True, "doubtful ?", lambda t: str(t.doubtful)),
        (True, "blunders ??", lambda t: str(t.blunders)),
        (totals[0].luck is not None, "luck", lambda t: f"{t.luck or 0.0:+.3f}"),
    ]
    return [(name, cell) for present, name, cell in rows if present]


def _rate(total: AnalysedTotal) -> str:
    """The mean loss of the decisions whose loss is known."""
    proven = total.plays - total.unknown
    return f"{total.loss / proven:.3f}" if proven else "-"


def _worst(analysis: MatchAnalysis) -> list[AnalysedPlay]:
    """The plays that cost most, worst first, without those whose loss may be chance alone."""
    sure = [p for p in analysis.plays if p.blunder or (p.loss or 0.0) > max(0.001, p.error or 0.0)]
    return sorted(sure, key=lambda p: (-(p.loss or 0.0), not p.blunder, p.ply))[:WORST_PLAYS]


def _table(analysis: MatchAnalysis, game: Game, plays: Sequence[AnalysedPlay]) -> list[str]:
    """A row a play."""
    before = {roll.ply + 1: roll for roll in analysis.rolls}
    rows = [["ply", "side", "played", "", "best", "", "loss", "", "luck"]]
    for play in plays:
        roll = before.get(play.ply)
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
                f"{roll.luck:+.3f}" if roll is not None else "",
            ]
        )
    if not any(row[-1] for row in rows[1:]):
        rows = [row[:-1] for row in rows]
    return _aligned(rows, "><<><>><>")


def _value(analysis: MatchAnalysis, option: AnalysedOption) -> str:
    """What an action is worth, such as +0.122 points, or "wins +4"."""
    if option.value is None:
        return option.note
    if analysis.unit == "score":
        return f"{option.note} {option.value:+.0f}" if option.value else option.note
    return f"{option.value:+.3f}"


def _loss(analysis: MatchAnalysis, play: AnalysedPlay) -> str:
    """A loss with its error."""
    if play.loss is None:
        return "not proven"
    error = f" ±{play.error:.3f}" if play.error else ""
    return _amount(analysis, play.loss) + error


def _amount(analysis: MatchAnalysis, loss: float) -> str:
    return f"{loss:.0f}" if analysis.unit == "score" else f"{loss:.3f}"


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Rows in columns, each to the left or right as `sides` says with < and >."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        GAP.join(f"{cell:{side}{w}}" for cell, side, w in zip(row, sides, widths, strict=False))
        .rstrip()
        for row in rows
    ]  # fmt: skip
