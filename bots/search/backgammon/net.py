"""Three small nets that judge backgammon: what the side on roll may win and lose, before it rolls.

    CONTACT  both sides have checkers in the other's home, or on the bar
    ONE_WAY  some can still be hit, but one side at least has brought all its checkers away
    RACE     nobody can be hit any more

A net has INPUTS inputs (inputs.py), one layer of hidden units, and OUTPUTS outputs: the chances to
win, to win a gammon or more, to win a backgammon, to lose a gammon or more, to lose a backgammon.
What is left is the chance to lose, so the equity in points is 2 win - 1, plus the second and third,
minus the fourth and fifth.  Where the last phase is known exactly (bearoff.py), it tells instead.

`w`, single precision: all nets behind each other.  One with H hidden units is INPUTS x H weights,
OUTPUTS x H weights, and OUTPUTS biases.  `shape`: of each net where it begins, and H; then the most
checkers of the table of bearoff.py, 0 for none.  The other arrays are the scratch of one thread:

    inputs, times  INPUTS each: which inputs are not 0, or have changed, and by how much
    shown          SIGHTS of a position; `was`: of the one before a turn
    work           as the widest net: what comes into the hidden units, then what comes out
    told           OUTPUTS
    sums           KINDS times the widest net: what the inputs before a turn add up to
    seen           KINDS: which of these have been added up
    after          OUTPUTS for each of MAX_LEGAL turns
"""

from __future__ import annotations

from math import exp

from bots.search.backgammon.bearoff import chances, covered
from bots.search.backgammon.inputs import (
    INPUTS,
    ROWS,
    SIGHTS,
    STEPS,
    row_value,
    sights,
)
from bots.search.hints import place, single
from bots.search.rules import STATE, Floats, Ints, play
from games.backgammon.evaluation import last
from games.backgammon.rules import BAR, CHECKERS, TURN, price
from games.kernel import kernel

CONTACT, ONE_WAY, RACE = 0, 1, 2
KINDS = 3
EXACT, OVER = 3, 4
OUTPUTS = 5
MOST = 2 * KINDS  # where in `shape` the table's number of checkers stands
SHAPE = MOST + 1
LOOSE = True  # floats may be added in any order: see bots/compiled.py


@kernel
def size(hidden: int) -> int:
    """How many weights a net has."""
    return (INPUTS + OUTPUTS) * hidden + OUTPUTS


@kernel
def kind(s: Ints, most: int) -> int:
    """Which net judges this position, or EXACT, or OVER."""
    if s[0] == CHECKERS or s[26] == CHECKERS:
        return OVER
    first = last(s, 0)
    second = last(s, 26)
    if first + second <= BAR:
        return EXACT if most > 0 and covered(s, most) else RACE
    return CONTACT if first > 18 and second > 18 else ONE_WAY


@kernel
def list_inputs(s: Ints, shown: Floats, inputs: Ints, times: Floats) -> int:
    """Write the inputs of a position, seen by s[TURN], that are not 0, and their values; how many.

    `shown` are its sights.
    """
    inputs[0] = ROWS
    times[0] = 1.0
    n = 1
    mine = 26 * s[TURN]
    for half in range(2):
        base = mine if half == 0 else 26 - mine
        for p in range(1, BAR + 1):
            count = s[base + p]
            row = (half * BAR + p - 1) * STEPS
            for step in range(min(count, STEPS)):
                inputs[n] = row + step
                times[n] = row_value(count, step)
                n += 1
    for i in range(SIGHTS):
        if shown[i] != 0.0:
            inputs[n] = ROWS + 1 + i
            times[n] = shown[i]
            n += 1
    return n


@kernel
def list_changes(
    before: Ints, after: Ints, was: Floats, shown: Floats, inputs: Ints, times: Floats
) -> int:
    """Write the inputs that differ between two positions, and by how much; how many do.

    Both are seen by after[TURN]; `was` and `shown` are their sights.
    """
    n = 0
    mine = 26 * after[TURN]
    for half in range(2):
        base = mine if half == 0 else 26 - mine
        for p in range(1, BAR + 1):
            old = before[base + p]
            new = after[base + p]
            if old != new:
                row = (half * BAR + p - 1) * STEPS
                for step in range(min(old, new, STEPS - 1), min(max(old, new), STEPS)):
                    inputs[n] = row + step
                    times[n] = row_value(new, step) - row_value(old, step)
                    n += 1
    for i in range(SIGHTS):
        if shown[i] != was[i]:
            inputs[n] = ROWS + 1 + i
            times[n] = shown[i] - was[i]
            n += 1
    return n


@kernel
def add_up(
    w: Floats, start: int, hidden: int, inputs: Ints, times: Floats, n: int, acc: Floats, at: int
) -> None:
    """Add what n inputs bring to the hidden units to what is in `acc` from `at` on."""
    for i in range(0, n - 3, 4):
        a = times[i]
        b = times[i + 1]
        c = times[i + 2]
        d = times[i + 3]
        first = start + inputs[i] * hidden
        second = start + inputs[i + 1] * hidden
        third = start + inputs[i + 2] * hidden
        fourth = start + inputs[i + 3] * hidden
        for h in range(hidden):
            acc[place(at + h)] += (
                a * w[place(first + h)]
                + b * w[place(second + h)]
                + c * w[place(third + h)]
                + d * w[place(fourth + h)]
            )
    for i in range(n - n % 4, n):
        a = times[i]
        first = start + inputs[i] * hidden
        for h in range(hidden):
            acc[place(at + h)] += a * w[place(first + h)]


