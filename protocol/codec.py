"""Bytes to messages and back.  A binary frame is msgpack, a text frame is JSON; the schema is one.

msgpack is read by the `msgpack` package, which guards depth and sizes, and written by msgspec, which
is five times as fast and writes the same bytes.  Nothing but ProtocolError leaves this file.
"""

from __future__ import annotations

from typing import Any

import msgpack
import msgspec

from protocol.errors import Code, ProtocolError
from protocol.messages import (
    MAX_CLIENT_FRAME,
    MAX_INT,
    MAX_SERVER_FRAME,
    REPLIES,
    REQUESTS,
    Push,
    Request,
)


def _by_tag(classes: tuple[type[Any], ...]) -> dict[str, type[Any]]:
    return {str(c.__struct_config__.tag): c for c in classes}


_REQUESTS = _by_tag(REQUESTS)
_REPLIES = _by_tag(REPLIES)
_pack = msgspec.msgpack.Encoder().encode
_dump = msgspec.json.Encoder().encode
_load = msgspec.json.Decoder().decode


def encode(message: Request | Push, text: bool = False) -> bytes:
    """The frame's payload: JSON when `text`, else msgpack."""
    return _dump(message) if text else _pack(message)


def decode_request(data: bytes, text: bool = False) -> Request:
    """Read what a client sent.

    Raises:
        ProtocolError: for anything that is not exactly one request of the schema.
    """
    message: Request = _decode(data, text, MAX_CLIENT_FRAME, _REQUESTS)
    return message


def decode_reply(data: bytes, text: bool = False) -> Push:
    """Read what a server sent; an unknown type is a ProtocolError with `fatal` false, so a client can skip it."""
    message: Push = _decode(data, text, MAX_SERVER_FRAME, _REPLIES)
    return message


def _decode(data: bytes, text: bool, limit: int, classes: dict[str, type[Any]]) -> Any:
    if len(data) > limit:
        raise ProtocolError(
            Code.PROTOCOL_TOO_LARGE, f"a frame of {len(data):,} bytes; at most {limit:,} are allowed"
        )
    raw = _parse(data, text)
    if type(raw) is not dict:
        raise ProtocolError(Code.PROTOCOL_BAD_MESSAGE, "a message is a map with a `type`")
    tag = raw.get("type")
    cls = classes.get(tag) if type(tag) is str else None
    if cls is None:
        raise _unknown(tag, raw, classes)
    try:
        return msgspec.convert(raw, cls)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(
            Code.PROTOCOL_BAD_MESSAGE, f"`{tag}`: {error}"[:300], re=_id_of(raw)
        ) from None


def _parse(data: bytes, text: bool) -> Any:
    try:
        if text:
            return _load(data)
        return msgpack.unpackb(data, max_ext_len=0, strict_map_key=True)
    except (ValueError, RecursionError) as error:
        kind = "JSON" if text else "msgpack"
        why = f"{type(error).__name__}: {error}"[:200]
        raise ProtocolError(
            Code.PROTOCOL_BAD_FRAME, f"this frame is not {kind} ({why})"
        ) from None


def _unknown(tag: object, raw: dict[str, Any], classes: dict[str, type[Any]]) -> ProtocolError:
    if type(tag) is not str:
        return ProtocolError(Code.PROTOCOL_BAD_MESSAGE, "a message needs a `type`, a string")
    return ProtocolError(
        Code.PROTOCOL_UNKNOWN_TYPE,
        f"no message is called {tag[:40]!r}; there are {', '.join(classes)}",
        re=_id_of(raw),
        fatal=False,
    )


def _id_of(raw: dict[str, Any]) -> int | None:
    number = raw.get("id")
    return number if type(number) is int and 0 <= number <= MAX_INT else None
