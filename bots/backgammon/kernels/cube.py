"""What a position is worth with the doubling cube, from the chances that it has without.

A value is that of the side on roll and lies in [-1, 1] in a match (1: won), or is in points.
`worth` says what it is worth to win so many points: worth[MIDDLE + n], and n is negative where the
other side wins them.  It holds what is played for, money or any score, so nothing else here knows.

Source: R. Janowski, "Take-Points in Money Games", 1993.
A dead cube is never turned again: a position is then worth its chances.  A live one is turned at
the very point where the other side may as well drop, which never gets worse than that by a roll:
then the value is a broken line over the chance to win.  The truth lies between; which share of the
way to the live cube it lies is the *efficiency* of the cube in such a position.

    value
      win |                          /   gammons: too good to double
     cash |- - - - - - - - - - - - /
          |                     /        between: in proportion
    -cash |- - - - - -/
     lose |/
          0         take         cash   1   chance to win

The points where somebody drops are found backwards, from the cube that neither can turn any more:
at each *level* k the cube stands at 2^k times what it is now.
"""

from __future__ import annotations

from bots.backgammon.kernels.net import CONTACT, RACE
from bots.backgammon.kernels.records import CubeSpace
from bots.engine.kernels.rules import Floats, Ints
from games.backgammon.rules import BAR
from games.kernel import kernel

LOOSE = True
REACH = 192  # points: a backgammon with the cube at 64
MIDDLE = REACH  # of `worth`, at which neither wins anything
WORTH = 2 * REACH + 1
LEVELS = 7  # in `CubeSpace.levels`
WIN, LOSE, CASH, DROP = 0, LEVELS, 2 * LEVELS, 3 * LEVELS  # where in it they begin
FURTHEST = 0.8  # where money is cashed at the last level; it hardly matters at the first

# Who may turn the cube, seen by the side on roll.
CENTRED, MINE, THEIRS, NOBODY = 0, 1, -1, 2

# Numbers of `efficiency`: of contact, one-way contact, races and bearing off what it is where who
# is ahead has no pips left, and by how much it grows with a pip; what it is at most.
EFFICIENCY = 9


@kernel
def worth_of(worth: Floats, points: int) -> float:
    """What it is worth to win `points`, which may be more than `worth` reaches."""
    return worth[MIDDLE + max(-REACH, min(REACH, points))]


@kernel
def idle(worth: Floats, points: int) -> bool:
    """Whether a side that plays for so many points (negative: the other) has no use for more."""
    return worth_of(worth, points) == worth_of(worth, 2 * points)


@kernel
def pips(s: Ints, base: int) -> int:
    """The pips that the side whose board begins at `base` has to go."""
    total = 0
    for p in range(1, BAR + 1):
        total += p * s[base + p]
    return total


@kernel
def efficiency(s: Ints, which: int, table: Floats) -> float:
    """How live the cube is in a position that the net `which`, or the exact table, judges."""
    which = min(which, RACE + 1)
    ahead = min(pips(s, 0), pips(s, 26)) if which >= RACE else 0
    return min(table[8], table[2 * (which - CONTACT)] + ahead * table[2 * (which - CONTACT) + 1])


@kernel
def set_levels(chances: Floats, at: int, cube: int, worth: Floats, space: CubeSpace) -> None:
    """Work out what it is worth to win and to lose, and where each side drops, at all levels.

    Into space.levels goes of each: WIN, LOSE: the value to the side on roll if that side wins, or
    loses, gammons counted as often as they come; CASH, from which chance to win on the other side
    drops; DROP, up to which the side on roll does.  1 and 0 where neither would double.
    """
    levels = space.levels
    win = chances[at]
    lost = 1.0 - win
    gammon = chances[at + 1] / win if win > 0.0 else 0.0
    backgammon = chances[at + 2] / win if win > 0.0 else 0.0
    lost_gammon = chances[at + 3] / lost if lost > 0.0 else 0.0
    lost_backgammon = chances[at + 4] / lost if lost > 0.0 else 0.0
    for k in range(LEVELS):
        n = cube << k
        levels[WIN + k] = (
            (1.0 - gammon) * worth_of(worth, n)
            + (gammon - backgammon) * worth_of(worth, 2 * n)
            + backgammon * worth_of(worth, 3 * n)
        )
        levels[LOSE + k] = (
            (1.0 - lost_gammon) * worth_of(worth, -n)
            + (lost_gammon - lost_backgammon) * worth_of(worth, -2 * n)
            + lost_backgammon * worth_of(worth, -3 * n)
        )
    for back in range(LEVELS):
        k = LEVELS - 1 - back
        n = cube << k
        cash = 1.0
        drop = 0.0
        if not idle(worth, n):
            cash = FURTHEST if back == 0 else cash_point(k, n, worth, levels)
        if not idle(worth, -n):
            drop = 1.0 - FURTHEST if back == 0 else drop_point(k, n, worth, levels)
        if drop > cash:  # the side on roll doubles at once, and the other side drops
            drop = cash
        levels[CASH + k] = cash
        levels[DROP + k] = drop


