"""Seeded random walks through every registered game: what the laws are held against."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

from games import registry
from games.game import CHANCE, END, Game, Position

PLIES = 240  # of each game are looked at, in whole games


@dataclass(frozen=True, slots=True)
class Walk:
    """A game from its start to its end: actions[i] leads from positions[i] to positions[i + 1]."""

    positions: tuple[Position, ...]
    actions: tuple[int, ...]


def walk(game: Game, rng: random.Random) -> Walk:
    """One game in which every seat plays at random and the dice fall by their weights."""
    positions = [game.initial()]
    actions: list[int] = []
    while (here := positions[-1]).to_move != END:
        if here.to_move == CHANCE:
            rolls = here.chance()
            action = rng.choices([a for a, _ in rolls], [w for _, w in rolls])[0]
        else:
            action = rng.choice(here.legal_actions())
        actions.append(action)
        positions.append(here.apply(action))
        assert len(actions) <= game.max_plies, f"{here} is not over after {game.max_plies} plies"
    return Walk(tuple(positions), tuple(actions))


def after(game: Game, actions: str) -> Position:
    """The position after these actions, in words, or each of one letter."""
    position = game.initial()
    for action in actions.split() if game.name == "ultimate_tic_tac_toe" else actions:
        position = position.apply(game.parse_action(position, action))
    return position


@cache
def walks(name: str) -> tuple[Walk, ...]:
    """At least two games and at least PLIES plies, the same in every run."""
    rng = random.Random(f"walks of {name}")
    game = registry.game(name)
    found: list[Walk] = []
    while len(found) < 2 or sum(len(w.actions) for w in found) < PLIES:
        found.append(walk(game, rng))
    return tuple(found)


@cache
def positions(name: str) -> tuple[Position, ...]:
    """Every position of the walks, each once, in the order in which they were met."""
    return tuple(dict.fromkeys(p for w in walks(name) for p in w.positions))


def some(actions: tuple[int, ...], most: int = 40) -> tuple[int, ...]:
    """At most about `most` of these, evenly spread, the first and the last among them."""
    return actions if len(actions) <= most else (*actions[:: len(actions) // most + 1], actions[-1])
