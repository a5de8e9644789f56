"""A match that is on, or was the last in its room, as it is kept: plain values, to be stored.

What is shown again and again is bytes already (plies.py); all else of a match is small.  What is
not stored of a clock is left out: since when it runs, and why it stands, but for dice that wait.
"""

from __future__ import annotations

from typing import Any

from msgspec import Raw, Struct

from games import registry
from games.clock import Clock, PauseReason
from games.dice import Deal
from games.game import Position
from protocol.notation import format_match
from protocol.parts import Offer_, Result, Series
from server.core.events import Who
from server.core.match import SHOWN_EVENTS, Match, seated
from server.core.past import plies
from server.core.past.plies import PastPly


class KeptPly(Struct, frozen=True, array_like=True):
    """A PastPly without the one before it."""

    turn: int
    event: Raw
    start: bytes


class KeptMatch(Struct, frozen=True, array_like=True):
    """See Match; `state`: of its position; `plies`: the first one first.

    It is stored, so fields are only ever added at the end, with a default.
    """

    number: int
    game: str
    rules_version: int
    players: tuple[Who, Who]
    rated: bool
    deal: tuple[str, bytes, tuple[str, str]] | None
    state: tuple[Any, ...]
    ply: int
    turn: int
    clock: Clock
    moved: tuple[int, int]
    plies: tuple[KeptPly, ...]
    offers: tuple[Offer_, ...]
    declined: tuple[Offer_, ...]
    result: Result | None
    strikes: tuple[int, int]
    paired: bool
    withheld: bool
    series: Series | None
    decided: bool
    takebacks: int
    rows: int


def kept(match: Match) -> KeptMatch:
    """Return what is to be kept of a match."""
    steps: list[KeptPly] = []
    past = match.last
    while past is not None:
        steps.append(KeptPly(past.turn, past.event, past.start))
        past = past.before
    clock, deal = match.clock, match.deal
    waits: PauseReason | None = "pair" if clock.paused == "pair" else None
    return KeptMatch(
        match.number,
        match.game.name,
        match.game.rules_version,
        match.players,
        match.rated,
        (deal.name, deal.secret, deal.salts) if deal is not None else None,
        match.position.state,
        match.ply,
        match.turn,
        clock._replace(since=None, paused=waits, used=0),
        match.moved,
        tuple(reversed(steps)),
        match.offers,
        match.declined,
        match.result,
        match.strikes,
        match.paired,
        match.withheld,
        match.series,
        match.decided,
        match.takebacks,
        match.rows,
    )


def restored(match: KeptMatch, room: int) -> Match:
    """Return a match as it was when it was kept.

    Raises:
        UnknownGame, UnknownVersion: its rules are not here any more.
    """
    game = registry.game(match.game, match.rules_version)
    last: PastPly | None = None
    for each in match.plies:
        last = PastPly(each.turn, each.event, each.start, last)
    return Match(
        number=match.number,
        name=format_match(room, match.number),
        game=game,
        players=match.players,
        seated=seated(match.players),
        rated=match.rated,
        deal=Deal(*match.deal) if match.deal is not None else None,
        position=Position(game, match.state),
        ply=match.ply,
        turn=match.turn,
        clock=match.clock,
        moved=match.moved,
        last=last,
        newest=plies.newest(last, SHOWN_EVENTS),
        offers=match.offers,
        declined=match.declined,
        result=match.result,
        strikes=match.strikes,
        paired=match.paired,
        withheld=match.withheld,
        series=match.series,
        decided=match.decided,
        takebacks=match.takebacks,
        rows=match.rows,
    )
