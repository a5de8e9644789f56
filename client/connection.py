"""The client library: connect to a house, say hello, ask, listen; resume when the network fails.

    async with connect("localhost", name="ann") as house:
        room = await house.create("connect_four")
        await house.ready(room.room)
        async for message in house:
            if isinstance(message, MatchState) and message.legal:
                await house.play(message.match, message.turn, message.legal[0])

A lost connection is resumed with the session's token: `Welcome` comes again, the server pushes the
rooms and matches in which this player sits, watches and a followed lobby are asked for again, plays
that were not answered are sent again.  Iteration ends when the connection is over, and
`house.reason` says why.

In this file: `connect`, and the WebSocket, which no other file of the client knows.  What goes on
over it is in presence.py, ledger.py (requests), inbox.py (pushed messages) and verbs.py (the
requests as methods).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from types import TracebackType
from typing import Literal
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.asyncio.server import broadcast
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.protocol import State

from client.address import DEFAULT_PORT, parse_address
from client.backoff import Backoff
from client.errors import Closed, Interrupted, LinkLost, OutboxFull, Replaced, Unreachable
from client.ledger import refusal
from client.presence import MAX_BACKLOG, Connection, Plan
from protocol.codec import decode_reply, encode
from protocol.errors import Code, PlyhouseError, ProtocolError, Refusal
from protocol.messages import (
    MAX_SERVER_FRAME,
    VERSION,
    BotInfo,
    Bye,
    Error,
    Hello,
    Push,
    Request,
    Welcome,
)

__all__ = [
    "DEFAULT_PORT",
    "Backoff",
    "Closed",
    "Connection",
    "Interrupted",
    "Opening",
    "OutboxFull",
    "PlyhouseError",
    "ProtocolError",
    "Refusal",
    "Replaced",
    "Unreachable",
    "connect",
    "parse_address",
]

PING_S = 20.0  # a server that is silent for so long is asked, and given as long to answer
CLOSE_S = 2.0  # for the closing handshake; then the socket is cut


def connect(
    address: str,
    *,
    name: str | None = None,
    token: str | None = None,
    link: str | None = None,
    bot: BotInfo | None = None,
    text: bool = False,
    patient: bool = False,
    give_up_after: float | None = None,
    client: str = "plyhouse-python",
    open_timeout: float = 10.0,
    proxy: str | Literal[True] | None = None,
    backoff: Backoff | None = None,
    on_link: Callable[[bool], None] | None = None,
) -> Opening:
    """Connect to the house at `address`; use it with `async with` or `await`.

    Args:
        address: host, host:port or a URL with ws, wss, http or https.
        name: the name of a new session; without name, token and link it gets a guest's.
        token: resumes the session it was given to; `name` is then not sent.
        link: a code from `house.link()` on another device.
        bot: says that a program plays, and which.
        text: JSON in text frames instead of msgpack in binary ones.
        patient: keep trying where the first attempt finds no server.
        give_up_after: seconds without a connection after which it is over; None: never.
        client: what this program calls itself.
        open_timeout: seconds for one attempt, hello included.
        proxy: address of a proxy, or True for the environment's; None goes straight there.
        backoff: the waits between attempts.
        on_link: is told True whenever there is a connection and False whenever it is lost.

    Raises:
        Unreachable: no server there; code `client/bad-address` where `address` is none.
        Refusal: the server does not accept this hello (version, name, token ...).
    """
    dialer = _Dialer(parse_address(address), text, open_timeout, proxy)
    plan = Plan(
        dial=dialer.dial,
        patient=patient,
        give_up_after=give_up_after,
        backoff=Backoff() if backoff is None else backoff,
        on_link=(lambda _up: None) if on_link is None else on_link,
    )
    hello = Hello(
        version=VERSION,
        name=name if token is None and link is None else None,
        token=token,
        link=link if token is None else None,
        bot=bot,
        client=client,
    )
    return Opening(plan, hello)


class Opening:
    """A connection about to be made: for `async with`, or awaited and then closed by hand."""

    def __init__(self, plan: Plan, hello: Hello) -> None:
        self._plan = plan
        self._hello = hello
        self._house: Connection | None = None

    def __await__(self) -> Generator[object, None, Connection]:
        return self._open().__await__()

    async def __aenter__(self) -> Connection:
        self._house = await self._open()
        return self._house

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._house is not None  # __aenter__ set it
        await self._house.close()

    async def _open(self) -> Connection:
        house = Connection(self._plan, self._hello)
        await house.start()
        return house


class _SocketLink:
    """A WebSocket that has been welcomed: a presence.Link."""

    def __init__(self, socket: ClientConnection, text: bool, welcome: Welcome) -> None:
        self._socket = socket
        self._text = text
        self.welcome = welcome

    @property
    def open(self) -> bool:
        return self._socket.state is State.OPEN

    @property
    def latency_ms(self) -> int:
        return round(self._socket.latency * 1000)

    def write(self, message: Request) -> None:
        # `broadcast` is websockets' way to send without waiting for the peer.
        payload = encode(message, self._text)
        broadcast([self._socket], payload.decode() if self._text else payload)

    @property
    def backlog(self) -> int:
        return self._socket.transport.get_write_buffer_size()

    async def read(self) -> Push:
        return await _read(self._socket)

    def cut(self) -> None:
        self._socket.transport.abort()

    async def close(self) -> None:
        await self._socket.close()


class _Dialer:
    """Makes links to one address."""

    def __init__(
        self, url: str, text: bool, timeout: float, proxy: str | Literal[True] | None
    ) -> None:
        self._url = url
        self._text = text
        self._timeout = timeout
        self._proxy = proxy

    async def dial(self, hello: Hello) -> _SocketLink:
        """One attempt.

        Raises:
            Unreachable, Refusal: see `connect`.
        """
        place = urlsplit(self._url).netloc.rpartition("@")[2]
        try:
            async with asyncio.timeout(self._timeout):
                return await self._greet(await self._open(), hello)
        except TimeoutError:
            raise Unreachable(f"{place} did not answer within {self._timeout:g} seconds") from None
        except OSError as error:
            raise Unreachable(f"no server answers at {place} ({_cause(error)})") from error
        except (WebSocketException, ProtocolError, LinkLost) as error:
            raise Unreachable(
                f"{place} answers, but not as a Plyhouse server does ({error})"
            ) from error

    async def _open(self) -> ClientConnection:
        return await open_socket(
            self._url,
            compression=None,
            proxy=self._proxy,
            open_timeout=None,  # the timeout in `dial` covers hello as well
            ping_interval=PING_S,
            ping_timeout=PING_S,
            close_timeout=CLOSE_S,
            max_size=MAX_SERVER_FRAME,
            max_queue=None,  # the inbox bounds what is unread, and replies must get past it
            # More than ever waits, so that the keepalive's own ping is never held up by it.
            write_limit=4 * MAX_BACKLOG,
        )

    async def _greet(self, socket: ClientConnection, hello: Hello) -> _SocketLink:
        """Say hello and wait for the welcome; the socket is closed where there is none."""
        try:
            payload = encode(hello, self._text)
            await socket.send(payload.decode() if self._text else payload)
            reply = await _read(socket)
            if isinstance(reply, Welcome):
                return _SocketLink(socket, self._text, reply)
            if isinstance(reply, Error):
                raise refusal(reply)
            if isinstance(reply, Bye):
                raise Refusal(reply.code, reply.text)
            raise ProtocolError(Code.PROTOCOL_BAD_MESSAGE, "its first message is no welcome")
        except BaseException:
            socket.transport.abort()
            await socket.wait_closed()
            raise


async def _read(socket: ClientConnection) -> Push:
    try:
        frame = await socket.recv()
    except ConnectionClosed as error:
        raise LinkLost(str(error)) from error
    if isinstance(frame, str):
        return decode_reply(frame.encode(), text=True)
    return decode_reply(frame)


def _cause(error: OSError) -> str:
    """What the operating system says, in few words."""
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "connection refused"
    return error.strerror or str(error)
