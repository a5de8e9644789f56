"""A room: two players sit there and play matches in turn, and others watch.

A room is the fold of its events: only `fold` changes it, except for what is not stored (who is
away, since when no client follows it, and since when a clock has run).  life.py says what may be
asked of a room and when; seating.py and playing.py decide about it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from games import dice
from protocol import messages as wire
from protocol.errors import Code, Refusal
from protocol.history import OF_MATCHES
from protocol.messages import RoomState
from protocol.parts import Options, Player, RoomLine, Series
from protocol.series import conceded, is_on
from server.core import events
from server.core import match as matches
from server.core.effects import Effect
from server.core.events import Event, Leg, NotReplayed, Who
from server.core.match import Match

# How long a person must be away before a match without clock can be claimed: that it has none says
# that its players take it up when they have time.
CLAIM_MS = 3 * 24 * 3_600_000
CLAIM_BOT_MS = 120_000  # the same of a bot: a program that is started again is back sooner
# How long after the last event of a room the lobby still shows where its last match ended, and how
# many characters such a position may have: those of all games here have fewer than 64.
LAST_POSITION_MS = 5 * 60_000
MAX_SHOWN = 128
# Events of a room, after which it takes no further match: some tens of thousands of matches.
FULL = 1_000_000
UNHEARD = 50  # lines of spectators, the newest, that players are sent after their match
NOBODY_AWAY = (None, None)
ONE_POINT_EACH = (None, None)  # what a resignation costs, nearly always
# How long a game of a series that is over is looked at before the next one begins by itself: long
# enough to see it, and short enough that no player who is about to lose keeps the other waiting.
BREAK_MS = 60_000
RoomPhase = Literal["waiting", "playing", "over", "closed"]
Seats: TypeAlias = tuple[Who | None, Who | None]


class Room(Struct, frozen=True):
    """A room as a value.

    `away`: since when each seat's player has been away; `empty_since`: since when no client has
    followed it who could have a match begin, which is a person or its owner; `leg`: what a ladder
    opened it for; only such a room is ever over; `rested`: the seq at which it came to rest, see
    `rests`; `began`: that at which its newest match did; `unheard`: what spectators say meanwhile.
    """

    number: int
    seq: int
    game: str
    options: Options
    owner: Who
    code: str | None
    state: RoomPhase = "waiting"
    seats: Seats = (None, None)
    ready: tuple[bool, bool] = (False, False)
    salts: tuple[str, str] = ("", "")
    away: tuple[int | None, int | None] = (None, None)
    empty_since: int | None = None
    score: tuple[float, float] = (0.0, 0.0)
    played: int = 0
    rematch: bool = False  # the two who sit here have just played, so seats swap
    secret: bytes | None = None
    match: Match | None = None
    touched: int = 0  # when the last event happened
    resume_at: int | None = None  # when a clock that was paused by a restart goes on by itself
    leg: Leg | None = None
    series: Series | None = None
    over_at: int = 0  # when its last match ended
    name: str = ""  # what its owner calls it
    rested: int = -1
    began: int = 0
    unheard: tuple[wire.Said, ...] = ()
    claim: tuple[int, int] = (CLAIM_MS, CLAIM_BOT_MS)  # as the host has set them

    def withholds(self, seq: int, speaker: Who, reader: Who | None) -> bool:
        """Return whether a line of chat waits for the end of the match that this reader plays."""
        is_on = self.state == "playing" and seq > self.began
        return is_on and self.seat_of(reader) is not None and self.seat_of(speaker) is None

    @property
    def rests(self) -> bool:
        """Whether its match waits for a person, without a clock, so that a bot holds no slot for
        it: until something happens here.
        """
        return self.rested == self.seq

    def seat_of(self, who: Who | None) -> int | None:
        """Return the seat of a player, or None."""
        if who is None:
            return None
        one, two = self.seats
        if one is who:  # nearly always the same value, as this is asked at every move
            return 0
        if two is who:
            return 1
        if one is not None and one.same(who):
            return 0
        return 1 if two is not None and two.same(who) else None

    def hosts(self, who: Who | None) -> bool:
        """Return whether this player's presence keeps the room open: a person's, or its owner's.

        A bot that others called here waits for them, and does not keep it.
        """
        return who is not None and (who.program is None or self.owner.same(who))

    def playing(self) -> Match | None:
        """Return the match under way, if any."""
        return self.match if self.state == "playing" else None


class Secrets(Struct, frozen=True):
    """What the core may not make itself: a secret for the next dice, a code for a private room."""

    secret: bytes
    code: str


class Asker(Struct, frozen=True):
    """Who asks.  `lag`: of the connection, in ms; `follows`: whether it follows the room."""

    who: Who
    lag: int = 0
    follows: bool = False


NOBODY = Asker(Who(0, "", None))
HOUSE = Who(0, "house")  # the owner of a ladder's rooms; no session has the number 0


class Work(Struct):
    """One message being handled: the room so far, its events and effects."""

    room: Room
    asker: Asker
    now: int
    fresh: Secrets
    events: list[Event] = []
    effects: list[Effect] = []

    def record(self, event: Event) -> None:
        """Make an event happen, no earlier than the one before.

        That may have been on another server, whose clock was ahead; a match's clock is no part of
        this, as it counts what passes here.
        """
        if event.at < self.room.touched:
            event = replace(event, at=self.room.touched)
        self.events.append(event)
        self.room = fold(self.room, event)

    def then(self, *effects: Effect) -> None:
        """Have something done once the events are stored; the same thing only once."""
        for effect in effects:
            if effect not in self.effects:
                self.effects.append(effect)

    def seat(self) -> int:
        """Return the asker's seat; Refusal if it has none."""
        seat = self.room.seat_of(self.asker.who)
        if seat is None:
            raise Refusal(Code.ROOM_NOT_SEATED, "you do not sit in this room")
        return seat

    def match(self) -> Match:
        """Return the match under way; the table lets no request ask for one that is not."""
        match = self.room.match
        if match is None:
            raise Refusal(Code.ROOM_NO_MATCH, "there is no match in this room yet")
        return match


