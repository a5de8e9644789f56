"""What a backgammon position looks worth, without any lookahead.

`evaluate` adds up what a player would count: points made, each at its own price, shots at blots,
blocks and primes, checkers held back, the race.  The weights are rounded from a least-squares fit
to the results of games that it played against itself, some 30,000 games at a time, eight times
over, each time with the weights found before.  Without lookahead it wins 0.683 +- 0.010 points a
game (10,000 pairs with the same dice) of the sum of five terms that it replaced.

`features` are six counts for a player with weights of his own.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.backgammon.rules import BAR, CHECKERS, TURN
from games.game import Ints
from games.kernel import kernel

POINT = 3333  # what a plain win counts
OFFSET = 40  # is added to the entries of a table, which are stored as 0 to 127


def _packed(entries: Sequence[int]) -> int:
    """Return eight small numbers as one, because a kernel has no tables."""
    return sum(entry + OFFSET << 7 * i for i, entry in enumerate(entries))


# A point held by two or more, in 200ths of a plain win: 1 to 8, 9 to 16, 17 to 24 ...
NEAR = _packed((10, 23, 33, 50, 53, 60, 5, 13))
MIDDLE = _packed((18, 10, 13, -3, 11, 0, 6, -3))
FAR = _packed((-9, -38, 43, 39, 37, 27, 12, -9))
# ... and in a race.
NEAR_RACE = _packed((-6, 17, -2, 3, 3, 4, -28, -5))
MIDDLE_RACE = _packed((-20, -19, -31, -20, 0, 0, 0, 0))

# Of 36 rolls, how many hit a blot 1 to 12 pips away when nothing is in between, five bits each.
SHOTS = sum(rolls << 5 * i for i, rolls in enumerate((11, 12, 14, 15, 15, 17, 6, 6, 5, 3, 2, 3)))


@kernel
def evaluate(s: Ints) -> int:
    """A static value from the view of whose turn it is, |value| <= 9,900; 3,333 is a plain win.

    It makes no difference whether that seat has rolled; having the turn is worth something.
    """
    if s[TURN] < 0:
        return 0
    base = 26 * s[TURN]
    other = 26 - base
    mine = pips(s, base)
    theirs = pips(s, other)
    own = last(s, base)
    their = last(s, other)
    ahead = theirs - mine
    if own + their > 25:
        value = 517 + 18382 * ahead // (mine + theirs + 8)
        value += contact(s, base, own, their) - contact(s, other, their, own)
        value += 15 * (gammon(s, base, mine) - gammon(s, other, theirs))
    else:
        value = 673 + 6083 * ahead // (mine + theirs + 8)
        value += race(s, base) - race(s, other)
        value += 26 * (gammon(s, base, mine) - gammon(s, other, theirs))
    value = 4 * POINT * value // (4 * POINT + abs(value))
    return max(-9900, min(9900, value))


@kernel
def pips(s: Ints, base: int) -> int:
    """Return how many pips the checkers of the board at `base` have before them."""
    n = 0
    for p in range(1, 26):
        n += p * s[base + p]
    return n


@kernel
def last(s: Ints, base: int) -> int:
    """The farthest point, or the bar, with a checker of the board at `base`; 0 if there is none."""
    p = BAR
    while p > 0 and s[base + p] == 0:
        p -= 1
    return p


@kernel
def worth(row: int, p: int) -> int:
    """Return the entry for point `p` of a packed row of eight."""
    return ((row >> 7 * ((p - 1) & 7) & 127) - OFFSET) * 50 // 3


@kernel
def contact(s: Ints, base: int, own: int, their: int) -> int:
    """What the checkers of the board at `base` are worth to their seat while some can be hit.

    `own` and `their` are the last checkers of this seat and of the other one.
    """
    other = 26 - base
    value = 171 * s[base]
    back = home = walls = block = shut = prime = run = exposed = stake = 0
    for p in range(1, 25):
        n = s[base + p]
        m = s[other + p]
        value += 39 * p * n
        if n > 1:
            value += worth(NEAR if p < 9 else MIDDLE if p < 17 else FAR, p)
            run += 1
            if p - run >= 25 - their:
                prime = max(prime, run)
            if 25 - their < p <= 31 - their:
                block += 1
            if n > 3:
                value -= 87 * (n - 3)
        else:
            run = 0
            if n == 1 and 25 - p < their:
                rolls = shots(s, other, 25 - p)
                exposed += rolls
                stake += rolls * (25 - p)
        if m > 1 and 25 - own < p <= 31 - own:
            shut += 1
        if p < 7:
            if n == 0:
                value += 318
            elif n > 1:
                home += 1
            if m > 1:
                walls += 1
        elif p > 18:
            back += n
    back += s[base + BAR]
    value += (32 + 39 * BAR) * s[base + BAR] - back * (305 + 38 * shut)
    value += 49 * prime * prime + 18 * block * block - 130 * block
    value += 230 * s[other + BAR] * home - 113 * (s[base + 1] + s[base + 2])
    danger = 375 - 157 * walls
    if s[other + BAR] > 0:
        danger += 146
    return value + (danger * exposed - 31 * stake) // 36


@kernel
def shots(s: Ints, other: int, place: int) -> int:
    """Return how many of 36 rolls about hit a blot at `place`, a point of the board at `other`.

    The blot would lose `place` pips; shots from farther away than that are left out, as they are
    not worth fearing: so it wins 0.10 points a game of the sum with all shots.
    """
    rolls = 0
    for away in range(1, min(place, 12, BAR - place) + 1):
        if s[other + place + away] > 0:
            rolls += SHOTS >> 5 * (away - 1) & 31
    return min(30, rolls)


@kernel
def race(s: Ints, base: int) -> int:
    """Return what the checkers of the board at `base` are worth when none can be hit any more."""
    value = -27 * s[base] - 218 * (s[base + 1] + s[base + 2])
    for p in range(1, 25):
        n = s[base + p]
        value -= 88 * p * n
        if n > 1 and p < 17:
            value += worth(NEAR_RACE if p < 9 else MIDDLE_RACE, p)
        if n > 3:
            value -= 56 * (n - 3)
        if n == 0 and p < 7:
            value -= 294
        elif p > 18:
            value -= 122 * n
    return value


@kernel
def gammon(s: Ints, base: int, own: int) -> int:
    """How close the seat of the board at `base`, with `own` pips to go, is to winning a gammon.

    In tenths of a turn: what the other one needs to bear off a checker, minus what it needs itself
    to bear off all, plus two turns; not below 0.
    """
    other = 26 - base
    if s[other] > 0:
        return 0
    way = 0
    for p in range(7, 26):
        way += (p - 6) * s[other + p]
    needed = max(own * 1000 // 817, (CHECKERS - s[base]) * 100 // 19)
    return max(0, way * 1000 // 817 + 10 - needed + 20)


@kernel
def features(s: Ints, out: Ints) -> None:
    """Write six counts, those of whose turn it is minus the other's.

    0 block     points held among the six in front of the other's last checker, squared
    1 hit       the other's checkers on the bar
    2 advance   pips that have been made
    3 safe      points held by two or more
    4 blots     checkers that stand alone where they can still be hit
    5 off       checkers borne off
    """
    base = 26 * s[TURN]
    for i in range(6):
        out[i] = 0
    for sign in range(1, -2, -2):
        other = 26 - base
        farthest = last(s, other)
        block = 0
        for p in range(1, 25):
            n = s[base + p]
            out[2] -= sign * p * n
            if n > 1:
                out[3] += sign
                if 25 - farthest < p <= 31 - farthest:
                    block += 1
            elif n == 1 and 25 - p < farthest:
                out[4] += sign
        out[0] += sign * block * block
        out[1] += sign * s[other + BAR]
        out[2] -= sign * BAR * s[base + BAR]
        out[5] += sign * s[base]
        base = other
