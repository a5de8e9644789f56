"""Backgammon as match text (`.mat`), which GNU Backgammon and eXtreme Gammon import.

     7 point match

     Game 1
     ann : 0                                bob : 0
      1)                                    31: 8/5 6/5
      2) 52: 13/8 24/22                     Doubles => 2
      3)  Takes                             44: 24/20* 24/20 13/9 13/9
      4) 61: Cannot Move
                                            Wins 2 points

A match of 0 points is a game of money; of a match to points all games stand in one file, up to the
one that is asked for.  Seat 0 stands on the left, and leaves a gap where the other one starts.
Points are the mover's own, the bar is 25, off the board is 0; every step of a checker is written by
itself, as the programs that read this do not all know `6/4(2)` or `24/18/13`.  The lines that begin
with a semicolon are eXtreme Gammon's; GNU Backgammon does not read them, and plays money by the
Jacoby rule unless it is told `set jacoby off` before.

Sources: what GNU Backgammon 1.07 writes and reads; "Extra elements in a MAT file", bkgm.com.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from protocol.records import checkers
from protocol.records.replay import Replay, Turn
from protocol.records.results import full_title

WIDE = 34  # columns of the left player; the longest turn is a little shorter
VARIATIONS: Final = {"nackgammon": "Nackgammon", "hypergammon": "HyperGammon"}


def write(games: Sequence[Replay]) -> str:
    """Return the match text of the games of a match, in order; the last one need not be over."""
    last = games[-1]
    names = [_word(full_title(player)) for player in last.players]
    lines = [*_head(games, names), "", f" {last.options.points or 0} point match"]
    for game in games:
        lines += _game(game, names)
    return "\n".join(lines) + "\n"


def unsaid(games: Sequence[Replay]) -> str | None:
    """Return what match text cannot say of these games, in a sentence; None: it says it all.

    A reader counts the Crawford game by the games that it has read.
    """
    series = games[0].series
    if series is None or series.crawford or max(series.score) != series.points - 1:
        return None
    if min(series.score) == series.points - 1:  # neither doubles anyhow
        return None
    return (
        "match text cannot say that the Crawford game is over: alone, this game is read as it;"
        " --format sgf says so"
    )


def _word(text: str) -> str:
    """Return a name in one word, as a colon or a double space would end it."""
    return "".join("_" if c in ':;"' or c.isspace() else c for c in text)


def _head(games: Sequence[Replay], names: list[str]) -> list[str]:
    first, last = games[0], games[-1]
    options = last.options
    has_cube = checkers.has_cube(last.steps[0].position)
    facts = {
        "Site": "Plyhouse",
        "Match ID": _word(last.match),
        "Player 1": names[0],
        "Player 2": names[1],
        "EventDate": f"{first.day():%Y.%m.%d}",
        "EventTime": f"{first.day():%H.%M}",
        "Variation": VARIATIONS.get(options.start, "Backgammon"),
        "Crawford": _switch(options.points is not None),
        "Jacoby": _switch(options.jacoby),
        "Beaver": _switch(options.beavers),
        "CubeLimit": "1024" if has_cube else "1",
    }
    return [f'; [{name} "{value}"]' for name, value in facts.items()]


def _switch(is_on: bool) -> str:
    return "On" if is_on else "Off"


def _game(game: Replay, names: list[str]) -> list[str]:
    """Return one game: its number, the score before it, its turns, and how it ended."""
    number = game.series.game if game.series is not None else 1
    score = game.series.score if game.series is not None else (0, 0)
    lines = ["", f" Game {number}"]
    lines.append(f" {f'{names[0]} : {score[0]}':{WIDE + 4}} {names[1]} : {score[1]}")
    lines += _rows(game.turns())
    if game.result is not None and game.result.winner is not None:
        lines.append(_end(game, game.result.winner, max(game.result.returns)))
    return lines


def _rows(turns: list[Turn]) -> list[str]:
    rows: list[list[str]] = []
    for turn in turns:
        if turn.answer is None:  # rolled, and then given up
            continue
        if turn.seat == 0 or not rows or rows[-1][1]:
            rows.append(["", ""])
        rows[-1][turn.seat] = _cell(turn)
    return [_row(n, left, right) for n, (left, right) in enumerate(rows, 1)]


def _row(number: int, left: str, right: str) -> str:
    row = f"{number:3}) {left:{WIDE}} {right}"
    # GNU Backgammon overlooks `Drops` in a line that ends with it.
    return row if not right and left.startswith(" ") else row.rstrip()


def _cell(turn: Turn) -> str:
    """Return a turn, or a decision about the cube, which begins with a blank."""
    about_cube = checkers.cube_decision(turn.before, turn.action())
    if about_cube is not None:
        verb, value = about_cube
        return f" {verb.capitalize()}s{f' => {value}' if value else ''}"
    moved = [
        f"{step.source}/{step.target}{'*' if step.hit else ''}"
        for step in checkers.steps(turn.before, turn.action())
    ]
    return f"{checkers.dice(turn.before)}: {' '.join(moved) or 'Cannot Move'}"


def _end(game: Replay, winner: int, points: float) -> str:
    gap = 6 if winner == 0 else WIDE + 6
    series = game.series
    whole = series is not None and series.score[winner] + points >= series.points
    match = " and the match" if whole else ""
    return f"{'':{gap}}Wins {points:g} point{'s' if points != 1 else ''}{match}"
