"""Backgammon looked ahead: what the nets say after the dice and the best replies, on average.

With 0 plies a position is what the nets say of it.  With one, it is the average over the 21 rolls,
by weight, of what the best turn of the side on roll leaves; with two, what is left then is looked
at with one ply instead.  Which turn is best is judged without lookahead everywhere but at the root,
and where there are many, only among the `most` that the game's hand-made evaluation likes best.

A node is one position judged; spent[0] counts them.  Where the exact table knows a position, or the
game is over, nothing is looked ahead.
"""

from __future__ import annotations

from bots.search.backgammon.net import EXACT, MOST, OUTPUTS, judge, judge_turns, kind, turn_round
from bots.search.rules import END, STATE, Floats, Ints, evaluate, legal, mover, play
from games.backgammon.rules import LARGER, SMALLER
from games.kernel import kernel

LOOSE = True
CHANCES = 36  # of rolls


@kernel
def promising(s: Ints, turns: Ints, n: int, most: int, t: Ints, values: Floats) -> int:
    """Bring to the front the turns that the game's own evaluation likes best; how many: `most`."""
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
def no_ply(
    s: Ints,
    most: int,
    spent: Ints,
    tmp: Ints,
    turns: Ints,
    values: Floats,
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
    stop: Ints,
) -> int:
    """Judge the turns of `s` without lookahead; which one is best, -1 if `stop` was set.

    All turns, or if there are more than `most`, those that look best at a glance.  They are left,
    behind each other, in `turns`, with what they leave the mover in `values` and `after`.
    """
    n = legal(s, turns, tmp)
    if n > most:
        n = promising(s, turns, n, most, t, values)
    spent[0] += n
    return judge_turns(
        s, turns, n, t, w, shape, table, tails, first, inputs, times, shown, work, told, was, sums,
        seen, after, values, stop,
    )  # fmt: skip


@kernel
def one_ply(
    s: Ints,
    average: Floats,
    most: int,
    nodes: int,
    spent: Ints,
    tmp: Ints,
    turns: Ints,
    values: Floats,
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
    stop: Ints,
) -> bool:
    """Write the chances of the side that is to roll in `s`, one ply looked ahead, into `average`.

    Returns:
        False if the nodes ended, or `stop` was set, before all rolls were looked at.
    """
    if kind(s, shape[MOST]) >= EXACT:
        judge(s, w, shape, table, tails, first, inputs, times, shown, work, told)
        spent[0] += 1
        for o in range(OUTPUTS):
            average[o] = told[o]
        return True
    for o in range(OUTPUTS):
        average[o] = 0.0
    for roll in range(36):
        larger = roll // 6 + 1
        smaller = roll % 6 + 1
        if smaller <= larger:
            if spent[0] >= nodes:
                return False
            s[LARGER] = larger
            s[SMALLER] = smaller
            best = no_ply(
                s, most, spent, tmp, turns, values, t, w, shape, table, tails, first, inputs, times,
                shown, work, told, was, sums, seen, after, stop,
            )  # fmt: skip
            s[LARGER] = 0
            s[SMALLER] = 0
            if best < 0:
                return False
            weight = 1 if larger == smaller else 2
            turn_round(after, best * OUTPUTS)
            for o in range(OUTPUTS):
                average[o] += weight * after[best * OUTPUTS + o] / CHANCES
    return True


@kernel
def two_ply(
    s: Ints,
    average: Floats,
    reply: Ints,
    within: Floats,
    most: int,
    nodes: int,
    spent: Ints,
    tmp: Ints,
    turns: Ints,
    values: Floats,
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
    stop: Ints,
) -> bool:
    """As `one_ply`, two plies ahead; `reply` and `within` are scratch, a state and OUTPUTS."""
    if kind(s, shape[MOST]) >= EXACT:
        judge(s, w, shape, table, tails, first, inputs, times, shown, work, told)
        spent[0] += 1
        for o in range(OUTPUTS):
            average[o] = told[o]
        return True
    for o in range(OUTPUTS):
        average[o] = 0.0
    for roll in range(36):
        larger = roll // 6 + 1
        smaller = roll % 6 + 1
        if smaller <= larger:
            if spent[0] >= nodes:
                return False
            s[LARGER] = larger
            s[SMALLER] = smaller
            best = no_ply(
                s, most, spent, tmp, turns, values, t, w, shape, table, tails, first, inputs, times,
                shown, work, told, was, sums, seen, after, stop,
            )  # fmt: skip
            for i in range(STATE):
                reply[i] = s[i]
            s[LARGER] = 0
            s[SMALLER] = 0
            if best < 0:
                return False
            play(reply, turns[best])
            if not one_ply(
                reply, within, most, nodes, spent, tmp, turns, values, t, w, shape, table, tails,
                first, inputs, times, shown, work, told, was, sums, seen, after, stop,
            ):  # fmt: skip
                return False
            turn_round(within, 0)
            weight = 1 if larger == smaller else 2
            for o in range(OUTPUTS):
                average[o] += weight * within[o] / CHANCES
    return True
