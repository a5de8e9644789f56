"""Decisions of backgammon, for the tests of its benchmark."""

from __future__ import annotations

import random
from collections.abc import Iterator

from games import registry
from games.game import END, Position

GAME = registry.game("backgammon")


def some(n: int, seed: int = 1) -> Iterator[Position]:
    """Positions of random games in which a turn is to be played."""
    rng, position = random.Random(seed), GAME.initial()
    while n:
        if position.to_move >= 0:
            yield position
            n -= 1
        position = position.apply(rng.choice(position.legal_actions()))
        if position.to_move == END:
            position = GAME.initial()
