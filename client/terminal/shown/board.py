"""A position as lines: the game's own drawing, with the marks and the latest change styled."""

from __future__ import annotations

from functools import lru_cache

from client.styled_text import StyledPart, StyledText, styled
from games.game import Game, NotationError


@lru_cache(maxsize=64)
def board_lines(
    game: Game | None, position: str, seat: int, before: str | None
) -> list[StyledText]:
    """The board seen from `seat`; what is new since the position `before` has the style `fresh`.

    Where the seats have one-letter marks only those are: numbers beside them may change anywhere.
    Where the game is not known here, or not in these rules, the position's notation stands for it.
    """
    rows = _draw(game, position, seat)
    if game is None or rows is None:
        return [styled(("dim", "position "), position)]
    old = _draw(game, before, seat) if before is not None else None
    return [_styled(game, row, old[i] if old else row) for i, row in enumerate(rows)]


def _draw(game: Game | None, position: str, seat: int) -> list[str] | None:
    if game is None:
        return None
    try:
        return game.draw(game.parse_position(position), seat).split("\n")
    except NotationError:
        return None


def _styled(game: Game, row: str, old: str) -> StyledText:
    """One row in parts of equal style."""
    styles = {side: f"seat{seat}" for seat, side in enumerate(game.seats) if len(side) == 1}
    old = old.ljust(len(row))
    parts: list[StyledPart] = []
    for i, c in enumerate(row):
        style = styles.get(c, "")
        if c != old[i] and (c in styles if styles else c != " "):
            style = f"{style} fresh".strip()
        if parts and parts[-1][0] == style:
            parts[-1] = (style, parts[-1][1] + c)
        else:
            parts.append((style, c))
    return styled(*parts)
