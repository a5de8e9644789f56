"""The last phase, exactly: how many turns a side needs to bear off all its checkers, by itself.

Once both sides have all checkers at home no checker can be hit or blocked, so each goes its own
way: who needs fewer turns wins.  `build` finds for each home board the policy of least expected
turns and how many it takes under it; `chances` sets two such distributions against each other.
That is exact but for one thing: who is far ahead or far behind would sometimes do a little better
with another turn than that of the least expectation.

Row: a home board with at most 15 checkers on the points 1 to 6 has a number, `index`, ordered by
how many checkers there are, then by those on 6, on 5, ..., on 2.  So whatever one step makes of it
comes before it; row 0 is the empty board, and boards with at most n checkers are rows(n) rows.

Tables, flat; the caller allocates them, and `build` writes every item of its rows:
    tails   rows * TURNS floats: how likely it takes more than 0, 1, ... TURNS - 1 turns to be done
    first   new(most) * FIRST floats, for the boards of exactly `most` checkers, of which none is
            borne off: how likely it takes more than 0, 1, ... FIRST - 1 turns until the first is
    means   rows floats: the expected number of turns until all are borne off
    via     rows * VIA ints, while building: the best row after 1, 2 and 3 steps of each die
    tmp     SCRATCH ints, while building

`tails` and `first` may be of single precision.  `means` must not be, as it decides between turns.
With 15 checkers it takes 30 turns at most, the first one 10: beyond that the tables hold zeros.

Source: the one-sided bear-off databases of GNU Backgammon, as its manual describes them.
"""

from __future__ import annotations

from bots.engine.kernels.rules import Floats, Ints
from games.backgammon.rules import CHECKERS, TURN
from games.kernel import kernel

POSITIONS = 54_264  # rows of `tails` for 15 checkers
FULL = 15_504  # rows of `first` for 15 checkers
TURNS, FIRST = 32, 16
VIA, SCRATCH = 18, 80

ROLLS = 21
STEPS = 8  # in tmp, behind a board: the rows that one step by each die makes, 6 for each die
COUNTS = 44  # ... how many those are, from 45
BEST = 52  # ... the best row after each roll, doubles first
EQUAL = 1e-9  # expected turns that differ by less are the same, but for rounding
NEGLIGIBLE = 1e-9  # what is less likely than this is left out of a sum


@kernel
def rows(most: int) -> int:
    """How many home boards have `most` checkers or fewer."""
    return (most + 1) * (most + 2) * (most + 3) * (most + 4) * (most + 5) * (most + 6) // 720


@kernel
def new(most: int) -> int:
    """How many home boards have exactly `most` checkers."""
    return (most + 1) * (most + 2) * (most + 3) * (most + 4) * (most + 5) // 120


@kernel
def index(s: Ints, base: int) -> int:
    """The row of the home board whose point 0 is s[base]; what is beyond point 6 is not looked at.

    The sum of binomials C(n + 6, 6) - C(n5 + 4, 5) - C(n4 + 3, 4) - ... - C(n1, 1) - 1, of n
    checkers and nk of them on the points 1 to k.
    """
    n = s[base + 1]
    row = -1 - n
    n += s[base + 2]
    product = n * (n + 1)
    row -= product // 2
    n += s[base + 3]
    product = n * (n + 1) * (n + 2)
    row -= product // 6
    n += s[base + 4]
    product = n * (n + 1) * (n + 2) * (n + 3)
    row -= product // 24
    n += s[base + 5]
    product = n * (n + 1) * (n + 2) * (n + 3) * (n + 4)
    row -= product // 120
    return row + rows(n + s[base + 6])


@kernel
def at_home(s: Ints, base: int) -> int:
    """How many checkers are on the points 1 to 6."""
    return s[base + 1] + s[base + 2] + s[base + 3] + s[base + 4] + s[base + 5] + s[base + 6]


@kernel
def both_home(s: Ints) -> bool:
    """Whether no seat has a checker beyond its point 6."""
    return s[0] + at_home(s, 0) == CHECKERS and s[26] + at_home(s, 26) == CHECKERS


@kernel
def covered(s: Ints, most: int) -> bool:
    """Whether tables built for `most` checkers hold both sides, so that `chances` applies."""
    return both_home(s) and at_home(s, 0) <= most and at_home(s, 26) <= most


@kernel
def build(most: int, tails: Floats, first: Floats, means: Floats, via: Ints, tmp: Ints) -> None:
    """Fill the tables for home boards of at most `most` checkers; for 15, compiled: a second.

    `first` takes `most` checkers for all there are: it is of use to `chances` with 15 only, or
    where s[0] and s[26] are 0 when `most` are on the board.
    """
    for i in range(SCRATCH):
        tmp[i] = 0
    full = rows(most - 1) if most > 0 else 0
    for row in range(rows(most)):
        if row == 0:
            means[0] = 0
            for i in range(TURNS):
                tails[i] = 0
            for i in range(VIA):
                via[i] = 0
        else:
            advance(tmp)
            one_step(tmp)
            answer_rolls(row, means, via, tmp)
            means[row] = expected(means, tmp)
            spread(row, 0, TURNS, tails, tmp)
        if row >= full:
            spread(row, full, FIRST, first, tmp)


