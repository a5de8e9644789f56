"""Learning from lookahead: what one ply of it says of positions, until the nets say it without.

Temporal differences (selfplay.py) teach a net what its own turns lead to, one throw of the dice at
a time, by steps of one length for all weights.  In the end such steps only follow the luck of the
dice.  So the nets go on with positions whose targets hold none of it, in many passes over them in
batches, by steps of which each weight has its own length (Adam).

The target of a position is what one ply of lookahead says of it: the average over all 21 rolls.
Added to it is lambda times the change that lookahead made to the next position's chances, lambda
squared times that of the one after it, and so on: a lambda-return in which the dice decide only
which position comes next.  A turn that is not the best ends the returns of those before it.

Samples (training_records.py) hold a position as PACKED ints and its target as OUTPUTS floats.

Sources: R. Sutton, A. Barto, "Reinforcement Learning", 2nd edition, 2018, chapter 12, for returns
that end where a turn is not the best (Watkins); D. Kingma, J. Ba, "Adam: A Method for Stochastic
Optimization", 2015.
"""

from __future__ import annotations

from math import sqrt

from bots.backgammon.kernels.lookahead import one_ply
from bots.backgammon.kernels.net import (
    EXACT,
    OUTPUTS,
    TABLE_AT,
    evaluate_net,
    judge,
    judge_turns,
    kind,
    size,
)
from bots.backgammon.kernels.records import NetArrays, Workspace
from bots.engine.kernels.hints import place, single
from bots.engine.kernels.rules import END, STATE, Floats, Ints, legal, mover, play, setup
from games.backgammon.playouts import throw
from games.backgammon.rules import LARGER, SMALLER, TURN
from games.kernel import kernel
from games.rng import below
from lab.training.kernels.selfplay import (
    find_errors,
    share_out,
    slope_inwards,
    step_inputs,
    step_outputs,
)
from lab.training.kernels.training_records import Exploration, Samples, Slopes

LOOSE = True
MAX_POSITIONS = 400  # positions of a game that are learnt from
UNLIMITED = 2**62
DECISIONS = 16  # see Exploration
MIN_SHARE = 1e-3  # what is less is not passed back any further
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
def play_ahead(
    rng: Ints,
    exploration: Exploration,
    decay: float,
    most: int,
    samples: Samples,
    net: NetArrays,
    space: Workspace,
    stop: Ints,
) -> int:
    """Play a game, look one ply ahead after each turn, and write what is to be learnt from that.

    Args:
        decay: lambda: how much of the target of a position comes from those after it.
        most: replies that are judged to each roll.
        samples: room for MAX_POSITIONS positions.

    Returns:
        How many positions were written, up to MAX_POSITIONS.
    """
    s = space.s
    reply = space.reply
    average = space.average
    change = space.change
    written = 0
    begun = 0  # from there on only best turns were played
    setup(s)
    throw(s, rng)
    while mover(s) != END and written < MAX_POSITIONS and kind(s, net.shape[TABLE_AT]) < EXACT:
        if s[LARGER] == 0:
            throw(s, rng)
        n = legal(s, space.turns, space.tmp)
        best = judge_turns(s, n, net, space, stop)
        if best < 0:
            return 0
        if below(rng, DECISIONS) < exploration.share:
            value = space.values[best]
            best = below(rng, good_turns(space.turns, space.values, n, exploration))
            if space.values[best] < value:
                begun = written
        play(s, space.turns[best])
        which = judge(s, net, space)
        if which < EXACT:
            pack(s, samples.packed, PACKED * written)
            samples.kinds[written] = which
            for o in range(OUTPUTS):
                change[o] = -space.chances[o]
            for i in range(STATE):
                reply[i] = s[i]
            if not one_ply(reply, average, most, UNLIMITED, net, space, stop):
                return 0
            for o in range(OUTPUTS):
                change[o] += average[o]
                samples.targets[written * OUTPUTS + o] = average[o]
            pass_back(change, samples.targets, begun, written, decay)
            written += 1
    return written


