"""The bear-off table against a brute force by the game's own rules, and published figures.

A board is a tuple: how many checkers are on the points 1 to 6.  The brute force decides in
fractions, so it knows which turns are equally good.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb
from types import ModuleType
from typing import Any

import pytest

from bots.backgammon.kernels import bearoff
from bots.engine import compiled
from games.backgammon import GAME, rules

Board = tuple[int, ...]
MOST = 4  # checkers in the small table
ROLLS = [10 * a + b for a in range(1, 7) for b in range(1, a + 1)]
SHARE = {roll: Fraction(1 if roll % 11 == 0 else 2, 36) for roll in ROLLS}
LIKELY = {roll: float(share) for roll, share in SHARE.items()}
EMPTY = (0, 0, 0, 0, 0, 0)


@dataclass(frozen=True)
class Tables:
    """What `build` has filled, and the copy that did."""

    made: ModuleType
    tails: Any
    first: Any
    means: Any

    def tail(self, board: Board) -> list[float]:
        """How likely `board` takes more than 0, 1, ... turns."""
        place = bearoff.TURNS * row(board)
        return [float(x) for x in self.tails[place : place + bearoff.TURNS]]

    def chances(self, s: list[int]) -> list[float]:
        """The five chances in the state `s`."""
        out = [9.0] * 5
        self.made.chances(s, self.tails, self.first, out)
        return out


def built(made: ModuleType, most: int, array: Callable[[int, str], Any]) -> Tables:
    """The table of at most so many checkers, from arrays of a length and a kind."""
    n = bearoff.rows(most)
    tails = array(n * bearoff.TURNS, "float32")
    first = array(bearoff.new(most) * bearoff.FIRST, "float32")
    means, via = array(n, "float64"), array(n * bearoff.VIA, "int64")
    made.build(most, tails, first, means, via, array(bearoff.SCRATCH, "int64"))
    return Tables(made, tails, first, means)


@pytest.fixture(scope="module")
def small() -> Tables:
    """The table of at most MOST checkers, by plain Python."""
    made = compiled.search(bearoff, GAME, plain=True)
    return built(made, MOST, lambda n, _: [7] * n)


def boards(most: int) -> list[Board]:
    """All boards of at most so many checkers, by pips: after what a turn makes of them."""
    places = (p for n in range(most + 1) for p in combinations_with_replacement(range(1, 7), n))
    found = [tuple(p.count(k) for k in range(1, 7)) for p in places]
    return sorted(found, key=lambda board: sum(k * n for k, n in enumerate(board, 1)))


def row(board: Board) -> int:
    return bearoff.index([0, *board], 0)


def state(mine: Board, theirs: Board, of: int = 15, seat: int = 0) -> list[int]:
    """The state in which `seat` is to roll; who has fewer than `of` checkers has borne off some."""
    s = [0] * rules.STATE
    for base, board in ((26 * seat, mine), (26 - 26 * seat, theirs)):
        s[base : base + 7] = [of - sum(board), *board]
    s[rules.TURN] = seat
    return s


@cache
def results(board: Board, roll: int) -> list[Board]:
    """What the legal turns make of `board`, by the game's own rules."""
    s = state(board, (0, 0, 0, 0, 0, 15))
    rules.play(s, roll)
    out, tmp = [0] * rules.MAX_LEGAL, [0] * rules.SCRATCH
    found = []
    for k in range(rules.legal(s, out, tmp)):
        t = list(s)
        rules.play(t, out[k])
        found.append(tuple(t[1:7]))
    return found


@cache
def mean(board: Board) -> Fraction:
    """The least expected number of turns."""
    if board == EMPTY:
        return Fraction(0)
    return 1 + sum(SHARE[r] * min(map(mean, results(board, r))) for r in ROLLS)


@cache
def after(board: Board, roll: int) -> Board:
    """What the policy makes of `board`; where several are equally good, the least row."""
    return min(results(board, roll), key=lambda b: (mean(b), row(b)))


@cache
def longer(board: Board, turns: int, least: int = 1) -> float:
    """How likely `board` has at least so many checkers after so many turns."""
    if sum(board) < least or turns == 0:
        return float(sum(board) >= least)
    return sum(LIKELY[r] * longer(after(board, r), turns - 1, least) for r in ROLLS)


@cache
def race(mine: Board, theirs: Board, full: int) -> tuple[float, float, float]:
    """How likely who is to roll wins, wins a gammon, loses a gammon, of `full` checkers a side."""
    if theirs == EMPTY:
        return 0.0, 0.0, float(sum(mine) == full)
    total = [0.0] * 3
    for r in ROLLS:
        win, gammon, lost = race(theirs, after(mine, r), full)
        for i, x in enumerate((1 - win, lost, gammon)):
            total[i] += LIKELY[r] * x
    return total[0], total[1], total[2]


def test_rows_number_the_boards_without_a_gap_fewer_checkers_first() -> None:
    found = sorted((row(board), sum(board)) for board in boards(6))
    assert [r for r, _ in found] == list(range(bearoff.rows(6)))
    assert [n for _, n in found] == sorted(n for _, n in found)
    assert bearoff.rows(15) == bearoff.POSITIONS == comb(21, 6)
    assert bearoff.new(15) == bearoff.FULL == comb(20, 5)
    assert row((0, 0, 0, 0, 0, 15)) == bearoff.POSITIONS - 1


