"""Sockets: websockets' sans-I/O protocol under one asyncio.Protocol.

No task, queue or timer a connection.  It begins as a visit (visits.py), over HTTP.

Bytes come in, frames go to the hub; frames that the hub pushes are written at once, several that
belong together as one (write_batch.py), or in turn if many are sent the same (broadcast_queue.py).
While a peer does not read, what it should get is held, and a newer match message replaces an older
one.  A peer for which too much is held, or which reads nothing for too long, is dropped and may
resume.

What is read is paid by its address (addresses.py).  While an address rests because it goes too
fast, its connections keep what they have read, and read no more.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import cast

from websockets.exceptions import PayloadTooBig
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN, SEND_EOF, SERVER, Protocol

from protocol.errors import Code
from protocol.messages import Error
from server.config import CONTROL, PART
from server.net import frames
from server.net.addresses import Address, forget_ends
from server.net.gateway import Gateway
from server.net.visits import QUIET, Visit, handshake
from server.rooms.peers import Peer

A_REQUEST = 2 * 1024  # bytes of one read of HTTP: what a browser asks for at once
SLICE = 512  # ... and of frames: more at once may be a flood, and 80 pings are 2 ms of work


class Socket(asyncio.Protocol):
    """One TCP connection: HTTP first, then a WebSocket.  It is the Transport of a Peer."""

    __slots__ = (
        "address", "closing", "frames", "gateway", "heard", "held", "holds", "host", "kept",
        "opened", "origin", "parts", "parts_text", "paused", "peer", "pinged", "pings", "queued",
        "rests", "transport", "unread", "visit", "ws",
    )  # fmt: skip

    def __init__(self, gateway: Gateway, host: str | None = None) -> None:
        self.gateway = gateway
        self.host = host
        self.ws: Protocol | None = handshake(gateway)  # None: there is nothing for it to do
        self.visit: Visit | None = Visit(self)  # until it is a WebSocket
        self.transport: asyncio.Transport
        self.peer: Peer | None = None  # from the handshake's end until the socket is gone
        self.address: Address
        self.origin = ""
        self.kept: deque[Callable[[], None]] | None = None  # what was read, until there is time
        self.rests: int | None = None  # until when nothing is read from it
        self.opened = self.heard = self.pinged = gateway.now()
        self.unread = 0  # bytes of the frame that the parser is in the middle of
        self.frames = gateway.frames  # that may still come before the next sweep
        self.paused: int | None = None  # since when the peer does not read
        self.held: frames.WaitingFrames | None = None  # what waits for that, or for its turn
        self.holds = 0  # bytes in memory that are counted for it: see count_held
        self.parts: bytearray | None = None  # of a fragmented message
        self.parts_text = False
        self.queued = False
        self.closing: int | None = None  # since when nothing more is said
        self.pings = frames.Pings()

    # ------------------------------------------------------------ asyncio's calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Count a new connection, or drop it if there are far too many."""
        self.transport = cast(asyncio.Transport, transport)
        self._read_at_most(A_REQUEST)
        gateway = self.gateway
        if self.host is None:
            name = transport.get_extra_info("peername")
            self.host = name[0] if name else ""
        self.address = gateway.addresses.of_connection(self.host)
        self.address.count(1)
        self.origin = self.address.name
        gateway.sockets.add(self)
        if gateway.crowded(self.address, gateway.config.spare_connections):
            self.drop()

    def _read_at_most(self, size: int) -> None:
        if hasattr(self.transport, "max_size"):
            self.transport.max_size = size  # asyncio makes a buffer of this size for every read

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection and tell the hub."""
        gateway = self.gateway
        gateway.sockets.discard(self)
        gateway.begin_request(self)
        self.address.count(-1)
        self.closing, self.kept, self.held, self.parts = gateway.now(), None, None, None
        gateway.hold(self, 0)
        self._let_go_of_websocket()
        self.visit = None
        if self.peer is not None:
            peer, self.peer = self.peer, None
            gateway.hub.lost(peer)

    def data_received(self, data: bytes) -> None:
        """Read bytes, or keep them until there is time."""
        now = self.heard = self.gateway.now()
        pace = self.address.pace
        may_wait = self.rests is not None or self.visit is not None or pace.resting is not None
        if may_wait and self._must_wait():
            self._keep(partial(self._read, data))
            return
        self._read(data, now)
        if pace.allowance.level <= 0:
            pace.rest_if_fast()

    def _must_wait(self) -> bool:
        return (
            self.rests is not None
            or (self.visit is not None and self._owes_answer(self.visit))
            or self.address.pace.resting is not None
        )

    def _owes_answer(self, visit: Visit) -> bool:
        """Whether an answer over HTTP is still being made, or the peer has not taken the last."""
        return self.closing is None and (visit.asked or self.paused is not None)

    def _keep(self, work: Callable[[], None]) -> None:
        """Keep what was read, and read no more for now."""
        self.gateway.begin_request(self)
        if self.kept is None:
            self.kept = deque()
            self.transport.pause_reading()
            self._wait()
        self.kept.append(work)

    def _wait(self) -> None:
        """Go on in a moment, or when the address has rested; else somebody else will say so."""
        owes = self.visit is not None and self._owes_answer(self.visit)
        if self.rests is None and not owes:
            self.address.pace.wait(self.go_on)

    def go_on(self) -> None:
        """Do what was kept, until its address rests again; then read again."""
        with self.gateway.batch:
            while self.kept and not self._must_wait():
                self.kept.popleft()()
                self.address.pace.rest_if_fast()
        if self.kept:
            self._wait()
        elif self.kept is not None and self.rests is None:
            self.kept = None
            if self.closing is None:
                self.transport.resume_reading()

    def rest(self, ms: int) -> None:
        """Read nothing more for so long: this peer does not listen."""
        self.rests = self.gateway.now() + ms
        if self.kept is None:
            self.kept = deque()
            self.transport.pause_reading()

    def _read(self, data: bytes, now: int | None = None) -> None:
        """Read one short message or pong, in half the time, or whatever has come.

        `now`: see Hub.receive.
        """
        if (
            self.peer is not None
            and data[0] in frames.USUAL
            and 6 < len(data) == data[1] - 122 < 132  # masked, at most 125 bytes, and all of them
            and self.closing is None
            and (self.ws is None or self._is_between_frames())
        ):
            self.frames -= 1
            if self.frames < 0:
                self._flooded()
            payload = frames.unmask(data[6:], data[2:6])
            if data[0] == frames.BINARY:
                self.gateway.hub.receive(self.peer, payload, False, now)
                return
            self.address.charge(CONTROL)
            if data[0] == frames.TEXT:
                self._message(payload, text=True)
            else:
                self._pong(payload)
            return
        if self.visit is not None:
            data = self.visit.read(data)
            if not data:
                return
        self._read_frames(data)

    def eof_received(self) -> bool:
        """Let asyncio close our half too, after what is due: the peer has closed its own.

        Returns:
            True where what is due is not there yet.
        """
        if self.visit is not None and (self.visit.end() or self.closing is not None):
            return self.closing is None
        self._websocket().receive_eof()
        self.flush()
        return False

    def pause_writing(self) -> None:
        """Hold what comes: the peer does not read."""
        self.paused = self.gateway.now()
        if self.held is None:
            self.held = frames.WaitingFrames()
        self.count_held()

    def resume_writing(self) -> None:
        """Send what was held: the peer reads again."""
        self.paused = None
        self._release()
        self.count_held()
        if self.visit is not None:
            self.visit.go_on_writing()
        self.answered()

    def count_held(self) -> None:
        """Count what is not whole of what has come, and what the peer does not take."""
        size = (self.visit.held() if self.visit is not None else 0) + len(self.parts or b"")
        if self.unread and self.ws is not None:
            size += len(self.ws.reader.buffer)
        if self.paused is not None:
            size += self.transport.get_write_buffer_size() + (self.held.size if self.held else 0)
        if size != self.holds:
            self.gateway.hold(self, size)

    # ------------------------------------------------------------ HTTP: see visits.py

    def keep_behind(self, data: bytes) -> None:
        """Keep what came behind a request; it is before all that was kept already."""
        self._keep(partial(self._read, data))
        if self.kept is not None:
            self.kept.rotate(1)

    def answered(self) -> None:
        """Go on with what was kept until a visit's last answer was made and taken."""
        if self.kept is not None and self.visit is not None:
            self._wait()

    def became_websocket(self) -> None:
        """Tell the hub, and read frames from now on."""
        self._let_go_of_websocket()
        self.visit = None
        self._read_at_most(SLICE)
        forget_ends(self.transport)
        self.peer = self.gateway.hub.connected(self, self.address.allowances)

    def _websocket(self) -> Protocol:
        """Return what reads and writes frames that are not the usual ones; it takes 1.3 kB, and is
        let go of some time after them.
        """
        if self.ws is None:
            self.ws = Protocol(SERVER, max_size=self.gateway.config.max_frame, logger=QUIET)
        return self.ws

    def _let_go_of_websocket(self) -> None:
        if self.ws is not None:
            frames.let_go(self.ws)
            self.ws = None

    def _is_between_frames(self) -> bool:
        """Return whether the next byte begins a message, of a connection that goes on."""
        if self.ws is None:
            return True
        return self.parts is None and not self.unread and self.ws.state is OPEN

    def waits_for_nothing(self) -> bool:
        """Return whether this is a visit that was answered, or has not asked yet."""
        return self.visit is not None and not self.visit.asked

    def hang_up(self) -> None:
        """Close after what was written: nothing is expected of this peer."""
        self.gateway.begin_request(self)
        self.closing = self.gateway.now()
        self.transport.close()

    # ------------------------------------------------------------ frames in

    def _read_frames(self, data: bytes) -> None:
        ws = self._websocket()
        ws.receive_data(data)
        self.unread += len(data)
        control = False
        events = ws.events_received()
        if not events:  # a part of a frame
            self.address.charge(PART)
        with self.gateway.batch:  # what answers frames that came at once is one write, too
            for event in events:
                self.frames -= 1
                frame = cast(Frame, event)
                self.unread -= frames.size(len(frame.data))
                if frame.opcode is Opcode.BINARY and frame.fin:
                    self._message(bytes(frame.data), text=False)
                elif frame.opcode in (Opcode.TEXT, Opcode.BINARY, Opcode.CONT):
                    self.address.charge(CONTROL)
                    self._fragment(frame)
                else:
                    control = True
                    self.address.charge(CONTROL)
                    if frame.opcode is Opcode.PONG:
                        self._pong(bytes(frame.data))
        self.count_held()
        if ws.state is not OPEN:
            self._broken(ws)
            self.flush()
        elif control:
            self._queue_flush()
        if self.frames < 0:
            self._flooded()

    def _message(self, data: bytes, text: bool) -> None:
        """Hand a message to the hub, or keep it until there is time."""
        if self._must_wait():
            self._keep(partial(self._message, data, text))
        elif self.closing is None and self.peer is not None:
            self.gateway.hub.receive(self.peer, data, text)
            if self.address.pace.allowance.level <= 0:
                self.address.pace.rest_if_fast()

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
        if self.peer is not None:
            self.peer.lag = self.pings.answered(data, self.heard - self.pinged)

    def _broken(self, ws: Protocol) -> None:
        """Say what was wrong with a frame before websockets' close frame goes out."""
        why = ws.parser_exc
        if why is None or self.peer is None or self.closing is not None:
            return
        large = isinstance(why, PayloadTooBig)
        code = Code.PROTOCOL_TOO_LARGE if large else Code.PROTOCOL_BAD_FRAME
        text = ws.close_sent.reason if ws.close_sent is not None else ""
        self.peer.send_error(Error(code=code, text=text))
        self._release()

    def _flooded(self) -> None:
        """Say that there were too many frames, and read no more; the sweep does the rest."""
        if self.peer is not None and self.closing is None:
            text = f"more than {self.gateway.config.frames_per_second:,} frames in a second"
            self.peer.bye(Code.SESSION_FLOOD, text, 1008)
        self.transport.pause_reading()

    # ------------------------------------------------------------ frames out: see Transport

    frame = staticmethod(frames.frame)

    def push(self, frame: bytes, key: str | None) -> None:
        """Write a frame, or hold it behind what is held.

        It takes the place of an older one of its key only if the peer does not read: who reads, and
        waits for its turn, is told everything.
        """
        if self.closing is not None or self.transport.is_closing():
            return
        if self.held is None:
            if self.gateway.batch.open:
                self.gateway.batch.add(self.write_all, frame)
            else:
                self.transport.write(frame)
            return
        self.held.add(frame, key if self.paused is not None else None)
        config = self.gateway.config
        if len(self.held) > config.held_messages or self.held.size > config.held_bytes:
            if self.paused is None:
                self._release()
            else:
                self.drop()
        elif self.paused is not None:
            self.count_held()

    def push_in_turn(self, frame: bytes, key: str | None) -> None:
        """Hold a frame until it is this connection's turn: many others are sent it, too."""
        if self.held is not None:
            self.push(frame, key)
        elif self.closing is None:  # and what comes behind it, until it is served
            self.gateway.batch.write_now(self.write_all)  # which was sent before
            self.held = frames.WaitingFrames()
            self.held.add(frame)
            self.gateway.broadcasts.add(self.serve)

    def write_all(self, frames: Sequence[bytes]) -> None:
        if not self.transport.is_closing():  # writelines never pauses on Python 3.12.8 or 3.13.1
            self.transport.write(b"".join(frames))

    def serve(self) -> None:
        """Write what was held, if the peer reads."""
        if self.paused is None:
            self._release()

    def end(self, code: int, reason: str) -> None:
        """Close after what was pushed; the peer has a moment to answer."""
        if self.closing is not None:
            return
        ws = self._websocket()
        if ws.state is OPEN:  # else a broken frame has closed it, and has said so
            ws.send_close(code, reason[:120])
            self._release()
        self.flush()
        self.closing = self.gateway.now()

    def drop(self) -> None:
        """End without a word: this peer does not listen."""
        self.closing = self.gateway.now()
        self.gateway.hold(self, 0)
        self.transport.abort()

    def _release(self) -> None:
        self.gateway.batch.write_now(self.write_all)  # which was sent before
        held, self.held = self.held, None
        if held and not self.transport.is_closing():
            self.transport.write(b"".join(held.values()))

    def _queue_flush(self) -> None:
        """Control frames are sent once a loop turn."""
        if not self.queued:
            self.queued = True
            self.gateway.clock.loop.call_soon(self.flush)

    def flush(self) -> None:
        """Send what websockets has to say."""
        self.queued = False
        if self.ws is not None and not self.transport.is_closing():
            self.write(self.ws.data_to_send())

    def write(self, out: list[bytes]) -> None:
        """Send this, and after the last word hang up."""
        if not out or self.transport.is_closing():
            return
        self.gateway.batch.write_now(self.write_all)  # which was sent before
        self.transport.write(b"".join(out))
        if out[-1] == SEND_EOF:
            self.closing, self.held = self.closing or self.gateway.now(), None
            if self._is_sending():
                with contextlib.suppress(OSError):  # the peer has reset it in this very moment
                    self.transport.write_eof()
            else:
                self.transport.close()

    def _is_sending(self) -> bool:
        """Whether the peer is in the middle of something that is too large to be read: to close a
        socket with unread bytes would take back the last words, so only our half is closed.
        """
        ws = self.ws
        return bool(ws and (ws.handshake_exc or isinstance(ws.parser_exc, PayloadTooBig)))

    def sweep(self, now: int) -> None:
        """Ping, or drop a connection that is silent, stuck, or never said hello."""
        config = self.gateway.config
        self.frames = self.gateway.frames
        peer = self.peer
        idle = self in self.gateway.idle and not self.transport.get_write_buffer_size()
        slow = now - self.opened > (config.idle_ms if idle else config.hello_ms)
        stuck = peer is not None and self.paused is not None and now - self.paused > config.stuck_ms
        silent = peer is None and slow  # or slow in reading a page
        if self.rests is not None and now >= self.rests:
            self.rests = None
            self.address.pace.wait(self.go_on)
        if idle and slow:
            self.hang_up()
        elif stuck or silent or self._is_over(now) or now - self.heard > config.silent_ms:
            self.drop()
        elif peer is not None and peer.state == "new" and slow:
            seconds = config.hello_ms / 1000
            text = f"no hello within {seconds:g} seconds"
            peer.bye(Code.SESSION_HELLO_FIRST, text, 1008)
        elif peer is not None and (now - self.pinged >= config.ping_ms or not self.pings.begun):
            self._ping(now)
        busy = self.visit is not None or self.closing is not None or self.queued
        if not busy and self._is_between_frames():  # and all that it had to say was sent
            self._let_go_of_websocket()

    def _is_over(self, now: int) -> bool:
        """Whether the last words were said long enough ago; a page may take longer to read."""
        if self.closing is None or (self.peer is None and self.transport.is_closing()):
            return False
        return now - self.closing > self.gateway.config.close_grace_ms

    def _ping(self, now: int) -> None:
        is_open = self.ws is None or self.ws.state is OPEN
        if is_open and self.paused is None and not self.transport.is_closing():
            self.pinged = now
            self.transport.write(self.pings.next())
