"""The numbered facts of a room, as they stand in the log, and as everybody may see them.

One frozen Struct an event.  Its body is a compact msgpack array, so fields are only ever added at
the end, with a default.  Room, seq, epoch, kind and the number of the match are columns beside the
body. Bodies hold notation, never action numbers: a rule set may renumber its actions, its notation
stays. `at` is the server's wall clock in milliseconds.

Why the event is stored and not the message that tells of it: a play's body is 7 to 12 bytes, its
message about 300, and a prototype that stored these made 18,200 moves a second in place of 24,200.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Final, Generic, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import Meta, Struct

from games.dice import commitment
from protocol import parts as wire
from protocol.parts import OfferKind, Options, Result, Series

AtSeat: TypeAlias = Annotated[int, Meta(ge=0, le=1)]
E = TypeVar("E", bound="LogEvent")


class NotReplayed(Exception):
    """A row of the log is an event that cannot have happened after those before it."""


class UnknownRules(NotReplayed):
    """The rules are not here by which a match is played, so it cannot go on here."""


class Who(Struct, frozen=True, array_like=True):
    """A player: a login (`session`), and which of its programs.  `name` is for people.

    `level`: what a program said at which it plays, where it sat down; it is no part of who it is.
    """

    session: int
    name: str
    program: str | None = None
    level: int | None = None

    def same(self, other: Who | None) -> bool:
        """Return whether this is the same player, whatever it was called at the time."""
        return other is self or (
            other is not None and self.session == other.session and self.program == other.program
        )

    def title(self) -> str:
        """Return `ann`, or `ann/mcts` for a program of hers."""
        return self.name if self.program is None else f"{self.name}/{self.program}"

    def player(self, absent: bool = False, claim_ms: int | None = None) -> wire.Player:
        """Return the player as the wire shows it."""
        if not absent:  # nearly always, and asked at every move
            return wire.Player(name=self.name, program=self.program, level=self.level)
        return wire.Player(
            name=self.name, program=self.program, absent=True, claim_ms=claim_ms, level=self.level
        )


class Leg(Struct, frozen=True, array_like=True):
    """What a ladder has opened a room for: one match of a pair.

    `ladder`: the number of the ladder's log; `leg`: 0 or 1; `opening`: the actions that it begins
    with; `deal`: the name of the pair's dice, None in games without.
    """

    ladder: int
    name: str
    pair: int
    leg: AtSeat
    opening: tuple[str, ...] = ()
    deal: str | None = None


class LogEvent(Struct, frozen=True, array_like=True):
    """What the events of rooms and of ladders share: a kind of their own, and when it happened."""

    kind: ClassVar[str]
    at: int


class RoomEvent(LogEvent, frozen=True):
    """An event of a room: its kind says whether it is about a match (see protocol.history)."""

    def public_fields(self) -> dict[str, Any]:
        """What `history` shows of it, by the fields of the wire's Event, secrets included."""
        raise NotImplementedError  # every event defines it: a Struct cannot be an abstract class


class PlyEvent(RoomEvent, frozen=True):
    """`seat` did `action`, or tried to, at the ply of this number."""

    ply: int
    seat: AtSeat
    action: str

    def public_fields(self) -> dict[str, Any]:
        return {"ply": self.ply, "seat": self.seat, "action": self.action}


class Created(RoomEvent, frozen=True):
    """A room came to be.  `code`: what a private room is joined by; `leg`: of a ladder's alone."""

    kind = "created"
    game: str
    options: Options
    owner: Who
    code: str | None
    leg: Leg | None = None

    def public_fields(self) -> dict[str, Any]:
        fields = {"game": self.game, "options": self.options, "player": self.owner.player()}
        if self.leg is not None:
            fields |= {"ladder": self.leg.name, "pair": self.leg.pair, "leg": self.leg.leg}
        return fields


class Joined(RoomEvent, frozen=True):
    """`who` sat down."""

    kind = "joined"
    seat: AtSeat
    who: Who

    def public_fields(self) -> dict[str, Any]:
        return {"seat": self.seat, "player": self.who.player()}


class Agreed(RoomEvent, frozen=True):
    """Who is about to sit down has chosen among the terms that a seek left open."""

    kind = "agreed"
    options: Options

    def public_fields(self) -> dict[str, Any]:
        return {"options": self.options}


class Left(RoomEvent, frozen=True):
    """The player of `seat` got up, or was asked to."""

    kind = "left"
    seat: AtSeat

    def public_fields(self) -> dict[str, Any]:
        return {"seat": self.seat}


class Readied(RoomEvent, frozen=True):
    """`seat` agrees to start, and adds its salt to the dice."""

    kind = "ready"
    seat: AtSeat
    salt: str

    def public_fields(self) -> dict[str, Any]:
        return {"seat": self.seat}


class Dealt(RoomEvent, frozen=True):
    """The secret of the next match's dice; stored before anyone sees its commitment."""

    kind = "dealt"
    deal: str
    secret: bytes

    def public_fields(self) -> dict[str, Any]:
        secret = self.secret
        return {"commitment": commitment(secret), "secret": secret.hex(), "deal": self.deal}


