"""Frames that are wrong on purpose, by somebody who knows the protocol: structure-aware fuzzing.

Every one follows from a seed.  Most begin as a proper request, of which something inside is made
wrong; others are wrong as msgpack or JSON, or as a frame of a WebSocket.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, Final

import msgpack
import msgspec
from msgspec import inspect

from bench.attacks.hostile import NUMBERS, Assault, Attack, HostileConnection
from bench.support.wire import BINARY, TEXT, frame, frame_size, head_size
from protocol import codec
from protocol.errors import ProtocolError
from protocol.messages import MAX_CLIENT_FRAME

FRAMES: Final = 100_000
A_CONNECTION: Final = 24  # frames, unless the server ends it sooner
AT_ONCE: Final = 16
SETTLING: Final = 5.0  # seconds at most for the server to read what a connection has sent ...
UNSETTLED: Final = 0.03  # ... and where it waits for the rest of a frame
LARGE: Final = 200  # one frame in so many is as large as may be, or larger
Draw = random.Random

ALL: Final = tuple(codec.REQUESTS.values())


def hostile_frames(seed: int) -> Iterator[bytes]:
    """Wrong frames without end, each a piece of bytes as a client sends it."""
    draw, samples = random.Random(seed), [sample_request(kind, 0) for kind in ALL]
    while True:
        yield draw.choice(MAKERS)(draw, samples)


def sample_request(kind: type[msgspec.Struct], depth: int) -> dict[str, Any]:
    info = inspect.type_info(kind)
    assert isinstance(info, inspect.StructType)
    fields = {field.encode_name: sample(field.type, depth + 1) for field in info.fields}
    return {"type": info.tag, **fields} if info.tag is not None else fields


def sample(kind: inspect.Type, depth: int) -> Any:
    """A value of a type of a field."""
    match kind:
        case inspect.IntType():
            return max(1, kind.ge or 0)
        case inspect.FloatType():
            return 0.5
        case inspect.StrType():
            return "tic_tac_toe"
        case inspect.BoolType():
            return True
        case inspect.LiteralType():
            return kind.values[0]
        case inspect.ListType() | inspect.VarTupleType() | inspect.CollectionType():
            return [sample(kind.item_type, depth + 1)] if depth < 6 else []
        case inspect.TupleType():
            return [sample(item, depth + 1) for item in kind.item_types]
        case inspect.DictType():
            return {"key": sample(kind.value_type, depth + 1)}
        case inspect.StructType():
            return sample_request(kind.cls, depth + 1)
        case inspect.UnionType():
            first = next(t for t in kind.types if not isinstance(t, inspect.NoneType))
            return sample(first, depth + 1)
        case _:
            return None


def odd_value(draw: Draw) -> Any:
    nest: Any = None
    for _ in range(draw.choice((1, 2, 60))):
        nest = [nest] if draw.random() < 0.5 else {"type": nest}
    return draw.choice(
        (
            None, True, False, -1, 0, 1, 2**31, 2**53, -(2**53), 2**63, 0.0, -0.0, 1e308,
            float("nan"), float("inf"), "", "/", "a/b", "9.9", "1.1", "0.0", "-1.1",
            "1." + "9" * 30, "\0", "\u202e", "a\N{COMBINING ACUTE ACCENT}" * 20, "\ud800",
            "x" * draw.choice((257, 4_097)),
            b"bytes", [], {}, [[]] * 50, {"": ""}, nest, "hello", "welcome", "room",
        )
    )  # fmt: skip


def spoil(draw: Draw, value: Any) -> Any:
    """A copy of a request with one thing in it made wrong, at whatever depth."""
    if isinstance(value, dict) and value and draw.random() < 0.9:
        key = draw.choice(list(value))
        how = draw.randrange(8)
        if how == 0:
            return {k: v for k, v in value.items() if k != key}
        if how == 1:
            return {**value, odd_key(draw): odd_value(draw)}
        return {k: spoil(draw, v) if k == key else v for k, v in value.items()}
    if isinstance(value, list) and value and draw.random() < 0.7:
        at = draw.randrange(len(value))
        if draw.random() < 0.3:
            return value * draw.choice((0, 2, 1_100))
        return [spoil(draw, item) if n == at else item for n, item in enumerate(value)]
    return odd_value(draw)


def odd_key(draw: Draw) -> Any:
    return draw.choice(("", "type", "re", "__class__", "id", "\0", 1, None, "x" * 300))


def packed(value: Any) -> bytes:
    data: bytes = msgpack.packb(value, unicode_errors="surrogatepass")
    return data


def wrong_request(draw: Draw, samples: Sequence[dict[str, Any]]) -> bytes:
    """A request of the protocol with something wrong inside, in either encoding."""
    value = spoil(draw, draw.choice(samples))
    if draw.random() < 0.5:
        with suppress(ValueError, TypeError, OverflowError):
            return frame(packed(value), BINARY)
    text = json.dumps(value, default=repr, skipkeys=True, ensure_ascii=draw.random() < 0.5)
    return frame(text.encode("utf-8", "surrogatepass"), TEXT)


def proper_request(draw: Draw, samples: Sequence[dict[str, Any]]) -> bytes:
    """A request as it should be; about rooms and matches that do not exist, or out of turn."""
    value = {**draw.choice(samples), "room": draw.randrange(1, 50), "id": draw.randrange(99)}
    return frame(packed(value), BINARY)


def wrong_bytes(draw: Draw, samples: Sequence[dict[str, Any]]) -> bytes:
    """A proper request in msgpack or JSON, some bytes of which are changed, cut off or repeated."""
    text = draw.random() < 0.4
    value = draw.choice(samples)
    data = bytearray(json.dumps(value).encode() if text else packed(value))
    for _ in range(draw.choice((1, 1, 2, 5))):
        at = draw.randrange(len(data))
        match draw.randrange(4):
            case 0:
                data[at] = draw.randrange(256)
            case 1:
                del data[at + 1 :]
            case 2:
                data[at:at] = data[at : at + draw.randrange(40)]
            case _:
                # A length of msgpack that declares more than there is, or a deep start of lists.
                data[at:at] = draw.choice((b"\xdd\xff\xff\xff\xff", b"\xc9\0\0\0\1", b"\x91" * 600))
    return frame(bytes(data), TEXT if text else BINARY)


def large_frame(draw: Draw, _: Sequence[dict[str, Any]]) -> bytes:
    """About as large as a frame may be, and full of something that takes time or room."""
    if draw.randrange(LARGE // 8):  # these are 1 in 8 of all makers
        return frame(draw.randbytes(draw.randrange(300)), draw.choice((TEXT, BINARY)))
    size = MAX_CLIENT_FRAME + draw.choice((-100, -1, 0, 1, 5_000))
    filler = draw.choice((b"\x91", b"\x80", b"[", b'{"a":', b"\xdc\x04\0", b"9", b'"\\u0000'))
    return frame((filler * size)[:size], draw.choice((TEXT, BINARY)))


def wrong_frame(draw: Draw, samples: Sequence[dict[str, Any]]) -> bytes:
    """Wrong as a frame of a WebSocket: bits, opcodes, masks, lengths, fragments, close codes."""
    data = bytearray(frame(packed(draw.choice(samples)), BINARY))
    match draw.randrange(7):
        case 0:
            data[0] = draw.randrange(256)
        case 1:
            data[1] &= 0x7F  # not masked
        case 2:
            data[1] = 0x80 | draw.randrange(128)
        case 3:
            data[0] &= 0x7F  # a fragment that nothing continues, or that interrupts another
        case 4:
            data = bytearray(frame(draw.randbytes(draw.randrange(200)), 0x80 | draw.randrange(16)))
        case 5:
            code = draw.choice((0, 999, 1000, 1005, 1006, 1015, 2999, 65_535))
            data = bytearray(frame(code.to_bytes(2) + b"\xff" * draw.randrange(4), 0x88))
        case _:
            data = bytearray(bytes((0x82, 0xFF)) + draw.choice((2**63, 2**40, 126)).to_bytes(8))
    return bytes(data)


Maker = Callable[[Draw, Sequence[dict[str, Any]]], bytes]
MAKERS: Final[tuple[Maker, ...]] = (
    wrong_request, wrong_request, wrong_request, proper_request, wrong_bytes, wrong_bytes,
    large_frame, wrong_frame,
)  # fmt: skip


def ends_connection(data: bytes) -> bool:
    """Whether the server reads nothing after this frame.

    That is so for every frame that is not whole and masked, and for what is no message at all.
    """
    if data[0] not in (TEXT, BINARY) or not is_whole(data):
        return True
    try:
        codec.decode_request(data[head_size(data) :], text=data[0] == TEXT)
    except ProtocolError as error:
        return error.fatal
    return False


def is_whole(data: bytes) -> bool:
    """Whether these bytes are one masked frame; of another the server may wait for the rest."""
    return data[1] >= 0x80 and len(data) == frame_size(data)


def batches(frames: Iterator[bytes]) -> Iterator[list[bytes]]:
    """Frames for one connection after the other: the last of each ends it, so that all are read."""
    batch: list[bytes] = []
    for data in frames:
        batch.append(data)
        if len(batch) == A_CONNECTION or ends_connection(data):
            yield batch
            batch = []


async def send_malformed(assault: Assault) -> None:
    """Send wrong frames on connection after connection; every other one has said hello before."""
    left, source = assault.quota(FRAMES), batches(hostile_frames(1 + next(NUMBERS)))

    async def send_some(link: HostileConnection) -> None:
        nonlocal left
        batch = next(source)
        left -= len(batch)
        link.write(b"".join(batch), len(batch))
        await link.settle(SETTLING if is_whole(batch[-1]) else UNSETTLED)
        assault.counts.count("wrong frames that were read", len(batch))

    async def come(number: int) -> HostileConnection:
        return await (assault.guest() if number % 2 else assault.upgraded())

    while left > 0 and not assault.over:
        await assault.visits(come, send_some, AT_ONCE, 4 * AT_ONCE)


ATTACKS: Final = (Attack("malformed", "wrong frames that know the protocol", send_malformed),)
