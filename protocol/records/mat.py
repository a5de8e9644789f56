"""Backgammon as match text (`.mat`), which GNU Backgammon and eXtreme Gammon import.

     0 point match

     Game 1
     ann : 0                                bob : 0
      1)                                    31: 8/5 6/5
      2) 52: 13/8 24/22                     44: 24/20* 24/20 13/9 13/9
      3) 61: Cannot Move
                                            Wins 1 point

A match of 0 points is a money game.  Seat 0 stands on the left, and leaves a gap where the other
one starts.  Points are the mover's own, the bar is 25, off the board is 0; every
step of a checker is written by itself, as the programs that read this do not all know `6/4(2)` or
`24/18/13`.  The lines that begin with a semicolon are eXtreme Gammon's.  There is no cube here.

Sources: what GNU Backgammon 1.07 writes and reads; "Extra elements in a MAT file", bkgm.com.
"""

from __future__ import annotations

from protocol.records import checkers
from protocol.records.replay import Replay, Turn
from protocol.records.results import full_title

WIDE = 34  # columns of the left player; the longest turn is a little shorter


def write(replay: Replay) -> str:
    """Return the match text of a match of backgammon."""
    names = [_word(full_title(player)) for player in replay.players]
    lines = [*_head(replay, names), "", " 0 point match", "", " Game 1"]
    lines.append(f" {f'{names[0]} : 0':{WIDE + 4}} {names[1]} : 0")
    lines += _rows(replay.turns())
    if replay.result is not None and replay.result.winner is not None:
        lines.append(_end(replay.result.winner, max(replay.result.returns)))
    return "\n".join(lines) + "\n"


def _word(text: str) -> str:
    """Return a name in one word, as a colon or a double space would end it."""
    return "".join("_" if c in ':;"' or c.isspace() else c for c in text)


def _head(replay: Replay, names: list[str]) -> list[str]:
    facts = {
        "Site": "Plyhouse",
        "Match ID": _word(replay.match),
        "Player 1": names[0],
        "Player 2": names[1],
        "EventDate": f"{replay.day():%Y.%m.%d}",
        "EventTime": f"{replay.day():%H.%M}",
        "Variation": "Backgammon",
        "Crawford": "Off",
        "Jacoby": "Off",
        "Beaver": "Off",
        "CubeLimit": "1",
    }
    return [f'; [{name} "{value}"]' for name, value in facts.items()]


def _rows(turns: list[Turn]) -> list[str]:
    rows: list[list[str]] = []
    for turn in turns:
        if turn.answer is None:  # rolled, and then given up
            continue
        if turn.seat == 0 or not rows or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][turn.seat] = _cell(turn)
    return [f"{n:3}) {left:{WIDE}} {right}".rstrip() for n, (left, right) in enumerate(rows, 1)]


def _cell(turn: Turn) -> str:
    moved = [
        f"{step.source}/{step.target}{'*' if step.hit else ''}"
        for step in checkers.steps(turn.before, turn.action())
    ]
    return f"{checkers.dice(turn.before)}: {' '.join(moved) or 'Cannot Move'}"


def _end(winner: int, points: float) -> str:
    gap = 6 if winner == 0 else WIDE + 6
    return f"{'':{gap}}Wins {points:g} point{'s' if points != 1 else ''}"
