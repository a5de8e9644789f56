"""The lines that an outside engine reads and writes: docs/bots/engine.md has them for its authors.

Pure: positions in, text out, and back.
"""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

from bots.bot import Budget, IllegalChoice, Situation, fit
from games.backgammon.rules import LARGER, SMALLER
from games.game import IllegalAction, NotationError, Position

# A play whose value is not known: above 0, so that a bot which says none accepts no draw.
UNKNOWN_VALUE = 1e-6


class EngineAnswer(NamedTuple):
    """An action, and what the engine says of it."""

    action: int
    value: float = UNKNOWN_VALUE
    note: str = ""


def question(position: Position, budget: Budget, situation: Situation | None) -> str:
    """Return what an engine is asked in `position`, as JSON without a line end."""
    game = position.game
    clocks = situation.clocks if situation is not None else None
    asked: dict[str, Any] = {
        "game": game.name,
        "match": situation.match if situation is not None else None,
        "seat": position.to_move,
        "position": game.format_position(position),
        "numbers": list(position.state),
        "legal": [game.format_action(position, action) for action in position.legal_actions()],
        "actions": situation.actions if situation is not None else None,
        "dice": dice(position),
        "clock": None,
        "suggested_ms": budget.ms,
        "nodes": budget.nodes,
    }
    if clocks is not None:
        asked["clock"] = {
            "remaining_ms": clocks.remaining,
            "increment_ms": clocks.increment_ms,
            "per_move_ms": clocks.per_move_ms,
        }
    return json.dumps(asked, separators=(",", ":"))


def dice(position: Position) -> list[int] | None:
    """Return the two dice to be played, the larger first; None in a game without."""
    if position.game.name != "backgammon":
        return None
    return [position.state[LARGER], position.state[SMALLER]]


def read_answer(text: str, position: Position) -> EngineAnswer:
    """Read an answer: an action, or a JSON object with `action`, and with `value` and `note`.

    Raises:
        IllegalChoice: it is neither, or the action is not legal.
    """
    value, note = UNKNOWN_VALUE, ""
    action: Any = text
    if text.startswith("{"):
        try:
            fields = json.loads(text)
        except (ValueError, RecursionError):  # the latter: nested too deep
            raise IllegalChoice(_nonsense(text, position)) from None
        action = fields.get("action")
        note = str(fields.get("note") or "").replace("\n", " ")
        said = fields.get("value")
        if isinstance(said, int) or (isinstance(said, float) and not math.isnan(said)):
            value = float(max(-1, min(1, said)))  # cut before float(): 10**400 would be too large
    if not isinstance(action, str):
        raise IllegalChoice(_nonsense(text, position))
    try:
        number = position.game.parse_action(position, action)
    except (NotationError, IllegalAction):
        raise IllegalChoice(_nonsense(action, position)) from None
    if number not in position.legal_actions():
        raise IllegalChoice(_nonsense(action, position))
    return EngineAnswer(number, value, fit(note.split(" | ")) or note[:80])


def _nonsense(text: str, position: Position) -> str:
    shown = text if len(text) <= 60 else f"{text[:60]}…"
    return f"it answered {shown!r}, which is not legal in {position}"
