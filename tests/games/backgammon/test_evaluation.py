"""The hand-made evaluation: the same for both seats, and right about what every player knows."""

from __future__ import annotations

import pytest

from games import registry
from games.backgammon import evaluation
from games.backgammon.evaluation import evaluate, gammon, last, pips, shots, worth
from games.game import END
from tests.games.backgammon.pictures import turned
from tests.games.laws.walks import positions

GAME = registry.game("backgammon")


def board(mine: dict[int, int], theirs: dict[int, int], off: tuple[int, int] = (0, 0)) -> list[int]:
    """A state with X to roll, each seat's checkers by its own points; 25 is the bar."""
    s = [0] * GAME.state_size
    s[0], s[26] = off
    for base, points in ((0, mine), (26, theirs)):
        for p, n in points.items():
            s[base + p] = n
    return s


def test_it_is_the_same_for_both_seats_and_never_sure() -> None:
    for p in positions("backgammon")[1:]:
        if p.to_move != END:
            assert evaluate(list(p.state)) == evaluate(list(turned(p).state))
            assert abs(evaluate(list(p.state))) <= 9900


def test_before_the_opening_roll_nobody_is_ahead() -> None:
    assert evaluate(list(GAME.initial().state)) == 0


def test_who_is_to_roll_is_ahead_where_all_else_is_equal() -> None:
    start = list(GAME.initial().state)
    start[52] = 0
    assert 0 < evaluate(start) < evaluation.POINT // 3


HOME = {6: 5, 5: 5, 4: 5}
BETTER = {
    "a race that is led": (({6: 5, 5: 5, 4: 5}, HOME), ({6: 7, 5: 6, 4: 2}, HOME)),
    "a checker that is hit": (
        ({6: 5, 8: 5, 13: 5}, {25: 1, 6: 14}),
        ({6: 5, 8: 5, 13: 5}, {24: 1, 6: 14}),
    ),
    "a blot out of range": (
        ({24: 2, 8: 1, 6: 6, 5: 6}, {13: 15}),
        ({24: 2, 18: 1, 6: 6, 5: 6}, {13: 15}),
    ),
    "six points in a row": (
        ({8: 2, 7: 3, 6: 3, 5: 3, 4: 2, 3: 2}, {24: 2, 6: 13}),
        ({10: 2, 8: 3, 6: 3, 4: 3, 3: 2, 1: 2}, {24: 2, 6: 13}),
    ),
    "a gammon in sight": (({2: 2, 1: 2}, {18: 5, 13: 10}), ({2: 2, 1: 2}, {6: 5, 5: 10})),
}


@pytest.mark.parametrize("what", BETTER)
def test_what_every_player_knows_counts(what: str) -> None:
    better, worse = [
        evaluate(board(*sides, off=tuple(15 - sum(side.values()) for side in sides)))  # type: ignore[arg-type]
        for sides in BETTER[what]
    ]
    assert better > worse + 100


def test_pips_and_last_checkers_are_counted() -> None:
    start = list(GAME.initial().state)
    assert (pips(start, 0), pips(start, 26)) == (167, 167)
    assert last(start, 0) == 24
    assert last(board({3: 1, 25: 1}, {}), 0) == 25
    assert last(board({}, {}), 0) == 0


@pytest.mark.parametrize(
    ("place", "shooters", "rolls"),
    [(12, {13: 1}, 11), (12, {14: 1}, 12), (12, {18: 1}, 17), (12, {19: 1}, 6), (12, {24: 1}, 3),
     (12, {13: 1, 14: 2}, 23), (12, {12: 3, 11: 1}, 0), (12, {25: 2}, 0),
     (12, {13: 1, 14: 1, 15: 1}, 30), (20, {25: 1}, 15), (3, {6: 1}, 14), (3, {7: 1}, 0)],
)  # fmt: skip
def test_shots_are_counted_as_in_the_books(
    place: int, shooters: dict[int, int], rolls: int
) -> None:
    assert shots(board({}, shooters), 26, place) == rolls


def test_a_gammon_is_near_only_while_nothing_is_off_and_there_is_a_way_to_go() -> None:
    assert gammon(board({1: 2}, {18: 15}, off=(13, 0)), 0, 2) == 180 * 1000 // 817 + 10 - 10 + 20
    assert gammon(board({1: 2}, {18: 14}, off=(13, 1)), 0, 2) == 0
    assert gammon(board({6: 15}, {6: 15}), 0, 90) == 0


def test_a_packed_row_gives_back_what_was_put_in() -> None:
    entries = (-40, 87, 0, 1, 2, 3, 6, -5)
    row = evaluation._packed(entries)
    assert [worth(row, p) for p in range(9, 17)] == [50 * n // 3 for n in entries]
