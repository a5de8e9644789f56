"""A room under test as a score: who says what at which time, and which events come of it.

Nothing here waits or pretends: a Table calls the core as the server does, with times that the test
writes down.  After each message it folds the new events from their stored bytes and compares.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from games import registry
from protocol import messages
from protocol.errors import Refusal
from protocol.hints import Hint
from protocol.parts import OfferKind, Options, Seat
from server.core import life, orders, playing, seating
from server.core import match as matches
from server.core import room as rooms
from server.core.effects import SHOW_MATCH, Broadcast, Effect, Reply
from server.core.events import Event, Leg, Who, read_body, write_body
from server.core.match import Match
from server.core.room import NOBODY, Asker, Room, Secrets, Work
from server.store.contract import EventRow
from tests.server.core.cast import (
    ANN,
    BLITZ,
    BOB,
    BOT,
    CAT,
    CODE,
    MATCH,
    MINUTE,
    PER_MOVE,
    PRIVATE,
    RATED,
    ROOM,
)

__all__ = ["BOT", "MINUTE"]  # not used here, but taken from here by tests of other folders


def fresh(n: int = 1) -> Secrets:
    """A secret and code, never the same for different numbers."""
    return Secrets(n.to_bytes(32, "big"), CODE)


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
            request = messages.Create(game=game, options=options or Options(), seat=seat)
            work = seating.open_room(ROOM, request, Asker(owner), now, fresh(secret))
        self.room = self.stored = work.room
        self.rows: list[EventRow] = []
        self.events: list[Event] = work.events
        self.effects: list[Effect] = work.effects
        self._log(work.events)

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
        self._log(self.events)
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

    def _log(self, events: list[Event]) -> None:
        self.secrets += 1
        for seq, event in enumerate(events, self.room.seq - len(events) + 1):
            match = rooms.match_of(self.room, event)
            self.rows.append(EventRow(ROOM, seq, 1, event.kind, match, write_body(event)))

    @property
    def match(self) -> Match:
        """The match that is on, or was last."""
        assert self.room.match is not None
        return self.room.match

    def seen(self, now: int) -> messages.MatchState:
        """The match as everybody sees it."""
        match, absent = self.match, rooms.absent(self.room)
        seats = matches.seats(match, absent)
        return matches.state(match, ROOM, self.room.seq, now, seats, match.recent)

    def kinds(self) -> list[str]:
        """What the last message made happen."""
        return [event.kind for event in self.events]

    def reply(self) -> Any:
        """What the asker alone was answered."""
        return next(effect.message for effect in self.effects if isinstance(effect, Reply))

    def said(self) -> Any:
        """What everybody was told."""
        return next(effect.message for effect in self.effects if isinstance(effect, Broadcast))

    def play(self, action: str, turn: int | None = None, note: str | None = None) -> messages.Play:
        """An action in the match that is on, by default for the newest turn."""
        turn = self.match.turn if turn is None else turn
        return messages.Play(match=self.match.name, turn=turn, action=action, note=note)

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


def offer(kind: OfferKind, match: str = MATCH) -> messages.Offer:
    """An offer."""
    return messages.Offer(match=match, kind=kind)


def answer(kind: OfferKind, accept: bool, match: str = MATCH) -> messages.Answer:
    """An answer to it."""
    return messages.Answer(match=match, kind=kind, accept=accept)


def ready(salt: str | None = None) -> messages.Ready:
    """A player's consent to start."""
    return messages.Ready(room=ROOM, salt=salt)


def seated(game: str = "tic_tac_toe", options: Options | None = None, **more: Any) -> Table:
    """A room where ann and bob sit, and nobody is ready."""
    table = Table(game, options, **more)
    table.at(0, BOB, messages.Join(room=ROOM, code=CODE))
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


