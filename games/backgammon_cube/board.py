"""The board alone: a position with the cube as one of the game without it."""

from __future__ import annotations

from games.backgammon import GAME as BACKGAMMON
from games.backgammon.rules import CHECKERS
from games.backgammon_cube.rules import BOARD, EACH
from games.game import Position


def without_cube(p: Position) -> Position:
    """Return the same checkers, turn and dice in the game without cube and score.

    Turns and rolls have the same numbers there.  A decision about the cube is none there: it is the
    roll that is next.  Of three checkers a side, twelve count as borne off.
    """
    s = list(p.state[:BOARD])
    for base in (0, 26):
        s[base] += CHECKERS - p.state[EACH]
    return Position(BACKGAMMON, tuple(s))
