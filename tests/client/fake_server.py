"""A server that says what a test tells it to: real sockets, no rules, nothing stored."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from types import TracebackType

from msgspec.structs import replace
from websockets.asyncio.server import Server, ServerConnection, broadcast, serve
from websockets.exceptions import ConnectionClosed

from client.connection import Backoff, Connection
from protocol import messages, parts
from protocol.codec import decode_request, encode

Answer = Callable[[messages.Request], list[messages.Push]]
PATIENCE_S = 60.0  # for what happens in milliseconds unless something is broken
QUICK = Backoff(first=0.001, longest=0.01)


def room(number: int = 17, seq: int = 1, **fields: object) -> messages.RoomState:
    """A room, as its state is pushed."""
    blank: dict[str, object] = {
        "game": "tic_tac_toe",
        "state": "waiting",
        "owner": "ann",
        "seats": (parts.Player(name="ann"), None),
        "ready": (False, False),
        "options": parts.Options(),
        "seat": 0,
    }
    return messages.RoomState(room=number, seq=seq, **(blank | fields))  # type: ignore[arg-type]


def match(name: str = "17.1", seq: int = 1, **fields: object) -> messages.MatchState:
    """A match of ann against bob, as its state is pushed."""
    blank: dict[str, object] = {
        "room": int(name.partition(".")[0]),
        "turn": seq,
        "game": "tic_tac_toe",
        "ply": 0,
        "position": "3/3/3 x",
        "seats": (parts.Player(name="ann"), parts.Player(name="bob")),
        "to_move": 0,
        "events": (),
    }
    return messages.MatchState(match=name, seq=seq, **(blank | fields))  # type: ignore[arg-type]


def lobby(total: int = 0) -> messages.LobbyList:
    """An empty list of rooms."""
    return messages.LobbyList(rooms=(), bots=(), total=total)


class FakeServer:
    """Greets everybody, answers `ok`; `answers` and `greet` may be replaced by a test.

    `heard` is every request but hello, `hellos` every hello, in the order of arrival.
    """

    def __init__(self) -> None:
        self.heard: list[messages.Request] = []
        self.hellos: list[messages.Hello] = []
        self.frames: list[type] = []
        self.headers: list[dict[str, str]] = []
        self.answers: dict[type[messages.Request], Answer] = {}
        self.greet: Answer = welcome
        self.port = 0
        self._server: Server | None = None
        self._text: dict[ServerConnection, bool] = {}
        self._changed = asyncio.Event()

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"ws://127.0.0.1:{self.port}"

    async def __aenter__(self) -> FakeServer:
        await self.open()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.shut()

    async def open(self) -> None:
        """Listen; after `shut`, on the same port again."""
        self._server = await serve(
            self._serve, "127.0.0.1", self.port, compression=None, close_timeout=0.2
        )
        self.port = next(iter(self._server.sockets)).getsockname()[1]

    async def shut(self) -> None:
        """Cut all connections and listen no longer."""
        if self._server is not None:
            self.cut()
            self._server.close()
            await self._server.wait_closed()
            self._server = None

    def cut(self) -> None:
        """Lose all connections, without a word."""
        for socket in self._text:
            socket.transport.abort()

    def mute(self) -> None:
        """Read nothing more from anybody, pings included, and keep the sockets open."""
        for socket in self._text:
            socket.transport.pause_reading()

    def push(self, *news: messages.Push) -> None:
        """Send messages to everybody."""
        for message in news:
            for socket, text in self._text.items():
                payload = encode(message, text)
                broadcast([socket], payload.decode() if text else payload)

    def push_raw(self, frame: bytes | str) -> None:
        """Send a frame to everybody."""
        broadcast(self._text, frame)

    async def until(self, happened: Callable[[], object]) -> None:
        """Wait until the condition holds; it is looked at whenever something arrived here."""
        async with asyncio.timeout(PATIENCE_S):
            while not happened():
                self._changed.clear()
                await self._changed.wait()

    def of(self, kind: type[messages.Request]) -> list[messages.Request]:
        """The requests of one type that were heard, without their ids."""
        return [replace(request, id=None) for request in self.heard if type(request) is kind]

    @property
    def guests(self) -> int:
        """How many are connected and welcomed."""
        return len(self._text)

    async def _serve(self, socket: ServerConnection) -> None:
        self.headers.append(dict(socket.request.headers) if socket.request else {})
        try:
            async for frame in socket:
                self._take(socket, frame)
                self._changed.set()
        except ConnectionClosed:
            pass
        finally:
            self._text.pop(socket, None)
            self._changed.set()

    def _take(self, socket: ServerConnection, frame: str | bytes) -> None:
        text = isinstance(frame, str)
        self.frames.append(type(frame))
        request = decode_request(frame.encode() if isinstance(frame, str) else frame, text)
        if isinstance(request, messages.Hello):
            self.hellos.append(request)
            answers = self.greet(request)
            if not any(isinstance(answer, messages.Bye | messages.Error) for answer in answers):
                self._text[socket] = text
        else:
            self.heard.append(request)
            answers = self.answers.get(type(request), ok)(request)
        for answer in answers:
            payload = encode(answer, text)
            broadcast([socket], payload.decode() if text else payload)


def welcome(hello: messages.Request) -> list[messages.Push]:
    """Welcome a new member with a token, an old one without."""
    assert isinstance(hello, messages.Hello)
    token = None if hello.token else "secret"
    return [
        messages.Welcome(version=1, server="fake", name=hello.name or "ann", now=0, token=token)
    ]


def ok(request: messages.Request) -> list[messages.Push]:
    """Grant what has an id, and say nothing to the rest."""
    return [] if request.id is None else [messages.Ok(re=request.id, seq=7)]


def reply(message: messages.Push) -> Answer:
    """Answer each request with this message."""
    return lambda request: [replace(message, re=request.id)]


def refuse(code: str, text: str = "no", **fields: object) -> Answer:
    """Answer each request with this refusal."""
    return lambda request: [messages.Error(code=code, text=text, re=request.id, **fields)]  # type: ignore[arg-type]


def silent(_request: messages.Request) -> list[messages.Push]:
    """Say nothing."""
    return []


async def take(connection: Connection, kind: type[messages.Push] = messages.Push) -> messages.Push:
    """The next pushed message of a kind."""
    async with asyncio.timeout(PATIENCE_S):
        async for message in connection:
            if isinstance(message, kind):
                return message
    raise AssertionError("iteration ended")


async def rest(connection: Connection) -> list[messages.Push]:
    """All that is pushed until it is over."""
    async with asyncio.timeout(PATIENCE_S):
        return [message async for message in connection]


async def started(
    work: Awaitable[messages.Push], fake: FakeServer
) -> asyncio.Future[messages.Push]:
    """A request that the fake server has received, and may or may not answer."""
    before = len(fake.heard)
    task = asyncio.ensure_future(work)
    await fake.until(lambda: len(fake.heard) > before)
    return task


class HostedServer(FakeServer):
    """The fake server, for those who are not on its loop."""

    async def host(self, ready: threading.Event) -> None:
        """Serve until `end`."""
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        async with self:
            ready.set()
            await self._ended.wait()

    def end(self) -> None:
        """Serve no longer."""
        self._loop.call_soon_threadsafe(self._ended.set)

    def push_from_outside(self, message: messages.Push) -> None:
        """Send a message to everybody."""
        self._loop.call_soon_threadsafe(self.push, message)

    def heard_of(self, kind: type[messages.Request]) -> messages.Request:
        """The one request of this type."""
        (request,) = self.of(kind)
        return request
