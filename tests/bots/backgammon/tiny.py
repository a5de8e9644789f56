"""Nets that are small and random, and positions to ask them about."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from bots.backgammon.kernels.net import OUTPUTS, size
from bots.backgammon.nets import Nets
from bots.backgammon.weights import Weights
from bots.engine import compiled
from games.backgammon import GAME
from games.game import CHANCE, Position
from tests.games.backgammon import brute

HIDDEN = (4, 3, 2)
DICE = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]


def weights(
    seed: int = 1, hidden: tuple[int, ...] = HIDDEN, spread: float = 0.5, **trained: object
) -> Weights:
    """Random weights that half precision holds exactly."""
    rng = random.Random(seed)
    count = sum(map(size, hidden))
    values = [rng.randint(-1024, 1024) / 1024 * spread for _ in range(count)]
    return Weights(hidden, values, dict(trained))


class Tiny:
    """Nets, and the scratch memory that kernels want."""

    def __init__(self, nets: Nets) -> None:
        self.nets, self.net, self.space = nets, nets.arrays, nets.workspace()

    def array(self, state: Any) -> Any:
        """A state as the kernels of these nets take it."""
        s = compiled.ints(GAME.state_size, self.nets.plain)
        s[:] = state
        return s

    def flag(self, value: int = 0) -> Any:
        stop = compiled.ints(1, self.nets.plain)
        stop[0] = value
        return stop

    @property
    def chances(self) -> list[float]:
        return [float(x) for x in self.space.chances]


@cache
def plain(seed: int = 1) -> Tiny:
    """Tiny nets in plain Python; not for writing to their weights."""
    return Tiny(Nets(weights(seed), plain=True))


def position(
    mine: dict[int, int], theirs: dict[int, int], dice: tuple[int, int] = (0, 0), seat: int = 0
) -> Position:
    """`seat` is on roll or to play; checkers by their own points, the rest is borne off."""
    boards = []
    for side in (mine, theirs):
        on = [point for point, n in side.items() for _ in range(n)]
        boards.append(tuple(sorted([0] * (15 - len(on)) + on)))
    return Position(GAME, tuple(brute.state((boards[0], boards[1]), dice, seat)))


# A blot to be hit on the way to bearing off the last checkers, a race, and one past the other.
SHORT = position({8: 1, 3: 1}, {22: 1, 1: 1})
LATE = position({20: 1, 2: 2}, {3: 2, 1: 1}, seat=1)
RACING = position({9: 1, 4: 1, 1: 1}, {8: 1, 2: 1})
LONG_RACE = position({6: 8, 9: 3}, {5: 8, 2: 4, 7: 2})
ENDING = position({2: 1, 5: 1}, {3: 2}, seat=1)
LAST = position({1: 1}, {20: 1, 6: 14})
GAMMON = position({1: 2}, {6: 8, 3: 7})
TWO_BARS = position({25: 1, 6: 4, 5: 4, 4: 4, 2: 2}, {25: 2, 6: 5, 5: 4, 4: 4})
KINDS = (SHORT, LATE, RACING, LONG_RACE, ENDING, LAST, GAMMON, TWO_BARS)


@cache
def rolled(n: int) -> tuple[Position, ...]:
    """Positions in which dice are to be played: of all kinds, with n of random boards."""
    rng = random.Random("rolled")
    found = [
        Position(GAME, tuple(brute.state(brute.random_board(rng), rng.choice(DICE), k % 2)))
        for k in range(n)
    ]
    for here in KINDS:
        assert here.to_move == CHANCE
        found += [here.apply(rng.choice(here.legal_actions())) for _ in range(2)]
    opening = GAME.initial()
    found.append(opening.apply(rng.choice(opening.legal_actions())))
    return tuple(found)


def near(told: Any, wanted: Any, within: float = 1e-9) -> bool:
    """Whether chances are the same, but for rounding."""
    both = list(zip(told, wanted, strict=True))
    return len(both) == OUTPUTS and all(abs(a - b) <= within for a, b in both)
