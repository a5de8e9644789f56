"""Positions for tests: of random matches, and all of tic-tac-toe, a few thousand."""

from __future__ import annotations

from functools import cache

from games import registry
from games.game import CHANCE, END, Game, Position
from games.rng import below, seeded


@cache
def reached() -> tuple[Position, ...]:
    """Every position that can come up, 5,478 with those that are over; by plies, then notation."""
    layer = {registry.game("tic_tac_toe").initial()}
    found: list[Position] = []
    while layer:
        found += sorted(layer, key=str)
        layer = {here.apply(action) for here in layer for action in here.legal_actions()}
    return tuple(found)


@cache
def undecided() -> tuple[Position, ...]:
    """Those in which a seat is to move: 4,520."""
    return tuple(position for position in reached() if position.to_move != END)


def walk(game: Game, plies: int, seed: int) -> list[Position]:
    """The positions in which a seat is to move, of the first `plies` of a random match."""
    rng, positions, position = seeded(seed), [], game.initial()
    for _ in range(plies):
        legal = position.legal_actions()
        if not legal:
            break
        if position.to_move != CHANCE:
            positions.append(position)
        position = position.apply(legal[below(rng, len(legal))])
    return positions


def decision(game: Game, plies: int, seed: int) -> Position | None:
    """Where a seat is to move after so many random actions; None if the match is over by then."""
    rng, position = seeded(seed), game.initial()
    while position.to_move == CHANCE or (plies > 0 and position.to_move != END):
        legal = position.legal_actions()
        position = position.apply(legal[below(rng, len(legal))])
        plies -= 1
    return None if position.to_move == END else position


def decisions(name: str, plies: int, count: int) -> list[Position]:
    """So many positions of random matches in which so many plies have been played."""
    game = registry.game(name)
    positions = (decision(game, plies, seed) for seed in range(40 * count))
    return [position for position in positions if position is not None][:count]


@cache
def worth(position: Position) -> tuple[int, int]:
    """Plain minimax: the result for seat 0 under best play, 1, 0 or -1, and in how many plies.

    Who wins does it soon, who loses late; a draw counts no plies.
    """
    outcome = position.outcome()
    if outcome is not None:
        return int(outcome.returns[0]), 0
    sign = 1 if position.to_move == 0 else -1
    after = [worth(position.apply(a)) for a in position.legal_actions()]
    result, plies = max(after, key=lambda pair: (sign * pair[0], -sign * pair[0] * pair[1]))
    return result, plies + 1 if result else 0


def after(columns: str) -> Position:
    """Connect four after these columns."""
    position = registry.game("connect_four").initial()
    for column in columns:
        position = position.apply(int(column) - 1)
    return position
