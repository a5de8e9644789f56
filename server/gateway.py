"""Sockets: websockets' sans-I/O protocol under one asyncio.Protocol.

No task, queue or timer a connection.

Bytes come in, frames go to the house; frames the house pushes are written at once.  While a peer
does not read, what it should get is held, a newer match message taking the place of an older one;
who holds too much or reads nothing for too long is dropped, and may resume.  One sweep a second
does what each connection would otherwise need a timer for: pings, silence, a hello that never
comes.
"""

from __future__ import annotations

import asyncio
import logging
import statistics
from typing import TYPE_CHECKING, cast

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.protocol import OPEN, SEND_EOF, SERVER, Protocol
from websockets.server import ServerProtocol

from protocol.errors import Code
from server.pages import Pages
from server.runtime import Peer

if TYPE_CHECKING:
    from server.house import House

QUIET = logging.getLogger("plyhouse.websockets")
QUIET.setLevel(logging.ERROR)  # a peer's broken frame is no event of ours
PINGS = 5  # the lag of a line is the median of so many pings


def build(payload: bytes, text: bool) -> bytes:
    """One unfragmented, unmasked frame (RFC 6455, 5.2), the same bytes for every connection.

    Written out here because it is done for every move, and a server's frame is this simple.
    """
    first = 0x81 if text else 0x82
    size = len(payload)
    if size < 126:
        return bytes((first, size)) + payload
    if size < 1 << 16:
        return bytes((first, 126)) + size.to_bytes(2, "big") + payload
    return bytes((first, 127)) + size.to_bytes(8, "big") + payload


