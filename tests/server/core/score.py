"""A room under test as a score: who says what at which time, and which events come of it.

Nothing here waits or pretends: a Table calls the core as the runtime does, with times that the test
writes down.  After each message it folds the new events from their stored bytes and compares.
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from games import registry
from protocol.errors import Refusal
from protocol.messages import (
    Answer,
    ClockOptions,
    Create,
    Join,
    MatchState,
    Offer,
    OfferKind,
    Options,
    Play,
    Ready,
    Seat,
)
from server.core import life, playing, seating
from server.core import match as matches
from server.core import room as rooms
from server.core.effects import SHOW_MATCH, Broadcast, Effect, Reply
from server.core.events import KIND, Dealt, Event, Leg, Who, read_body, write_body
from server.core.match import Match
from server.core.room import NOBODY, Asker, Fresh, Room, Work
from server.runtime import ROOM_EVENTS
from server.store.store import EventRow

ANN = Who(1, "ann")
BOB = Who(2, "bob")
CAT = Who(3, "cat")
BOT = Who(4, "dan", "mcts")

ROOM = 17
MATCH = "17.1"
CODE = "QF7KDM"
MINUTE = 60_000
HOUR = 60 * MINUTE

BLITZ = Options(clock=ClockOptions(base_ms=MINUTE, increment_ms=2_000))
PER_MOVE = Options(clock=ClockOptions(per_move_ms=5_000))
RATED = Options(clock=ClockOptions(base_ms=MINUTE), rated=True)
PRIVATE = Options(public=False)


def fresh(n: int = 1) -> Fresh:
    """A secret and code, never the same for different numbers."""
    return Fresh(n.to_bytes(32, "big"), CODE)


class Table:
    """A room, the log of its events, and what came of the last message."""

    def __init__(
        self,
        game: str = "tic_tac_toe",
        options: Options | None = None,
        seat: Seat | None = 0,
        owner: Who = ANN,
        now: int = 0,
        secret: int = 1,
        work: Work | None = None,
    ) -> None:
        self.secrets = secret
        if work is None:
            request = Create(game=game, options=options or Options(), seat=seat)
            work = seating.open_room(ROOM, request, Asker(owner), now, fresh(secret))
        self.room = self.stored = work.room
        self.rows: list[EventRow] = []
        self.events: list[Event] = work.events
        self.effects: list[Effect] = work.effects
        self._log(work.events, first=1)

    # ------------------------------------------------------------ messages in, events out

    def at(
        self, now: int, who: Who | None, message: Any, lag: int = 0, follows: bool = False
    ) -> list[Event]:
        """Let one message happen, stored and shown at once, and return its events."""
        asker = Asker(who, lag, follows) if who is not None else NOBODY
        before = self.room
        self.room, self.events, self.effects = life.handle(
            before, message, asker, now, fresh(self.secrets)
        )
        assert self.room.seq == before.seq + len(self.events)
        self._log(self.events, first=before.seq + 1)
        new = self.rows[len(self.rows) - len(self.events) :]
        for event, row in zip(self.events, new, strict=True):
            assert read_body(row.kind, row.body) == event
            self.stored = rooms.fold(self.stored, event)
        if SHOW_MATCH in self.effects and self.room.match is not None:
            self.room = playing.shown(self.room, self.room.match.turn, now)
        return self.events

    def refuses(
        self, now: int, who: Who | None, message: Any, lag: int = 0, follows: bool = False
    ) -> Refusal:
        """The refusal that a message gets; the room stands as it was."""
        before = self.room
        with pytest.raises(Refusal) as no:
            self.at(now, who, message, lag, follows)
        assert self.room is before
        return no.value

    def _log(self, events: list[Event], first: int) -> None:
        self.secrets += 1
        for seq, event in enumerate(events, first):
            kind = KIND[type(event)]
            number = None if kind in ROOM_EVENTS else self.room.played
            if isinstance(event, Dealt) and self.room.leg is None:
                number = int(event.deal.rpartition(".")[2])
            self.rows.append(EventRow(ROOM, seq, 1, kind, number, write_body(event)))

    # ------------------------------------------------------------ what is on the table

    @property
    def match(self) -> Match:
        """The match that is on, or was last."""
        assert self.room.match is not None
        return self.room.match

    def seen(self, now: int) -> MatchState:
        """The match as everybody sees it."""
        return matches.state(self.match, ROOM, self.room.seq, now, rooms.absent(self.room))

    def kinds(self) -> list[str]:
        """What the last message made happen."""
        return [KIND[type(event)] for event in self.events]

    def reply(self) -> Any:
        """What the asker alone was answered."""
        return next(effect.message for effect in self.effects if isinstance(effect, Reply))

    def said(self) -> Any:
        """What everybody was told."""
        return next(effect.message for effect in self.effects if isinstance(effect, Broadcast))

    # ------------------------------------------------------------ messages, written shortly

    def play(self, action: str, turn: int | None = None, note: str | None = None) -> Play:
        """An action in the match that is on, by default for the newest turn."""
        turn = self.match.turn if turn is None else turn
        return Play(match=self.match.name, turn=turn, action=action, note=note)

    def plays(self, *actions: str, now: int = 0) -> None:
        """Both sides play in turn."""
        for action in actions:
            self.at(now, self.mover(), self.play(action))

    def mover(self) -> Who:
        """Whose turn it is."""
        return self.match.players[self.match.position.to_move]

    def put(self, position: str) -> None:
        """Go on from this position."""
        match = replace(self.match, position=self.match.game.parse_position(position))
        self.room = self.stored = replace(self.room, match=match)


def offer(kind: OfferKind, match: str = MATCH) -> Offer:
    """An offer."""
    return Offer(match=match, kind=kind)


def answer(kind: OfferKind, accept: bool, match: str = MATCH) -> Answer:
    """An answer to it."""
    return Answer(match=match, kind=kind, accept=accept)


def ready(salt: str | None = None) -> Ready:
    """A player's consent to start."""
    return Ready(room=ROOM, salt=salt)