def plain(room: Room) -> tuple[Any, ...]:
    """A room as values that are equal if all that is stored is: without who is away or follows, and
    without when a clock has run and why it stands.
    """
    bare = replace(room, away=(None, None), empty_since=None, resume_at=None, match=None)
    if room.match is None:
        return (bare,)
    steps, step = [], room.match.last
    while step is not None:
        steps.append((step.turn, step.shown(), step.stood()))
        step = step.before
    match = replace(room.match, last=None, clock=standing(room.match.clock))
    return (bare, match, tuple(steps))


def standing(clock: Any) -> Any:
    """A clock without what is not stored of it."""
    return clock._replace(since=None, paused=None, used=0)


def check_sense(room: Room) -> None:
    """What no room may ever look like."""
    match = room.match
    assert room.state in ("waiting", "playing", "over", "closed")
    assert room.state != ("over" if room.leg is None else "waiting")
    assert None not in room.seats or room.state != "playing"
    if room.state == "playing":
        assert match is not None
        assert match.result is None
        assert match.players == room.seats
        assert room.ready == (False, False)
        waits = playing.waiting_ply(room) is not None
        assert match.clock.running == (None if waits else match.position.to_move)
        assert waits == (match.clock.paused == "pair")
        assert waits or match.position.to_move >= 0
    elif match is not None:
        assert match.result is not None
        assert match.clock.running is None
    if match is not None:
        assert min(match.clock.remaining) >= 0
        assert min(match.clock.lag_left) >= 0
        assert len({offer.kind for offer in match.offers}) == len(match.offers)
        assert match.ply <= match.game.max_plies
        assert match.name == f"{ROOM}.{room.played}"
    assert playing.wake_at(room) is None or room.state != "closed"


EVE = Who(9, "eve")
STEPS = 300
THOUGHT = "the plan is to win"
TERMS = {"open": Options(), "blitz": BLITZ, "each": PER_MOVE, "rated": RATED, "private": PRIVATE,
         "ladder": RATED}  # fmt: skip
WAITING = {"ready": 12, "sit": 4, "talk": 1, "time": 2, "presence": 2, "invite": 1, "leave": 1}
PLAYING = {"play": 40, "again": 3, "junk": 2, "offer": 4, "answer": 6, "end": 1, "talk": 1,
           "time": 3, "presence": 3, "store": 2}  # fmt: skip
LADDER = PLAYING | {"ready": 1, "sit": 1, "leave": 1, "presence": 1, "store": 1}
OVER = WAITING | {"again": 3, "close": 2}
# The messages that are the same whatever has happened.
PLAIN: dict[str, tuple[Any, ...]] = {
    "sit": (messages.Join(room=ROOM, code=CODE), messages.Watch(room=ROOM, code=CODE)),
    "invite": (messages.Invite(room=ROOM, who="mcts"),),
    "leave": (messages.Leave(room=ROOM), messages.Kick(room=ROOM, seat=1)),
    "talk": (
        messages.Say(room=ROOM, text="well played"),
        messages.RoomRename(room=ROOM, name="den"),
    ),
    "presence": (orders.Disconnected(), orders.Reconnected(), orders.Emptied(), orders.Occupied()),
    "close": (orders.Close("scored"),),
    "store": (orders.Stalled(), orders.Unstalled(), orders.Unstalled(), orders.Restarted()),
}


