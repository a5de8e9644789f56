"""The board of a game with the cube; and how to play who knows no cube: without the nets.

It never doubles, and takes by what the board alone is worth.

A double is taken while the other side would win half a point or less of a game without cube and
score: then the two points at stake cost no more on average than the one of a drop.
"""

from __future__ import annotations

from typing import Final

from games import registry
from games.backgammon.rules import TURN
from games.backgammon_cube.actions import decides_about_cube
from games.backgammon_cube.board import without_cube
from games.backgammon_cube.rules import DROP, OFFER, ROLL, TAKE, stake
from games.game import Game, Position

WITH_CUBE: Final = "backgammon_cube"
BOARD: Final = registry.game("backgammon")
MAX_TO_TAKE: Final = 0.5  # points of the side that doubles, without the cube


def board_game(game: Game) -> Game:
    """Return the game that the nets know, for it and for that with the cube."""
    return BOARD if game.name == WITH_CUBE else game


def board(position: Position) -> Position:
    """Return the position as the nets know it; its turns have the same numbers."""
    return without_cube(position) if position.game.name == WITH_CUBE else position


def at_stake(position: Position) -> int:
    """Return what a single game counts here."""
    return stake(list(position.state)) if position.game.name == WITH_CUBE else 1


def is_offered(position: Position) -> bool:
    """Return whether a double, beaver or raccoon waits for an answer."""
    return position.game.name == WITH_CUBE and position.state[OFFER] != 0


def asked_about_cube(position: Position) -> bool:
    """Return whether who is to move decides about the cube, and not about a turn."""
    return position.game.name == WITH_CUBE and decides_about_cube(position)


def decision(position: Position, equity: float) -> int:
    """Return what to do about the cube; `equity`: in points, of who is to roll, without a cube."""
    if not is_offered(position):
        return ROLL
    return TAKE if worth_of_asked(position, equity) >= -MAX_TO_TAKE else DROP


def worth_of_asked(position: Position, equity: float) -> float:
    """Return the same equity for the seat that is to move."""
    return equity if position.state[TURN] == position.to_move else -equity
