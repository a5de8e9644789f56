"""What attacks are made of: connections that never block, and count what comes of them.

An attack is two coroutines over an `Assault`: `prepare` while all is quiet, `strike` from then on.
Its connections come from addresses of the loopback network, each of which the server takes for
somebody else.  Whatever it does is bounded: in time by `over`, in number by `quota`, in memory by
what a connection may have unsent (MAX_UNSENT).

What is waited for raises TurnedAway or TimeoutError where it does not come, and PlyhouseError where
it is refused; `in_parallel` takes all three.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import socket
import struct
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, TypeVar
from weakref import WeakSet

import msgspec
from msgspec.structs import replace

from bench.support.wire import BINARY, CLOSE, PING, PONG, TEXT, frame, handshake, split_frames
from protocol.codec import decode_reply, encode
from protocol.errors import PlyhouseError
from protocol.messages import Error, Hello, Push, Request, Welcome
from protocol.parts import BotInfo

HOST: Final = "127.0.0.1"
PROXY: Final = "127.99.0.1"  # whose word the server takes for whom it connects
TICK: Final = 0.02  # seconds between two bursts of a flood
TIMEOUT_S: Final = 10.0  # seconds for an answer, while the server is under attack
AT_ONCE: Final = 16  # connections that are being opened at the same time
MAX_UNSENT: Final = 256 * 1024  # bytes of one connection
SHORT: Final = 1_024  # bytes of a message that may be a refusal
CODE: Final = re.compile(
    rb"(?:protocol|session|lobby|room|match|chat|analysis|hint|invite|ladder|server)/[a-z-]+"
)
HANG_UP: Final = struct.pack("ii", 1, 0)  # SO_LINGER: reset, so that no port is kept waiting
LATE_PORT: Final = 24  # IP_BIND_ADDRESS_NO_PORT of Linux: more connections than there are ports
NUMBERS: Final = itertools.count(1)  # of requests, names, whatever has to be new each time

# An own program and game, so that nobody is given one of these as an opponent or an adviser.
PROGRAM: Final = BotInfo(program="intruder", games=["tic_tac_toe"])

P = TypeVar("P", bound=Push)
T = TypeVar("T")


class AttackCounts(msgspec.Struct, kw_only=True):
    """What one round of an attack did.  Bytes are of WebSocket frames or HTTP, without TCP's own.

    `turned_away` counts connections that were not let in, `cut` those that were ended after it;
    `codes` what was refused, and `done` what the attack is about, such as rooms that were opened.
    """

    seconds: float = 0.0
    busy: float = 0.0  # share of a core that the attackers' process used
    connections: int = 0
    turned_away: int = 0
    cut: int = 0
    messages: int = 0
    sent: int = 0
    received: int = 0
    codes: dict[str, int] = {}
    done: dict[str, int] = {}
    wrong: list[str] = []  # what it was given that nobody may get, in sentences

    def count(self, what: str, times: int = 1) -> None:
        self.done[what] = self.done.get(what, 0) + times


class TurnedAway(ConnectionError):
    """The server did not let a connection in, or ended it."""


class HostileConnection(asyncio.Protocol):
    """One connection: plain until `upgrade`, then a WebSocket that answers pings and nothing else.

    What comes is counted; it is kept only while somebody waits in `wait_for`.
    """

    transport: asyncio.Transport

    def __init__(self, counts: AttackCounts) -> None:
        self.counts = counts
        self.closed = False
        self.leaving = False  # closed by ourselves
        self.token = self.name = ""  # as it was welcomed
        self.heard = 0  # messages that came
        self.pongs = True  # whether it answers pings
        self._plain = False  # HTTP and nothing else
        self._head: bytes | None = b""  # of the answer to the handshake; None once it is there
        self._ponged = False
        self._rest = b""
        self._messages: list[Push] = []
        self._waiter: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        self.counts.cut += not self.leaving
        self._wake()

    def data_received(self, data: bytes) -> None:
        self.counts.received += len(data)
        if self._plain:
            self._head = ((self._head or b"") + data)[:SHORT]
            return
        if self._head is not None:
            self._head += data
            head, end, data = self._head.partition(b"\r\n\r\n")
            if not end:
                return
            if b" 101 " not in head[:16]:
                self.leave()
                return
            self._head = None
            self._wake()
        frames, self._rest = split_frames(self._rest + data)
        for first, payload in frames:
            self._take(first, payload)

    def _take(self, first: int, payload: bytes) -> None:
        if first == PING:
            if self.pongs:
                self.transport.write(frame(payload, PONG))
        elif first == PONG:
            self._ponged = True
            self._wake()
        elif first in (BINARY, TEXT):
            self.heard += 1
            if len(payload) < SHORT:
                for code in CODE.findall(payload):
                    word = code.decode()
                    self.counts.codes[word] = self.counts.codes.get(word, 0) + 1
            if self._waiter is not None:
                self._messages.append(decode_reply(payload, first == TEXT))
                self._wake()
        elif first == CLOSE:
            self.transport.close()

    def write(self, data: bytes, messages: int = 1) -> bool:
        """Send bytes, unless the connection is gone or the server takes no more.  Says which."""
        if self.closed or self.transport.get_write_buffer_size() > MAX_UNSENT:
            return False
        self.transport.write(data)
        self.counts.sent += len(data)
        self.counts.messages += messages
        return True

    def send(self, *requests: Request) -> None:
        self.write(b"".join(frame(encode(request)) for request in requests), len(requests))

    async def upgrade(self, port: int, headers: str = "") -> None:
        self.write(handshake(HOST, port, headers=headers), 0)
        async with asyncio.timeout(TIMEOUT_S):
            while self._head is not None:
                await self._woken()

    def speak_http(self) -> None:
        self._plain = True

    async def status(self) -> str:
        """Wait until the server has answered a request of HTTP and closed; return the status."""
        self.speak_http()
        self.leaving = True
        async with asyncio.timeout(TIMEOUT_S):
            while not self.closed:
                await self._rest_until_woken()
        return (self._head or b"")[9:12].decode(errors="replace")

    async def ask(self, request: Request, answer: type[P]) -> P:
        """Send a request, which is given an id of its own, and return the answer."""
        self._messages.clear()
        asked = replace(request, id=next(NUMBERS))
        self.send(asked)
        return await self.wait_for(answer, asked.id)

    async def wait_for(self, answer: type[P], re: int | None = None) -> P:
        """Wait for a message of this class; with `re`, for the answer to that request."""
        async with asyncio.timeout(TIMEOUT_S):
            while True:
                await self._woken()
                messages, self._messages = self._messages, []
                for at, message in enumerate(messages):
                    if isinstance(message, Error) and message.re == re:
                        raise PlyhouseError(message.code, message.text)
                    if isinstance(message, answer) and re in (None, message.re):
                        self._messages = messages[at + 1 :]
                        return message

    async def ask_all(self, requests: Sequence[Request], answer: type[P]) -> list[P]:
        """Send requests at once, and return the answers to those that were granted."""
        self._messages.clear()
        asked = [replace(request, id=next(NUMBERS)) for request in requests]
        self.send(*asked)
        waiting, granted = {request.id for request in asked}, list[P]()
        async with asyncio.timeout(TIMEOUT_S):
            while waiting:
                await self._woken()
                messages, self._messages = self._messages, []
                answers = [message for message in messages if message.re in waiting]
                waiting.difference_update(message.re for message in answers)
                granted += [message for message in answers if isinstance(message, answer)]
        return granted

    async def settle(self, seconds: float) -> None:
        """Wait until the server has read all that was sent, or has hung up; at most so long."""
        self._ponged = False
        self.write(frame(b"", PING), 0)
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while not (self.closed or self._ponged):
                    self._messages.clear()
                    await self._rest_until_woken()

    def leave(self) -> None:
        self.leaving = True
        self.transport.abort()

    async def _woken(self) -> None:
        if self.closed or self.leaving:
            raise TurnedAway("the server ended the connection")
        await self._rest_until_woken()

    async def _rest_until_woken(self) -> None:
        self._waiter = asyncio.get_running_loop().create_future()
        if self._messages:
            self._wake()
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


class AssaultPlan(msgspec.Struct, frozen=True):
    """How much of an attack is asked for.

    `addresses`: how many the attacker has; `rate`: messages a second of each connection, `count`:
    of what the attack is about, `crowd`: connections; None for what the attack has of itself.
    """

    seconds: float = 5.0
    addresses: int = 1
    rate: float | None = None
    count: int | None = None
    crowd: int | None = None


class Assault:
    """One attack on one server: where it is, from where, how much; and what has come of it."""

    def __init__(self, port: int, plan: AssaultPlan, network: int = 2) -> None:
        """The attacker's addresses are 127.0.`network`.1, .2 and so on."""
        self.port = port
        self.plan = plan
        self.network = network
        self.counts = AttackCounts()
        self.links: list[HostileConnection] = []
        self.room = 0
        self.match = ""
        self._until = 0.0
        self._sources = itertools.cycle([f"127.0.{network}.{1 + n}" for n in range(plan.addresses)])
        self._openings: set[asyncio.Task[None]] = set()
        self._opened: WeakSet[HostileConnection] = WeakSet()

    def begin(self) -> None:
        self.counts = AttackCounts()
        for link in self.links:
            link.counts = self.counts
        self._until = asyncio.get_running_loop().time() + self.plan.seconds

    @property
    def over(self) -> bool:
        return asyncio.get_running_loop().time() >= self._until

    def quota(self, usual: int) -> int:
        """How many of what the attack is about: what was asked for, or the usual number."""
        return usual if self.plan.count is None else self.plan.count

    def crowd_size(self, usual: int) -> int:
        return usual if self.plan.crowd is None else self.plan.crowd

    def rate(self, usual: float) -> float:
        return usual if self.plan.rate is None else self.plan.rate

    def own_name(self, what: str) -> str:
        return f"{what}-{self.network}-{next(NUMBERS)}"

    async def connect(self, source: str | None = None) -> HostileConnection:
        """Open a connection, from the next address or from `source`."""
        loop, counts = asyncio.get_running_loop(), self.counts
        sock = socket.socket()
        try:
            sock.setblocking(False)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, HANG_UP)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with suppress(OSError):
                sock.setsockopt(socket.IPPROTO_IP, LATE_PORT, 1)
            sock.bind((source or next(self._sources), 0))
            async with asyncio.timeout(TIMEOUT_S):
                await loop.sock_connect(sock, (HOST, self.port))
                _, link = await loop.create_connection(lambda: HostileConnection(counts), sock=sock)
        except BaseException as error:
            sock.close()
            if not isinstance(error, OSError):
                raise
            counts.turned_away += 1
            raise TurnedAway(str(error)) from None
        counts.connections += 1
        self._opened.add(link)
        return link

    async def upgraded(self, source: str | None = None, headers: str = "") -> HostileConnection:
        link = await self.connect(source)
        await self._let_in(link, link.upgrade(self.port, headers))
        return link

    async def guest(
        self, source: str | None = None, bot: BotInfo | None = PROGRAM, name: str | None = None,
        headers: str = "", token: str | None = None,
    ) -> HostileConnection:  # fmt: skip
        """Open a WebSocket and say hello, as a program, which may send more than a person."""
        link = await self.upgraded(source, headers)
        hello = Hello(version=1, bot=bot, name=name, token=token)
        welcome = await self._let_in(link, link.ask(hello, Welcome))
        link.name, link.token = welcome.name, token or welcome.token or ""
        return link

    async def _let_in(self, link: HostileConnection, entering: Awaitable[T]) -> T:
        try:
            return await entering
        except (TurnedAway, TimeoutError, PlyhouseError) as error:
            link.leave()
            self.counts.turned_away += 1
            raise TurnedAway(str(error)) from None

    async def fill(
        self, size: int, open_one: Callable[[], Awaitable[HostileConnection]] | None = None
    ) -> None:
        """Have `size` connections open, of guests or others, or as many as are let in."""
        missing = size - len(self.links)

        async def open_many(share: int) -> None:
            for _ in range(share):
                try:
                    self.links.append(await (open_one or self.guest)())
                except TurnedAway:
                    return

        await asyncio.gather(*(open_many(missing // AT_ONCE + 1) for _ in range(AT_ONCE)))
        for link in self.links[size:]:
            link.leave()
        del self.links[size:]

    async def flood(self, request: Request | bytes, rate: float, first: int = BINARY) -> None:
        """Send this from every connection, `rate` times a second each, until the time is up.

        Connections that are ended meanwhile are opened again, one after the other.
        """
        payload = request if isinstance(request, bytes) else encode(request)
        loop, data, done, rate = (
            asyncio.get_running_loop(),
            frame(payload, first),
            0,
            self.rate(rate),
        )
        begin = loop.time()
        while not self.over:
            due = int((loop.time() - begin) * rate) - done
            count = min(due, 1 + int(rate / 4))
            for link in self.links if due else ():
                link.write(data * count, count)
            done += due
            self._come_back()
            await asyncio.sleep(TICK)

    async def in_parallel(
        self, one: Callable[[int], Awaitable[None]], tasks: int, times: int | None = None
    ) -> None:
        """Do something over and over, `tasks` at the same time, until the time is up.

        `one` is told how often it was done before; it is done `times` in all (None: no bound).
        Refusals are counted.
        """
        numbers = itertools.count() if times is None else iter(range(times))

        async def again() -> None:
            while not self.over and (number := next(numbers, None)) is not None:
                try:
                    await one(number)
                except (TurnedAway, TimeoutError):
                    await asyncio.sleep(TICK)
                except PlyhouseError:
                    self.counts.count("refused")
                    await asyncio.sleep(TICK)

        await asyncio.gather(*(again() for _ in range(tasks)))

    async def visits(
        self, come: Callable[[int], Awaitable[HostileConnection]],
        do: Callable[..., Awaitable[object]], tasks: int, times: int | None = None, *,
        links: int = 1,
    ) -> None:  # fmt: skip
        """Over and over: come with so many connections, `do` something with them, and hang up.

        `come` is told how often it was done before.
        """

        async def visit(number: int) -> None:
            here = [await come(number) for _ in range(links)]
            for link in here:
                link.counts = self.counts
            try:
                await do(*here)
            finally:
                for link in here:
                    link.leave()

        await self.in_parallel(visit, tasks, times)

    async def come(self, _: int = 0) -> HostileConnection:
        """Come as a guest; for `visits`."""
        return await self.guest()

    async def hold_on(self) -> None:
        await asyncio.sleep(max(0.0, self._until - asyncio.get_running_loop().time()))

    async def close(self) -> None:
        for opening in self._openings:
            opening.cancel()
        await asyncio.gather(*self._openings, return_exceptions=True)
        for link in list(self._opened):
            link.leave()
        self.links.clear()
        for _ in range(3):  # turns, in the first of which asyncio closes them
            await asyncio.sleep(0)

    def _come_back(self) -> None:
        """Open one connection in the place of one that was ended, unless that is being done."""
        gone = next((n for n, link in enumerate(self.links) if link.closed), None)
        if gone is None or self._openings:
            return

        async def reopen(place: int) -> None:
            with suppress(TurnedAway):
                self.links[place] = await self.guest()

        task = asyncio.get_running_loop().create_task(reopen(gone))
        self._openings.add(task)
        task.add_done_callback(self._openings.discard)


class Attack(NamedTuple):
    """An attack by its name.  `strike` and `prepare` are given the assault.

    `breaks`: its house has no limits, and must not hold; `anchors`: its house has them.
    """

    name: str
    about: str
    strike: Callable[[Assault], Awaitable[object]]
    prepare: Callable[[Assault], Awaitable[object]] | None = None
    breaks: bool = False
    anchors: bool = False


async def strike_once(assault: Assault, attack: Attack, prepare: bool = True) -> AttackCounts:
    loop = asyncio.get_running_loop()
    if prepare and attack.prepare is not None:
        await attack.prepare(assault)
    assault.begin()
    begin = loop.time()
    await attack.strike(assault)
    assault.counts.seconds = loop.time() - begin
    return assault.counts


def most_frequent(codes: dict[str, int], how_many: int = 3) -> list[tuple[str, int]]:
    return Counter(codes).most_common(how_many)
