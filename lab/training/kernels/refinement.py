"""Games whose turns are chosen with lookahead, and what the nets learn from them.

In learning.py the nets choose their turns without lookahead, so a side that is behind goes on as
badly as the nets think, and the games confirm what they say.  Here each turn is the best one with
one ply of lookahead, of those that look good without.  The change that lookahead makes is told from
what the nets had promised the mover before the turn, so it also holds what choosing better was
worth.

What the turns would have left that were looked at and not chosen can be learnt, too.  What comes
after it is not known, so lookahead is taken to be as wrong there as it turns out to be after the
chosen one.  So what tells two turns apart is all that lookahead says, and no luck.

Some games begin at a hard position: one that self-play reaches by itself, in which somebody can
still be hit, but one side is far ahead, or has borne off already.
"""

from __future__ import annotations

from bots.backgammon.kernels.lookahead import one_ply
from bots.backgammon.kernels.net import (
    EXACT,
    OUTPUTS,
    RACE,
    TABLE_AT,
    equity,
    judge,
    judge_turns,
    kind,
)
from bots.backgammon.kernels.records import NetArrays, Workspace
from bots.engine.kernels.rules import STATE, Ints, legal, play, setup
from games.backgammon.playouts import throw
from games.backgammon.rules import LARGER, TURN
from games.kernel import kernel
from games.rng import below
from lab.training.kernels.learning import (
    DECISIONS,
    MAX_POSITIONS,
    PACKED,
    UNLIMITED,
    good_turns,
    pack,
    pass_back,
)
from lab.training.kernels.training_records import Exploration, RefinementSpace, Samples

LOOSE = True
CLOSE = 0.08  # points: turns that are further behind without lookahead are not looked at
FAR = 40  # pips: who is so much ahead, or behind, is in a hard position
OTHERS = 3 * MAX_POSITIONS  # positions of a game that other turns would have left
ENOUGH = 64  # hard positions of which one is chosen


@kernel
def play_refined(
    rng: Ints,
    hard: bool,
    exploration: Exploration,
    decay: float,
    most: int,
    samples: Samples,
    net: NetArrays,
    space: Workspace,
    more: RefinementSpace,
    stop: Ints,
) -> int:
    """Play a game, each turn chosen with one ply, and write what is to be learnt from it.

    What was promised before a turn that is only explored is what the nets say after it.

    Args:
        hard: begin at a hard position instead of the opening.
        decay: lambda: how much of the target of a position comes from those after it.
        most: replies that are judged to each roll.
        samples: room for MAX_POSITIONS.  If there is room for OTHERS more, what turns would have
            left that were looked at and not chosen is learnt, too.

    Returns:
        How many positions were written: first those of the game, up to MAX_POSITIONS.
    """
    s = space.s
    reply = space.reply
    average = space.average
    change = space.change
    promised = more.promised
    written = 0
    begun = 0  # from there on only good turns were played
    others = len(samples.kinds) > MAX_POSITIONS
    aside = 0  # positions of other turns
    if not hard:
        setup(s)
        throw(s, rng)
    elif not find_hard(rng, exploration, net, space, more, stop):
        return 0
    while written < MAX_POSITIONS and kind(s, net.shape[TABLE_AT]) < EXACT:
        if s[LARGER] == 0:
            throw(s, rng)
        n = legal(s, space.turns, space.tmp)
        best = judge_turns(s, n, net, space, stop)
        if best < 0:
            return 0
        for o in range(OUTPUTS):
            promised[o] = space.after[best * OUTPUTS + o]
        good = good_turns(space.turns, space.values, n, exploration)
        explores = below(rng, DECISIONS) < exploration.share
        looked = False
        if explores:
            best = below(rng, good)
            if space.values[best] < space.values[0]:
                begun = written
            play(s, space.turns[best])
        else:
            good = close_turns(good, space, more)
            best = choose(s, good, most, net, space, more, stop)
            if best < 0:
                return 0
            looked = good > 1
            if looked and others:
                aside = keep_others(s, good, best, written, aside, samples, net, space, more)
            play(s, more.turns[best])
        which = judge(s, net, space)
        if explores:
            for o in range(OUTPUTS):
                promised[o] = space.chances[o]
        if looked:
            for o in range(OUTPUTS):
                average[o] = more.looked[best * OUTPUTS + o]
        else:
            for i in range(STATE):
                reply[i] = s[i]
            if not one_ply(reply, average, most, UNLIMITED, net, space, stop):
                return 0
        for o in range(OUTPUTS):
            change[o] = average[o] - promised[o]
        if which < EXACT:
            pack(s, samples.packed, PACKED * written)
            samples.kinds[written] = which
            for o in range(OUTPUTS):
                samples.targets[written * OUTPUTS + o] = average[o]
        pass_back(change, samples.targets, begun, written, decay)
        if which < EXACT:
            written += 1
    return add_others(written, aside, samples, more)


