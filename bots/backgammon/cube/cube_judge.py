"""What to do with the doubling cube: the value of each action, and what the others would lose.

It asks the nets, looks ahead as far as it is told, and lets both sides use the cube on the way
(bots/backgammon/kernels/cube_ahead.py).  What is played for is Stakes: money, or any score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from bots.backgammon.cube.match_table import MatchTable
from bots.backgammon.cube.stakes import Stakes, prices, worths
from bots.backgammon.judge import Judge
from bots.backgammon.kernels import cube_ahead
from bots.backgammon.kernels.cube import (
    CENTRED,
    EFFICIENCY,
    LEVELS,
    MIDDLE,
    MINE,
    NOBODY,
    THEIRS,
    WORTH,
)
from bots.backgammon.kernels.cube_ahead import DEPTHS, MAX_CUBES
from bots.backgammon.kernels.records import CubeSpace
from bots.backgammon.nets import GAME, kernels
from bots.bot import UNLIMITED
from bots.engine import compiled
from bots.engine.kernels.rules import Ints
from games.backgammon.rules import LARGER, TURN
from games.game import Position

# How live the cube is: of contact, one-way contact, races and bearing off what it is at no pips
# left and what a pip adds, and the most; see kernels/cube.py.  Measured in games of our nets:
# python -m lab.training.efficiency.
LIVE: Final = (0.76, 0.0, 0.78, 0.0, 0.46, 0.0035, 0.38, 0.0055, 0.8)

TIE: Final = 1e-6  # what rounding may make of two equal values

ActionName = Literal["roll", "double", "take", "drop", "beaver"]


@dataclass(frozen=True, slots=True)
class CubeAction:
    """Something to do with the cube.

    value  what it leaves the seat that does it: its chance to win the match, or points with the
           cube as it stands before the action counted as 1
    loss   how much less that is than the best action's
    """

    name: ActionName
    value: float
    loss: float


@dataclass(frozen=True, slots=True)
class CubeJudgement:
    """What the cube is worth to `seat`, which is to roll, before it does.

    Values are its chances to win the match, or points with the cube as it stands counted as 1.

    stays   it rolls, and does not double now
    taken   it doubles, and the other seat takes; None: it may not double
    beaver  ... and turns the cube at once; None: it may not
    cash    it doubles, and the other seat drops; None: it may not double
    single  what it is worth to win, and to lose, what the cube shows
    in_match  values are chances to win a match
    free    the other side wins the match anyhow if it wins this game, and this one does not: a
            double costs nothing
    """

    seat: int
    stays: float
    taken: float | None
    beaver: float | None
    cash: float | None
    single: tuple[float, float]
    in_match: bool
    free: bool

    @property
    def answer(self) -> ActionName:
        """What the other seat best does when it is doubled."""
        return self.answers()[0].name

    @property
    def doubled(self) -> float | None:
        """What a double is worth if it is answered as well as can be."""
        taken = [v for v in (self.taken, self.beaver, self.cash) if v is not None]
        return min(taken) if taken else None

    @property
    def double(self) -> bool:
        if self.doubled is None:
            return False
        return self.doubled > self.stays + (-TIE if self.free else TIE)

    @property
    def too_good(self) -> bool:
        """Whether a double would be dropped, and it is better to play on for a gammon."""
        return not self.double and self.cash is not None and self.doubled == self.cash

    @property
    def value(self) -> float:
        """What the position is worth to `seat` with the best play of the cube."""
        return self.stays if self.doubled is None else max(self.stays, self.doubled)

    def actions(self) -> list[CubeAction]:
        """What `seat` may do before it rolls, the best first."""
        values: dict[ActionName, float] = {"roll": self.stays}
        if self.doubled is not None:
            values["double"] = self.doubled
        return _ranked(values)

    def answers(self) -> list[CubeAction]:
        """What the other seat may do when it is doubled, the best first; values are its own.

        Raises:
            ValueError: `seat` may not double.
        """
        if self.taken is None or self.cash is None:
            raise ValueError("nobody answers a double that is not allowed")
        values: dict[ActionName, float] = {
            "take": self._theirs(self.taken),
            "drop": self._theirs(self.cash),
        }
        if self.beaver is not None:
            values["beaver"] = self._theirs(self.beaver)
        return _ranked(values)

    def points(self, value: float) -> float:
        """A value as points: what the cube shows counts 1, and in between in proportion."""
        won, lost = self.single
        return 2 * (value - lost) / (won - lost) - 1

    def _theirs(self, value: float) -> float:
        return 1 - value if self.in_match else -value


def _ranked(values: dict[ActionName, float]) -> list[CubeAction]:
    best = max(values.values())
    actions = [CubeAction(name, value, best - value) for name, value in values.items()]
    return sorted(actions, key=lambda action: action.loss)


class CubeJudge:
    """Judges the cube with the nets of a Judge.  Not for several threads at a time."""

    def __init__(
        self,
        judge: Judge,
        *,
        table: MatchTable | None = None,
        live: Sequence[float] = LIVE,
    ) -> None:
        """`table`: chances at the scores of a match; the shipped ones by default."""
        self._judge, self._table = judge, table
        plain = judge.nets.plain
        self._code = kernels(cube_ahead, plain)
        self._stakes: tuple[Stakes, int] | None = None  # in space.worth
        self._space = CubeSpace(
            cube=compiled.ints(3, plain),
            worth=compiled.floats(WORTH, plain),
            their_worth=compiled.floats(WORTH, plain),
            efficiency=compiled.floats(EFFICIENCY, plain),
            levels=compiled.floats(4 * LEVELS, plain),
            cubes=compiled.ints(DEPTHS * MAX_CUBES, plain),
            holders=compiled.ints(DEPTHS * MAX_CUBES, plain),
            values=compiled.floats(DEPTHS * MAX_CUBES, plain),
            first=compiled.ints(GAME.state_size, plain),
            last=compiled.ints(GAME.state_size, plain),
        )
        self._space.efficiency[:] = list(live)

    def judge(
        self,
        position: Position,
        stakes: Stakes,
        plies: int = 2,
        *,
        stop: Ints | None = None,
        nodes: int = UNLIMITED,
    ) -> CubeJudgement | None:
        """What the cube is worth to the seat that is to roll.

        None if `stop` was set before, or if the nodes were spent: at most so many and the turns of
        one roll.

        Args:
            position: at CHANCE, and not before the opening roll.
            plies: 0 to 2 rolls to look ahead.
        """
        seat = position.state[TURN]
        if seat < 0 or position.state[LARGER]:
            raise ValueError("the cube is judged before a seat rolls")
        cubes = [(0, self._holder(stakes, seat))]
        if stakes.may_double(seat):
            cubes.append((1, THEIRS))
            if stakes.beavers:
                cubes.append((2, THEIRS))
        self._space.cube[2] = self._judge.spent + nodes
        values = self._values(position, stakes, plies, cubes, stop)
        if values is None:
            return None
        n, worth, in_match = stakes.single, self._space.worth, stakes.away is not None
        free = float(worth[MIDDLE - n]) == float(worth[MIDDLE - 2 * n])
        wants_more = float(worth[MIDDLE + n]) < float(worth[MIDDLE + 2 * n])
        win, loss = float(worth[MIDDLE + n]), float(worth[MIDDLE - n])
        if in_match:
            win, loss, *values = [(1 + value) / 2 for value in (win, loss, *values)]
        return CubeJudgement(
            seat=seat,
            stays=values[0],
            taken=values[1] if len(values) > 1 else None,
            beaver=values[2] if len(values) > 2 else None,
            cash=win if len(values) > 1 else None,
            single=(win, loss),
            in_match=in_match,
            free=free and wants_more,
        )

    def _holder(self, stakes: Stakes, seat: int) -> int:
        if stakes.crawford or stakes.fixed:
            return NOBODY
        if stakes.owner is None:
            return CENTRED
        return MINE if stakes.owner == seat else THEIRS

    def _values(
        self,
        position: Position,
        stakes: Stakes,
        plies: int,
        cubes: Sequence[tuple[int, int]],
        stop: Ints | None,
    ) -> list[float] | None:
        """What each cube is worth to the seat that is to roll, which does not double now."""
        space, work = self._space, self._judge.workspace
        self._set(stakes, position.state[TURN])
        # Gammons soon count, even where they do not yet, by the Jacoby rule.
        self._judge.price(prices(replace(stakes, jacoby=False), self._table))
        for i, (level, holder) in enumerate(cubes):
            space.cubes[i], space.holders[i] = level, holder
        work.s[:] = position.state
        arrays, stop = self._judge.nets.arrays, self._judge.stop_flag(stop)
        whole = self._code.look(work.s, plies, len(cubes), arrays, work, space, stop)
        return [float(value) for value in space.values[: len(cubes)]] if whole else None

    def _set(self, stakes: Stakes, seat: int) -> None:
        """Write what is played for, as `seat` sees it."""
        if (stakes, seat) == self._stakes:
            return
        self.set_worth(worths(stakes, seat, self._table))
        self._space.cube[:2] = [stakes.single, int(stakes.jacoby)]
        self._stakes = stakes, seat

    @property
    def space(self) -> CubeSpace:
        return self._space

    def set_worth(self, worth: list[float]) -> CubeSpace:
        """Play for this from now on: what points are worth to who is asked; where it stands."""
        self._stakes = None
        self._space.worth[:] = worth
        self._space.their_worth[:] = [-value for value in reversed(worth)]
        return self._space
