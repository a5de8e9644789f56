"""A match with all its positions, as JSON for a page, which knows no rules."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from protocol.parts import Event, Options, Player, Result, Seat, Series

CUBE_ACTIONS: Final = frozenset({"double", "take", "drop", "beaver", "raccoon"})


class CubeDecision(Struct, frozen=True):
    """A decision about the cube; `ply` as in the game's moments."""

    ply: int
    seat: Seat
    action: str


class StoryGame(Struct, frozen=True, omit_defaults=True):
    """A game of a series that is over; `series` as it stood before it."""

    match: str
    series: Series
    result: Result
    cube: tuple[CubeDecision, ...] = ()


class ReplayPosition(Struct, frozen=True, omit_defaults=True):
    """A position of a match, and the action before it (None at the start)."""

    position: str
    to_move: int
    event: Event | None = None


class ReplayDocument(Struct, frozen=True, omit_defaults=True):
    """A match from start to end, without what was taken back.  `moments` is indexed by ply.

    `former`: seats whose player does not have that name any more; `ladder`: that it was played for;
    `games`: of a series, where it is one of them, all that are over.
    """

    match: str
    room: int
    game: str
    seats: tuple[Player, Player]
    options: Options
    at: int
    result: Result
    moments: tuple[ReplayPosition, ...]
    former: tuple[Seat, ...] = ()
    ladder: str | None = None
    games: tuple[StoryGame, ...] = ()
