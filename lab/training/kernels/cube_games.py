"""Games of money play with the cube, which the nets play against themselves: what a cube brings.

The formula of cube.py wants to know how live a cube is.  Games can tell: what a position brings
lies somewhere between what it would be worth with a dead cube and with a live one.  By luck a game
brings some 3 points more or less.  But one roll of lookahead says before each roll what it will
bring on average; what the roll then makes of it, less that, is luck.  Without it, a game brings
half a point more or less, and the mean stays what it was, however wrong the formula may be.

Turns are chosen without lookahead, and what to do with the cube with one roll of it.
"""

from __future__ import annotations

from bots.backgammon.kernels.cube import (
    CENTRED,
    THEIRS,
    cubeful,
    efficiency,
    may_double,
    other_side,
    pips,
    set_levels,
)
from bots.backgammon.kernels.cube_ahead import advance, best_value, judge_cubes, one_roll, split
from bots.backgammon.kernels.lookahead import no_ply
from bots.backgammon.kernels.net import OUTPUTS, OVER, TABLE_AT, judge, kind
from bots.backgammon.kernels.records import CubeSpace, NetArrays, Workspace
from bots.engine.kernels.rules import STATE, Ints, play, points, setup
from games.backgammon.playouts import throw
from games.backgammon.rules import LARGER, SMALLER, TURN
from games.kernel import kernel
from lab.training.kernels.training_records import CubeGame

MAX_POSITIONS = 400  # positions of a game
LOOSE = True


@kernel
def play_with_cube(
    rng: Ints, game: CubeGame, net: NetArrays, work: Workspace, space: CubeSpace, stop: Ints
) -> int:
    """Play a game, and write its positions before a roll, with the cube as it stands at the roll.

    The one before the opening roll is none of them.  In `space` points are worth points, level 0 of
    the cube is 1, and no number of positions ends a lookahead.

    Returns:
        How many were written; 0 if the game would have more than MAX_POSITIONS, or `stop` was set.
    """
    s = work.s
    setup(s)
    throw(s, rng)
    best = no_ply(s, len(work.turns), net, work, stop)
    if best < 0:
        return 0
    play(s, work.turns[best])
    cube = 1
    holder = CENTRED
    luck = 0.0  # of seat 0, so far
    for n in range(MAX_POSITIONS):
        if kind(s, net.shape[TABLE_AT]) == OVER:
            return take_luck_out(game, n, cube * points(s) - luck)
        sign = 1 - 2 * s[TURN]
        space.cubes[0] = 0
        space.holders[0] = holder
        space.cubes[1] = 1
        space.holders[1] = THEIRS
        if not one_roll(s, 2, 0, net, work, space, stop):
            return 0
        value = space.values[0]
        taken = space.values[1]
        if may_double(holder) and min(taken, 1.0) > value:
            if taken > 1.0:
                return take_luck_out(game, n, sign * cube - luck)
            cube *= 2
            holder = THEIRS
            value = taken / 2.0
        describe(s, n, holder, game, net, work, space)
        game.cubes[n] = sign * cube
        game.brought[n] = luck
        throw(s, rng)
        roll = 6 * (s[LARGER] - 1) + s[SMALLER] - 1
        space.holders[0] = holder
        split(1, 0, space)
        best = advance(s, roll, space.last, net, work, stop)
        if best < 0:
            return 0
        judge_cubes(space.last, work.after, best * OUTPUTS, 2, 1, net, space)
        luck += sign * cube * (-best_value(0, 1, space) - value)
        for i in range(STATE):
            s[i] = space.last[i]
        holder = other_side(holder)
    return 0


@kernel
def describe(
    s: Ints,
    n: int,
    holder: int,
    game: CubeGame,
    net: NetArrays,
    work: Workspace,
    space: CubeSpace,
) -> None:
    """Write what a position is, and what it is worth with a dead cube and with a live one."""
    which = judge(s, net, work)
    game.kinds[n] = which
    game.pips[n] = min(pips(s, 0), pips(s, 26))
    game.used[n] = efficiency(s, which, space.efficiency)
    chances = work.chances
    set_levels(chances, 0, 1, space.worth, space)
    game.dead[n] = cubeful(chances[0], 0, 1, holder, False, 0.0, space.worth, space.levels)
    game.live[n] = cubeful(chances[0], 0, 1, holder, False, 1.0, space.worth, space.levels)


@kernel
def take_luck_out(game: CubeGame, n: int, without: float) -> int:
    """Put what came of each of the n positions where the luck of seat 0 up to there stood; n.

    Args:
        without: what seat 0 won, less all its luck.
    """
    for i in range(n):
        game.brought[i] = (without + game.brought[i]) / game.cubes[i]
    return n