class Started(RoomEvent, frozen=True):
    """A match began; `players` by seat, and `series` as it stands before this game of it."""

    kind = "started"
    game: str
    rules_version: int
    options: Options
    players: tuple[Who, Who]
    deal: str | None
    salts: tuple[str, str]
    series: Series | None = None

    def public_fields(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "rules_version": self.rules_version,
            "options": self.options,
            "players": tuple(who.player() for who in self.players),
            "salts": self.salts if self.deal is not None else None,
            "series": self.series,
        }


class Played(PlyEvent, frozen=True):
    """`seat` answered a position.  `spent`: its time in ms, of which `lag` is forgiven."""

    kind = "play"
    spent: int
    lag: int
    note: str | None = None

    def public_fields(self) -> dict[str, Any]:
        own = {"spent_ms": self.spent, "lag_ms": self.lag, "note": self.note}
        return super().public_fields() | own


class Passed(PlyEvent, frozen=True):
    """The only thing `seat` could do was to pass, so the server did it."""

    kind = "pass"


class Opened(PlyEvent, frozen=True):
    """An action of the opening that both matches of a pair begin with; the server made it."""

    kind = "opening"


class Struck(PlyEvent, frozen=True):
    """`seat` tried something illegal in a ladder's match; `action`: the start of what it sent."""

    kind = "strike"


class DiceRolled(RoomEvent, frozen=True):
    """The dice of a ply."""

    kind = "roll"
    ply: int
    action: str

    def public_fields(self) -> dict[str, Any]:
        return {"ply": self.ply, "seat": -1, "action": self.action}


class Offered(RoomEvent, frozen=True):
    """`seat` made an offer; one to resign for fewer points than that costs names them."""

    kind = "offered"
    seat: AtSeat
    offer: OfferKind
    points: int | None = None

    def public_fields(self) -> dict[str, Any]:
        return {"seat": self.seat, "offer": self.offer, "points": self.points}


class Answered(RoomEvent, frozen=True):
    """`seat` accepted, declined, or withdrew an offer."""

    kind = "answered"
    seat: AtSeat
    offer: OfferKind
    accept: bool

    def public_fields(self) -> dict[str, Any]:
        return {"seat": self.seat, "offer": self.offer, "accept": self.accept}


class TakenBack(RoomEvent, frozen=True):
    """The match went back to the position of `ply`."""

    kind = "takeback"
    seat: AtSeat
    ply: int

    def public_fields(self) -> dict[str, Any]:
        return {"seat": self.seat, "ply": self.ply}


class Ended(RoomEvent, frozen=True):
    """The match is over.  `spent`: the time in ms of the seat that was to move."""

    kind = "ended"
    result: Result
    spent: int = 0

    def public_fields(self) -> dict[str, Any]:
        return {"result": self.result, "spent_ms": self.spent}


class Chatted(RoomEvent, frozen=True):
    """`who` said something."""

    kind = "said"
    who: Who
    text: str

    def public_fields(self) -> dict[str, Any]:
        return {"player": self.who.player(), "text": self.text}


class Renamed(RoomEvent, frozen=True):
    """`who` named the room anew."""

    kind = "renamed"
    who: Who
    name: str

    def public_fields(self) -> dict[str, Any]:
        return {"player": self.who.player(), "text": self.name}


class Closed(RoomEvent, frozen=True):
    """The room is closed for good."""

    kind = "closed"
    why: str

    def public_fields(self) -> dict[str, Any]:
        return {"text": self.why}


Event: TypeAlias = (
    Created | Agreed | Joined | Left | Readied | Dealt | Started | Played | Passed | DiceRolled
    | Opened | Struck | Offered | Answered | TakenBack | Ended | Chatted | Renamed | Closed
)  # fmt: skip

EVENTS: Final[tuple[type[Event], ...]] = get_args(Event)
write_body = msgspec.msgpack.Encoder().encode


class EventReader(Generic[E]):
    """Reads the bodies of one closed set of events."""

    def __init__(self, events: Iterable[type[E]]) -> None:
        self._decoders = {event.kind: msgspec.msgpack.Decoder(event) for event in events}

    def read(self, kind: str, body: bytes) -> E:
        """Return the event in a row of the log.

        Raises:
            NotReplayed: if the row is not one that this version wrote.
        """
        decoder = self._decoders.get(kind)
        if decoder is None:
            raise NotReplayed(f"no event is called {kind!r}")
        try:
            return decoder.decode(body)
        except msgspec.DecodeError as error:
            raise NotReplayed(f"{kind}: {error}") from None


read_body = EventReader[Event](EVENTS).read


def public(
    seq: int, match: str | None, event: Event, sealed: bool, rated: bool = False
) -> wire.Event:
    """Return an event as `history` shows it.

    `sealed`: its match is not over, so that a secret and, in `rated` matches, a note stay unseen.
    """
    fields = event.public_fields()
    if match is None or fields.get("deal") == match:
        fields.pop("deal", None)  # only the deal of a pair has a name of its own
    if sealed:
        fields.pop("secret", None)
    if sealed and rated:
        fields.pop("note", None)
    return wire.Event(seq=seq, kind=event.kind, match=match, at=event.at, **fields)
