"""A finished match, a position at a time: a replay and a ply in, lines of text out.

What was taken back is folded away: where something was tried from a position and taken back, a line
under it says what.
"""

from __future__ import annotations

from client.styled_text import StyledText, cut, styled
from client.terminal.shown.interface import LOG_WIDTH
from client.terminal.shown.view import ViewModel, frame, plain_frame
from client.words import mark, title
from games.game import END
from protocol import notation
from protocol.messages import MatchState, RoomState
from protocol.parts import Clocks, Event
from protocol.records import text
from protocol.records.replay import Replay, ReplayStep


def view(replay: Replay, ply: int, flip: bool = False) -> ViewModel:
    """Return the match after so many actions, as a spectator saw it."""
    step = replay.steps[ply]
    events = _events(replay, ply)
    remaining = step.clock.remaining if step.clock.timed else None
    result = replay.result if ply == len(replay.steps) - 1 else None
    before = replay.steps[ply - 1].position if ply else None
    match = MatchState(
        match=replay.match,
        room=_room(replay),
        seq=0,
        turn=0,
        game=replay.game.name,
        ply=ply,
        position=replay.game.format_position(step.position),
        seats=replay.players,
        to_move=END if result is not None else step.position.to_move,
        events=events[-8:],
        clocks=Clocks(remaining=remaining) if remaining is not None else None,
        result=result,
    )
    return ViewModel(
        me="", room=_as_room(replay), match=match, events=events, left=remaining,
        before=replay.game.format_position(before) if before is not None else None,
        flip=flip, past=True,
    )  # fmt: skip


def _events(replay: Replay, ply: int) -> tuple[Event, ...]:
    """Return the actions that led there, takebacks folded away."""
    actions = (step.last for step in replay.steps[1 : ply + 1])
    return tuple(event for event in actions if event is not None)


def _room(replay: Replay) -> int:
    try:
        return notation.parse_match(replay.match).room
    except notation.BadNotation:  # a record may call its match anything
        return 0


def _as_room(replay: Replay) -> RoomState:
    """Return the room as far as a header shows it: the clock."""
    return RoomState(
        room=_room(replay), seq=0, game=replay.game.name, state="playing", owner="",
        seats=replay.players, ready=(False, False), options=replay.options,
    )  # fmt: skip


def lines(replay: Replay, ply: int, wide: int, rows: int, flip: bool = False) -> list[StyledText]:
    """One position for a terminal, in `rows` lines of `wide` columns."""
    below = [cut(line, wide) for line in _below(replay, replay.steps[ply])]
    return [*frame(view(replay, ply, flip), wide, max(4, rows - len(below))), *below]


def _below(replay: Replay, step: ReplayStep) -> list[StyledText]:
    """Under a position: the player's thought at the last action, what was taken back or refused."""
    last, lines = step.last, []
    if last is not None and last.note and last.seat in (0, 1):
        player = replay.players[last.seat]
        thought = last.note.removeprefix(f"{player.program} ")
        lines.append(styled(("dim", f"{title(player)}: {thought}")))
    for actions in step.undone:
        tried = text.actions_text(replay.game, actions)
        lines.append(styled(("offer", f"Taken back here: {tried}")))
    strikes = [strike for strike in replay.strikes if strike.ply == step.ply]
    lines += [
        styled(("event", f"Not legal {text.strike_text(replay.game, strike)}."))
        for strike in strikes
    ]
    return lines


def plain(replay: Replay, flip: bool = False) -> list[StyledText]:
    lines: list[StyledText] = []
    for step in replay.steps:
        lines += [*plain_position(replay, step, flip), ()]
    return lines[:-1]


def plain_position(replay: Replay, step: ReplayStep, flip: bool) -> list[StyledText]:
    """One position with the action before it."""
    head = f"ply {step.ply} of {len(replay.steps) - 1}"
    if step.last is not None:
        head += f": {_who(replay, step.last)} {step.last.action or ''}"
    below = _below(replay, step)
    return [styled(head), *plain_frame(view(replay, step.ply, flip), LOG_WIDTH), *below]


def _who(replay: Replay, event: Event) -> str:
    return mark(replay.game, event.seat) if event.seat in (0, 1) else "dice"
