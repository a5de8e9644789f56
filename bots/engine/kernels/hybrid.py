"""Monte Carlo without a tree, by a static evaluation: `hybrid` in its classic form.

An action's score is what the evaluation says after it, to the seat that plays it; an end scores
more than anything else, a loss less.  Only the actions of the highest score are candidates, and a
game from each goes on for some plies, each at random among the actions of the highest score there,
until it is judged by the evaluation in its turn.  The candidates take turns.

There are no dice here.  A value is an int in [-10,000, 10,000].
"""

from __future__ import annotations

from bots.engine.kernels.records import Scratch
from bots.engine.kernels.rules import (
    END,
    HAS_EVALUATE,
    MAX_RETURN,
    STATE,
    Ints,
    evaluate,
    legal,
    mover,
    play,
    points,
)
from games.kernel import kernel
from games.rng import below

SCALE = 10_000  # what a won game is worth; values are ints


@kernel
def judged(s: Ints, seat: int) -> int:
    """What `s` is worth to `seat`."""
    to_move = mover(s)
    if to_move == END:
        won = points(s) * SCALE // MAX_RETURN
        return won if seat == 0 else -won
    if not HAS_EVALUATE:
        return 0
    return evaluate(s) if to_move == seat else -evaluate(s)


@kernel
def top(s: Ints, t: Ints, out: Ints, tmp: Ints) -> int:
    """Write the actions of the highest score, ascending; how many, 0 where the game is over."""
    seat = mover(s)
    n = legal(s, out, tmp)
    best = -SCALE - 1
    count = 0
    for i in range(n):
        for k in range(STATE):
            t[k] = s[k]
        play(t, out[i])
        score = judged(t, seat)
        if score > best:
            best = score
            count = 0
        if score == best:
            out[count] = out[i]
            count += 1
    return count


@kernel
def sample(s: Ints, seat: int, plies: int, rng: Ints, t: Ints, out: Ints, tmp: Ints) -> int:
    """Play at most `plies` plies from `s`; what it is worth to `seat` then."""
    for _ in range(plies):
        n = top(s, t, out, tmp)
        if n == 0:
            break
        play(s, out[below(rng, n)])
    return judged(s, seat)


@kernel
def compare(
    start: Ints,
    candidates: Ints,
    n: int,
    totals: Ints,
    plies: int,
    nodes: int,
    rng: Ints,
    scratch: Scratch,
    stop: Ints,
) -> int:
    """Play `nodes` games, fewer if `stop[0]` is set, from the first `n` candidates in turn.

    The value of game i, for the seat to move in `start`, is added to totals[i % n].

    Returns: how many games it played.
    """
    s = scratch.s
    seat = mover(start)
    done = 0
    while done < nodes and stop[0] == 0:
        i = done % n
        for k in range(STATE):
            s[k] = start[k]
        play(s, candidates[i])
        totals[i] += sample(s, seat, plies, rng, scratch.t, scratch.out, scratch.tmp)
        done += 1
    return done
