"""A position of backgammon as text."""

from __future__ import annotations

from games.game import Position


def draw(p: Position, seat: int = 0) -> str:
    """The board as `seat` sees it."""
    return p.game.format_position(p) + "\n" + str(seat)
