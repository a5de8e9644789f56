"""What the server tells a room, beside the requests of players: time, presence, a restart, a log
that fails; and what a ladder tells the rooms that it opened.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct


class Alarm(Struct, frozen=True):
    """The time that `playing.wake_at` named has come."""


class Disconnected(Struct, frozen=True):
    """The asker has no connection left."""


class Reconnected(Struct, frozen=True):
    """The asker has a connection again."""


class Emptied(Struct, frozen=True):
    """No client follows the room any more that could begin a match: no person, not its owner."""


class Occupied(Struct, frozen=True):
    """Somebody of that kind follows the room again."""


class Restarted(Struct, frozen=True):
    """The server has read this room from the log; no client is here, and downtime costs no player.

    `used`: what the player to move had used before, in ms, if another server knew; `until`: when
    something last happened in the house, so that it was not down before.
    """

    used: int = 0
    until: int = 0


class Stalled(Struct, frozen=True):
    """The log cannot be written to; clocks stand still until `Unstalled`."""


class Unreached(Struct, frozen=True):
    """The asker's server is not reached, and was last at `since`: what passed from then on costs
    the asker nothing.
    """

    since: int


class Unstalled(Struct, frozen=True):
    """The log can be written to again."""


class Stepped(Struct, frozen=True):
    """The time has gone forward by so many ms, which are neither's."""

    ms: int


class Release(Struct, frozen=True):
    """Both matches of a pair have reached the roll of this ply, or the other one is over."""

    ply: int


class Close(Struct, frozen=True):
    """The room is needed no longer, or the host closes it; a match that is still on is void."""

    why: str


Order: TypeAlias = (
    Alarm | Disconnected | Reconnected | Emptied | Occupied | Restarted | Stalled | Unstalled
    | Stepped | Release | Close | Unreached
)  # fmt: skip
