"""The network between the hosts: lines that delay, hold back, repeat and break.

A Line joins two ends, as a WebSocket does: what is written at one end arrives at the other whole,
in order, later, or never, if the line breaks.  It takes the place of sockets and of `websockets`:
an end is the server's Transport (server/rooms/peers.py) or the client's ServerLink
(client/presence.py).  So frames, HTTP, TLS and what a socket does with a peer that does not read
are not simulated, but for the pings, by which both sides notice that the other one is gone.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable
from typing import Any, Protocol

from client.connection import PING_S
from client.errors import LinkLost, Unreachable
from client.ledger import refusal
from protocol import codec
from protocol import messages as wire
from protocol.errors import Refusal
from server.net.frames import PINGS
from server.rooms.peers import Peer
from tests.simulation.loop import Host, SimulatedLoop

DIAL_S = 10.0  # for an attempt, as in client/connection.py
GRAIN_S = 0.001  # deliveries fall on these moments, so that many are due at once


class Path:
    """One direction of a line."""

    __slots__ = ("arrives", "held", "is_shut", "slow_s")

    def __init__(self) -> None:
        self.arrives = 0.0  # when the last that was written arrives
        self.is_shut = False  # nothing gets through for now
        self.held: deque[tuple[Callable[..., None], tuple[Any, ...]]] = deque()
        self.slow_s = 0.0


class Watcher(Protocol):
    """Who hears of everything that is written and read, in order."""

    def wrote(self, line: Line, payload: bytes, is_clients: bool) -> object:
        """Something was written; what is returned goes with it."""

    def shown(self, line: Line, message: wire.Push, mark: Any) -> None:
        """A client was shown something."""


class Network:
    """All lines."""

    def __init__(self, seed: str, loop: SimulatedLoop, watcher: Watcher) -> None:
        self.loop = loop
        self.watcher = watcher
        self.rng = random.Random(f"{seed} network")
        self.lines: dict[int, Line] = {}
        self.made = 0
        self.shut: set[tuple[str, bool]] = set()  # hosts of clients, and whether it is their way up
        self.slow: dict[str, float] = {}

    def carry(self, path: Path, host: Host, deliver: Callable[..., None], *args: Any) -> None:
        """Have something arrive at a host, after all that was written before."""
        if path.is_shut:
            path.held.append((deliver, (host, *args)))
            return
        draw = self.rng.random()
        late = 0.002 + 0.02 * draw + (0.3 if draw > 0.995 else 0.0) + path.slow_s
        at = int((self.loop.now + late) / GRAIN_S + 1) * GRAIN_S
        path.arrives = at = max(at, path.arrives)
        self.loop.at(host, at, deliver, *args)

    def set_shut(self, name: str, up: bool, shut: bool) -> None:
        """Let nothing of a client's through in one direction, or let through what was held."""
        if shut:
            self.shut.add((name, up))
        else:
            self.shut.discard((name, up))
        for line in list(self.lines.values()):
            if line.client.name == name:
                path = line.up if up else line.down
                path.is_shut = shut
                while path.held and not shut:
                    deliver, (host, *args) = path.held.popleft()
                    self.carry(path, host, deliver, *args)

    def set_slow(self, name: str, seconds: float) -> None:
        """Have everything from and to a client take so much longer."""
        self.slow[name] = seconds
        for line in self.lines.values():
            if line.client.name == name:
                line.up.slow_s = line.down.slow_s = seconds


class Line:
    """One connection between a client's host and a server."""

    def __init__(self, network: Network, client: Host, server: Any) -> None:
        network.made += 1
        self.number = network.made
        self.network = network
        self.client = client
        self.up, self.down = Path(), Path()
        self.up.is_shut = (client.name, True) in network.shut
        self.down.is_shut = (client.name, False) in network.shut
        self.up.slow_s = self.down.slow_s = network.slow.get(client.name, 0.0)
        self.near = ClientEnd(self)
        self.far = ServerEnd(self, server)
        network.lines[self.number] = self

    def cut(self, client: bool = True, server: bool = True) -> None:
        """Break it; what is under way is lost.  One end may not hear of it."""
        self.network.lines.pop(self.number, None)
        if client:
            self.network.loop.soon(self.client, self.near.lost, "cut")
        if server:
            self.network.loop.soon(self.far.host, self.far.lost)