def test_both_are_home_with_nobody_beyond_point_six() -> None:
    s = state((2, 1, 0, 0, 0, 2), (0, 4, 0, 0, 1, 0))
    assert bearoff.both_home(s)
    assert bearoff.covered(s, 5)
    assert not bearoff.covered(s, 4)
    for base, point in product((0, 26), (7, 24, 25)):
        t = list(s)
        t[base + 2] -= 1
        t[base + point] += 1
        assert not bearoff.both_home(t)
        assert not bearoff.covered(t, 15)


def test_the_policy_takes_the_least_turns_and_the_tails_are_its_own(small: Tables) -> None:
    """Those of the first checker, too, where none is off."""
    start = bearoff.rows(MOST - 1)
    for board in boards(MOST):
        expected, told = small.means[row(board)], small.tail(board)
        assert expected == pytest.approx(float(mean(board)), abs=1e-12), board
        assert told == pytest.approx([longer(board, n) for n in range(bearoff.TURNS)])
        assert sum(told) == pytest.approx(expected)
        if sum(board) == MOST:
            place = bearoff.FIRST * (row(board) - start)
            first = small.first[place : place + bearoff.FIRST]
            assert first == pytest.approx([longer(board, n, MOST) for n in range(bearoff.FIRST)])


def test_a_table_of_no_checkers_has_one_row() -> None:
    n = [[5.0] * bearoff.TURNS, [5.0] * bearoff.FIRST, [5.0]]
    bearoff.build(0, n[0], n[1], n[2], [5] * bearoff.VIA, [0] * bearoff.SCRATCH)
    assert n == [[0.0] * bearoff.TURNS, [0.0] * bearoff.FIRST, [0.0]]


PAIRS = [
    ((0, 0, 0, 0, 0, 1), (2, 0, 0, 0, 0, 0)),
    ((0, 0, 0, 0, 0, 2), (0, 0, 1, 0, 0, 0)),
    ((1, 1, 0, 0, 0, 1), (0, 0, 0, 2, 0, 1)),
    ((3, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 3)),
    ((0, 0, 0, 0, 0, 3), (3, 0, 0, 0, 0, 0)),
    ((0, 0, 1, 1, 1, 1), (1, 1, 0, 0, 1, 1)),
    ((4, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 4)),
    ((0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 4, 0)),
    ((0, 0, 0, 0, 0, 4), (1, 0, 0, 0, 0, 0)),
]


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("mine", "theirs"), PAIRS)
def test_chances_are_those_of_a_race_turn_by_turn(
    small: Tables, mine: Board, theirs: Board, seat: int
) -> None:
    """With MOST checkers a side, so that gammons are in reach."""
    win, gammon, lost = race(mine, theirs, MOST)
    told = small.chances(state(mine, theirs, MOST, seat))
    assert told == pytest.approx([win, gammon, 0, lost, 0], abs=1e-8)


@pytest.mark.parametrize("seat", [0, 1])
def test_who_has_borne_off_a_checker_loses_no_gammon(small: Tables, seat: int) -> None:
    told = small.chances(state((0, 0, 0, 0, 0, 4), (0, 0, 0, 0, 0, 4), 15, seat))
    assert told[1:] == [0, 0, 0, 0]
    assert 0.5 < told[0] < 0.8


@pytest.fixture(scope="module")
def whole() -> Tables:
    """The table of 15 checkers, compiled, in single precision."""
    numpy = pytest.importorskip("numpy")
    pytest.importorskip("numba")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "available", lambda: True)
        made = compiled.search(bearoff, GAME)
    return built(made, 15, lambda n, kind: numpy.full(n, 7, kind))


@pytest.mark.slow
def test_the_whole_table_begins_with_the_small_one(whole: Tables, small: Tables) -> None:
    n = len(small.means)
    assert list(whole.means[:n]) == small.means
    assert whole.tails[: n * bearoff.TURNS].tolist() == pytest.approx(small.tails, abs=1e-7)


@pytest.mark.slow
def test_every_row_is_a_distribution_that_ends_before_its_width(whole: Tables) -> None:
    tails = whole.tails.reshape(-1, bearoff.TURNS).astype("float64")
    assert (tails[1:, 0] == 1).all()
    assert (tails[:, :-1] >= tails[:, 1:]).all()
    assert abs(tails.sum(axis=1) - whole.means).max() < 1e-5
    assert tails[:, 29].max() > 0
    assert tails[:, 30:].max() == 0
    first = whole.first.reshape(-1, bearoff.FIRST)
    assert (first[:, 0] == 1).all()
    assert (first[:, :-1] >= first[:, 1:]).all()
    assert (first[:, 1:5] <= tails[-bearoff.FULL :, 1:5]).all()
    assert first[:, 9].max() > 0
    assert first[:, 10:].max() == 0


@pytest.mark.slow
def test_stacks_take_as_long_as_trice_has_it(whole: Tables) -> None:
    """W. Trice, "Effective Pip Count", Flint Area BackgammoNews, November 2000."""
    assert whole.means[row((7, 0, 0, 0, 0, 0))] == pytest.approx(3.5509259259)
    assert whole.means[row((13, 0, 0, 0, 0, 0))] * 49 / 6 == pytest.approx(50.000004, abs=1e-6)
