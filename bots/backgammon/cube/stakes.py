"""What a game of backgammon is played for: money or a score of a match, and the cube."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from bots.backgammon.cube import match_table
from bots.backgammon.cube.match_table import MAX_AWAY, MatchTable
from bots.backgammon.kernels.cube import MIDDLE, REACH


@dataclass(frozen=True, slots=True)
class Stakes:
    """What a game is played for.

    cube      what it shows: 1, 2, 4 ...
    owner     the seat that may turn it; None: it stands in the middle, and both may
    away      the points that each seat still needs; None: it is played for money
    crawford  this is the Crawford game, in which neither may double
    crawford_over  ... or it has been played
    jacoby    for money: gammons count only once the cube has been turned
    beavers   for money: who takes may turn the cube at once, and keep it
    fixed     neither may turn the cube: there is none, or it shows the most already
    """

    cube: int = 1
    owner: int | None = None
    away: tuple[int, int] | None = None
    crawford: bool = False
    crawford_over: bool = False
    jacoby: bool = False
    beavers: bool = False
    fixed: bool = False

    def __post_init__(self) -> None:
        """Raises ValueError where this cannot be; the text says why."""
        if self.cube < 1 or self.cube & (self.cube - 1):
            raise ValueError(f"a cube shows 1, 2, 4, 8 ..., not {self.cube}")
        if self.owner not in (None, 0, 1):
            raise ValueError(f"the cube belongs to seat 0, to seat 1 or to nobody: {self.owner}")
        if self.away is None:
            if self.crawford or self.crawford_over:
                raise ValueError("there is no Crawford game in money play")
            return
        if self.jacoby or self.beavers:
            raise ValueError("the Jacoby rule and beavers belong to money play, not to a match")
        if not all(1 <= points <= MAX_AWAY for points in self.away):
            raise ValueError(f"who plays on needs 1 to {MAX_AWAY} points: {self.away}")
        if (self.crawford or self.crawford_over) and 1 not in self.away:
            raise ValueError("in the Crawford game, and after it, somebody needs one point")
        if self.crawford and (self.crawford_over or self.cube > 1 or self.owner is not None):
            raise ValueError("in the Crawford game the cube stays in the middle, at 1")

    def doubled(self, seat: int) -> Stakes:
        """The stakes once `seat` has doubled and the other seat has taken."""
        return replace(self, cube=2 * self.cube, owner=1 - seat)

    def may_double(self, seat: int) -> bool:
        """Whether the rules let `seat` double before it rolls."""
        return not (self.crawford or self.fixed) and self.owner in (None, seat)

    @property
    def one(self) -> float:
        """Half of what it makes to win a single game or to lose it, which is worth 1 in games of
        money with the cube at 1: in points, or in a match as a chance to win that.
        """
        if self.away is None:
            return float(self.cube)
        worth = worths(self, 0)
        return (worth[MIDDLE + self.cube] - worth[MIDDLE - self.cube]) / 4

    @property
    def single(self) -> int:
        """What the cube counts in `worths`: money is judged as if it stood at 1."""
        return 1 if self.away is None else self.cube


def worths(stakes: Stakes, seat: int, table: MatchTable | None = None) -> list[float]:
    """What it is worth to `seat` to win so many points, as kernels/cube.py reads it: WORTH values.

    In a match from -1, which is lost, to 1; in points with the cube at 1 where money is played for.
    """
    if stakes.away is None:
        return [float(points) for points in range(-REACH, REACH + 1)]
    over = stakes.crawford or stakes.crawford_over
    table = match_table.shipped() if table is None else table
    return list(_match_worths(stakes.away[seat], stakes.away[1 - seat], over, table))


@cache
def _match_worths(own: int, their: int, over: bool, table: MatchTable) -> tuple[float, ...]:
    """`over`: after this game the Crawford game is over."""
    chances = []
    for points in range(-REACH, REACH + 1):
        left = own - max(points, 0), their - max(-points, 0)
        chances.append(table.chance(*left, crawford_over=over))
    return tuple(2 * chance - 1 for chance in chances)


def prices(stakes: Stakes, table: MatchTable | None = None) -> tuple[float, ...]:
    """What the chances of seat 0, and of seat 1, are worth, as net.py: `equity` reads it.

    A game counts as many points as the cube shows now: a single win 1, a single loss -1, and a
    gammon as much more as it brings at the score.
    """
    worth = worths(stakes, 0, table)
    n = stakes.single
    if stakes.jacoby and stakes.owner is None:
        return (2.0, 0.0, 0.0, 0.0, 0.0) * 2

    def at(points: int) -> float:
        return worth[MIDDLE + max(-REACH, min(REACH, points))]

    point = (at(n) - at(-n)) / 2
    won = [(at((k + 1) * n) - at(k * n)) / point for k in (1, 2)]
    lost = [(at(-k * n) - at(-(k + 1) * n)) / point for k in (1, 2)]
    return (2.0, *won, *(-x for x in lost), 2.0, *lost, *(-x for x in won))


def match_chance(
    stakes: Stakes, seat: int, points: float, table: MatchTable | None = None
) -> float:
    """The chance of `seat` to win the match, from points by `prices`: 1 is what the cube shows."""
    worth = worths(stakes, seat, table)
    win, loss = worth[MIDDLE + stakes.cube], worth[MIDDLE - stakes.cube]
    return (2 + win + loss + points * (win - loss)) / 4
