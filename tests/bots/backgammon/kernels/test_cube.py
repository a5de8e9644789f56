"""The value of a position with the cube: known points of money play, and other code at scores."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from bots.backgammon.cube.stakes import Stakes, worths
from bots.backgammon.kernels import cube
from bots.backgammon.kernels.cube import CASH, CENTRED, DROP, LEVELS, MINE, NOBODY, THEIRS
from bots.backgammon.kernels.net import CONTACT, EXACT, OVER, RACE
from tests.bots.backgammon.cube.tables import Slow, plain_table
from tests.bots.backgammon.tiny import position

HOLDERS = {"we they": CENTRED, "we": MINE, "they": THEIRS, "": NOBODY}
SCORES = (
    Stakes(), Stakes(jacoby=True), Stakes(away=(5, 7)), Stakes(away=(2, 2)), Stakes(away=(2, 3)),
    Stakes(cube=2, away=(3, 9), owner=0), Stakes(cube=4, away=(4, 11), owner=1),
    Stakes(away=(1, 4), crawford_over=True), Stakes(away=(5, 1), crawford_over=True),
    Stakes(away=(25, 24)),
)  # fmt: skip


class Space:
    """What `set_levels` writes into."""

    def __init__(self) -> None:
        self.levels = [0.0] * (4 * LEVELS)


def levels(chances: list[float], stakes: Stakes, seat: int = 0) -> tuple[list[float], list[float]]:
    """What points are worth, and the levels."""
    worth, space = worths(stakes, seat, plain_table()), Space()
    cube.set_levels(chances, 0, stakes.single, worth, space)  # type: ignore[arg-type]
    return worth, space.levels


def value(chances: list[float], stakes: Stakes, holder: int, live: float, k: int = 0) -> float:
    worth, found = levels(chances, stakes)
    return cube.cubeful(chances[0], k, stakes.single, holder, stakes.jacoby, live, worth, found)


def only(win: float) -> list[float]:
    """A race without gammons."""
    return [win, 0.0, 0.0, 0.0, 0.0]


def some_chances(rng: random.Random) -> list[float]:
    win = rng.choice([0.0, 1.0, rng.random(), rng.random(), rng.random()])
    gammon, lost = win * rng.random() * 0.6, (1 - win) * rng.random() * 0.6
    return [win, gammon, gammon * rng.random() * 0.2, lost, lost * rng.random() * 0.2]


def test_with_a_live_cube_a_race_for_money_is_cashed_at_four_in_five() -> None:
    _, found = levels(only(0.5), Stakes())
    assert found[CASH] == pytest.approx(0.8)
    assert found[DROP] == pytest.approx(0.2)
    assert value(only(0.8), Stakes(), CENTRED, live=1.0) == pytest.approx(1)
    assert value(only(0.2), Stakes(), CENTRED, live=1.0) == pytest.approx(-1)
    assert value(only(0.5), Stakes(), CENTRED, live=1.0) == pytest.approx(0)


@pytest.mark.parametrize("live", [0.0, 0.5, 0.68, 1.0])
def test_a_race_is_taken_from_a_quarter_with_a_dead_cube_to_a_fifth_with_a_live_one(
    live: float,
) -> None:
    """Janowski's take point without gammons: 1 / (4 + live)."""
    chance = 1 / (4 + live)
    assert value(only(1 - chance), Stakes(), THEIRS, live, k=1) == pytest.approx(1)
    assert value(only(chance), Stakes(), MINE, live, k=1) == pytest.approx(-1)


def test_gammons_move_the_points_as_in_janowskis_formulae() -> None:
    chances = [0.6, 0.6 * 0.3, 0.0, 0.4 * 0.2, 0.0]
    win, lose = 1.3, 1.2
    _, found = levels(chances, Stakes())
    assert found[DROP] == pytest.approx((lose - 0.5) / (win + lose + 0.5), abs=1e-4)
    assert found[CASH] == pytest.approx((lose + 1) / (win + lose + 0.5), abs=1e-4)


@pytest.mark.parametrize("stakes", SCORES, ids=str)
def test_every_value_is_that_of_a_recursion_over_cubes(stakes: Stakes) -> None:
    rng = random.Random(str(stakes))
    for _ in range(12):
        chances, live = some_chances(rng), rng.random()
        slow = Slow(stakes, 0, chances, live)
        for name, holder in HOLDERS.items():
            for k in (0, 1, 2):
                told = value(chances, stakes, holder, live, k)
                wanted = slow.value(stakes.single << k, name, 7 - k)
                assert told == pytest.approx(wanted, abs=1e-9), (chances, live, name, k)


@pytest.mark.parametrize("stakes", SCORES, ids=str)
def test_what_one_side_wins_the_other_loses(stakes: Stakes) -> None:
    rng = random.Random(7)
    theirs = {CENTRED: CENTRED, MINE: THEIRS, THEIRS: MINE, NOBODY: NOBODY}
    for _ in range(8):
        win, gammon, backgammon, lost, most_lost = chances = some_chances(rng)
        other = [1 - win, lost, most_lost, gammon, backgammon]
        worth, found = levels(other, stakes, seat=1)
        for holder, their_holder in theirs.items():
            seen = cube.cubeful(
                1 - win, 0, stakes.single, their_holder, stakes.jacoby, 0.7, worth, found
            )
            assert cube.other_side(holder) == their_holder
            assert value(chances, stakes, holder, 0.7) == pytest.approx(-seen, abs=1e-9)


def test_to_hold_the_cube_is_worth_something_and_never_less_than_a_dead_one() -> None:
    for win in (0.3, 0.5, 0.7):
        values = [value(only(win), Stakes(), holder, 0.7) for holder in (THEIRS, NOBODY, MINE)]
        assert all(low < high for low, high in pairwise(values))


def test_with_nothing_to_lose_one_doubles_at_once() -> None:
    """After the Crawford game, who needs four plays for two points from the start."""
    stakes, chances = Stakes(away=(4, 1), crawford_over=True), [0.5, 0.1, 0.0, 0.0, 0.0]
    taken = value(chances, stakes, THEIRS, 0.6, k=1)
    assert value(chances, stakes, CENTRED, 0.6) == pytest.approx(taken)
    assert value(chances, stakes, NOBODY, 0.6) != pytest.approx(taken)


def test_the_efficiency_is_that_of_the_kind_of_position_and_grows_with_a_race() -> None:
    table = [0.1, 0.0, 0.2, 0.0, 0.3, 0.001, 0.4, 0.0, 0.45]
    long, short = position({6: 10, 9: 5}, {6: 15}), position({9: 1, 4: 1}, {8: 1, 2: 1})

    def live(here: Any, which: int) -> float:
        return cube.efficiency(here.state, which, table)

    assert live(long, CONTACT) == 0.1
    assert live(long, 1) == 0.2
    assert live(short, RACE) == pytest.approx(0.31), "ten pips for who is ahead"
    assert live(long, RACE) == pytest.approx(0.39)
    assert live(position({9: 15}, {13: 15}), RACE) == pytest.approx(0.435)
    assert live(position({20: 15}, {23: 15}), RACE) == 0.45, "at most"
    assert live(short, EXACT) == live(short, OVER) == 0.4
