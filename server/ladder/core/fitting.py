"""The fit of ratings to pairs: maximum a posteriori, and a sandwich over pairs.

All pairs of the same two players are one *pairing*, a < b, with two *cells*: a moves first (0) and
a moves second (1).  With strengths t and the first-move term g in log-odds, cell 0 expects
p = logistic(t[a] - t[b] + g) and cell 1 logistic(t[a] - t[b] - g), so that every matrix here is
N players and g, (N + 1)^2, and is assembled from the pairings.

Prior: Jeffreys', which takes away the first-order bias and keeps 100 % scores finite (Firth,
Biometrika 80, 1993).  It acts as half a win and half a loss for each unit of a cell's leverage,
about one game a player in all, and is weighed by how scattered the results are, as the bias goes
with their variance.  These games count in the sandwich too: that is what keeps a record of nothing
but wins, where no residual says anything, as uncertain as its curvature is.  Beside it stands a
faint normal one, FAINT, for ladders so thin that Jeffreys' is nearly flat: with fifty pairs it
moves no player by an Elo.

Errors: curvature^-1 x (sum over pairs of score x score') x curvature^-1, which holds for draws and
for whatever correlation the two legs have.  Each pairing's part is divided by 1 - leverage of a
pair (the idea of HC2: MacKinnon and White, J. Econometrics 29, 1985).

Weights, where each owner is to count once however many names it plays under: a player weighs u, an
owner's players together as much as the busiest of them, and a pair the product of both players' u.
This is the weighted pairwise likelihood of surveys (Yi, Rao and Li, Statistica Sinica 26, 2016): a
pair there weighs by the chance that both were asked, a product where that is drawn for each alone.
In the equation of player a, sum over b of
u[a] u[b] (score - expected) = 0, its own u falls out: how it is rated depends on how much its
opponents weigh alone, so who shares a voice is still rated by all of its own results.  Weights that
depend on who has met whom, such as 1 / (an owner's players that one has met), would be no product:
an owner could then make the results against its player small by bringing more players, and so those
that it has been given large.  Where all owners have as many players, the weights are all alike, and
nothing changes; the prior, the errors and the mean of all are weighed so that this holds for them.
"""

from __future__ import annotations

import math
import os
from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

# For matrices of a few hundred rows the threads of BLAS cost more than they save: on a busy machine
# they wait for each other ten times as long as one alone takes, and on the cores of the server.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # which reads that
from numpy.typing import NDArray

from server.ladder.core.rating import ELO, NORMAL, NOWHERE, UNKNOWN, Pairs, Ratings

T = TypeVar("T")
Array: TypeAlias = NDArray[Any]  # of float64; of int64 where it numbers something

ROUNDS = 200  # of Newton; one-sided records take about log(games), others five
NEAR = 1e-7  # log-odds: a step as small as this is the last
FAINT = (ELO / 1500) ** 2  # of strengths around their group's mean: 1 / variance, in log-odds^-2
MAX_STEP = 3.0  # log-odds of one step


class PairingSums(NamedTuple):
    """The pairings, m of them.  `loose` leaves the exact pairs out."""

    players: int
    a: Array
    b: Array
    pairs: Array  # (m,)
    sums: Array  # (2, m): score of a in each cell
    loose: Array  # (m,): pairs with sampling error
    loose_sums: Array  # (2, m)
    squares: Array  # (3, m): over loose pairs, of score 0 squared, score 1 squared, both
    voice: Array  # (N,): how much each player weighs against others, above 0 and at most 1
    share: Array  # (N,): ... and in the mean of all, where an owner's players have 1 together

    @property
    def weight(self) -> Array:
        """(m,): how much a pair weighs."""
        weight: Array = self.voice[self.a] * self.voice[self.b]
        return weight

    @property
    def faint(self) -> Array:
        """(N,): how much the normal prior weighs: as much as a player's pairs do."""
        faint: Array = self.voice * np.sum(self.voice**2) / np.sum(self.voice)
        return faint


class Peak(NamedTuple):
    """The most likely strengths and what the errors are made of."""

    strength: Array  # (N,): mean 0 in each group
    first_move: float
    expect: Array  # (2, m)
    prior: Array  # (2, m): games that the prior adds to each cell, each weighed as a pair there
    faint: Array  # (N + 1)^2: curvature of the normal prior
    inverse: Array  # (N + 1)^2: of the curvature, prior included