@kernel
def keep_others(
    s: Ints,
    n: int,
    best: int,
    decision: int,
    aside: int,
    samples: Samples,
    net: NetArrays,
    space: Workspace,
    more: RefinementSpace,
) -> int:
    """Write the positions that the n turns in `more.turns` leave, but for the best, behind those
    of the game.

    In place of a target stands by how much lookahead differs from what it says after the best.

    Args:
        decision: where the position after the best turn will be written.
        aside: how many have been written so far.

    Returns:
        How many have been written now.
    """
    after = space.reply
    for k in range(n):
        if k == best or aside == OTHERS:
            continue
        for i in range(STATE):
            after[i] = s[i]
        play(after, more.turns[k])
        which = kind(after, net.shape[TABLE_AT])
        if which < EXACT:
            at = MAX_POSITIONS + aside
            pack(after, samples.packed, PACKED * at)
            samples.kinds[at] = which
            for o in range(OUTPUTS):
                difference = more.looked[k * OUTPUTS + o] - more.looked[best * OUTPUTS + o]
                samples.targets[at * OUTPUTS + o] = difference
            more.decisions[aside] = decision
            aside += 1
    return aside


@kernel
def add_others(written: int, aside: int, samples: Samples, more: RefinementSpace) -> int:
    """Move the positions behind MAX_POSITIONS up to the `written` ones, and add their targets.

    Returns:
        How many there are now.
    """
    end = written
    for k in range(aside):
        at = MAX_POSITIONS + k
        chosen = more.decisions[k]
        if chosen == written:  # what the best turn left there is known exactly, and not learnt
            continue
        for i in range(PACKED):
            samples.packed[PACKED * end + i] = samples.packed[PACKED * at + i]
        samples.kinds[end] = samples.kinds[at]
        for o in range(OUTPUTS):
            target = samples.targets[chosen * OUTPUTS + o] + samples.targets[at * OUTPUTS + o]
            samples.targets[end * OUTPUTS + o] = target
        end += 1
    return end


@kernel
def close_turns(good: int, space: Workspace, more: RefinementSpace) -> int:
    """Keep those of the good turns, best first, that are worth a look in `more.turns`; how many."""
    close = 0
    while close < good and space.values[close] >= space.values[0] - CLOSE:
        more.turns[close] = space.turns[close]
        close += 1
    return close


@kernel
def choose(
    s: Ints,
    n: int,
    most: int,
    net: NetArrays,
    space: Workspace,
    more: RefinementSpace,
    stop: Ints,
) -> int:
    """Which of the n turns in `more.turns` is best with one ply; -1 if `stop` was set.

    The chances after each with that ply, for the other side, are left in more.looked; a single turn
    is not looked at.
    """
    if n == 1:
        return 0
    reply = space.reply
    best = -1
    most_points = 0.0
    for k in range(n):
        for i in range(STATE):
            reply[i] = s[i]
        play(reply, more.turns[k])
        if not one_ply(reply, space.average, most, UNLIMITED, net, space, stop):
            return -1
        points = -equity(space.average, 0, space.prices, 1 - s[TURN])
        for o in range(OUTPUTS):
            more.looked[k * OUTPUTS + o] = space.average[o]
        if best < 0 or points > most_points:
            best = k
            most_points = points
    return best


@kernel
def find_hard(
    rng: Ints,
    exploration: Exploration,
    net: NetArrays,
    space: Workspace,
    more: RefinementSpace,
    stop: Ints,
) -> bool:
    """Put one of the first ENOUGH hard positions of games without lookahead into `space.s`.

    Any of them is as likely.  They are before the roll.

    Returns:
        False if `stop` was set.
    """
    s = space.s
    count = 0
    while count < ENOUGH:
        setup(s)
        throw(s, rng)
        while count < ENOUGH and kind(s, net.shape[TABLE_AT]) < RACE:
            if s[LARGER] == 0:
                if is_hard(s):
                    count += 1
                    if below(rng, count) == 0:
                        for i in range(STATE):
                            more.start[i] = s[i]
                throw(s, rng)
            n = legal(s, space.turns, space.tmp)
            best = judge_turns(s, n, net, space, stop)
            if best < 0:
                return False
            if below(rng, DECISIONS) < exploration.share:
                best = below(rng, good_turns(space.turns, space.values, n, exploration))
            play(s, space.turns[best])
    for i in range(STATE):
        s[i] = more.start[i]
    return True


@kernel
def is_hard(s: Ints) -> bool:
    """Whether one side is FAR ahead, or has borne off; of positions in which there is contact."""
    lead = 0
    for i in range(1, 26):
        lead += i * (s[i] - s[26 + i])
    return lead > FAR or lead < -FAR or s[0] > 0 or s[26] > 0
