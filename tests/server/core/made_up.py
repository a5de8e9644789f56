"""Rooms where mostly sensible things happen in whatever order: long seeded scores, made up."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from protocol.errors import Refusal
from protocol.messages import (
    Abort,
    Claim,
    Hint,
    Invite,
    Join,
    Kick,
    Leave,
    Options,
    Play,
    Resign,
    Say,
    Watch,
)
from server.core import playing
from server.core.events import Who
from server.core.orders import (
    Alarm,
    Back,
    Close,
    Gone,
    Release,
    Restarted,
    Stalled,
    Unstalled,
)
from tests.server.core.score import (
    ANN,
    BLITZ,
    BOB,
    CAT,
    CODE,
    MATCH,
    PER_MOVE,
    PRIVATE,
    RATED,
    ROOM,
    Table,
    answer,
    offer,
    on_a_ladder,
    ready,
    seated,
)

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


class Score:
    """A seeded score: it makes up the next message, and lets it happen."""

    def __init__(self, game: str, terms: str, seed: int = 1) -> None:
        self.rng = random.Random(f"{game} {terms} {seed}")
        self.game, self.terms = game, terms
        self.now = 0
        self.table = self._open()
        self.sent: list[Play] = []

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
        return seated(self.game, TERMS[self.terms], now=self.now)

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
        asker, message = getattr(self, "_" + what)()
        if isinstance(message, Restarted):
            table.room = table.stored
        table.at(self.now, asker, message, lag=self.rng.choice((0, 90, 900)), follows=asker == CAT)
        if isinstance(message, Restarted):  # when it was last touched counts anew
            table.stored = replace(table.stored, touched=table.room.touched)

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
        return self._anyone(), offer(
            self.rng.choice(("draw", "takeback", "takeback")), self._name()
        )

    def _answer(self) -> tuple[Any, Any]:
        for made in self.table.match.offers:
            accept = made.kind == "takeback" or self.rng.random() < 0.1
            return self.table.match.players[1 - made.seat], answer(made.kind, accept, self._name())
        return self._anyone(), answer("draw", False, self._name())

    def _end(self) -> tuple[Any, Any]:
        kind = self.rng.choice((Resign, Abort, Claim, Hint))
        return self._anyone(), kind(match=self._name())

    def _ready(self) -> tuple[Any, Any]:
        return self._anyone(), ready(self.rng.choice((None, "00ff", "C0FFEE", "no")))

    def _sit(self) -> tuple[Any, Any]:
        kind = self.rng.choice((Join, Watch))
        return self._anyone(), kind(room=ROOM, code=CODE)

    def _invite(self) -> tuple[Any, Any]:
        return self._anyone(), Invite(room=ROOM, who="mcts")

    def _leave(self) -> tuple[Any, Any]:
        message = self.rng.choice((Leave(room=ROOM), Kick(room=ROOM, seat=1)))
        return self._anyone(), message

    def _talk(self) -> tuple[Any, Any]:
        return self._anyone(), Say(room=ROOM, text="well played")

    def _time(self) -> tuple[Any, Any]:
        due = playing.wake_at(self.table.room)
        if due is not None and due - self.now < 60_000 and self.rng.random() < 0.3:
            self.now = max(self.now, due)
        return None, Alarm()

    def _presence(self) -> tuple[Any, Any]:
        return self._anyone(), self.rng.choice((Gone(), Back()))

    def _release(self) -> tuple[Any, Any]:
        return None, Release(playing.waiting_ply(self.table.room) or 0)

    def _close(self) -> tuple[Any, Any]:
        return None, Close("scored")

    def _store(self) -> tuple[Any, Any]:
        return None, self.rng.choice((Stalled(), Unstalled(), Unstalled(), Restarted()))
