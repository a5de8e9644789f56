"""Intervals hold the truth: of the distance to the field, of each difference, from early on.

Ladders of known strengths are simulated, and counted is how often the truth lies within.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any, NamedTuple

import pytest

from server.ladder.core.fitting import fit
from server.ladder.core.rating import Ratings
from tests.server.ladder.core.test_rating import KINDS, OF_EACH_KIND, Kind, play

np = pytest.importorskip("numpy")

Meeting = Callable[[Any, int, int], tuple[Any, Any]]  # rng, players, pairs -> who meets whom


def alike(rng: Any, players: int, pairs: int) -> tuple[Any, Any]:
    """Any two, as often as any other."""
    one = rng.integers(0, players, pairs)
    return one, (one + rng.integers(1, players, pairs)) % players


def unequal(rng: Any, players: int, pairs: int) -> tuple[Any, Any]:
    """Player 0 has most pairs, the last one a tenth as many."""
    share = 1 / np.arange(1, players + 1) ** 1.2
    one, two = rng.choice(players, (2, pairs), p=share / share.sum())
    return one, np.where(one == two, (one + 1) % players, two)


def apart(rng: Any, players: int, pairs: int) -> tuple[Any, Any]:
    """Two halves that never meet."""
    half = players // 2
    one, two = alike(rng, half, pairs)
    side = half * rng.integers(0, 2, pairs)
    return one + side, two + side


def against_one(rng: Any, players: int, pairs: int) -> tuple[Any, Any]:
    """All against player 0, as in a gauntlet or a sweep."""
    return np.zeros(pairs, int), 1 + np.arange(pairs) % (players - 1)


class Design(NamedTuple):
    """What ladders are like.  `strength`: of the first and the last; `zero`: of player 0."""

    players: int
    pairs: int
    meeting: Meeting = alike
    strength: tuple[int, int] = (0, 350)
    zero: int = 0


DESIGNS = {
    "two": Design(2, 100, strength=(0, 100)),
    "few pairs": Design(8, 40),
    "as the example": Design(8, 973, strength=(700, 1000)),
    "unequal": Design(8, 200, unequal),
    "two groups": Design(8, 400, apart),
    "a gauntlet": Design(6, 300, against_one),
    "many": Design(20, 2000),
}


class Coverage(NamedTuple):
    """How often an interval held the truth: of the distance to the field, and of differences."""

    field: float
    difference: float


def coverage(seed: int, ladders: int, design: Design, kind: Kind) -> Coverage:
    """Simulate so many ladders.  Every difference and every player of a ladder counts."""
    rng = np.random.default_rng(seed)
    strength = np.linspace(*design.strength, design.players)
    strength[0] = design.zero
    within: tuple[list[bool], list[bool]] = ([], [])
    for _ in range(ladders):
        one, two = design.meeting(rng, design.players, design.pairs)
        ratings = fit(design.players, play(rng, strength, one, two, kind), pinned=0)
        for i, off, error in field_errors(ratings, strength):
            assert ratings.elo[i] is not None
            within[0].append(abs(off) <= error)
        for i, j in combinations(range(design.players), 2):
            found = ratings.difference(i, j)
            if found is not None:
                within[1].append(abs(found.elo - (strength[i] - strength[j])) <= found.error)
    return Coverage(float(np.mean(within[0])), float(np.mean(within[1])))


def field_errors(ratings: Ratings, strength: Any) -> list[tuple[int, float, float]]:
    """Each player that has met another, how wrong its distance to its field is, and the ±."""
    rows = []
    for group in set(ratings.group):
        members = [
            i for i, own in enumerate(ratings.group) if own == group and ratings.elo[i] is not None
        ]
        if not members:
            continue
        mean, true = ratings.mean(group), float(np.mean(strength[members]))
        assert mean is not None
        for i in members:
            elo, error = ratings.elo[i], ratings.error[i]
            assert elo is not None
            assert error is not None
            rows.append((i, (elo - mean) - (strength[i] - true), error))
    return rows


@pytest.mark.parametrize("name", ["two", "few pairs", "unequal", "two groups"])
def test_intervals_of_the_field_and_of_differences_hold_the_truth(name: str) -> None:
    held = coverage(11, 40, DESIGNS[name], KINDS["shared luck"])
    assert 0.89 <= held.field <= 0.995
    assert 0.89 <= held.difference <= 0.995


@pytest.mark.slow
@OF_EACH_KIND
@pytest.mark.parametrize("name", DESIGNS)
def test_95_of_100_intervals_hold_the_truth_93_at_least_97_at_most(name: str, kind: Kind) -> None:
    held = coverage(12, 300 if name == "many" else 2_000, DESIGNS[name], kind)
    assert 0.93 <= held.field <= 0.97
    assert 0.93 <= held.difference <= 0.97


def superior(seed: int, ladders: int, kind: Kind) -> tuple[int, int]:
    """How often player 0 has a LOS over an equal one above 97.5 %, and below 2.5 %."""
    rng = np.random.default_rng(seed)
    strength, high, low = np.array([100.0, 100.0, 0.0, 300.0]), 0, 0
    for _ in range(ladders):
        ratings = fit(4, play(rng, strength, *alike(rng, 4, 200), kind), pinned=2)
        found = ratings.difference(0, 1)
        assert found is not None
        high += found.los > 0.975
        low += found.los < 0.025
    return high, low


def test_the_better_one_is_seldom_said_of_equals() -> None:
    high, low = superior(13, 100, KINDS["many draws"])
    assert high + low <= 14  # 5 of 100 are expected


@pytest.mark.slow
@OF_EACH_KIND
def test_los_of_equals_is_above_975_of_1000_in_25_of_1000_ladders(kind: Kind) -> None:
    high, low = superior(14, 4_000, kind)
    assert 60 <= high <= 140  # 100 are expected, with a deviation of 10
    assert 60 <= low <= 140
