"""Frames of WebSockets (RFC 6455, 5.2), as far as they are not left to the `websockets` library."""

from __future__ import annotations

import os
from struct import Struct
from typing import Final

# Theirs is in C, where that could be installed; the one in websockets.utils never is.
from websockets.frames import apply_mask as unmask  # type: ignore[attr-defined]
from websockets.protocol import Protocol

_medium = Struct("!BBH").pack  # a frame's head, if the length of its payload has two bytes
_long = Struct("!BBQ").pack  # ... or eight

__all__ = ["BINARY", "TEXT", "USUAL", "frame", "let_go", "payload_of", "size", "unmask"]

# The first byte of frames that are whole messages, and of a pong.
TEXT: Final = 0x81
BINARY: Final = 0x82
PING: Final = 0x89
PONG: Final = 0x8A
USUAL: Final = bytes((BINARY, TEXT, PONG))
PING_BYTES: Final = 8  # of a ping's payload: no client guesses them in the life of a connection
PINGS: Final = 5  # of which the lag is the least


def size(payload: int) -> int:
    """Bytes of a client's frame with a payload of so many; it could have used more."""
    return payload + (6 if payload < 126 else 8 if payload < 1 << 16 else 14)


def frame(payload: bytes, text: bool) -> bytes:
    """Return one unfragmented, unmasked frame, the same for every connection.

    Written out here because it is done for every move, and a server's frame is this simple.
    """
    first = TEXT if text else BINARY
    size = len(payload)
    if size < 126:
        return bytes((first, size)) + payload
    if size < 1 << 16:
        return _medium(first, 126, size) + payload
    return _long(first, 127, size) + payload


def payload_of(frame: bytes) -> bytes:
    return frame[{126: 4, 127: 10}.get(frame[1], 2) :]


def let_go(ws: Protocol) -> None:
    """Have what reads frames, or a request, be freed with all that it has read.

    It holds itself, by its generator and by the frames of the errors that it keeps, so that only
    the garbage collector would free it: late, as a few large texts are no reason for it to look.
    """
    ws.parser.close()
    for error in (ws.handshake_exc, ws.parser_exc):
        while error is not None:
            error.__traceback__ = None
            error = error.__cause__ or error.__context__  # type: ignore[assignment]
    ws.handshake_exc = ws.parser_exc = None


class WaitingFrames(dict[object, bytes]):
    """Frames that wait for one connection, in order, by what they are about; `size`: their bytes.

    Its Socket bounds them, and lets go of them when they are written or it is lost.
    """

    __slots__ = ("size",)

    def __init__(self) -> None:
        super().__init__()
        self.size = 0

    def add(self, frame: bytes, key: str | None = None) -> None:
        """Add a frame, in the place of the one with the same key if there is one."""
        if key is not None:
            self.size -= len(self.pop(key, b""))
        self[object() if key is None else key] = frame
        self.size += len(frame)


class Pings:
    """The pings of one connection, and its lag: the least time that one of the last took.

    A pong counts once, and only with the payload of the last ping, which is random: else anybody
    could say that a ping was sent long ago.  It is the least, as one pong that comes early shows
    how near a peer is, whatever held up the others.
    """

    __slots__ = ("_payload", "took")

    def __init__(self) -> None:
        self._payload = b""
        self.took: tuple[int, ...] = ()  # ms of each of the last

    @property
    def begun(self) -> bool:
        """Whether there was a ping yet."""
        return bool(self._payload or self.took)

    def next(self) -> bytes:
        """Return the frame of a new ping; the one before it need not be answered any more."""
        self._payload = os.urandom(PING_BYTES)
        return bytes((PING, PING_BYTES)) + self._payload

    def answered(self, payload: bytes, took: int) -> int:
        """Take a pong that came `took` ms after the last ping, and return the lag in ms."""
        if payload and payload == self._payload:
            self._payload = b""
            self.took = (*self.took[1 - PINGS :], took)
        return min(self.took, default=0)
