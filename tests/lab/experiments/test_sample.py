"""Sums of pairs, and that their intervals hold what they promise, by simulation."""

from __future__ import annotations

import math
import random

import pytest

from lab.arena.score import Tally
from lab.experiments.sample import CellSample, EffortSums, rate

TRIALS = 600
# 95 % of 600 trials have a standard deviation of 0.9 %: three of them either way.
COVERED = pytest.approx(0.95, abs=0.03)


def sample_of(*pairs: tuple[float, float]) -> CellSample:
    sample = CellSample()
    for pair in pairs:
        sample.add(pair, 20)
    return sample


def test_a_pair_is_counted_by_the_seats_that_a_had() -> None:
    sample = sample_of((1, -1), (1, 0), (0, 0), (-2, 3))
    assert sample.by_seat(0) == Tally(2, 1, 1)
    assert sample.by_seat(1) == Tally(1, 2, 1)
    assert sample.tally == Tally(3, 3, 2)
    assert sample.pair_tally.counts == (0, 0, 3, 1, 0)
    assert (sample.games, sample.plies) == (8, 80)
    assert sample.points_a_game().value == pytest.approx((0 + 0.5 + 0 + 0.5) / 4)


def test_the_first_mover_is_whoever_has_seat_0_and_draws_are_counted_by_pair() -> None:
    sample = sample_of((1, -1), (1, 0), (-1, 1), (0, 0))
    assert sample.first_mover().counts == (1, 0, 1, 1, 1)
    assert sample.draws().counts == (2, 0, 1, 0, 1)
    assert sample.draws().score == sample.tally.draws / sample.games


def test_samples_that_are_merged_say_what_one_would_have_said() -> None:
    pairs = [(1, -1), (1, 0), (0, 0), (-2, 3), (1, 1)]
    whole, merged = sample_of(*pairs), CellSample()
    for part in (pairs[:2], pairs[2:2], pairs[2:]):
        merged.merge(sample_of(*part))
    assert merged == whole


def test_rates_are_covered_by_wilsons_interval() -> None:
    rng = random.Random(1)
    held = []
    for _ in range(TRIALS):
        count = sum(rng.random() < 0.08 for _ in range(150))
        estimate = rate(count, 150)
        held.append(estimate.low <= 0.08 <= estimate.high)
    assert sum(held) / TRIALS == COVERED
    assert rate(0, 100).high == pytest.approx(0.037, abs=0.001), "none seen is not none"
    assert math.isnan(rate(0, 0).value)


def test_scores_and_points_are_covered_by_the_spread_of_pairs() -> None:
    rng = random.Random(2)
    held: list[tuple[bool, bool]] = []
    for _ in range(TRIALS):
        sample = CellSample()
        for _ in range(60):
            luck = rng.choice((-1, 1))  # which both games share, so that they are not independent
            sample.add((luck if rng.random() < 0.8 else 1, -luck if rng.random() < 0.8 else 1), 9)
        low, high = sample.pair_tally.interval()
        points = sample.points_a_game()
        held.append((low <= 0.6 <= high, points.low <= 0.2 <= points.high))
    assert [sum(column) / TRIALS for column in zip(*held, strict=True)] == [COVERED, COVERED]


def test_a_time_a_choice_is_covered_though_long_games_have_dear_choices() -> None:
    rng = random.Random(3)
    held = []
    for _ in range(TRIALS):
        sums = EffortSums()
        for _ in range(80):
            choices = rng.randint(5, 15)
            sums.add(choices, 0, choices * (0.1 * choices + rng.uniform(-0.5, 0.5)), 1.0)
        estimate = sums.wall(80)
        truth = 0.1 * (sum(n * n for n in range(5, 16)) / 11) / 10
        held.append(estimate.low <= truth <= estimate.high)
    assert sum(held) / TRIALS == COVERED


def test_one_pair_has_no_interval() -> None:
    sample = sample_of((1, 1))
    sample.a.add(8, 100, 4.0, 3.0)
    assert sample.points_a_game().row() == {"value": 1.0, "low": None, "high": None}
    assert sample.a.cpu(1) == (3 / 8, 0.0, math.inf)
    assert sample.b.wall(1).value == 0.0
