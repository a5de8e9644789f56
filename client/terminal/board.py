"""A position as lines: the game's own drawing, with the marks and the latest change styled."""

from __future__ import annotations

from functools import lru_cache

from client.terminal.lines import Line, Part, line
from games import registry
from games.game import Game, NotationError


def known_game(name: str) -> Game | None:
    """The rules of `name`, where they are known here: a server may have more games."""
    return registry.game(name) if name in registry.names() else None


@lru_cache(maxsize=64)
def board_lines(game: Game | None, position: str, seat: int, before: str | None) -> list[Line]:
    """The board seen from `seat`; what is new since `before`, an earlier position, is styled fresh.

    Where the seats have one-letter marks only those are: numbers beside them may change anywhere.
    Where the game is not known here, or not in these rules, the position's notation stands for it.
    """
    drawn = _draw(game, position, seat)
    if game is None or drawn is None:
        return [line(("dim", "position "), position)]
    old = _draw(game, before, seat) if before is not None else None
    return [_styled(game, row, old[i] if old else row) for i, row in enumerate(drawn)]


def _draw(game: Game | None, position: str, seat: int) -> list[str] | None:
    if game is None:
        return None
    try:
        return game.draw(game.parse_position(position), seat).split("\n")
    except NotationError:
        return None


def _styled(game: Game, row: str, old: str) -> Line:
    """One row in parts of equal style."""
    marks = {side: f"seat{seat}" for seat, side in enumerate(game.seats) if len(side) == 1}
    old = old.ljust(len(row))
    parts: list[Part] = []
    for i, c in enumerate(row):
        style = marks.get(c, "")
        if c != old[i] and (c in marks if marks else c != " "):
            style = f"{style} fresh".strip()
        if parts and parts[-1][0] == style:
            parts[-1] = (style, parts[-1][1] + c)
        else:
            parts.append((style, c))
    return line(*parts)
