"""Backgammon with the cube, looked ahead: rolls, best replies, and what both do with the cube.

With 0 plies a position is worth what cube.py says of it.  With one or two, the dice are rolled so
often, the best turn by the nets is played, and before each roll the side that may double does so if
it is better, and the other side takes or drops.  Several cubes are looked at in one go, as the dice
and the nets do not depend on them: at each roll one cube becomes two, the one that stays and the
one that is doubled and taken.  So at depth d stand m * 2^d cubes, in CubeSpace from MAX_CUBES * d
on; cube i of a depth becomes 2 i and 2 i + 1 at the next.
"""

from __future__ import annotations

from bots.backgammon.kernels.cube import (
    THEIRS,
    best_action,
    cubeful,
    efficiency,
    may_double,
    other_side,
    set_levels,
    worth_of,
)
from bots.backgammon.kernels.lookahead import CHANCES, no_ply
from bots.backgammon.kernels.net import OUTPUTS, OVER, TABLE_AT, judge, kind
from bots.backgammon.kernels.records import CubeSpace, NetArrays, Workspace
from bots.engine.kernels.rules import STATE, Floats, Ints, play
from games.backgammon.rules import LARGER, SMALLER
from games.kernel import kernel

LOOSE = True
MAX_LOOKAHEAD = 2
MAX_CUBES = 16  # at one depth
DEPTHS = MAX_LOOKAHEAD + 2


@kernel
def split(m: int, depth: int, space: CubeSpace) -> None:
    """Write the cubes of the next depth: those that stay, and those that are doubled and taken."""
    here = MAX_CUBES * depth
    there = here + MAX_CUBES
    for i in range(m):
        space.cubes[there + 2 * i] = space.cubes[here + i]
        space.holders[there + 2 * i] = other_side(space.holders[here + i])
        space.cubes[there + 2 * i + 1] = space.cubes[here + i] + 1
        space.holders[there + 2 * i + 1] = THEIRS


@kernel
def judge_cubes(
    s: Ints, chances: Floats, at: int, m: int, depth: int, net: NetArrays, space: CubeSpace
) -> None:
    """Write what the m cubes of a depth are worth as they stand, with the chances from `at` on.

    They belong to the side on roll, which does not double now.
    """
    cube = space.cube[0]
    worth = space.worth if depth % 2 == 0 else space.their_worth
    x = efficiency(s, kind(s, net.shape[TABLE_AT]), space.efficiency)
    set_levels(chances, at, cube, worth, space)
    here = MAX_CUBES * depth
    for i in range(m):
        space.values[here + i] = cubeful(
            chances[at], space.cubes[here + i], cube, space.holders[here + i],
            space.cube[1] != 0, x, worth, space.levels,
        )  # fmt: skip


@kernel
def advance(s: Ints, roll: int, to: Ints, net: NetArrays, work: Workspace, stop: Ints) -> int:
    """Write into `to` what the best turn with a roll, 0 to 35, makes of `s`; which one of the work.

    -1 if `stop` was set.
    """
    for i in range(STATE):
        to[i] = s[i]
    to[LARGER] = roll // 6 + 1
    to[SMALLER] = roll % 6 + 1
    best = no_ply(to, len(work.turns), net, work, stop)
    if best >= 0:
        play(to, work.turns[best])
    return best


@kernel
def add(m: int, depth: int, roll: int, space: CubeSpace) -> None:
    """Add what the m cubes of a depth are worth after a roll: those of the next depth, as doubled
    or not as its side on roll finds better, which is the other side.
    """
    weight = 1 if roll // 6 == roll % 6 else 2
    for i in range(m):
        value = best_value(i, depth + 1, space)
        space.values[MAX_CUBES * depth + i] -= weight * value / CHANCES


@kernel
def best_value(i: int, depth: int, space: CubeSpace) -> float:
    """What the cubes 2 i and 2 i + 1 of a depth are worth to its side on roll, as it finds better:
    the cube stays, or is doubled and answered.
    """
    stays = MAX_CUBES * depth + 2 * i
    if not may_double(space.holders[stays]):
        return space.values[stays]
    worth = space.worth if depth % 2 == 0 else space.their_worth
    cash = worth_of(worth, space.cube[0] << space.cubes[stays])
    return best_action(space.values[stays], space.values[stays + 1], cash)


@kernel
def one_roll(
    s: Ints, m: int, depth: int, net: NetArrays, work: Workspace, space: CubeSpace, stop: Ints
) -> bool:
    """Write what the m cubes of `depth` are worth to the side that is to roll in `s`.

    None of them is doubled before this roll.  False if `stop` was set, or space.cube[2] positions
    were judged, before the end.
    """
    here = MAX_CUBES * depth
    for i in range(m):
        space.values[here + i] = 0.0
    split(m, depth, space)
    for roll in range(36):
        if roll % 6 <= roll // 6:
            if work.spent[0] >= space.cube[2]:
                return False
            best = advance(s, roll, space.last, net, work, stop)
            if best < 0:
                return False
            judge_cubes(space.last, work.after, best * OUTPUTS, 2 * m, depth + 1, net, space)
            add(m, depth, roll, space)
    return True


@kernel
def two_rolls(
    s: Ints, m: int, net: NetArrays, work: Workspace, space: CubeSpace, stop: Ints
) -> bool:
    """Do the same as `one_roll` for the cubes of depth 0, but look two rolls ahead."""
    for i in range(m):
        space.values[i] = 0.0
    split(m, 0, space)
    for roll in range(36):
        if roll % 6 <= roll // 6:
            best = advance(s, roll, space.first, net, work, stop)
            if best < 0:
                return False
            if kind(space.first, net.shape[TABLE_AT]) == OVER:
                judge_cubes(space.first, work.after, best * OUTPUTS, 2 * m, 1, net, space)
            elif not one_roll(space.first, 2 * m, 1, net, work, space, stop):
                return False
            add(m, 0, roll, space)
    return True


@kernel
def look(
    s: Ints, plies: int, m: int, net: NetArrays, work: Workspace, space: CubeSpace, stop: Ints
) -> bool:
    """Write what the m cubes of depth 0 are worth to the side that is to roll, not doubling now.

    Args:
        plies: 0 to MAX_LOOKAHEAD rolls to look ahead.

    Returns:
        False if `stop` was set, or space.cube[2] positions were judged, before the end.
    """
    if plies == 2:
        return two_rolls(s, m, net, work, space, stop)
    if plies == 1:
        return one_roll(s, m, 0, net, work, space, stop)
    judge(s, net, work)
    judge_cubes(s, work.chances, 0, m, 0, net, space)
    return True