def fit(
    players: int, pairs: Pairs, pinned: int | None = None, owners: Sequence[int] = ()
) -> Ratings:
    """Rate players 0 to `players` - 1.

    `owners`: of each player whose it is, by any number, where each of them is to count once; empty:
    each player counts for itself.

    The caller has checked that the numbers are in range and that no player plays itself.  Who is in
    no pair is in no matrix either: names that only join cost nothing here.
    """
    table = aggregate(players, pairs)
    group = groups(table, pinned)
    if not len(table.a):
        nothing = (None,) * players
        error = NORMAL * math.sqrt(UNKNOWN)
        return Ratings(nothing, nothing, tuple(group.tolist()), 0.0, error)
    met = np.unique(np.concatenate([table.a, table.b]))
    place = np.full(players, NOWHERE, dtype=np.int64)
    place[met] = np.arange(len(met))
    table = table._replace(players=len(met), a=place[table.a], b=place[table.b])
    table = weigh(table, np.asarray(owners, dtype=np.int64)[met] if len(owners) else met)
    peak = climb(table, group[met])
    return _ratings(table, peak, sandwich(table, peak), group, place, pinned)


def aggregate(players: int, pairs: Pairs) -> PairingSums:
    """Add up the pairs of each pairing, as the player with the lower number sees them."""
    one, two = (np.asarray(side, dtype=np.int64) for side in (pairs.one, pairs.two))
    first, second = (np.asarray(leg, dtype=np.float64) for leg in (pairs.first, pairs.second))
    loose = np.ones(len(one))
    if len(pairs.exact):
        loose -= np.asarray(pairs.exact, dtype=np.float64)
    swapped = one > two
    a, b = np.where(swapped, two, one), np.where(swapped, one, two)
    scores = (np.where(swapped, 1 - second, first), np.where(swapped, 1 - first, second))
    keys, which = np.unique(a * players + b, return_inverse=True)

    def total(values: Array) -> Array:
        return np.bincount(which, values, minlength=len(keys))

    x, y = scores
    return PairingSums(
        players,
        keys // max(players, 1),
        keys % max(players, 1),
        total(np.ones(len(one))),
        np.stack([total(x), total(y)]),
        total(loose),
        np.stack([total(x * loose), total(y * loose)]),
        np.stack([total(x * x * loose), total(y * y * loose), total(x * y * loose)]),
        np.ones(players),
        np.ones(players),
    )


def weigh(table: PairingSums, owners: Array) -> PairingSums:
    """Have the players of each owner, (N,) by any number, weigh as much as one of them would."""
    n = table.players
    played = np.bincount(table.a, table.pairs, n) + np.bincount(table.b, table.pairs, n)
    _, which = np.unique(owners, return_inverse=True)
    busiest, total = np.zeros(n), np.bincount(which, played, n)
    np.maximum.at(busiest, which, played)
    return table._replace(voice=busiest[which] / total[which], share=played / total[which])


def groups(table: PairingSums, pinned: int | None) -> Array:
    """(N,): the number of each player's group; after group 0 the larger come first."""
    low = np.arange(table.players)
    while True:  # everybody takes the lowest number that a neighbour has, until nothing changes
        least = low.copy()
        np.minimum.at(least, table.a, low[table.b])
        np.minimum.at(least, table.b, low[table.a])
        least = least[least]
        if np.array_equal(least, low):
            break
        low = least
    names, which, sizes = np.unique(low, return_inverse=True, return_counts=True)
    order = np.argsort(-sizes, kind="stable")
    if pinned is not None:
        home = which[pinned]
        order = np.concatenate([[home], order[order != home]])
    number = np.empty(len(names), dtype=np.int64)
    number[order] = np.arange(len(names))
    return number[which]


def assemble(table: PairingSums, block: tuple[Array, Array, Array]) -> Array:
    """(N + 1)^2: the sum of X'KX over pairings; K = ((k0, k01), (k01, k1)) as (k0, k1, k01)."""
    k0, k1, k01 = block
    both, cross = k0 + k1 + 2 * k01, k0 - k1
    n, a, b = table.players, table.a, table.b
    out = np.zeros((n + 1, n + 1))
    out[a, b] = out[b, a] = -both
    out[np.arange(n), np.arange(n)] = np.bincount(a, both, n) + np.bincount(b, both, n)
    out[n, :n] = out[:n, n] = np.bincount(a, cross, n) - np.bincount(b, cross, n)
    out[n, n] = np.sum(k0 + k1 - 2 * k01)
    return out


