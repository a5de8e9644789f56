"""What is left of a room whose events the host has deleted: its first row says so, and when."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import msgspec

from protocol.errors import Code, Refusal

PURGED: Final = "purged"  # the kind of that row


def write_body(at: int) -> bytes:
    """Return the body of that row; `at`: when the host did so, in ms."""
    return msgspec.msgpack.encode([at])


def refusal_of(kind: str, body: bytes) -> Refusal | None:
    """Return the answer to who asks for a room with this first row; None: it is as it was."""
    if kind != PURGED:
        return None
    try:
        (at,) = msgspec.msgpack.decode(body, type=list[int])
        day = f" on {datetime.fromtimestamp(at / 1000, UTC):%Y-%m-%d}"
    except (msgspec.DecodeError, ValueError, OverflowError, OSError):
        day = ""
    return Refusal(Code.ROOM_PURGED, f"this record was purged by the host{day}: nothing is left")
