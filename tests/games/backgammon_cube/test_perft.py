"""Perft with the cube: sequences of actions, against numbers that follow from those without one."""

from __future__ import annotations

import pytest

from games import registry
from games.game import MatchTerms
from games.laws.perft import perft
from tests.games.backgammon.test_counts import PERFT

GAME = registry.game("backgammon_cube")
OPENING, TURNS = PERFT[0], PERFT[1]  # 30 rolls, and 380 turns behind them, as others count them


@pytest.mark.parametrize(
    ("terms", "counts"),
    [
        # To roll or to double after each turn; then 21 rolls, or 2 or 3 answers.
        (MatchTerms(), [OPENING, TURNS, 2 * TURNS, (21 + 2) * TURNS]),
        (MatchTerms(beavers=True), [OPENING, TURNS, 2 * TURNS, (21 + 3) * TURNS]),
        # Nobody doubles: as without a cube.
        (MatchTerms(points=3, score=(2, 0), crawford=True), PERFT[:3]),
        (MatchTerms(cube=False), PERFT[:3]),
    ],
)
def test_perft_with_the_cube(terms: MatchTerms, counts: list[int]) -> None:
    assert perft(GAME, len(counts), GAME.initial(terms)) == counts


# Both bear their last checker off with any roll.  To roll: 21 rolls, each with one turn that ends
# the game (21 * 1).  To double: take and 21 rolls with a turn each, or drop.
LAST_CHECKERS = "XGID=-A----------------------a-:{}:1:00:{}"


@pytest.mark.parametrize(
    ("cube", "rest", "counts"),
    [
        ("0:0", "0:0:0:0:10", [2, 23, 42, 21]),
        ("0:0", "0:0:2:0:10", [2, 24, 21 + 21 + 3, 21 + 21 + 2, 21 + 21, 21]),
        ("3:-1", "0:0:0:0:10", [21, 21]),
        ("10:1", "0:0:0:0:10", [21, 21]),
    ],
)
def test_perft_where_the_next_turn_ends_the_game(cube: str, rest: str, counts: list[int]) -> None:
    p = GAME.parse_position(LAST_CHECKERS.format(cube, rest))
    assert perft(GAME, len(counts), p) == counts


@pytest.mark.parametrize(
    ("start", "counts"),
    [("nackgammon", [30, 456, 912]), ("hypergammon", [30, 240, 480])],
)
def test_perft_of_the_other_starts(start: str, counts: list[int]) -> None:
    assert perft(GAME, len(counts), GAME.initial(MatchTerms(start=start))) == counts


@pytest.mark.slow
def test_perft_with_the_cube_to_the_fifth_ply() -> None:
    # After a roll as many turns as without a cube, 178,306; after a take 21 rolls; after a drop
    # nothing.
    assert perft(GAME, 5)[4] == PERFT[3] + 21 * TURNS
