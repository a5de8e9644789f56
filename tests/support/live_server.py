"""A real server in the test's own event loop, and a client so raw that it can break every rule."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import NamedTuple, TypeVar

from lab.arena.local_server import NO_ALLOWANCES
from protocol import codec
from protocol.messages import VERSION, Hello, Push, Request, Welcome
from server.app import Running, opened
from server.config import Config
from server.net.door import LOOPBACK, Door
from server.net.sockets import Socket

M = TypeVar("M", bound=Push)
CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
MASK = b"\x01\x02\x03\x04"
PATIENCE = 60.0  # seconds; nothing here takes long unless it hangs


class Frame(NamedTuple):
    """What came from the server."""

    opcode: int
    payload: bytes

    @property
    def message(self) -> Push:
        """The message that it holds."""
        return codec.decode_reply(self.payload, self.opcode == TEXT)

    @property
    def close_code(self) -> int:
        """The code of a close frame."""
        assert self.opcode == CLOSE, self
        code: int = struct.unpack("!H", self.payload[:2])[0]
        return code


def frame(payload: bytes, opcode: int = BINARY, *, fin: bool = True, bits: int = 0) -> bytes:
    """A masked frame; `bits` are the three reserved ones."""
    head = bytes((fin << 7 | bits << 4 | opcode,))
    size = len(payload)
    if size < 126:
        head += bytes((0x80 | size,))
    elif size < 1 << 16:
        head += bytes((0x80 | 126,)) + struct.pack("!H", size)
    else:
        head += bytes((0x80 | 127,)) + struct.pack("!Q", size)
    key = (MASK * (size // 4 + 1))[:size]
    masked = int.from_bytes(payload) ^ int.from_bytes(key)
    return head + MASK + masked.to_bytes(size)


def request_frame(request: Request, *, text: bool = False) -> bytes:
    """A request as one frame."""
    return frame(codec.encode(request, text), TEXT if text else BINARY)


class RawClient:
    """A TCP connection to the server, with a WebSocket on it if `upgrade` was called."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int):
        self.reader, self.writer, self.port = reader, writer, port

    def send(self, data: bytes) -> None:
        """Bytes, whatever they are."""
        self.writer.write(data)

    def handshake(self, **headers: str) -> bytes:
        """The bytes of a proper handshake; `_` in a name stands for `-`."""
        given = {
            "Host": f"127.0.0.1:{self.port}",
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version": "13",
        }
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items() if value)
        return f"GET /ws HTTP/1.1\r\n{lines}\r\n".encode()

    async def head(self) -> str:
        """The head of a response."""
        return (await self._within(self.reader.readuntil(b"\r\n\r\n"))).decode()

    async def upgrade(self, behind: bytes = b"") -> None:
        """Make it a WebSocket; `behind` is sent in the same breath."""
        self.send(self.handshake() + behind)
        assert (await self.head()).startswith("HTTP/1.1 101 ")

    async def frame(self) -> Frame | None:
        """The next frame, or None at the end of the connection."""
        try:
            first, second = await self._within(self.reader.readexactly(2))
            size = second & 127
            if size == 126:
                size = struct.unpack("!H", await self.reader.readexactly(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", await self.reader.readexactly(8))[0]
            payload = await self._within(self.reader.readexactly(size))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        assert first & 0xF0 == 0x80, "the server sends whole frames, and no reserved bits"
        assert second & 0x80 == 0, "a server's frame is not masked"
        return Frame(first & 15, payload)

    async def read(self, opcode: int | None = None) -> Frame:
        """The next frame, pings aside unless they are asked for."""
        while True:
            got = await self.frame()
            assert got is not None, "the server hung up"
            if got.opcode == opcode or (opcode is None and got.opcode != PING):
                return got

    async def hear(self, kind: type[M]) -> M:
        """The next message of one kind; others are passed over."""
        while True:
            message = (await self.read()).message
            if isinstance(message, kind):
                return message

    async def rest(self) -> list[Frame]:
        """All that comes until the end, pings aside."""
        frames = []
        while (got := await self.frame()) is not None:
            if got.opcode != PING:
                frames.append(got)
        return frames

    async def hello(self, name: str | None = None, *, text: bool = False) -> Welcome:
        """Upgrade and be welcomed."""
        await self.upgrade(request_frame(Hello(version=VERSION, name=name), text=text))
        return await self.hear(Welcome)

    async def ask(self, request: Request, kind: type[M]) -> M:
        """The answer to a request."""
        self.send(request_frame(request))
        while True:
            message = (await self.read()).message
            if message.re == request.id:
                assert isinstance(message, kind), message
                return message

    async def ended(self) -> list[str | int]:
        """How it ends: the codes of errors and goodbyes, then the close code."""
        codes: list[str | int] = []
        for got in await self.rest():
            if got.opcode == CLOSE:
                codes.append(got.close_code)
            elif got.opcode in (TEXT, BINARY):
                codes.append(getattr(got.message, "code", type(got.message).__name__))
        return codes

    async def _within(self, reading: asyncio.Future[bytes] | object) -> bytes:
        data: bytes = await asyncio.wait_for(reading, PATIENCE)  # type: ignore[arg-type]
        return data

    async def close(self) -> None:
        """Hang up without a word."""
        self.writer.close()
        with contextlib.suppress(ConnectionError, ssl.SSLError):
            await self.writer.wait_closed()


class LiveServer:
    """A server that is up, and the raw connections of one test."""

    def __init__(self, running: Running) -> None:
        self.hub, self.outage, self.gateway = running.hub, running.outage, running.gateway
        self.url, self.inner_url = running.url, running.inner_url
        self.ws = running.url.replace("http", "ws") + "/ws"
        self.port = int(running.url.rpartition(":")[2])
        self._raws: list[RawClient] = []

    async def raw(
        self, receive_buffer: int | None = None, tls: ssl.SSLContext | None = None
    ) -> RawClient:
        """A connection on which nothing was said, or nothing but TLS's handshake."""
        sock = socket.socket()
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.setblocking(False)
        await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", self.port))
        reader, writer = await asyncio.open_connection(
            sock=sock, limit=1 << 16, ssl=tls, server_hostname="localhost" if tls else None
        )
        self._raws.append(RawClient(reader, writer, self.port))
        return self._raws[-1]

    async def enter(self, name: str | None = None, *, text: bool = False) -> RawClient:
        """A connection that has been welcomed."""
        raw = await self.raw()
        await raw.hello(name, text=text)
        return raw

    def connection(self, name: str) -> Socket:
        """The server's side of a connection."""
        for connection in self.gateway.sockets:
            peer = connection.peer
            if peer is not None and peer.who is not None and peer.who.name == name:
                return connection
        raise AssertionError(f"nobody called {name} is here")

    async def until(self, condition: object) -> None:
        """Wait until a condition, a function of nothing, is true."""
        assert callable(condition)
        async with asyncio.timeout(PATIENCE):
            while not condition():  # noqa: ASYNC110  (nobody tells)
                await asyncio.sleep(0.005)

    async def close(self) -> None:
        """Hang up on all raw connections."""
        for raw in self._raws:
            await raw.close()


@contextlib.asynccontextmanager
async def live_server(
    folder: Path, page: Path | None = None, door: Door = LOOPBACK, **settings: int
) -> AsyncIterator[LiveServer]:
    """A server on a free port, with little patience for goodbyes.

    A test talks faster than people and bots do, so it is no flood unless the test says so.
    """
    given = {"close_grace_ms": 100, "frames_per_second": 100_000, **NO_ALLOWANCES, **settings}
    texts = [f"{name}={value}" for name, value in given.items()]
    config = Config().with_settings(texts)
    door = door._replace(names=["house.example"])
    async with opened(folder, config, door, page) as running:
        server = LiveServer(running)
        try:
            yield server
        finally:
            await server.close()
