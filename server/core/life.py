"""The life of a room as one table: in which state it answers to what.

What the table lacks is refused.  A request says on its class in which states it is answered, and
the function of its name in seating.py or playing.py answers it.

                 Created                        Created by a ladder
                    |                                   |
                    v     ready by both                 v
                 waiting ---------------> playing     playing, as "leg" in the table
                  |   ^                      |          |   rules, flag, crash, strikes ...
      nobody left |   +----------------------+          v
        or idle   v     rules, flag, resign, abort ... over
                 closed <----- the host's Close         |   the ladder's Close
                                                        v
                                                      closed

A ladder's room is for one match, which begins with the room, so it never waits.  `handle` is the
core's one door: (room, message, asker, now) -> (new room, events, effects).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeAlias, assert_never

from msgspec import Struct

from games.game import BrokenRules
from protocol import codec
from protocol.errors import Code, Refusal
from protocol.messages import Request, Seek
from server.core import orders, playing, seating
from server.core import room as rooms
from server.core.effects import SHOW_ROOM, Effect, Reply, refusal
from server.core.events import Event
from server.core.orders import Order
from server.core.room import Asker, Room, RoomPhase, Secrets, Work

Phase: TypeAlias = RoomPhase | Literal["leg"]  # "leg": a ladder's room while its match is on
Handler: TypeAlias = Callable[[Work, Any], None]
Handled: TypeAlias = tuple[Room, list[Event], list[Effect]]

ALWAYS: dict[type[Struct], Handler] = {
    orders.Disconnected: seating.disconnected,
    orders.Reconnected: seating.reconnected,
    orders.Emptied: seating.emptied,
    orders.Occupied: seating.occupied,
    orders.Alarm: seating.alarm,
    orders.Restarted: playing.restarted,
    orders.Stalled: playing.stalled,
    orders.Unstalled: playing.unstalled,
    orders.Stepped: playing.stepped,
    orders.Unreached: seating.unreached,
}
# What they tell of is charged to no player.
NO_FLAG_BEFORE = {orders.Stalled, orders.Stepped, orders.Unreached}
ORDERS: dict[Phase, dict[type[Struct], Handler]] = {
    # The hub has found the room for a seek; none names one, so it is no request of a room.
    "waiting": ALWAYS | {orders.Close: seating.close, Seek: seating.seek},
    "playing": ALWAYS | {orders.Close: playing.close},  # by the host
    "leg": ALWAYS | {orders.Release: playing.release, orders.Close: playing.close},
    "over": ALWAYS | {orders.Release: playing.release, orders.Close: playing.close},
    "closed": {},
}


def _of_owner(handler: Handler) -> Handler:
    def checked(work: Work, request: Request) -> None:
        if not work.room.owner.same(work.asker.who):
            raise Refusal(Code.ROOM_NOT_OWNER, f"only {work.room.owner.title()} may do that")
        handler(work, request)

    return checked


def _handlers() -> Iterator[tuple[type[Request], Handler]]:
    """Yield what answers each request of a room: the function of its name, here or there."""
    for name, kind in codec.REQUESTS.items():
        if kind.states:
            handler = getattr(seating, name, None) or getattr(playing, name)
            yield kind, _of_owner(handler) if kind.owner_only else handler


LIFE: dict[Phase, dict[type[Struct], Handler]] = {
    phase: ordered | {kind: handler for kind, handler in _handlers() if phase in kind.states}
    for phase, ordered in ORDERS.items()
}


def handle(room: Room, message: Request | Order, asker: Asker, now: int, fresh: Secrets) -> Handled:
    """Let one message happen.

    Returns:
        The new room, its events in order, and what is to be done once they are durable.

    Raises:
        Refusal: if nothing happens; the room stands as it was.
        BrokenRules: the rules failed before there was a match that could end.
    """
    work, kind, match = Work(room, asker, now, fresh), type(message), room.match
    try:
        late = match is not None and match.clock.fallen(now, 0) and kind not in NO_FLAG_BEFORE
        if late and playing.flag(work):
            _after_the_flag(work, message)
        else:
            _handler(room, kind)(work, message)
        if room.rested == room.seq and work.events:  # it rests no more
            work.then(SHOW_ROOM)
        if work.room.seq >= rooms.FULL:
            seating.close_if_full(work)
    except BrokenRules as error:
        if room.playing() is None:
            raise
        return give_up(room, asker, now, fresh, error)  # of this message nothing else happens
    return work.room, work.events, work.effects


def give_up(room: Room, asker: Asker, now: int, fresh: Secrets, error: BrokenRules) -> Handled:
    """End the match that is on, whose rules have failed."""
    work = Work(room, asker, now, fresh)
    playing.give_up(work, str(error))
    return work.room, work.events, work.effects


def _after_the_flag(work: Work, message: Request | Order) -> None:
    """Answer a message that came too late for the match; the flag's fall stands."""
    try:
        _handler(work.room, type(message))(work, message)
    except Refusal as no:
        work.then(Reply(refusal(no)))


def _handler(room: Room, kind: type[Request | Order]) -> Handler:
    phase: Phase = "leg" if room.leg is not None and room.state == "playing" else room.state
    handler = LIFE[phase].get(kind)
    if handler is None:
        raise _refused(room, phase, str(kind.__struct_config__.tag or kind.__name__.lower()))
    return handler


def _refused(room: Room, phase: Phase, what: str) -> Refusal:
    """Return why a room in this phase does not answer to `what`."""
    match phase:
        case "closed":
            return Refusal(Code.ROOM_CLOSED, f"room {room.number} is closed")
        case "leg":
            return Refusal(Code.MATCH_NOT_ALLOWED, f"in a ladder's match there is no `{what}`")
        case "playing":
            return Refusal(
                Code.ROOM_MATCH_ON, f"a match is under way: no `{what}` before it is over"
            )
        case "waiting" | "over":
            if room.match is not None:
                return Refusal(Code.MATCH_OVER, "this match is over")
            return Refusal(Code.ROOM_NO_MATCH, "there is no match in this room yet")
        case _:
            assert_never(phase)