def seated(game: str = "tic_tac_toe", options: Options | None = None, **more: Any) -> Table:
    """A room where ann and bob sit, and nobody is ready."""
    table = Table(game, options, **more)
    table.at(0, BOB, Join(room=ROOM, code=CODE))
    return table


def started(game: str = "tic_tac_toe", options: Options | None = None, **more: Any) -> Table:
    """A room where ann (seat 0) and bob have just begun, at time 0."""
    table = seated(game, options, **more)
    table.at(0, ANN, ready())
    table.at(0, BOB, ready())
    return table


def on_a_ladder(
    game: str = "tic_tac_toe",
    number: int = 0,
    opening: tuple[str, ...] = (),
    options: Options = RATED,
    now: int = 0,
) -> Table:
    """A leg of a pair that has just begun: ann has seat 0 in leg 0, bob in leg 1."""
    deal = "L12.34" if registry.game(game).has_chance else None
    leg = Leg(12, "knights", 34, number, opening, deal)
    secret = bytes(range(32)) if deal is not None else None
    players = (ANN, BOB) if number == 0 else (BOB, ANN)
    work = seating.open_leg(ROOM, leg, game, options, players, ("00ff", "ee"), secret, now)
    table = Table(work=work)
    table.room = playing.shown(table.room, table.match.turn, now)
    return table


def finished(options: Options | None = None) -> Table:
    """A room where ann has just beaten bob at tic-tac-toe."""
    table = started(options=options)
    table.plays("1", "4", "2", "5", "3")
    return table


# ---------------------------------------------------------------- what is stored of a room


def plain(room: Room) -> tuple[Any, ...]:
    """A room as values that are equal if all that is stored is: without who is away, and without
    when a clock has run and why it stands.
    """
    bare = replace(room, away=(None, None), resume_at=None, match=None)
    if room.match is None:
        return (bare,)
    steps, step = [], room.match.last
    while step is not None:
        steps.append((step.turn, step.event, step.state, standing(step.clock), step.moved))
        step = step.before
    match = replace(room.match, last=None, clock=standing(room.match.clock))
    return (bare, match, tuple(steps))


def standing(clock: Any) -> Any:
    """A clock without what is not stored of it."""
    return clock._replace(since=None, paused=None, used=0)
