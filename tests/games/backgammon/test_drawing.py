"""Backgammon's board as text, pinned: from O's side and with high stacks.

tests/vectors/positions.jsonl has it from X's side.
"""

from __future__ import annotations

import random

import pytest

from games import registry
from games.game import Position
from tests.games.backgammon.brute import random_board, state

GAME = registry.game("backgammon")

FROM_O = """
 ┌13─14─15─16─17─18─┬───┬19─20─21─22─23─24─┐
 │ ·  ·  ·  ·  ·  · │   │ ·  ·  ·  X  X  X │   X   66 pips
 │                  │   │          X  X  X │        2 off
 │                  │   │                X │
 │                  │   │                X │   O to play
 │                  │ X │                7 │   ┌───┐ ┌───┐
 │                  │bar│                  │   │ 4 │ │ 3 │
 │                  │ O │                  │   └───┘ └───┘
 │                  │ O │                  │
 │                  │ O │                  │
 │                  │   │ O  O  O          │        6 off
 │ ·  ·  ·  ·  ·  · │   │ O  O  O  ·  ·  X │   O  105 pips
 └12─11─10──9──8──7─┴───┴─6──5──4──3──2──1─┘
"""

HIGH = """
 ┌13─14─15─16─17─18─┬───┬19─20─21─22─23─24─┐
 │ ·  ·  ·  ·  ·  · │ 6 │ ·  O  ·  ·  ·  · │   O  195 pips
 │                  │ O │    O             │        0 off
 │                  │ O │    O             │
 │                  │ O │    O             │
 │                  │ O │    9             │
 │                  │bar│                  │   X to roll
 │                  │   │            12    │
 │                  │   │             X    │
 │                  │   │             X    │
 │                  │   │             X    │        3 off
 │ ·  ·  ·  ·  ·  · │   │ ·  ·  ·  ·  X  · │   X   24 pips
 └12─11─10──9──8──7─┴───┴─6──5──4──3──2──1─┘
"""


@pytest.mark.parametrize(
    ("board", "turn", "dice", "seat", "picture"),
    [
        ("cGBB---------------bbb--AA", "-1", "43", 1, FROM_O),
        ("f-L-----------------i-----", "1", "00", 0, HIGH),
    ],
)
def test_the_board(board: str, turn: str, dice: str, seat: int, picture: str) -> None:
    p = GAME.parse_position(f"XGID={board}:0:0:{turn}:{dice}:0:0:0:0:10")
    assert GAME.draw(p, seat) == picture.strip("\n")


@pytest.mark.parametrize(
    ("board", "turn", "words"),
    [
        ("-------------------------A", "1", "O wins"),
        ("------O-------------------", "1", "O wins a gammon"),
        ("--a----------------n------", "-1", "X wins a backgammon"),
    ],
)
def test_the_end_says_who_won_and_how(board: str, turn: str, words: str) -> None:
    p = GAME.parse_position(f"XGID={board}:0:0:{turn}:00:0:0:0:0:10")
    assert GAME.draw(p).split("\n")[6].endswith(f"│   {words}")


def test_it_fits_and_no_two_positions_look_the_same() -> None:
    rng, seen = random.Random(8), dict[str, Position]()
    for seat in (0, 1) * 150:
        dice = rng.choice(((0, 0), (rng.randint(1, 6), rng.randint(1, 6))))
        p = Position(GAME, tuple(state(random_board(rng), dice, seat)))
        for side in (0, 1):
            lines = GAME.draw(p, side).split("\n")
            assert len(lines) == 13
            assert max(map(len, lines)) <= 60
            assert all(line == line.rstrip() and len(line) >= 44 for line in lines)
        assert seen.setdefault(GAME.draw(p), p) == p
    assert len(seen) > 290


def test_after_a_resignation_no_dice_are_shown() -> None:
    p = GAME.parse_position("XGID=cGBB---------------bbb--AA:0:0:-1:43:0:0:0:0:10")
    rows = GAME.draw(p).split("\n")
    cut = [row[:44].rstrip() if 4 <= i <= 7 else row for i, row in enumerate(rows)]
    assert GAME.drawing(p, over=True).split("\n") == cut
    assert GAME.drawing(p).split("\n") == rows
