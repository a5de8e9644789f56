"""The scripted server's end of the wire: it listens, and has one connection at a time."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable
from http import HTTPStatus
from typing import Any, Final

import msgspec
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request as HttpRequest
from websockets.http11 import Response

from protocol import codec
from protocol.messages import MAX_CLIENT_FRAME, Request

GOING_AWAY: Final = 1012  # the close code of a server that starts again
POLICY: Final = 1008  # ... and of one that does not want to see the program again


class WireLost(Exception):
    """The bot's connection has ended."""


class BotWire:
    """The WebSocket of the bot under test, on a port of this machine, and those that follow it."""

    def __init__(self) -> None:
        self.url = ""
        self._server: Server | None = None
        self._socket: ServerConnection | None = None
        self._newest: asyncio.Queue[ServerConnection] = asyncio.Queue()
        self._text = True
        self._refusing = False
        self._attempts: asyncio.Queue[float] = asyncio.Queue()

    def now(self) -> float:
        """Seconds, from any beginning."""
        return time.monotonic()

    async def receive(self, seconds: float) -> Request:
        """Return what the bot says next.

        Raises:
            TimeoutError: nothing within so many seconds.
            WireLost: its connection has ended.
            ProtocolError: it is no message.
        """
        socket = self._open()
        try:
            frame = await asyncio.wait_for(socket.recv(), seconds)
        except ConnectionClosed as error:
            raise WireLost("the bot closed the connection") from error
        self._text = isinstance(frame, str)
        data = frame.encode() if isinstance(frame, str) else frame
        return codec.decode_request(data, self._text)

    async def send(self, message: dict[str, Any]) -> None:
        """Say something, in the encoding that the bot has used; WireLost if no bot is there."""
        encoded = msgspec.json.encode(message) if self._text else msgspec.msgpack.encode(message)
        try:
            await self._open().send(encoded.decode() if self._text else encoded)
        except ConnectionClosed as error:
            raise WireLost("the bot closed the connection") from error

    async def cut(self, code: int | None = None) -> None:
        """End the connection: as a cable that is pulled, or with a close code."""
        socket, self._socket = self._socket, None
        if socket is not None and code is None:
            socket.transport.abort()
        elif socket is not None and code is not None:
            await socket.close(code)

    async def reopen(self, seconds: float) -> None:
        """Wait for the next connection; TimeoutError if none comes."""
        self._socket = await asyncio.wait_for(self._newest.get(), seconds)

    async def turn_away(self, attempts: int, seconds: float) -> list[float]:
        """Refuse so many attempts to connect, as a proxy does whose server is down.

        Returns:
            The seconds before each.

        Raises:
            TimeoutError: there were fewer within so many seconds.
        """
        self._refusing, begin, pauses = True, self.now(), list[float]()
        try:
            async with asyncio.timeout(seconds):
                while len(pauses) < attempts:
                    at = await self._attempts.get()
                    pauses.append(at - begin)
                    begin = at
        finally:
            self._refusing = False
        return pauses

    def _open(self) -> ServerConnection:
        if self._socket is None:
            raise WireLost("the bot is not connected")
        return self._socket

    async def _take(self, socket: ServerConnection) -> None:
        self._newest.put_nowait(socket)
        await socket.wait_closed()

    def _process(self, socket: ServerConnection, _: HttpRequest) -> Response | None:
        if not self._refusing:
            return None
        self._attempts.put_nowait(self.now())
        return socket.respond(HTTPStatus.SERVICE_UNAVAILABLE, "the server starts again\n")


@contextlib.asynccontextmanager
async def listening(host: str, port: int) -> AsyncIterator[BotWire]:
    """Listen on a port, 0 for any that is free.

    Raises:
        OSError: it is taken.
    """
    wire = BotWire()
    serving: Callable[..., Any] = serve
    async with serving(
        wire._take, host, port, process_request=wire._process, compression=None,
        max_size=MAX_CLIENT_FRAME, close_timeout=1, ping_interval=20,
    ) as server:  # fmt: skip
        port = next(iter(server.sockets)).getsockname()[1]
        wire.url = f"ws://{f'[{host}]' if ':' in host else host}:{port}/ws"
        yield wire
