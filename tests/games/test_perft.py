"""Perft: the number of action sequences of each length, against what the field has counted."""

from __future__ import annotations

import pytest

from games import registry
from games.game import Game, Position

# Sequences of n actions, n = 1, 2 ...; a game that is over is not counted any further.
COUNTS = {
    # Each follows from the last and from the games that end after 5, 6 ... 9 plies, 255,168 in all:
    # (15120 - 1440) * 4 = 54720, (54720 - 5328) * 3 = 148176, (148176 - 47952) * 2 = 200448,
    # 200448 - 72576 = 127872.
    "tic_tac_toe": [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872],
    # Nobody can have won before the seventh ply, and a column is full after six: 7**7 - 7.
    "connect_four": [7, 49, 343, 2401, 16807, 117649, 823536],
}

# Different positions after n plies, as counted by J. Tromp and by S. Edelkamp and P. Kissmann,
# "Symbolic Classification of General Two-Player Games", 2008: OEIS A212693.
CONNECT_FOUR_POSITIONS = [1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275, 558186]


def perft(game: Game, depth: int) -> list[int]:
    """Sequences of 1 to `depth` actions, counted on the kernels."""
    counts = [0] * (depth + 1)

    def visit(state: list[int], left: int) -> None:
        out = [0] * game.max_legal
        n = game.legal(state, out, [0] * game.scratch)
        counts[left] += n
        if left == 1:
            return
        for i in range(n):
            after = state[:]
            game.play(after, out[i])
            visit(after, left - 1)

    visit(list(game.initial().state), depth)
    return counts[:0:-1]


@pytest.mark.parametrize("name", COUNTS)
def test_perft(name: str) -> None:
    assert perft(registry.game(name), len(COUNTS[name])) == COUNTS[name]


@pytest.mark.parametrize("name", COUNTS)
def test_positions_count_the_same(name: str) -> None:
    layer: list[Position] = [registry.game(name).initial()]
    for expected in COUNTS[name][:4]:
        layer = [p.apply(a) for p in layer for a in p.legal_actions()]
        assert len(layer) == expected


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
