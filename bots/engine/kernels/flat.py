"""Flat Monte Carlo: playouts from each candidate at the root, shared out by score; no tree below.

A playout takes the candidate that UCB1 prefers, goes on at random for some plies, and is judged
where it breaks off.  UCB1 rather than shares in proportion to the scores: it does not depend on
where the zero of a score lies, wastes little on the candidates that look bad (their share grows as
the logarithm of all playouts) and still never gives one up.

A candidate has a number in each array of `Candidates` (records.py).

Source: P. Auer, N. Cesa-Bianchi, P. Fischer, "Finite-time Analysis of the Multiarmed Bandit
Problem", Machine Learning 47, 2002 (UCB1).
"""

from __future__ import annotations

from math import log, sqrt

from bots.engine.kernels.records import Candidates, FlatOptions, Scratch
from bots.engine.kernels.rules import (
    CHANCE,
    END,
    HAS_CHANCE,
    HAS_EVALUATE,
    HAS_FEATURES,
    MAX_RETURN,
    STATE,
    Ints,
    evaluate,
    features,
    legal,
    mover,
    play,
    points,
)
from bots.engine.kernels.uct import fallen, random_result
from games.kernel import kernel
from games.rng import below

FULL = 10_000  # the most that can be won
SURELY = 9_900  # no judgement goes beyond it: only an end is certain
FEATURES = 6  # how many a game with features has


@kernel
def lay_out(start: Ints, actions: Ints, visits: Ints, totals: Ints, tmp: Ints, rng: Ints) -> int:
    """Write the candidates in random order, for they are first tried as they lie; how many."""
    n = legal(start, actions, tmp)
    for i in range(n - 1, 0, -1):
        j = below(rng, i + 1)
        action = actions[i]
        actions[i] = actions[j]
        actions[j] = action
    for i in range(n):
        visits[i] = 0
        totals[i] = 0
    return n


@kernel
def select(visits: Ints, totals: Ints, n: int, done: int, seat: int, exploration: float) -> int:
    """The candidate to play out after `done` playouts: an untried one, else the highest bound.

    The bound is mean + exploration * sqrt(log(done) / its own playouts), with the mean in points.
    """
    if done < n:
        return done
    sign = 1.0 * MAX_RETURN / FULL if seat == 0 else -1.0 * MAX_RETURN / FULL
    wide = exploration * sqrt(log(float(done)))
    best = 0
    highest = -1e18
    for i in range(n):
        bound = sign * totals[i] / visits[i] + wide / sqrt(float(visits[i]))
        if bound > highest:
            highest = bound
            best = i
    return best


@kernel
def judged(s: Ints, counts: Ints, weights: Ints) -> int:
    """What a position in which a seat is to move looks worth to seat 0."""
    if HAS_FEATURES:
        features(s, counts)
        value = 0
        for i in range(FEATURES):
            value += weights[i] * counts[i]
        value = value * (FULL // MAX_RETURN) // 1000  # weights are thousandths of a point
    else:
        value = evaluate(s)
    value = max(-SURELY, min(SURELY, value))
    return value if mover(s) == 0 else -value


@kernel
def sampled(
    s: Ints, rng: Ints, out: Ints, tmp: Ints, counts: Ints, weights: Ints, plies: int
) -> int:
    """What seat 0 gets from `s` on, by one playout that is broken off after `plies` random plies.

    A roll is no ply.  With plies == 0, and in a game that has no evaluation, it goes on to the end.
    """
    if plies == 0 or not (HAS_FEATURES or HAS_EVALUATE):
        return random_result(s, rng, out, tmp, 0) * (FULL // MAX_RETURN)
    left = plies
    while True:
        seat = mover(s)
        if seat == END:
            return points(s) * (FULL // MAX_RETURN)
        if HAS_CHANCE and seat == CHANCE:
            play(s, fallen(s, out, legal(s, out, tmp), rng))
        elif left == 0:
            return judged(s, counts, weights)
        else:
            left -= 1
            play(s, out[below(rng, legal(s, out, tmp))])


@kernel
def search(
    start: Ints,
    candidates: Candidates,
    n: int,
    done: int,
    rng: Ints,
    scratch: Scratch,
    options: FlatOptions,
    nodes: int,
    stop: Ints,
) -> int:
    """Make playouts until there are `nodes` of them, fewer if `stop[0]` is set; how many there are.

    `done`: how many there are before.
    """
    s = scratch.s
    visits = candidates.visits
    totals = candidates.totals
    seat = mover(start)
    while done < nodes and stop[0] == 0:
        i = select(visits, totals, n, done, seat, options.exploration)
        for j in range(STATE):
            s[j] = start[j]
        play(s, candidates.actions[i])
        totals[i] += sampled(
            s, rng, scratch.out, scratch.tmp, options.features, options.weights, options.plies
        )
        visits[i] += 1
        done += 1
    return done
