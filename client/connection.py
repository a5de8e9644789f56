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

The only file of the client that knows a WebSocket.  client/ledger.py knows the requests,
client/inbox.py the messages not yet taken, client/verbs.py the requests as methods.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal
from urllib.parse import urlsplit

from msgspec.structs import replace
from websockets.asyncio.client import ClientConnection
from websockets.asyncio.client import connect as open_socket
from websockets.asyncio.server import broadcast
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.protocol import State

from client.address import DEFAULT_PORT, parse_address
from client.backoff import Backoff
from client.errors import Closed, Interrupted, OutboxFull, Replaced, Unreachable
from client.inbox import Inbox
from client.ledger import Ledger, refusal
from client.verbs import Seat, Verbs
from protocol.codec import decode_reply, decode_request, encode
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
    "Refusal",
    "Replaced",
    "Seat",
    "Unreachable",
    "connect",
    "parse_address",
]

MAX_UNREAD_BY_PEER = 256 * 1024  # bytes the network has not taken, above which sending is refused
PING_S = 20.0  # a server that is silent for so long is asked, and given as long to answer
CLOSE_S = 2.0  # for the closing handshake; then the socket is cut
SETTLED_S = 1.0  # a connection that lasted so long was a good one: the back-off starts afresh
STANDING_RETRY_S = 1.0  # before a watch that a busy server put off is asked for again

# A "no" to hello that the next attempt may not get; any other is final.
PASSING = frozenset(
    {
        Code.ROOM_BUSY,
        Code.SERVER_CLOSING,
        Code.SERVER_NOT_STORED,
        Code.SESSION_FLOOD,
        Code.SESSION_TOO_MANY,
    }
)