class ServerEnd:
    """A connection as the server sees it: a Transport, and what a Socket does for its Peer."""

    def __init__(self, line: Line, server: Any) -> None:
        self.line = line
        self.number = line.number
        self.server = server
        self.host: Host = server.host
        self.origin = f"10.0.{hash_of(line.client.name) % 200}.1"
        self.peer: Peer | None = None
        self.opened = self.heard = self.pinged = 0
        self.closing: int | None = None
        self.rests: int | None = None
        self.took: tuple[int, ...] = ()  # ms of the last pings
        self.kept: list[bytes] = []

    def accept(self) -> None:
        """Tell the hub."""
        self.opened = self.heard = self.pinged = self.server.now()
        self.peer = self.server.hub.connected(self)
        self.server.ends[self.line.number] = self

    def frame(self, payload: bytes, text: bool) -> bytes:
        """As Transport says: there are no heads here."""
        return payload

    def push(self, frame: bytes, key: str | None) -> None:
        """As Transport says."""
        if self.closing is None and self.peer is not None:
            line, network = self.line, self.line.network
            mark = network.watcher.wrote(line, frame, False)
            network.carry(line.down, line.client, line.near.arrive, frame, mark)

    def push_in_turn(self, frame: bytes, key: str | None) -> None:
        """As Transport says; there is time at once."""
        self.push(frame, key)

    def end(self, code: int, reason: str) -> None:
        """As Transport says."""
        if self.closing is None:
            self.closing = self.server.now()
            line = self.line
            line.network.carry(line.down, line.client, line.near.closed, code, reason)

    def rest(self, ms: int) -> None:
        """As Transport says."""
        self.rests = self.server.now() + ms

    def arrive(self, payload: bytes) -> None:
        """Read a message."""
        if self.peer is None or self.closing is not None:
            return
        self.heard = self.server.now()
        if self.rests is not None:
            self.kept.append(payload)
            return
        self.server.receive(self, payload)

    def ping(self) -> None:
        """Answer a ping of the client's."""
        if self.peer is not None:
            self.heard = self.server.now()
            line = self.line
            line.network.carry(line.down, line.client, line.near.pong)

    def pong(self) -> None:
        """Take the answer to a ping: that is how long the way is."""
        if self.peer is not None:
            self.heard = self.server.now()
            self.took = (*self.took[1 - PINGS :], max(0, self.heard - self.pinged))
            self.peer.lag = min(self.took)

    def lost(self) -> None:
        """Tell the hub that the line is gone."""
        self.server.ends.pop(self.line.number, None)
        if self.peer is not None:
            peer, self.peer = self.peer, None
            self.server.hub.lost(peer)

    def sweep(self, now: int) -> None:
        """Look after a peer that is silent, slow to say hello, or does not end."""
        config, peer = self.server.hub.config, self.peer
        if peer is None:
            return
        if self.rests is not None and now >= self.rests:
            self.rests, kept, self.kept = None, self.kept, []
            for payload in kept:
                self.arrive(payload)
        if now - self.heard > config.silent_ms or (
            self.closing is not None and now - self.closing > config.close_grace_ms
        ):
            self.line.cut()
        elif peer.state == "new" and now - self.opened > config.hello_ms:
            peer.bye("session/hello-first", "no hello", 1008)  # type: ignore[arg-type]
        elif now - self.pinged >= config.ping_ms:
            self.pinged = now
            line = self.line
            line.network.carry(line.down, line.client, line.near.ping)


