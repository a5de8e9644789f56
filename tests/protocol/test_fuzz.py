"""Hostile bytes: whatever comes in, a message or a ProtocolError comes out, and nothing else."""

from __future__ import annotations

import json
import random
from typing import Any

import msgpack
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol import codec
from protocol.errors import Code, ProtocolError
from tests.protocol.strategies import ANYTHING, CLASSES, message, plain
from tests.support.text import any_text
from tests.vectors.record_protocol import FULL, LEAST

CODES = frozenset(Code)
both = pytest.mark.parametrize("text", [False, True], ids=["msgpack", "json"])
many = settings(
    derandomize=True, max_examples=20, deadline=None, suppress_health_check=list(HealthCheck)
)


def rounds(most: int) -> pytest.MarkDecorator:
    """So many rounds at length, a tenth of them in every run."""
    numbers = [most // 10, pytest.param(most, marks=pytest.mark.slow)]
    return pytest.mark.parametrize("rounds", numbers)


def read_both(data: bytes, text: bool) -> None:
    """Read as a server and as a client would; what is read can be written and read again."""
    for read in (codec.decode_request, codec.decode_reply):
        refusal: ProtocolError | None = None
        try:
            said: Any = read(data, text)
        except ProtocolError as error:
            refusal = error
        if refusal is None:
            assert read(codec.encode(said, text), text) == said
        else:
            assert refusal.code in CODES
            assert refusal.text.isprintable()
            assert len(refusal.text) < 600


def seeds(text: bool) -> list[bytes]:
    return [codec.encode(m, text) for m in (*FULL, *LEAST)]


@both
@rounds(10_000)
def test_random_bytes(text: bool, rounds: int) -> None:
    rng = random.Random(1)
    alphabet = b'{}[]",:\\u0dD89eE+-.1truefalsn \t\x00\xff' if text else bytes(range(256))
    for _ in range(rounds):
        read_both(bytes(rng.choices(alphabet, k=rng.randrange(40))), text)


@both
@rounds(60)
def test_messages_cut_short(text: bool, rounds: int) -> None:
    for frame in seeds(text):
        for end in range(0, len(frame), 1 + len(frame) // rounds):
            read_both(frame[:end], text)


@both
@rounds(10_000)
def test_messages_with_bytes_changed_doubled_and_dropped(text: bool, rounds: int) -> None:
    rng = random.Random(2)
    frames = seeds(text)
    for _ in range(rounds):
        frame = bytearray(rng.choice(frames))
        for _ in range(rng.randint(1, 4)):
            at = rng.randrange(len(frame))
            match rng.randrange(4):
                case 0:
                    frame[at] = rng.randrange(256)
                case 1:
                    frame[at] ^= 1 << rng.randrange(8)
                case 2:
                    frame[at:at] = frame[at : at + rng.randrange(1, 20)]
                case _:
                    del frame[at : at + rng.randrange(1, 5)]
            frame = frame or bytearray(b"\xc1")
        read_both(bytes(frame), text)


@both
@rounds(4_000)
def test_two_messages_spliced(text: bool, rounds: int) -> None:
    rng = random.Random(3)
    frames = seeds(text)
    for _ in range(rounds):
        one, two = rng.choice(frames), rng.choice(frames)
        read_both(one[: rng.randrange(len(one))] + two[rng.randrange(len(two)) :], text)


@many
@given(data=st.data())
def test_any_field_of_any_message_replaced_by_anything(data: st.DataObject) -> None:
    fields = plain(data.draw(message(data.draw(st.sampled_from(CLASSES)))))
    fields[data.draw(st.sampled_from([*fields, "id", "re", "x"]))] = data.draw(ANYTHING)
    try:
        frame = msgpack.packb(fields)
    except ValueError:  # an unhashable or doubled key: nothing that msgpack could say
        return
    read_both(frame, text=False)
    try:
        frame = json.dumps(fields).encode()  # writes NaN and Infinity, too
    except TypeError:  # bytes
        return
    read_both(frame, text=True)


@many
@given(value=ANYTHING)
def test_anything_that_msgpack_can_say(value: object) -> None:
    read_both(msgpack.packb(value), text=False)


@many
@given(said=any_text(200), seat=any_text(5))
def test_any_unicode_text_as_a_frame(said: str, seat: str) -> None:
    read_both(said.encode("utf-8", "surrogatepass"), text=True)
    read_both(
        f'{{"type":"kick","room":1,"seat":{seat}}}'.encode("utf-8", "surrogatepass"), text=True
    )


@many
@given(code=st.integers(-128, 127), body=st.binary(max_size=20), deep=st.integers(0, 3))
def test_extensions_wherever_they_stand(code: int, body: bytes, deep: int) -> None:
    value: object = msgpack.ExtType(code, body) if code >= 0 else msgpack.Timestamp(code + 128)
    for _ in range(deep):
        value = [value]
    frame = msgpack.packb({"type": "link", "x": value})
    with pytest.raises(ProtocolError) as caught:
        codec.decode_request(frame)
    assert caught.value.code == Code.PROTOCOL_BAD_FRAME
