"""Tic-tac-toe: the eight lines, and taken cells; its texts are in test_texts.py."""

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