def reach(table: PairingSums, inverse: Array) -> tuple[Array, Array]:
    """(2, m): the variance of each cell's log-odds under a covariance."""
    a, b = table.a, table.b
    own = np.diagonal(inverse)
    apart = own[a] + own[b] - 2 * inverse[a, b]
    cross = 2 * (inverse[a, -1] - inverse[b, -1])
    return apart + own[-1] + cross, apart + own[-1] - cross


def climb(table: PairingSums, group: Array) -> Peak:
    """Return the peak, with the prior's games weighed by how scattered the results are."""
    peak = _climb(table, group, np.zeros(table.players + 1), 1.0)
    at = np.append(peak.strength, peak.first_move)
    return _climb(table, group, at, scatter(table, peak))


def scatter(table: PairingSums, peak: Peak) -> float:
    """The variance of a pair's score over that of two coin flips as loaded: draws lower it, luck
    that the legs share raises it up to 2.  Drawn towards 1 by one even pair for each parameter.
    """
    first, second, both = np.sum(residues(table, peak), axis=1)
    even = (table.players + 1) / 2
    coins = np.sum(peak.expect * (1 - peak.expect) * table.loose)
    return float((first + second + 2 * both + even) / (coins + even))


def _climb(table: PairingSums, group: Array, at: Array, strong: float) -> Peak:
    """Newton's method from `at` with the prior's games, which change with the strengths."""
    n, a, b = table.players, table.a, table.b
    # Strengths are known up to a constant a group; `frame` holds each group's mean where it is.
    frame, faint = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    frame[:n, :n] = _means(group, np.ones(n))
    faint[:n, :n] = FAINT * table.faint[:, None] * (np.eye(n) - _means(group, table.voice))
    pair = table.weight
    step: Array = np.zeros(n + 1)
    zero = np.zeros(len(a))
    for _ in range(ROUNDS):
        at = at + step
        apart = at[a] - at[b]
        expect = 0.5 + 0.5 * np.tanh(np.stack([apart + at[n], apart - at[n]]) / 2)
        weight = expect * (1 - expect)
        told = weight * table.pairs * pair
        spread = np.linalg.inv(assemble(table, (*told, zero)) + frame)
        if np.any(pair != 1):  # else that is the same
            spread = spread @ assemble(table, (*(told * pair), zero)) @ spread
        prior = strong * told * np.stack(reach(table, spread))
        pull = pair * (table.sums - table.pairs * expect) + prior * (0.5 - expect)
        curved = assemble(table, (*(told + weight * prior), zero)) + frame + faint
        step = np.linalg.solve(curved, _slope(table, pull) - faint @ at)
        longest = np.max(np.abs(step))
        if longest < NEAR:
            break
        step *= min(1.0, MAX_STEP / longest)
    return Peak(at[:n], float(at[n]), expect, prior, faint, np.linalg.inv(curved) - frame)


def _means(group: Array, weights: Array) -> Array:
    """(N, N): in each player's row the weights of its group, as shares of all of them."""
    means: Array = (group[:, None] == group[None, :]) * weights
    return means / np.bincount(group, weights)[group][:, None]


def _slope(table: PairingSums, pull: Array) -> Array:
    """(N + 1,): X' times what each cell pulls."""
    n, both = table.players, pull[0] + pull[1]
    out = np.empty(n + 1)
    out[:n] = np.bincount(table.a, both, n) - np.bincount(table.b, both, n)
    out[n] = np.sum(pull[0] - pull[1])
    return out


def residues(table: PairingSums, peak: Peak) -> Array:
    """(3, m): sums over loose pairs of residue 0 squared, residue 1 squared, and both."""
    p, q = peak.expect
    (x, y), (xx, yy, xy), count = table.loose_sums, table.squares, table.loose
    return np.stack(
        [
            xx - 2 * p * x + count * p * p,
            yy - 2 * q * y + count * q * q,
            xy - p * y - q * x + count * p * q,
        ]
    )


