"""`plyhouse bench ladder` as its user meets it, with ladders too small to mean anything."""

from __future__ import annotations

import json
import random

import pytest

import plyhouse
from bench import ladder
from server.ladder import rating


def bench(*words: str) -> int:
    return plyhouse.main(["bench", "ladder", *words])


def test_a_small_fit_is_timed(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("numpy")
    words = "--part rating --bots 5 --pairs 40 --rounds 3"
    assert bench(*words.split(), "--json") == 0
    said = capsys.readouterr()
    (line,) = json.loads(said.out)["lines"]
    assert line["what"] == "rating 40 pairs of 5 bots"
    assert 0 < line["low"] <= line["median"] <= line["high"]
    assert line["target"] is None, "the target is about another ladder"
    assert said.err.count("rating: round") == 3
    assert bench(*words.split()) == 0
    out = capsys.readouterr().out
    assert "rating 40 pairs of 5 bots" in out
    assert "OFF ITS TARGET" not in out


def test_the_made_up_ladder_is_the_same_for_the_same_seed() -> None:
    pairs = ladder.made_up(4, 300, random.Random(7))
    assert pairs == ladder.made_up(4, 300, random.Random(7))
    assert all(a != b for a, b in zip(pairs.one, pairs.two, strict=True))
    assert set(pairs.first) == set(pairs.second) == {0.0, 0.5, 1.0}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--rounds 0", "rounds start at 1"),
        ("--part chess", "there is no part 'chess', only "),
        ("--part rating --bots 1", "ratings need two bots and a pair"),
        ("--part rating --pairs 0", "ratings need two bots and a pair"),
    ],
)
def test_what_cannot_be_measured_gets_a_sentence(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(*words.split()) == 2
    assert capsys.readouterr().err.startswith(f"plyhouse bench ladder: {sentence}")


def test_without_numpy_there_is_a_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rating, "available", lambda: False)
    assert bench("--part", "rating") == 2
    assert "pip install 'plyhouse[fast]'" in capsys.readouterr().err


def test_a_figure_off_its_target_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    slow = ladder.line("rating", "rating all", "s", [3.0, 2.5, 9.0], 2.0)
    slack = ladder.line("play", "matches", "a minute", [900.0], 1000.0, most=False)
    right = ladder.line("play", "matches", "a minute", [1200.0], 1000.0, most=False)
    assert [row.reached for row in (slow, slack, right)] == [False, False, True]
    ladder.show(
        ladder.Report(rounds=3, lines=[slow, slack, right], load=2.0, python="", machine="")
    )
    out = capsys.readouterr().out
    assert "OFF ITS TARGET: rating all: 3.00 s" in out
    assert out.count("OFF ITS TARGET") == 2
    assert "THE MACHINE WAS BUSY" in out
    assert "1,200 a minute" in out
