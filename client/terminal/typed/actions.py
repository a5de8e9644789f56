"""An action as somebody types it, and the legal ones as they are listed.

Notation wins: where actions are written as numbers (a cell, a column), `5` is the action 5, and the
list shows no numbers of its own.  Elsewhere the list is numbered and `5` is its fifth action.
`#5` is the fifth action of the list in every game.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

from client.errors import ClientError
from client.styled_text import StyledPart, StyledText, columns, per_row, styled, width
from games.game import Game, IllegalAction, NotationError

MAX_NEAR: Final = 5


class BadAction(ClientError):
    """Words that name no legal action; the text is a sentence that says what would."""


def are_numbers(legal: Sequence[str]) -> bool:
    """Whether these actions are written as numbers, so that their list needs none of its own."""
    return all(action.isdigit() for action in legal)


def read_action(text: str, legal: Sequence[str], game: Game | None, position: str) -> str:
    """Return the legal action that `text` means, in its canonical notation.

    Args:
        text: what was typed.
        legal: the legal actions in notation, in the order of the list.
        game: the rules, where they are known here: they read other ways of writing an action.
        position: what is on the board, in notation.

    Raises:
        BadAction: it means none of them.
    """
    if text in legal:
        return text
    if text.startswith("#"):
        return _numbered(text[1:], text, legal)
    alike = [action for action in legal if action.lower() == text.lower()]
    if len(alike) == 1:
        return alike[0]
    if text.isdigit() and not are_numbers(legal):
        return _numbered(text, f"#{text}", legal)
    written, why = _by_rules(text, game, position) if game is not None else ("", "")
    if written in legal:
        return written
    raise BadAction(f"{text} is not legal here{why and f': {why}'}; {near(text, legal)}")


def _numbered(digits: str, shown: str, legal: Sequence[str]) -> str:
    number = int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 6 else 0
    if not 1 <= number <= len(legal):
        raise BadAction(f"there is no {shown} here: the list goes from #1 to #{len(legal)}")
    return legal[number - 1]


def _by_rules(text: str, game: Game, position: str) -> tuple[str, str]:
    """The canonical notation of `text`, empty where the rules do not know it; and what they say."""
    try:
        here = game.parse_position(position)
        action = game.parse_action(here, text)
        here.apply(action)
    except NotationError:
        return "", ""
    except IllegalAction as error:
        return "", error.why
    return game.format_action(here, action), ""


def near(text: str, legal: Sequence[str]) -> str:
    """Return what is legal and looks like `text`: half a sentence."""
    if are_numbers(legal) and len(legal) <= 20:
        return f"legal: {' '.join(legal)}"
    similar = matching(text, legal)
    if not similar:
        close = difflib.get_close_matches(text, legal, n=MAX_NEAR, cutoff=0.5)
        similar = [(legal.index(name) + 1, name) for name in close]
    if not similar:
        return f"/legal lists all {len(legal):,}"
    names = ", ".join(f"{action} (#{number})" for number, action in similar[:MAX_NEAR])
    more = f" and {len(similar) - MAX_NEAR:,} more" if len(similar) > MAX_NEAR else ""
    return f"near it: {names}{more}"


def matching(text: str, legal: Sequence[str]) -> list[tuple[int, str]]:
    """Return the legal actions that contain each word of `text`, with their numbers from 1."""
    words = text.lower().split()
    return [
        (number, action)
        for number, action in enumerate(legal, 1)
        if all(word in action.lower() for word in words)
    ]


def list_lines(legal: Sequence[str], wide: int, rows: int, text: str = "") -> list[StyledText]:
    """Return the legal actions with `text` in them, in at most `rows` (1 or more) lines."""
    matches = matching(text, legal)
    if not matches:
        return [styled(f"None of the {len(legal):,} legal actions has {text} in it.")]
    unnumbered = are_numbers(legal)
    # Only what can be seen is laid out: 3,000 actions would take as long as a frame may.
    visible = matches[: rows * max(1, wide // 3)]
    digits = max(2, len(str(visible[-1][0])))
    cells = [_cell(number, action, 0 if unnumbered else digits) for number, action in visible]
    rows_of_cells = columns(cells, wide)
    if len(rows_of_cells) <= rows and len(cells) == len(matches):
        return rows_of_cells
    if rows == 1:
        return [_one_row(cells, len(matches), wide)]
    hidden = len(matches) - per_row(cells, wide) * (rows - 1)
    more = f"… {hidden:,} more: /legal lists all {len(legal):,}, /legal TEXT some"
    return [*rows_of_cells[: rows - 1], styled(("dim", more))]


def _one_row(cells: Sequence[StyledText], total: int, wide: int) -> StyledText:
    """As many actions as one line has room for, and how many more there are."""
    parts: list[StyledPart] = []
    for count, cell in enumerate(cells):
        more = f"… {total - count:,} more: /legal"
        if width((*parts, *cell)) + 3 + len(more) > wide:
            break
        parts += [*cell, ("", "   ")]
    return styled(*parts, ("dim", more))


def _cell(number: int, action: str, digits: int) -> StyledText:
    return styled(("key", f"{number:>{digits}}"), " ", action) if digits else styled(action)
