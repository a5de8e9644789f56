"""What the events of a room are: each kind's scope, which are actions, and what a takeback leaves.

The one list of event kinds; the log, `history`, the client's replica and the tools that replay a
finished match all read it here.  Two judges keep a list of their own on purpose, so that they can
contradict this one: client/records/verify.py and the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, Literal, NamedTuple

from protocol.parts import Event


class Scope(Enum):
    """What an event is about."""

    ROOM = "room"  # it carries no match
    MATCH = "match"  # it carries the match that is on, or the next one's number before it starts


class EventKind(NamedTuple):
    """A kind of event.  `action`: it moves the match on by one ply."""

    name: str
    scope: Scope
    action: bool = False


Name = Literal[
    "created", "joined", "left", "ready", "dealt", "started", "play", "pass", "roll", "opening",
    "strike", "offered", "answered", "takeback", "ended", "said", "closed",
]  # fmt: skip

_KINDS: Final = (
    EventKind("created", Scope.ROOM),
    EventKind("joined", Scope.ROOM),
    EventKind("left", Scope.ROOM),
    EventKind("ready", Scope.ROOM),
    EventKind("dealt", Scope.MATCH),
    EventKind("started", Scope.MATCH),
    EventKind("play", Scope.MATCH, action=True),
    EventKind("pass", Scope.MATCH, action=True),
    EventKind("roll", Scope.MATCH, action=True),
    EventKind("opening", Scope.MATCH, action=True),
    EventKind("strike", Scope.MATCH),
    EventKind("offered", Scope.MATCH),
    EventKind("answered", Scope.MATCH),
    EventKind("takeback", Scope.MATCH),
    EventKind("ended", Scope.MATCH),
    EventKind("said", Scope.ROOM),
    EventKind("closed", Scope.ROOM),
)
KINDS: Final[dict[str, EventKind]] = {kind.name: kind for kind in _KINDS}
ACTIONS: Final = frozenset(kind.name for kind in _KINDS if kind.action)
DURING: Final = frozenset(  # what happens only between a match's start and its end
    kind.name for kind in _KINDS if kind.scope is Scope.MATCH
) - {"dealt", "started", "ended"}
# Events of a match, but for its end: whoever replays it reads them at once.  Without takebacks no
# game of the house comes near; one of the host's own may.
MOST_EVENTS: Final = 10_000
TOO_MANY_EVENTS: Final = f"{MOST_EVENTS:,} events"  # why it is void then
COURSE: Final = ("started", *sorted(ACTIONS), "takeback", "ended")  # enough to replay a match


def remaining_actions(events: Iterable[Event]) -> list[Event]:
    """The actions of one match that no takeback has undone, by ply; other events are passed over.

    A takeback names the ply it went back to: that many actions remain.
    """
    actions: list[Event] = []
    for event in events:
        if event.kind in ACTIONS:
            actions.append(event)
        elif event.kind == "takeback":
            del actions[event.ply or 0 :]
    return actions
