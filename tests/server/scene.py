"""A server without sockets, disk or waiting: time and commits go on when a test says so.

A Scene has a server on a loop whose clock is wound by hand and a log in memory.  What its players
send goes through the codec as it would from a socket, and what they hear comes back through it.
"""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar, cast

from protocol import codec, messages, parts
from protocol.request import ALWAYS, refusals_of
from server.assembly import assemble
from server.config import Config
from server.rooms.peers import Peer
from server.services.neighbours import Neighbours
from tests.server.manual_loop import ManualLoop
from tests.server.memory_store import MemoryStore

M = TypeVar("M", bound=messages.Push)
BLITZ = parts.Options(clock=parts.ClockOptions(base_ms=60_000, begin_ms=0))


class FakeTransport:
    """A socket that remembers what was sent over it; its frames are payloads."""

    def __init__(self, address: str = "") -> None:
        self.origin = address
        self.frames: list[bytes] = []
        self.keys: list[str | None] = []
        self.ended: tuple[int, str] | None = None
        self.rests: list[int] = []

    def frame(self, payload: bytes, text: bool) -> bytes:
        """As Transport says."""
        assert text == payload.startswith(b"{")
        return payload

    def push(self, frame: bytes, key: str | None) -> None:
        """As Transport says."""
        if self.ended is None:
            self.frames.append(frame)
            self.keys.append(key)

    def push_in_turn(self, frame: bytes, key: str | None) -> None:
        """As Transport says; it is its turn at once."""
        self.push(frame, key)

    def end(self, code: int, reason: str) -> None:
        """As Transport says."""
        self.ended = self.ended or (code, reason)

    def rest(self, ms: int) -> None:
        """As Transport says, but that a test may go on."""
        self.rests.append(ms)


class Player:
    """Somebody with a connection."""

    def __init__(self, scene: Scene, text: bool, address: str = "") -> None:
        self.scene = scene
        self.text = text
        self.transport = FakeTransport(address)
        self.peer: Peer = scene.hub.connected(self.transport)
        self.token = ""
        self.asked: dict[int | None, type[messages.Request]] = {}  # the last with each id

    def send(self, request: messages.Request) -> None:
        """Say something; nothing is stored yet."""
        self.asked[request.id] = type(request)
        self.send_bytes(codec.encode(request, self.text))

    def send_bytes(self, data: bytes) -> None:
        """Say whatever."""
        if self.transport.ended is None:
            self.scene.hub.receive(self.peer, data, self.text)
            self.scene.pass_on()

    def say(self, request: messages.Request) -> None:
        """Say something, and let it be stored."""
        self.send(request)
        self.scene.store.settle()

    def ask(self, request: messages.Request, kind: type[M]) -> M:
        """Say something and return its one answer, which is of this kind."""
        assert request.id is not None, "only what has an id is always answered"
        self.say(request)
        answers = [message for message in self.heard() if message.re == request.id]
        assert len(answers) == 1, f"{request} was answered by {answers}"
        assert isinstance(answers[0], kind), answers[0]
        return answers[0]

    def refused(self, request: messages.Request) -> str:
        """Say something that is refused, and return the code."""
        return self.ask(request, messages.Error).code

    def heard(self) -> list[messages.Push]:
        """What came since this was last asked."""
        frames, self.transport.frames, self.transport.keys = self.transport.frames, [], []
        heard = [codec.decode_reply(frame, frame.startswith(b"{")) for frame in frames]
        for message in heard:
            if isinstance(message, messages.Error) and message.re in self.asked:
                self._check_refusal(message)
        return heard

    def _check_refusal(self, error: messages.Error) -> None:
        """Hold that the class of a request names what it is refused with."""
        kind = self.asked[error.re]
        assert error.re is None or error.code in {*ALWAYS, *refusals_of(kind)}, (
            f"`refusals` of {kind.__name__} lacks {error.code}"
        )

    def heard_of(self, kind: type[M]) -> list[M]:
        """The messages of one kind among those."""
        return [message for message in self.heard() if isinstance(message, kind)]

    def last(self, kind: type[M]) -> M:
        """The newest of one kind that came since this was last asked."""
        return self.heard_of(kind)[-1]

    def result(self) -> parts.Result:
        """The result in the newest state of a match."""
        result = self.last(messages.MatchState).result
        assert result is not None
        return result

    def clocks(self) -> parts.Clocks:
        """The clocks in the newest state of a match."""
        clocks = self.last(messages.MatchState).clocks
        assert clocks is not None
        return clocks

    def refusals(self) -> list[tuple[str, int | None]]:
        """The codes of all errors since this was last asked, and what they answer."""
        return [(error.code, error.re) for error in self.heard_of(messages.Error)]

    def codes(self) -> list[str]:
        """The codes of all errors and goodbyes since this was last asked."""
        return [
            message.code
            for message in self.heard()
            if isinstance(message, messages.Error | messages.Bye)
        ]

    def go(self) -> None:
        """Lose the connection."""
        self.vanish()
        self.scene.store.settle()

    def vanish(self) -> None:
        """Lose the connection; nothing is stored yet."""
        self.transport.end(1006, "")
        self.scene.hub.lost(self.peer)
        self.scene.pass_on()


