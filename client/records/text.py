"""A match as text for people: who, when, how it ended, and the list of moves in two columns.

    Connect four, match 17.2

    X       ann
    O       house/mcts
    clock   5+3
    played  2026-11-12 16:13 UTC
    result  X wins: line

      1. 4   3
      2. 4   3

Seat 0 stands on the left.  With dice the roll stands before the turn, `31: 8/5 6/5`.  What a ladder
has set as the opening is in brackets, `(4)`.  What was taken back, or tried and refused on a
ladder, is not in the list; below it stands what it was.
"""

from __future__ import annotations

from client.records.story import Story, Turn
from client.terminal.lines import clean, pad, width
from client.terminal.terms import format_clock
from client.terminal.wording import full_title, points
from games.game import Game
from protocol.messages import Event, Result

GAP = 3  # columns between the two of a row


def write(story: Story) -> str:
    """A match as text."""
    title = clean(f"{story.game.title}, match {story.match}")
    lines = [title, "", *_head(story), "", *move_list(story)]
    undone = _undone(story)
    if undone:
        lines += ["", "Taken back:", *undone]
    if story.strikes:
        lines += ["", "Not legal:", *(f"  {strike_text(story.game, e)}" for e in story.strikes)]
    return "\n".join(lines) + "\n"


def _head(story: Story) -> list[str]:
    facts = [
        (story.game.seats[0], full_title(story.players[0])),
        (story.game.seats[1], full_title(story.players[1])),
        ("clock", format_clock(story.options.clock)),
        ("played", f"{story.day():%Y-%m-%d %H:%M} UTC"),
        ("result", result_text(story)),
    ]
    wide = max(width(name) for name, _ in facts)
    return [f"{pad(name, wide)}  {clean(value)}" for name, value in facts]


def result_text(story: Story) -> str:
    """How a match ended, by the sides' names: `X wins 2 points: gammon`."""
    result = story.result
    if result is None:
        return "not over"
    if result.winner is None:
        return _undecided(result)
    won = max(result.returns)
    gain = f" {points(won)} points" if won != 1 else ""
    winner, loser = (story.game.seats[seat] for seat in (result.winner, 1 - result.winner))
    how = {
        "rules": result.reason,
        "resign": f"{loser} resigned",
        "flag": f"{loser} ran out of time",
        "abandon": f"{loser} was away for too long",
        "disconnect": f"{loser} was away for too long",
        "illegal": f"{loser} played what is not legal",
        "crash": f"{loser} crashed",
    }.get(result.how, f"{loser} lost by {result.how}")
    return f"{winner} wins{gain}: {how}"


def _undecided(result: Result) -> str:
    if result.how == "abort":
        return "called off"
    if result.how in ("void", "rules"):
        return f"{'void' if result.how == 'void' else 'a draw'}: {result.reason}"
    return "a draw, by agreement"


def move_list(story: Story) -> list[str]:
    """The turns of a match that stand, numbered, in a column for each seat."""
    rows = _rows(story.turns())
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


def _undone(story: Story) -> list[str]:
    """Where something was taken back, what had been played there, a line each time."""
    return [
        f"  at ply {moment.ply}: {line_text(story.game, line)}"
        for moment in story.moments
        for line in moment.undone
    ]


def strike_text(game: Game, strike: Event) -> str:
    """What was tried and refused: `at ply 3: O tried e4`."""
    who = game.seats[strike.seat] if strike.seat in (0, 1) else "nobody"
    return clean(f"at ply {strike.ply}: {who} tried {strike.action or 'nothing'}")


def line_text(game: Game, line: tuple[Event, ...]) -> str:
    """Actions in a row, each with who made it: `X 4, O 3`."""
    words = []
    for event in line:
        who = game.seats[event.seat] if event.seat in (0, 1) else "dice"
        words.append(f"{who} {event.action or ''}")
    return ", ".join(words)
