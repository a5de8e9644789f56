"""What a backgammon position shows to the nets: counts of checkers, and what a player would see.

There are inputs for the side on roll and for the other one, each counted from its own side:

    rows     STEPS of each side and each point from 1 to the bar: whether one, two, three checkers
             or more stand there, and half of those beyond three.  A checker that moves changes two
             of them, so nets keep sums of what rows add, and change those (net.py).
    features SIDE of each side and BOTH of both, worked out anew for each position: shots, blocks,
             escapes, timing ...  Each is scaled to lie between about 0 and 1.

Sources: G. Tesauro, "Temporal Difference Learning and TD-Gammon", CACM 38(3), 1995, for the counts;
most features follow ideas of GNU Backgammon's inputs, those of H. Berliner's BKG before it.
"""

from __future__ import annotations

from bots.engine.kernels.hints import place
from bots.engine.kernels.rules import Floats, Ints
from games.backgammon.evaluation import last
from games.backgammon.playouts import count
from games.backgammon.rules import BAR, CHECKERS, TURN
from games.kernel import kernel

STEPS = 4  # rows of a point
ROWS = 2 * BAR * STEPS
SIDE = 31  # features of one side
BOTH = 2
FEATURES = 2 * SIDE + BOTH
INPUTS = ROWS + 1 + FEATURES  # the one between is always 1

MEANING = 1  # another number wherever an input means something else: weights fit only their own
ESCAPES = 513  # ints in the table of escapes, the last one
BLIND = 512  # being 1 for nets that see nothing but checkers
ROLLS = 36
HOME, FAR_HOME = 6, 19  # one's own home reaches up to the first, the other's begins at the second
ALL_POINTS = (1 << 25) - 2
HOME_POINTS = (1 << 7) - 2
LOOSE = True  # floats may be divided by multiplying: see bots/engine/compiled.py


@kernel
def list_escapes(table: Ints) -> None:
    """Write for each set of blocked points ahead how many of 36 rolls a checker can play whole.

    Of a double two steps are enough, and beyond the board nothing is blocked.

    Bit 12 - d of a set: the point d pips ahead is blocked.  An int holds eight sets, 7 bits each.
    """
    for i in range(ESCAPES):
        table[i] = 0
    for ahead in range(8 * BLIND):
        rolls = 0
        for a in range(1, 7):
            for b in range(1, a + 1):
                begins = ahead >> 12 - a & 1 == 0 or ahead >> 12 - b & 1 == 0
                if begins and ahead >> 12 - a - b & 1 == 0:
                    rolls += 1 if a == b else 2
        table[ahead >> 3] |= rolls << 7 * (ahead & 7)


@kernel
def escaping(table: Ints, wall: int, point: int) -> int:
    """How many of 36 rolls a checker on `point` can play whole, with the points `wall` blocked."""
    ahead = (wall >> point - 12 if point >= 12 else wall << 12 - point) & 4095
    return table[ahead >> 3] >> 7 * (ahead & 7) & 127


@kernel
def top(points: int) -> int:
    """The highest point of a set that is not empty; points are below 32."""
    high = 0
    if points >> 16 != 0:
        high = 16
    if points >> high + 8 != 0:
        high += 8
    if points >> high + 4 != 0:
        high += 4
    if points >> high + 2 != 0:
        high += 2
    return high + 1 if points >> high + 1 != 0 else high


@kernel
def hits(own: int, on_bar: int, wall: int, blots: int) -> int:
    """How many of 36 rolls hit, and 64 times the pips that they cost, the dearest blot counted.

    Sets of points as the shooter counts them: its checkers, the bar included, what is blocked for
    it, and the other side's blots.  A roll hits if single steps with its dice do.  So a few count
    that the rules forbid, as another turn plays both dice, or the larger one.
    """
    if blots == 0:
        return 0
    total = 0
    others = own & ALL_POINTS
    for a in range(1, 7):
        for b in range(1, a + 1):
            hit = 0
            if a == b:
                if on_bar == 0 or wall >> BAR - a & 1 == 0:
                    moving = others
                    if on_bar > 0:
                        moving |= 1 << BAR - a
                        hit = moving & blots & 1 << BAR - a
                    for _ in range(4 - on_bar):
                        moving >>= a
                        hit |= moving & blots
                        moving &= ~wall
            elif on_bar == 0:
                by_a = own >> a
                by_b = own >> b
                hit = (by_a | by_b | (by_a & ~wall) >> b | (by_b & ~wall) >> a) & blots
            else:
                for i in range(2):
                    enters = BAR - a if i == 0 else BAR - b
                    if wall >> enters & 1 == 0:
                        hit |= 1 << enters & blots
                        if on_bar == 1:
                            hit |= (others | 1 << enters) >> (b if i == 0 else a) & blots
            if hit != 0:
                weight = 1 if a == b else 2
                total += weight + 64 * weight * top(hit)
    return total


