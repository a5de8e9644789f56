"""How live the cube is, measured in games of money play that the nets play against themselves.

The efficiency of the cube in a position is the share of the way from a dead cube to a live one at
which its value lies (kernels/cube.py).  Here it is the x with which

    dead + x * (live - dead)

comes closest to what positions have brought in games, without luck, by the sum of squares.  Where
no checker can be hit, it grows with the pips that who is ahead has to go.

    python -m lab.training.efficiency       five minutes of one core
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bots.backgammon.cube.cube_judge import LIVE, CubeJudge
from bots.backgammon.judge import Judge
from bots.backgammon.kernels.cube import REACH
from bots.backgammon.kernels.net import CONTACT, EXACT, ONE_WAY, RACE
from bots.backgammon.nets import kernels
from bots.bot import UNLIMITED
from bots.engine import compiled
from games.rng import seeded
from lab.training.kernels import cube_games
from lab.training.kernels.cube_games import MAX_POSITIONS
from lab.training.kernels.training_records import CubeGame

TELL: Final = 1_000  # games, after which there is a line
GAMES: Final = 8_000
KINDS: Final = {
    "contact": CONTACT, "one-way contact": ONE_WAY, "race": RACE, "bearing off": EXACT,
}  # fmt: skip
SURE: Final = 1.96  # standard errors to each side are 95 %


@dataclass(frozen=True, slots=True)
class CubePosition:
    """A position of a game with the cube: see kernels/training_records.py, CubeGame."""

    game: int
    kind: int
    pips: int
    used: float
    dead: float
    live: float
    brought: float


@dataclass(frozen=True, slots=True)
class Efficiency:
    """How live the cube was in some positions.

    share   of the way to a live cube; `margin`: 95 %, with games taken as independent
    used    what it was taken to be in these games
    """

    positions: int
    share: float
    margin: float
    used: float


class CubeGames:
    """Plays games of money play with the cube."""

    def __init__(self, judge: Judge, live: Sequence[float] = LIVE) -> None:
        """`live`: the efficiencies that both sides decide by."""
        self._judge = judge
        worth = [float(points) for points in range(-REACH, REACH + 1)]
        self._space = CubeJudge(judge, live=live).set_worth(worth)
        self._space.cube[:] = [1, 0, UNLIMITED]
        plain = judge.nets.plain
        self._code = kernels(cube_games, plain)
        self._game = CubeGame(
            kinds=compiled.ints(MAX_POSITIONS, plain),
            pips=compiled.ints(MAX_POSITIONS, plain),
            cubes=compiled.ints(MAX_POSITIONS, plain),
            used=compiled.floats(MAX_POSITIONS, plain),
            dead=compiled.floats(MAX_POSITIONS, plain),
            live=compiled.floats(MAX_POSITIONS, plain),
            brought=compiled.floats(MAX_POSITIONS, plain),
        )

    def positions(
        self, games: int, seed: int = 1, tell: Callable[[str], None] = lambda _: None
    ) -> Iterator[CubePosition]:
        """The positions of so many games; `tell` gets a line now and then."""
        judge, game = self._judge, self._game
        rng = compiled.ints(1, judge.nets.plain)
        rng[0] = seeded(seed)[0]
        for number in range(games):
            n = self._code.play_with_cube(
                rng, game, judge.nets.arrays, judge.workspace, self._space, judge.stop_flag(None)
            )
            for i in range(n):
                yield CubePosition(
                    game=number, kind=int(game.kinds[i]), pips=int(game.pips[i]),
                    used=float(game.used[i]), dead=float(game.dead[i]), live=float(game.live[i]),
                    brought=float(game.brought[i]),
                )  # fmt: skip
            if (number + 1) % TELL == 0:
                tell(f"{number + 1} games")


def measured(positions: Sequence[CubePosition]) -> Efficiency:
    """How live the cube was in these positions.

    Raises:
        ValueError: in none of them did it matter.
    """
    ways = [(p.live - p.dead, p.brought - p.dead, p.game) for p in positions]
    squares = sum(way * way for way, _, _ in ways)
    if squares == 0:
        raise ValueError("nobody could have turned a cube in these positions")
    share = sum(way * came for way, came, _ in ways) / squares
    errors: dict[int, float] = {}  # by games, as the positions of one share their luck
    for way, came, game in ways:
        errors[game] = errors.get(game, 0.0) + way * (came - share * way)
    spread = math.sqrt(sum(error * error for error in errors.values()))
    used = sum(p.used * (p.live - p.dead) ** 2 for p in positions) / squares
    return Efficiency(len(positions), share, SURE * spread / squares, used)


def by_pips(positions: Sequence[CubePosition]) -> tuple[float, float]:
    """How live the cube was where no pips are left, and by how much more with each pip.

    Raises:
        ValueError: that cannot be told, as the cube mattered at fewer than two numbers of pips.
    """
    ones = once = twice = came_once = came_twice = 0.0
    for p in positions:
        way, came = p.live - p.dead, p.brought - p.dead
        ones += way * way
        once += way * way * p.pips
        twice += way * way * p.pips * p.pips
        came_once += way * came
        came_twice += way * came * p.pips
    determinant = ones * twice - once * once
    if determinant <= 0:
        raise ValueError("all these positions have as many pips to go")
    start = (came_once * twice - came_twice * once) / determinant
    return start, (came_twice * ones - came_once * once) / determinant


def main() -> None:
    """Print how live the cube is in positions of each kind, in games of the shipped nets."""
    positions = list(CubeGames(Judge()).positions(GAMES, tell=lambda line: print(line, flush=True)))
    for name, kind in KINDS.items():
        some = [position for position in positions if position.kind == kind]
        live = measured(some)
        print(f"{name}: {live.share:.3f} ± {live.margin:.3f}, used {live.used:.3f}")
        if kind in (RACE, EXACT):
            start, more = by_pips(some)
            print(f"{name}: {start:.3f}, and {more:.5f} more with each pip of who is ahead")


if __name__ == "__main__":
    main()