class ClientEnd:
    """A connection as the client library sees it: a ServerLink."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.welcome: wire.Welcome
        self.open = True
        self.latency_ms = 0
        self.backlog = 0
        self._news: deque[tuple[bytes, Any]] = deque()
        self._waits: asyncio.Future[None] | None = None
        self._pongs: list[asyncio.Future[None]] = []
        self._pinging: Any = None
        self._asked: float | None = None

    def write(self, message: wire.Request) -> None:
        """As ServerLink says."""
        if not self.open:
            return
        line, network = self.line, self.line.network
        payload = codec.encode(message)
        network.watcher.wrote(line, payload, True)
        network.carry(line.up, line.far.host, line.far.arrive, payload)

    async def read(self) -> wire.Push:
        """As ServerLink says."""
        while not self._news:
            if not self.open:
                raise LinkLost("cut")
            self._waits = asyncio.get_running_loop().create_future()
            await self._waits
        payload, mark = self._news.popleft()
        message = codec.decode_reply(payload)
        self.line.network.watcher.shown(self.line, message, mark)
        return message

    async def answers(self, within_s: float) -> bool:
        """As ServerLink says."""
        raise NotImplementedError("no player here asks for it")

    def cut(self) -> None:
        """As ServerLink says."""
        if self.open:
            self.lost("here")
            self.line.network.lines.pop(self.line.number, None)
            line = self.line
            if not line.up.is_shut:  # else the server never hears of it
                line.network.carry(line.up, line.far.host, line.far.lost)

    async def close(self) -> None:
        """As ServerLink says; the goodbye itself is not waited for."""
        self.cut()

    def arrive(self, payload: bytes, mark: Any) -> None:
        """Take a message."""
        if self.open:
            self._news.append((payload, mark))
            self._wake()

    def closed(self, code: int, reason: str) -> None:
        """The server has ended it, after what it has written."""
        self.cut()

    def lost(self, why: str) -> None:
        """The line is gone; what has come may still be read."""
        self.open = False
        self._wake()
        if self._pinging is not None:
            self._pinging.cancel()

    def _wake(self) -> None:
        if self._waits is not None and not self._waits.done():
            self._waits.set_result(None)

    def ping(self) -> None:
        """Answer a ping of the server's."""
        if self.open:
            line = self.line
            line.network.carry(line.up, line.far.host, line.far.pong)

    def keep_alive(self) -> None:
        """Ask the server now and then whether it is there, as `websockets` does."""
        line = self.line
        if self._asked is not None:
            self.cut()
            return
        self._asked = line.network.loop.now
        line.network.carry(line.up, line.far.host, line.far.ping)
        self._pinging = line.network.loop.call_later(PING_S, self.keep_alive)

    def pong(self) -> None:
        """Take the answer."""
        if self._asked is not None:
            self.latency_ms = round((self.line.network.loop.now - self._asked) * 1000)
            self._asked = None


async def dial(network: Network, client: Host, server: Any, hello: wire.Hello) -> ClientEnd:
    """One attempt at a server, as client/connection.py makes it.

    Raises:
        Unreachable, Refusal: see client.connection.connect.
    """
    if server is None or not server.is_listening:
        await asyncio.sleep(0.003)
        raise Unreachable("connection refused")
    try:
        async with asyncio.timeout(DIAL_S):
            line = Line(network, client, server)
            line.network.carry(line.up, line.far.host, line.far.accept)
            end = line.near
            try:
                end.write(hello)
                reply = await end.read()
                if isinstance(reply, wire.Welcome):
                    end.welcome = reply
                    end._pinging = network.loop.call_later(PING_S, end.keep_alive)
                    return end
                if isinstance(reply, wire.Error):
                    raise refusal(reply)
                if isinstance(reply, wire.Bye):
                    raise Refusal(reply.code, reply.text)
                raise AssertionError(f"its first message is no welcome: {reply}")
            except BaseException:
                end.cut()
                raise
    except TimeoutError:
        raise Unreachable("did not answer in time") from None
    except LinkLost as error:
        raise Unreachable(str(error)) from error


def hash_of(name: str) -> int:
    """A number for a name, the same in every process."""
    return sum(n * ord(letter) for n, letter in enumerate(name, 7))
