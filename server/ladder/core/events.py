"""The numbered facts of a ladder, as they stand in the log beside those of rooms.

Below them is what goes into them of a match that is over.  One frozen Struct an event, its body a
compact msgpack array: fields are only ever added at the end, with a default.  `at` is the server's
wall clock in ms; players and pairs are numbers within their ladder, players from 0 and pairs from
1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Final, TypeAlias, get_args

from protocol.parts import ClockOptions, Event, Result
from server.core.events import EventReader, LogEvent, Who
from server.core.match import Match


class Made(LogEvent, frozen=True):
    """A ladder was opened.

    `members`, `code`: who may join, everybody where both are empty; `siblings`: whether two bots of
    any one owner meet, as they did on all ladders before there was a choice; `by_owner`: whether
    each owner counts once in the ratings.
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
    by_owner: bool = False


class Entered(LogEvent, frozen=True):
    """`who` is the player of this number, for the first time or again.

    Where owners count once, `voice`: the session with whose bots those of its owner count; `young`:
    whether its owner's name was younger than a day, or a guest's.
    """

    kind = "entered"
    player: int
    who: Who
    version: str
    salt: str
    slots: int
    anchor: bool = False
    voice: int | None = None
    young: bool = False


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


def moves_of(match: Match) -> tuple[tuple[int, int], tuple[int, int]]:
    """By seat: the decisions made, and the ms they took, openings and forced passes left out."""
    moves, spent = [0, 0], [0, 0]
    for event in plies_of(match):
        if event.kind == "play" and event.seat in (0, 1):
            moves[event.seat] += 1
            spent[event.seat] += event.spent_ms or 0
    return (moves[0], moves[1]), (spent[0], spent[1])


def digest_of(match: Match) -> bytes:
    """Return eight bytes that are the same for two matches with the same actions."""
    actions = " | ".join([event.action or "" for event in plies_of(match)])
    return hashlib.sha256(actions.encode()).digest()[:8]


def plies_of(match: Match) -> Iterator[Event]:
    """Yield all plies, the last one first."""
    past = match.last
    while past is not None:
        yield past.shown()
        past = past.before
