"""Frames of WebSockets (RFC 6455, 5.2), as far as they are not left to the `websockets` library."""

from __future__ import annotations

from struct import Struct
from typing import Final

# Theirs is in C, where that could be installed; the one in websockets.utils never is.
from websockets.frames import apply_mask as unmask  # type: ignore[attr-defined]

_medium = Struct("!BBH").pack  # a frame's head, if the length of its payload has two bytes
_long = Struct("!BBQ").pack  # ... or eight

__all__ = ["BINARY", "TEXT", "USUAL", "frame", "payload_of", "ping", "size", "unmask"]

# The first byte of frames that are whole messages, and of a pong.
TEXT: Final = 0x81
BINARY: Final = 0x82
PONG: Final = 0x8A
USUAL: Final = bytes((BINARY, TEXT, PONG))


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


def ping(payload: bytes) -> bytes:
    """Return a ping with a payload of at most 125 bytes."""
    return bytes((0x89, len(payload))) + payload


def payload_of(frame: bytes) -> bytes:
    """Return what `frame` was made of."""
    return frame[{126: 4, 127: 10}.get(frame[1], 2) :]
