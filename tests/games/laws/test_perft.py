"""Perft: the number of action sequences of each length, against what the field has counted."""

from __future__ import annotations

import pytest

from games import registry
from games.laws.perft import perft

# Sequences of n actions, n = 1, 2 ...; a game that is over is not counted any further.
COUNTS = {
    # Each follows from the last and from the games that end after 5, 6 ... 9 plies, 255,168 in all:
    # (15120 - 1440) * 4 = 54720, (54720 - 5328) * 3 = 148176, (148176 - 47952) * 2 = 200448,
    # 200448 - 72576 = 127872.
    "tic_tac_toe": [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
    # Nobody can have won before the seventh ply, and a column is full after six: 7**7 - 7.
    "connect_four": [7, 49, 343, 2401, 16807, 117649, 823536],
    # 81 * 9 - 9 after two: nine first moves send to their own board, where a cell is taken.
    "ultimate_tic_tac_toe": [81, 720, 6336, 55080, 473256],
}

# ... and after six, seven and eight.
ULTIMATE_LATER = [4020960, 33782544, 281067408]

# Different positions after n plies, as counted by J. Tromp and by S. Edelkamp and P. Kissmann,
# "Symbolic Classification of General Two-Player Games", 2008: OEIS A212693.
CONNECT_FOUR_POSITIONS = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186]


@pytest.mark.parametrize("most", [6, pytest.param(9, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", COUNTS)
def test_perft(name: str, most: int) -> None:
    counts = COUNTS[name][:most]
    assert perft(registry.game(name), len(counts)) == counts


@pytest.mark.parametrize("plies", [7, pytest.param(9, marks=pytest.mark.slow)])
def test_connect_four_has_as_many_positions_as_the_field_has_counted(plies: int) -> None:
    game = registry.game("connect_four")
    out = [0] * game.max_legal
    layer = {game.initial().state}
    assert len(layer) == CONNECT_FOUR_POSITIONS[0]
    for expected in CONNECT_FOUR_POSITIONS[1 : plies + 1]:
        following = set()
        for state in layer:
            for i in range(game.legal(list(state), out, [])):
                after = list(state)
                game.play(after, out[i])
                following.add(tuple(after))
        layer = following
        assert len(layer) == expected
        assert len({game.key(list(s)) for s in layer}) == expected


def turned(cell: int) -> int:
    """Where a quarter turn brings cell 0 to 8 of a board of 3x3."""
    return 3 * (cell % 3) + 2 - cell // 3


def mirrored(cell: int) -> int:
    """Where it is when left and right change places."""
    return cell + 2 - 2 * (cell % 3)


def alike(action: int) -> set[int]:
    """The first moves of ultimate tic-tac-toe that turns and mirrors make of `action`.

    Its rules know lines and numbers that boards and cells share: both turn together.
    """
    board, cell = divmod(action, 9)
    images = set()
    for _ in range(4):
        board, cell = turned(board), turned(cell)
        images |= {9 * board + cell, 9 * mirrored(board) + mirrored(cell)}
    return images


@pytest.mark.slow
def test_ultimate_perft_to_the_eighth_ply() -> None:
    game = registry.game("ultimate_tic_tac_toe")
    first_moves = {min(alike(a)): len(alike(a)) for a in range(81)}
    assert len(first_moves) == 15
    assert sum(first_moves.values()) == 81
    counts = [0] * 7
    for action, times in first_moves.items():
        after = perft(game, 7, game.initial().apply(action))
        counts = [total + times * n for total, n in zip(counts, after, strict=True)]
    assert [81, *counts] == COUNTS["ultimate_tic_tac_toe"] + ULTIMATE_LATER
