"""The numbered facts of a ladder, as they stand in the log beside those of rooms.

One frozen Struct an event, its body a compact msgpack array: fields are only ever added at the end,
with a default.  `at` is the server's wall clock in ms; players and pairs are numbers within their
ladder, players from 0 and pairs from 1.
"""

from __future__ import annotations

from typing import Final, TypeAlias, get_args

from protocol.parts import ClockOptions, Result
from server.core.events import EventReader, LogEvent, Who


class Made(LogEvent, frozen=True):
    """A ladder was opened.

    `members`, `code`: who may join, everybody where both are empty; `siblings`: whether two bots of
    any one owner meet, as they did on all ladders before there was a choice.
    """

    kind = "ladder"
    name: str
    game: str
    clock: ClockOptions
    format: str
    owner: Who
    quota: int
    seed: int
    players: int = 1
    members: tuple[str, ...] = ()
    code: str | None = None
    siblings: bool = True


class Entered(LogEvent, frozen=True):
    """`who` is the player of this number, for the first time or again."""

    kind = "entered"
    player: int
    who: Who
    version: str
    salt: str
    slots: int
    anchor: bool = False


class Withdrew(LogEvent, frozen=True):
    """A player begins no more pairs."""

    kind = "withdrew"
    player: int


class Paired(LogEvent, frozen=True):
    """A pair began: in leg 0 `one` has seat 0.

    `ordinal`: which of this pairing's, from 0; `deal` and `secret`: of its dice, if there are.
    """

    kind = "paired"
    pair: int
    one: int
    two: int
    ordinal: int
    opening: tuple[str, ...]
    deal: str | None
    secret: bytes | None
    salts: tuple[str, str]
    why: str


class Scored(LogEvent, frozen=True):
    """A leg is over.  By seat: decisions, and the ms they took; `digest`: of its actions."""

    kind = "scored"
    pair: int
    leg: int
    room: int
    result: Result
    plies: int
    moves: tuple[int, int]
    spent: tuple[int, int]
    digest: bytes


class Voided(LogEvent, frozen=True):
    """A pair does not count."""

    kind = "voided"
    pair: int
    why: str


class Suspended(LogEvent, frozen=True):
    """A player is not paired any longer."""

    kind = "suspended"
    player: int
    why: str


class Finished(LogEvent, frozen=True):
    """The ladder is over."""

    kind = "finished"
    why: str


LadderEvent: TypeAlias = Made | Entered | Withdrew | Paired | Scored | Voided | Suspended | Finished

EVENTS: Final[tuple[type[LadderEvent], ...]] = get_args(LadderEvent)
read = EventReader[LadderEvent](EVENTS).read
