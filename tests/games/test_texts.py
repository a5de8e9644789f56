"""What actions and positions of the games without an own notation are called, and every wrong text.

Backgammon's are in tests/games/backgammon.
"""

from __future__ import annotations

import re

import pytest

from games import registry
from games.game import END, NotationError, Outcome
from tests.games.laws.walks import after

X, O = (1.0, -1.0), (-1.0, 1.0)  # noqa: E741 - who wins


@pytest.mark.parametrize(
    ("game", "actions", "outcome"),
    [
        pytest.param("tic_tac_toe", "14253", Outcome(X, "line"), id="x by a row"),
        pytest.param("tic_tac_toe", "142596", Outcome(O, "line"), id="o by a row"),
        pytest.param("tic_tac_toe", "123547698", Outcome((0.0, 0.0), "full"), id="a full board"),
        pytest.param("tic_tac_toe", "125364879", Outcome(X, "line"), id="x on the last cell"),
        pytest.param("connect_four", "4141414", Outcome(X, "line"), id="x up a column"),
        pytest.param("connect_four", "51525364", Outcome(O, "line"), id="o along a row"),
        pytest.param("connect_four", "12233434474", Outcome(X, "line"), id="x by a rise"),
        pytest.param("connect_four", "76655454414", Outcome(X, "line"), id="x by a fall"),
        pytest.param("connect_four", "472424756645422154157737216635626711335331",
                     Outcome((0.0, 0.0), "full"), id="a full board of 42"),
    ],
)  # fmt: skip
def test_how_games_end(game: str, actions: str, outcome: Outcome) -> None:
    assert after(registry.game(game), actions[:-1]).outcome() is None
    end = after(registry.game(game), actions)
    assert end.outcome() == outcome
    assert end.to_move == END
    assert end.legal_actions() == ()


# Game, position, what is said of the texts, and the texts.
NO_ACTION = [
    ("tic_tac_toe", "3/3/3 x", "a cell is a digit from 1 to 9", ["0", "10", "a", "", "55", "٣"]),
    ("connect_four", "7/7/7/7/7/7 x", "a column is a digit from 1 to 7",
     ["0", "8", "a", "", "44", "٣"]),
    ("ultimate_tic_tac_toe", "9/9/9/9/9/9/9/9/9 x -", "a place is two digits from 1 to 9",
     ["0", "5", "10", "01", "5 5", "111", "", "٣٣", "ab"]),
    ("pebbles", "10/15/20 0/0 0 black hand", "an action looks like",
     ["0-0-0", "1-2", "11-0-0", "01-0-0", "white", "hand"]),
    ("pebbles", "10/15/20 0/0 0 black -", "is no roll; one of hand, 1, 4, 7 is", ["2"]),
]  # fmt: skip


@pytest.mark.parametrize(("game", "position", "complaint", "texts"), NO_ACTION)
def test_what_is_no_action_is_told_how_one_looks(
    game: str, position: str, complaint: str, texts: list[str]
) -> None:
    p = registry.game(game).parse_position(position)
    for text in texts:
        with pytest.raises(NotationError, match=complaint):
            p.game.parse_action(p, text)


