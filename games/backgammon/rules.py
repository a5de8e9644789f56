"""Backgammon's rules as kernels: opening roll, whole turns, hits, bearing off, gammons.

Each seat counts the points from its own side: 24 is the farthest, 6 to 1 are its home, 25 is the
bar and 0 is off the board, so everybody moves downwards and point p of one seat is 25 - p of the
other.  Seat 0 is X, seat 1 is O; each has 15 checkers.

State:
    s[0..25]    seat 0's checkers on its own points: s[0] borne off, s[25] on the bar
    s[26..51]   seat 1's in the same way
    s[52]       whose turn it is, to roll or to play; -1 before the opening roll.  When the game is
                over, who would have rolled next: the loser
    s[53]       the larger die, 0 = to be rolled; s[54] the smaller one, equal at a double

A roll is the number 10 * larger + smaller die, 21 of them: 11, 21, 22, 31 ... 66.  The opening roll
is 10 * seat 0's die + seat 1's die, 30 of them as a double is rolled again: 31 means that seat 0
starts and plays 3 and 1, 13 that seat 1 does.

A turn is the number
    order + 2 * (f1 + 26 * f2)          two different dice; order 0: the larger die is played first;
                                        f1 and f2: the points that the first and the second checker
                                        leave, 25 the bar, 0 no such checker
    ((f1 * 26 + f2) * 26 + f3) * 26 + f4    a double: f1 >= f2 >= f3 >= f4, the last ones 0 if there
                                        are fewer
    0                                   pass
and of the numbers that reach the same position only the smallest is legal.  What that leaves:

    With two dice, a from a by the larger die and b from b by the smaller is the same turn in either
    order, so the higher of the points comes first: whenever only one order is possible it is that
    one, as moving a checker from further back enables others, never the reverse.  Beyond that two
    turns meet in two cases only: one checker runs with both dice, hitting on neither way, or two
    checkers are borne off with the dice exchanged.
    At a double the points that were left tell the turn: no two of them meet.  And if fewer than
    four can be played there is one turn only: every step that was possible has been made.

Sets of points are ints here: bit p for point p.

Source: T. Keith, "Rules of Backgammon", bkgm.com/rules.html.
"""

from __future__ import annotations

from games.game import CHANCE, END, Ints, Position
from games.kernel import kernel

# A double gives at most 4 steps to 15 checkers, in C(18, 4) = 3,060 ways if all were possible.
STATE, MAX_LEGAL, SCRATCH, MAX_PLIES, MAX_RETURN, RULES_VERSION = 55, 3060, 66, 2000, 3, 1

CHECKERS = 15
RESIGN_POINTS = ((1,), (1, 2), (1, 2, 3))  # of a loss that would cost 1, 2 or 3
BAR = 25
TURN, LARGER, SMALLER = 52, 53, 54
POINTS = (1 << 26) - 2  # 1 to 24 and the bar
BEYOND_HOME = 1 << 7  # a set of points is all in the home if it is below this
BOTH_ORDERS = 1 << 26 | 1  # of a point in a set of `pair_sets`
NONE = 1 << 0  # the set of no point but 0: nothing is left to choose

# Where `pair_sets` puts what, behind 15 points and their sets.
SECONDS, LARGER_FIRST, SMALLER_FIRST = 30, 31, 32

# Where `double_sets` keeps what in its scratch, behind the counts of 26 points; levels are 0 to 2.
TRIED, OPEN, HELD, NUMBER, LEFT, CANDIDATES = 26, 29, 32, 35, 38, 41


@kernel
def setup(s: Ints) -> None:
    """Set the checkers up; the opening roll is next."""
    for i in range(STATE):
        s[i] = 0
    for base in range(0, 52, 26):
        s[base + 24] = 2
        s[base + 13] = 5
        s[base + 8] = 3
        s[base + 6] = 5
    s[TURN] = -1


@kernel
def mover(s: Ints) -> int:
    """Return the seat to play its dice, CHANCE, or END: somebody has borne off all checkers."""
    if s[0] == CHECKERS or s[26] == CHECKERS:
        return END
    return CHANCE if s[LARGER] == 0 else s[TURN]