class Scene:
    """A server and who is connected to it."""

    def __init__(
        self,
        config: Config | None = None,
        store: MemoryStore | None = None,
        lazy: bool = False,
    ) -> None:
        """`lazy`: rooms of the log are not loaded until somebody asks for them, or time passes."""
        self.config = config or Config()
        self.store = store or MemoryStore()
        self.loop = ManualLoop()
        loop = cast(asyncio.AbstractEventLoop, self.loop)
        neighbours = self._neighbours()
        self.hub, self.outage, clock, loading = assemble(self.store, self.config, loop, neighbours)
        self.now = clock.now
        self.rooms_hub = self.hub  # of the server that has the rooms
        self.rooms, self.lobby = self.hub.rooms, self.hub.lobby
        self.ladders = self.hub.services.ladders
        for number in [] if lazy else list(self.rooms.unloaded):
            self.rooms.room(number)
        loading.start()
        self.store.settle()

    def _neighbours(self) -> Neighbours | None:
        """The other servers: there is only one here."""
        return None

    def close(self) -> None:
        """End the server."""
        self.outage.stop()
        self.hub.close()

    def pass_on(self) -> None:
        """Let servers hear what they say to each other; here is only one."""

    def again(self, lazy: bool = False) -> Scene:
        """The same log in a new process."""
        self.store.epoch += 1
        self.store.last_at = self.now()
        return Scene(self.config, self.store, lazy)

    def connect(self, text: bool = False, address: str = "") -> Player:
        """Somebody who has not said hello."""
        return Player(self, text, address)

    def house(self, bot: parts.BotInfo) -> Player:
        """A bot of the house's own."""
        token = "the house's"
        self.lobby.names.own_house([token], token, self.now())
        player = self.enter(token=token, bot=bot)
        player.heard()
        return player

    def enter(
        self,
        name: str | None = None,
        *,
        token: str | None = None,
        bot: parts.BotInfo | None = None,
        text: bool = False,
        address: str = "",
    ) -> Player:
        """Somebody who has been welcomed."""
        player = self.connect(text, address)
        player.say(messages.Hello(version=messages.VERSION, name=name, token=token, bot=bot))
        if token is None:
            welcome = player.heard()[0]
            assert isinstance(welcome, messages.Welcome), welcome
            token = welcome.token
        player.token = token or ""
        return player

    def wait(self, ms: int) -> None:
        """Let time pass; timers ring, and what they do is stored."""
        until = self.loop.at + ms / 1000
        while self.loop.next(until):
            self.pass_on()
            self.store.settle()

    def room(
        self, owner: Player, game: str = "tic_tac_toe", options: parts.Options | None = None
    ) -> int:
        """A new room in which `owner` sits."""
        create = messages.Create(id=1, game=game, options=options or parts.Options())
        return owner.ask(create, messages.RoomState).room

    def gather(self, *names: str, options: parts.Options | None = None) -> tuple[Any, ...]:
        """A new room of the first newcomer's, and all who came; only she sits in it."""
        players = [self.enter(name) for name in names]
        return self.room(players[0], options=options), *players

    def match(
        self,
        *,
        options: parts.Options | None = None,
        watcher: bool = False,
        game: str = "tic_tac_toe",
        names: tuple[str, str] = ("ann", "bob"),
        address: str = "",
    ) -> SceneMatch:
        """A match between two newcomers; nothing has been played."""
        ann, bob = (self.enter(name, address=address) for name in names)
        room = self.room(ann, game, options=options)
        bob.say(messages.Join(room=room, code=self.rooms.actors[room].room.code))
        ann.say(messages.Ready(room=room))
        bob.say(messages.Ready(room=room))
        eve = self.enter("eve") if watcher else None
        if eve is not None:
            eve.say(messages.Watch(room=room))
            eve.heard()
        bob.heard()
        return SceneMatch(self, room, ann, bob, eve, ann.last(messages.MatchState).turn)


class SceneMatch:
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

    def play(self, action: str, id: int | None = None) -> messages.Play:  # noqa: A002
        """The next action, as a request."""
        return messages.Play(id=id, match=self.name, turn=self.turn, action=action)
