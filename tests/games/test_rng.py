"""The random numbers of search: pinned, within range, the same plain and compact."""

from __future__ import annotations

from array import array
from itertools import pairwise

import pytest

from games.rng import below, seeded


def test_the_generator_is_marsaglia_s() -> None:
    rng = [2463534242]  # the seed of his paper
    states = []
    for _ in range(4):
        below(rng, 2)
        states.append(rng[0])
    assert states == [723471715, 2497366906, 2064144800, 2008045182]


def test_the_first_numbers_of_a_seed_never_change() -> None:
    assert [seeded(s) for s in (0, 1, 2, -1)] == [
        [1840695908],
        [1556481351],
        [709623883],
        [3558095369],
    ]
    rng = seeded(1)
    assert [below(rng, 100) for _ in range(10)] == [6, 29, 49, 56, 61, 22, 45, 29, 47, 12]


def test_numbers_stay_in_range_and_reach_both_ends() -> None:
    rng = seeded(7)
    for n in (1, 2, 7, 36):
        seen = {below(rng, n) for _ in range(2_000)}
        assert seen == set(range(n))
    assert all(0 <= below(rng, 2**30 - 1) < 2**30 - 1 for _ in range(1_000))


def test_numbers_are_even_enough() -> None:
    rng, seen = seeded(2), [0] * 10
    for _ in range(20_000):
        seen[below(rng, 10)] += 1
    assert sum((n - 2_000) ** 2 / 2_000 for n in seen) < 27.88  # once in a thousand seeds above


def test_a_list_and_an_array_of_64_bits_give_the_same_stream() -> None:
    plain, compact = seeded(3), array("q", seeded(3))
    for n in range(1, 2_000):
        assert below(plain, n) == below(compact, n)
    assert plain == list(compact)


@pytest.mark.parametrize("seed", [0, 1, -1, 2**31, 2**64, 10**40, -(10**40)])
def test_any_integer_is_a_seed(seed: int) -> None:
    state = seeded(seed)
    assert 0 < state[0] < 2**32
    assert state == seeded(seed)
    assert state is not seeded(seed)


def test_neighbouring_seeds_have_nothing_in_common() -> None:
    streams = [[below(rng, 2) for _ in range(64)] for rng in map(seeded, range(100))]
    same = [sum(map(int.__eq__, a, b)) for a, b in pairwise(streams)]
    assert len({tuple(s) for s in streams}) == 100
    assert 12 < min(same) <= max(same) < 52
    assert 30 < sum(same) / len(same) < 34
