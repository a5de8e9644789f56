"""The control: a match beside an attack, at a fixed pace, that must not notice anything.

A program of ours against the house's `random`, from an address of its own.  A move's time is from
its sending until the server says that it is stored.  It does not wait for what others do: its moves
are due so many times a second, and those that could not be made are missed.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import suppress
from itertools import pairwise
from typing import Final

import msgspec

from bench.support.generator import percentiles
from bench.support.wire import Wire, WireError
from protocol.codec import decode_reply
from protocol.messages import (
    Bye,
    Create,
    Error,
    Hello,
    Invite,
    MatchState,
    Ok,
    Play,
    Push,
    Ready,
    RoomState,
    Welcome,
)
from protocol.parts import BotInfo

ADDRESS: Final = "127.0.1.1"
GAME: Final = "ultimate_tic_tac_toe"  # a long one, so that few matches begin
PROGRAM: Final = BotInfo(program="control", games=[GAME])
OPPONENT: Final = "random"
LISTEN: Final = 0.05  # seconds without a message, after which it looks whether a move is due
SEAT_LIMIT: Final = 60.0  # seconds for the bot to come and the first match to begin

clock = time.monotonic


class ControlFigures(msgspec.Struct, kw_only=True):
    """The control's moves in a span of time.  `gap_s` is the longest time without one."""

    due: int
    made: int
    p50_ms: float
    p99_ms: float
    gap_s: float
    refused: dict[str, int]


class ControlMatch:
    """Plays in a thread of its own from `start` until `stop`."""

    def __init__(self, host: str, port: int, pace: float) -> None:
        """`pace`: moves that are due in a second."""
        self._host, self._port = host, port
        self._pace = pace
        self._moves: list[tuple[float, float]] = []  # when a move was stored, and how long it took
        self._refusals: list[tuple[float, str]] = []
        self._begun = threading.Event()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="control", daemon=True)
        self._failure: Exception | None = None
        self._wire: Wire | None = None
        self._token: str | None = None
        self._room = 0
        self._turn: MatchState | None = None  # to be answered
        self._due = 0.0
        self._asked: tuple[int, float] | None = None  # the id of a play, and when it was sent

    def start(self) -> None:
        """Seat both players and begin to play.

        Raises:
            WireError: it does not come to a match.
        """
        self._thread.start()
        if not self._begun.wait(SEAT_LIMIT) or self._failure is not None:
            raise WireError(f"the control's match did not begin: {self._failure}")

    def stop(self) -> None:
        self._stopped.set()
        self._thread.join(2 * SEAT_LIMIT)

    def figures(self, begin: float, end: float) -> ControlFigures:
        moves = [(at, took) for at, took in self._moves if begin <= at < end]
        p50, p99 = percentiles([took for _, took in moves])
        moments = [begin, *(at for at, _ in moves), end]
        return ControlFigures(
            due=round((end - begin) * self._pace),
            made=len(moves),
            p50_ms=p50,
            p99_ms=p99,
            gap_s=max(after - before for before, after in pairwise(moments)),
            refused=dict(Counter(code for at, code in self._refusals if begin <= at < end)),
        )

    def _run(self) -> None:
        while not self._stopped.is_set():
            try:
                self._enter()
                while not self._stopped.is_set():
                    self._listen()
                    self._move()
            except (OSError, WireError) as error:
                self._failure = error
                self._refusals.append((clock(), "lost its connection"))
                self._stopped.wait(LISTEN)  # a server that refuses it is not asked without end
            finally:
                if self._wire is not None:
                    self._wire.close()

    def _enter(self) -> None:
        """Say hello, and take the seat: the one that there was, or in a new room."""
        self._asked = self._turn = None
        self._wire = wire = Wire(self._host, self._port, source=ADDRESS)
        welcome = wire.ask(Hello(version=1, bot=PROGRAM, token=self._token), Welcome)
        self._token = welcome.token or self._token
        if not welcome.rooms:
            self._invite(wire)
        wire.sock.settimeout(LISTEN)
        self._due = clock()

    def _invite(self, wire: Wire) -> None:
        """Open a room and have the house's bot come, as soon as it is there."""
        self._room = wire.ask(Create(id=1, game=GAME), RoomState).room
        deadline = clock() + SEAT_LIMIT
        while True:
            try:
                wire.ask(Invite(id=2, room=self._room, who=OPPONENT), Ok)
                break
            except WireError:
                # The bot comes some time after its server, or has no slot free: no message says
                # when an invitation would be taken.
                if clock() > deadline or self._stopped.wait(4 * LISTEN):
                    raise
        while not all(wire.wait_for(RoomState).seats):
            pass
        wire.send(Ready(room=self._room))

    def _listen(self) -> None:
        assert self._wire is not None  # `_enter` made it
        with suppress(TimeoutError):
            for payload in self._wire.receive():
                self._take(decode_reply(payload))

    def _take(self, message: Push) -> None:
        match message:
            case MatchState(result=None, legal=[*_]):
                self._begun.set()
                self._failure = None
                self._turn = message
            case RoomState(state="waiting") if not message.ready[message.seat or 0]:
                assert self._wire is not None  # it is being listened to
                self._wire.send(Ready(room=message.room))
            case Ok(re=int(number)) if self._asked is not None and self._asked[0] == number:
                now = clock()
                self._moves.append((now, now - self._asked[1]))
                self._asked = self._turn = None
            case Error() | Bye():
                self._refusals.append((clock(), message.code))
                if self._asked is not None and message.re == self._asked[0]:
                    self._asked, self._due = None, clock() + LISTEN

    def _move(self) -> None:
        turn = self._turn
        if turn is None or self._asked is not None or not turn.legal:
            return
        self._stopped.wait(max(0.0, self._due - clock()))  # the pace of its moves, busy or not
        now = clock()
        self._due = max(self._due + 1 / self._pace, now)
        self._asked = (len(self._moves) + len(self._refusals) + 10, now)
        play = Play(id=self._asked[0], match=turn.match, turn=turn.turn, action=turn.legal[0])
        assert self._wire is not None  # the turn came over it
        self._wire.send(play)