def create(number: int, event: events.Created) -> Room:
    """Return the fold of a room's first event."""
    return Room(
        number, 1, event.game, event.options, event.owner, event.code, empty_since=event.at,
        touched=event.at, leg=event.leg,
    )  # fmt: skip


def fold(room: Room, event: Event) -> Room:
    """Return the room after one more event.

    Raises:
        NotReplayed: if it cannot have happened after those before it.
    """
    seq, kind = room.seq + 1, type(event)
    in_match = matches.FOLDS.get(kind)
    if in_match is not None:
        if room.match is None or room.state != "playing":
            raise NotReplayed("no match is on")
        match = in_match(room.match, seq, event)
        return replace(room, seq=seq, touched=event.at, match=match)
    return replace(room, seq=seq, touched=event.at, **CHANGES[kind](room, event))


# What each event changes of a room, beside what `fold` does at every event.
Changes: TypeAlias = dict[str, Any]


def _created(room: Room, event: events.Created) -> Changes:
    raise NotReplayed("a room is created once")


def _joined(room: Room, event: events.Joined) -> Changes:
    return {"seats": _put(room.seats, event.seat, event.who), "score": (0.0, 0.0)}


def _agreed(room: Room, event: events.Agreed) -> Changes:
    return {"options": event.options}


def _left(room: Room, event: events.Left) -> Changes:
    return {
        "seats": _put(room.seats, event.seat, None),
        "away": _put(room.away, event.seat, None),
        "ready": _put(room.ready, event.seat, False),
        "rematch": False,
        "series": conceded(room.series, event.seat) if room.series is not None else None,
    }


def _readied(room: Room, event: events.Readied) -> Changes:
    return {
        "ready": _put(room.ready, event.seat, True),
        "salts": _put(room.salts, event.seat, event.salt),
    }


def _dealt(room: Room, event: events.Dealt) -> Changes:
    return {"secret": event.secret, "match": matches.dealt(room.match, event)}


