"""Games gone through with the cube at a score: made by hand, so that the result is known."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bots.backgammon.cube.stakes import Stakes, worths
from bots.backgammon.kernels import cube
from bots.backgammon.kernels.cube import LEVELS
from bots.backgammon.kernels.records import CubeSpace
from lab.training.kernels import match_games
from lab.training.kernels.training_records import KeptGames
from tests.bots.backgammon.cube.tables import plain_table


def kept(points: int, wins: Sequence[float], first: int = 0) -> KeptGames:
    """One game that seat 0 won by `points`, with the chances of each who was to roll."""
    chances = [x for win in wins for x in (win, 0.0, 0.0, 0.0, 0.0)]
    return KeptGames([0, len(wins)], [first], [points], chances, [0.7] * len(wins))


def told(games: KeptGames, stakes: Stakes, turned: bool = False) -> float:
    """What the game is worth to seat 0, or to seat 1 if `turned`."""
    worth = worths(stakes, 0, plain_table())
    theirs = [-value for value in reversed(worth)]
    space = CubeSpace([1, 0], worth, theirs, [], [0.0] * 4 * LEVELS, [], [], [], [], [])
    return float(match_games.replay(games, 0, turned, space))


def worth(stakes: Stakes, points: int) -> float:
    return cube.worth_of(worths(stakes, 0, plain_table()), points)


SCORE = Stakes(away=(5, 5))


@pytest.mark.parametrize(
    ("wins", "points", "counts"),
    [
        ([0.5, 0.5, 0.5], 2, 2),  # nobody doubles: a gammon
        ([0.5, 0.72, 0.3, 0.7], 1, 2),  # seat 0 doubles, seat 1 takes
        ([0.5, 0.72, 0.3, 0.7], -2, -4),  # ... and wins a gammon
        ([0.5, 0.9, 0.5], -1, 1),  # ... and drops: what came after does not count
        ([0.8, 0.5], 1, -1),  # seat 1 doubles, seat 0 drops
    ],
)
def test_a_game_counts_what_it_would_have_at_this_score(
    wins: list[float], points: int, counts: int
) -> None:
    """Seat 0 had the opening roll, so seat 1 is the first that may double."""
    assert told(kept(points, wins), SCORE) == pytest.approx(worth(SCORE, counts))


def test_the_other_seat_may_ask_too() -> None:
    games = kept(-2, [0.5, 0.72, 0.3, 0.7])
    assert told(games, SCORE, turned=True) == pytest.approx(worth(SCORE, 4))
    begun = kept(1, [0.72, 0.3], first=1)
    assert told(begun, SCORE) == pytest.approx(worth(SCORE, 2)), "now seat 0 may double first"


def test_after_the_crawford_game_one_doubles_at_once_and_nobody_else_does() -> None:
    """Seat 0 needs three, seat 1 one: seat 0 doubles even where it is behind, seat 1 never."""
    stakes = Stakes(away=(3, 1), crawford_over=True)
    assert told(kept(1, [0.7, 0.3]), stakes) == pytest.approx(worth(stakes, 2))
    assert told(kept(-1, [0.7, 0.3]), stakes) == -1


def test_the_free_drop_is_used() -> None:
    """Who needs two and doubles with more than an even chance is dropped, as one point costs
    nothing but the match at one point each."""
    stakes = Stakes(away=(2, 1), crawford_over=True)
    for win, counts in ((0.55, 1), (0.45, 2)):
        assert told(kept(1, [1 - win, win]), stakes) == pytest.approx(worth(stakes, counts))
