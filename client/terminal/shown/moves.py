"""The actions of a match as people count them: a roll goes with the decision that answers it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from client.styled_text import StyledPart, StyledText, pad, shorten, styled, width
from client.words import NamedGame, mark, note_text, other_candidates
from protocol.parts import Event, Player

MIN_NOTE: Final = 12  # columns; less of a note tells nothing
INDENT: Final = 7  # columns before an action: "  2. O "


@dataclass(frozen=True, slots=True)
class NumberedMove:
    """One decision: the roll before it, where there was one, and what a bot thought."""

    number: int
    seat: int
    text: str
    note: str | None = None
    spent_ms: int | None = None


def moves(events: Iterable[Event], notes: bool = True) -> list[NumberedMove]:
    """Return the decisions among `events`, counted from 1, each with the rolls before it.

    `notes`: with what bots thought.
    """
    numbered: list[NumberedMove] = []
    rolls: list[str] = []
    for event in events:
        action = event.action or ""
        if not is_move(event):
            rolls += [action] if event.kind == "roll" else []
            continue
        if event.kind == "opening":  # no player's choice: a ladder has set it
            action = f"({action})"
        text = f"{' '.join(rolls)}: {action}" if rolls else action
        note = event.note if notes else None
        numbered.append(
            NumberedMove(1 + len(numbered), event.seat or 0, text, note, event.spent_ms)
        )
        rolls = []
    return numbered


def is_move(event: Event) -> bool:
    """Return whether an action is one that people count: a roll, and deciding to roll, is none."""
    return event.kind != "roll" and event.seat in (0, 1) and event.action != "roll"


def last_roll(events: Iterable[Event]) -> str:
    """Return the roll that is to be answered; empty where the last event is no roll."""
    last = None
    for last in events:  # noqa: B007
        pass
    return last.action or "" if last is not None and last.kind == "roll" else ""


def move_line(
    move: NumberedMove,
    seats: tuple[Player, Player],
    game: NamedGame | None,
    wide: int,
    pad_to: int = 0,
) -> StyledText:
    """Such as ` 6. O 4   812 nodes 0.30 s`, in `wide` columns, the action padded to `pad_to`."""
    head = f"{move.number:3}. "
    side: StyledPart = (f"seat{move.seat}", mark(game, move.seat))
    text = pad(move.text, pad_to)
    left = wide - width(head) - width(side[1]) - 1 - width(text) - 2
    note = shorten(note_text(move.note, seats[move.seat]), max(0, left))
    if left < MIN_NOTE or not note:
        return styled(head, side, f" {text.rstrip()}")
    return styled(head, side, f" {text}  ", ("dim", note))


def candidate_lines(move: NumberedMove, wide: int) -> list[StyledText]:
    """What a bot thought of other actions than the one it chose, in as few lines as can be."""
    lines: list[str] = []
    for text in other_candidates(move.note):
        if lines and width(lines[-1]) + 3 + width(text) <= wide - INDENT:
            lines[-1] += f" | {text}"
        else:
            lines.append(text)
    return [styled(" " * INDENT, ("dim", shorten(line, wide - INDENT))) for line in lines]
