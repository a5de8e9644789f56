"""The numbered facts of a room, as they stand in the log, and as everybody may see them.

One frozen Struct an event.  Its body is a compact msgpack array, so fields are only ever added at
the end, with a default.  Room, seq, epoch, kind and the number of the match are columns beside the
body. Bodies hold notation, never action numbers: a rule set may renumber its actions, its notation
stays. `at` is the server's wall clock in milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta, Struct

from games.dice import commitment
from protocol import messages as wire
from protocol.messages import OfferKind, Options, Result

AtSeat: TypeAlias = Annotated[int, Meta(ge=0, le=1)]


class NotReplayed(Exception):
    """A row of the log is an event that cannot have happened after those before it."""


class Who(Struct, frozen=True, array_like=True):
    """A player for good: a login (`session`), and which of its programs.  `name` is what people
    read.
    """

    session: int
    name: str
    program: str | None = None

    def same(self, other: Who | None) -> bool:
        """Whether this is the same player, whatever it was called at the time."""
        return other is not None and (self.session, self.program) == (other.session, other.program)

    def title(self) -> str:
        """`ann`, or `ann/mcts` for a program of hers."""
        return self.name if self.program is None else f"{self.name}/{self.program}"

    def player(self, absent: bool = False) -> wire.Player:
        """As the wire shows it."""
        return wire.Player(name=self.name, program=self.program, absent=absent)


class Leg(Struct, frozen=True, array_like=True):
    """What a room is for that a ladder has opened: one match of a pair.

    `ladder`: the number of the ladder's log; `leg`: 0 or 1; `opening`: the actions that it begins
    with; `deal`: the name of the pair's dice, None in games without.
    """

    ladder: int
    name: str
    pair: int
    leg: AtSeat
    opening: tuple[str, ...] = ()
    deal: str | None = None


class _Event(Struct, frozen=True, array_like=True):
    at: int


class Created(_Event, frozen=True):
    """A room came to be.  `code`: what a private room is joined by; `leg`: of a ladder's alone."""

    game: str
    options: Options
    owner: Who
    code: str | None
    leg: Leg | None = None


class Joined(_Event, frozen=True):
    """`who` sat down."""

    seat: AtSeat
    who: Who


class Left(_Event, frozen=True):
    """The player of `seat` got up, or was asked to."""

    seat: AtSeat


class Readied(_Event, frozen=True):
    """`seat` agrees to start, and adds its salt to the dice."""

    seat: AtSeat
    salt: str


class Dealt(_Event, frozen=True):
    """The secret of the next match's dice; stored before anyone sees its commitment."""

    deal: str
    secret: bytes


class Started(_Event, frozen=True):
    """A match began; `players` by seat."""

    game: str
    rules_version: int
    options: Options
    players: tuple[Who, Who]
    deal: str | None
    salts: tuple[str, str]


class Played(_Event, frozen=True):
    """`seat` answered a position.  `spent`: its time in ms, of which `lag` is forgiven."""

    ply: int
    seat: AtSeat
    action: str
    spent: int
    lag: int
    note: str | None = None


class Passed(_Event, frozen=True):
    """The only thing `seat` could do was to pass, so the server did it."""

    ply: int
    seat: AtSeat
    action: str


class Opened(_Event, frozen=True):
    """An action of the opening that both matches of a pair begin with; the server made it."""

    ply: int
    seat: AtSeat
    action: str


class Struck(_Event, frozen=True):
    """`seat` tried what is no legal action, in a ladder's match; `action` begins what it sent."""

    ply: int
    seat: AtSeat
    action: str


class Rolled(_Event, frozen=True):
    """The dice of a ply."""

    ply: int
    action: str


class Offered(_Event, frozen=True):
    """`seat` made an offer."""

    seat: AtSeat
    offer: OfferKind


class Answered(_Event, frozen=True):
    """`seat` accepted, declined, or withdrew an offer."""

    seat: AtSeat
    offer: OfferKind
    accept: bool


class TakenBack(_Event, frozen=True):
    """The match went back to the position of `ply`."""

    seat: AtSeat
    ply: int


class Ended(_Event, frozen=True):
    """The match is over.  `spent`: the time in ms of the seat that was to move."""

    result: Result
    spent: int = 0