def _started(room: Room, event: events.Started) -> Changes:
    swap = room.seats[0] is not None and not room.seats[0].same(event.players[0])
    number = room.played + 1
    paired = room.leg is not None and room.leg.deal is not None
    return {
        "state": "playing",
        "seats": event.players,
        "played": number,
        "away": room.away[::-1] if swap else room.away,
        "score": room.score[::-1] if swap else room.score,
        "ready": (False, False),
        "series": event.series,
        "over_at": 0,
        "began": room.seq + 1,
        "match": matches.start(
            room.number, number, room.seq + 1, event, room.secret, paired, room.leg is not None
        ),
    }


def _ended(room: Room, event: events.Ended) -> Changes:
    if room.match is None or room.state != "playing":
        raise NotReplayed("no match is on")
    match = matches.ended(room.match, event)
    return {
        "state": "waiting" if room.leg is None else "over",
        "salts": ("", ""),
        "rematch": room.leg is None,
        "series": match.series,
        "over_at": event.at,
        "score": _scored(room.score, event.result.winner, event.result.how),
        "secret": None,
        "match": match,
        "resume_at": None,
        "unheard": (),
    }


def _scored(score: tuple[float, float], winner: int | None, how: str) -> tuple[float, float]:
    if how in ("abort", "void"):
        return score
    first = 0.5 if winner is None else 1.0 - winner
    return (score[0] + first, score[1] + 1.0 - first)


def _chatted(room: Room, event: events.Chatted) -> Changes:
    if room.state != "playing" or room.seat_of(event.who) is not None:
        return {}  # no other chat is remembered
    return {"unheard": (*room.unheard, said(room, room.seq + 1, event))[-UNHEARD:]}


def _renamed(room: Room, event: events.Renamed) -> Changes:
    return {"name": event.name}


def _closed(room: Room, event: events.Closed) -> Changes:
    match = room.match
    if match is not None:
        match = replace(match, paired=False, withheld=False)
    return {"state": "closed", "match": match}


# The events that match.FOLDS lacks.
CHANGES: Final[dict[type[Event], Callable[[Room, Any], Changes]]] = {
    events.Created: _created,
    events.Agreed: _agreed,
    events.Joined: _joined,
    events.Left: _left,
    events.Readied: _readied,
    events.Dealt: _dealt,
    events.Started: _started,
    events.Ended: _ended,
    events.Chatted: _chatted,
    events.Renamed: _renamed,
    events.Closed: _closed,
}


def _put(pair: tuple[Any, Any], seat: int, value: Any) -> tuple[Any, Any]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)


def match_of(room: Room, event: Event) -> int | None:
    """Return which match of the room, as it is after an event, that is about; None: none."""
    kind = type(event)
    if event.kind not in OF_MATCHES:
        return None
    if kind is events.Dealt and room.leg is None:  # before the match that it is for
        return room.played + 1
    return room.played


def place_of(room: Room, who: Who | None) -> tuple[int | None, bool]:
    """Return a player's seat, and whether it is one of those who may see a private room's code."""
    seat = room.seat_of(who)
    return seat, seat is not None or room.owner.same(who)


def state(
    room: Room,
    viewer: Who | None = None,
    watching: int = 0,
    now: int | None = None,
) -> RoomState:
    """Return the room as `viewer` may see it: its code only by its members and owner.

    `now`: for when who is away may be claimed from; None leaves that out.
    """
    seat, inside = place_of(room, viewer) if viewer is not None else (None, False)
    leg = room.leg
    return RoomState(
        room.number,
        room.seq,
        room.game,
        room.state,
        room.owner.title(),
        players(room, now),
        room.ready,
        room.options,
        room.score,
        room.match.name if room.match is not None else None,
        room.code if inside else None,
        dice.commitment(room.secret) if room.secret is not None else None,
        seat,
        watching,
        ladder=leg.name if leg is not None else None,
        pair=leg.pair if leg is not None else None,
        leg=None if leg is None else 1 if leg.leg else 0,
        series=room.series,
        name=room.name,
        rests=room.rests,
    )


