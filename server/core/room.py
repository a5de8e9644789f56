"""A room: where two players sit, may hold matches in turn, and others watch.

A room is the fold of its events: only `fold` changes what a room is, but for what is not worth
storing (who is away, and since when a clock has been seen to run).  What may be asked of a room,
and when, stands in life.py; what is decided then, in seating.py and playing.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from games import dice
from protocol import messages as wire
from protocol.errors import Code, Refusal
from protocol.messages import Options, Player, RoomLine, RoomState
from server.core import match as matches
from server.core import offers
from server.core.effects import Broadcast, Effect
from server.core.events import (
    Answered,
    Closed,
    Created,
    Dealt,
    Ended,
    Event,
    Joined,
    Left,
    Leg,
    NotReplayed,
    Offered,
    Opened,
    Passed,
    Played,
    Readied,
    Rolled,
    Said,
    Started,
    Struck,
    TakenBack,
    Who,
)
from server.core.match import Match

Seats: TypeAlias = tuple[Who | None, Who | None]


class Room(Struct, frozen=True):
    """A room as a value.

    `state`: waiting, playing, over (on a ladder) or closed; `away`: since when each seat's player
    is; `leg`: what a ladder has opened it for.
    """

    number: int
    seq: int
    game: str
    options: Options
    owner: Who
    code: str | None
    state: str = "waiting"
    seats: Seats = (None, None)
    ready: tuple[bool, bool] = (False, False)
    salts: tuple[str, str] = ("", "")
    away: tuple[int | None, int | None] = (None, None)
    score: tuple[float, float] = (0.0, 0.0)
    played: int = 0
    rematch: bool = False  # the two who sit here have just played, so seats swap
    secret: bytes | None = None
    match: Match | None = None
    touched: int = 0  # when the last event happened
    resume_at: int | None = None  # when a clock that was paused by a restart goes on by itself
    leg: Leg | None = None

    def seat_of(self, who: Who | None) -> int | None:
        """The seat of a player, or None."""
        if who is None:
            return None
        one, two = self.seats
        if one is not None and one.same(who):
            return 0
        return 1 if two is not None and two.same(who) else None

    def playing(self) -> Match | None:
        """The match under way, if any."""
        return self.match if self.state == "playing" else None


class Fresh(Struct, frozen=True):
    """What the core may not make itself: a secret for the next dice, a code for a private room."""

    secret: bytes
    code: str


class Asker(Struct, frozen=True):
    """Who asks, the lag of that line in ms (the median of its last pings), and whether it
    follows the room.
    """

    who: Who
    lag: int = 0
    follows: bool = False


NOBODY = Asker(Who(0, "", None))
HOUSE = Who(0, "house")  # whose rooms a ladder's are; no session has number 0, so nobody is it


class Work:
    """One handling under way: the room so far, and what came of it."""

    __slots__ = ("asker", "effects", "events", "fresh", "now", "room")

    def __init__(self, room: Room, asker: Asker, now: int, fresh: Fresh) -> None:
        self.room = room
        self.asker = asker
        self.now = now
        self.fresh = fresh
        self.events: list[Event] = []
        self.effects: list[Effect] = []

    def record(self, event: Event) -> None:
        """Make an event happen."""
        self.events.append(event)
        self.room = fold(self.room, event)

    def then(self, *effects: Effect) -> None:
        """Have something done once the events are stored; the same thing only once."""
        self.effects += [effect for effect in effects if effect not in self.effects]

    def seat(self) -> int:
        """The asker's seat; Refusal if it has none."""
        seat = self.room.seat_of(self.asker.who)
        if seat is None:
            raise Refusal(Code.ROOM_NOT_SEATED, "you do not sit in this room")
        return seat

    def match(self) -> Match:
        """The match under way; the table lets nobody ask for one that is not."""
        match = self.room.match
        if match is None:
            raise Refusal(Code.ROOM_NO_MATCH, "there is no match in this room yet")
        return match


# ---------------------------------------------------------------- the fold


def create(number: int, event: Created) -> Room:
    """The fold of a room's first event."""
    return Room(
        number, 1, event.game, event.options, event.owner, event.code, touched=event.at,
        leg=event.leg,
    )  # fmt: skip


def fold(room: Room, event: Event) -> Room:
    """The room after one more event."""
    return _FOLDS[type(event)](room, room.seq + 1, event)


def _joined(room: Room, seq: int, e: Joined) -> Room:
    seats = _put(room.seats, e.seat, e.who)
    return replace(room, seq=seq, seats=seats, score=(0.0, 0.0), touched=e.at)


def _left(room: Room, seq: int, e: Left) -> Room:
    return replace(
        room, seq=seq, seats=_put(room.seats, e.seat, None), away=_put(room.away, e.seat, None),
        ready=_put(room.ready, e.seat, False), rematch=False, touched=e.at,
    )  # fmt: skip


def _readied(room: Room, seq: int, e: Readied) -> Room:
    salts = _put(room.salts, e.seat, e.salt)
    return replace(room, seq=seq, ready=_put(room.ready, e.seat, True), salts=salts, touched=e.at)


def _dealt(room: Room, seq: int, e: Dealt) -> Room:
    return replace(room, seq=seq, secret=e.secret, touched=e.at)


