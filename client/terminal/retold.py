"""A match that was played, a position at a time: a story and a ply in, lines of text out.

What was taken back is folded away: where something was tried from a position and taken back, a line
under it says what.
"""

from __future__ import annotations

from client.records import text
from client.records.story import Moment, Story
from client.terminal.lines import Line, cut, line
from client.terminal.plain import WIDE
from client.terminal.view import Scene, frame, plain_frame
from client.terminal.wording import mark, title
from games.game import END
from protocol.messages import Clocks, Event, MatchState, RoomState


def scene(story: Story, ply: int, flip: bool = False) -> Scene:
    """The match as it looked after so many actions, to somebody who only looks on."""
    moment = story.moments[ply]
    events = _events(story, ply)
    remaining = moment.clock.remaining if moment.clock.timed else None
    result = story.result if ply == len(story.moments) - 1 else None
    before = story.moments[ply - 1].position if ply else None
    match = MatchState(
        match=story.match,
        room=_room(story),
        seq=0,
        turn=0,
        game=story.game.name,
        ply=ply,
        position=story.game.format_position(moment.position),
        seats=story.players,
        to_move=END if result is not None else moment.position.to_move,
        events=events[-8:],
        clocks=Clocks(remaining=remaining) if remaining is not None else None,
        result=result,
    )
    return Scene(
        me="", room=_as_room(story), match=match, events=events, left=remaining,
        before=story.game.format_position(before) if before is not None else None,
        flip=flip, past=True,
    )  # fmt: skip


def _events(story: Story, ply: int) -> tuple[Event, ...]:
    """The actions that led there, takebacks folded away."""
    made = (moment.last for moment in story.moments[1 : ply + 1])
    return tuple(event for event in made if event is not None)


def _room(story: Story) -> int:
    number = story.match.partition(".")[0]
    return int(number) if number.isascii() and number.isdigit() else 0


def _as_room(story: Story) -> RoomState:
    """The room as far as a header shows it: the clock."""
    return RoomState(
        room=_room(story), seq=0, game=story.game.name, state="playing", owner="",
        seats=story.players, ready=(False, False), options=story.options,
    )  # fmt: skip


def lines(story: Story, ply: int, wide: int, rows: int, flip: bool = False) -> list[Line]:
    """One position for a terminal, in `rows` lines of `wide` columns."""
    below = [cut(shown, wide) for shown in _below(story, story.moments[ply])]
    return [*frame(scene(story, ply, flip), wide, max(4, rows - len(below))), *below]


def _below(story: Story, moment: Moment) -> list[Line]:
    """Under a position: the player's thought at the last action, what was taken back or refused."""
    last, found = moment.last, []
    if last is not None and last.note and last.seat in (0, 1):
        player = story.players[last.seat]
        thought = last.note.removeprefix(f"{player.program} ")
        found.append(line(("dim", f"{title(player)}: {thought}")))
    for tried in moment.undone:
        what = text.line_text(story.game, tried)
        found.append(line(("offer", f"Taken back here: {what}")))
    here = [strike for strike in story.strikes if strike.ply == moment.ply]
    found += [line(("event", f"Not legal {text.strike_text(story.game, s)}.")) for s in here]
    return found


def plain(story: Story, flip: bool = False) -> list[Line]:
    """Every position, for a pipe."""
    found: list[Line] = []
    for moment in story.moments:
        found += [*plain_position(story, moment, flip), ()]
    return found[:-1]


def plain_position(story: Story, moment: Moment, flip: bool) -> list[Line]:
    """One position with the action before it."""
    head = f"ply {moment.ply} of {len(story.moments) - 1}"
    if moment.last is not None:
        head += f": {_who(story, moment.last)} {moment.last.action or ''}"
    below = _below(story, moment)
    return [line(head), *plain_frame(scene(story, moment.ply, flip), WIDE), *below]


def _who(story: Story, event: Event) -> str:
    return mark(story.game, event.seat) if event.seat in (0, 1) else "dice"