def lobby_row(room: Room, now: int = 0) -> RoomLine:
    """Return the room as a row of the lobby; see `position_until`."""
    match = room.match
    until = position_until(room)
    position = None
    if match is not None and (room.state == "playing" or (until is not None and now < until)):
        text = match.game.format_position(match.position)
        position = text if len(text) <= MAX_SHOWN else None
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
        position=position,
        series=room.series,
        name=room.name,
    )


def later(room: Room, ms: int, now: int) -> Room:
    """Return the room where the time has gone forward by `ms`, to `now`: no player has waited for
    so long, nor thought.
    """

    def moved(at: int | None) -> int | None:
        return None if at is None else max(at, min(now, at + ms))

    match, (one, two) = room.match, room.away
    return replace(
        room,
        away=(moved(one), moved(two)),
        empty_since=moved(room.empty_since),
        touched=moved(room.touched),
        over_at=moved(room.over_at),
        resume_at=None if room.resume_at is None else room.resume_at + ms,
        match=None if match is None else replace(match, clock=match.clock.later(ms, now)),
    )


def next_game_at(room: Room) -> int | None:
    """Return when the next game of a series begins by itself; None: it does not.

    It waits for a player who is away, and for both to have seen how the last one ended; and for
    both to be ready where one has just not begun, or the room would go on so without anybody.
    """
    if room.state != "waiting" or not room.rematch or not is_on(room.series):
        return None
    if room.match is not None and room.match.result == matches.UNBEGUN:
        return None
    both_here = None not in room.seats and room.away == NOBODY_AWAY
    return room.over_at + BREAK_MS if both_here else None


def position_until(room: Room) -> int | None:
    """Return until when the lobby shows how a match that is over has ended; None: none is."""
    over = room.match is not None and room.match.result is not None
    return room.touched + LAST_POSITION_MS if over else None


def said(at: Room, seq: int, event: events.Chatted) -> wire.Said:
    """Return a line of chat as those hear it who follow the room."""
    return wire.Said(room=at.number, seq=seq, name=event.who.title(), text=event.text, at=event.at)


def players(room: Room, now: int | None = None) -> tuple[Player | None, Player | None]:
    """Return who sits there, who of them is away, and with `now` when that can be claimed."""
    waits = claims(room, now) if now is not None else (None, None)
    one, two = (
        who.player(away is not None, wait) if who is not None else None
        for who, away, wait in zip(room.seats, room.away, waits, strict=True)
    )
    return (one, two)


def claims(room: Room, now: int) -> tuple[int | None, int | None]:
    """Return for each seat in how many ms the other one may claim the match; None: it may not."""
    match = room.playing()
    if room.away == NOBODY_AWAY or match is None or match.clock.timed or room.leg is not None:
        return (None, None)
    one, two = (
        max(0, away + room.claim[who is not None and who.program is not None] - now)
        if away is not None
        else None
        for away, who in zip(room.away, room.seats, strict=True)
    )
    return (one, two)


def resignations(room: Room) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return for how many points each seat may resign the match under way, ascending.

    On a ladder it costs what it costs: no two agree there on anything else.
    """
    match = room.playing()
    if match is None:
        return ((), ())
    one, two = (match.game.resignations(match.position, seat) for seat in (0, 1))
    return (one, two) if room.leg is None else (one[-1:], two[-1:])


def shown_resignations(room: Room) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    """Return the same as the players are told it: None where it is one point, or no match is on.

    Asked at every move, so it is quick for games in which it never costs more.
    """
    match = room.match
    if match is None or (match.game.forfeit_points is None and match.game.resign_points is None):
        return ONE_POINT_EACH
    one, two = (prices if prices not in ((), (1,)) else None for prices in resignations(room))
    return (one, two)


def absent(room: Room) -> tuple[bool, bool]:
    """Which players of the match under way are away; afterwards others may sit in their seats."""
    if room.state != "playing":
        return (False, False)
    return (room.away[0] is not None, room.away[1] is not None)
