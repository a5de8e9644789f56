"""What the three evaluations of ultimate tic-tac-toe say, by hand and by a second, slow reading."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from functools import cache

import pytest

from games import registry
from games.game import Position
from games.ultimate_tic_tac_toe.rules import has_line
from tests.games.laws.walks import walk
from tests.games.ultimate_tic_tac_toe import slow_rules as slow

GAME = registry.game("ultimate_tic_tac_toe")
LINES = [[3 * y + x for y, x in line] for line in slow.LINES]
X, O, FULL = "xxx oo   ", "ooo xx   ", "xoxxoooxx"  # noqa: E741 - what is on a board, row by row


def state(boards: dict[int, str], to_move: str, forced: int = 0) -> list[int]:
    """A state with these boards, from 1 to 9, and all others empty; `forced` 0: any open one."""
    s = [0] * 13
    s[10] = 0o777
    for number, cells in boards.items():
        i = number - 1
        s[i] = sum(1 << c + 9 * (mark == "o") for c, mark in enumerate(cells) if mark != " ")
        s[9] |= has_line(s[i]) << i | has_line(s[i] >> 9) << 9 + i
        if has_line(s[i]) or has_line(s[i] >> 9) or " " not in cells:
            s[10] ^= 1 << i
    if has_line(s[9]) or has_line(s[9] >> 9):
        s[10] = 0
    s[11] = forced - 1 if forced else 9
    s[12] = "xo".index(to_move)
    return s


@pytest.mark.parametrize(
    ("name", "boards", "x", "o"),
    [
        ("boards", {}, 0, 0),
        ("boards", {1: "    x    ", 2: "    x    ", 3: "    o    "}, 300, 200),  # centre cells
        ("boards", dict.fromkeys(range(1, 10), "    x    "), 1000, 0),
        ("boards", {1: X, 2: "    x    ", 3: "    o    "}, 5200, 300),
        ("boards", {1: X, 2: X, 6: X, 9: O}, 5400, 5200),
        ("boards", {1: X, 2: X, 3: X, 5: O, 9: O}, 10_000, 5300),
        ("lines", {}, 0, 0),
        ("lines", {5: X}, 400, 0),  # a row, a column, two diagonals
        ("lines", {5: X, 1: O}, 300, 200),  # one diagonal is nobody's any more
        ("lines", {1: X, 2: X}, 1300, 0),
        ("lines", {1: X, 2: X, 3: FULL}, 300, 0),  # the row is shut to both
        ("lines", {1: X, 2: X, 6: O, 8: O}, 1200, 300),  # a row, a column, a diagonal; two and one
        ("lines", {1: X, 2: X, 3: X}, 10_000, 0),  # no value beyond
    ],
)
def test_boards_counts_boards_or_else_centre_cells_and_lines_those_open_to_one_side(
    name: str, boards: dict[int, str], x: int, o: int
) -> None:
    evaluate = GAME.evaluations[name]
    assert evaluate(state(boards, "x")) == x - o
    assert evaluate(state(boards, "o")) == o - x


PAIR = "oo       "
WON = 4 * 32 * 4 * 4 + 4 * 4 * 4 * 4  # board 5 won, all others empty: four lines through it


@pytest.mark.parametrize(
    ("boards", "forced", "worth", "other"),
    [
        ({}, 1, 8 * 4**3, 8 * 4**3),
        ({5: O}, 1, WON, 4 * 4**3),
        ({5: X}, 1, 4 * 4**3, WON),
        ({5: FULL}, 1, 4 * 4**3, 4 * 4**3),
        ({1: PAIR}, 2, 3 * 9 * 16 + 5 * 64, 3 * 2 * 16 + 5 * 64),  # to be won some day
        ({1: PAIR}, 1, 3 * 13 * 16 + 5 * 64, 3 * 2 * 16 + 5 * 64),  # to be won at once
        ({1: "oo o     "}, 1, 3 * 18 * 16 + 5 * 64, 3 * 1 * 16 + 5 * 64),
        ({1: "oo o     "}, 2, 3 * 12 * 16 + 5 * 64, 3 * 1 * 16 + 5 * 64),
        ({1: "oo    xx "}, 2, 3 * 6 * 16 + 5 * 64, 3 * 6 * 16 + 5 * 64),
        ({1: "oo    xx "}, 1, 3 * 13 * 16 + 5 * 64, 3 * 2 * 16 + 5 * 64),
        ({1: "xxoooxxo "}, 2, 5 * 64, 5 * 64),  # nobody can win it
        ({1: "xoxoxo xo"}, 2, 5 * 64, 3 * 9 * 16 + 5 * 64),  # X can
    ],
)
def test_rich_multiplies_the_worths_of_boards_along_lines(
    boards: dict[int, str], forced: int, worth: int, other: int
) -> None:
    value = (worth - other) // 16
    evaluate = GAME.evaluations["rich"]
    assert evaluate(state(boards, "o", forced)) == value
    mirrored = {n: cells.translate(str.maketrans("xo", "ox")) for n, cells in boards.items()}
    assert evaluate(state(mirrored, "x", forced)) == value


def test_to_choose_the_board_is_worth_something() -> None:
    assert [GAME.evaluations[name](state({}, "x")) for name in GAME.evaluations] == [34, 0, 0]
    assert GAME.evaluations["rich"](state({1: PAIR}, "o")) == 67


def test_the_usual_one_is_rich() -> None:
    assert list(GAME.evaluations) == ["rich", "lines", "boards"]
    assert GAME.evaluate is GAME.evaluations["rich"]


@cache
def positions() -> list[Position]:
    rng = random.Random(7)
    return [p for _ in range(12) for p in walk(GAME, rng).positions if p.to_move >= 0]


def winning(s: Sequence[int], board: int, seat: int) -> int:
    """How many free cells win this board for this seat; -1 if nothing ever will."""
    own, other = s[board] >> 9 * seat & 0o777, s[board] >> 9 * (1 - seat) & 0o777
    if all(any(other >> c & 1 for c in line) for line in LINES):
        return -1
    return sum(has_line(own | 1 << c) for c in range(9) if not (own | other) >> c & 1)


def worth(s: Sequence[int], board: int, seat: int) -> int:
    if s[9] >> board & 0o1001:
        return 32 * (s[9] >> 9 * seat + board & 1)
    own, other = winning(s, board, seat), winning(s, board, 1 - seat)
    if not s[10] >> board & 1 or own < 0:
        return 0
    by_cells = [[4, 2, 1], [9, 6, 6], [12, 9, 9]][min(own, 2)][max(0, min(other, 2))]
    if s[11] in (board, 9) and winning(s, board, s[12]) > 0:
        return min(by_cells, 2) if seat != s[12] else 13 if own == 1 else 18
    return by_cells


def test_rich_is_what_its_docstring_says() -> None:
    for p in positions():
        mine, theirs = (
            sum(math.prod(worth(p.state, board, seat) for board in line) for line in LINES)
            for seat in (p.to_move, 1 - p.to_move)
        )
        value = (mine - theirs) // 16 + 34 * (p.state[11] == 9)
        assert GAME.evaluations["rich"](list(p.state)) == value, p


def test_no_value_comes_near_ten_thousand() -> None:
    most = 0
    for won in range(2**9):
        if not has_line(won):
            worths = [32 if won >> board & 1 else 18 for board in range(9)]
            most = max(most, sum(math.prod(worths[b] for b in line) for line in LINES))
    assert most // 16 + 34 == 8_462
