"""Positions of tic-tac-toe for tests: all of them, a few thousand."""

from __future__ import annotations

from functools import cache

from games import registry
from games.game import END, Position


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
