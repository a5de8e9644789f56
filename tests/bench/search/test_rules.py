"""`plyhouse bench rules`, with runs too short to mean anything."""

from __future__ import annotations

import pytest

from bench.search import rules
from games import registry
from tests.support.command import Run


def test_every_game_is_measured(run: Run) -> None:
    report = run("bench rules --games 1 --rounds 2 --json").json()
    assert [line["game"] for line in report["lines"]] == list(registry.names())
    for line in report["lines"]:
        assert 0 < line["both_low_us"] <= line["both_us"] <= line["both_high_us"]
        assert line["target_us"] == rules.TARGETS.get(line["game"])
        assert line["legal_actions"] >= 1


def test_the_report_is_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    report = rules.measure(games=1, rounds=1, seed=1)
    report.lines[0].target_us = 0.0
    rules.show(report)
    out = capsys.readouterr().out
    assert all(name in out for name in registry.names())
    assert f"OVER ITS TARGET: {report.lines[0].game}" in out


def test_the_moves_are_those_of_seats_in_whole_games() -> None:
    pebbles = registry.game("pebbles")
    moves = rules.sample(pebbles, games=3, seed=5)
    again = rules.sample(pebbles, games=3, seed=5)
    assert (moves.states, moves.actions) == (again.states, again.actions)
    assert all(pebbles.mover(state) >= 0 for state in moves.states)
    assert moves.states != rules.sample(pebbles, games=3, seed=6).states
