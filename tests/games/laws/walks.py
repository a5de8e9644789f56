"""The walks that the laws are held against, for tests of single games."""

from __future__ import annotations

import random
from functools import cache

from games import registry
from games.game import END, Game, Position
from games.laws import sample
from games.laws.sample import PLIES, Sample, Walk


def walk(game: Game, rng: random.Random) -> Walk:
    """One whole game in which all play at random and the dice fall by their weights."""
    one = sample.walk(game, rng.randrange)
    assert not one.trouble
    assert one.positions[-1].to_move == END
    return one


def after(game: Game, actions: str) -> Position:
    """The position after these actions, in words, or each of one letter."""
    position = game.initial()
    for action in actions.split() if game.name == "ultimate_tic_tac_toe" else actions:
        position = position.apply(game.parse_action(position, action))
    return position


@cache
def sampled(name: str) -> Sample:
    """The seeded games of a game: at least two, and 240 plies, the same in every run.

    Of a special one half as many: its turns are those of another game.
    """
    game = registry.game(name)
    return Sample(game, PLIES // 2 if game.special else PLIES)


def walks(name: str) -> tuple[Walk, ...]:
    """They, one after the other."""
    return sampled(name).walks


def positions(name: str) -> tuple[Position, ...]:
    """Every position of the walks, each once, in the order in which they were met."""
    return tuple(place.position for place in sampled(name).places())
