"""Writes protocol.jsonl beside this file anew: what every speaker of the protocol reads and writes.

    python tests/vectors/record_protocol.py

One JSON object a line.  A valid vector holds `name`, `direction` (request or reply), `message` and
the two payloads that this codec writes for it: `msgpack` in hex and `json` as text.  An invalid
one holds `name`, `direction`, `frame` (binary or text), its `bytes` in hex, and what the reader
must say of it: `error`, `fatal` and `re`.  The messages are those of the file itself: to add one,
write a line with its name, direction and message there, above the invalid ones, and run this for
the payloads.  Change it only together with SPEC.md and VERSION.
"""

from __future__ import annotations

import json
import math
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import msgspec

HERE = Path(__file__).resolve().parent
FILE = HERE / "protocol.jsonl"
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))

from protocol import codec  # noqa: E402 - run as a script, the packages must be found first
from protocol.messages import Push, Request  # noqa: E402


def _kick(**fields: Any) -> dict[str, Any]:
    return {"type": "kick", "id": 5, "room": 1, "seat": 1} | fields


def _report(**fields: Any) -> dict[str, Any]:
    play = {"ply": 0, "seat": 0, "action": "5", "loss": 0.5} | fields
    analysis = {"game": "", "by": "", "unit": "value", "totals": [{}, {}], "plays": [play]}
    return {"type": "report_analysis", "id": 5, "ask": 3, "analysis": analysis}


BAD_FRAME, BAD_MESSAGE = "protocol/bad-frame", "protocol/bad-message"
UNKNOWN = "protocol/unknown-type"

# name, the frame (bytes: binary, str: text, else a value for both), the error, the id still read
INVALID: tuple[tuple[str, object, str, int | None], ...] = (
    ("nothing at all, binary", b"", BAD_FRAME, None),
    ("nothing at all, text", "", BAD_FRAME, None),
    ("a message cut short", msgpack.packb(_kick())[:-1], BAD_FRAME, None),
    ("a message cut short, text", '{"type":"link"', BAD_FRAME, None),
    ("two messages in a frame", msgpack.packb({"type": "link"}) * 2, BAD_FRAME, None),
    ("two messages in a frame, text", '{"type":"link"}{"type":"link"}', BAD_FRAME, None),
    ("a byte order mark", '\ufeff{"type":"link"}', BAD_FRAME, None),
    ("a byte that msgpack never uses", b"\xc1", BAD_FRAME, None),
    ("a list said to be 4 G long", b"\xdd\xff\xff\xff\xff", BAD_FRAME, None),
    ("lists said to be long, nested", (b"\xdd" + struct.pack(">I", 60_000)) * 99, BAD_FRAME, None),
    ("a map said to be 4 G long", b"\xdf\xff\xff\xff\xff", BAD_FRAME, None),
    ("a text said to be 4 G long", b"\xdb\xff\xff\xff\xff", BAD_FRAME, None),
    ("2,000 lists in one another", b"\x91" * 2_000, BAD_FRAME, None),
    ("an extension", b"\x82\xa4type\xa4link\xa1x\xd4\x07x", BAD_FRAME, None),
    ("an empty extension", b"\x82\xa4type\xa4link\xa1x\xc7\x00\x07", BAD_FRAME, None),
    ("a timestamp", msgpack.packb({"type": "link", "x": msgpack.Timestamp(1)}), BAD_FRAME, None),
    ("binary in place of text", msgpack.packb({"type": b"link"}), BAD_FRAME, None),
    ("a key that is a number", msgpack.packb({"type": "link", 1: 1}), BAD_FRAME, None),
    ("text that is not UTF-8", b"\x81\xa4type\xa2\xc3\x28", BAD_FRAME, None),
    ("half a surrogate pair", '{"type":"say","room":1,"text":"\\ud83c"}', BAD_FRAME, None),
    ("no number", '{"type":"kick","room":NaN,"seat":1}', BAD_FRAME, None),
    ("a number that no float holds", '{"type":"link","x":1e999}', BAD_FRAME, None),
    ("a raw line feed in text", '{"type":"say","room":1,"text":"a\nb"}', BAD_FRAME, None),
    ("a list", [1, 2], BAD_MESSAGE, None),
    ("a number", 7, BAD_MESSAGE, None),
    ("no type", {"id": 5}, BAD_MESSAGE, 5),
    ("a type that is a number", {"type": 7, "id": 5}, BAD_MESSAGE, 5),
    ("a field missing", {"type": "kick", "id": 5, "room": 1}, BAD_MESSAGE, 5),
    ("a field of the wrong type", _kick(room="1"), BAD_MESSAGE, 5),
    ("null where a number must be", _kick(room=None), BAD_MESSAGE, 5),
    ("a boolean as a number", _kick(seat=True), BAD_MESSAGE, 5),
    ("a number as a boolean", {"type": "lobby", "id": 5, "follow": 1}, BAD_MESSAGE, 5),
    ("a fraction of nothing", _kick(room=1.0), BAD_MESSAGE, 5),
    ("a number below its range", _kick(room=-1), BAD_MESSAGE, 5),
    ("a number above 2^53", _kick(room=2**53), BAD_MESSAGE, 5),
    ("a number of 64 bits", _kick(room=2**64 - 1), BAD_MESSAGE, 5),
    ("a seat that is none", _kick(seat=2), BAD_MESSAGE, 5),
    ("a word that is none", {"type": "offer", "id": 5, "match": "", "kind": "tea"}, BAD_MESSAGE, 5),
    ("a text too long", {"type": "resign", "id": 5, "match": "1" * 257}, BAD_MESSAGE, 5),
    ("an id that is negative", {"type": "link", "id": -1}, BAD_MESSAGE, None),
    ("an id that is a boolean", {"type": "link", "id": True}, BAD_MESSAGE, None),
    ("a loss that is no number", msgpack.packb(_report(loss=math.nan)), BAD_MESSAGE, 5),
    ("a loss without end", msgpack.packb(_report(error=math.inf)), BAD_MESSAGE, 5),
    ("a loss below its range", _report(loss=-0.5), BAD_MESSAGE, 5),
    ("a loss above its range", _report(loss=1_000_001), BAD_MESSAGE, 5),
    ("more options than are told", _report(best=[{"action": "1"}] * 6), BAD_MESSAGE, 5),
    ("an unknown type", {"type": "dance", "id": 5}, UNKNOWN, 5),
    ("a reply in place of a request", {"type": "welcome", "id": 5}, UNKNOWN, 5),
)  # fmt: skip


