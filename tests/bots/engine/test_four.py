"""The search that plays connect four to the end, against one so simple that it can be believed."""

from __future__ import annotations

from functools import cache

import pytest

from bots.engine.solvers import ConnectFour
from games import registry
from games.game import END, Position
from tests.bots.positions import after, decisions

GAME = registry.game("connect_four")
STOP = [0]


@cache
def simple(position: Position) -> int:
    """The score, by looking at every game."""
    stones = position.state[2]
    if position.to_move == END:
        return -(22 - (stones + 1) // 2) if GAME.points(list(position.state)) else 0
    return max(-simple(position.apply(action)) for action in position.legal_actions())


MANY = [(stones, 20 if stones < 30 else 100) for stones in range(26, 42)]


@pytest.mark.parametrize(
    ("plain", "samples"),
    [
        (True, [(stones, 4) for stones in (32, 34, 35, 37, 38, 39, 40, 41)]),
        pytest.param(False, MANY, marks=pytest.mark.slow),
    ],
)
def test_late_positions_get_the_score_that_looking_at_every_game_gives(
    plain: bool, samples: list[tuple[int, int]], request: pytest.FixtureRequest
) -> None:
    if not plain:
        request.getfixturevalue("with_numba")
    search = ConnectFour(GAME, plain=plain)
    for position in (here for given in samples for here in decisions("connect_four", *given)):
        score = simple(position)
        found = search.solve(position, 10**9, STOP)
        assert (found.low, found.high) == (score, score), position
        assert -simple(position.apply(found.best)) == score
        equal = [a for a in position.legal_actions() if -simple(position.apply(a)) == score]
        assert search.all_best(position, score, STOP) == equal


@pytest.mark.parametrize(
    ("columns", "score"),
    [
        ("2252576253462244111563365343671351441", -1),  # the example in P. Pons's tutorial
        ("121212", 18),  # the fourth stone on the first column
        ("1212121", -18),
    ],
)
def test_known_scores(columns: str, score: int) -> None:
    position = after(columns)
    search = ConnectFour(GAME, plain=True)
    if position.to_move == END:
        assert search.at_a_glance(position) == score
    else:
        found = search.solve(position, 10**6, STOP)
        assert (found.low, found.high) == (score, score)


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_the_first_move_decides_as_is_known_since_1988() -> None:
    """J. Allen and V. Allis: the first player wins by the middle column, and by no other.

    With the large table, 512 MB: with the small one it takes more than twice as long.
    """
    search = ConnectFour(GAME, wide=True)
    for column, score in (("4", -1), ("1", 2), ("2", 1), ("3", 0)):
        found = search.solve(after(column), 10**11, STOP)
        assert (found.low, found.high) == (score, score)


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_plain_and_compiled_look_at_the_same_positions() -> None:
    searches = ConnectFour(GAME, plain=True), ConnectFour(GAME)
    for position in decisions("connect_four", 26, 2):
        one, other = (s.solve(position, 10**5, STOP) for s in searches)
        assert one == other
