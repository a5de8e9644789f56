"""Ratings from a table of results, and the example of docs/ideas/ratings.md, which is one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from server.ladder.core.rating import expected

pytest.importorskip("numpy")

from server.ladder.core.rated_table import PairResult, RatedTable, rate

PAGE = Path(__file__).parents[4] / "docs/ideas/ratings.md"
STRENGTH = {
    "deep": 1010, "mcts": 985, "fork": 960, "hybrid": 930, "flat": 880, "minimax": 830,
    "greedy": 760, "random": 0,
}  # fmt: skip
FIRST_MOVE = 30


def example() -> RatedTable:
    """The ladder of the page: eight players and 973 pairs between two of them at random."""
    dice = random.Random(7)

    def leg(apart: float) -> float:
        p, luck = expected(apart), dice.random()
        draws = min(0.1, 2 * min(p, 1 - p)) / 2
        return 1.0 if luck < p - draws else 0.5 if luck < p + draws else 0.0

    def pair() -> PairResult:
        one, two = dice.sample(list(STRENGTH), 2)
        apart = STRENGTH[one] - STRENGTH[two]
        return PairResult(one, two, leg(apart + FIRST_MOVE), leg(apart - FIRST_MOVE))

    return rate([pair() for _ in range(973)], zero="random")


def test_the_example_of_the_page_is_what_the_fit_says() -> None:
    table, text = example(), PAGE.read_text("utf-8")
    for row in table.rows:
        zero = table.difference(row.player, "random")
        assert zero is not None
        to_random = f"{zero.error:.0f}" if row.elo else ""
        line = f"| `{row.player}` | {row.elo:.0f} | {row.error:.0f} | {to_random} |"
        assert line.replace("|  |", "| |") in text
    assert f"field, {table.mean:.0f}" in text
    best, second, *_ = table.rows
    ahead = table.difference(best.player, second.player)
    assert ahead is not None
    sentence = f"`{best.player}` is {ahead.elo:.0f} ± {ahead.error:.0f} Elo stronger than"
    assert sentence in text
    assert f"{100 * ahead.los:.1f} %" in text


def test_a_table_names_its_players_and_compares_them() -> None:
    results = [PairResult("a", "b", 1.0, 0.5), PairResult("b", "a", 0.5, 0.0)] * 20
    table = rate([*results, PairResult("x", "y", 1.0, 1.0)], zero="b")
    assert [(row.player, row.group, row.pairs) for row in table.rows] == [
        ("a", 0, 40), ("b", 0, 40), ("x", 1, 1), ("y", 1, 1),
    ]  # fmt: skip
    assert table.rows[1].elo == 0
    assert table.mean == pytest.approx(table.rows[0].elo / 2)
    ahead = table.difference("a", "b")
    assert ahead is not None
    assert ahead.elo == pytest.approx(table.rows[0].elo)
    assert ahead.error == pytest.approx(2 * table.rows[0].error)
    assert ahead.los > 0.95
    assert table.difference("a", "x") is None
    assert rate(results).mean == pytest.approx(0)
    with pytest.raises(KeyError):
        table.difference("a", "nobody")


@pytest.mark.parametrize(
    ("results", "why"),
    [
        ([], "without a pair"),
        ([PairResult("a", "a", 1.0, 0.0)], "against itself"),
        ([PairResult("a", "b", 1.0, 2.0)], "a score is 0, 0.5 or 1"),
    ],
)
def test_what_cannot_be_rated_is_said(results: list[PairResult], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        rate(results)
