"""What the runtime tells a room, beside what players ask: time, presence, a restart, a store
that fails; and what a ladder tells the rooms that it has opened.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Alarm(Struct, frozen=True):
    """The time has come that `life.wake_at` named."""


class Gone(Struct, frozen=True):
    """The asker has no connection left."""


class Back(Struct, frozen=True):
    """The asker has a connection again."""


class Restarted(Struct, frozen=True):
    """The server has just read this room from the log; nobody is here yet, and downtime costs
    nobody.
    """


class Stalled(Struct, frozen=True):
    """The log cannot be written to; clocks stand still until `Unstalled`."""


class Unstalled(Struct, frozen=True):
    """The log can be written to again."""


class Release(Struct, frozen=True):
    """Both matches of a pair have come to the roll of this ply, or the other one is over."""

    ply: int


class Close(Struct, frozen=True):
    """The ladder has what it needs of this room; a match that is still on is void."""

    why: str


Order: TypeAlias = Alarm | Gone | Back | Restarted | Stalled | Unstalled | Release | Close