@kernel
def fire(w: Floats, start: int, hidden: int, work: Floats, told: Floats) -> None:
    """From what comes into the hidden units to the chances: `work` becomes what comes out of them.

    A hidden unit is near to tanh(x / 2): y (27 + y^2) / (27 + 9 y^2) with y = x / 2, |y| <= 3.
    """
    half = single(0.5)
    low = single(-3.0)
    high = single(3.0)
    three_cubed = single(27.0)
    nine = single(9.0)
    for h in range(hidden):
        y = min(high, max(low, half * work[place(h)]))
        square = y * y
        work[place(h)] = y * (three_cubed + square) / (three_cubed + nine * square)
    row = start + INPUTS * hidden
    for o in range(OUTPUTS):
        total = w[row + (OUTPUTS - o) * hidden + o]
        for h in range(hidden):
            total += work[place(h)] * w[place(row + h)]
        told[o] = 1.0 / (1.0 + exp(-total))
        row += hidden


@kernel
def hold(s: Ints, told: Floats) -> None:
    """Make chances agree with the position and with each other, for s[TURN] on roll."""
    base = 26 * s[TURN]
    if s[26 - base] > 0:
        told[1] = 0.0
        told[2] = 0.0
    if s[base] > 0:
        told[3] = 0.0
        told[4] = 0.0
    told[1] = min(told[1], told[0])
    told[2] = min(told[2], told[1])
    told[3] = min(told[3], single(1.0) - told[0])
    told[4] = min(told[4], told[3])


@kernel
def result(s: Ints, told: Floats) -> None:
    """The chances when the game is over and the other side than s[TURN] has won."""
    lost = price(s, 26 * s[TURN])
    for o in range(OUTPUTS):
        told[o] = 0.0
    told[3] = 1.0 if lost > 1 else 0.0
    told[4] = 1.0 if lost > 2 else 0.0


@kernel
def turn_round(told: Floats, at: int) -> None:
    """Make the chances from told[at] on those of the other side."""
    told[at] = single(1.0) - told[at]
    for o in range(1, 3):
        mine = told[at + o]
        told[at + o] = told[at + o + 2]
        told[at + o + 2] = mine


@kernel
def equity(told: Floats, at: int) -> float:
    """What the chances from told[at] on are worth, in points."""
    win = told[at] + told[at] + told[at + 1] + told[at + 2]
    return win - told[at + 3] - told[at + 4] - single(1.0)


@kernel
def judge(
    s: Ints,
    w: Floats,
    shape: Ints,
    table: Ints,
    tails: Floats,
    first: Floats,
    inputs: Ints,
    times: Floats,
    shown: Floats,
    work: Floats,
    told: Floats,
) -> int:
    """Write the chances of s[TURN], who is on roll or has lost, into told[0..4]; who told it."""
    found = kind(s, shape[MOST])
    if found == OVER:
        result(s, told)
    elif found == EXACT:
        chances(s, tails, first, told)
    else:
        start = shape[2 * found]
        hidden = shape[2 * found + 1]
        sights(s, table, shown)
        n = list_inputs(s, shown, inputs, times)
        for h in range(hidden):
            work[place(h)] = single(0.0)
        add_up(w, start, hidden, inputs, times, n, work, 0)
        fire(w, start, hidden, work, told)
        hold(s, told)
    return found


@kernel
def judge_turns(
    s: Ints,
    turns: Ints,
    n: int,
    t: Ints,
    w: Floats,
    shape: Ints,
    table: Ints,
    tails: Floats,
    first: Floats,
    inputs: Ints,
    times: Floats,
    shown: Floats,
    work: Floats,
    told: Floats,
    was: Floats,
    sums: Floats,
    seen: Ints,
    after: Floats,
    values: Floats,
    stop: Ints,
) -> int:
    """Write what each of n turns in `s` leaves the mover, in points, into `values`; the best one.

    Into `after` go the chances after each of them, for the other side, who is then on roll.  Inputs
    are summed up once a net, for the position before, and then only changed.  Ties go to the first
    turn; -1 if `stop` was set before all were judged.
    """
    mover = s[TURN]
    s[TURN] = 1 - mover
    sights(s, table, was)
    widest = 0
    for k in range(KINDS):
        seen[k] = 0
        widest = max(widest, shape[2 * k + 1])
    best = 0
    for i in range(n):
        if stop[0] != 0:
            best = -1
            break
        for j in range(STATE):
            t[j] = s[j]
        t[TURN] = mover
        play(t, turns[i])
        found = kind(t, shape[MOST])
        if found == OVER:
            result(t, told)
        elif found == EXACT:
            chances(t, tails, first, told)
        else:
            start = shape[2 * found]
            hidden = shape[2 * found + 1]
            at = widest * found
            if seen[found] == 0:
                seen[found] = 1
                for h in range(hidden):
                    sums[place(at + h)] = single(0.0)
                count = list_inputs(s, was, inputs, times)
                add_up(w, start, hidden, inputs, times, count, sums, at)
            for h in range(hidden):
                work[place(h)] = sums[place(at + h)]
            sights(t, table, shown)
            count = list_changes(s, t, was, shown, inputs, times)
            add_up(w, start, hidden, inputs, times, count, work, 0)
            fire(w, start, hidden, work, told)
            hold(t, told)
        values[i] = -equity(told, 0)
        if values[i] > values[best]:
            best = i
        for o in range(OUTPUTS):
            after[i * OUTPUTS + o] = told[o]
    s[TURN] = mover
    return best
