"""What holds for every room, whatever is asked of it in whatever order, in every game.

Long seeded scores of mostly sensible messages are played through a Table, which folds each event
from its stored bytes; after each message the laws are looked at.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import pytest
from msgspec.structs import replace

from games import registry
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
from server import archive
from server.core import playing
from server.core import room as rooms
from server.core.effects import Effect
from server.core.events import KIND, Ended, Started, Who, read_body
from server.core.orders import Alarm, Back, Gone, Restarted, Stalled, Unstalled
from server.core.room import Room
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
    plain,
    ready,
    seated,
)

EVE = Who(9, "eve")
STEPS = 300
THOUGHT = "the plan is to win"
TERMS = {"open": Options(), "blitz": BLITZ, "each": PER_MOVE, "rated": RATED, "private": PRIVATE}
WAITING = {"ready": 12, "sit": 4, "talk": 1, "time": 2, "presence": 2, "invite": 1, "leave": 1}
PLAYING = {"play": 40, "again": 3, "junk": 2, "offer": 4, "answer": 6, "end": 1, "talk": 1,
           "time": 3, "presence": 3, "store": 2}  # fmt: skip


class Score:
    """A seeded score: it makes up the next message, and lets it happen."""

    def __init__(self, game: str, terms: str, seed: int = 1) -> None:
        self.rng = random.Random(f"{game} {terms} {seed}")
        self.table = seated(game, TERMS[terms])
        self.game, self.terms = game, terms
        self.now = 0
        self.sent: list[Play] = []

    def steps(self) -> Iterator[Table]:
        """The table after each message that was granted."""
        for _ in range(STEPS):
            self.now += self.rng.choice((0, 1, 40, 700, 3_000))
            if self.table.room.state == "closed":
                self.table = seated(self.game, TERMS[self.terms], now=self.now)
            try:
                self._step()
            except Refusal:
                continue
            yield self.table

    def _step(self) -> None:
        table = self.table
        weights = PLAYING if table.room.state == "playing" else WAITING
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

    def _store(self) -> tuple[Any, Any]:
        return None, self.rng.choice((Stalled(), Unstalled(), Unstalled(), Restarted()))


@pytest.fixture(params=registry.names())
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=TERMS)
def terms(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def untouched(room: Room) -> Any:
    return plain(replace(room, touched=0))


def test_a_room_is_the_fold_of_its_events(game: str, terms: str) -> None:
    for table in Score(game, terms).steps():
        assert plain(table.room) == plain(table.stored)
        check_sense(table.room)
    assert table.room.seq == len(table.rows)
    assert [row.seq for row in table.rows] == list(range(1, len(table.rows) + 1))
    replayed = archive.replay(table.rows)
    assert replayed is not None
    room, broken = replayed
    assert broken is None
    assert untouched(room) == untouched(table.room)


def check_sense(room: Room) -> None:
    """What no room may ever look like."""
    match = room.match
    assert room.state in ("waiting", "playing", "closed")
    assert None not in room.seats or room.state != "playing"
    if room.state == "playing":
        assert match is not None
        assert match.result is None
        assert match.players == room.seats
        assert room.ready == (False, False)
        assert match.position.to_move >= 0
        assert match.clock.running == match.position.to_move
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


def test_each_match_starts_once_and_ends_once(game: str) -> None:
    table = list(Score(game, "blitz", seed=2).steps())[-1]
    marks = [e for row in table.rows
             if isinstance(e := read_body(row.kind, row.body), Started | Ended)]  # fmt: skip
    kinds = [type(e) for e in marks]
    assert kinds[::2] == [Started] * len(kinds[::2])
    assert kinds[1::2] == [Ended] * len(kinds[1::2])


def test_handling_leaves_the_old_room_as_it_was(game: str) -> None:
    score = Score(game, "blitz", seed=3)
    before, looked = score.table.room, repr(plain(score.table.room))
    for table in score.steps():
        assert repr(plain(before)) == looked
        before, looked = table.room, repr(plain(table.room))


def test_the_same_score_gives_the_same_room(game: str) -> None:
    ends = [list(Score(game, "blitz", seed=4).steps())[-1] for _ in range(2)]
    assert ends[0].rows == ends[1].rows
    assert plain(ends[0].room) == plain(ends[1].room)


def test_nothing_that_is_shown_tells_a_secret_a_code_or_a_rated_thought(
    game: str, terms: str
) -> None:
    for table in Score(game, terms, seed=5).steps():
        room = table.room
        hidden = [CODE] if room.code is not None else []
        if room.secret is not None:
            hidden += [room.secret.hex(), msgspec.json.encode(room.secret).decode().strip('"')]
        if room.options.rated:
            hidden.append(THOUGHT)
        shown = [rooms.state(room), rooms.state(room, EVE), rooms.line(room)]
        if room.match is not None:
            shown.append(table.seen(0))
        said = msgspec.json.encode([shown, [e for e in table.effects if hasattr(e, "message")]])
        for word in hidden:
            assert word.encode() not in said


def test_the_scores_are_lively() -> None:
    kinds: set[str] = set()
    for name in registry.names():
        for terms in TERMS:
            for table in Score(name, terms, seed=6).steps():
                kinds |= set(table.kinds())
                kinds |= {type(effect).__name__ for effect in table.effects}
    assert kinds >= set(KIND.values()) - {"created"}
    assert kinds >= {effect.__name__ for effect in get_args(Effect)}
