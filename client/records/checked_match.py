"""A match while it is being checked, and what can follow; verify.py moves it on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

from client.errors import ClientError
from client.records import event_fields
from games import clock as clocks
from games.clock import Clock
from games.dice import Deal
from games.game import CHANCE, END, Position
from protocol.history import MAX_EVENTS
from protocol.parts import Event, OfferKind, Result

PASS = "pass"
MAX_STRIKES = 3  # of a seat, in a ladder's match: the last one loses it


NOUNS: dict[OfferKind, str] = {
    "draw": "draw", "takeback": "takeback", "resign": "resignation",
}  # fmt: skip


class Wrong(Exception):
    """An event does not hold; the text is why."""


class Unknown(ClientError):
    """The match was played by rules that are not here, so nothing can be said; a sentence."""


class SeatOffer(NamedTuple):
    """What is offered, and by which seat.  `points`: those of a resignation."""

    kind: OfferKind
    seat: int
    points: int | None = None

    def is_no_more_than(self, other: SeatOffer) -> bool:
        """Return whether this is the offer of the same seat once more, and not for more points."""
        same = (self.kind, self.seat) == (other.kind, other.seat)
        return same and (self.points or 0) <= (other.points or 0)


@dataclass(frozen=True, slots=True)
class CheckedAction:
    """An action, and what stood before it, for a takeback."""

    event: Event
    position: Position
    clock: Clock


@dataclass(slots=True)
class CheckedMatch:
    """The match as far as it has been checked; there is a position from `start` on.

    `promised`: its dice were, and its clocks ran, as at a server; else no player knows them.
    """

    name: str
    promised: bool = True
    position: Position = field(init=False)
    start: Event | None = None
    dealt: Event | None = None
    deal: Deal | None = None
    rated: bool = False
    clock: Clock = field(default_factory=clocks.untimed)
    steps: list[CheckedAction] = field(default_factory=list)  # by ply
    offers: set[SeatOffer] = field(default_factory=set)  # still open
    declined: set[SeatOffer] = field(default_factory=set)  # or withdrawn, in this position
    accepted: SeatOffer | None = None  # by the event before
    seq: int = 0
    at: int = 0
    turned: int = 0  # when this position was reached
    result: Result | None = None
    actions: int = 0
    rolls: int = 0
    strikes: list[int] = field(default_factory=lambda: [0, 0])  # by seat

    def turn(self, position: Position, clock: Clock) -> None:
        """Move on to another position: its clock begins, and no offer is left."""
        self.position, self.clock = position, clock.start(position.seat)
        self.turned = self.at
        self.offers, self.declined = set(), set()

    def due(self) -> tuple[str, str] | None:
        """Return the kind of event that follows by itself, and why; None where players choose."""
        position = self.position
        if max(self.strikes) >= MAX_STRIKES:
            return "ended", f"seat {self.strikes.index(MAX_STRIKES)} had its last strike"
        if self.accepted is not None:
            kind = self.accepted.kind
            return _consequence(kind), f"a {NOUNS[kind]} was agreed"
        if position.to_move == END:
            return "ended", "the rules had ended the match"
        if self.too_long():
            return "ended", f"a match has at most {len(self.steps)} plies"
        if position.to_move == CHANCE:
            return "roll", "the dice are next"
        if len(position.legal_actions()) == 1 and position.legal_notation() == (PASS,):
            return PASS, "only a pass was possible"
        return None

    def waits(self) -> bool:
        """Whether the dice wait for the other match of a pair, so that it can end meanwhile."""
        deal = self.dealt.deal if self.dealt is not None else None
        return deal is not None and event_fields.is_of_a_pair(deal)

    def too_long(self) -> bool:
        return len(self.steps) >= self.position.game.max_plies

    def has_many_events(self) -> bool:
        """Return whether it may have had as many events as a match has at most."""
        first = self.start.seq if self.start is not None else self.seq
        return self.seq - first >= MAX_EVENTS

    def last_decision(self, seat: int) -> int | None:
        """Return the ply of what a seat has decided last, forced passes aside."""
        for ply in range(len(self.steps) - 1, -1, -1):
            event = self.steps[ply].event
            if (event.kind, event.seat) == ("play", seat):
                return ply
        return None

    def both_decided(self) -> bool:
        """Return whether each seat has a decision that stands."""
        return self.last_decision(0) is not None and self.last_decision(1) is not None

    def lapses(self) -> bool:
        """Return whether it is void if the next action does not come in time to begin."""
        series = self.start.series if self.start is not None else None
        begun = series is not None and series.game > 1
        dice = self.rated and self.deal is not None
        seen = dice and any(step.event.kind == "play" for step in self.steps)
        return self.clock.free > 0 and not begun and not seen

    def check_thought(self, spent: int) -> None:
        """Check that `spent` ms can have been thought about this position until now.

        A clock begins when its position is shown, which is not before it came about, and a pause
        only makes it shorter.
        """
        stood = self.at - self.turned
        if spent > stood:
            raise Wrong(f"it took {spent} ms, and the position had stood for {stood} ms")


def _consequence(kind: OfferKind) -> str:
    """Return the kind of event that follows when such an offer is accepted."""
    match kind:
        case "draw" | "resign":
            return "ended"
        case "takeback":
            return "takeback"
        case _:
            assert_never(kind)


def number(value: int | None) -> int:
    """Return a field of an event; event_fields.fault has found none missing."""
    assert value is not None
    return value