@dataclass(frozen=True, slots=True)
class _Route:
    """Where to, and how."""

    url: str
    text: bool
    patient: bool
    give_up_after: float | None
    open_timeout: float
    proxy: str | Literal[True] | None
    backoff: Backoff
    on_link: Callable[[bool], None]


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
    route = _Route(
        url=parse_address(address),
        text=text,
        patient=patient,
        give_up_after=give_up_after,
        open_timeout=open_timeout,
        proxy=proxy,
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
    return Opening(route, hello)


class Opening:
    """A connection about to be made: for `async with`, or awaited and then closed by hand."""

    def __init__(self, route: _Route, hello: Hello) -> None:
        self._route = route
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
        house = Connection(self._route, self._hello)
        await house.start()
        return house


@dataclass(slots=True)
class _Link:
    """One socket that has been welcomed."""

    socket: ClientConnection
    since: float
    restoring: asyncio.Task[None] | None = field(default=None)


class Connection(Verbs):
    """One member's presence in a house, over as many sockets in turn as it takes.

    `name`, `token` (None where the server gave none) and `welcome` are the newest ones.
    """

    name: str
    token: str | None
    welcome: Welcome

    def __init__(self, route: _Route, hello: Hello) -> None:
        self._route = route
        self._hello = hello
        self._ledger = Ledger()
        self._inbox = Inbox()
        self._news = asyncio.Event()
        self._link: _Link | None = None
        self._failures = 0
        self._over = False
        self._task: asyncio.Task[None] | None = None
        self.token = hello.token
        self.reason: PlyhouseError | None = None

    @property
    def linked(self) -> bool:
        """Whether there is a socket right now; while there is none, requests wait for the next."""
        return self._link is not None

    @property
    def closed(self) -> bool:
        """Whether it is over; `reason` says why, and is None where `close` was called here."""
        return self._over

    @property
    def latency_ms(self) -> int:
        """The last round trip of a ping, 0 before the first."""
        return round(self._link.socket.latency * 1000) if self._link else 0

    async def start(self) -> None:
        """Make the first connection; `connect` has done this."""
        try:
            await self._enter()
        except (Unreachable, Refusal) as error:
            if not (self._route.patient and _passes(error)):
                raise
            await self._reenter()
        self._task = asyncio.create_task(self._run(), name=f"plyhouse {self.name}")

    async def close(self) -> None:
        """Say goodbye and end; what was sent before goes out first.  May be called again."""
        self._finish(None)
        assert self._task is not None  # `start` made it
        self._task.cancel()
        await asyncio.wait({self._task})
        if not self._task.cancelled():
            self._task.result()  # a bug in there must not pass unseen

    async def __aenter__(self) -> Connection:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def __aiter__(self) -> Connection:
        return self

    async def __anext__(self) -> Push:
        while not self._inbox:
            if self._over:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._inbox.take()

    def send(self, message: Request) -> None:
        """Send without waiting for an answer; a refusal arrives among the pushed messages.

        A message sent while there is no connection goes out on the next; one that was on its way
        when the connection was lost may be lost with it.  Use `request` for `watch` and `lobby`:
        only what was granted to a request is asked for again on the next connection.

        Raises:
            ProtocolError: it breaks the protocol's limits, for which the server would hang up.
            OutboxFull, Closed: it was not sent.
        """
        if self._over:
            raise self._farewell()
        payload = encode(message)
        decode_request(payload)
        if self._link is None or self._link.socket.state is not State.OPEN:
            self._ledger.queue(message)
        elif (
            self._link.socket.transport.get_write_buffer_size() + len(payload) > MAX_UNREAD_BY_PEER
        ):
            raise OutboxFull
        else:
            self._write(self._link, message)

    async def request(self, request: Request) -> Push:
        """Send a request and return its reply; the id is filled in here.

        Raises:
            Refusal: the server said no.
            Interrupted: the connection was lost under it, and it is not known whether it happened.
            ProtocolError, OutboxFull, Closed: it was not sent.
        """
        request, answer = self._ledger.number(request)
        try:
            self.send(request)
        except PlyhouseError:
            self._ledger.drop(request)
            raise
        return await answer

    def _write(self, link: _Link, message: Request) -> None:
        """Hand a message to the socket.

        `broadcast` is websockets' way to send without waiting for the peer; `send` bounds the buffer.
        """
        payload = encode(message, self._route.text)
        broadcast([link.socket], payload.decode() if self._route.text else payload)
        self._ledger.sent(message)

    # ---- one socket after the other

    async def _run(self) -> None:
        try:
            while True:
                await self._serve()
                await self._reenter()
        except PlyhouseError as reason:
            self._finish(reason)
        finally:
            self._finish(None)

    async def _serve(self) -> None:
        """Read from the socket until it is lost, and clear up behind it.

        Raises:
            Replaced: the server wants no more of us.
        """
        link = self._link
        assert link is not None  # `_enter` set it
        link.restoring = asyncio.create_task(self._restore(), name="plyhouse restore")
        try:
            await self._read(link.socket)
        finally:
            self._link = None
            if self._route.backoff.now() - link.since >= SETTLED_S:
                self._failures = 0
            await _hang_up(link)
            self._ledger.lost()
            self._route.on_link(False)

    async def _read(self, socket: ClientConnection) -> None:
        """Take messages until the connection is lost, or the server speaks no sense."""
        try:
            while True:
                frame = await socket.recv()
                text = isinstance(frame, str)
                self._take(frame.encode() if isinstance(frame, str) else frame, text)
        except (ConnectionClosed, ProtocolError):
            return

    def _take(self, payload: bytes, text: bool) -> None:
        try:
            message = decode_reply(payload, text)
        except ProtocolError as error:
            if error.fatal:
                raise
            return  # a type of message that a newer server knows
        news = message if message.re is None else self._ledger.settle(message)
        if news is not None:
            self._push(news)
        if isinstance(message, Bye) and message.code == Code.SESSION_REPLACED:
            raise Replaced(message.text)

    def _push(self, message: Push) -> None:
        """Queue a message for the program.

        Where the program is so far behind that the inbox overflows, all that is unread goes and the
        connection is made anew, as the server does with a client that does not read: after the next
        `Welcome` come the whole truths again.
        """
        self._ledger.observe(message)
        if not self._inbox.put(message):
            self._inbox.clear()
            if self._link is not None:
                self._link.socket.transport.abort()
        self._news.set()

    async def _enter(self) -> None:
        """Connect, say hello, and send what waits."""
        socket, welcome = await _dial(self._route, self._hello)
        self._link = _Link(socket, since=self._route.backoff.now())
        self.welcome = welcome
        self.name = welcome.name
        self.token = welcome.token or self.token
        if self.token is not None:
            self._hello = replace(self._hello, token=self.token, name=None, link=None)
        self._push(welcome)
        while (message := self._ledger.next_unsent()) is not None:
            self._write(self._link, message)
        self._route.on_link(True)

    async def _reenter(self) -> None:
        """Try to connect until it works.

        Raises:
            Unreachable: not within `give_up_after` seconds.
            Refusal: the server does not want this session any longer.
        """
        backoff, patience = self._route.backoff, self._route.give_up_after
        lost_at = backoff.now()
        while True:
            wait = backoff.wait(self._failures)
            left = wait if patience is None else max(0.0, patience - (backoff.now() - lost_at))
            await backoff.sleep(min(wait, left))
            self._failures += 1
            try:
                return await self._enter()
            except (Unreachable, Refusal) as error:
                if not _passes(error):
                    raise
                if patience is not None and backoff.now() - lost_at >= patience:
                    raise _given_up(error, patience) from error

    async def _restore(self) -> None:
        """Ask again for what the server forgot with the last connection, one at a time: no flood."""
        for standing in self._ledger.standing():
            while not await self._restored(standing):
                await self._route.backoff.sleep(STANDING_RETRY_S)

    async def _restored(self, standing: Request) -> bool:
        """Whether that is settled, granted or not; False asks for another try."""
        try:
            reply = await self.request(standing)
        except Refusal as error:
            if _passes(error):
                return False
            self._ledger.revoke(standing)
            reply = Error(code=error.code, text=error.text)
        self._push(replace(reply, re=None))
        return True

    def _finish(self, reason: PlyhouseError | None) -> None:
        """It is over: whoever waits for something is told.  Only the first call counts."""
        if self._over:
            return
        self._over = True
        self.reason = reason
        self._ledger.fail(self._farewell)
        self._news.set()

    def _farewell(self) -> Closed:
        """What to raise once it is over."""
        if self.reason is None:
            return Closed()
        kind = Replaced(self.reason.text) if isinstance(self.reason, Replaced) else None
        error = kind or Closed(self.reason.text, self.reason.code)
        error.__cause__ = self.reason
        return error


async def _dial(route: _Route, hello: Hello) -> tuple[ClientConnection, Welcome]:
    """One attempt: a socket that has been welcomed.

    Raises:
        Unreachable, Refusal: see `connect`.
    """
    place = urlsplit(route.url).netloc
    try:
        async with asyncio.timeout(route.open_timeout):
            socket = await open_socket(
                route.url,
                compression=None,
                proxy=route.proxy,
                open_timeout=None,  # the timeout around this covers hello as well
                ping_interval=PING_S,
                ping_timeout=PING_S,
                close_timeout=CLOSE_S,
                max_size=MAX_SERVER_FRAME,
                max_queue=None,  # the inbox bounds what is unread, and replies must get past it
                # Above what `send` lets wait, so that neither writing nor the keepalive ever pauses.
                write_limit=2 * MAX_UNREAD_BY_PEER,
            )
            return socket, await _greet(socket, hello, route.text)
    except TimeoutError:
        raise Unreachable(f"{place} did not answer within {route.open_timeout:g} seconds") from None
    except OSError as error:
        raise Unreachable(f"no server answers at {place} ({_cause(error)})") from error
    except (WebSocketException, ProtocolError) as error:
        raise Unreachable(
            f"{place} answers, but not as a Plyhouse server does ({error})"
        ) from error


async def _greet(socket: ClientConnection, hello: Hello, text: bool) -> Welcome:
    """Say hello and return the welcome; the socket is closed where there is none."""
    try:
        payload = encode(hello, text)
        await socket.send(payload.decode() if text else payload)
        frame = await socket.recv()
        is_text = isinstance(frame, str)
        reply = decode_reply(frame.encode() if isinstance(frame, str) else frame, is_text)
        if isinstance(reply, Error):
            raise refusal(reply)
        if isinstance(reply, Bye):
            raise Refusal(reply.code, reply.text)
        if not isinstance(reply, Welcome):
            raise ProtocolError(Code.PROTOCOL_BAD_MESSAGE, "its first message is no welcome")
    except BaseException:
        socket.transport.abort()
        await socket.wait_closed()
        raise
    return reply


async def _hang_up(link: _Link) -> None:
    """Close a socket, and end what was being done over it."""
    try:
        if link.restoring is not None:
            link.restoring.cancel()
            await asyncio.wait({link.restoring})
            if not link.restoring.cancelled():
                link.restoring.result()  # a bug in there must not pass unseen
        await link.socket.close()
    finally:
        link.socket.transport.abort()


def _passes(error: Unreachable | Refusal) -> bool:
    """Whether a further attempt may do better."""
    return isinstance(error, Unreachable) or error.code in PASSING


def _given_up(error: Unreachable | Refusal, patience: float) -> Unreachable:
    return Unreachable(f"gave up after {patience:g} seconds without a connection: {error.text}")


def _cause(error: OSError) -> str:
    """What the operating system says, in few words."""
    if isinstance(error, ConnectionRefusedError) or "Connect call failed" in str(error):
        return "connection refused"
    return error.strerror or str(error)
