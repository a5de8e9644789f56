"""Sockets: websockets' sans-I/O protocol under one asyncio.Protocol.

No task, queue or timer a connection.

Bytes come in, frames go to the house; frames the house pushes are written at once.  While a peer
does not read, what it should get is held, a newer match message taking the place of an older one;
who holds too much or reads nothing for too long is dropped, and may resume.  One sweep a second
does what each connection would otherwise need a timer for: pings, silence, a hello that never
comes, a goodbye that is not answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import statistics
from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from websockets.exceptions import PayloadTooBig
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import OPEN, SEND_EOF, SERVER, Protocol
from websockets.server import ServerProtocol
from websockets.utils import apply_mask

from protocol.errors import Code
from protocol.messages import Error
from server.pages import Pages, sentence
from server.runtime import Peer

if TYPE_CHECKING:
    from server.house import House

QUIET = logging.getLogger("plyhouse.websockets")
QUIET.setLevel(logging.ERROR)  # a peer's broken frame is no event of ours
PINGS = 5  # the lag of a line is the median of so many pings
SLICE = 16 * 1024  # bytes of one read: more than that at once may be a flood
SPARE = 64  # connections beyond the limits, so that who is refused can be told so


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


def size(payload: int) -> int:
    """Bytes of a client's frame with a payload of so many; it could have used more."""
    return payload + (6 if payload < 126 else 8 if payload < 1 << 16 else 14)


