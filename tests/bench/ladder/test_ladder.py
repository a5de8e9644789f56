"""`plyhouse bench ladder`: the part without a server, with ladders too small to mean anything."""

from __future__ import annotations

import pytest

from bench.ladder import ladder
from tests.support.command import Run

pytest.importorskip("numpy")


@pytest.mark.slow
def test_a_small_fit_is_timed(run: Run) -> None:
    words = "bench ladder --part rating --rounds 1 --pairs 40"
    report = run(words, "--json").json()["rating"]
    low, median, high = (report["seconds"][name] for name in ("low", "median", "high"))
    assert 0 < low <= median <= high
    assert report["pairs"] == 40
    assert "Rating 40 pairs of 200 bots" in run(words).out


def test_the_simulated_strengths_are_found() -> None:
    assert ladder.rate(10, 10_000, 1).off < 15


def test_the_simulated_ladder_is_the_same_for_the_same_seed() -> None:
    truth, pairs = ladder.simulated(4, 300, 7)
    assert (truth, pairs) == ladder.simulated(4, 300, 7)
    assert all(a != b for a, b in zip(pairs.one, pairs.two, strict=True))
    assert set(pairs.first) == set(pairs.second) == {0.0, 0.5, 1.0}
