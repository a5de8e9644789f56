"""The frames that are wrong on purpose: the same for a seed, and wrong in all ways."""

from __future__ import annotations

from collections import Counter
from itertools import islice

from bench.attacks.malformed import ALL, hostile_frames, packed, sample_request
from protocol.codec import decode_request
from protocol.errors import ProtocolError


def test_a_seed_makes_the_same_frames() -> None:
    frames = list(islice(hostile_frames(1), 200))
    assert frames == list(islice(hostile_frames(1), 200))
    assert frames != list(islice(hostile_frames(2), 200))


def test_what_is_made_wrong_was_right_before() -> None:
    for kind in ALL:
        assert isinstance(decode_request(packed(sample_request(kind, 0))), kind)


def test_every_way_to_be_wrong_is_found_and_nothing_but_a_refusal_comes_of_it() -> None:
    codes: Counter[str] = Counter()
    for frame in islice(hostile_frames(3), 3_000):
        size = {126: 8, 127: 14}.get(frame[1] & 0x7F, 6)  # of the head; masked with nothing
        try:
            decode_request(frame[size:], text=frame[0] == 0x81)
            codes["a request"] += 1
        except ProtocolError as error:
            codes[error.code] += 1
    assert set(codes) == {
        "a request", "protocol/bad-frame", "protocol/bad-message", "protocol/too-large",
        "protocol/unknown-type",
    }  # fmt: skip
    assert codes["protocol/bad-message"] > codes["protocol/bad-frame"] / 4
