"""A match as text for people: who, when, how it ended, and the list of moves in two columns.

    Connect four, match 17.2

    X       ann
    O       house/mcts
    clock   5 min + 3 s
    played  2026-11-12 16:13 UTC
    result  X won: four in a row

      1. 4   3
      2. 4   3

Seat 0 stands on the left.  With dice the roll stands before the turn, `31: 8/5 6/5`.  What a ladder
has set as the opening is in brackets, `(4)`.  What was taken back, or tried and refused on a
ladder, stands below the list.
"""

from __future__ import annotations

from games.game import Game
from protocol.notation import format_clock
from protocol.parts import Event
from protocol.records.analyses import standing
from protocol.records.plain_text import clean, pad, width
from protocol.records.replay import Replay, Turn
from protocol.records.results import full_title, result_text

GAP = 3  # columns between the two of a row


def write(replay: Replay) -> str:
    """Return a match as text."""
    title = clean(f"{replay.game.title}, match {replay.match}")
    lines = [title, "", *_head(replay), "", *move_list(replay)]
    undone = _undone(replay)
    if undone:
        lines += ["", "Taken back:", *undone]
    if replay.strikes:
        lines += ["", "Not legal:", *(f"  {strike_text(replay.game, e)}" for e in replay.strikes)]
    return "\n".join(lines) + "\n"


def _head(replay: Replay) -> list[str]:
    facts = [
        (replay.game.seats[0], full_title(replay.players[0])),
        (replay.game.seats[1], full_title(replay.players[1])),
        ("clock", format_clock(replay.options.clock)),
        ("played", f"{replay.day():%Y-%m-%d %H:%M} UTC"),
        *_terms(replay),
        ("result", result_text(replay.result, replay.game.name, replay.game.seats)),
    ]
    wide = max(width(name) for name, _ in facts)
    return [f"{pad(name, wide)}  {clean(value)}" for name, value in facts]


def _terms(replay: Replay) -> list[tuple[str, str]]:
    """Return what is not usual about how a match was played: without it no reader could follow."""
    options = replay.options
    rules = [
        options.start,
        "Jacoby" if options.jacoby else "",
        "beavers" if options.beavers else "",
    ]
    rules.append("" if options.cube else "no cube")
    terms = [("rules", ", ".join(filter(None, rules)))] if any(rules) else []
    if options.position:
        terms.append(("begins", options.position))
    if replay.series is not None:
        terms.append(("series", standing(replay.series)))
    return terms


def move_list(replay: Replay) -> list[str]:
    """Return the turns of a match that stand, numbered, in a column for each seat."""
    rows = _rows(replay.turns())
    left = max((width(row[0]) for row in rows), default=0) + GAP
    digits = max(3, len(str(len(rows))))
    return [
        f"{number:{digits}}. {pad(one, left)}{two}".rstrip()
        for number, (one, two) in enumerate(rows, 1)
    ]


def _rows(turns: list[Turn]) -> list[list[str]]:
    """The turns two by two; a side that plays twice running leaves the other's place empty."""
    rows: list[list[str]] = []
    seat = 1
    for turn in turns:
        if turn.seat <= seat:
            rows.append(["", ""])
        seat = turn.seat
        rows[-1][seat] = turn.text()
    return rows


def _undone(replay: Replay) -> list[str]:
    """Return the actions that were taken back, a line for each takeback."""
    return [
        f"  at ply {step.ply + 1}: {actions_text(replay.game, actions)}"
        for step in replay.steps
        for actions in step.undone
    ]


def strike_text(game: Game, strike: Event) -> str:
    """Return what was tried and refused: `at ply 4: O tried e4`; plies are counted from 1."""
    who = game.seats[strike.seat] if strike.seat in (0, 1) else "nobody"
    return clean(f"at ply {(strike.ply or 0) + 1}: {who} tried {strike.action or 'nothing'}")


def actions_text(game: Game, actions: tuple[Event, ...]) -> str:
    """Actions in a row, each with who made it: `X 4, O 3`."""
    parts = []
    for event in actions:
        who = game.seats[event.seat] if event.seat in (0, 1) else "dice"
        parts.append(f"{who} {event.action or ''}")
    return ", ".join(parts)
