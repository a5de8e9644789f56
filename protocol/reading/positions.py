"""Any pasted text as a position: `read_position(text)` finds the game, `read_position(text, game)`
reads it as one of that game.

What is read: what each game writes, in capitals too, with `.` or digits for empty cells, on several
lines, and without the side to move where the stones tell it; of backgammon XGIDs and GNU IDs
(backgammon_ids.py); and the actions from the first position on, such as `4453`, as those who study
connect four write its positions.
"""

from __future__ import annotations

import re
from typing import Final

from games import registry
from games.game import END, Game, IllegalAction, NotationError, Position
from protocol.reading import backgammon_ids

MAX_TEXT: Final = 4_000  # characters of a pasted text that are looked at
BACKGAMMON: Final = ("backgammon", "backgammon_cube")
WITH_CUBE: Final = "backgammon_cube"  # what an XGID is of, unless a game is named
_ACTIONS: Final = 200  # that a text may name
_COLUMNS = re.compile(r"[1-7]+")
_ROWS = re.compile(r"[xo.1-9]+(?:/[xo.1-9]+)+", re.ASCII)


def read_position(text: str, game: str | None = None) -> Position:
    """Return the position that a text stands for, of the game that it is of, or of `game`.

    Raises:
        NotationError: it stands for none; the message says why, and how one looks.
        UnknownGame: there is no such game.
    """
    if len(text) > MAX_TEXT:
        raise NotationError(f"a position has {MAX_TEXT:,} characters at most, not {len(text):,}")
    text = text.replace("\ufeff", "").strip()
    if game is not None:
        return _of_game(registry.game(game), text)
    if backgammon_ids.is_xgid(text) or _is_id(text):
        return _of_backgammon(registry.game(WITH_CUBE), text)
    if _COLUMNS.fullmatch(text.replace(" ", "")):
        return _after(registry.game("connect_four"), text)
    reasons = []
    for name in registry.names():
        if name in BACKGAMMON:
            continue
        try:
            return _of_grid(registry.game(name), text)
        except NotationError as error:
            reasons.append(str(error))
    closest = [reason for reason in reasons if "is no " not in reason]
    if closest:
        raise NotationError(closest[0])
    raise NotationError(
        f"{text[:80]!r} is a position of no game here: paste an XGID or a GNU Position ID, the"
        " columns of connect four such as 4453, or a position as `/position` and the page write it"
    )


def _of_game(game: Game, text: str) -> Position:
    if game.name in BACKGAMMON:
        return _of_backgammon(game, text)
    try:
        return _of_grid(game, text)
    except NotationError:
        if not text or "/" in text:
            raise
    return _after(game, text)


def _of_backgammon(game: Game, text: str) -> Position:
    written = backgammon_ids.xgid_of(text) if _is_id(text) else backgammon_ids.usual_xgid(text)
    return game.parse_position(written)


def _is_id(text: str) -> bool:
    return not backgammon_ids.is_xgid(text) and backgammon_ids.is_gnubg_id(text)


def _of_grid(game: Game, text: str) -> Position:
    """Read rows of x, o and empty cells, and what follows them; any game's own form as it stands.

    Raises:
        NotationError: as the game says of it.
    """
    try:
        return game.parse_position(text)
    except NotationError:
        usual = _usual_rows(text)
        if usual is None:
            raise
    return game.parse_position(usual)


def _usual_rows(text: str) -> str | None:
    """Return rows as games write them: small letters, empty cells counted, the side to move."""
    rows = re.sub(r"\s*[/|\n]\s*", "/", text.lower().replace("_", ".").strip()).strip("/")
    board, *rest = rows.split() or [""]
    if _ROWS.fullmatch(board) is None:
        return None
    board = re.sub("[1-9]", lambda found: "." * int(found[0]), board)
    side = rest or ["o" if board.count("x") > board.count("o") else "x"]
    counted = re.sub(r"\.+", lambda found: str(len(found[0])), board)
    return " ".join([counted, *side])


def _after(game: Game, text: str) -> Position:
    """Return the position after these actions from the first one on.

    Raises:
        NotationError: with which of them is none, or not possible.
    """
    words = text.replace(",", " ").split()
    if game.name == "connect_four":
        words = list("".join(words))
    if len(words) > _ACTIONS:
        raise NotationError(f"{len(words)} actions are too many for a position: {_ACTIONS} at most")
    position = game.initial()
    for number, word in enumerate(words, 1):
        if position.to_move == END:
            raise NotationError(f"action {number}, {word[:20]}: the game is over in {position}")
        try:
            action = game.parse_action(position, word)
            position = position.apply(action)
        except (NotationError, IllegalAction) as error:
            raise NotationError(f"action {number}: {error}") from None
    return position
