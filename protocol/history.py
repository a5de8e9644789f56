"""Which events of a room are about a match, which are actions, and what a takeback leaves.

The log, `history`, the client's replica and the tools that replay a finished match all read it
here; the events themselves are in server/core/events.py.  Two judges keep a list of their own on
purpose, so that they can contradict this one: client/records/verify.py and the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from protocol.parts import Event

ACTIONS: Final = frozenset({"play", "pass", "roll", "opening"})  # moves a match on by one ply
# What happens only between a match's start and its end.
DURING: Final = ACTIONS | {"strike", "offered", "answered", "takeback"}
# Such an event carries the match that is on, or the next one before it starts; any other, none.
OF_MATCHES: Final = DURING | {"dealt", "started", "ended"}
# Events of a match, but for its end: a replay reads them at once.  Without takebacks no
# game of the house comes near; one of the host's own may.
MAX_EVENTS: Final = 10_000
TOO_MANY_EVENTS: Final = f"{MAX_EVENTS:,} events"  # why it is void then
NOT_BEGUN: Final = "not begun in time"  # why it is void if a first move does not come
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
