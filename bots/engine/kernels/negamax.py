"""Alpha-beta with iterative deepening and a table, for every game; with dice, expectiminimax.

`deepen` looks 1, 2, 3 ... decisions ahead, each time with the best action of the time before in
front and a narrow window around its value (aspiration).  `search` is one position: its first action
gets the whole window, each other only has to prove that it is no better (principal variation
search).  Actions come in the order: the table's, the two that last cut here, then by what each cut
before (history).  For a version that is written to be read first, see simple_minimax.py.

Values are ints for the seat to move: at the end points * WIN / MAX_RETURN, a full win 1 less with
each ply, so that a win is taken and a loss put off; at the horizon 99 * `evaluate`, else 0.  Beyond
SURE a value is proven, unless dice roll.

Where dice roll, the value is the mean over all rolls, for seat 0, each with the whole window; that
costs no depth.  Nothing is kept in the table then.

The table has slots of four ints: key + 1, value (a full win counted from there), 4 * depth + kind,
action.  Two slots are a pair: one for what was looked at most deeply, one for what came last.  The
depth is ENDLESS where the value holds however deep one looks: where no horizon was met
below, or where a win is proven in the direction of the bound.  That is what makes values near the
end exact, and lets the table be kept from move to move.  Why a slot holds the whole key, and not
what its place does not say already: another position is then hardly ever taken for it, and never
where a game's `key` is exact, as in connect four.  The price of keeping it: a longer way to a win
may stand there than the shortest, so the number of plies to a win is an upper bound.

The workspace `work` is an array of ints: a few counters, history, killers, and for each ply a frame
with the state, the actions, and their ranks.  `search` plays in `s` and restores it from the frame.

What always holds: `search` leaves `s` as it was; each turn of its loop handles one of finitely many
actions, and each call has less depth or rolls dice that come to an end, at PLIES at the latest.

Sources: D. Knuth, R. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6, 1975;
J. Schaeffer, "The History Heuristic", ICCA Journal 6(3), 1983; T. Marsland, M. Campbell, "Parallel
Search of Strongly Ordered Game Trees", Computing Surveys 14(4), 1982 (principal variation search).
"""

from __future__ import annotations

from bots.engine.kernels.rules import (
    CHANCE,
    END,
    HAS_CHANCE,
    HAS_EVALUATE,
    MAX_LEGAL,
    MAX_RETURN,
    STATE,
    Ints,
    evaluate,
    key,
    legal,
    mover,
    play,
    points,
    weight,
)
from games.kernel import kernel

WIN = 1_000_000
SURE = 990_000
INFINITE = 2_000_000
UNKNOWN = 3_000_000
WINDOW = 9_900  # of aspiration, to either side: a hundredth of the greatest evaluation
MAX_DEPTH = 100
PLIES = 2 * MAX_DEPTH + 2
ENDLESS = 1_000

# The places of the workspace:
SPENT = 0  # positions reached by an action
LIMIT = 1  # how many there may be
OVER = 2  # 1: the budget is used up, and no value since then means anything
HORIZON = 3  # 1: the value that was just found depends on an evaluation
COUNT = 4  # how many actions there are at the root
BEST = 5  # the best of them so far, as an index, or -1
HIGHEST = 6  # ... and its value
MASK = 7  # of the slots at which a pair begins
PLY = 8  # how far from the root the position is that is searched
ACTION, VALUE, DEPTH, SOLVED = 9, 10, 11, 12  # what `deepen` has found out
HISTORY = 13
TRACED = 1024  # history tells actions of a seat apart by their number modulo this
KILLERS = HISTORY + 2 * TRACED
FRAMES = KILLERS + 2 * PLIES

# ... of a slot:
KEY, WORTH, KIND, REPLY = 0, 1, 2, 3
SLOT = 4
SPREAD = 0x1E3779B97F4A7C15  # odd, without a pattern: a product's high bits depend on all of a key
BITS = (1 << 62) - 1  # a product may pass 64 bits: its lowest 62 are the same, plain and compiled
EXACT, LOWER, UPPER = 0, 1, 2


@kernel
def result(s: Ints, seat: int, ply: int) -> int:
    """What the end of the game, `ply` plies from the root, is worth to `seat`."""
    won = points(s) if seat == 0 else -points(s)
    if won == MAX_RETURN:
        return WIN - ply
    if won == -MAX_RETURN:
        return ply - WIN
    return won * WIN // MAX_RETURN


@kernel
def judged(s: Ints) -> int:
    """What a position at the horizon is worth to the seat to move."""
    return 99 * evaluate(s) if HAS_EVALUATE else 0


@kernel
def place(table: Ints, code: int, mask: int) -> int:
    """The slot where a position is found, if it is; else the first of its pair."""
    slot = SLOT * ((code * SPREAD & BITS) >> 31 & mask)
    return slot + SLOT if table[slot + SLOT + KEY] == code else slot