class Gateway:
    """All connections, and the sweep over them."""

    def __init__(self, house: House, pages: Pages) -> None:
        self.house = house
        self.pages = pages
        self.connections: set[Connection] = set()
        self.addresses: dict[str, int] = {}
        self._sweeping: asyncio.TimerHandle | None = None

    def __call__(self) -> Connection:
        """A new connection, as asyncio asks for one."""
        return Connection(self)

    def start(self) -> None:
        """Begin to sweep."""
        self._sweeping = self.house.loop.call_later(1, self._sweep)

    def stop(self) -> None:
        """End the sweep and what connections are left."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for connection in list(self.connections):
            connection.transport.abort()

    def _sweep(self) -> None:
        now = self.house.now()
        for connection in list(self.connections):
            connection.sweep(now)
        self._sweeping = self.house.loop.call_later(1, self._sweep)

    def crowded(self, address: str) -> bool:
        """Whether this address, or the server, has as many connections as it may."""
        config = self.house.config
        return (
            self.addresses.get(address, 0) > config.connections_per_address
            or len(self.connections) > config.connections
        )


class Connection(asyncio.Protocol):
    """One socket."""

    __slots__ = (
        "address", "closing", "gateway", "heard", "held", "opened", "parts", "parts_text",
        "paused", "peer", "pinged", "pings", "queued", "transport", "ws",
    )  # fmt: skip

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.ws: Protocol = ServerProtocol(max_size=gateway.house.config.max_frame, logger=QUIET)
        self.transport: asyncio.Transport
        self.peer: Peer | None = None
        self.address = ""
        self.opened = self.heard = self.pinged = gateway.house.now()
        self.paused: int | None = None  # since when the peer does not read
        self.held: dict[object, bytes] | None = None  # what waits for it meanwhile
        self.parts: list[bytes] | None = None  # of a fragmented message
        self.parts_text = False
        self.queued = False
        self.closing: int | None = None
        self.pings: tuple[int, ...] = ()

    # ------------------------------------------------------------ asyncio's calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A socket was accepted."""
        self.transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self.address = peer[0] if peer else ""
        gateway = self.gateway
        gateway.connections.add(self)
        gateway.addresses[self.address] = gateway.addresses.get(self.address, 0) + 1

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is gone."""
        gateway = self.gateway
        gateway.connections.discard(self)
        left = gateway.addresses.get(self.address, 1) - 1
        if left:
            gateway.addresses[self.address] = left
        else:
            gateway.addresses.pop(self.address, None)
        if self.peer is not None:
            peer, self.peer = self.peer, None
            gateway.house.lost(peer)

    def data_received(self, data: bytes) -> None:
        """Bytes: feed them to websockets and act upon the frames that are complete."""
        self.heard = self.gateway.house.now()
        ws = self.ws
        ws.receive_data(data)
        control = False
        for event in ws.events_received():
            if type(event) is Request:
                self._upgrade(event)
                return
            frame = cast(Frame, event)
            if frame.opcode is Opcode.BINARY and frame.fin:
                self._message(bytes(frame.data), text=False)
            elif frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._fragment(frame)
            else:
                control = True
                if frame.opcode is Opcode.PONG:
                    self._pong(bytes(frame.data))
        if control or ws.state is not OPEN:
            self._queue_flush()

    def eof_received(self) -> bool | None:
        """The peer has closed its half; answer what is due and close ours."""
        if self.ws.reader.eof:
            return None
        self.ws.receive_eof()
        self._flush()
        return None

    def pause_writing(self) -> None:
        """The peer does not read: hold what comes."""
        self.paused, self.held = self.gateway.house.now(), {}

    def resume_writing(self) -> None:
        """The peer reads again."""
        held, self.paused, self.held = self.held or {}, None, None
        self.transport.writelines(held.values())

    # ------------------------------------------------------------ frames in

    def _upgrade(self, request: Request) -> None:
        server = cast(ServerProtocol, self.ws)
        gateway = self.gateway
        response = gateway.pages.answer(request, server, gateway.crowded(self.address))
        server.send_response(response)
        self._flush()
        if server.state is not OPEN:
            return
        # The handshake object keeps the request's headers for as long as it lives: 2.7 kB a
        # connection.
        behind = bytes(server.reader.buffer)
        self.ws = Protocol(SERVER, max_size=gateway.house.config.max_frame, logger=QUIET)
        self.peer = gateway.house.connected(self)
        if behind:
            self.data_received(behind)

    def _message(self, data: bytes, text: bool) -> None:
        if self.closing is None and self.peer is not None:
            self.gateway.house.receive(self.peer, data, text)

    def _fragment(self, frame: Frame) -> None:
        """Put a message together; websockets has checked the order of the parts and their sum."""
        if frame.opcode is not Opcode.CONT:
            self.parts, self.parts_text = [], frame.opcode is Opcode.TEXT
        if self.parts is None:
            return
        self.parts.append(bytes(frame.data))
        if frame.fin:
            data, self.parts = b"".join(self.parts), None
            self._message(data, self.parts_text)

    def _pong(self, data: bytes) -> None:
        """A pong carries back when its ping was sent."""
        if len(data) != 8 or self.peer is None:
            return
        took = self.heard - int.from_bytes(data, "big")
        if 0 <= took <= self.gateway.house.config.silent_ms:
            self.pings = (*self.pings[1 - PINGS :], took)
            self.peer.lag = int(statistics.median(self.pings))

    # ------------------------------------------------------------ frames out (runtime.Line)

    def frame(self, payload: bytes, text: bool) -> bytes:
        """A payload as the bytes of one frame."""
        return build(payload, text)

    def push(self, frame: bytes, key: str | None) -> None:
        """Write a frame now; or, while the peer does not read, hold it in place of an older one
        of its key.
        """
        if self.closing is not None:
            return
        if self.held is None:
            self.transport.write(frame)
            return
        held = self.held
        held.pop(key, None)
        held[key if key is not None else object()] = frame
        if len(held) > self.gateway.house.config.held_messages:
            self.transport.abort()

    def end(self, code: int, reason: str) -> None:
        """Close after what was pushed; the peer has a moment to answer."""
        if self.closing is None and self.ws.state is OPEN:
            self.closing = self.gateway.house.now()
            self.ws.send_close(code, reason[:120])
            if self.held:
                self.transport.writelines(self.held.values())
                self.held = {}
            self._flush()

    def _queue_flush(self) -> None:
        """Control frames are sent once a loop turn."""
        if not self.queued:
            self.queued = True
            self.gateway.house.loop.call_soon(self._flush)

    def _flush(self) -> None:
        self.queued = False
        if self.transport.is_closing():
            return
        out = self.ws.data_to_send()
        self.transport.write(b"".join(out))
        if out and out[-1] == SEND_EOF:
            self.transport.close()

    # ------------------------------------------------------------ once a second

    def sweep(self, now: int) -> None:
        """Ping, and drop who is silent, stuck, or never said hello."""
        config = self.gateway.house.config
        peer = self.peer
        stuck = self.paused is not None and now - self.paused > config.stuck_ms
        dumb = peer is None and now - self.opened > config.hello_ms
        ended = self.closing is not None and now - self.closing > config.close_grace_ms
        if stuck or dumb or ended or now - self.heard > config.silent_ms:
            self.transport.abort()
        elif peer is not None and peer.state == "new" and now - self.opened > config.hello_ms:
            seconds = config.hello_ms // 1000
            self.gateway.house.bye(
                peer, Code.SESSION_HELLO_FIRST, f"no hello within {seconds} seconds", 1008
            )
        elif peer is not None and (now - self.pinged >= config.ping_ms or not self.pings):
            self._ping(now)

    def _ping(self, now: int) -> None:
        if self.ws.state is OPEN and self.held is None and now - self.pinged >= 1000:
            self.pinged = now
            self.ws.send_ping(now.to_bytes(8, "big"))
            self._flush()