def _started(room: Room, seq: int, e: Started) -> Room:
    swap = room.seats[0] is not None and not room.seats[0].same(e.players[0])
    number = room.played + 1
    paired = room.leg is not None and room.leg.deal is not None
    return replace(
        room, seq=seq, state="playing", seats=e.players, played=number, touched=e.at,
        away=room.away[::-1] if swap else room.away,
        score=room.score[::-1] if swap else room.score,
        ready=(False, False),
        match=matches.start(room.number, number, seq, e, room.secret, paired),
    )  # fmt: skip


def _moved(step: Callable[[Match, int, Any], Match]) -> Callable[[Room, int, Any], Room]:
    def fold_in(room: Room, seq: int, e: Any) -> Room:
        return replace(room, seq=seq, match=step(_match(room), seq, e), touched=e.at)

    return fold_in


def _match(room: Room) -> Match:
    """The match that an event belongs to; only a broken log has such events without one."""
    match = room.playing()
    if match is None:
        raise NotReplayed("no match is on")
    return match


def _offered(match: Match, _: int, e: Offered) -> Match:
    return replace(match, offers=offers.make(match.offers, e.offer, e.seat))


def _answered(match: Match, _: int, e: Answered) -> Match:
    declined = () if e.accept else tuple(o for o in match.offers if o.kind == e.offer)
    return replace(match, offers=offers.drop(match.offers, e.offer),
                   declined=match.declined + declined)  # fmt: skip


def _ended(room: Room, seq: int, e: Ended) -> Room:
    return replace(
        room, seq=seq, state="waiting" if room.leg is None else "over", salts=("", ""),
        rematch=room.leg is None,
        score=_scored(room.score, e.result.winner, e.result.how), secret=None, touched=e.at,
        match=matches.ended(_match(room), e), resume_at=None,
    )  # fmt: skip


def _scored(score: tuple[float, float], winner: int | None, how: str) -> tuple[float, float]:
    if how in ("abort", "void"):
        return score
    first = 0.5 if winner is None else 1.0 - winner
    return (score[0] + first, score[1] + 1.0 - first)


def _said(room: Room, seq: int, e: Said) -> Room:
    return replace(room, seq=seq, touched=e.at)


def _closed(room: Room, seq: int, e: Closed) -> Room:
    match = replace(room.match, paired=False) if room.match is not None else None
    return replace(room, seq=seq, state="closed", match=match, touched=e.at)


def _put(pair: tuple[Any, Any], seat: int, value: Any) -> tuple[Any, Any]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)


_FOLDS: dict[type[Struct], Callable[[Room, int, Any], Room]] = {
    Joined: _joined,
    Left: _left,
    Readied: _readied,
    Dealt: _dealt,
    Started: _started,
    Played: _moved(matches.played),
    Passed: _moved(matches.passed),
    Rolled: _moved(matches.rolled),
    Opened: _moved(matches.opened),
    Struck: _moved(matches.struck),
    TakenBack: _moved(matches.taken_back),
    Offered: _moved(_offered),
    Answered: _moved(_answered),
    Ended: _ended,
    Said: _said,
    Closed: _closed,
}


# ---------------------------------------------------------------- what it looks like


def state(room: Room, viewer: Who | None = None, watching: int = 0) -> RoomState:
    """The room as `viewer` may see it: its code only by its members and owner."""
    seat = room.seat_of(viewer)
    inside = seat is not None or room.owner.same(viewer)
    return RoomState(
        room=room.number,
        seq=room.seq,
        game=room.game,
        state=room.state,
        owner=room.owner.title(),
        seats=players(room),
        ready=room.ready,
        options=room.options,
        score=room.score,
        match=room.match.name if room.match is not None else None,
        code=room.code if inside else None,
        commitment=dice.commitment(room.secret) if room.secret is not None else None,
        seat=seat,
        watching=watching,
        ladder=room.leg.name if room.leg is not None else None,
        pair=room.leg.pair if room.leg is not None else None,
        leg=_seat(room.leg.leg) if room.leg is not None else None,
    )


def _seat(leg: int) -> Literal[0, 1]:
    return 1 if leg else 0


def line(room: Room) -> RoomLine:
    """The room as the lobby lists it."""
    match = room.match
    return RoomLine(
        room=room.number,
        game=room.game,
        state=room.state,
        seats=players(room),
        options=room.options,
        match=match.name if match is not None else None,
        ply=match.ply if match is not None else 0,
        score=room.score,
        ladder=room.leg.name if room.leg is not None else None,
    )


def chat(room: Room, who: Who, text: str, now: int) -> Broadcast:
    """A line of chat, to be sent to all who follow the room."""
    return Broadcast(wire.Said(room=room.number, seq=room.seq, name=who.title(), text=text, at=now))


def players(room: Room) -> tuple[Player | None, Player | None]:
    """Who sits there, and whether they are away."""
    one, two = (
        who.player(away is not None) if who is not None else None
        for who, away in zip(room.seats, room.away, strict=True)
    )
    return (one, two)


def absent(room: Room) -> tuple[bool, bool]:
    """Which players of the match under way are away; afterwards others may sit in their seats."""
    if room.state != "playing":
        return (False, False)
    return (room.away[0] is not None, room.away[1] is not None)
