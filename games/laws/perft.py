"""Perft: the number of action sequences of each length."""

from __future__ import annotations

from games.game import Game, Position


def perft(game: Game, depth: int, first: Position | None = None) -> list[int]:
    """Sequences of 1 to `depth` actions from the start, or from `first`, counted on the kernels.

    A game that is over is not counted any further; the last actions are counted and not played.
    """
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

    visit(list((first or game.initial()).state), depth)
    return counts[:0:-1]