class Gateway:
    """All connections, and the sweep over them."""

    def __init__(self, house: House, pages: Pages) -> None:
        self.house = house
        self.pages = pages
        self.connections: set[Connection] = set()
        self.addresses: dict[str, int] = {}
        config = house.config
        self.frames = max(1, config.frames_per_second * config.sweep_ms // 1000)  # a sweep
        self._sweeping: asyncio.TimerHandle | None = None

    def __call__(self) -> Connection:
        """A new connection, as asyncio asks for one."""
        return Connection(self)

    def start(self) -> None:
        """Begin to sweep."""
        wait = self.house.config.sweep_ms / 1000
        self._sweeping = self.house.loop.call_later(wait, self._sweep)

    def stop(self) -> None:
        """End the sweep and what connections are left."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for connection in list(self.connections):
            connection.drop()

    def _sweep(self) -> None:
        self.start()
        now = self.house.now()
        for connection in list(self.connections):
            connection.sweep(now)

    def crowded(self, address: str, spare: int = 0) -> bool:
        """Whether this address, or the server, has more connections than it may, and `spare`."""
        config = self.house.config
        return (
            self.addresses[address] > config.connections_per_address + spare
            or len(self.connections) > config.connections + spare
        )


class Connection(asyncio.Protocol):
    """One socket."""

    __slots__ = (
        "address", "asked", "closing", "frames", "gateway", "heard", "held", "held_bytes", "opened",
        "parts", "parts_text", "paused", "peer", "pinged", "pings", "queued", "transport",
        "unread", "ws",
    )  # fmt: skip

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self.ws: Protocol = ServerProtocol(max_size=gateway.house.config.max_frame, logger=QUIET)
        self.transport: asyncio.Transport
        self.peer: Peer | None = None  # from the handshake's end until the socket is gone
        self.address = ""
        self.asked = False  # a request was read, its response is due or was sent
        self.opened = self.heard = self.pinged = gateway.house.now()
        self.unread = 0  # bytes of the frame that the parser is in the middle of
        self.frames = gateway.frames  # that may still come before the next sweep
        self.paused: int | None = None  # since when the peer does not read
        self.held: dict[object, bytes] | None = None  # what waits for it meanwhile
        self.held_bytes = 0
        self.parts: bytearray | None = None  # of a fragmented message
        self.parts_text = False
        self.queued = False
        self.closing: int | None = None  # since when nothing more is said
        self.pings: tuple[int, ...] = ()

    # ------------------------------------------------------------ asyncio's calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A socket was accepted."""
        self.transport = cast(asyncio.Transport, transport)
        if hasattr(transport, "max_size"):
            transport.max_size = SLICE  # asyncio makes a buffer of this size for every read
        name = transport.get_extra_info("peername")
        self.address = name[0] if name else ""
        gateway = self.gateway
        gateway.connections.add(self)
        gateway.addresses[self.address] = gateway.addresses.get(self.address, 0) + 1
        if gateway.crowded(self.address, SPARE):
            self.drop()

    def connection_lost(self, exc: Exception | None) -> None:
        """The socket is gone."""
        gateway = self.gateway
        gateway.connections.discard(self)
        left = gateway.addresses[self.address] - 1
        if left:
            gateway.addresses[self.address] = left
        else:
            del gateway.addresses[self.address]
        self.closing = gateway.house.now()
        if self.peer is not None:
            peer, self.peer = self.peer, None
            gateway.house.lost(peer)

    def data_received(self, data: bytes) -> None:
        """Bytes: feed them to websockets and act upon the frames that are complete."""
        self.heard = self.gateway.house.now()
        if self.peer is not None and self._is_short(data):
            self.frames -= 1
            if self.frames < 0:
                self._flooded()
            self._message(apply_mask(data[6:], data[2:6]), text=False)
            return
        if self.peer is None:
            data = self._read_request(data)
            if not data:
                return
        self._read_frames(data)

    def eof_received(self) -> bool:
        """The peer has closed its half; with that asyncio closes ours, after what is due.

        Returns:
            True where what is due is not there yet.
        """
        if self.asked and self.peer is None and self.closing is None:
            return True
        self.ws.receive_eof()
        self._flush()
        return False

    def pause_writing(self) -> None:
        """The peer does not read: hold what comes."""
        self.paused, self.held, self.held_bytes = self.gateway.house.now(), {}, 0

    def resume_writing(self) -> None:
        """The peer reads again."""
        self.paused = None
        self._release()

    # ------------------------------------------------------------ frames in

    def _read_request(self, data: bytes) -> bytes:
        """Feed the HTTP request line by line: ServerProtocol would take frames that come right
        behind it for its own, before the request is answered.

        Returns:
            What came behind it.
        """
        at = 0
        while at < len(data) and self.closing is None and not self.asked:
            end = data.find(b"\n", at) + 1 or len(data)
            self.ws.receive_data(data[at:end])
            at = end
            for request in self.ws.events_received():
                self._answer(cast(Request, request))
                return data[at:] if self.peer is not None else b""
            if self.ws.handshake_exc is not None:
                self._misunderstood()
        return b""

    def _answer(self, request: Request) -> None:
        server = cast(ServerProtocol, self.ws)
        gateway = self.gateway
        self.asked = True
        gateway.pages.answer(request, server, gateway.crowded(self.address), self._respond)

    def _respond(self, response: Response) -> None:
        """Send the one response that there is on a connection, unless nobody waits any more."""
        if self.transport.is_closing():
            return
        server = cast(ServerProtocol, self.ws)
        gateway = self.gateway
        server.send_response(response)
        self._flush()
        if server.state is OPEN:
            # The handshake object keeps the request's headers for as long as it lives: 2.7 kB.
            self.ws = Protocol(SERVER, max_size=gateway.house.config.max_frame, logger=QUIET)
            self.peer = gateway.house.connected(self)

    def _misunderstood(self) -> None:
        """It was no HTTP request; websockets answers some of those itself, and cuts off others."""
        out = self.ws.data_to_send()
        if out == [SEND_EOF]:
            text = "This server speaks HTTP and WebSocket; it did not understand this request.\n"
            out.insert(0, sentence(HTTPStatus.BAD_REQUEST, text).serialize())
        self._write(out)

    def _is_short(self, data: bytes) -> bool:
        """Whether this is just one whole, plain, short binary frame: nearly all are, and it is read
        in half the time that the parser of all frames takes.
        """
        return (
            data[0] == 0x82  # final, binary
            and 6 < len(data) == data[1] - 122 < 132  # masked, at most 125 bytes, and all of them
            and self.parts is None
            and not self.unread
            and self.ws.state is OPEN
        )

    def _read_frames(self, data: bytes) -> None:
        ws = self.ws
        ws.receive_data(data)
        self.unread += len(data)
        control = False
        for event in ws.events_received():
            self.frames -= 1
            frame = cast(Frame, event)
            self.unread -= size(len(frame.data))
            if frame.opcode is Opcode.BINARY and frame.fin:
                self._message(bytes(frame.data), text=False)
            elif frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                self._fragment(frame)
            else:
                control = True
                if frame.opcode is Opcode.PONG:
                    self._pong(bytes(frame.data))
        if ws.state is not OPEN:
            self._broken()
            self._flush()
        elif control:
            self._queue_flush()
        if self.frames < 0:
            self._flooded()

    def _message(self, data: bytes, text: bool) -> None:
        if self.closing is None and self.peer is not None:
            self.gateway.house.receive(self.peer, data, text)

    def _fragment(self, frame: Frame) -> None:
        """Put a message together; websockets has checked the order of the parts and their sum."""
        if frame.opcode is not Opcode.CONT:
            self.parts, self.parts_text = bytearray(), frame.opcode is Opcode.TEXT
        if self.parts is None:
            raise AssertionError("websockets lets no part through that continues nothing")
        self.parts += frame.data
        if frame.fin:
            data, self.parts = bytes(self.parts), None
            self._message(data, self.parts_text)

    def _pong(self, data: bytes) -> None:
        """A pong carries back when its ping was sent."""
        if len(data) != 8 or self.peer is None:
            return
        took = self.heard - int.from_bytes(data, "big")
        if 0 <= took <= self.gateway.house.config.silent_ms:
            self.pings = (*self.pings[1 - PINGS :], took)
            self.peer.lag = int(statistics.median(self.pings))

    def _broken(self) -> None:
        """Say what was wrong with a frame before websockets' close frame goes out."""
        why = self.ws.parser_exc
        if why is None or self.peer is None or self.closing is not None:
            return
        large = isinstance(why, PayloadTooBig)
        code = Code.PROTOCOL_TOO_LARGE if large else Code.PROTOCOL_BAD_FRAME
        text = self.ws.close_sent.reason if self.ws.close_sent is not None else ""
        self.peer.send(Error(code=code, text=text))
        self._release()

    def _flooded(self) -> None:
        """More frames than can be meant well: say so, and read no more; the sweep does the rest."""
        if self.peer is not None and self.closing is None:
            text = f"more than {self.gateway.house.config.frames_per_second:,} frames in a second"
            self.gateway.house.bye(self.peer, Code.SESSION_FLOOD, text, 1008)
        self.transport.pause_reading()

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
        self.held_bytes += len(frame) - len(self.held.pop(key, b""))
        self.held[key if key is not None else object()] = frame
        config = self.gateway.house.config
        if len(self.held) > config.held_messages or self.held_bytes > config.held_bytes:
            self.drop()

    def end(self, code: int, reason: str) -> None:
        """Close after what was pushed; the peer has a moment to answer."""
        if self.closing is None and self.ws.state is OPEN:
            self.ws.send_close(code, reason[:120])
            self._release()
            self._flush()
            self.closing = self.gateway.house.now()

    def drop(self) -> None:
        """End without a word: this peer does not listen."""
        self.closing = self.gateway.house.now()
        self.transport.abort()

    def _release(self) -> None:
        """Hand over what was held."""
        held, self.held = self.held, None
        if held:
            self.transport.writelines(held.values())

    def _queue_flush(self) -> None:
        """Control frames are sent once a loop turn."""
        if not self.queued:
            self.queued = True
            self.gateway.house.loop.call_soon(self._flush)

    def _flush(self) -> None:
        self.queued = False
        if not self.transport.is_closing():
            self._write(self.ws.data_to_send())

    def _write(self, out: list[bytes]) -> None:
        """Send what websockets has to say; after its last word hang up."""
        if not out:
            return
        self.transport.write(b"".join(out))
        if out[-1] == SEND_EOF:
            self.closing, self.held = self.closing or self.gateway.house.now(), None
            if self._is_sending():
                with contextlib.suppress(OSError):  # the peer has reset it in this very moment
                    self.transport.write_eof()
            else:
                self.transport.close()

    def _is_sending(self) -> bool:
        """Whether the peer is in the middle of something that is too large to be read: to close a
        socket with unread bytes would take back the last words, so only our half is closed.
        """
        return self.ws.handshake_exc is not None or isinstance(self.ws.parser_exc, PayloadTooBig)

    # ------------------------------------------------------------ once a second

    def sweep(self, now: int) -> None:
        """Ping, and drop who is silent, stuck, or never said hello."""
        config = self.gateway.house.config
        self.frames = self.gateway.frames
        peer = self.peer
        slow = now - self.opened > config.hello_ms
        stuck = peer is not None and self.paused is not None and now - self.paused > config.stuck_ms
        dumb = peer is None and slow  # or slow in reading a page
        if stuck or dumb or self._is_over(now) or now - self.heard > config.silent_ms:
            self.drop()
        elif peer is not None and peer.state == "new" and slow:
            seconds = config.hello_ms / 1000
            text = f"no hello within {seconds:g} seconds"
            self.gateway.house.bye(peer, Code.SESSION_HELLO_FIRST, text, 1008)
        elif peer is not None and (now - self.pinged >= config.ping_ms or not self.pings):
            self._ping(now)

    def _is_over(self, now: int) -> bool:
        """Whether the last words were said long enough ago; a page may take longer to read."""
        if self.closing is None or (self.peer is None and self.transport.is_closing()):
            return False
        return now - self.closing > self.gateway.house.config.close_grace_ms

    def _ping(self, now: int) -> None:
        if self.ws.state is OPEN and self.held is None:
            self.pinged = now
            self.ws.send_ping(now.to_bytes(8, "big"))
            self._flush()
