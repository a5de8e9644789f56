"""What is told of a match that is over: in lists of matches, and to whom it counts."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from protocol.parts import Result, Series
from server.core.events import NotReplayed, Who
from server.core.room import Room

UNCOUNTED = ("abort", "void")  # how a match ended that neither has won and that is no draw
GUEST = "guest-"  # which only names begin with that the server has given


class MatchSummary(Struct, frozen=True, array_like=True):
    """A match that is over.

    It is stored, so fields are only ever added at the end, with a default.  `plies`: actions that
    stand; `position`: empty where it cannot be told; `code`: of a private room.  `series`: of which
    it is a game, as it has come to by this one.
    """

    game: str
    players: tuple[Who, Who]
    at: int
    result: Result
    plies: int
    position: str
    rated: bool
    public: bool
    code: str | None = None
    ladder: str | None = None
    series: Series | None = None

    def counts_for_people(self) -> bool:
        """Return whether two people with names of their own are rated by it."""
        return (
            self.rated
            and self.ladder is None
            and self.result.how not in UNCOUNTED
            and all(who.program is None for who in self.players)
            and not any(who.name.casefold().startswith(GUEST) for who in self.players)
        )


write_summary = msgspec.msgpack.Encoder().encode
_read_summary = msgspec.msgpack.Decoder(MatchSummary).decode


def read_summary(body: bytes) -> MatchSummary:
    """Return what `write_summary` has written.

    Raises:
        NotReplayed: it is something else.
    """
    try:
        return _read_summary(body)
    except msgspec.DecodeError as error:
        raise NotReplayed(f"the index of matches: {error}") from None


def of_room(room: Room) -> MatchSummary | None:
    """Return what is told of the match that has just ended; None: it is not known here any more."""
    match = room.match
    if match is None or match.result is None:
        return None
    return MatchSummary(
        game=match.game.name,
        players=match.players,
        at=room.touched,
        result=match.result,
        plies=match.ply,
        position=match.game.format_position(match.position),
        rated=match.rated,
        public=room.options.public,
        code=room.code,
        ladder=room.leg.name if room.leg is not None else None,
        series=match.series,
    )
