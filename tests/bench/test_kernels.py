"""`plyhouse bench rules`, with runs too short to mean anything."""

from __future__ import annotations

import json

import pytest

import plyhouse
from bench import kernels
from games import registry


def bench(*words: str) -> int:
    return plyhouse.main(["bench", "rules", *words])


def test_every_game_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--games", "1", "--rounds", "2", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [line["game"] for line in found["lines"]] == list(registry.names())
    for line in found["lines"]:
        assert 0 < line["both_low_us"] <= line["both_us"] <= line["both_high_us"]
        assert line["target_us"] == kernels.TARGETS.get(line["game"])
        assert line["legal_actions"] >= 1


def test_the_report_is_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    report = kernels.measure(games=1, rounds=1, seed=1)
    report.lines[0].target_us = 0.0
    kernels.show(report)
    out = capsys.readouterr().out
    assert all(name in out for name in registry.names())
    assert f"OVER ITS TARGET: {report.lines[0].game}" in out


def test_the_moves_are_those_of_seats_in_whole_games() -> None:
    pebbles = registry.game("pebbles")
    moves = kernels.sample(pebbles, games=3, seed=5)
    again = kernels.sample(pebbles, games=3, seed=5)
    assert (moves.states, moves.actions) == (again.states, again.actions)
    assert all(pebbles.mover(state) >= 0 for state in moves.states)
    assert moves.states != kernels.sample(pebbles, games=3, seed=6).states


@pytest.mark.parametrize("words", ["--games 0", "--rounds 0"])
def test_nonsense_is_one_sentence_and_exit_code_2(
    words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(*words.split()) == 2
    assert capsys.readouterr().err == "plyhouse bench rules: games and rounds start at 1\n"
