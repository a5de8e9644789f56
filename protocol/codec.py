"""Bytes to messages and back.  A binary frame is msgpack, a text frame is JSON; the schema is one.

msgpack is read by the `msgpack` package, which guards depth and sizes, and written by msgspec,
which is five times as fast and writes the same bytes.  Nothing but ProtocolError leaves this file,
and its text never holds more than a few words of the input, nor a character that does not print.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, NoReturn, TypeVar

import msgpack
import msgspec

from protocol import messages, parts
from protocol.analysis import ANALYSIS_REPLIES, ANALYSIS_REQUESTS
from protocol.devices import DEVICE_REPLIES, DEVICE_REQUESTS
from protocol.errors import Code, ProtocolError
from protocol.hints import HINT_REPLIES, HINT_REQUESTS
from protocol.ladder import LADDER_REPLIES, LADDER_REQUESTS
from protocol.messages import Push, Request
from protocol.past import PAST_REPLIES, PAST_REQUESTS

M = TypeVar("M", bound=msgspec.Struct)


def _by_tag(*modules: tuple[type[M], ...]) -> dict[str, type[M]]:
    return {str(c.__struct_config__.tag): c for classes in modules for c in classes}


class _Side(NamedTuple):
    """What one side may send: bytes a frame, entries a list, classes; the field of its number."""

    frame: int
    entries: int
    classes: dict[str, type[Any]]
    number: str


REQUESTS: Final = _by_tag(
    messages.REQUESTS,
    HINT_REQUESTS,
    DEVICE_REQUESTS,
    LADDER_REQUESTS,
    ANALYSIS_REQUESTS,
    PAST_REQUESTS,
)
REPLIES: Final = _by_tag(
    messages.REPLIES, HINT_REPLIES, DEVICE_REPLIES, LADDER_REPLIES, ANALYSIS_REPLIES, PAST_REPLIES
)
_CLIENT = _Side(messages.MAX_CLIENT_FRAME, messages.MAX_CLIENT_LIST, REQUESTS, "id")
_SERVER = _Side(messages.MAX_SERVER_FRAME, messages.MAX_SERVER_LIST, REPLIES, "re")
_FIELDS: Final[dict[type[Any], tuple[str, ...]]] = {
    cls: ("type", *cls.__struct_encode_fields__) for cls in (*REQUESTS.values(), *REPLIES.values())
}
_pack = msgspec.msgpack.Encoder().encode
# How a message is encoded, by whether it goes into a text frame.
ENCODE: Final[dict[bool, Callable[[Request | Push], bytes]]] = {
    False: _pack,
    True: msgspec.json.Encoder().encode,
}
_load = msgspec.json.Decoder().decode
_read_usual = msgspec.msgpack.Decoder(messages.Play | messages.Ready).decode


def encode(message: Request | Push, text: bool = False) -> bytes:
    """Return the frame's payload: JSON when `text`, else msgpack."""
    return ENCODE[text](message)


def add_re(payload: bytes, re: int, text: bool = False) -> bytes:
    """Return an encoded message, which is no answer yet, as the answer to request `re`.

    It is the same as encoding it with its `re`, which is always the last field, and much faster.
    """
    if text:
        return payload[:-1] + b',"re":%d}' % re
    if not 0x80 <= payload[0] < 0x8F:
        raise ValueError("a map of at most 14 fields has its length in its first byte")
    return bytes((payload[0] + 1,)) + payload[1:] + b"\xa2re" + _pack(re)


def decode_request(data: bytes, text: bool = False) -> Request:
    """Read what a client sent.

    A play and a ready hold nothing but texts and numbers, and most of what comes is one of them, so
    they are read without a guard, in a quarter of the time.  What is neither of them, or not in
    order, or holds a field that is not known, which may be anything, is read as all else is.

    Raises:
        ProtocolError: for anything that is not exactly one request of the schema.
    """
    if not text and len(data) <= _CLIENT.frame:
        try:
            usual: Request = _read_usual(data)
            return usual
        except (ValueError, RecursionError):  # also of texts that are no UTF-8
            pass
    message: Request = _decode(data, text, _CLIENT)
    return message


def decode_reply(data: bytes, text: bool = False) -> Push:
    """Read what a server sent.

    Raises:
        ProtocolError: as `decode_request`; not `fatal` for an unknown type, which a client skips.
    """
    message: Push = _decode(data, text, _SERVER)
    return message


def _decode(data: bytes, text: bool, side: _Side) -> Any:
    if len(data) > side.frame:
        raise ProtocolError(
            Code.PROTOCOL_TOO_LARGE,
            f"a frame of {len(data):,} bytes; at most {side.frame:,} are allowed",
        )
    raw = _parse(data, text, side.entries)
    if type(raw) is not dict:
        raise ProtocolError(Code.PROTOCOL_BAD_MESSAGE, "a message is a map with a `type`")
    tag = raw.get("type")
    if type(tag) is not str:
        raise _bad_message("a message needs a `type`, a string", raw, side)
    cls = side.classes.get(tag)
    if cls is None:
        raise _unknown(tag, raw, side)
    try:
        return msgspec.convert({key: raw[key] for key in _FIELDS[cls] if key in raw}, cls)
    except (ValueError, RecursionError) as error:
        raise _bad_message(f"`{tag}`: {error}", raw, side) from None


def _parse(data: bytes, text: bool, entries: int) -> Any:
    try:
        if text:
            return _load(data)
        return msgpack.unpackb(
            data,
            strict_map_key=True,
            max_array_len=entries,
            max_map_len=entries,
            max_bin_len=0,
            max_ext_len=0,
            ext_hook=_refuse_ext,
        )
    except (ValueError, RecursionError) as error:
        kind = "JSON" if text else "msgpack"
        why = _printable(_reason(error), 200)
        raise ProtocolError(
            Code.PROTOCOL_BAD_FRAME, f"this is no {kind} that can be read: {why}"
        ) from None


# The reader names its own settings; these sentences say what they mean.
_REASONS = {
    "max_array_len": "a list of too many entries",
    "max_map_len": "a map of too many entries",
    "max_bin_len": "a value of type bin, where text is sent as str",
    "max_ext_len": "an extension type, which is not used",
    "strict_map_key": "a key that is no text",
}


def _reason(error: Exception) -> str:
    if isinstance(error, (RecursionError, msgpack.StackError)):
        return "nested too deep"
    text = str(error)
    for setting, meaning in _REASONS.items():
        if setting in text:
            return meaning
    return text or "a byte that starts no value"  # msgpack.FormatError has no words


def _refuse_ext(_code: int, _data: bytes) -> NoReturn:
    raise ValueError("max_ext_len")  # only empty extensions come here; others break that setting


def _bad_message(why: str, raw: dict[str, Any], side: _Side) -> ProtocolError:
    return ProtocolError(Code.PROTOCOL_BAD_MESSAGE, _printable(why, 300), re=_number_of(raw, side))


def _unknown(tag: str, raw: dict[str, Any], side: _Side) -> ProtocolError:
    return ProtocolError(
        Code.PROTOCOL_UNKNOWN_TYPE,
        f"no message is called '{_printable(tag, 40)}'; there are {', '.join(side.classes)}",
        re=_number_of(raw, side),
        fatal=False,
    )


def _number_of(raw: dict[str, Any], side: _Side) -> int | None:
    number = raw.get(side.number)
    return number if type(number) is int and 0 <= number <= parts.MAX_INT else None


def _printable(text: str, limit: int) -> str:
    """The first `limit` characters; one that does not print (control, bidi ...) becomes a `?`."""
    return "".join([c if c.isprintable() else "?" for c in text[:limit]])
