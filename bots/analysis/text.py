"""An analysis as text for people: what each side gave away, and where.

    looked at by gammon, 1 ply; losses in points

                        X       O
    decisions          34      31
    lost            1.234   0.456
    a decision      0.036   0.015
    doubtful ?          3       1
    blunders ??         4       2
    luck           +0.812  -0.812

    ply  side  played                    best                    loss
     12  X     31: 24/21 6/5   +0.010    8/5 6/5   +0.122       0.112  ??

A ply is the number of the position where it was played, as `plyhouse replay` counts them.  Values
are those of the side that played.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bots.analysis.form import Analysis, Option, Play, Total
from games.game import Game

WORST = 10  # plays that are listed, if not all are
GAP = "  "


def write(found: Analysis, game: Game, *, every: bool = False) -> str:
    """An analysis as text.  `every`: all plays by ply, not the worst only."""
    units = {"points": "points", "score": "stones", "value": "value, from -1 to 1"}
    lines = [f"looked at by {found.by}; losses in {units[found.unit]}", ""]
    if found.left:
        lines = [not_seen(found), *lines]
    lines += _totals(found, game)
    plays = sorted(found.plays, key=lambda play: play.ply) if every else _worst(found)
    if plays:
        title = "every play" if every else "the worst plays"
        lines += ["", f"{title}:", "", *_table(found, game, plays)]
    elif found.plays:
        lines += ["", "no play lost anything that could be told from the best"]
    return "\n".join(lines) + "\n"


def not_seen(found: Analysis) -> str:
    """What was not looked at: the last plies of a match, or where it is solved the first ones."""
    left = found.left
    if not left:
        return "stopped when all had been looked at"
    of = len(left) + len(found.plays) + len(found.rolls)
    where = f"from ply {left[0]} to {left[-1]}" if len(left) > 1 else f"at ply {left[0]}"
    return f"stopped: {len(left)} of {of} plays and rolls were not looked at, {where}"


def _totals(found: Analysis, game: Game) -> list[str]:
    """A row for each count, a column for each side."""
    counts = [[name, *map(shown, found.totals)] for name, shown in _counts(found)]
    return _aligned([["", *game.seats], *counts], "<>>")


def _counts(found: Analysis) -> list[tuple[str, Callable[[Total], str]]]:
    """The rows that say something here: their names, and how a side's value is written."""
    totals = found.totals
    some: list[tuple[bool, str, Callable[[Total], str]]] = [
        (True, "decisions", lambda t: str(t.plays)),
        (any(t.forced for t in totals), "forced", lambda t: str(t.forced)),
        (any(t.unknown for t in totals), "not proven", lambda t: str(t.unknown)),
        (True, "lost", lambda t: _amount(found, t.loss)),
        (True, "a decision", _rate),
        (True, "doubtful ?", lambda t: str(t.doubtful)),
        (True, "blunders ??", lambda t: str(t.blunders)),
        (totals[0].luck is not None, "luck", lambda t: f"{t.luck or 0.0:+.3f}"),
    ]
    return [(name, shown) for says, name, shown in some if says]


def _rate(total: Total) -> str:
    """What is lost a decision whose loss is known."""
    known = total.plays - total.unknown
    return f"{total.loss / known:.3f}" if known else "-"


def _worst(found: Analysis) -> list[Play]:
    """The plays that cost most, worst first, without those whose loss may be chance alone."""
    told = [p for p in found.plays if p.blunder or (p.loss or 0.0) > max(0.001, p.error or 0.0)]
    return sorted(told, key=lambda p: (-(p.loss or 0.0), not p.blunder, p.ply))[:WORST]


def _table(found: Analysis, game: Game, plays: Sequence[Play]) -> list[str]:
    """A line a play."""
    before = {roll.ply + 1: roll for roll in found.rolls}
    rows = [["ply", "side", "played", "", "best", "", "loss", "", "luck"]]
    for play in plays:
        roll = before.get(play.ply)
        own = next(option for option in play.best if option.action == play.action)
        best = play.best[0]
        rows.append(
            [
                str(play.ply),
                game.seats[play.seat],
                f"{roll.roll}: {play.action}" if roll is not None else play.action,
                _value(found, own),
                best.action if best is not own else "",
                _value(found, best) if best is not own else "",
                _loss(found, play),
                "??" if play.blunder else "?" if play.doubtful else "",
                f"{roll.luck:+.3f}" if roll is not None else "",
            ]
        )
    if not any(row[-1] for row in rows[1:]):
        rows = [row[:-1] for row in rows]
    return _aligned(rows, "><<><>><>")


def _value(found: Analysis, option: Option) -> str:
    """What an action is worth, such as +0.122 points, or "wins +4"."""
    if option.value is None:
        return option.note
    if found.unit == "score":
        return f"{option.note} {option.value:+.0f}" if option.value else option.note
    return f"{option.value:+.3f}"


def _loss(found: Analysis, play: Play) -> str:
    """A loss with its error."""
    if play.loss is None:
        return "not proven"
    error = f" ±{play.error:.3f}" if play.error else ""
    return _amount(found, play.loss) + error


def _amount(found: Analysis, loss: float) -> str:
    return f"{loss:.0f}" if found.unit == "score" else f"{loss:.3f}"


def _aligned(rows: Sequence[Sequence[str]], sides: str) -> list[str]:
    """Rows in columns, each to the left or right as `sides` says with < and >."""
    wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        GAP.join(f"{cell:{side}{w}}" for cell, side, w in zip(row, sides, wide, strict=False))
        .rstrip()
        for row in rows
    ]  # fmt: skip
