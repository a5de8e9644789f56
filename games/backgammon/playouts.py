"""Random games of backgammon, in which no list of turns is written.

Every legal turn is as likely as any other, every roll as its weight says; a turn is found by its
place among all of them, which are counted as sets of points.
"""

from __future__ import annotations

from games.backgammon.rules import (
    CHECKERS,
    LARGER,
    LARGER_FIRST,
    MAX_PLIES,
    SECONDS,
    SMALLER,
    SMALLER_FIRST,
    TURN,
    double_turns,
    pair_sets,
    play,
    points,
    singles,
)
from games.game import Ints
from games.kernel import kernel
from games.rng import below

POINTS = 26  # of the larger die first, in a set of `pair_sets`; those of the smaller one follow


@kernel
def playout(s: Ints, rng: Ints, out: Ints, tmp: Ints) -> int:
    """Roll and play at random until the game is over: seat 0's points, 0 after MAX_PLIES."""
    for _ in range(MAX_PLIES):
        if s[0] == CHECKERS or s[26] == CHECKERS:
            return points(s)
        if s[LARGER] == 0:
            throw(s, rng)
        else:
            n = turns(s, out, tmp)
            play(s, turn(s, out, tmp, below(rng, n)))
    return points(s) if s[0] == CHECKERS or s[26] == CHECKERS else 0


@kernel
def throw(s: Ints, rng: Ints) -> None:
    """Roll two dice; before the opening two different ones, which tell who starts."""
    if s[TURN] < 0:
        lot = below(rng, 30)
        first = lot // 5
        second = lot % 5
        if second >= first:
            second += 1
        s[TURN] = 0 if first > second else 1
    else:
        lot = below(rng, 36)
        first = lot // 6
        second = lot % 6
    s[LARGER] = max(first, second) + 1
    s[SMALLER] = min(first, second) + 1


@kernel
def count(bits: int) -> int:
    """Return how many bits are set."""
    n = 0
    while bits != 0:
        bits &= bits - 1
        n += 1
    return n


@kernel
def bit(bits: int, k: int) -> int:
    """Return the place of the k-th bit that is set, from 0."""
    for _ in range(k):
        bits &= bits - 1
    return count((bits & -bits) - 1)


@kernel
def turns(s: Ints, out: Ints, tmp: Ints) -> int:
    """How many turns there are, as many as `legal` says; out and tmp hold what `turn` needs."""
    n = 0
    if s[LARGER] == s[SMALLER]:
        k = double_turns(s, out, tmp, True)
        for i in range(1, k, 2):
            n += count(out[i])
        return n
    k = pair_sets(s, tmp)
    if tmp[SECONDS] == 0:
        return singles(tmp[LARGER_FIRST], tmp[SMALLER_FIRST], out)
    for i in range(1, k, 2):
        n += count(tmp[i])
    return n


@kernel
def turn(s: Ints, out: Ints, tmp: Ints, k: int) -> int:
    """Return the k-th turn, from 0, in an order of its own; right after `turns`."""
    if s[LARGER] == s[SMALLER]:
        i = 1
        n = count(out[1])
        while k >= n:
            k -= n
            i += 2
            n = count(out[i])
        return out[i - 1] + bit(out[i], k)
    if tmp[SECONDS] == 0:
        return out[k]
    i = 1
    n = count(tmp[1])
    while k >= n:
        k -= n
        i += 2
        n = count(tmp[i])
    b = bit(tmp[i], k)
    if b < POINTS:
        return 52 * b + 2 * tmp[i - 1]
    return 52 * (b - POINTS) + 2 * tmp[i - 1] + 1
