"""The life of a room as one table: in which state it answers to what.

What the table lacks is refused.

                 Created                        Created by a ladder
                    |                                   |
                    v     ready by both                 v
                 waiting ---------------> playing     playing, as "leg" in the table
                  |   ^                      |          |   rules, flag, crash, strikes ...
       all leave, |   +----------------------+          v
       or idle    v     rules, flag, resign, abort ... over
                 closed                                 |   the ladder's Close
                                                        v
                                                      closed

A ladder's room is for one match, which begins with the room, so it never waits.  `handle` is the
core's one door: (room, message, asker, now) -> (new room, events, effects).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

from protocol.errors import Code, Refusal
from protocol.messages import (
    Abort,
    Answer,
    Claim,
    Hint,
    Invite,
    Join,
    Kick,
    Leave,
    Offer,
    Play,
    Ready,
    Request,
    Resign,
    Say,
    Watch,
)
from server.core import playing, seating
from server.core.effects import Effect, Reply, refusal
from server.core.events import Event
from server.core.orders import (
    Alarm,
    Back,
    Close,
    Gone,
    Order,
    Release,
    Restarted,
    Stalled,
    Unstalled,
)
from server.core.room import Asker, Fresh, Room, Work

Handler: TypeAlias = Callable[[Work, Any], None]
Answered: TypeAlias = tuple[Room, list[Event], list[Effect]]

ALWAYS: dict[type[Struct], Handler] = {
    Watch: seating.watch,
    Leave: seating.leave,
    Say: seating.say,
    Gone: seating.gone,
    Back: seating.back,
    Alarm: playing.alarm,
    Restarted: playing.restarted,
    Stalled: playing.stalled,
    Unstalled: playing.unstalled,
}
LIFE: dict[str, dict[type[Struct], Handler]] = {
    "waiting": ALWAYS
    | {
        Join: seating.join,
        Ready: seating.ready,
        Invite: seating.invite,
        Kick: seating.kick,
        Play: playing.play,  # the last action of a match that is over may come again
    },
    "playing": ALWAYS
    | {
        Join: seating.join,
        Play: playing.play,
        Resign: playing.resign,
        Abort: playing.abort,
        Claim: playing.claim,
        Offer: playing.offer,
        Answer: playing.answer,
        Hint: playing.hint,
    },
    "leg": ALWAYS
    | {
        Join: seating.join,
        Play: playing.play,
        Resign: playing.resign,
        Release: playing.release,
        Close: playing.close,
    },
    "over": ALWAYS
    | {
        Join: seating.join,
        Play: playing.play,  # as in "waiting"
        Release: playing.release,
        Close: playing.close,
    },
    "closed": {},
}


def handle(room: Room, message: Request | Order, asker: Asker, now: int, fresh: Fresh) -> Answered:
    """Let one message happen.

    Returns:
        The new room, its events in order, and what is to be done once they are durable.

    Raises:
        Refusal: if nothing happens; the room stands as it was.
    """
    work = Work(room, asker, now, fresh)
    if type(message) is not Stalled and playing.flag(work):
        _after_the_flag(work, message)
    else:
        _handler(room, message)(work, message)
    return work.room, work.events, work.effects


def _after_the_flag(work: Work, message: Request | Order) -> None:
    """What was asked comes too late for the match, but the flag's fall stands."""
    try:
        _handler(work.room, message)(work, message)
    except Refusal as no:
        work.then(Reply(refusal(no)))


def _handler(room: Room, message: Request | Order) -> Handler:
    on_a_ladder = room.leg is not None and room.state == "playing"
    handler = LIFE["leg" if on_a_ladder else room.state].get(type(message))
    if handler is not None:
        return handler
    what = type(message).__name__.lower()
    if room.state == "closed":
        raise Refusal(Code.ROOM_CLOSED, f"room {room.number} is closed")
    if on_a_ladder:
        raise Refusal(Code.MATCH_NOT_ALLOWED, f"in a ladder's match there is no `{what}`")
    if room.state == "playing":
        raise Refusal(Code.ROOM_MATCH_ON, f"a match is under way: no `{what}` before it is over")
    if room.match is not None:
        raise Refusal(Code.MATCH_OVER, "this match is over")
    raise Refusal(Code.ROOM_NO_MATCH, "there is no match in this room yet")
