"""The client library: connect to a server, say hello, ask, listen; resume when the network fails.

    async with connect("localhost", name="ann") as connection:
        room = await connection.create("connect_four")
        await connection.ready(room.room)
        async for message in connection:
            if isinstance(message, MatchState) and message.legal:
                await connection.play(message.match, message.turn, message.legal[0])

A lost connection is resumed with the session's token: `Welcome` comes again, the server pushes the
rooms and matches in which this player sits, watches and a followed lobby are asked for again, plays
that were not answered are sent again.  Iteration ends when the connection is over, and
`connection.reason` says why.

In this file: `connect`, and the WebSocket, which no other file of the client knows.  What goes on
over it is in presence.py, ledger.py (requests), inbox.py (pushed messages) and verbs.py (the
requests as methods).
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Callable, Generator
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.asyncio.server import broadcast
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException
from websockets.protocol import State

from client.address import parse_address
from client.backoff import Backoff
from client.errors import ConnectionOver, Interrupted, LinkLost, Replaced, Unreachable
from client.ledger import refusal
from client.presence import MAX_BACKLOG, Connection, ConnectPlan
from protocol import messages as wire
from protocol import parts
from protocol.codec import decode_reply, encode
from protocol.errors import Code, ProtocolError, Refusal
from protocol.messages import DEFAULT_PORT

__all__ = [
    "DEFAULT_PORT", "Backoff", "ConnectSettings", "Connection", "ConnectionOver", "Interrupted",
    "ProtocolError", "Refusal", "Replaced", "Unreachable", "connect",
]  # fmt: skip

PING_S = 20.0  # a server that is silent for so long is asked, and given as long to answer
# The same where another server has sent us: no balancer is between that looks after it.
MOVED_PING_S = 1.5
MOVING_S = 3.0  # for an attempt where another server has sent us, which may be out of our reach
CLOSE_S = 2.0  # for the closing handshake; then the socket is cut


class ConnectSettings(NamedTuple):
    """What few programs change about a connection.

    give_up_after: seconds without a connection after which it is over; None: never.
    client: what this program calls itself.
    device: what the owner of a name is to know this machine by, where the name is on several.
    open_timeout: seconds for one attempt, hello included.
    proxy: address of a proxy, or True for the environment's; None goes straight there.
    authorities: a file of certificates (PEM) to trust besides the system's, for a server with one
        that it made itself; None: the file that PLYHOUSE_CA names, if any.
    """

    give_up_after: float | None = None
    client: str = "plyhouse-python"
    device: str | None = None
    open_timeout: float = 10.0
    proxy: str | Literal[True] | None = None
    authorities: str | None = None


def connect(
    address: str,
    *,
    name: str | None = None,
    token: str | None = None,
    link: str | None = None,
    bot: parts.BotInfo | None = None,
    text: bool = False,
    patient: bool = False,
    settings: ConnectSettings | None = None,
    backoff: Backoff | None = None,
    on_link: Callable[[bool], None] | None = None,
) -> Opening:
    """Connect to the server at `address`; use it with `async with` or `await`.

    >>> async def sit_down(address):
    ...     async with connect(address, name="ann") as connection:
    ...         room = await connection.create("connect_four")
    ...         return connection.welcome.name, room.state
    >>> asyncio.run(sit_down(ADDRESS))
    ('ann', 'waiting')

    Args:
        address: host, host:port or a URL with ws, wss, http or https.
        name: the name of a new session; without name, token and link it gets a guest's.
        token: resumes the session it was given to; `name` is then not sent.
        link: a code from `connection.link()` on another device.
        bot: says that a program plays, and which.
        text: JSON in text frames instead of msgpack in binary ones.
        patient: keep trying where the first attempt finds no server.
        settings: what few programs change.
        backoff: the waits between attempts.
        on_link: is called with True whenever there is a connection, with False whenever it is lost.

    Raises:
        Unreachable: no server there; code `client/bad-address` where `address` is none,
            `client/untrusted` where its certificate is not trusted.
        Refusal: the server does not accept this hello (version, name, token ...).
    """
    settings = ConnectSettings() if settings is None else settings
    dialer = _Dialer(parse_address(address), text, settings)
    plan = ConnectPlan(
        dial=dialer.dial,
        patient=patient,
        give_up_after=settings.give_up_after,
        backoff=Backoff() if backoff is None else backoff,
        on_link=(lambda _up: None) if on_link is None else on_link,
        dial_at=dialer.dial_at,
    )
    hello = wire.Hello(
        version=wire.VERSION,
        name=name if token is None and link is None else None,
        token=token,
        link=link if token is None else None,
        bot=bot,
        client=settings.client,
        device=settings.device,
    )
    return Opening(plan, hello)


class Opening:
    """A connection about to be made: for `async with`, or awaited and then closed by hand."""

    def __init__(self, plan: ConnectPlan, hello: wire.Hello) -> None:
        self._plan = plan
        self._hello = hello
        self._connection: Connection | None = None

    def __await__(self) -> Generator[object, None, Connection]:
        return self._open().__await__()

    async def __aenter__(self) -> Connection:
        self._connection = await self._open()
        return self._connection

    async def __aexit__(self, *error: object) -> None:
        assert self._connection is not None  # __aenter__ set it
        await self._connection.close()

    async def _open(self) -> Connection:
        connection = Connection(self._plan, self._hello)
        await connection.start()
        return connection


class _SocketLink:
    """A WebSocket that has been welcomed: a presence.ServerLink."""

    def __init__(self, socket: ClientConnection, text: bool, welcome: wire.Welcome) -> None:
        self._socket = socket
        self._text = text
        self.welcome = welcome

    @property
    def open(self) -> bool:
        return self._socket.state is State.OPEN

    @property
    def latency_ms(self) -> int:
        return round(self._socket.latency * 1000)

    def write(self, message: wire.Request) -> None:
        # `broadcast` is websockets' way to send without waiting for the peer.
        payload = encode(message, self._text)
        broadcast([self._socket], payload.decode() if self._text else payload)

    @property
    def backlog(self) -> int:
        return self._socket.transport.get_write_buffer_size()

    async def read(self) -> wire.Push:
        return await _read(self._socket)

    async def answers(self, within_s: float) -> bool:
        try:
            async with asyncio.timeout(within_s):
                await (await self._socket.ping())
        except (TimeoutError, ConnectionClosed):
            return False
        return True

    def cut(self) -> None:
        self._socket.transport.abort()

    async def close(self) -> None:
        await self._socket.close()


class _Dialer:
    """Makes links to one address."""

    def __init__(self, url: str, text: bool, settings: ConnectSettings) -> None:
        self._url = url
        self._text = text
        self._settings = settings
        self._timeout = settings.open_timeout
        self._ping_s = PING_S
        self._proxy = settings.proxy
        self._tls = trust(settings.authorities) if url.startswith("wss:") else None

    async def dial_at(self, url: str, hello: wire.Hello) -> _SocketLink:
        """One short attempt at another server of the house, which has to be as safe as this one.

        Raises:
            Unreachable, Refusal: see `connect`.
        """
        if urlsplit(url).scheme != urlsplit(self._url).scheme:
            raise Unreachable(f"{url} is not reached as {self._url} is")
        other = _Dialer(url, self._text, self._settings)
        other._timeout, other._ping_s = min(self._timeout, MOVING_S), MOVED_PING_S
        return await other.dial(hello)

    async def dial(self, hello: wire.Hello) -> _SocketLink:
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
        except ssl.SSLCertVerificationError as error:
            why = error.verify_message.rstrip(".")
            raise Unreachable(
                f"the certificate of {place} is not trusted ({why}); if its host"
                " has made it, name its file with --ca or in PLYHOUSE_CA",
                "client/untrusted",
            ) from error
        except ssl.SSLError as error:
            raise Unreachable(
                f"{place} does not answer over TLS ({error.reason}); without it, the address begins"
                " with ws:// or http://"
            ) from error
        except OSError as error:
            raise Unreachable(f"no server answers at {place} ({_cause(error)})") from error
        except (WebSocketException, ProtocolError, LinkLost) as error:
            raise Unreachable(
                f"{place} answers, but not as a Plyhouse server does ({_refusal_text(error)})"
            ) from error

    async def _open(self) -> ClientConnection:
        return await open_socket(
            self._url,
            ssl=self._tls,
            compression=None,
            proxy=self._proxy,
            open_timeout=None,  # the timeout in `dial` covers hello as well
            ping_interval=self._ping_s,
            ping_timeout=self._ping_s,
            close_timeout=CLOSE_S,
            max_size=wire.MAX_SERVER_FRAME,
            max_queue=None,  # the inbox bounds what is unread, and replies must get past it
            # More than ever waits, so that the keepalive's own ping is never held up by it.
            write_limit=4 * MAX_BACKLOG,
        )

    async def _greet(self, socket: ClientConnection, hello: wire.Hello) -> _SocketLink:
        """Say hello and wait for the welcome; close the socket if none comes."""
        try:
            payload = encode(hello, self._text)
            await socket.send(payload.decode() if self._text else payload)
            reply = await _read(socket)
            if isinstance(reply, wire.Welcome):
                return _SocketLink(socket, self._text, reply)
            if isinstance(reply, wire.Error):
                raise refusal(reply)
            if isinstance(reply, wire.Bye):
                raise Refusal(reply.code, reply.text)
            raise ProtocolError(Code.PROTOCOL_BAD_MESSAGE, "its first message is no welcome")
        except BaseException:
            socket.transport.abort()
            await socket.wait_closed()
            raise


async def _read(socket: ClientConnection) -> wire.Push:
    try:
        frame = await socket.recv()
    except ConnectionClosed as error:
        raise LinkLost(str(error)) from error
    if isinstance(frame, str):
        return decode_reply(frame.encode(), text=True)
    return decode_reply(frame)


def trust(authorities: str | None) -> ssl.SSLContext:
    """Return what to check a server's certificate by.

    Raises:
        Unreachable: code `client/bad-authorities`, if the file cannot be used.
    """
    context = ssl.create_default_context()
    file = authorities or os.environ.get("PLYHOUSE_CA")
    if file:
        try:
            context.load_verify_locations(file)
        except OSError as error:
            why = "there are none, in PEM" if isinstance(error, ssl.SSLError) else error.strerror
            raise Unreachable(
                f"cannot read certificates from {file}: {why}", "client/bad-authorities"
            ) from None
    return context


def _refusal_text(error: Exception) -> str:
    """Return what went wrong, and the sentence with which a server refused it, if there is one."""
    if isinstance(error, InvalidStatus):
        response = error.response
        if response.body and response.headers.get("Content-Type", "").startswith("text/plain"):
            return f"{error}: {response.body[:200].decode(errors='replace').strip()}"
    return str(error)


def _cause(error: OSError) -> str:
    """Return what the operating system says, in few words."""
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "connection refused"
    return error.strerror or str(error)
