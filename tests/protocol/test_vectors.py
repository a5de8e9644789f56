"""tests/vectors/protocol.jsonl: the codec reads and writes what it says, byte for byte."""

from __future__ import annotations

import json
from typing import Any

from protocol import codec
from protocol.errors import ProtocolError
from tests.protocol.strategies import CLASSES, plain
from tests.vectors import record_bots, record_protocol

VECTORS: list[dict[str, Any]] = [
    json.loads(line) for line in record_protocol.FILE.read_text("utf-8").splitlines()
]
READ = {"request": codec.decode_request, "reply": codec.decode_reply}


def having(key: str) -> list[dict[str, Any]]:
    vectors = [vector for vector in VECTORS if key in vector]
    assert len(vectors) > 50
    return vectors


def name(vector: dict[str, Any]) -> str:
    return f"{vector['name']}-{vector.get('frame', vector['direction'])}"


def test_a_message_is_read_and_written_in_both_encodings() -> None:
    for vector in having("message"):
        read = READ[vector["direction"]]
        binary, text = bytes.fromhex(vector["msgpack"]), vector["json"].encode()
        message: Any = read(binary)
        assert read(text, text=True) == message, name(vector)
        assert json.loads(json.dumps(plain(message))) == vector["message"], name(vector)
        assert codec.encode(message) == binary, name(vector)
        assert codec.encode(message, text=True) == text, name(vector)


def test_what_is_no_message_gets_its_error() -> None:
    for vector in having("error"):
        read, is_text = READ[vector["direction"]], vector["frame"] == "text"
        try:
            error: Any = read(bytes.fromhex(vector["bytes"]), is_text)
        except ProtocolError as refusal:
            error = (refusal.code, refusal.fatal, refusal.re)
        assert error == (vector["error"], vector["fatal"], vector["re"]), name(vector)


def test_every_class_has_its_fullest_and_its_least_message() -> None:
    full, least = record_protocol.FULL, record_protocol.LEAST
    assert [type(m) for m in full] == [type(m) for m in least]
    assert sorted(map(str, map(type, full))) == sorted(map(str, CLASSES)), (
        f"each has a full and a least message in {record_protocol.FILE.name}"
    )
    for full, least in zip(record_protocol.FULL, record_protocol.LEAST, strict=True):
        config = type(full).__struct_fields__
        assert set(plain(full)) - {"type"} == set(config)
        optional = {f for f in config if f not in plain(least)}
        assert type(least)(**{f: getattr(least, f) for f in config if f not in optional}) == least


def test_the_file_is_what_its_script_writes() -> None:
    assert record_protocol.FILE.read_text("utf-8") == "".join(record_protocol.lines())


def test_the_bots_cases_are_what_their_script_writes() -> None:
    assert record_bots.FILE.read_text("utf-8") == "".join(record_bots.lines())
