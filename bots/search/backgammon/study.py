"""Lessons: what lookahead says of positions, learnt until the nets say it without.

Temporal differences teach a net what its own turns lead to, one throw of the dice at a time, by
steps of one length for all weights.  That gets a net to where its steps only chase its luck.  So it
goes on with lessons: games in which each position that is left has a target without that luck, and
many passes over those in batches, by steps of which each weight has its own length (Adam).

The target of a position is what one ply of lookahead says of it, the average over all 21 rolls.  To
that comes lambda times what lookahead changed in the opinion of the position after it, lambda
squared times that of the next one, and so on: a lambda-return in which nothing is left to the dice
but where they led to.  A turn that is not the best ends the returns of those before it.

A position is kept as PACKED ints, and its chances as OUTPUTS floats.

Sources: R. Sutton, A. Barto, "Reinforcement Learning", 2nd edition, 2018, chapter 12, for returns
that end where a turn is not the best (Watkins); D. Kingma, J. Ba, "Adam: A Method for Stochastic
Optimization", 2015.
"""

from __future__ import annotations

from math import sqrt

from bots.search.backgammon.inputs import sights
from bots.search.backgammon.lookahead import one_ply
from bots.search.backgammon.net import (
    EXACT,
    MOST,
    OUTPUTS,
    add_up,
    fire,
    judge,
    judge_turns,
    kind,
    list_inputs,
    size,
)
from bots.search.backgammon.selfplay import find_errors, share_out, step_inputs, step_outputs
from bots.search.hints import place, single
from bots.search.rules import END, STATE, Floats, Ints, legal, mover, play, setup
from games.backgammon.playouts import throw
from games.backgammon.rules import LARGER, SMALLER, TURN
from games.kernel import kernel
from games.rng import below

LOOSE = True
LONGEST = 400  # positions of a game that are studied
UNLIMITED = 2**62
STRAYS = 16
LEAST_SHARE = 1e-3  # what is less is not passed back any further
PACKED = 4  # ints of a position: 13 points of 4 bits each


@kernel
def pack(s: Ints, packed: Ints, at: int) -> None:
    """Keep the board of `s`, which has no dice, from packed[at] on; who is on roll comes first."""
    for half in range(4):
        base = 26 * s[TURN] if half < 2 else 26 - 26 * s[TURN]
        base += 13 * (half & 1)
        word = 0
        for i in range(13):
            word |= s[base + i] << 4 * i
        packed[at + half] = word


@kernel
def unpack(packed: Ints, at: int, s: Ints) -> None:
    """Put a board that was kept into `s`; seat 0 is on roll."""
    for half in range(4):
        word = packed[at + half]
        for i in range(13):
            s[13 * half + i] = word >> 4 * i & 15
    s[TURN] = 0
    s[LARGER] = 0
    s[SMALLER] = 0


@kernel
def study_game(
    rng: Ints,
    stray: int,
    count: int,
    gap: float,
    decay: float,
    most: int,
    packed: Ints,
    chances: Floats,
    kinds: Ints,
    reply: Ints,
    change: Floats,
    average: Floats,
    spent: Ints,
    s: Ints,
    t: Ints,
    turns: Ints,
    values: Floats,
    tmp: Ints,
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
    stop: Ints,
) -> int:
    """Play a game, look one ply ahead after each turn, and write what is to be learnt from that.

    Args:
        stray: in so many of STRAYS decisions any of the good turns is played, not the best one.
        count: how many turns are good: the best ones ...
        gap: ... and none behind the best by more points.
        decay: lambda: how much of what is said of a position comes from those after it.
        most: replies that are judged to each roll.
        packed, chances, kinds: what each turn leaves, its target, and which net is to learn it.
        reply, change, average, spent: scratch: a state, twice OUTPUTS, and an int.

    Returns:
        How many positions were written, up to LONGEST.
    """
    written = 0
    begun = 0  # from there on only best turns were played
    setup(s)
    throw(s, rng)
    while mover(s) != END and written < LONGEST and kind(s, shape[MOST]) < EXACT:
        if s[LARGER] == 0:
            throw(s, rng)
        n = legal(s, turns, tmp)
        best = judge_turns(
            s, turns, n, t, w, shape, table, tails, first, inputs, times, shown, work, told, was,
            sums, seen, after, values, stop,
        )  # fmt: skip
        if best < 0:
            return 0
        if below(rng, STRAYS) < stray:
            value = values[best]
            best = below(rng, good_turns(turns, values, n, count, gap))
            if values[best] < value:
                begun = written
        play(s, turns[best])
        which = judge(s, w, shape, table, tails, first, inputs, times, shown, work, told)
        if which < EXACT:
            pack(s, packed, PACKED * written)
            kinds[written] = which
            for o in range(OUTPUTS):
                change[o] = -told[o]
            for i in range(STATE):
                reply[i] = s[i]
            if not one_ply(
                reply, average, most, UNLIMITED, spent, tmp, turns, values, t, w, shape, table,
                tails, first, inputs, times, shown, work, told, was, sums, seen, after, stop,
            ):  # fmt: skip
                return 0
            for o in range(OUTPUTS):
                change[o] += average[o]
                chances[written * OUTPUTS + o] = average[o]
            pass_back(change, chances, begun, written, decay)
            written += 1
    return written


