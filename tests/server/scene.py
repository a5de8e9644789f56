"""A house without sockets, disk or waiting: time passes when a test says so, and so do commits.

A Scene has a House on a loop whose clock is wound by hand and a log in memory.  What its players
send goes through the codec as it would from a socket, and what they hear comes back through it.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar, cast

from protocol import codec
from protocol.messages import (
    VERSION,
    BotInfo,
    Bye,
    ClockOptions,
    Create,
    Error,
    Hello,
    Join,
    MatchState,
    Options,
    Play,
    Push,
    Ready,
    Request,
    RoomState,
    Watch,
    Welcome,
)
from server.config import Config
from server.house import House
from server.runtime import Peer
from server.store.store import Done, EventRow, PulseRow, Read, RoomRow, Row, SessionRow

M = TypeVar("M", bound=Push)
BLITZ = Options(clock=ClockOptions(base_ms=60_000))


class Timer:
    """What call_at returns."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        """Never ring."""
        self.call = None


class Job:
    """What run_in_executor returns: a future."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self._result: Any = None
        self._error: Exception | None = None
        self._then: list[Callable[[Any], None]] = []

    def run(self) -> None:
        """Do the work, and tell who waits for it."""
        try:
            self._result = self._call()
        except Exception as error:  # noqa: BLE001  (whoever asks for it gets it)
            self._error = error
        for then in self._then:
            then(self)

    def add_done_callback(self, then: Callable[[Any], None]) -> None:
        """Call `then` with this once it is done."""
        self._then.append(then)

    def cancelled(self) -> bool:
        """Nobody does that here."""
        return False

    def exception(self) -> Exception | None:
        """What went wrong."""
        return self._error

    def result(self) -> Any:
        """What came of it."""
        return self._result


class Loop:
    """The few methods of an event loop that a house uses; its clock stands still."""

    def __init__(self) -> None:
        self.at = 1_000.0
        self._timers: list[tuple[float, int, Timer]] = []
        self._made = 0

    def time(self) -> float:
        """Seconds."""
        return self.at

    def call_at(self, at: float, call: Callable[..., None], *args: Any) -> Timer:
        """Have `call` made once it is `at`."""
        timer = Timer(lambda: call(*args))
        self._made += 1
        heapq.heappush(self._timers, (at, self._made, timer))
        return timer

    def call_later(self, wait: float, call: Callable[..., None], *args: Any) -> Timer:
        """Have `call` made in `wait` seconds."""
        return self.call_at(self.at + wait, call, *args)

    def run_in_executor(self, _: object, call: Callable[..., Any], *args: Any) -> Job:
        """Have `call` made, in this thread, once time passes."""
        job = Job(lambda: call(*args))
        self.call_later(0, job.run)
        return job

    def pending(self) -> int:
        """Timers that are set."""
        return sum(timer.call is not None for _, _, timer in self._timers)

    def next(self, until: float) -> bool:
        """Let the next timer ring that is due by `until`; False if there is none."""
        while self._timers and self._timers[0][0] <= until:
            at, _, timer = heapq.heappop(self._timers)
            if timer.call is not None:
                self.at = max(self.at, at)
                call, timer.call = timer.call, None
                call()
                return True
        self.at = until
        return False


class MemoryStore:
    """A log that answers when it is told to, and fails when it is told to."""

    def __init__(self) -> None:
        self.server, self.epoch, self.last_at = "5ce4e", 1, 0
        self.events: dict[tuple[int, int], EventRow] = {}
        self.logins: dict[int, SessionRow] = {}
        self.rooms: dict[int, int] = {}
        self.broken = False
        self.appends = 0
        self._asked: list[Callable[[], None]] = []

    def append(self, rows: list[Row], done: Done) -> None:
        """As the contract says."""
        self.appends += 1
        self._asked.append(lambda: done(self._write(rows)))

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        """As the contract says."""
        rows = [row for (n, seq), row in sorted(self.events.items()) if n == room and seq > since]
        rows = [row for row in rows if not kinds or row.kind in kinds]
        found = None if self.broken else rows[: limit if limit >= 0 else None]
        self._asked.append(lambda: done(found))

    def settle(self) -> None:
        """Answer everything, in order, and what comes of it, too."""
        while self._asked:
            self.answer_one()

    def answer_one(self) -> None:
        """Answer the oldest question."""
        self._asked.pop(0)()

    def _write(self, rows: Iterable[Row]) -> Exception | None:
        if self.broken:
            return OSError("no space left on device")
        for row in rows:
            if isinstance(row, EventRow):
                assert (row.room, row.seq) not in self.events, f"{row} is there already"
                self.events[row.room, row.seq] = row
            elif isinstance(row, SessionRow):
                self.logins[row.number] = row
            elif isinstance(row, RoomRow):
                self.rooms[row.number] = row.open
            else:
                assert isinstance(row, PulseRow)
        return None

    def close(self) -> None:
        """Nothing to close."""

    def sessions(self) -> list[SessionRow]:
        """As the contract says."""
        return sorted(self.logins.values())

    def open_rooms(self) -> list[int]:
        """As the contract says."""
        return sorted(number for number, is_open in self.rooms.items() if is_open)

    def last_room(self) -> int:
        """As the contract says."""
        return max(self.rooms, default=0)

    def all_events(self, room: int) -> list[EventRow]:
        """As the contract says."""
        return [row for (n, _), row in sorted(self.events.items()) if n == room]

    def kinds(self, room: int) -> list[str]:
        """What has happened in a room."""
        return [row.kind for row in self.all_events(room)]


