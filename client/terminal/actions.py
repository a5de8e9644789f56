"""An action as somebody types it, and the legal ones as they are listed.

Notation wins: where actions are written as numbers (a cell, a column), `5` is the action 5, and the
list shows no numbers of its own.  Elsewhere the list is numbered and `5` is its fifth action.
`#5` is the fifth action of the list in every game.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

from client.terminal.lines import Line, columns, line, per_row
from games.game import Game, IllegalAction, NotationError

MOST_NEAR: Final = 5


class BadAction(ValueError):
    """Words that name no legal action; the text is a sentence that says what would."""


def are_numbers(legal: Sequence[str]) -> bool:
    """Whether these actions are written as numbers, so that their list needs none of its own."""
    return all(action.isdigit() for action in legal)


def read_action(text: str, legal: Sequence[str], game: Game | None, position: str) -> str:
    """The legal action that `text` means, in its canonical notation.

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
    """What is legal and looks like `text`: half a sentence."""
    if are_numbers(legal) and len(legal) <= 20:
        return f"legal: {' '.join(legal)}"
    like = matching(text, legal)
    if not like:
        names = difflib.get_close_matches(text, legal, n=MOST_NEAR, cutoff=0.5)
        like = [(legal.index(name) + 1, name) for name in names]
    if not like:
        return f"/legal lists all {len(legal):,}"
    shown = ", ".join(f"{action} (#{number})" for number, action in like[:MOST_NEAR])
    more = f" and {len(like) - MOST_NEAR:,} more" if len(like) > MOST_NEAR else ""
    return f"near it: {shown}{more}"


def matching(text: str, legal: Sequence[str]) -> list[tuple[int, str]]:
    """The legal actions that contain each word of `text`, with their numbers from 1."""
    words = text.lower().split()
    return [
        (number, action)
        for number, action in enumerate(legal, 1)
        if all(word in action.lower() for word in words)
    ]


def list_lines(legal: Sequence[str], wide: int, rows: int, text: str = "") -> list[Line]:
    """The legal actions with `text` in them, in at most `rows` (1 or more) lines."""
    found = matching(text, legal)
    if not found:
        return [line(f"None of the {len(legal):,} legal actions has {text} in it.")]
    plain = are_numbers(legal)
    # Only what can be seen is laid out: 3,000 actions would take as long as a frame may.
    seen = found[: rows * max(1, wide // 3)]
    digits = max(2, len(str(seen[-1][0])))
    cells = [_cell(number, action, 0 if plain else digits) for number, action in seen]
    laid = columns(cells, wide)
    if len(laid) <= rows and len(cells) == len(found):
        return laid
    left = len(found) - per_row(cells, wide) * (rows - 1)
    more = f"… {left:,} more: /legal lists all {len(legal):,}, /legal TEXT some"
    return [*laid[: rows - 1], line(("dim", more))]


def _cell(number: int, action: str, digits: int) -> Line:
    return line(("key", f"{number:>{digits}}"), " ", action) if digits else line(action)