@kernel
def recall(table: Ints, slot: int, depth: int, ply: int, alpha: int, beta: int) -> int:
    """The value in a slot, if it holds to this depth and decides the window; else UNKNOWN."""
    value = table[slot + WORTH]
    value = value - ply if value > SURE else value + ply if value < -SURE else value
    kind = table[slot + KIND] & 3
    enough = (
        kind == EXACT or (kind == LOWER and value >= beta) or (kind == UPPER and value <= alpha)
    )
    return value if enough and table[slot + KIND] >> 2 >= depth else UNKNOWN


@kernel
def keep(
    table: Ints, code: int, depth: int, ply: int, value: int, kind: int, action: int, work: Ints
) -> None:
    """Write what was found into a slot: the first of the pair, if that knows nothing deeper."""
    proven = (value > SURE and kind != UPPER) or (value < -SURE and kind != LOWER)
    deep = ENDLESS if work[HORIZON] == 0 or proven else depth
    slot = place(table, code, work[MASK])
    if slot & SLOT == 0 and table[slot + KEY] != code and table[slot + KIND] >> 2 >= deep:
        slot += SLOT
    table[slot + KEY] = code
    table[slot + WORTH] = value + ply if value > SURE else value - ply if value < -SURE else value
    table[slot + KIND] = deep << 2 | kind
    table[slot + REPLY] = action


@kernel
def search(
    s: Ints,
    depth: int,
    alpha: int,
    beta: int,
    pruning: int,
    work: Ints,
    table: Ints,
    out: Ints,
    tmp: Ints,
    stop: Ints,
) -> int:
    """The value of `s` for the seat to move, `depth` decisions deep; with dice, for seat 0.

    Exact inside (alpha, beta), else a bound on that side.  At the root (work[PLY] is 0) the actions
    lie in the frame already; the best one is left in work[BEST].  Nothing if work[OVER] is set.
    """
    ply = work[PLY]
    seat = mover(s)
    rolling = HAS_CHANCE and seat == CHANCE
    tabled = pruning == 1 and not HAS_CHANCE and ply > 0
    code = 0
    first = -1
    if tabled:
        code = key(s) + 1
        slot = place(table, code, work[MASK])
        if table[slot + KEY] == code:
            first = table[slot + REPLY]
            value = recall(table, slot, depth, ply, alpha, beta)
            if value != UNKNOWN:
                if table[slot + KIND] >> 2 < ENDLESS:
                    work[HORIZON] = 1
                return value
    frame = FRAMES + ply * (STATE + 2 * MAX_LEGAL)
    actions = frame + STATE
    for i in range(STATE):
        work[frame + i] = s[i]
    n = work[COUNT]
    if ply > 0:
        n = legal(s, out, tmp)
        for i in range(n):
            work[actions + i] = out[i]
        if pruning == 1 and not rolling:
            order(work, actions, n, first, seat, ply)
    met = work[HORIZON]
    work[HORIZON] = 0
    left = depth if rolling else depth - 1
    view = 0 if rolling else seat
    best = -INFINITE
    chosen = -1
    total = 0
    weights = 0
    for i in range(n):
        if work[SPENT] >= work[LIMIT] or stop[0] != 0:
            work[OVER] = 1
            return best
        work[SPENT] += 1
        if pruning == 1 and not rolling and ply > 0:
            pick(work, actions, i, n)
        action = work[actions + i]
        share = 0
        if HAS_CHANCE and rolling:
            share = weight(s, action)
        play(s, action)
        then = mover(s)
        sign = 1 if then == view or (then == CHANCE and view == 0) else -1
        low = -INFINITE if pruning == 0 or rolling else max(alpha, best)
        high = INFINITE if pruning == 0 or rolling else beta if i == 0 else low + 1
        if then == END:
            value = result(s, view, ply + 1)
        elif (left == 0 and then != CHANCE) or ply + 1 == PLIES:
            work[HORIZON] = 1
            value = 0 if then == CHANCE else sign * judged(s)
        else:
            work[PLY] = ply + 1
            a = low if sign == 1 else -high
            b = high if sign == 1 else -low
            value = sign * search(s, left, a, b, pruning, work, table, out, tmp, stop)
            if then != CHANCE and low < value < beta and high < beta and work[OVER] == 0:
                a = low if sign == 1 else -beta
                b = beta if sign == 1 else -low
                value = sign * search(s, left, a, b, pruning, work, table, out, tmp, stop)
            work[PLY] = ply
        for k in range(STATE):
            s[k] = work[frame + k]
        if work[OVER] == 1:
            return best
        if rolling:
            total += share * value
            weights += share
            continue
        if value > best:
            best = value
            chosen = action
            if ply == 0 and value > alpha:
                work[BEST] = i
                work[HIGHEST] = value
        if pruning == 1 and best >= beta:
            remember(work, action, seat, ply, depth)
            break
    if rolling:
        best = total // weights
    if tabled:
        kind = LOWER if best >= beta else UPPER if best <= alpha else EXACT
        keep(table, code, depth, ply, best, kind, chosen, work)
    work[HORIZON] |= met
    return best