@kernel
def cash_point(k: int, n: int, worth: Floats, levels: Floats) -> float:
    """From which chance to win on the other side drops if it is doubled from n points to 2 n.

    If it takes, the cube is its own at level k + 1: what it is worth then grows along a line from
    the chance at which the side on roll would drop that cube up to 1.
    """
    begin = levels[DROP + k + 1]
    low = worth_of(worth, -2 * n) if begin > 0.0 else levels[LOSE + k + 1]
    rise = levels[WIN + k + 1] - low
    if rise <= 0.0:
        return 1.0
    return max(0.0, min(1.0, begin + (worth_of(worth, n) - low) / rise * (1.0 - begin)))


@kernel
def drop_point(k: int, n: int, worth: Floats, levels: Floats) -> float:
    """Up to which chance to win the side on roll drops if it is doubled from n points to 2 n."""
    end = levels[CASH + k + 1]
    high = worth_of(worth, 2 * n) if end < 1.0 else levels[WIN + k + 1]
    rise = high - levels[LOSE + k + 1]
    if rise <= 0.0:
        return 0.0
    return max(0.0, min(1.0, (worth_of(worth, -n) - levels[LOSE + k + 1]) / rise * end))


@kernel
def cubeful(
    p: float, k: int, cube: int, holder: int, jacoby: bool, x: float, worth: Floats, levels: Floats
) -> float:
    """What a position is worth while the cube stays where it is: at level k, held by `holder`.

    Args:
        p: the chance to win.
        cube: what level 0 counts.
        jacoby: gammons count only once the cube has been turned.
        x: the efficiency of the cube.
    """
    n = cube << k
    cash = worth_of(worth, n)
    drop = worth_of(worth, -n)
    single_only = jacoby and holder == CENTRED
    win = cash if single_only else levels[WIN + k]
    lose = drop if single_only else levels[LOSE + k]
    no_use = idle(worth, n)
    their_no_use = idle(worth, -n)
    mine = (holder in (CENTRED, MINE)) and not no_use
    theirs = (holder in (CENTRED, THEIRS)) and not their_no_use
    dead = lose + p * (win - lose)
    if not mine and not theirs:
        return dead
    left = 0.0
    right = 1.0
    low = lose
    high = win
    if theirs and levels[DROP + k] > 0.0:
        left = levels[DROP + k]
        low = drop
    if mine and levels[CASH + k] < 1.0:
        right = levels[CASH + k]
        high = cash
    if p <= left and left > 0.0:
        live = lose + p / left * (low - lose)
    elif p >= right and right < 1.0:
        live = high + (p - right) / (1.0 - right) * (win - high)
    elif right > left:
        live = low + (p - left) / (right - left) * (high - low)
    else:
        live = high
    # Who has nothing more to lose turns the cube at once: up to where it is dropped it could not be
    # more alive.
    if (mine and their_no_use and p <= right) or (theirs and no_use and p >= left):
        return live
    return dead + x * (live - dead)


@kernel
def best_action(stays: float, take: float, cash: float) -> float:
    """What it is worth to the side that may double: the other takes or drops, as is worse."""
    return max(stays, min(take, cash))


@kernel
def may_double(holder: int) -> bool:
    return holder in (CENTRED, MINE)


@kernel
def other_side(holder: int) -> int:
    """The holder of the cube as the other side sees it."""
    return -holder if holder in (MINE, THEIRS) else holder
