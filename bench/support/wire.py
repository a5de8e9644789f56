"""A client's WebSocket by hand: only what a load generator needs, so that it is not the limit.

Frames masked with the key 0000, which the standard allows and which leaves the payload as it is.
Connecting and `ask` block, with a time
limit; after `go()` the socket does not block, and its owner polls.
"""

from __future__ import annotations

import socket
from typing import TypeVar

from protocol.codec import decode_reply, encode
from protocol.messages import Error, Hello, Push, Request, Welcome

# First byte of a frame that is a message's last
TEXT, BINARY, CLOSE, PING, PONG = 0x81, 0x82, 0x88, 0x89, 0x8A
TIME_LIMIT = 10.0  # seconds for an answer while setting up
CHUNK = 1 << 16

P = TypeVar("P", bound=Push)

_HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n{headers}\r\n"
)
_ACCEPTED = b"HTTP/1.1 101"


class WireError(ConnectionError):
    """The server refused, closed, or sent what a server must not send."""


class Wire:
    """One connection."""

    __slots__ = ("_rest", "_waiting", "sock")

    def __init__(self, host: str, port: int, *, source: str = "", path: str = "/ws") -> None:
        """`source` is the address to come from: on the loopback interface, any of 127.0.0.0/8."""
        self.sock = socket.create_connection(
            (host, port), timeout=TIME_LIMIT, source_address=(source, 0) if source else None
        )
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._waiting: list[bytes] = []
        try:
            # The first messages may come right behind the handshake.
            self._waiting, self._rest = self._split(self._upgrade(host, port, path))
        except BaseException:
            self.sock.close()
            raise

    def send(self, request: Request) -> None:
        """Send one message.  It is short and the last one was read, so there is room for it."""
        self.send_bytes(frame(encode(request)))

    def send_bytes(self, data: bytes) -> None:
        if self.sock.send(data) != len(data):
            raise WireError(
                "the socket took only a part of a short frame: the server does not read"
            )

    def receive(self) -> list[bytes]:
        """The payloads of the messages that one read of the socket completes."""
        chunk = self.sock.recv(CHUNK)
        if not chunk:
            raise WireError("the server closed the connection")
        messages, self._rest = self._split(self._rest + chunk if self._rest else chunk)
        return messages

    def ask(self, request: Request, answer: type[P]) -> P:
        """Send, then read until a message of class `answer` comes; for setting up only."""
        self.send(request)
        return self.wait_for(answer)

    def wait_for(self, answer: type[P]) -> P:
        """Read until a message of class `answer` comes; what comes before it is dropped."""
        while True:
            message = decode_reply(self.read())
            if isinstance(message, answer):
                return message
            if isinstance(message, Error):
                raise WireError(f"{message.text} [{message.code}]")

    def read(self) -> bytes:
        while not self._waiting:
            self._waiting.extend(self.receive())
        return self._waiting.pop(0)

    def hello(self, name: str | None = None) -> Welcome:
        return self.ask(Hello(version=1, name=name), Welcome)

    def go(self) -> list[bytes]:
        """Make the socket non-blocking; the messages that were read already."""
        self.sock.setblocking(False)
        waiting, self._waiting = self._waiting, []
        return waiting

    def close(self) -> None:
        self.sock.close()

    def _upgrade(self, host: str, port: int, path: str) -> bytes:
        self.sock.sendall(handshake(host, port, path))
        answer = b""
        while b"\r\n\r\n" not in answer:
            chunk = self.sock.recv(CHUNK)
            if not chunk:
                raise WireError(f"no WebSocket here: {answer[:200]!r}")
            answer += chunk
        head, _, rest = answer.partition(b"\r\n\r\n")
        if not head.startswith(_ACCEPTED):
            raise WireError(f"no WebSocket here: {head[:200]!r}")
        return rest

    def _split(self, data: bytes) -> tuple[list[bytes], bytes]:
        """Cut `data` into whole messages and an unfinished rest; answers pings on the way."""
        messages: list[bytes] = []
        frames, rest = split_frames(data)
        for first, payload in frames:
            if first in (BINARY, TEXT):
                messages.append(payload)
            else:
                self._control(first, payload)
        return messages, rest

    def _control(self, first: int, payload: bytes) -> None:
        if first == PING:
            self.send_bytes(frame(payload, PONG))
        elif first == CLOSE:
            code, why = int.from_bytes(payload[:2]), payload[2:].decode(errors="replace")
            raise WireError(f"the server closed the connection: {code} {why}")
        elif first != PONG:
            raise WireError(f"a frame that begins with {first:#04x}")


def split_frames(data: bytes) -> tuple[list[tuple[int, bytes]], bytes]:
    """Cut what a server sent into frames, (first byte, payload), and an unfinished rest."""
    frames: list[tuple[int, bytes]] = []
    at, end = 0, len(data)
    while end - at >= 2:
        begin, size = at + 2, data[at + 1]
        if size == 126:
            begin, size = at + 4, int.from_bytes(data[at + 2 : at + 4], "big")
        elif size == 127:
            begin, size = at + 10, int.from_bytes(data[at + 2 : at + 10], "big")
        if begin + size > end:
            break
        frames.append((data[at], data[begin : begin + size]))
        at = begin + size
    return frames, data[at:]


def head_size(data: bytes) -> int:
    return {126: 8, 127: 14}.get(data[1] & 0x7F, 6)


def frame_size(data: bytes) -> int:
    """Bytes of the client's frame that begins here; 0 if that cannot be told yet."""
    if len(data) < 2 or len(data) < head_size(data):
        return 0
    head, size = head_size(data), data[1] & 0x7F
    return head + (size if size < 126 else int.from_bytes(data[2 : head - 4]))


def handshake(host: str, port: int, path: str = "/ws", headers: str = "") -> bytes:
    """A client's request for a WebSocket; `headers`: more lines of it, each with its end."""
    return _HANDSHAKE.format(host=host, port=port, path=path, headers=headers).encode()


def frame(payload: bytes, first: int = BINARY) -> bytes:
    size = len(payload)
    if size < 126:
        return bytes((first, 0x80 | size, 0, 0, 0, 0)) + payload
    if size < 65_536:
        return bytes((first, 0x80 | 126)) + size.to_bytes(2) + b"\0\0\0\0" + payload
    return bytes((first, 0x80 | 127)) + size.to_bytes(8) + b"\0\0\0\0" + payload