@kernel
def side(s: Ints, base: int, rear: int, their_rear: int, table: Ints, out: Floats, at: int) -> None:
    """Write the SIDE features of the board at `base` into out from `at` on.

    `rear` and `their_rear` are the farthest checkers of this side and of the other one, each by
    its own count; 0: all are off.
    """
    other = 26 - base
    past = BAR - their_rear  # checkers up to there have none left to meet
    own = made = wall = blots = 0
    pips = squares = alone = stacked = block = free = 0
    for p in range(1, 25):
        n = s[place(base + p)]
        m = s[place(other + BAR - p)]
        own |= (n > 0) << p
        made |= (n > 1) << p
        wall |= (m > 1) << p
        blots |= (m == 1) << p
        alone += n == 1
        stacked += max(n - 3, 0)
        pips += p * n
        squares += p * p * n
        block += max(p - past, 0) * n
        free += (p if p <= past else 0) * n
    reserve = 0
    for p in range(2, HOME + 1):
        reserve += max(s[place(base + p)] - 2, 0) * (p - 1)
    for p in range(HOME + 1, FAR_HOME):
        reserve += s[place(base + p)] * (p - HOME)
    on_bar = s[base + BAR]
    own |= (on_bar > 0) << BAR
    pips += BAR * on_bar
    squares += BAR * BAR * on_bar
    block += (BAR - past) * on_bar
    wait = 0
    for p in range(HOME + 1, BAR + 1):
        if own >> p & 1:
            wait += (p - HOME + 1) * s[base + p] * escaping(table, wall, p)
    left = CHECKERS - s[base]
    home = count(made & HOME_POINTS)
    prime = longest(made)
    shots = hits(own, on_bar, wall, blots)

    out[at] = min(s[base], 5) / 5
    out[at + 1] = min(max(s[base] - 5, 0), 5) / 5
    out[at + 2] = max(s[base] - 10, 0) / 5
    out[at + 3] = pips / 167
    out[at + 4] = home / 6
    out[at + 5] = home / 6 if s[other + BAR] > 0 else 0.0
    out[at + 6] = (shots & 63) / ROLLS
    out[at + 7] = (shots >> 6) / (12 * ROLLS)
    out[at + 8] = escaping(table, wall, rear) / ROLLS if rear > 0 else 1.0
    held_back(wall, rear, table, out, at + 9)
    out[at + 12] = wait / 3600
    out[at + 13] = block / 152
    out[at + 14] = prime / 6
    out[at + 15] = 1.0 if prime >= 5 else 0.0
    out[at + 16] = (left * squares - pips * pips) / (50.0 * left * left) if left > 0 else 0.0
    out[at + 17] = alone / 5
    out[at + 18] = back_checkers(s, base) / 5
    out[at + 19] = free / 100
    out[at + 20] = reserve / 100
    out[at + 21] = stacked / 6
    out[at + 22] = (s[base + 1] + s[base + 2]) / 6
    out[at + 23] = rear / BAR
    anchors(s, base, made, wall, out, at + 24)
    second = own & ((1 << rear) - 1)
    out[at + 29] = escaping(table, wall, top(second)) / ROLLS if second != 0 else 1.0
    out[at + 30] = min(on_bar, 2) * 0.5 * out[at + 26]


@kernel
def longest(points: int) -> int:
    """The most points of a set that are next to each other."""
    n = 0
    while points != 0:
        points &= points >> 1
        n += 1
    return n


@kernel
def held_back(wall: int, rear: int, table: Ints, out: Floats, at: int) -> None:
    """Write how well the points `wall` hold back a checker from 15 to 24: the least of the rolls
    that escape, subtracted from 36; its square; and the same up to the `rear` checker only."""
    least = near = ROLLS
    for p in range(15, 25):
        rolls = escaping(table, wall, p)
        if rolls < least:
            least = rolls
        if rolls < near and p <= rear:
            near = rolls
    held = (ROLLS - least) / ROLLS
    out[at] = held
    out[at + 1] = held * held
    out[at + 2] = (ROLLS - near) / ROLLS


@kernel
def back_checkers(s: Ints, base: int) -> int:
    """How many checkers of the board at `base` are in the other's home or on the bar."""
    n = 0
    for p in range(FAR_HOME, BAR + 1):
        n += s[place(base + p)]
    return n


@kernel
def anchors(s: Ints, base: int, made: int, wall: int, out: Floats, at: int) -> None:
    """Write five features of the other's home: the farthest point held there, the nearest, those
    closed to us, squared, and the checkers on two anchors or more, or on a single one."""
    held = made >> FAR_HOME & 63
    number = count(held)
    checkers = 0
    for p in range(FAR_HOME, 25):
        checkers += s[place(base + p)] * (made >> p & 1)
    closed = count(wall >> FAR_HOME)
    out[at] = (top(held) + 1) / 6 if number > 0 else 0.0
    out[at + 1] = (6 - top(held & -held)) / 6 if number > 0 else 0.0
    out[at + 2] = closed * closed / ROLLS
    out[at + 3] = (checkers - 3) / 4 if number > 1 else 0.0
    out[at + 4] = checkers / 8 if number == 1 else 0.0


@kernel
def features(s: Ints, table: Ints, out: Floats) -> None:
    """Write the FEATURES for s[TURN], on roll: its own, the other's, and the pips of both.

    `table` is that of `list_escapes`.  If it is BLIND, they are all 0.
    """
    if table[BLIND] != 0:
        for i in range(FEATURES):
            out[i] = 0.0
        return
    base = 26 * s[TURN]
    other = 26 - base
    rear = last(s, base)
    their_rear = last(s, other)
    side(s, base, rear, their_rear, table, out, 0)
    side(s, other, their_rear, rear, table, out, SIDE)
    ahead = (out[SIDE + 3] - out[3]) * 167.0
    out[2 * SIDE] = ahead / 100.0
    out[2 * SIDE + 1] = max(-1.0, min(1.0, ahead / 25.0))


@kernel
def row_value(n: int, step: int) -> float:
    """What the row `step` of a point with `n` checkers is worth: 0, 1, or a half for each."""
    if step < 3:
        return 1.0 if n > step else 0.0
    return (n - 3) * 0.5 if n > 3 else 0.0
