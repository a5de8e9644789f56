"""Tic-tac-toe: the eight lines, taken cells, the drawing; its texts are in test_texts.py."""

from __future__ import annotations

import pytest

from games import registry
from games.game import IllegalAction, replay
from games.tic_tac_toe import has_line, won_line
from tests.games.laws.walks import after

GAME = registry.game("tic_tac_toe")

LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip


def test_a_line_is_one_of_eight() -> None:
    for stones in range(2**9):
        cells = {c for c in range(9) if stones >> c & 1}
        lines = [line for line in LINES if cells.issuperset(line)]
        assert has_line(stones) == bool(lines)
        assert {c for c in range(9) if won_line(stones) >> c & 1} == {c for n in lines for c in n}


def test_a_taken_cell_is_illegal_but_no_nonsense() -> None:
    p = after(GAME, "5")
    with pytest.raises(IllegalAction, match="3/1x1/3 o': the cell is taken"):
        GAME.parse_action(p, "5")
    with pytest.raises(IllegalAction, match="3/1x1/3 o"):
        p.apply(4)
    with pytest.raises(IllegalAction):
        replay(GAME, [4, 4])


def test_the_board_is_drawn_with_the_free_cells_numbered() -> None:
    assert GAME.draw(after(GAME, "51")).split("\n") == [
        " O │ 2 │ 3 ",
        "───┼───┼───",
        " 4 │ X │ 6 ",
        "───┼───┼───",
        " 7 │ 8 │ 9 ",
    ]


def test_the_won_line_is_drawn_in_brackets() -> None:
    assert GAME.draw(after(GAME, "51327")).split("\n")[::2] == [
        " O │ O │[X]",
        " 4 │[X]│ 6 ",
        "[X]│ 8 │ 9 ",
    ]
