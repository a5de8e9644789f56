"""`plyhouse bench ladder`: the fit of a simulated ladder, and what is made of runs."""

from __future__ import annotations

import pytest

from bench.ladder import ladder
from bench.support.generator import Load
from tests.support.command import Run

pytest.importorskip("numpy")


def test_the_simulated_strengths_are_found() -> None:
    (sentence,) = ladder.rate(10, 10_000, 1)
    assert float(sentence.split("off by ")[1].split(" Elo")[0]) < 15


def test_the_simulated_ladder_is_the_same_for_the_same_seed() -> None:
    truth, pairs = ladder.simulated(4, 300, 7)
    assert (truth, pairs) == ladder.simulated(4, 300, 7)
    assert all(a != b for a, b in zip(pairs.one, pairs.two, strict=True))
    assert set(pairs.first) == set(pairs.second) == {0.0, 0.5, 1.0}


def test_followers_are_compared_inside_a_round(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {0: iter((800, 900, 5_000)), 20: iter((400, 450, 900))}

    def one_run(args: object, followers: int, data: object) -> Load:
        matches = next(runs[followers])
        return Load(seconds=60.0, moves=1, p50_ms=5.0 if followers else 4.0, p99_ms=9.0,
                    matches=matches)  # fmt: skip

    monkeypatch.setattr(ladder, "one_run", one_run)
    # backwards in the second round, so each side's runs come in the order of the rounds
    out = " ".join(run("bench ladder --part page").out.split())
    assert "MISSED the target of 1,000 matches a minute" in out
    assert "900 (800 to 5,000) 450 (400 to 900)" in out
    assert "0.500 (0.180 to 0.500)" in out
    assert "1.25 (1.25 to 1.25)" in out
