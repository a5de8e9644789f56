"""The usual board as text: 13 lines of at most 60 columns.

Seen from a seat's side, whose points are numbered: it plays from 24 at the top right round to 1 at
the bottom right.  Stacks grow from the edges, the bar's from the middle; of more than five checkers
the number stands in place of the fifth.  Beside it are what both sides have still to go (pips), the
checkers they have borne off, whose turn it is, and the dice.
"""

from __future__ import annotations

from collections.abc import Mapping

from games.backgammon.rules import BAR, LARGER, SMALLER, TURN, reason
from games.game import END, Position

_HIGH = 5  # rows of each half
_UPPER = (range(13, 19), range(19, 25))
_LOWER = (range(12, 6, -1), range(6, 0, -1))
HOW = {"single": "wins", "gammon": "wins a gammon", "backgammon": "wins a backgammon"}


def draw(p: Position, seat: int = 0, over: bool = False) -> str:
    """Return the board as `seat` sees it; `over`: nothing is to be played or rolled any more."""
    return picture(p, seat, {} if over and p.to_move != END else _turn(p))


def picture(p: Position, seat: int, turn: Mapping[int, str]) -> str:
    """Return the board as `seat` sees it, with what comes next beside these rows, 0 to 12."""
    far, stacks = 1 - seat, _stacks(p, seat)
    upper = _half(_UPPER, stacks, p.game.seats[far], p.state[26 * far + BAR])
    lower = _half(_LOWER, stacks, p.game.seats[seat], p.state[26 * seat + BAR])
    rows = [
        _edge(_UPPER, "┌┬┐"),
        *upper,
        f"│{'':18}│bar│{'':18}│",
        *reversed(lower),
        _edge(_LOWER, "└┴┘"),
    ]
    beside = {**turn, **_count(p, far, (1, 2)), **_count(p, seat, (11, 10))}
    return "\n".join(f" {row}   {beside.get(i, '')}".rstrip() for i, row in enumerate(rows))


def _stacks(p: Position, seat: int) -> dict[int, tuple[str, int]]:
    """On each point of `seat` whose checkers stand there, and how many."""
    stacks = {}
    for point in range(1, 25):
        mine, theirs = p.state[26 * seat + point], p.state[26 * (2 - seat) - 1 - point]
        stacks[point] = (p.game.seats[seat], mine) if mine else (p.game.seats[1 - seat], theirs)
    return stacks


def _edge(halves: tuple[range, range], corners: str) -> str:
    left, right = ("".join(f"{point:─>2}─" for point in half) for half in halves)
    return f"{corners[0]}{left}{corners[1]}───{corners[1]}{right}{corners[2]}"


def _half(
    points: tuple[range, range], stacks: dict[int, tuple[str, int]], side: str, on_bar: int
) -> list[str]:
    """The rows of the upper or lower half from its edge on, with what `side` has on the bar."""
    rows = []
    for row in range(1, _HIGH + 1):
        left, right = ("".join(_checker(*stacks[point], row) for point in six) for six in points)
        rows.append(f"│{left}│{_checker(side, on_bar, _HIGH + 1 - row, '   ')}│{right}│")
    return rows


def _checker(side: str, count: int, row: int, nothing: str = " · ") -> str:
    """What is seen in a row of a stack, three columns wide; `nothing`: at the foot of no stack."""
    if count > _HIGH and row == _HIGH:
        return f"{count:2} "
    if count >= row:
        return f" {side} "
    return nothing if row == 1 else "   "


def _count(p: Position, seat: int, rows: tuple[int, int]) -> dict[int, str]:
    """What a seat has still to go, and what it has borne off, by the rows where they stand."""
    own = p.state[26 * seat : 26 * seat + 26]
    pips = sum(point * count for point, count in enumerate(own))
    return {rows[0]: f"{p.game.seats[seat]}  {pips:3} pips", rows[1]: f"   {own[0]:3} off"}


def _turn(p: Position) -> dict[int, str]:
    """Return what comes next, in the middle rows."""
    larger, smaller, turn = p.state[LARGER], p.state[SMALLER], p.state[TURN]
    if p.to_move == END:
        return {6: f"{p.game.seats[1 - turn]} {HOW[reason(p)]}"}
    if turn < 0:
        return {6: "opening roll"}
    side = p.game.seats[turn]
    return dice(side, larger, smaller) if larger else {6: f"{side} to roll"}


def dice(side: str, larger: int, smaller: int) -> dict[int, str]:
    """Return the dice that a side is to play, in the middle rows."""
    return {
        4: f"{side} to play",
        5: "┌───┐ ┌───┐",
        6: f"│ {larger} │ │ {smaller} │",
        7: "└───┘ └───┘",
    }
