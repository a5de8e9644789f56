"""The board as text, with the cube and the score beside it.

The cube lies in the middle, or on the side of its owner; in a match the score stands on the
side of each.  All of it has room in a terminal of 60 columns.
"""

from __future__ import annotations

from games.backgammon import drawing
from games.backgammon.rules import LARGER, SMALLER, TURN
from games.backgammon_cube.actions import OFFERS
from games.backgammon_cube.rules import (
    CRAWFORD,
    CUBE,
    LENGTH,
    LIMIT,
    OFFER,
    OWNER,
    RULES,
    SCORE,
    answers,
    reason,
)
from games.game import END, Position

FAR_CUBE, MIDDLE_CUBE, NEAR_CUBE = 3, 8, 9  # rows of the picture


def draw(p: Position, seat: int = 0, over: bool = False) -> str:
    """Return the board as `seat` sees it; `over`: nothing is to be decided any more."""
    turn = {} if over and p.to_move != END else _turn(p)
    return drawing.picture(p, seat, {**turn, **_cube(p, seat), **_score(p, seat)})


def _cube(p: Position, seat: int) -> dict[int, str]:
    s = p.state
    if s[LIMIT] == 0:
        return {}
    if s[LENGTH] and s[RULES] == CRAWFORD:
        return {MIDDLE_CUBE: "Crawford game"}
    row = MIDDLE_CUBE if s[OWNER] < 0 else NEAR_CUBE if s[OWNER] == seat else FAR_CUBE
    return {row: f"cube {1 << s[CUBE]}"}


def _score(p: Position, seat: int) -> dict[int, str]:
    """Return what each side has of the points of the match, above and below the board."""
    s = p.state
    if s[LENGTH] == 0:
        return {}
    own = {row: s[SCORE + who] for row, who in ((0, 1 - seat), (12, seat))}
    return {row: f"   {points:3} of {s[LENGTH]}" for row, points in own.items()}


def _turn(p: Position) -> dict[int, str]:
    """Return what comes next, or how it ended, in the middle rows."""
    s, sides = p.state, p.game.seats
    if p.to_move == END:
        return {6: _end(p)}
    if s[OFFER]:
        verb = {"double": "doubles", "beaver": "beavers", "raccoon": "raccoons"}[OFFERS[s[OFFER]]]
        return {6: f"{sides[1 - p.to_move]} {verb}: {1 << s[CUBE] + s[OFFER]}"}
    if s[TURN] < 0:
        return {6: "opening roll"}
    side = sides[s[TURN]]
    if s[LARGER]:
        return drawing.dice(side, s[LARGER], s[SMALLER])
    return {6: f"{side} may double" if p.to_move >= 0 else f"{side} to roll"}


def _end(p: Position) -> str:
    s, sides, how = list(p.state), p.game.seats, reason(p)
    if how == "drop":
        return f"{sides[1 - answers(s)]} wins: drop"
    return f"{sides[1 - s[TURN]]} {drawing.HOW[how]}"