@kernel
def order(work: Ints, actions: int, n: int, first: int, seat: int, ply: int) -> None:
    """Write a rank behind each action: the more it promises, the higher."""
    ranks = actions + MAX_LEGAL
    history = HISTORY + seat * TRACED
    killer = work[KILLERS + 2 * ply]
    other = work[KILLERS + 2 * ply + 1]
    for i in range(n):
        action = work[actions + i]
        if action == first:
            rank = 1 << 42
        elif action == killer:
            rank = 1 << 41
        elif action == other:
            rank = 1 << 40
        else:
            rank = work[history + action % TRACED]
        work[ranks + i] = rank


@kernel
def pick(work: Ints, actions: int, i: int, n: int) -> None:
    """Swap the action of the highest rank among those from the i-th on to the i-th place."""
    ranks = actions + MAX_LEGAL
    best = i
    for k in range(i + 1, n):
        if work[ranks + k] > work[ranks + best]:
            best = k
    if best != i:
        action = work[actions + best]
        rank = work[ranks + best]
        work[actions + best] = work[actions + i]
        work[ranks + best] = work[ranks + i]
        work[actions + i] = action
        work[ranks + i] = rank


@kernel
def remember(work: Ints, action: int, seat: int, ply: int, depth: int) -> None:
    """Note that `action` cut: it is likely to do so again nearby."""
    killers = KILLERS + 2 * ply
    if work[killers] != action:
        work[killers + 1] = work[killers]
        work[killers] = action
    place = HISTORY + seat * TRACED + action % TRACED
    work[place] = min(work[place] + depth * depth, 1 << 39)


@kernel
def deepen(
    s: Ints,
    start: int,
    depth: int,
    pruning: int,
    work: Ints,
    table: Ints,
    out: Ints,
    tmp: Ints,
    stop: Ints,
) -> None:
    """Look `start` to `depth` decisions ahead from `s`, and write ACTION, VALUE, DEPTH, SOLVED.

    The actions lie in the first frame, work[COUNT] of them.  Of a depth that is left unfinished,
    the best action it has looked at in full counts: the best one of the depth before is always the
    first of them.
    """
    actions = FRAMES + STATE
    work[ACTION] = work[actions]
    work[VALUE] = 0
    work[DEPTH] = 0
    work[SOLVED] = 0
    for deep in range(start, depth + 1):
        low = -INFINITE
        high = -low  # a literal would make numba compile a second `search`: see test_readiness.py
        if pruning == 1 and deep > 3 and not HAS_CHANCE:
            low = work[VALUE] - WINDOW
            high = work[VALUE] + WINDOW
        value = look(s, deep, low, high, pruning, work, table, out, tmp, stop)
        while work[OVER] == 0 and (value <= low or value >= high):
            low = -INFINITE if value <= low else low
            high = INFINITE if value >= high else high
            value = look(s, deep, low, high, pruning, work, table, out, tmp, stop)
        if work[OVER] == 1:
            return
        work[DEPTH] = deep
        if work[HORIZON] == 0 or (not HAS_CHANCE and (value > SURE or value < -SURE)):
            work[SOLVED] = 1
            return


@kernel
def look(
    s: Ints,
    depth: int,
    low: int,
    high: int,
    pruning: int,
    work: Ints,
    table: Ints,
    out: Ints,
    tmp: Ints,
    stop: Ints,
) -> int:
    """Search the root once; an action that came above `low` is found, and goes to the front."""
    work[HORIZON] = 0
    work[PLY] = 0
    work[BEST] = -1
    value = search(s, depth, low, high, pruning, work, table, out, tmp, stop)
    best = work[BEST]
    if best >= 0:
        actions = FRAMES + STATE
        action = work[actions + best]
        for i in range(best, 0, -1):
            work[actions + i] = work[actions + i - 1]
        work[actions] = action
        work[ACTION] = action
        work[VALUE] = work[HIGHEST]
    return value


@kernel
def tidy(work: Ints) -> None:
    """Forget what the last search left in the workspace."""
    for i in range(HISTORY, FRAMES):
        work[i] = 0
    for killer in range(KILLERS, FRAMES):
        work[killer] = -1
    work[SPENT] = 0
    work[OVER] = 0


@kernel
def reply(s: Ints, work: Ints, table: Ints) -> int:
    """The action that the table has for `s`, or -1."""
    code = key(s) + 1
    slot = place(table, code, work[MASK])
    return table[slot + REPLY] if table[slot + KEY] == code else -1
