"""Stakes and tables for tests, and the value of a position with the cube by other code."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache

from bots.backgammon.cube.match_table import MAX_AWAY, MatchTable
from bots.backgammon.cube.stakes import Stakes


@cache
def plain_table() -> MatchTable:
    """A table that is easy to work out: each point is worth the same share of the way."""
    points = range(1, MAX_AWAY + 1)
    before = tuple(tuple(b / (a + b) for b in points) for a in points)
    return MatchTable(before, tuple(1 / (k + 1) for k in points))


def won(stakes: Stakes, seat: int, points: int) -> float:
    """What it is worth to `seat` to win so many points: from -1 to 1, or in points."""
    if stakes.away is None:
        return float(points)
    left = stakes.away[seat] - max(points, 0), stakes.away[1 - seat] - max(-points, 0)
    over = stakes.crawford or stakes.crawford_over
    return 2 * plain_table().chance(*left, crawford_over=over) - 1


def line(points: Sequence[tuple[float, float]], p: float) -> float:
    """The value at p of a broken line through these points, ascending."""
    for (x, low), (y, high) in itertools.pairwise(points):
        if x <= p <= y:
            return low + (high - low) * (p - x) / (y - x) if y > x else high
    raise AssertionError(p)


class Slow:
    """Values with the cube for `seat`, by recursion over cubes instead of arrays of levels."""

    def __init__(self, stakes: Stakes, seat: int, chances: Sequence[float], live: float) -> None:
        self.stakes, self.seat, self.chances, self.live = stakes, seat, chances, live

    def ends(self, cube: int, single: bool = False) -> tuple[float, float]:
        """What it is worth to lose, and to win, with the cube at that."""
        win, gammon, backgammon, lost_gammon, lost_backgammon = self.chances
        values = []
        for sign, share, some, most in (
            (-1, 1 - win, lost_gammon, lost_backgammon),
            (1, win, gammon, backgammon),
        ):
            one, two, three = (won(self.stakes, self.seat, sign * k * cube) for k in (1, 2, 3))
            if single or share == 0:
                values.append(one)
            else:
                values.append(((share - some) * one + (some - most) * two + most * three) / share)
        return values[0], values[1]

    def useless(self, cube: int) -> bool:
        """Whether the side with the positive sign of `cube` needs no higher one."""
        mine = won(self.stakes, self.seat, cube), won(self.stakes, self.seat, 2 * cube)
        return mine[0] == mine[1]

    def cash(self, cube: int, depth: int = 7) -> float | None:
        """From which chance on the other side drops a double from `cube`; None: nobody doubles."""
        if self.useless(cube):
            return None
        if depth == 1:
            return 0.8
        drop = self.drop(2 * cube, depth - 1)
        lose, win = self.ends(2 * cube)
        low = (0.0, lose) if drop is None else (drop, won(self.stakes, self.seat, -2 * cube))
        share = (won(self.stakes, self.seat, cube) - low[1]) / (win - low[1])
        return min(1.0, max(0.0, low[0] + share * (1 - low[0])))

    def drop(self, cube: int, depth: int = 7) -> float | None:
        """Up to which chance we drop a double from `cube`."""
        if self.useless(-cube):
            return None
        if depth == 1:
            return 0.2
        cash = self.cash(2 * cube, depth - 1)
        lose, win = self.ends(2 * cube)
        high = (1.0, win) if cash is None else (cash, won(self.stakes, self.seat, 2 * cube))
        share = (won(self.stakes, self.seat, -cube) - lose) / (high[1] - lose)
        return min(1.0, max(0.0, share * high[0]))

    def value(self, cube: int, holders: str, depth: int = 7) -> float:
        """`holders`: who may turn the cube, of "we" and "they"."""
        lose, win = self.ends(cube, single=self.stakes.jacoby and holders == "we they")
        p = self.chances[0]
        dead = lose + p * (win - lose)
        drop = self.drop(cube, depth) if "they" in holders else None
        cash = self.cash(cube, depth) if "we" in holders else None
        if drop is None and cash is None:
            return dead
        points = [(0.0, lose)]
        if drop is not None:
            points.append((drop, won(self.stakes, self.seat, -cube)))
        if cash is not None:
            points.append((cash, won(self.stakes, self.seat, cube)))
        points.append((1.0, win))
        live = line(points, p)
        at_once = (cash is not None and self.useless(-cube) and p <= cash) or (
            drop is not None and self.useless(cube) and p >= drop
        )
        return live if at_once else dead + self.live * (live - dead)
