"""The moves of single checkers that make up a turn of backgammon, for the formats that want them.

A turn is a number, as games/backgammon/rules.py says; here are its steps, each by one die, in an
order in which they can be made.  Points are the mover's own: 25 the bar, 0 off the board.
"""

from __future__ import annotations

from typing import NamedTuple

from games.backgammon.rules import LARGER, SMALLER, TURN
from games.backgammon_cube.actions import decides_about_cube
from games.backgammon_cube.rules import CUBE, LIMIT, OFFER
from games.game import Position

CUBE_GAME = "backgammon_cube"


class CheckerMove(NamedTuple):
    """One checker from `source` to `target`; `hit`: it sends one of the opponent's to the bar."""

    source: int
    target: int
    hit: bool


def dice(position: Position) -> str:
    """Return the dice that are to be played, the larger first: `31`."""
    return f"{position.state[LARGER]}{position.state[SMALLER]}"


def steps(position: Position, action: int) -> list[CheckerMove]:
    """Return the steps of a legal turn; none of a pass."""
    s = position.state
    large, small, mirror = s[LARGER], s[SMALLER], 51 - 26 * s[TURN]
    hits_before: set[int] = set()
    moves: list[CheckerMove] = []
    for source, die in _moved(action, large, small):
        target = max(source - die, 0)
        # s[mirror - p] are the opponent's checkers on the mover's point p.
        hits = target > 0 and s[mirror - target] == 1 and target not in hits_before
        if hits:
            hits_before.add(target)
        moves.append(CheckerMove(source, target, hits))
    return moves


def _moved(action: int, large: int, small: int) -> list[tuple[int, int]]:
    """Return the points that are left, each with the die that it is left by."""
    if large == small:
        four = (action // 17576, action // 676 % 26, action // 26 % 26, action % 26)
        return [(source, large) for source in four if source]
    first, second = (small, large) if action & 1 else (large, small)
    two = ((action >> 1) % 26, first), (action // 52, second)
    return [(source, die) for source, die in two if source]


def has_cube(position: Position) -> bool:
    """Return whether anybody may double in this game."""
    return position.game.name == CUBE_GAME and position.state[LIMIT] > 0


def cube_decision(position: Position, action: int) -> tuple[str, int] | None:
    """Return a decision about the cube, with what the cube shows if that is taken; None: a turn.

    The value is that of a double, beaver or raccoon, and 0 for the answers that end it.
    """
    if position.game.name != CUBE_GAME or not decides_about_cube(position):
        return None
    verb = position.game.format_action(position, action)
    raises = verb in ("double", "beaver", "raccoon")
    return verb, 2 << position.state[CUBE] + position.state[OFFER] if raises else 0