def sandwich(table: PairingSums, peak: Peak) -> Array:
    """(N + 1)^2: the covariance of strengths and first-move term, in log-odds."""
    p, q = peak.expect
    weight, pair = peak.expect * (1 - peak.expect), table.weight
    leverage = np.sum(pair * weight * np.stack(reach(table, peak.inverse)), axis=0) / 2
    r0, r1, r01 = (pair**2 * part / (1 - leverage) for part in residues(table, peak))
    doubt = pair * _doubt(table)
    prior = doubt * peak.prior * (p * p + (1 - p) ** 2, q * q + (1 - q) ** 2) / 2
    filling = assemble(table, (r0 + prior[0], r1 + prior[1], r01))
    faint = np.sqrt(np.append(table.faint, 0.0))
    filling += peak.faint * np.outer(faint, faint) * np.any(table.loose)
    covariance: Array = peak.inverse @ filling @ peak.inverse
    return covariance


def _doubt(table: PairingSums) -> Array:
    """(m,): how much of the prior's games is sampling error: none of an exact result, unless that
    is 0 or 100 %, of which the prior alone says how much it is in Elo.
    """
    total = np.sum(table.sums, axis=0)
    onesided = (total == 0) | (total == 2 * table.pairs)
    return np.where(onesided, 1.0, table.loose / table.pairs)


def unevenness(table: PairingSums, peak: Peak) -> tuple[Array, Array]:
    """How far each player's results against single opponents depart from what the ratings expect.

    Chi-squared over its opponents, as a normal deviate (Wilson and Hilferty, 1931); a quarter of a
    point squared is added to each variance, so that one surprise is none.  Who is given points by a
    few stands out, and so, less, do those who give; and also a style that suits one opponent.

    Returns:
        (N,) the deviate, NaN with fewer than two opponents; (N,) the opponent from which a player
        has most beyond its rating, -1 where none gave it more.
    """
    n, a, b = table.players, table.a, table.b
    beyond = np.sum(table.sums - table.pairs * peak.expect, axis=0)
    coins = np.sum(peak.expect * (1 - peak.expect), axis=0) * table.pairs
    deviate = beyond / np.sqrt(scatter(table, peak) * coins + 0.25)
    player, other = np.concatenate([a, b]), np.concatenate([b, a])
    own = np.concatenate([deviate, -deviate])
    freedom = np.bincount(player, minlength=n) - 1.0
    square = np.bincount(player, own**2, minlength=n)
    freedom[freedom < 1] = np.nan
    spread = 2 / (9 * freedom)
    uneven = (np.cbrt(square / freedom) - 1 + spread) / np.sqrt(spread)
    order = np.lexsort((own, player))  # the last one of each player is its largest
    most = np.full(n, -1, dtype=np.int64)
    most[player[order]] = np.where(own[order] > 0, other[order], -1)
    return uneven, most


def _ratings(
    table: PairingSums, peak: Peak, covariance: Array, groups: Array, place: Array,
    pinned: int | None,
) -> Ratings:  # fmt: skip
    """Ratings from the pinned player or the group's mean, errors from the group's mean, in Elo.

    `groups` and `place` are of all players, everything else of those that are in a pair.
    """
    n, met = table.players, np.flatnonzero(place != NOWHERE)
    group = groups[met]
    from_mean = np.eye(n) - _means(group, table.share)
    elo = ELO * (from_mean @ peak.strength)
    if pinned is not None and place[pinned] != NOWHERE:
        elo[group == 0] -= elo[place[pinned]]
    spread = ELO**2 * covariance
    variance = np.sum((from_mean @ spread[:n, :n]) * from_mean, axis=1)
    error = NORMAL * np.sqrt(np.maximum(variance, 0))
    uneven, most = unevenness(table, peak)
    return Ratings(
        elo=_spread_out(place, [float(e) + 0.0 for e in elo]),
        error=_spread_out(place, error.tolist()),
        group=tuple(groups.tolist()),
        first_move=ELO * peak.first_move,
        first_move_error=NORMAL * math.sqrt(max(float(spread[n, n]), 0.0)),
        covariance=tuple(array("d", row.tobytes()) for row in spread[:n, :n]),
        uneven=_spread_out(place, [None if math.isnan(z) else float(z) for z in uneven]),
        most_from=_spread_out(place, [None if k < 0 else int(met[k]) for k in most]),
        place=tuple(place.tolist()),
        share=_spread_out(place, table.share.tolist()),
    )


def _spread_out(place: Array, values: Sequence[T | None]) -> tuple[T | None, ...]:
    """Return what is known of those in a pair for all players; None for the others."""
    return tuple(None if at == NOWHERE else values[at] for at in place.tolist())
