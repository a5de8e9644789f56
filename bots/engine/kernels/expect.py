"""One ply of expectation: every action judged as it stands, the best few by the dice that follow.

`look` plays each legal action and evaluates what comes of it, `rank` brings the best to the front,
and `refine` averages one of them over all chance actions, by weight, each answered by the reply
that is best for the other seat.  Without dice there is one outcome, and that reply decides.

Values are those of `evaluate`, at most 10,000, seen by the seat that is to move at the start; the
end of the game counts its points instead.  After a seat's action `evaluate` speaks for the other
seat, also where the dice come first.  A node is one position evaluated; spent[0] counts them.
"""

from __future__ import annotations

from bots.engine.kernels.records import Replies
from bots.engine.kernels.rules import (
    CHANCE,
    END,
    HAS_CHANCE,
    HAS_EVALUATE,
    MAX_RETURN,
    STATE,
    Ints,
    evaluate,
    legal,
    mover,
    play,
    points,
    weight,
)
from games.kernel import kernel
from games.rng import below

UNKNOWN = -1e18  # what `refine` says when it could not look at everything
LOWEST = -1_000_000  # below every value


@kernel
def static(s: Ints, seat: int) -> int:
    """What the position is worth to `seat`, which has just played."""
    if mover(s) == END:
        won = points(s) if seat == 0 else -points(s)
        return won * 10_000 // MAX_RETURN
    return -evaluate(s) if HAS_EVALUATE else 0


@kernel
def look(
    start: Ints,
    s: Ints,
    out: Ints,
    values: Ints,
    tmp: Ints,
    rng: Ints,
    nodes: int,
    stop: Ints,
    spent: Ints,
) -> int:
    """Write the legal actions and their static values; how many were judged.

    If the budget of nodes is too small for all, chance says which, each as likely as any other; a
    budget of time sets `stop`, and then those are judged that came first, in the order of `legal`.
    """
    n = legal(start, out, tmp)
    seat = mover(start)
    few = n > nodes - spent[0]
    done = 0
    while done < n and spent[0] < nodes and stop[0] == 0:
        if few:
            j = done + below(rng, n - done)
            action = out[done]
            out[done] = out[j]
            out[j] = action
        for i in range(STATE):
            s[i] = start[i]
        play(s, out[done])
        values[done] = static(s, seat)
        spent[0] += 1
        done += 1
    return done


@kernel
def rank(out: Ints, values: Ints, n: int, limit: int, gap: int) -> int:
    """Bring the best of `n` actions to the front, best first; ties: the lower action.

    Returns: how many are candidates: at most `limit`, none worse than the best by more than `gap`.
    """
    for k in range(min(n, limit)):
        best = k
        for i in range(k + 1, n):
            if values[i] > values[best] or (values[i] == values[best] and out[i] < out[best]):
                best = i
        action = out[best]
        value = values[best]
        out[best] = out[k]
        values[best] = values[k]
        out[k] = action
        values[k] = value
        if value < values[0] - gap:
            return k
    return min(n, limit)


@kernel
def best_reply(
    s: Ints, t: Ints, replies: Ints, tmp: Ints, nodes: int, stop: Ints, spent: Ints
) -> int:
    """The value of the best reply for the seat to move in `s`; LOWEST if the budget ends before."""
    n = legal(s, replies, tmp)
    seat = mover(s)
    best = LOWEST
    for k in range(n):
        if spent[0] >= nodes or stop[0] != 0:
            return LOWEST
        for i in range(STATE):
            t[i] = s[i]
        play(t, replies[k])
        best = max(best, static(t, seat))
        spent[0] += 1
    return best


@kernel
def refine(
    start: Ints, action: int, scratch: Replies, nodes: int, stop: Ints, spent: Ints
) -> float:
    """What `action` is worth on average over the dice; UNKNOWN if the budget ends before."""
    after = scratch.after
    s = scratch.s
    seat = mover(start)
    for i in range(STATE):
        after[i] = start[i]
    play(after, action)
    now = mover(after)
    if now == END:
        return float(static(after, seat))
    if not HAS_CHANCE or now != CHANCE:
        worst = best_reply(after, s, scratch.replies, scratch.tmp, nodes, stop, spent)
        return UNKNOWN if worst == LOWEST else -float(worst)
    total = 0
    weights = 0
    n = legal(after, scratch.rolls, scratch.tmp)
    for k in range(n):
        w = weight(after, scratch.rolls[k])
        for i in range(STATE):
            s[i] = after[i]
        play(s, scratch.rolls[k])
        if mover(s) == END:
            total -= w * static(s, seat)
        else:
            value = best_reply(s, scratch.t, scratch.replies, scratch.tmp, nodes, stop, spent)
            if value == LOWEST:
                return UNKNOWN
            total += w * value
        weights += w
    return -total / weights
