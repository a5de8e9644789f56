"""Three small nets that judge backgammon: what the side on roll may win and lose, before it rolls.

    CONTACT  both sides have checkers in the other's home, or on the bar
    ONE_WAY  some can still be hit, but one side at least has brought all its checkers away
    RACE     no checker can be hit any more

A net has INPUTS inputs (inputs.py), one layer of hidden units, and OUTPUTS outputs: the chances to
win, to win a gammon or more, to win a backgammon, to lose a gammon or more, to lose a backgammon.
What is left is the chance to lose, so the equity in points is 2 win - 1, plus the second and third,
minus the fourth and fifth.  Where the last phase is known exactly, the table of bearoff.py answers
instead.

The arrays that all this works on are those of records.py.
"""

from __future__ import annotations

from math import exp

from bots.backgammon.kernels.bearoff import chances, covered
from bots.backgammon.kernels.inputs import FEATURES, INPUTS, ROWS, STEPS, features, row_value
from bots.backgammon.kernels.records import NetArrays, Workspace
from bots.engine.kernels.hints import place, single
from bots.engine.kernels.rules import STATE, Floats, Ints, play
from games.backgammon.evaluation import last
from games.backgammon.rules import BAR, CHECKERS, TURN, price
from games.kernel import kernel

CONTACT, ONE_WAY, RACE = 0, 1, 2
KINDS = 3
EXACT, OVER = 3, 4
OUTPUTS = 5
TABLE_AT = 2 * KINDS  # where in `shape` the table's number of checkers stands
SHAPE = TABLE_AT + 1
LOOSE = True  # floats may be added in any order: see bots/engine/compiled.py


@kernel
def size(width: int) -> int:
    """How many weights a net of `width` hidden units has."""
    return (INPUTS + OUTPUTS) * width + OUTPUTS


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
def list_inputs(s: Ints, values: Floats, inputs: Ints, times: Floats) -> int:
    """Write the inputs of a position, seen by s[TURN], that are not 0, and their values; how many.

    `values` are its features.
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
    for i in range(FEATURES):
        if values[i] != 0.0:
            inputs[n] = ROWS + 1 + i
            times[n] = values[i]
            n += 1
    return n


@kernel
def list_changes(
    before: Ints, after: Ints, old_values: Floats, values: Floats, inputs: Ints, times: Floats
) -> int:
    """Write the inputs that differ between two positions, and by how much; how many do.

    Both are seen by after[TURN]; `old_values` and `values` are their features.
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
    for i in range(FEATURES):
        if values[i] != old_values[i]:
            inputs[n] = ROWS + 1 + i
            times[n] = values[i] - old_values[i]
            n += 1
    return n


@kernel
def add_up(
    w: Floats, start: int, width: int, inputs: Ints, times: Floats, n: int, acc: Floats, at: int
) -> None:
    """Add what n inputs bring to the hidden units to what is in `acc` from `at` on."""
    for i in range(0, n - 3, 4):
        a = times[i]
        b = times[i + 1]
        c = times[i + 2]
        d = times[i + 3]
        first = start + inputs[i] * width
        second = start + inputs[i + 1] * width
        third = start + inputs[i + 2] * width
        fourth = start + inputs[i + 3] * width
        for h in range(width):
            acc[place(at + h)] += (
                a * w[place(first + h)]
                + b * w[place(second + h)]
                + c * w[place(third + h)]
                + d * w[place(fourth + h)]
            )
    for i in range(n - n % 4, n):
        a = times[i]
        first = start + inputs[i] * width
        for h in range(width):
            acc[place(at + h)] += a * w[place(first + h)]


@kernel
def fire(w: Floats, start: int, width: int, hidden: Floats, out: Floats) -> None:
    """Make of what comes into the hidden units what comes out of them, and of that the chances.

    A hidden unit is near to tanh(x / 2): y (27 + y^2) / (27 + 9 y^2) with y = x / 2, |y| <= 3.
    """
    half = single(0.5)
    low = single(-3.0)
    high = single(3.0)
    three_cubed = single(27.0)
    nine = single(9.0)
    for h in range(width):
        y = min(high, max(low, half * hidden[place(h)]))
        square = y * y
        hidden[place(h)] = y * (three_cubed + square) / (three_cubed + nine * square)
    row = start + INPUTS * width
    for o in range(OUTPUTS):
        total = w[row + (OUTPUTS - o) * width + o]
        for h in range(width):
            total += hidden[place(h)] * w[place(row + h)]
        out[o] = 1.0 / (1.0 + exp(-total))
        row += width


@kernel
def hold(s: Ints, out: Floats) -> None:
    """Make chances agree with the position and with each other, for s[TURN] on roll."""
    base = 26 * s[TURN]
    if s[26 - base] > 0:
        out[1] = 0.0
        out[2] = 0.0
    if s[base] > 0:
        out[3] = 0.0
        out[4] = 0.0
    out[1] = min(out[1], out[0])
    out[2] = min(out[2], out[1])
    out[3] = min(out[3], single(1.0) - out[0])
    out[4] = min(out[4], out[3])


