"""The law of playouts: a game's own `playout` is the generic random game, dice by their weights.

From positions near the end the chance of each final state is worked out from the rules, and the
final states of many playouts are held against it by Pearson's chi-square test.  The seeds are
fixed, so the verdict is always the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from games.game import END, Position
from games.laws.sample import Place, Sample, Walk, require
from games.laws.sample import walk as random_walk
from games.rng import below, seeded

LARGEST: Final = 150  # positions that may still come where chances are worked out
PLAYOUTS: Final = 1_000
LAST: Final = 8  # plies of a game are looked at
POSITIONS: Final = 4  # of each game
MORE_GAMES: Final = 40
SURE: Final = 1e-5  # one false alarm in 4,000 runs, were the seeds not fixed

Chances = dict[tuple[int, ...], Fraction]


class TooMany(Exception):
    """There are more positions to come than we look at."""


def fair(sample: Sample) -> None:
    """In playout() every legal action is as likely, and dice fall by their weights."""
    game = sample.game
    if game.playout is None:
        return
    out, tmp, rng = [0] * game.max_legal, [0] * game.scratch, seeded(7)
    for place, chances in late(sample):
        sample.here, sample.tried = place, sample.tried + 1
        results: Counter[tuple[int, ...]] = Counter()
        for _ in range(PLAYOUTS):
            state = list(place.position.state)
            points = game.playout(state, rng, out, tmp)
            results[tuple(state)] += 1
            require(points == game.points(state), "playout() and points() differ")
        require(set(results) <= set(chances), "playout() ends where no game can")
        p = p_value(results, chances, PLAYOUTS)
        require(p > SURE, f"playout() prefers some actions: chance alone does so once in {1 / p:g}")


def late(sample: Sample) -> list[tuple[Place, Chances]]:
    """Places near the end with few positions to come, those with most final states first."""
    results: list[tuple[Place, Chances]] = []
    for walk in sample.walks:
        results += _late(walk)
    rng = seeded(11)
    for _ in range(MORE_GAMES):  # many end where much could still come
        if len(results) < POSITIONS and not sample.walks[0].trouble:
            results += _late(random_walk(sample.game, lambda n: below(rng, n)))
    results.sort(key=lambda item: -len(item[1]))
    return results[:POSITIONS]


def _late(walk: Walk) -> Iterator[tuple[Place, Chances]]:
    """The places of a walk with few positions to come, the last one first."""
    for ply in reversed(range(len(walk.positions))[-LAST:-1]):
        place = Place(walk, ply)
        if len(place.position.legal_actions()) < 60:
            try:
                yield place, ends(place.position, {})
            except TooMany:
                return


def ends(position: Position, seen: dict[Position, Chances]) -> Chances:
    """The chance of every final state, from here, when all play at random."""
    if position not in seen:
        if len(seen) >= LARGEST:
            raise TooMany
        seen[position] = {}
        results: dict[tuple[int, ...], Fraction] = {}
        if position.to_move == END:
            results[position.state] = Fraction(1)
        for action, share in shares(position):
            for state, chance in ends(position.apply(action), seen).items():
                results[state] = results.get(state, Fraction()) + share * chance
        seen[position] = results
    return seen[position]


def shares(position: Position) -> list[tuple[int, Fraction]]:
    """How likely each action is in a random game."""
    weighed = position.chance() or [(a, 1) for a in position.legal_actions()]
    total = sum(weight for _, weight in weighed)
    return [(action, Fraction(weight, total)) for action, weight in weighed]


def p_value(results: Counter[tuple[int, ...]], chances: Chances, n: int) -> float:
    """How often chance alone is as far off as this, or further.

    Rare states are counted together.
    """
    cells: list[tuple[float, int]] = []
    rare, seen = 0.0, 0
    for state, chance in sorted(chances.items(), key=lambda item: (item[1], item[0])):
        if chance * n < 10 or 0 < rare * n < 10:
            rare += float(chance)
            seen += results[state]
        else:
            cells.append((float(chance), results[state]))
    if rare:
        cells.append((rare, seen))
    return likelihood(sum((k - n * p) ** 2 / (n * p) for p, k in cells), len(cells) - 1)


def likelihood(square: float, freedom: int) -> float:
    """How likely a chi-square of so many degrees of freedom is at least `square`.

    The upper regularised gamma function Q(freedom / 2, square / 2), by its finite sums for whole
    and half-whole arguments.
    """
    half = square / 2
    if half == 0:
        return 1.0
    if freedom % 2:
        start, tail = 0.5, math.erfc(math.sqrt(half))
    else:
        start, tail = 0.0, 0.0
    for i in range(freedom // 2):
        power = i + start
        tail += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
    return tail
