"""Tic-tac-toe: the eight lines, the notation, and each way in which a text can be wrong."""

from __future__ import annotations

import pytest

from games import registry
from games.game import END, IllegalAction, NotationError, Outcome, Position, replay
from games.tic_tac_toe import has_line

GAME = registry.game("tic_tac_toe")

LINES = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6),
)  # fmt: skip


def play(cells: str) -> Position:
    """The position after these cells, written one after the other."""
    position = GAME.initial()
    for cell in cells:
        position = position.apply(GAME.parse_action(position, cell))
    return position


def test_a_line_is_one_of_eight() -> None:
    for stones in range(2**9):
        cells = {c for c in range(9) if stones >> c & 1}
        assert has_line(stones) == any(cells.issuperset(line) for line in LINES)


@pytest.mark.parametrize(
    ("cells", "outcome"),
    [
        ("14253", Outcome((1.0, -1.0), "line")),
        ("142596", Outcome((-1.0, 1.0), "line")),
        ("123547698", Outcome((0.0, 0.0), "full")),
        ("125364879", Outcome((1.0, -1.0), "line")),
    ],
    ids=["x by a row", "o by a row", "a full board", "x by a diagonal on the last cell"],
)
def test_how_games_end(cells: str, outcome: Outcome) -> None:
    assert play(cells[:-1]).outcome() is None
    end = play(cells)
    assert end.outcome() == outcome
    assert end.to_move == END
    assert end.legal_actions() == ()


def test_a_taken_cell_is_illegal_but_no_nonsense() -> None:
    p = play("5")
    assert GAME.parse_action(p, "5") == 4
    with pytest.raises(IllegalAction, match="3/1x1/3 o"):
        p.apply(4)
    with pytest.raises(IllegalAction):
        replay(GAME, [4, 4])


@pytest.mark.parametrize(
    ("cells", "text"),
    [
        ("", "3/3/3 x"),
        ("5", "3/1x1/3 o"),
        ("1937", "x1x/3/o1o x"),
        ("14253", "xxx/oo1/3 o"),
        ("123547698", "xox/xox/oxo o"),
    ],
)
def test_a_position_is_written_by_rows(cells: str, text: str) -> None:
    assert GAME.format_position(play(cells)) == text
    assert GAME.parse_position(text) == play(cells)


@pytest.mark.parametrize("text", ["0", "10", "a", "", "55", "٣"])
def test_a_cell_is_a_digit_from_1_to_9(text: str) -> None:
    with pytest.raises(NotationError, match="a cell is a digit from 1 to 9"):
        GAME.parse_action(GAME.initial(), text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("3/3 x", "is no tic-tac-toe position; one looks like"),
        ("3/3/3/3 x", "is no tic-tac-toe position"),
        ("3/3/4 x", "is no tic-tac-toe position"),
        ("3/3/xy1 x", "is no tic-tac-toe position"),
        ("3/3/3", "is no tic-tac-toe position"),
        ("3/3/3 z", "is no tic-tac-toe position"),
        ("3/3/3  x", "is no tic-tac-toe position"),
        ("12/3/3 x", "is written '3/3/3 x'"),
        ("111/3/3 x", "is written '3/3/3 x'"),
        ("2/31/3 x", "is written '3/3/3 x'"),
        ("3/3/3 o", "X moves first and the sides alternate"),
        ("3/1x1/3 x", "X moves first and the sides alternate"),
        ("3/1o1/3 o", "X moves first and the sides alternate"),
        ("x2/1x1/3 x", "X moves first and the sides alternate"),
        ("xxx/ooo/3 x", "somebody played on after a line was complete"),
        ("xxx/oo1/2o x", "somebody played on after a line was complete"),
        ("ooo/xx1/xx1 o", "somebody played on after a line was complete"),
    ],
)
def test_a_wrong_position_is_told_what_is_wrong_with_it(text: str, complaint: str) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse_position(text)
    assert complaint in str(caught.value)
    assert repr(text) in str(caught.value)


def test_the_board_is_drawn_with_the_free_cells_numbered() -> None:
    assert GAME.draw(play("51")).split("\n") == [
        " O │ 2 │ 3 ",
        "───┼───┼───",
        " 4 │ X │ 6 ",
        "───┼───┼───",
        " 7 │ 8 │ 9 ",
    ]
