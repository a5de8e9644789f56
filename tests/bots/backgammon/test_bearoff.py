"""The bear-off table against a brute force by the game's own rules, and published figures.

A board is a tuple: how many checkers are on the points 1 to 6.  The brute force decides in
fractions, so it knows which turns are equally good.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from math import comb
from types import ModuleType
from typing import Any

import pytest

from bots import compiled
from bots.search.backgammon import bearoff
from games.backgammon import GAME, rules

Board = tuple[int, ...]
MOST = 4  # checkers in the small table
ROLLS = [10 * a + b for a in range(1, 7) for b in range(1, a + 1)]
IN_ORDER = [11 * d for d in range(1, 7)] + [r for r in ROLLS if r % 11]  # as the table has them
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
    via: Any
    tmp: Any
    array: Callable[[list[Any]], Any] = list  # what a kernel of this copy is given

    def tail(self, board: Board) -> list[float]:
        """How likely `board` takes more than 0, 1, ... turns."""
        place = bearoff.TURNS * row(board)
        return [float(x) for x in self.tails[place : place + bearoff.TURNS]]

    def chances(self, s: list[int]) -> list[float]:
        """The five chances in the state `s`."""
        out = self.array([9.0] * 5)
        self.made.chances(self.array(s), self.tails, self.first, out)
        return [float(x) for x in out]


@pytest.fixture(scope="module")
def small() -> Tables:
    """The table of at most MOST checkers, by plain Python."""
    n = bearoff.rows(MOST)
    tables = Tables(
        compiled.search("backgammon.bearoff", GAME, plain=True),
        tails=[7.0] * (n * bearoff.TURNS),
        first=[7.0] * (bearoff.new(MOST) * bearoff.FIRST),
        means=[7.0] * n,
        via=[7] * (n * bearoff.VIA),
        tmp=[7] * bearoff.SCRATCH,
    )
    tables.made.build(MOST, *_arrays(tables))
    return tables


def _arrays(t: Tables) -> tuple[Any, ...]:
    return t.tails, t.first, t.means, t.via, t.tmp


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


# ---------------------------------------------------------------- the index


def test_rows_number_the_boards_without_a_gap_fewer_checkers_first() -> None:
    found = sorted((row(board), sum(board)) for board in boards(6))
    assert [r for r, _ in found] == list(range(bearoff.rows(6)))
    assert [n for _, n in found] == sorted(n for _, n in found)


def test_the_sizes_are_those_of_fifteen_checkers() -> None:
    assert bearoff.rows(15) == bearoff.POSITIONS == comb(21, 6)
    assert bearoff.new(15) == bearoff.FULL == comb(20, 5)
    assert row((0, 0, 0, 0, 0, 15)) == bearoff.POSITIONS - 1
    assert row(EMPTY) == 0


def test_advance_goes_through_the_rows() -> None:
    board = [0] * 7
    for n in range(bearoff.rows(5)):
        assert bearoff.index(board, 0) == n
        bearoff.advance(board)
    assert board == [0, 6, 0, 0, 0, 0, 0]


def test_either_seat_has_its_row() -> None:
    s = state((1, 0, 2, 0, 0, 3), (0, 4, 0, 0, 1, 0))
    assert bearoff.index(s, 0) == row((1, 0, 2, 0, 0, 3))
    assert bearoff.index(s, 26) == row((0, 4, 0, 0, 1, 0))


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


# ---------------------------------------------------------------- the table


def test_the_expected_turns_are_the_least_that_legal_turns_allow(small: Tables) -> None:
    for board in boards(MOST):
        assert small.means[row(board)] == pytest.approx(float(mean(board)), abs=1e-12), board


def test_the_policy_plays_legal_turns_none_of_which_is_better(small: Tables) -> None:
    tmp = [0] * bearoff.SCRATCH
    by_row = {row(board): board for board in boards(MOST)}
    for n in range(1, bearoff.rows(MOST)):
        small.made.advance(tmp)
        small.made.one_step(tmp)
        small.made.answer_rolls(n, small.means, small.via, tmp)
        for roll, played in zip(IN_ORDER, tmp[bearoff.BEST :], strict=False):
            legal = results(by_row[n], roll)
            assert by_row[played] in legal
            assert mean(by_row[played]) == min(map(mean, legal))


def test_the_tails_are_those_of_the_policy(small: Tables) -> None:
    for board in boards(MOST):
        told = small.tail(board)
        assert told == pytest.approx([longer(board, n) for n in range(bearoff.TURNS)])
        assert sum(told) == pytest.approx(small.means[row(board)])


def test_the_first_checker_takes_as_long_as_it_does(small: Tables) -> None:
    start = bearoff.rows(MOST - 1)
    for board in boards(MOST):
        if sum(board) == MOST:
            place = bearoff.FIRST * (row(board) - start)
            told = small.first[place : place + bearoff.FIRST]
            assert told == pytest.approx([longer(board, n, MOST) for n in range(bearoff.FIRST)])


def test_a_table_of_no_checkers_has_one_row() -> None:
    n = [[5.0] * bearoff.TURNS, [5.0] * bearoff.FIRST, [5.0]]
    bearoff.build(0, n[0], n[1], n[2], [5] * bearoff.VIA, [0] * bearoff.SCRATCH)
    assert n == [[0.0] * bearoff.TURNS, [0.0] * bearoff.FIRST, [0.0]]


# ---------------------------------------------------------------- chances

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


def test_two_singles_are_told_exactly(small: Tables) -> None:
    """With one checker each there is nothing to decide, so this is the game itself."""
    singles = [board for board in boards(1) if board != EMPTY]
    for mine, theirs in product(singles, singles):
        hit, other = 1 - longer(mine, 1), 1 - longer(theirs, 1)
        exact = hit + (1 - hit) * (1 - other)  # for the second turn always does it
        assert small.chances(state(mine, theirs))[0] == pytest.approx(exact)


def test_little_is_lost_against_who_looks_at_both_sides(small: Tables) -> None:
    @cache
    def value(mine: Board, theirs: Board) -> float:
        if theirs == EMPTY:
            return 0.0
        best = (min(value(theirs, b) for b in results(mine, r)) for r in ROLLS)
        return 1 - sum(LIKELY[r] * x for r, x in zip(ROLLS, best, strict=True))

    for mine, theirs in product(boards(2)[1:], boards(2)[1:]):
        told = small.chances(state(mine, theirs))[0]
        assert told == pytest.approx(value(mine, theirs), abs=0.003)


def test_two_checkers_go_in_one_turn_as_often_as_every_book_has_it(small: Tables) -> None:
    """36ths; "Probability of Bearing Off in One Roll", bkgm.com."""
    book = {
        (1, 1): 36, (1, 2): 36, (1, 3): 34, (1, 4): 29, (1, 5): 23, (1, 6): 15,
        (2, 2): 26, (2, 3): 25, (2, 4): 23, (2, 5): 19, (2, 6): 13,
        (3, 3): 17, (3, 4): 17, (3, 5): 14, (3, 6): 10,
        (4, 4): 11, (4, 5): 10, (4, 6): 8, (5, 5): 6, (5, 6): 6, (6, 6): 4,
    }  # fmt: skip
    for points, n in book.items():
        board = tuple(points.count(p) for p in range(1, 7))
        assert 36 * (1 - small.tail(board)[1]) == pytest.approx(n), points


# ---------------------------------------------------------------- the whole table


@pytest.fixture(scope="module")
def whole() -> Tables:
    """The table of 15 checkers, compiled, in single precision."""
    numpy = pytest.importorskip("numpy")
    pytest.importorskip("numba")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled, "available", lambda: True)
        made = compiled.search("backgammon.bearoff", GAME)
    tables = Tables(
        made,
        tails=numpy.full(bearoff.POSITIONS * bearoff.TURNS, 7, "float32"),
        first=numpy.full(bearoff.FULL * bearoff.FIRST, 7, "float32"),
        means=numpy.full(bearoff.POSITIONS, 7.0),
        via=numpy.full(bearoff.POSITIONS * bearoff.VIA, 7),
        tmp=numpy.full(bearoff.SCRATCH, 7),
        array=numpy.array,
    )
    made.build(15, *_arrays(tables))
    return tables


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


@pytest.mark.slow
def test_not_to_bear_off_is_best_as_often_as_another_table_says(whole: Tables) -> None:
    """3,825 times with two different dice, once with two checkers: BGonline forums, 7.11.2013."""
    found = list(_held_back(whole))
    assert len(found) == 3825
    assert [x for x in found if sum(x[0]) == 2] == [((0, 0, 0, 1, 0, 1), 52)]


def _held_back(whole: Tables) -> Iterator[tuple[Board, int]]:
    """Where a checker could be borne off, and it is better to bear off none."""
    made, tmp, means = whole.made, whole.tmp, whole.means.tolist()
    tmp[:] = 0
    steps: list[list[list[int]]] = [[[0]] * 7]  # by row and die
    for n in range(1, bearoff.POSITIONS):
        made.advance(tmp)
        made.one_step(tmp)
        made.answer_rolls(n, whole.means, whole.via, tmp)
        told = tmp.tolist()
        board = tuple(told[1:7])
        ends = [told[bearoff.COUNTS + die] for die in range(1, 7)]
        starts = range(bearoff.STEPS, bearoff.COUNTS + 1, 6)
        steps.append([[], *(told[i:k] for i, k in zip(starts, ends, strict=False))])
        fewer = bearoff.rows(sum(board) - 1)
        for roll, best in zip(IN_ORDER[6:], told[bearoff.BEST + 6 :], strict=False):
            a, b = divmod(roll, 10)
            if best >= fewer:
                off = [
                    means[z]
                    for x, y in ((a, b), (b, a))
                    for j in steps[n][x]
                    for z in steps[j][y]
                    if z < fewer
                ]
                if off and min(off) > means[best] + 1e-9:
                    yield board, roll


@pytest.mark.slow
def test_gammons_of_fifteen_checkers(whole: Tables) -> None:
    last, full = (1, 0, 0, 0, 0, 0), (0, 0, 0, 0, 0, 15)
    assert whole.chances(state(last, full)) == [1, 1, 0, 0, 0]
    win, gammon, _, lost, _ = whole.chances(state(full, last, seat=1))
    stays = [r for r in ROLLS if sum(after_whole(whole, full, r)) == 15]
    assert win == gammon == 0
    assert lost == pytest.approx(sum(LIKELY[r] for r in stays), abs=1e-6)


def after_whole(whole: Tables, board: Board, roll: int) -> Board:
    """What the policy of the whole table makes of `board`."""
    found = results(board, roll)
    least = min(whole.means[row(b)] for b in found)
    return min((b for b in found if whole.means[row(b)] < least + bearoff.EQUAL), key=row)


@pytest.mark.slow
def test_the_lookup_compiled_is_the_plain_one(whole: Tables) -> None:
    numpy = pytest.importorskip("numpy")
    rng = numpy.random.default_rng(6)
    for k in range(300):
        n = rng.choice([15, 15, 3, 9], 2)
        mine, theirs = (tuple(rng.multinomial(i, [1 / 6] * 6).tolist()) for i in n)
        s = state(mine, theirs, 15, k % 2)
        plain = [0.0] * 5
        bearoff.chances(s, whole.tails, whole.first, plain)
        assert whole.chances(s) == pytest.approx(plain, abs=1e-6)
        assert whole.made.both_home(numpy.array(s))
