"""A position as lines: a game's drawing; its marks, the latest change, the won line are styled."""

from __future__ import annotations

import re
from functools import lru_cache

from client.styled_text import StyledPart, StyledText, styled
from client.words import NamedGame
from games.game import BrokenRules, Game, NotationError

Drawing = tuple[str, ...]  # lines, as a server has drawn them


@lru_cache(maxsize=64)
def board_lines(
    game: NamedGame | None,
    position: str,
    seat: int,
    before: str | None = None,
    over: bool = False,
    drawing: Drawing | None = None,
) -> list[StyledText]:
    """The board seen from `seat`; what is new since the position `before` has the style `fresh`.

    Where the seats have one-letter marks only those are: numbers beside them may change anywhere.
    A line that has won, which the drawing puts in brackets, has the style `won`.  Where the game is
    not known here, or not in these rules, the server's `drawing` stands for it, or else the
    position's notation.  `over`: nothing can be played any more.
    """
    rows = draw(game, position, seat, over) or drawing
    if game is None or rows is None:
        return [styled(("dim", "position "), position)]
    old = draw(game, before, seat, over) if before is not None else None
    same = old is not None and len(old) == len(rows)
    return [_styled(game.seats, row, old[i] if old and same else row) for i, row in enumerate(rows)]


def draw(
    game: NamedGame | None, position: str, seat: int = 0, over: bool = False
) -> list[str] | None:
    """Return the drawing of a position; None where its rules are not known here."""
    if not isinstance(game, Game):
        return None
    try:
        return game.drawing(game.parse_position(position), seat, over).split("\n")
    except (NotationError, BrokenRules):
        return None


def _styled(seats: tuple[str, str], row: str, old: str) -> StyledText:
    """One row in parts of equal style."""
    styles = {side: f"seat{seat}" for seat, side in enumerate(seats) if len(side) == 1}
    won = _in_brackets(row, "".join(styles))
    old = old.ljust(len(row))
    parts: list[StyledPart] = []
    for i, c in enumerate(row):
        style = styles.get(c, "")
        if i in won:
            style = f"{won[i]} won"
        elif c != old[i] and (c in styles if styles else c != " "):
            style = f"{style} fresh".strip()
        if parts and parts[-1][0] == style:
            parts[-1] = (style, parts[-1][1] + c)
        else:
            parts.append((style, c))
    return styled(*parts)


def _in_brackets(row: str, marks: str) -> dict[int, str]:
    """Return the columns of marks in brackets, such as `[X]`, each with the style of its seat."""
    if not marks:
        return {}
    found = re.finditer(rf"\[ *([{re.escape(marks)}])[{re.escape(marks)} ]*\]", row)
    return {i: f"seat{marks.index(m[1])}" for m in found for i in range(m.start(), m.end())}