@kernel
def pass_back(change: Floats, targets: Floats, begun: int, end: int, decay: float) -> None:
    """Add what lookahead changed after the position `end` - 1 to the targets from `begun` up to it.

    Each is for the side on roll there: from one to the one before, all turns round.
    """
    share = 1.0
    at = end - 1
    while at >= begun and share > MIN_SHARE:
        share *= decay
        change[0] = -change[0]
        for o in range(1, 3):
            mine = change[o]
            change[o] = change[o + 2]
            change[o + 2] = mine
        for o in range(OUTPUTS):
            targets[at * OUTPUTS + o] += share * change[o]
        at -= 1


@kernel
def good_turns(turns: Ints, values: Floats, n: int, exploration: Exploration) -> int:
    """Bring the best of n turns to the front, best first; how many are good."""
    good = 0
    while good < min(n, exploration.turns):
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
        if value < values[0] - exploration.gap:
            break
        good += 1
    return good


@kernel
def shuffle(order: Ints, n: int, rng: Ints) -> None:
    """Put the first n items into a random order."""
    for i in range(n - 1, 0, -1):
        j = below(rng, i + 1)
        item = order[i]
        order[i] = order[j]
        order[j] = item


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
def learn_all(
    order: Ints,
    n: int,
    batch: int,
    samples: Samples,
    which: int,
    rate: float,
    steps: int,
    net: NetArrays,
    space: Workspace,
    slopes: Slopes,
) -> float:
    """One pass of the net `which` over n samples in this order, `steps` steps having been taken.

    Returns:
        The sum of the squared errors of the chance to win, each as it was when its turn came.
    """
    total = 0.0
    for begin in range(0, n, batch):
        steps += 1
        end = min(n, begin + batch)
        total += add_slopes(order, begin, end, samples, which, net, space, slopes)
        width = net.shape[2 * which + 1]
        start = net.shape[2 * which]
        adapt(net.weights, start, size(width), end - begin, rate, steps, slopes)
    return total


@kernel
def add_slopes(
    order: Ints,
    begin: int,
    end: int,
    samples: Samples,
    which: int,
    net: NetArrays,
    space: Workspace,
    slopes: Slopes,
) -> float:
    """Sum up the slopes of the error of the samples order[begin..end - 1] in slopes.slope.

    Returns:
        The sum of the squared errors of the chance to win.
    """
    s = space.s
    start = net.shape[2 * which]
    width = net.shape[2 * which + 1]
    for j in range(size(width)):
        slopes.slope[place(j)] = single(0.0)
    total = 0.0
    for i in range(begin, end):
        at = order[i]
        unpack(samples.packed, PACKED * at, s)
        count = evaluate_net(s, which, net, space)
        error = space.chances[0] - samples.targets[at * OUTPUTS]
        total += error * error
        find_errors(s, samples.targets, at * OUTPUTS, space.chances)
        share_out(space.chances, net.weights, start, width, space.blame)
        slope_inwards(single(1.0), width, space)
        step_outputs(space.chances, single(1.0), slopes.slope, 0, width, space.hidden)
        step_inputs(slopes.slope, 0, width, count, space)
    return total


@kernel
def adapt(
    w: Floats, start: int, n: int, count: int, rate: float, step: int, slopes: Slopes
) -> None:
    """One step of Adam, with its usual constants, by the sum of the slopes of `count` samples.

    Args:
        rate: how long a step is for each weight, about.
        step: its number in this series, from 1.
    """
    share = single(1.0 / count)
    slow = single(0.9)
    slower = single(0.999)
    new = single(0.1)
    newer = single(0.001)
    length = single(rate * sqrt(1.0 - 0.999**step) / (1.0 - 0.9**step))
    least = single(1e-7)
    mean = slopes.mean
    square = slopes.square
    for j in range(n):
        g = slopes.slope[place(j)] * share
        mean[place(j)] = slow * mean[place(j)] + new * g
        square[place(j)] = slower * square[place(j)] + newer * g * g
        w[place(start + j)] -= length * mean[place(j)] / (sqrt(square[place(j)]) + least)
