"""Backgammon looked ahead: what the nets say after the dice and the best replies, on average.

With 0 plies a position is what the nets say of it.  With one, it is the average over the 21 rolls,
by weight, of what the best turn of the side on roll leaves; with two, what is left then is looked
at with one ply instead.  Which turn is best is judged without lookahead everywhere but at the root,
and where there are many, only among the `most` that the game's hand-made evaluation likes best.

A node is one position judged; space.spent[0] counts them.  Where the exact table knows a position,
or the game is over, nothing is looked ahead.
"""

from __future__ import annotations

from bots.backgammon.kernels.net import (
    EXACT,
    OUTPUTS,
    TABLE_AT,
    judge,
    judge_turns,
    kind,
    turn_round,
)
from bots.backgammon.kernels.records import NetArrays, Workspace
from bots.engine.kernels.hints import single
from bots.engine.kernels.rules import END, STATE, Floats, Ints, evaluate, legal, mover, play
from games.backgammon.rules import LARGER, SMALLER
from games.kernel import kernel

LOOSE = True
CHANCES = 36  # of rolls
FIRST_ROLL = 4  # times as many replies are judged to the first of two rolls: it comes 21 times less


@kernel
def promising(s: Ints, n: int, most: int, space: Workspace) -> int:
    """Bring to the front of n turns those that the game's own evaluation likes best; `most`."""
    t = space.t
    turns = space.turns
    values = space.values
    for i in range(n):
        for j in range(STATE):
            t[j] = s[j]
        play(t, turns[i])
        values[i] = -1e9 if mover(t) == END else float(evaluate(t))
    for k in range(most):
        best = k
        for i in range(k + 1, n):
            if values[i] < values[best]:
                best = i
        value = values[best]
        turn = turns[best]
        values[best] = values[k]
        turns[best] = turns[k]
        values[k] = value
        turns[k] = turn
    return most


@kernel
def no_ply(s: Ints, most: int, net: NetArrays, space: Workspace, stop: Ints) -> int:
    """Judge the turns of `s` without lookahead; which one is best, -1 if `stop` was set.

    All turns, or if there are more than `most`, those that look best at a glance.  They are left in
    space.turns, with what they leave the mover in space.values and space.after.
    """
    n = legal(s, space.turns, space.tmp)
    if n > most:
        n = promising(s, n, most, space)
    space.spent[0] += n
    return judge_turns(s, n, net, space, stop)


@kernel
def known(s: Ints, average: Floats, net: NetArrays, space: Workspace) -> bool:
    """Write the chances of `s` into `average` if they are known exactly; else fill it with 0."""
    exact = kind(s, net.shape[TABLE_AT]) >= EXACT
    if exact:
        judge(s, net, space)
        space.spent[0] += 1
    for o in range(OUTPUTS):
        average[o] = space.chances[o] if exact else single(0.0)
    return exact


@kernel
def one_ply(
    s: Ints, average: Floats, most: int, nodes: int, net: NetArrays, space: Workspace, stop: Ints
) -> bool:
    """Write the chances of the side that is to roll in `s`, one ply looked ahead, into `average`.

    Returns:
        False if the nodes ended, or `stop` was set, before all rolls were looked at.
    """
    if known(s, average, net, space):
        return True
    for roll in range(36):
        larger = roll // 6 + 1
        smaller = roll % 6 + 1
        if smaller <= larger:
            if space.spent[0] >= nodes:
                return False
            s[LARGER] = larger
            s[SMALLER] = smaller
            best = no_ply(s, most, net, space, stop)
            s[LARGER] = 0
            s[SMALLER] = 0
            if best < 0:
                return False
            weight = 1 if larger == smaller else 2
            turn_round(space.after, best * OUTPUTS)
            for o in range(OUTPUTS):
                average[o] += weight * space.after[best * OUTPUTS + o] / CHANCES
    return True


@kernel
def two_ply(
    s: Ints, average: Floats, most: int, nodes: int, net: NetArrays, space: Workspace, stop: Ints
) -> bool:
    """Do the same as `one_ply`, but look two plies ahead; `most`: of replies to the second roll."""
    reply = space.reply
    within = space.within
    if known(s, average, net, space):
        return True
    for roll in range(36):
        larger = roll // 6 + 1
        smaller = roll % 6 + 1
        if smaller <= larger:
            if space.spent[0] >= nodes:
                return False
            s[LARGER] = larger
            s[SMALLER] = smaller
            best = no_ply(s, FIRST_ROLL * most, net, space, stop)
            for i in range(STATE):
                reply[i] = s[i]
            s[LARGER] = 0
            s[SMALLER] = 0
            if best < 0:
                return False
            play(reply, space.turns[best])
            if not one_ply(reply, within, most, nodes, net, space, stop):
                return False
            turn_round(within, 0)
            weight = 1 if larger == smaller else 2
            for o in range(OUTPUTS):
                average[o] += weight * within[o] / CHANCES
    return True
