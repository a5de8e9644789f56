"""The search that plays connect four to the end, against one so simple that it can be believed."""

from __future__ import annotations

from functools import cache

import pytest

from bots import compiled
from bots.search import four
from bots.solve import ConnectFour
from games import registry
from games.connect_four import threats
from games.game import END, Position
from games.rng import below, seeded

GAME = registry.game("connect_four")
STOP = [0]


@pytest.fixture
def machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """numba, which the tests do without elsewhere."""
    pytest.importorskip("numba")
    monkeypatch.setattr(compiled, "available", lambda: True)


def after(columns: str) -> Position:
    """The position after these columns."""
    position = GAME.initial()
    for column in columns:
        position = position.apply(int(column) - 1)
    return position


@cache
def simple(position: Position) -> int:
    """The score, by looking at every game."""
    stones = position.state[2]
    if position.to_move == END:
        return -(22 - (stones + 1) // 2) if GAME.points(list(position.state)) else 0
    return max(-simple(position.apply(action)) for action in position.legal_actions())


def late(stones: int, matches: int, seed: int) -> list[Position]:
    """Positions with so many stones, out of random matches."""
    rng, found = seeded(seed), []
    while len(found) < matches:
        position = GAME.initial()
        while position.state[2] < stones and position.to_move != END:
            legal = position.legal_actions()
            position = position.apply(legal[below(rng, len(legal))])
        if position.to_move != END:
            found.append(position)
    return found


def test_the_cells_that_win_are_those_of_the_rules() -> None:
    for position in late(20, 60, seed=1):
        x, o, _ = position.state
        for stones in (x, o):
            assert four.winning(stones, x | o) == threats(stones, x | o)


def check_against_simple(search: ConnectFour, stones: int, matches: int) -> None:
    for position in late(stones, matches, seed=stones):
        score = simple(position)
        found = search.solve(position, 10**9, STOP)
        assert (found.low, found.high) == (score, score), position
        assert -simple(position.apply(found.best)) == score
        equal = [a for a in position.legal_actions() if -simple(position.apply(a)) == score]
        assert search.all_best(position, score, STOP) == equal


def test_late_positions_get_the_score_that_looking_at_every_game_gives() -> None:
    search = ConnectFour(GAME, plain=True)
    for stones in (32, 34, 35, 37, 38, 39, 40, 41):
        check_against_simple(search, stones, 4)


@pytest.mark.slow
@pytest.mark.usefixtures("machine_code")
@pytest.mark.parametrize("stones", range(26, 42))
def test_many_late_positions_get_their_score(stones: int) -> None:
    check_against_simple(ConnectFour(GAME), stones, 20 if stones < 30 else 100)


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
@pytest.mark.usefixtures("machine_code")
def test_the_first_move_decides_as_is_known_since_1988() -> None:
    """J. Allen and V. Allis: the first player wins by the middle column, and by no other.

    With the large table, 512 MB: with the small one it takes more than twice as long.
    """
    search = ConnectFour(GAME, wide=True)
    for column, score in (("4", -1), ("1", 2), ("2", 1), ("3", 0)):
        found = search.solve(after(column), 10**11, STOP)
        assert (found.low, found.high) == (score, score)


def test_a_position_and_its_mirror_image_have_the_same_score() -> None:
    search = ConnectFour(GAME, plain=True)
    for position in late(30, 5, seed=3):
        x, o, plies = position.state
        turned = [sum((s >> 7 * c & 127) << 42 - 7 * c for c in range(7)) for s in (x, o)]
        mirrored = Position(GAME, (*turned, plies))
        scores = [ConnectFour(GAME, plain=True), search]
        found = [s.solve(p, 10**6, STOP) for s, p in zip(scores, (position, mirrored), strict=True)]
        assert found[0].low == found[1].high
        assert found[0].proven


@pytest.mark.usefixtures("machine_code")
def test_plain_and_compiled_look_at_the_same_positions() -> None:
    searches = ConnectFour(GAME, plain=True), ConnectFour(GAME)
    for position in late(26, 2, seed=8):
        one, other = (s.solve(position, 10**5, STOP) for s in searches)
        assert one == other