# By game and by what is said of them: no such form, another way to write one, not possible.
NO_POSITION = {
    "tic_tac_toe": {
        "is no tic-tac-toe position; one looks like":
            ["3/3 x", "3/3/3/3 x", "3/3/4 x", "3/3/xy1 x", "3/3/3", "3/3/3 z", "3/3/3  x"],
        "is written '3/3/3 x'": ["12/3/3 x", "111/3/3 x", "2/31/3 x"],
        "X moves first and the sides alternate":
            ["3/3/3 o", "3/1x1/3 x", "3/1o1/3 o", "x2/1x1/3 x"],
        "somebody played on after a line was complete":
            ["xxx/ooo/3 x", "xxx/oo1/2o x", "ooo/xx1/xx1 o"],
    },
    "connect_four": {
        "is no connect four position; one looks like":
            ["7/7/7/7/7 x", "7/7/7/7/7/7/7 x", "7/7/7/7/7/8 x", "7/7/7/7/7/6 x",
             "7/7/7/7/6/7x x", "7/7/7/7/7/3y3 o", "7/7/7/7/7/7", "7/7/7/7/7/7 r",
             "7/7/7/7/7/7  x"],
        "is written '7/7/7/7/7/7 x'": ["7/7/7/7/7/34 x", "7/7/7/7/7/1111111 x"],
        "a stone hangs in the air": ["7/7/7/7/3x3/7 o", "x6/7/7/7/7/7 o", "7/7/7/6o/7/x5x o"],
        "X moves first and the sides alternate":
            ["7/7/7/7/7/7 o", "7/7/7/7/7/3x3 x", "7/7/7/7/7/3o3 o", "7/7/7/7/7/xx5 x"],
        "somebody played on after four in a row":
            ["7/7/7/7/oooo3/xxxx3 x", "7/7/7/7/ooo4/xxxx2o x", "7/7/7/7/ooox3/xxxxo2 o"],
    },
    "ultimate_tic_tac_toe": {
        "is no ultimate tic-tac-toe position; one looks like":
            ["9/9/9/9/9/9/9/9 x -", "9/9/9/9/9/9/9/9/9/9 x -", "9/9/9/9/9/9/9/9/8 x -",
             "9/9/9/9/9/9/9/9/9x x -", "9/9/9/9/4y4/9/9/9/9 o 5", "9/9/9/9/4X4/9/9/9/9 o 5",
             "9/9/9/9/9/9/9/9/9 x", "9/9/9/9/9/9/9/9/9 - x", "9/9/9/9/9/9/9/9/9 x 0",
             "9/9/9/9/9/9/9/9/9 x  -", "9/9/9/9/9/9/9/9/9 x -\n"],
        "is written '9/9/9/9/9/9/9/9/9 x -'": ["9/9/9/9/9/9/9/9/45 x -"],
        "is written '9/9/9/3x5/9/9/9/9/9 o 1'": ["9/9/9/3x41/9/9/9/9/9 o 1"],
        "X moves first and the sides alternate":
            ["9/9/9/9/9/9/9/9/9 o -", "9/9/9/3x5/9/9/9/9/9 x 1", "9/9/9/3o5/9/9/9/9/9 o 1",
             "9/9/9/3xx4/9/9/9/9/9 x 1"],
        "played on after three in a row on board 1": ["xxx6/ooo6/9/9/9/9/9/9/9 x -"],
        "somebody played on after three in a row on board 5":
            ["9/9/9/3xxx3/3xxx3/9/oo2oo3/oo7/9 x 1"],
        "somebody played on after three boards in a row":
            ["xxx6/3xxx3/6xxx/ooo6/3ooo3/6ooo/9/9/9 x -"],
        "after no last move would X have to play on board 5":
            ["9/9/9/9/9/9/9/9/9 x 5", "9/1o2o2o1/9/3xxx3/9/9/9/9/9 x 5"],
        "after no last move would O have to play on board 5": ["9/9/9/3x5/9/9/9/9/9 o 5"],
        "after no last move would O choose its board": ["9/9/9/3x5/9/9/9/9/9 o -"],
        "after no last move would O have to play on board 3":
            ["2x3o2/2x6/2x6/5xo2/4x4/3x1o3/6o2/1o5o1/2o2oxxx o 3"],
        "after no last move would X choose its board":
            ["2x3o2/2x6/2x6/5xo2/4x4/3x1o3/6o2/1o5o1/o1o2oxxx x -"],
        "O was sent to board 1 and played elsewhere": ["x8/9/9/9/9/9/9/9/8o x 9"],
        "O was sent to board 3 and played elsewhere": ["2x6/9/9/9/9/8o/9/6x2/9 o 4"],
        "X was sent to board 2 and played elsewhere": ["xo7/6x2/9/9/9/9/9/9/9 o 4"],
    },
    "pebbles": {
        "they look like":
            ["10/15/20 0/0 0 -", "10/15/21 0/0 0 - -", "10/15/20 0/0 21 white -",
             "10/15/20 0/0 0 red -", "10/15/20 0/0 0 white 2", "010/15/20 0/0 0 white -"],
        "there are 45 pebbles": ["10/15/20 1/0 1 black -"],
        "nobody plays before the opening roll": ["10/15/19 1/0 1 - -", "10/15/20 0/0 0 - 4"],
        "nobody rolls after the end": ["0/15/20 10/0 4 black 4", "10/15/19 1/0 20 white 4"],
    },
}  # fmt: skip


@pytest.mark.parametrize("game", NO_POSITION)
def test_a_wrong_position_is_told_what_is_wrong_with_it(game: str) -> None:
    for complaint, texts in NO_POSITION[game].items():
        for text in texts:
            with pytest.raises(NotationError, match=re.escape(complaint)) as caught:
                registry.game(game).parse_position(text)
            assert repr(text) in str(caught.value)