class Said(_Event, frozen=True):
    """Chat."""

    who: Who
    text: str


class Closed(_Event, frozen=True):
    """The room is no more."""

    why: str


Event: TypeAlias = (
    Created | Joined | Left | Readied | Dealt | Started | Played | Passed | Rolled | Opened
    | Struck | Offered | Answered | TakenBack | Ended | Said | Closed
)  # fmt: skip

KIND: dict[type[Struct], str] = {
    Created: "created",
    Joined: "joined",
    Left: "left",
    Readied: "ready",
    Dealt: "dealt",
    Started: "started",
    Played: "play",
    Passed: "pass",
    Rolled: "roll",
    Opened: "opening",
    Struck: "strike",
    Offered: "offered",
    Answered: "answered",
    TakenBack: "takeback",
    Ended: "ended",
    Said: "said",
    Closed: "closed",
}
_DECODERS: dict[str, Any] = {kind: msgspec.msgpack.Decoder(e) for e, kind in KIND.items()}
write_body = msgspec.msgpack.Encoder().encode


def read_body(kind: str, body: bytes) -> Event:
    """The event in a row of the log.

    Raises:
        NotReplayed: if the row is not one that this version wrote.
    """
    decoder = _DECODERS.get(kind)
    if decoder is None:
        raise NotReplayed(f"no event is called {kind!r}")
    try:
        event: Event = decoder.decode(body)
    except msgspec.DecodeError as error:
        raise NotReplayed(f"{kind}: {error}") from None
    return event


def public(
    seq: int, match: str | None, event: Event, sealed: bool, rated: bool = False
) -> wire.Event:
    """An event as `history` shows it.

    `sealed`: its match is not over, so that a secret and, in `rated` matches, a note stay unseen.
    """
    view = _VIEWS[type(event)](event, sealed)
    if isinstance(event, Dealt) and match is not None and event.deal != match:
        view["deal"] = event.deal
    if sealed and rated:
        view.pop("note", None)
    return wire.Event(seq=seq, kind=KIND[type(event)], match=match, at=event.at, **view)


def _created(e: Created, _: bool) -> dict[str, Any]:
    view = {"game": e.game, "options": e.options, "player": e.owner.player()}
    if e.leg is not None:
        view |= {"ladder": e.leg.name, "pair": e.leg.pair, "leg": e.leg.leg}
    return view


def _action(e: Passed | Opened | Struck, _: bool) -> dict[str, Any]:
    return {"ply": e.ply, "seat": e.seat, "action": e.action}


def _played(e: Played, _: bool) -> dict[str, Any]:
    return {"ply": e.ply, "seat": e.seat, "action": e.action, "spent_ms": e.spent,
            "lag_ms": e.lag, "note": e.note}  # fmt: skip


def _dealt(e: Dealt, sealed: bool) -> dict[str, Any]:
    return {"commitment": commitment(e.secret), "secret": None if sealed else e.secret.hex()}


def _started(e: Started, _: bool) -> dict[str, Any]:
    return {"game": e.game, "rules_version": e.rules_version, "options": e.options,
            "players": tuple(w.player() for w in e.players),
            "salts": e.salts if e.deal is not None else None}  # fmt: skip


_VIEWS: dict[type[Struct], Callable[[Any, bool], dict[str, Any]]] = {
    Created: _created,
    Joined: lambda e, _: {"seat": e.seat, "player": e.who.player()},
    Left: lambda e, _: {"seat": e.seat},
    Readied: lambda e, _: {"seat": e.seat},
    Dealt: _dealt,
    Started: _started,
    Played: _played,
    Passed: _action,
    Rolled: lambda e, _: {"ply": e.ply, "seat": -1, "action": e.action},
    Opened: _action,
    Struck: _action,
    Offered: lambda e, _: {"seat": e.seat, "offer": e.offer},
    Answered: lambda e, _: {"seat": e.seat, "offer": e.offer, "accept": e.accept},
    TakenBack: lambda e, _: {"seat": e.seat, "ply": e.ply},
    Ended: lambda e, _: {"result": e.result, "spent_ms": e.spent},
    Said: lambda e, _: {"player": e.who.player(), "text": e.text},
    Closed: lambda e, _: {"text": e.why},
}