@kernel
def result(s: Ints, out: Floats) -> None:
    """The chances when the game is over and the other side than s[TURN] has won."""
    lost = price(s, 26 * s[TURN])
    for o in range(OUTPUTS):
        out[o] = 0.0
    out[3] = 1.0 if lost > 1 else 0.0
    out[4] = 1.0 if lost > 2 else 0.0


@kernel
def turn_round(out: Floats, at: int) -> None:
    """Make the chances from out[at] on those of the other side."""
    out[at] = single(1.0) - out[at]
    for o in range(1, 3):
        mine = out[at + o]
        out[at + o] = out[at + o + 2]
        out[at + o + 2] = mine


@kernel
def equity(out: Floats, at: int, prices: Floats, seat: int) -> float:
    """What the chances from out[at] on, those of `seat`, are worth to it, in points.

    A game won singly counts 1, one that is lost singly -1; `prices` say what each chance adds to
    the latter: 2, 1, 1, -1, -1 in money play, and at a score what gammons are worth there.
    """
    row = OUTPUTS * seat
    value = prices[row] * out[at] - single(1.0)
    for o in range(1, OUTPUTS):
        value += prices[row + o] * out[at + o]
    return value


@kernel
def judge(s: Ints, net: NetArrays, space: Workspace) -> int:
    """Write the chances of s[TURN], who is on roll or has lost, into space.chances.

    Returns: which net they come from, or EXACT, or OVER.
    """
    which = kind(s, net.shape[TABLE_AT])
    if which == OVER:
        result(s, space.chances)
    elif which == EXACT:
        chances(s, net.tails, net.first, space.chances)
    else:
        evaluate_net(s, which, net, space)
        hold(s, space.chances)
    return which


@kernel
def evaluate_net(s: Ints, which: int, net: NetArrays, space: Workspace) -> int:
    """Write what one net says of a position, and what its hidden units put out.

    Returns: how many inputs are not 0; they are left in space.inputs and space.times.
    """
    start = net.shape[2 * which]
    width = net.shape[2 * which + 1]
    hidden = space.hidden
    features(s, net.escapes, space.features)
    n = list_inputs(s, space.features, space.inputs, space.times)
    for h in range(width):
        hidden[place(h)] = single(0.0)
    add_up(net.weights, start, width, space.inputs, space.times, n, hidden, 0)
    fire(net.weights, start, width, hidden, space.chances)
    return n


@kernel
def judge_turns(s: Ints, n: int, net: NetArrays, space: Workspace, stop: Ints) -> int:
    """Judge the first n of space.turns in `s`; the best one.

    Into space.values goes what each leaves the mover, in points by space.prices; into space.after
    the chances after it, for the other side, who is then on roll.  Inputs are summed up once a net,
    for the position before, and then only changed.  Ties go to the first turn; -1 if `stop` was set
    before all were judged.
    """
    t = space.t
    sums = space.sums
    hidden = space.hidden
    values = space.values
    mover = s[TURN]
    s[TURN] = 1 - mover
    features(s, net.escapes, space.features_before)
    widest = 0
    for k in range(KINDS):
        space.summed[k] = 0
        widest = max(widest, net.shape[2 * k + 1])
    best = 0
    for i in range(n):
        if stop[0] != 0:
            best = -1
            break
        for j in range(STATE):
            t[j] = s[j]
        t[TURN] = mover
        play(t, space.turns[i])
        which = kind(t, net.shape[TABLE_AT])
        if which == OVER:
            result(t, space.chances)
        elif which == EXACT:
            chances(t, net.tails, net.first, space.chances)
        else:
            start = net.shape[2 * which]
            width = net.shape[2 * which + 1]
            at = widest * which
            if space.summed[which] == 0:
                space.summed[which] = 1
                for h in range(width):
                    sums[place(at + h)] = single(0.0)
                count = list_inputs(s, space.features_before, space.inputs, space.times)
                add_up(net.weights, start, width, space.inputs, space.times, count, sums, at)
            for h in range(width):
                hidden[place(h)] = sums[place(at + h)]
            features(t, net.escapes, space.features)
            count = list_changes(
                s, t, space.features_before, space.features, space.inputs, space.times
            )
            add_up(net.weights, start, width, space.inputs, space.times, count, hidden, 0)
            fire(net.weights, start, width, hidden, space.chances)
            hold(t, space.chances)
        values[i] = -equity(space.chances, 0, space.prices, 1 - mover)
        if values[i] > values[best]:
            best = i
        for o in range(OUTPUTS):
            space.after[i * OUTPUTS + o] = space.chances[o]
    s[TURN] = mover
    return best