class Line:
    """A socket that remembers what was sent over it; its frames are payloads."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.keys: list[str | None] = []
        self.ended: tuple[int, str] | None = None

    def frame(self, payload: bytes, text: bool) -> bytes:
        """As runtime.Line says."""
        assert text == payload.startswith(b"{")
        return payload

    def push(self, frame: bytes, key: str | None) -> None:
        """As runtime.Line says."""
        if self.ended is None:
            self.frames.append(frame)
            self.keys.append(key)

    def end(self, code: int, reason: str) -> None:
        """As runtime.Line says."""
        self.ended = self.ended or (code, reason)


class Player:
    """Somebody with a connection."""

    def __init__(self, scene: Scene, text: bool) -> None:
        self.scene = scene
        self.text = text
        self.line = Line()
        self.peer: Peer = scene.house.connected(self.line)
        self.token = ""

    def send(self, request: Request) -> None:
        """Say something; nothing is stored yet."""
        self.send_bytes(codec.encode(request, self.text))

    def send_bytes(self, data: bytes) -> None:
        """Say whatever."""
        if self.line.ended is None:
            self.scene.house.receive(self.peer, data, self.text)

    def say(self, request: Request) -> None:
        """Say something, and let it be stored."""
        self.send(request)
        self.scene.store.settle()

    def ask(self, request: Request, kind: type[M]) -> M:
        """Say something and return its one answer, which is of this kind."""
        assert request.id is not None, "only what has an id is always answered"
        self.say(request)
        answers = [message for message in self.heard() if message.re == request.id]
        assert len(answers) == 1, f"{request} was answered by {answers}"
        assert isinstance(answers[0], kind), answers[0]
        return answers[0]

    def heard(self) -> list[Push]:
        """What came since this was last asked."""
        frames, self.line.frames, self.line.keys = self.line.frames, [], []
        return [codec.decode_reply(frame, frame.startswith(b"{")) for frame in frames]

    def heard_of(self, kind: type[M]) -> list[M]:
        """The messages of one kind among those."""
        return [message for message in self.heard() if isinstance(message, kind)]

    def last(self, kind: type[M]) -> M:
        """The newest of one kind that came since this was last asked."""
        return self.heard_of(kind)[-1]

    def codes(self) -> list[str]:
        """The codes of all errors and goodbyes since this was last asked."""
        return [message.code for message in self.heard() if isinstance(message, Error | Bye)]

    def go(self) -> None:
        """Lose the connection."""
        self.vanish()
        self.scene.store.settle()

    def vanish(self) -> None:
        """Lose the connection; nothing is stored yet."""
        self.line.end(1006, "")
        self.scene.house.lost(self.peer)


class Scene:
    """A house and who is in it."""

    def __init__(self, config: Config | None = None, store: MemoryStore | None = None) -> None:
        self.config = config or Config()
        self.store = store or MemoryStore()
        self.loop = Loop()
        self.house = House(self.store, self.config, cast(asyncio.AbstractEventLoop, self.loop))
        self.store.settle()

    def again(self) -> Scene:
        """The same log in a new process."""
        self.store.epoch += 1
        self.store.last_at = self.house.now()
        return Scene(self.config, self.store)

    def connect(self, text: bool = False) -> Player:
        """Somebody who has not said hello."""
        return Player(self, text)

    def enter(
        self,
        name: str | None = None,
        *,
        token: str | None = None,
        bot: BotInfo | None = None,
        text: bool = False,
    ) -> Player:
        """Somebody who has been welcomed."""
        player = self.connect(text)
        player.say(Hello(version=VERSION, name=name, token=token, bot=bot))
        welcome = player.heard()[0] if token is None else None
        if welcome is not None:
            assert isinstance(welcome, Welcome), welcome
            player.token = welcome.token or ""
        else:
            player.token = token or ""
        return player

    def wait(self, ms: int) -> None:
        """Let time pass; timers ring, and what they do is stored."""
        until = self.loop.at + ms / 1000
        while self.loop.next(until):
            self.store.settle()

    def room(self, owner: Player, game: str = "tic_tac_toe", options: Options | None = None) -> int:
        """A new room in which `owner` sits."""
        create = Create(id=1, game=game, options=options or Options())
        return owner.ask(create, RoomState).room

    def match(self, *, options: Options | None = None, watcher: bool = False) -> Table:
        """A match of tic-tac-toe between two newcomers; nothing has been played."""
        ann, bob = self.enter("ann"), self.enter("bob")
        room = self.room(ann, options=options)
        bob.say(Join(room=room, code=self.house.rooms[room].room.code))
        ann.say(Ready(room=room))
        bob.say(Ready(room=room))
        eve = self.enter("eve") if watcher else None
        if eve is not None:
            eve.say(Watch(room=room))
            eve.heard()
        bob.heard()
        return Table(self, room, ann, bob, eve, ann.last(MatchState).turn)


class Table:
    """A match under way: ann is to move at `turn`."""

    def __init__(
        self, scene: Scene, room: int, ann: Player, bob: Player, eve: Player | None, turn: int
    ) -> None:
        self.scene = scene
        self.room, self.name = room, f"{room}.1"
        self.ann, self.bob = ann, bob
        self.watcher = eve
        self.turn = turn

    @property
    def eve(self) -> Player:
        """Who looks on."""
        assert self.watcher is not None
        return self.watcher

    def play(self, action: str, id: int | None = None) -> Play:  # noqa: A002
        """The next action, as a request."""
        return Play(id=id, match=self.name, turn=self.turn, action=action)