@kernel
def advance(board: Ints) -> None:
    """Make of a home board that of the next row."""
    p = 1
    while p < 7 and board[p] == 0:
        p += 1
    if p >= 6:  # empty, or all on point 6: one checker more, all on point 1
        n = board[p] if p == 6 else 0
        board[6] = 0
        board[1] = n + 1
    else:
        n = board[p]
        board[p] = 0
        board[1] = n - 1
        board[p + 1] += 1


@kernel
def one_step(tmp: Ints) -> None:
    """Write the rows that one step by each die makes of the board in tmp."""
    top = 6
    while tmp[top] == 0:
        top -= 1
    for die in range(1, 7):
        n = STEPS + 6 * (die - 1)
        for p in range(1, top + 1):
            if tmp[p] > 0 and (p >= die or p == top):
                tmp[p] -= 1
                if p > die:
                    tmp[p - die] += 1
                tmp[n] = index(tmp, 0)
                n += 1
                tmp[p] += 1
                if p > die:
                    tmp[p - die] -= 1
        tmp[COUNTS + die] = n


@kernel
def answer_rolls(row: int, means: Floats, via: Ints, tmp: Ints) -> None:
    """Write the best rows after 1, 2 and 3 steps of each die, and after each roll.

    Every die can be played as long as there is a checker, and any two steps are a legal turn.  Of a
    last checker that the larger die bears off alone, both dice make the same.
    """
    for die in range(1, 7):
        place = VIA * row + die - 1
        via[place] = best(die, -1, means, via, tmp)
        via[place + 6] = best(die, die - 1, means, via, tmp)
        via[place + 12] = best(die, die + 5, means, via, tmp)
        tmp[BEST + die - 1] = best(die, die + 11, means, via, tmp)
    n = BEST + 6
    for larger in range(2, 7):
        for smaller in range(1, larger):
            after = best(larger, smaller - 1, means, via, tmp)
            other = best(smaller, larger - 1, means, via, tmp)
            tmp[n] = better(after, other, means)
            n += 1


@kernel
def best(die: int, then: int, means: Floats, via: Ints, tmp: Ints) -> int:
    """The best row after a step by `die` and then, if that is >= 0, what `via` has at `then`."""
    row = -1
    for i in range(STEPS + 6 * (die - 1), tmp[COUNTS + die]):
        after = tmp[i] if then < 0 else via[VIA * tmp[i] + then]
        row = after if row < 0 else better(row, after, means)
    return row


@kernel
def better(one: int, other: int, means: Floats) -> int:
    """The row that takes fewer turns, or the lesser if they take as many: it has fewer checkers."""
    if abs(means[one] - means[other]) < EQUAL:
        return min(one, other)
    return one if means[one] < means[other] else other


@kernel
def expected(means: Floats, tmp: Ints) -> float:
    """The expected number of turns, from those after each roll."""
    total = 0.0
    for k in range(ROLLS):
        total += means[tmp[BEST + k]] * (1 if k < 6 else 2)
    return 1 + total / 36


@kernel
def spread(row: int, start: int, width: int, table: Floats, tmp: Ints) -> None:
    """Write the distribution of `row` from those after each roll.

    The table begins with the row `start`; what comes before it needs no turn more.
    """
    place = width * (row - start)
    table[place] = 1 if row > 0 else 0
    for n in range(1, width):
        table[place + n] = 0
    if row == 0:
        return
    for n in range(1, width):
        total = 0.0
        for k in range(ROLLS):
            after = tmp[BEST + k] - start
            if after >= 0:
                total += table[width * after + n - 1] * (1 if k < 6 else 2)
        table[place + n] = total / 36
        if total <= 0:
            return


@kernel
def chances(s: Ints, tails: Floats, first: Floats, out: Floats) -> None:
    """Write the chances of the seat that is to roll, as both are at home and neither is done.

    out[0..4]: to win; to win a gammon, a backgammon; to lose a gammon, a backgammon.  There is no
    backgammon any more, and a gammon only as long as the loser has borne off none.
    """
    base = 26 * s[TURN]
    mine = index(s, base)
    theirs = index(s, 26 - base)
    i = TURNS * mine
    j = TURNS * theirs
    win = 0.0
    before = float(tails[i])
    for n in range(1, TURNS):
        after = float(tails[i + n])
        other = float(tails[j + n - 1])  # one turn less: this side began
        win += (before - after) * other
        before = after
        if after * other < NEGLIGIBLE:
            break
    out[0] = win
    out[1] = gammon(s, 26 - base, theirs, i, 0, tails, first)
    out[2] = 0
    out[3] = gammon(s, base, mine, j, 1, tails, first)
    out[4] = 0


@kernel
def gammon(
    s: Ints, base: int, row: int, winner: int, more: int, tails: Floats, first: Floats
) -> float:
    """How likely the side at `base` has borne off none when the other one is done.

    Args:
        row: its own.
        winner: where the tails of the other side begin.
        more: 1 if it rolls first, 0 if the other one does.
    """
    if s[base] > 0:
        return 0.0
    place = FIRST * (row - rows(at_home(s, base) - 1)) + more
    total = 0.0
    before = float(tails[winner])
    for n in range(FIRST - 1):
        after = float(tails[winner + n + 1])
        none = float(first[place + n])
        total += (before - after) * none
        before = after
        if none < NEGLIGIBLE:
            break
    return total