class Score:
    """A seeded score: it makes up the next message, and lets it happen."""

    def __init__(self, game: str, terms: str, seed: int = 1) -> None:
        self.rng = random.Random(f"{game} {terms} {seed}")
        self.game, self.terms = game, terms
        self.now = 0
        self.table = self._open()
        self.sent: list[messages.Play] = []

    def steps(self) -> Iterator[Table]:
        """The table after each message that was granted."""
        for _ in range(STEPS):
            self.now += self.rng.choice((0, 1, 40, 700, 3_000))
            if self.table.room.state == "closed":
                self.table = self._open()
            try:
                self._step()
            except Refusal:
                continue
            yield self.table

    def _open(self) -> Table:
        if self.terms == "ladder":
            cells = [a for a in ("1", "2") if self.game in ("connect_four", "tic_tac_toe")]
            return on_a_ladder(self.game, self.rng.randrange(2), tuple(cells), now=self.now)
        options = TERMS[self.terms]
        if self.game == "backgammon_cube" and self.terms != "private":
            options = replace(options, points=3)
        if self.terms != "each":
            return seated(self.game, options, now=self.now)
        table = Table(self.game, replace(options, clock=None, sought=("clock",)), now=self.now)
        table.at(0, BOB, messages.Seek(game=self.game, options=options))  # who says which clock
        return table

    def _weights(self) -> dict[str, int]:
        room = self.table.room
        if room.leg is None:
            return PLAYING if room.state == "playing" else WAITING
        if playing.waiting_ply(room) is not None:
            return {"release": 40, "presence": 1, "time": 1, "store": 1, "close": 1}
        return LADDER if room.state == "playing" else OVER

    def _step(self) -> None:
        table, weights = self.table, self._weights()
        (what,) = self.rng.choices(list(weights), list(weights.values()))
        asker, message = self._one_of(what) if what in PLAIN else getattr(self, "_" + what)()
        if isinstance(message, orders.Restarted):
            table.room = table.stored
        table.at(self.now, asker, message, lag=self.rng.choice((0, 90, 900)), follows=asker == CAT)
        if isinstance(message, orders.Restarted):  # when it was last touched counts anew
            table.stored = replace(table.stored, touched=table.room.touched)

    def _one_of(self, what: str) -> tuple[Any, Any]:
        asker = None if what in ("close", "store") else self._anyone()
        return asker, self.rng.choice(PLAIN[what])

    def _release(self) -> tuple[Any, Any]:
        return None, orders.Release(playing.waiting_ply(self.table.room) or 0)

    def _anyone(self) -> Any:
        return self.rng.choice((ANN, BOB, CAT))

    def _name(self) -> str:
        return self.table.match.name if self.table.room.match is not None else MATCH

    def _play(self) -> tuple[Any, Any]:
        action = self.rng.choice(self.table.match.position.legal_notation())
        note = self.rng.choice((None, THOUGHT))
        self.sent.append(self.table.play(action, note=note))
        return self.table.mover(), self.sent[-1]

    def _again(self) -> tuple[Any, Any]:
        return self._anyone(), self.rng.choice(self.sent[-5:] or [self.table.play("1")])

    def _junk(self) -> tuple[Any, Any]:
        return self._anyone(), self.table.play(self.rng.choice(("pass", "0", "e4", "99")))

    def _offer(self) -> tuple[Any, Any]:
        kind: Any = self.rng.choice(("draw", "takeback", "takeback", *self._resignations()))
        if isinstance(kind, int):
            return self._anyone(), messages.Resign(match=self._name(), points=kind)
        return self._anyone(), offer(kind, self._name())

    def _resignations(self) -> tuple[int, ...]:
        return (1, 2) if self.game in ("backgammon", "backgammon_cube") else ()

    def _answer(self) -> tuple[Any, Any]:
        for made in self.table.match.offers:
            accept = made.kind == "takeback" or self.rng.random() < 0.1
            return self.table.match.players[1 - made.seat], answer(made.kind, accept, self._name())
        return self._anyone(), answer("draw", False, self._name())

    def _end(self) -> tuple[Any, Any]:
        kind = self.rng.choice((messages.Resign, messages.Abort, messages.Claim, Hint))
        waits = [wait for wait in rooms.claims(self.table.room, self.now) if wait]
        if kind is messages.Claim and waits and self.rng.random() < 0.3:  # for days
            self.now += max(waits)
        return self._anyone(), kind(match=self._name())

    def _ready(self) -> tuple[Any, Any]:
        return self._anyone(), ready(self.rng.choice((None, "00ff", "C0FFEE", "no")))

    def _time(self) -> tuple[Any, Any]:
        due = playing.wake_at(self.table.room)
        if due is not None and due - self.now < 60_000 and self.rng.random() < 0.3:
            self.now = max(self.now, due)
        return None, orders.Alarm()
