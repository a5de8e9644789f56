"""The frames that are wrong on purpose: the same for a seed, and wrong in all ways."""

from __future__ import annotations

from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from bench.attacks.malformed import ALL, batches, hostile_frames, packed, sample_request
from bench.support.wire import TEXT, frame, head_size
from protocol.codec import decode_request
from protocol.errors import ProtocolError
from tests.bench.attacks.in_memory import carry_out


def test_a_seed_makes_the_same_frames() -> None:
    frames = list(islice(hostile_frames(1), 200))
    assert frames == list(islice(hostile_frames(1), 200))
    assert frames != list(islice(hostile_frames(2), 200))


def test_what_is_made_wrong_was_right_before() -> None:
    for kind in ALL:
        assert isinstance(decode_request(packed(sample_request(kind, 0))), kind)


def test_every_way_to_be_wrong_is_found_and_nothing_but_a_refusal_comes_of_it() -> None:
    codes: Counter[str] = Counter()
    for data in islice(hostile_frames(3), 3_000):
        try:
            decode_request(data[head_size(data) :], text=data[0] == TEXT)
            codes["a request"] += 1
        except ProtocolError as error:
            codes[error.code] += 1
    assert set(codes) == {
        "a request", "protocol/bad-frame", "protocol/bad-message", "protocol/too-large",
        "protocol/unknown-type",
    }  # fmt: skip
    assert codes["protocol/bad-message"] > codes["protocol/bad-frame"] / 4


def test_a_connection_is_sent_nothing_that_its_server_would_not_read() -> None:
    proper, wrong = frame(packed({"type": "link"})), frame(b"\xc1")
    unmasked = bytes((0x82, 1, 7))
    sent = [proper, wrong, proper, proper, unmasked, proper]
    assert list(batches(iter(sent))) == [[proper, wrong], [proper, proper, unmasked]]


@pytest.mark.parametrize("count", [400, pytest.param(30_000, marks=pytest.mark.slow)])
async def test_a_server_answers_each_and_none_comes_as_a_surprise(
    tmp_path: Path, count: int
) -> None:
    report = await carry_out(count, 5, tmp_path / "data")
    assert report.problems == []
    assert report.frames >= count
    assert report.answers.keys() >= {
        "protocol/bad-frame", "protocol/bad-message", "protocol/unknown-type", "session/hello-first"
    }  # fmt: skip
