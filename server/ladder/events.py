"""The numbered facts of a ladder, as they stand in the log beside those of rooms.

One frozen Struct an event, its body a compact msgpack array: fields are only ever added at the end,
with a default.  `at` is the server's wall clock in ms; players and pairs are numbers within their
ladder, players from 0 and pairs from 1.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from protocol.messages import ClockOptions, Result
from server.core.events import NotReplayed, Who


class _Event(Struct, frozen=True, array_like=True):
    at: int


class Made(_Event, frozen=True):
    """A ladder came to be."""

    name: str
    game: str
    clock: ClockOptions
    format: str
    owner: Who
    quota: int
    seed: int
    players: int = 1


class Entered(_Event, frozen=True):
    """`who` is the player of this number, for the first time or again."""

    player: int
    who: Who
    version: str
    salt: str
    slots: int
    anchor: bool = False


class Withdrew(_Event, frozen=True):
    """A player begins no more pairs."""

    player: int


class Paired(_Event, frozen=True):
    """A pair began: in leg 0 `one` has seat 0.

    `ordinal`: which of this pairing's, from 0; `deal` and `secret`: of its dice, if there are.
    """

    pair: int
    one: int
    two: int
    ordinal: int
    opening: tuple[str, ...]
    deal: str | None
    secret: bytes | None
    salts: tuple[str, str]
    why: str


class Scored(_Event, frozen=True):
    """A leg is over.  By seat: decisions, and the ms they took; `line`: a digest of its actions."""

    pair: int
    leg: int
    room: int
    result: Result
    plies: int
    moves: tuple[int, int]
    spent: tuple[int, int]
    line: bytes


class Voided(_Event, frozen=True):
    """A pair does not count."""

    pair: int
    why: str


class Suspended(_Event, frozen=True):
    """A player is paired no more."""

    player: int
    why: str


class Finished(_Event, frozen=True):
    """The ladder is over."""

    why: str


LadderEvent: TypeAlias = Made | Entered | Withdrew | Paired | Scored | Voided | Suspended | Finished

KIND: dict[type[Struct], str] = {
    Made: "ladder",
    Entered: "entered",
    Withdrew: "withdrew",
    Paired: "paired",
    Scored: "scored",
    Voided: "voided",
    Suspended: "suspended",
    Finished: "finished",
}
_DECODERS: dict[str, Any] = {kind: msgspec.msgpack.Decoder(e) for e, kind in KIND.items()}


def read(kind: str, body: bytes) -> LadderEvent:
    """The event in a row of the log.

    Raises:
        NotReplayed: if the row is not one that this version wrote.
    """
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise NotReplayed(f"no event of a ladder is called {kind!r}")
    try:
        event: LadderEvent = decoder.decode(body)
    except msgspec.DecodeError as error:
        raise NotReplayed(f"{kind}: {error}") from None
    return event
