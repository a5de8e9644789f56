"""Connect four: the 69 lines, threats, full columns, tactic; its texts are in test_texts.py."""

from __future__ import annotations

import random

import pytest

from games import registry
from games.connect_four import BOARD, EVEN_ROWS, ODD_ROWS, has_four, threats
from games.game import IllegalAction, Outcome, Position
from tests.games.laws.walks import after, walk

GAME = registry.game("connect_four")


def bit(column: int, row: int) -> int:
    return 1 << 7 * column + row


LINES = tuple(
    sum(bit(c + i * dc, r + i * dr) for i in range(4))
    for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
    for c in range(7)
    for r in range(6)
    if c + 3 * dc < 7 and 0 <= r + 3 * dr < 6
)


def boards(n: int) -> list[tuple[int, int]]:
    """Stones and further taken cells at random, from nearly none to nearly all."""
    rng = random.Random(4)
    lines = []
    for _ in range(n):
        share = rng.random()
        stones = sum(1 << b for b in range(49) if BOARD >> b & 1 and rng.random() < share)
        others = sum(1 << b for b in range(49) if BOARD >> b & 1 and rng.random() < share)
        lines.append((stones, stones | others))
    return lines


def test_there_are_69_lines_and_each_is_four_in_a_row() -> None:
    assert len(LINES) == len(set(LINES)) == 69
    assert all(has_four(line) for line in LINES)
    assert not any(has_four(line & ~(1 << b)) for line in LINES for b in range(49) if line >> b & 1)


def test_four_in_a_row_is_one_of_the_lines_on_any_board() -> None:
    for stones, _ in boards(2_000):
        assert has_four(stones) == any(stones & line == line for line in LINES)


def test_a_threat_is_a_free_cell_that_completes_a_line() -> None:
    for stones, taken in boards(1_000):
        expected = 0
        for line in LINES:
            missing = line & ~stones
            if missing.bit_count() == 1:
                expected |= missing & ~taken
        assert threats(stones, taken) == expected


def test_rows_are_odd_and_even_from_below() -> None:
    assert BOARD == ODD_ROWS | EVEN_ROWS
    assert ODD_ROWS & (bit(0, 0) | bit(6, 2) | bit(3, 4)) == bit(0, 0) | bit(6, 2) | bit(3, 4)
    assert EVEN_ROWS & (bit(3, 1) | bit(6, 5)) == bit(3, 1) | bit(6, 5)
    assert BOARD.bit_count() == 42


def test_stones_fall() -> None:
    p = after(GAME, "444")
    assert p.state == (bit(3, 0) | bit(3, 2), bit(3, 1), 3)


def test_a_full_column_is_illegal_but_no_nonsense() -> None:
    p = after(GAME, "111111")
    assert p.legal_notation() == ("2", "3", "4", "5", "6", "7")
    with pytest.raises(IllegalAction, match="o6/x6/o6/x6/o6/x6 x': the column is full"):
        GAME.parse_action(p, "1")
    with pytest.raises(IllegalAction, match="o6/x6/o6/x6/o6/x6 x"):
        p.apply(0)


def test_the_last_stone_may_complete_two_lines_at_once() -> None:
    text = "7/7/7/7/ooo1ooo/xxxxxxx o"
    p = GAME.parse_position(text)
    assert p.outcome() == Outcome((1.0, -1.0), "line")
    assert GAME.format_position(p) == text


def brute_tactic(p: Position) -> tuple[int, ...]:
    """The columns that win, else those where the opponent would if it were its turn."""
    x, o, plies = p.state
    mine = tuple(a for a in p.legal_actions() if p.apply(a).outcome() and _line(p.apply(a)))
    if mine:
        return mine
    other = Position(GAME, (x, o, plies + 1) if plies < 41 else p.state)
    return tuple(a for a in other.legal_actions() if _line(other.apply(a)))


def _line(p: Position) -> bool:
    return has_four(p.state[0]) or has_four(p.state[1])


def test_tactic_wins_else_blocks_just_what_it_must() -> None:
    rng, out = random.Random(8), [0] * 7
    kinds = set()
    for _ in range(60):
        for p in walk(GAME, rng).positions[:-1]:
            assert GAME.tactic is not None
            n = GAME.tactic(list(p.state), out, [])
            assert tuple(out[:n]) == brute_tactic(p)
            kinds.add(n)
    assert kinds >= {0, 1, 2}


def test_the_static_value_is_the_mover_s_and_changes_sign_with_it() -> None:
    assert GAME.evaluate is not None
    assert GAME.evaluate([0, 0, 0]) == 0
    centre, edge = after(GAME, "41"), after(GAME, "14")
    assert GAME.evaluate(list(centre.state)) > 0 > GAME.evaluate(list(edge.state))


def test_the_won_line_is_drawn_in_brackets() -> None:
    rows = GAME.draw(after(GAME, "1122334")).split("\n")
    assert rows[4] == "│ O │ O │ O │   │   │   │   │"
    assert rows[5] == "│[X]│[X]│[X]│[X]│   │   │   │"
    crossed = GAME.draw(after(GAME, "2552354651517435227466447223")).split("\n")
    assert [row.count("[") for row in crossed[:6]] == [0, 0, 1, 4, 1, 1], "two lines of four"
