"""The acts of a host as numbered facts, as they stand in the log beside those of rooms.

One frozen Struct an event, its body a compact msgpack array: fields are only ever added at the end,
with a default.  `at` is the server's wall clock in ms; `by`: the address that the host asked from.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from server.core.events import EventReader, LogEvent

HOUSE_LOG: Final = 0  # the number of the house's own log; rooms and ladders begin at 1
Restraint: TypeAlias = Literal["ban", "mute"]
LadderVerb: TypeAlias = Literal["open", "stop", "remove", "drop"]


class Target(Struct, frozen=True, array_like=True):
    """Who is meant: a name, or an address or a network as limits count it (IPv4, or IPv6 /64)."""

    kind: Literal["name", "address"]
    text: str

    def key(self) -> tuple[str, str]:
        """Return what is the same for the same target, however it is written."""
        return self.kind, self.text.casefold()


class Restricted(LogEvent, frozen=True):
    """A name or an address was banned or muted, `until` a time or (None) for good."""

    kind = "restricted"
    by: str
    restraint: Restraint
    target: Target
    until: int | None
    why: str


class Lifted(LogEvent, frozen=True):
    """A ban or a mute was taken back."""

    kind = "lifted"
    by: str
    restraint: Restraint
    target: Target


class Kicked(LogEvent, frozen=True):
    """All connections of a name were ended."""

    kind = "kicked"
    by: str
    name: str
    why: str


class RoomShut(LogEvent, frozen=True):
    """A room was closed by the host."""

    kind = "room_shut"
    by: str
    room: int
    why: str


class RoomsShut(LogEvent, frozen=True):
    """All rooms that a name, or an address, had opened were closed by the host."""

    kind = "rooms_shut"
    by: str
    target: Target
    why: str


class Released(LogEvent, frozen=True):
    """A name became free: the session that had it is forgotten."""

    kind = "released"
    by: str
    name: str
    session: int


class Noticed(LogEvent, frozen=True):
    """All were told something; a client that comes `until` a time is told, too."""

    kind = "noticed"
    by: str
    text: str
    until: int | None


class Drained(LogEvent, frozen=True):
    """No new rooms and matches; `at_once`: nor is the end of those that are on waited for.

    `server`: of several, this one alone: it hands over what it has, and ends.
    """

    kind = "drained"
    by: str
    at_once: bool
    server: int = 0


class LadderOrdered(LogEvent, frozen=True):
    """A ladder was opened, stopped or removed, or a player of it dropped."""

    kind = "ladder_ordered"
    by: str
    act: LadderVerb
    ladder: str
    player: str = ""


HouseEvent: TypeAlias = (
    Restricted
    | Lifted
    | Kicked
    | RoomShut
    | RoomsShut
    | Released
    | Noticed
    | Drained
    | LadderOrdered
)

EVENTS: Final[tuple[type[HouseEvent], ...]] = get_args(HouseEvent)
read = EventReader[HouseEvent](EVENTS).read
