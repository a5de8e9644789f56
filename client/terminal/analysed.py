"""What a bot says of a match that is over, as lines for the log: the sums of both sides, and the
plays that cost most.

    ply  12  X  31: 24/21 6/5  lost 0.112 ??  better 8/5 6/5 +0.122

A ply is the number of the position where it was played, as `plyhouse replay` counts them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from client.terminal.lines import Line, cut, line, pad, width
from client.terminal.wording import mark
from games.game import Game
from protocol.analysis import Analysed, AnalysedOption, AnalysedPlay, AnalysedTotal, MatchAnalysis

WORST: Final = 10  # plays that are told
LEAST: Final = 0.001  # of a loss that is worth a line
UNITS: Final = {"points": "points", "score": "stones", "value": "value, from -1 to 1"}
LOG_WIDTH: Final = 100  # columns of a line in the log


def analysis_lines(told: Analysed, game: Game | None) -> list[Line]:
    """An analysis for people; `game` is None where it is not known here."""
    found = told.analysis
    head = f"Match {told.match}, looked at by {found.by}; losses in {UNITS[found.unit]}:"
    shown = [line(("event", head)), *_totals(found, game), *_worst(found, game)]
    if found.left:
        shown.append(
            line(("dim", f"The time was over, {len(found.left)} plies are not looked at."))
        )
    if found.partial:
        shown.append(line(("dim", "It was too much for one message: not all of it is here.")))
    return [cut(each, LOG_WIDTH) for each in shown]


def _totals(found: MatchAnalysis, game: Game | None) -> list[Line]:
    """A row for each count that says something, a column for each side."""
    rows: list[tuple[str, Callable[[AnalysedTotal], str]]] = [
        ("decisions", lambda total: str(total.plays)),
        ("lost", lambda total: _amount(found, total.loss)),
        ("doubtful ?", lambda total: str(total.doubtful)),
        ("blunders ??", lambda total: str(total.blunders)),
    ]
    if any(total.unknown for total in found.totals):
        rows.insert(1, ("not proven", lambda total: str(total.unknown)))
    if found.totals[0].luck is not None:
        rows.append(("luck", lambda total: f"{total.luck or 0.0:+.3f}"))
    cells = [["", mark(game, 0), mark(game, 1)]]
    cells += [[name, *map(shown, found.totals)] for name, shown in rows]
    wide = max(width(cell) for row in cells for cell in row[1:])
    return [
        line(f"  {row[0]:11}", *(f"  {' ' * (wide - width(c))}{c}" for c in row[1:]))
        for row in cells
    ]


def _worst(found: MatchAnalysis, game: Game | None) -> list[Line]:
    """The plays that cost most, worst first, without those whose loss may be chance alone."""
    costly = [p for p in found.plays if p.blunder or (p.loss or 0) > max(LEAST, p.error or 0)]
    costly.sort(key=lambda play: (-(play.loss or 0.0), not play.blunder, play.ply))
    rolls = {roll.ply + 1: f"{roll.roll}: " for roll in found.rolls}
    names = [rolls.get(play.ply, "") + play.action for play in costly[:WORST]]
    wide = max(map(width, names), default=0)
    return [
        line(
            f"  ply {play.ply:3}  ",
            (f"seat{play.seat}", mark(game, play.seat)),
            f"  {pad(name, wide)}  {_loss(found, play)}  ",
            ("dim", _better(found, play)),
        )
        for name, play in zip(names, costly, strict=False)
    ]


def _loss(found: MatchAnalysis, play: AnalysedPlay) -> str:
    """What a play cost, and its mark."""
    sign = "??" if play.blunder else "?" if play.doubtful else ""
    if play.loss is None:
        return f"not proven {sign}".rstrip()
    error = f" ±{play.error:.3f}" if play.error else ""
    return f"lost {_amount(found, play.loss)}{error} {sign:2}"


def _better(found: MatchAnalysis, play: AnalysedPlay) -> str:
    """The best action, where it is told and is another."""
    best = play.best[0] if play.best else None
    if best is None or best.action == play.action:
        return ""
    return f"better {best.action} {_value(found, best)}".rstrip()


def _value(found: MatchAnalysis, option: AnalysedOption) -> str:
    """What an action is worth, such as +0.122, or "wins +4"."""
    if option.value is None:
        return option.note
    if found.unit == "score":
        return f"{option.note} {option.value:+.0f}".strip() if option.value else option.note
    return f"{option.value:+.3f}"


def _amount(found: MatchAnalysis, loss: float) -> str:
    return f"{loss:.0f}" if found.unit == "score" else f"{loss:.3f}"