@kernel
def pass_back(change: Floats, chances: Floats, begun: int, end: int, decay: float) -> None:
    """Add what lookahead changed after the position `end` - 1 to the chances from `begun` up to it.

    Each is told for the side on roll there: from one to the one before, all turns round.
    """
    share = 1.0
    at = end - 1
    while at >= begun and share > LEAST_SHARE:
        share *= decay
        change[0] = -change[0]
        for o in range(1, 3):
            mine = change[o]
            change[o] = change[o + 2]
            change[o + 2] = mine
        for o in range(OUTPUTS):
            chances[at * OUTPUTS + o] += share * change[o]
        at -= 1


@kernel
def good_turns(turns: Ints, values: Floats, n: int, count: int, gap: float) -> int:
    """Bring the best of n turns to the front, best first; how many are good."""
    good = 0
    while good < min(n, count):
        best = good
        for i in range(good + 1, n):
            if values[i] > values[best]:
                best = i
        value = values[best]
        turn = turns[best]
        values[best] = values[good]
        turns[best] = turns[good]
        values[good] = value
        turns[good] = turn
        if value < values[0] - gap:
            break
        good += 1
    return good


@kernel
def shuffle(order: Ints, n: int, rng: Ints) -> None:
    """Put the first n items into a random order."""
    for i in range(n - 1, 0, -1):
        j = below(rng, i + 1)
        kept = order[i]
        order[i] = order[j]
        order[j] = kept


@kernel
def pick(kinds: Ints, n: int, which: int, shape: Ints, order: Ints) -> int:
    """Write which of n positions the net `which` learns from; how many."""
    count = 0
    for i in range(n):
        if shape[2 * kinds[i]] == shape[2 * which]:
            order[count] = i
            count += 1
    return count


@kernel
def study_all(
    order: Ints,
    n: int,
    batch: int,
    packed: Ints,
    targets: Floats,
    which: int,
    rate: float,
    steps: int,
    s: Ints,
    w: Floats,
    shape: Ints,
    table: Ints,
    inputs: Ints,
    times: Floats,
    shown: Floats,
    work: Floats,
    told: Floats,
    blame: Floats,
    slope: Floats,
    mean: Floats,
    square: Floats,
) -> float:
    """One pass of the net `which` over n positions in this order, `steps` steps having been taken.

    Returns:
        The sum of the squared errors of the chance to win, each as it was when its turn came.
    """
    total = 0.0
    for begin in range(0, n, batch):
        steps += 1
        total += study(
            order, begin, min(n, begin + batch), packed, targets, which, rate, steps, s, w, shape,
            table, inputs, times, shown, work, told, blame, slope, mean, square,
        )  # fmt: skip
    return total


@kernel
def study(
    order: Ints,
    begin: int,
    end: int,
    packed: Ints,
    targets: Floats,
    which: int,
    rate: float,
    step: int,
    s: Ints,
    w: Floats,
    shape: Ints,
    table: Ints,
    inputs: Ints,
    times: Floats,
    shown: Floats,
    work: Floats,
    told: Floats,
    blame: Floats,
    slope: Floats,
    mean: Floats,
    square: Floats,
) -> float:
    """Take one step of the net `which` by the positions order[begin..end - 1].

    Args:
        rate: how long a step is for each weight, about.
        step: the how manieth of this series it is, from 1.
        slope, mean, square: floats for each weight of the net; the latter two remember the slopes
            of the series, and begin as 0.

    Returns:
        The sum of the squared errors of the chance to win, as it was before.
    """
    one = single(1.0)
    half = single(0.5)
    start = shape[2 * which]
    hidden = shape[2 * which + 1]
    n = size(hidden)
    for j in range(n):
        slope[place(j)] = single(0.0)
    total = 0.0
    for i in range(begin, end):
        at = order[i]
        unpack(packed, PACKED * at, s)
        sights(s, table, shown)
        count = list_inputs(s, shown, inputs, times)
        for h in range(hidden):
            work[place(h)] = single(0.0)
        add_up(w, start, hidden, inputs, times, count, work, 0)
        fire(w, start, hidden, work, told)
        error = told[0] - targets[at * OUTPUTS]
        total += error * error
        find_errors(s, targets, at * OUTPUTS, told)
        share_out(told, w, start, hidden, blame)
        for h in range(hidden):  # the slope of tanh(x / 2), or nearly so
            blame[place(h)] *= half * (one - work[place(h)] * work[place(h)])
        step_outputs(told, one, slope, 0, hidden, work)
        step_inputs(slope, 0, hidden, inputs, times, count, blame)
    adapt(w, start, n, end - begin, rate, step, slope, mean, square)
    return total


@kernel
def adapt(
    w: Floats,
    start: int,
    n: int,
    count: int,
    rate: float,
    step: int,
    slope: Floats,
    mean: Floats,
    square: Floats,
) -> None:
    """One step of Adam, with its usual constants, by the sum of the slopes of `count` positions."""
    share = single(1.0 / count)
    slow = single(0.9)
    slower = single(0.999)
    new = single(0.1)
    newer = single(0.001)
    length = single(rate * sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step))
    least = single(1e-7)
    for j in range(n):
        g = slope[place(j)] * share
        mean[place(j)] = slow * mean[place(j)] + new * g
        square[place(j)] = slower * square[place(j)] + newer * g * g
        w[place(start + j)] -= length * mean[place(j)] / (sqrt(square[place(j)]) + least)
