"""`plyhouse bench ladder`: the part without a server, with ladders too small to mean anything."""

from __future__ import annotations

import json

import pytest

import plyhouse
from bench import ladder
from server.ladder import rating

pytest.importorskip("numpy")


def bench(*words: str) -> int:
    return plyhouse.main(["bench", "ladder", "--part", "rating", "--rounds", "1", *words])


@pytest.mark.slow
def test_a_small_fit_is_timed(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--pairs", "40", "--json") == 0
    found = json.loads(capsys.readouterr().out)["rating"]
    low, median, high = (found["seconds"][name] for name in ("low", "median", "high"))
    assert 0 < low <= median <= high
    assert found["pairs"] == 40
    assert bench("--pairs", "40") == 0
    assert "Rating 40 pairs of 200 bots" in capsys.readouterr().out


def test_the_simulated_strengths_are_found() -> None:
    assert ladder.rate(10, 10_000, 1).off < 15


def test_the_simulated_ladder_is_the_same_for_the_same_seed() -> None:
    truth, pairs = ladder.simulated(4, 300, 7)
    assert (truth, pairs) == ladder.simulated(4, 300, 7)
    assert all(a != b for a, b in zip(pairs.one, pairs.two, strict=True))
    assert set(pairs.first) == set(pairs.second) == {0.0, 0.5, 1.0}


def test_what_cannot_be_measured_gets_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert bench("--pairs", "0") == 2
    assert capsys.readouterr().err.startswith("plyhouse bench ladder: there is at least")
    monkeypatch.setattr(rating, "available", lambda: False)
    assert bench() == 2
    assert "numpy" in capsys.readouterr().err
