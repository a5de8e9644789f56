"""Sums and intervals, checked against published figures and limits."""

from __future__ import annotations

import math

import pytest

from lab.arena.score import DuelRecord, Effort, PairTally, Tally, elo, summary, tally


def record(number: int, points: float, how: str = "rules", seat: int = 0) -> DuelRecord:
    return DuelRecord(number, f"1.{number}", seat, (1, 2), points, how, "line", plies=7)


def test_the_interval_is_wilsons() -> None:
    # The usual worked example: 81 of 263 gives 0.2553 to 0.3662 (Newcombe 1998, method 3).
    low, high = Tally(wins=81, losses=182).interval()
    assert (low, high) == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_the_interval_never_claims_certainty() -> None:
    assert Tally().interval() == (0.0, 1.0)
    low, high = Tally(wins=10).interval()
    assert low == pytest.approx(0.7225, abs=1e-4)
    assert high == pytest.approx(1.0)
    assert Tally(losses=10).interval() == pytest.approx((0.0, 1 - low))


def test_draws_count_half_and_elo_is_logistic() -> None:
    assert Tally(wins=1, draws=2, losses=1).score == 0.5
    assert Tally(draws=3).score == 0.5
    assert elo(0.5) == 0.0
    assert elo(10 / 11) == pytest.approx(400.0)
    assert elo(0.64) == pytest.approx(-elo(0.36))
    assert elo(1.0) == math.inf
    assert elo(0.0) == -math.inf


def test_a_match_without_a_result_does_not_count() -> None:
    records = [record(1, 1), record(2, 0, "void"), record(3, -2), record(4, 0, "abort")]
    assert tally(records) == Tally(1, 0, 1)
    found = summary(records)
    assert (found["matches"], found["void"], found["plies"]) == (2, 2, 14)
    assert found["points"] == -1


def test_a_summary_tells_the_seats_and_the_sides_apart_and_is_one_of_nothing_played() -> None:
    first, second = record(1, 1), record(2, -1, seat=1)
    first.efforts = (Effort(2, 20, 0.5, cut=1), Effort(1, 7, 0.25))
    found = summary([first, second])
    assert (found["as_first"], found["as_second"]) == ([1, 0, 0], [0, 0, 1])
    spent = {"choices": 2, "cut": 1, "nodes": 20, "seconds": 0.5}
    assert found["sides"][0] == {**spent, "ms_per_choice": 250.0, "nodes_per_choice": 10.0}
    found = summary([])
    assert (found["matches"], found["score"], found["elo_interval"]) == (0, 0.5, [None, None])


def test_actions_are_in_the_order_of_the_room() -> None:
    one = record(1, 1)
    one.actions = {5: "b", 4: "a", 6: "c"}
    assert one.row()["actions"] == "a b c"


def test_the_likelihood_of_superiority_is_that_of_a_normal_distribution() -> None:
    assert Tally().los == PairTally((0, 0, 0, 0, 0)).los == 0.5
    assert Tally(wins=64, draws=5, losses=36).los == pytest.approx(0.99744, abs=1e-5)  # z = 2.8
    assert Tally(wins=36, losses=64).los == pytest.approx(1 - 0.99744, abs=1e-5)


def test_the_spread_of_pairs_is_theirs_and_never_nothing() -> None:
    calm, wild = PairTally((0, 0, 40, 20, 0)), PairTally((20, 0, 10, 0, 30))
    assert calm.score == wild.score == pytest.approx(35 / 60)
    assert calm.error < wild.error
    assert calm.los > wild.los > 0.5
    low, high = PairTally((0, 0, 0, 0, 3)).interval()
    assert 0.5 < low < 0.9
    assert high == 1
    # a sample of 1,000 pairs with a known spread: 0.25 a match, so 0.0079 of their mean
    assert PairTally((250, 0, 500, 0, 250)).error == pytest.approx(0.353553 / 1000**0.5, rel=0.01)