def messages() -> Iterator[tuple[str, Any]]:
    """The messages of the file, each with its name."""
    for line in FILE.read_text("utf-8").splitlines():
        vector = json.loads(line)
        if "message" in vector:
            read = codec.decode_request if vector["direction"] == "request" else codec.decode_reply
            yield vector["name"], read(json.dumps(vector["message"]).encode(), text=True)


# Of each class the fullest message and the least one.
FULL = tuple([message for name, message in messages() if name.endswith(", full")])
LEAST = tuple([message for name, message in messages() if name.endswith(", least")])


def lines() -> Iterator[str]:
    """The vectors, a line each."""
    for name, message in messages():
        yield _line(_valid(name, message))
    for title, frame, error, number in INVALID:
        for kind, data in _frames(frame):
            yield _line(
                {"name": title, "direction": "request", "frame": kind, "bytes": data.hex(),
                 "error": error, "fatal": error != UNKNOWN, "re": number}
            )  # fmt: skip


def _valid(name: str, message: Request | Push) -> dict[str, object]:
    return {
        "name": name,
        "direction": "request" if isinstance(message, Request) else "reply",
        "message": msgspec.to_builtins(message),
        "msgpack": codec.encode(message).hex(),
        "json": codec.encode(message, text=True).decode(),
    }


def _frames(frame: object) -> Iterator[tuple[str, bytes]]:
    if isinstance(frame, bytes):
        yield "binary", frame
    elif isinstance(frame, str):
        yield "text", frame.encode()
    else:
        yield "binary", msgpack.packb(frame)
        yield "text", json.dumps(frame).encode()


def _line(vector: dict[str, object]) -> str:
    return json.dumps(vector, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    text = "".join(lines())
    FILE.write_text(text, encoding="utf-8")
    print(f"{FILE.name}: {sum(1 for _ in lines())} vectors")