@kernel
def legal(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the turns or rolls, ascending; 0 exactly when the game is over."""
    if s[0] == CHECKERS or s[26] == CHECKERS:
        return 0
    if s[LARGER] == 0:
        return rolls(s, out)
    if s[LARGER] == s[SMALLER]:
        return double_turns(s, out, tmp, False)
    return pairs(s, out, tmp)


@kernel
def rolls(s: Ints, out: Ints) -> int:
    """Write the 30 opening rolls or the 21 others, ascending."""
    n = 0
    for a in range(1, 7):
        for b in range(1, 7):
            if (a != b and s[TURN] < 0) or (a >= b and s[TURN] >= 0):
                out[n] = 10 * a + b
                n += 1
    return n


@kernel
def weight(s: Ints, a: int) -> int:
    """How likely a roll is: two different dice come twice, but in the opening each has its seat."""
    return 1 if s[TURN] < 0 or a % 11 == 0 else 2


@kernel
def held(s: Ints, base: int) -> int:
    """The points, bar included, that hold checkers of the seat whose board begins at `base`."""
    points = 0
    for p in range(1, 26):
        if s[base + p] != 0:
            points |= 1 << p
    return points


@kernel
def walls(s: Ints, other: int) -> int:
    """The points, counted by the mover, where the board at `other` has two checkers or more."""
    points = 0
    for p in range(1, 25):
        if s[other + 25 - p] > 1:
            points |= 1 << p
    return points


@kernel
def clear(wall: int, die: int) -> int:
    """Return the points from which a checker can move by `die` and stay on the board."""
    return POINTS & ~(wall << die) & -2 << die


@kernel
def sources(own: int, free: int, die: int) -> int:
    """The points from which one checker may move by `die`, with checkers on the points `own`.

    `free` is clear(walls, die).  Checkers on the bar enter first.  When all are in
    the home, one may be borne off from the point of the die, or from the highest if all are below.
    """
    if own >> BAR != 0:
        return own & free & 1 << BAR
    if own >= BEYOND_HOME:
        return own & free
    if own >> die != 0:
        return own & (free | 1 << die)
    top = die - 1
    while top > 0 and own >> top == 0:
        top -= 1
    return own & (free | 1 << top)


@kernel
def pairs(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the turns with two different dice, ascending."""
    k = pair_sets(s, tmp)
    if tmp[SECONDS] == 0:
        return singles(tmp[LARGER_FIRST], tmp[SMALLER_FIRST], out)
    n = 0
    for b in range(1, 26):
        if tmp[SECONDS] >> b & 1:
            for i in range(0, k, 2):
                orders = tmp[i + 1] >> b & BOTH_ORDERS
                if orders != 0:
                    number = 52 * b + 2 * tmp[i]
                    if orders & 1:
                        out[n] = number
                        n += 1
                    if orders > 1:
                        out[n] = number + 1
                        n += 1
    return n


@kernel
def pair_sets(s: Ints, tmp: Ints) -> int:
    """Find the turns with two different dice, as sets of points; how many ints of tmp they fill.

    For each point that can come first, the point and the set of those that can come second, 26 bits
    for the larger die first and then 26 for the smaller one first.  At SECONDS all that can come
    second; if there are none only one die can be played, from the points at LARGER_FIRST or, if
    there are none, at SMALLER_FIRST.
    """
    base = 26 * s[TURN]
    mirror = 51 - base  # s[mirror - p]: the opponent's checkers on the mover's point p
    larger = s[LARGER]
    smaller = s[SMALLER]
    own = held(s, base)
    wall = walls(s, 26 - base)
    by_larger = clear(wall, larger)
    by_smaller = clear(wall, smaller)
    larger_first = sources(own, by_larger, larger)
    smaller_first = sources(own, by_smaller, smaller)
    seconds = 0
    k = 0
    for a in range(1, 26):
        if (larger_first | smaller_first) >> a & 1:
            stay = own ^ 1 << a if s[base + a] == 1 else own
            then_smaller = 0
            if larger_first >> a & 1:
                after = stay | 1 << a - larger if a > larger else stay
                then_smaller = sources(after, by_smaller, smaller) & (2 << a) - 1
            then_larger = 0
            if smaller_first >> a & 1:
                after = stay | 1 << a - smaller if a > smaller else stay
                then_larger = sources(after, by_larger, larger) & (1 << a) - 1
                if a <= smaller:  # two are borne off: the dice may be exchanged
                    then_larger &= ~then_smaller
                elif a > larger and then_smaller >> a - larger & 1:  # one can run either way
                    blots = s[mirror - a + larger] == 1 or s[mirror - a + smaller] == 1
                    then_larger &= -1 if blots else ~(1 << a - smaller)
            seconds |= then_smaller | then_larger
            tmp[k] = a
            tmp[k + 1] = then_larger << 26 | then_smaller
            k += 2
    tmp[SECONDS] = seconds
    tmp[LARGER_FIRST] = larger_first
    tmp[SMALLER_FIRST] = smaller_first
    return k


@kernel
def singles(larger_first: int, smaller_first: int, out: Ints) -> int:
    """Write the turns of one die, as both cannot be played: the larger if it can be, or a pass."""
    order = 1 if larger_first == 0 else 0
    points = smaller_first if larger_first == 0 else larger_first
    n = 0
    for a in range(1, 26):
        if points >> a & 1:
            out[n] = 2 * a + order
            n += 1
    if n == 0:
        out[0] = 0
        n = 1
    return n


@kernel
def reached(own: int, free: int, die: int, tmp: Ints) -> None:
    """Write the points that any step of a double may leave, ascending, into tmp at CANDIDATES."""
    for p in range(BAR, die, -1):
        if own & free & 1 << p:
            own |= 1 << p - die
    n = CANDIDATES
    for p in range(1, 26):
        if own >> p & 1 and (p <= die or free >> p & 1):
            tmp[n] = p
            n += 1


@kernel
def double_turns(s: Ints, out: Ints, tmp: Ints, grouped: bool) -> int:
    """Write the turns of a double, ascending: those that play as many of the four as any does.

    `grouped`: for all first three, write the number and the set of the points that the fourth
    checker may leave, each of which is to be added to it.

    Looks through all descending sequences of points to leave, three levels deep, and at the fourth
    writes what is left to choose.  Of each level it keeps: the points not yet tried, the next
    candidate to look at, the points held before it moves, the number so far, the point it left.
    """
    base = 26 * s[TURN]
    die = s[LARGER]
    own = held(s, base)
    free = clear(walls(s, 26 - base), die)
    for p in range(26):
        tmp[p] = s[base + p]
    reached(own, free, die, tmp)
    tmp[HELD] = own
    tmp[OPEN] = sources(own, free, die)
    tmp[TRIED] = CANDIDATES
    tmp[NUMBER] = 0
    longest = 0
    n = 0
    level = 0
    while level >= 0:
        if tmp[OPEN + level] == 0:
            level -= 1
            if level >= 0:
                p = tmp[LEFT + level]
                tmp[p] += 1
                if p > die:
                    tmp[p - die] -= 1
            continue
        i = tmp[TRIED + level]
        while tmp[OPEN + level] >> tmp[i] & 1 == 0:
            i += 1
        p = tmp[i]
        tmp[TRIED + level] = i + 1
        tmp[OPEN + level] ^= 1 << p
        number = 26 * tmp[NUMBER + level] + p
        after = tmp[HELD + level]
        if tmp[p] == 1:
            after ^= 1 << p
        if p > die:
            after |= 1 << p - die
        following = sources(after, free, die) & (2 << p) - 1
        if following == 0:
            if level + 1 > longest:
                longest = level + 1
                for _ in range(level, 3):
                    number *= 26
                out[0] = number
                n = 1
                if grouped:
                    out[1] = NONE
                    n = 2
        elif level == 2:
            if longest < 4:
                longest = 4
                n = 0
            number *= 26
            if grouped:
                out[n] = number
                out[n + 1] = following
                n += 2
            else:
                for j in range(CANDIDATES, i + 1):
                    if following >> tmp[j] & 1:
                        out[n] = number + tmp[j]
                        n += 1
        else:
            tmp[p] -= 1
            if p > die:
                tmp[p - die] += 1
            tmp[LEFT + level] = p
            level += 1
            tmp[HELD + level] = after
            tmp[OPEN + level] = following
            tmp[TRIED + level] = CANDIDATES
            tmp[NUMBER + level] = number
    if longest == 0:
        out[0] = 0
        n = 1
        if grouped:
            out[1] = NONE
            n = 2
    return n


@kernel
def play(s: Ints, a: int) -> None:
    """Roll `a`, or play the turn `a`; the other seat is next."""
    if s[LARGER] == 0:
        roll(s, a)
        return
    base = 26 * s[TURN]
    larger = s[LARGER]
    smaller = s[SMALLER]
    if larger == smaller:
        unit = 26 * 26 * 26
        while a > 0:
            step(s, base, a // unit, larger)
            a %= unit
            unit //= 26
    elif a > 0:
        f1 = (a >> 1) % 26
        f2 = a // 52
        step(s, base, f1, smaller if a & 1 else larger)
        if f2 > 0:
            step(s, base, f2, larger if a & 1 else smaller)
    s[TURN] = 1 - s[TURN]
    s[LARGER] = 0
    s[SMALLER] = 0


@kernel
def roll(s: Ints, a: int) -> None:
    """Show the dice of the roll `a`; the opening roll also tells who starts."""
    first = a // 10
    second = a % 10
    if s[TURN] < 0:
        s[TURN] = 0 if first > second else 1
    s[LARGER] = max(first, second)
    s[SMALLER] = min(first, second)


@kernel
def step(s: Ints, base: int, source: int, die: int) -> None:
    """Move one checker of the board at `base`, unchecked, and hit what stands alone there."""
    s[base + source] -= 1
    if source <= die:
        s[base] += 1
        return
    s[base + source - die] += 1
    hit = 51 - base - source + die
    if s[hit] == 1:
        s[hit] = 0
        s[51 - base] += 1


@kernel
def price(s: Ints, base: int) -> int:
    """Return what a loss costs now, to the seat whose board begins at `base`.

    One point if it has borne off a checker; else two, a gammon; or three, a backgammon, with a
    checker on the bar or in the opponent's home.
    """
    if s[base] > 0:
        return 1
    for p in range(19, 26):
        if s[base + p] > 0:
            return 3
    return 2


@kernel
def points(s: Ints) -> int:
    """At the end: what seat 0 has won, 1 to 3, or lost."""
    return price(s, 26) if s[0] == CHECKERS else -price(s, 0)


@kernel
def key(s: Ints) -> int:
    """Two polynomials over all checkers, the turn and the dice, modulo the prime 2**31 - 1.

    The factors are arbitrary; each product stays below 2**62.
    """
    high = s[TURN] + 1 << 6 | s[LARGER] << 3 | s[SMALLER]
    low = high
    for i in range(0, 26, 2):
        four = s[i] << 12 | s[i + 1] << 8 | s[i + 26] << 4 | s[i + 27]
        high = (high * 1540483477 + four) % 2147483647
        low = (low * 1103515245 + four) % 2147483647
    return high << 31 | low


def reason(p: Position) -> str:
    """Return how the game was won: "single", "gammon" or "backgammon"."""
    return ("single", "gammon", "backgammon")[abs(points(list(p.state))) - 1]


def resign_points(p: Position, seat: int) -> tuple[int, ...]:
    """Return what `seat` may resign for: a single game, a gammon, a backgammon, as far as it could
    lose one as its checkers stand.
    """
    return RESIGN_POINTS[forfeit_points(p, seat) - 1]


def forfeit_points(p: Position, seat: int) -> int:
    """Return what it costs `seat` to give up: what a loss would cost as its checkers stand."""
    return price(list(p.state), 26 * seat)
