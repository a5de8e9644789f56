"""A record as a file: it reads back, and not one byte of it changes without being found."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from client.records.verify import verify
from protocol.parts import Event
from protocol.records.record import Altered, MatchRecord, NotARecord, of_room, read, write
from tests.client.records.played import FIVE_PLUS_THREE, Played

VECTORS = Path(__file__).parents[2] / "vectors" / "records"


def small() -> MatchRecord:
    """A match of tic-tac-toe with a clock, notes and offers."""
    match = Played("tic_tac_toe", FIVE_PLUS_THREE).plays("5", note='naïve ✓ "x" \\')
    match.add("offered", seat=1, offer="draw")
    match.add("answered", seat=0, offer="draw", accept=False)
    match.plays("1", "4", "2", "6")
    return MatchRecord(match.match, tuple(match.events))


def of_dice() -> MatchRecord:
    """A match of backgammon that is given up early."""
    match = Played("backgammon").plays_on(1, 3).gives_up(1)
    return MatchRecord(match.match, tuple(match.events))


@pytest.mark.parametrize(("record", "name"), [(small(), "tic_tac_toe"), (of_dice(), "backgammon")])
def test_a_record_reads_back_as_it_was_written_byte_for_byte(
    record: MatchRecord, name: str
) -> None:
    data = write(record)
    assert data == (VECTORS / f"{name}.json").read_bytes()
    assert read(data) == record
    assert record.over
    assert verify(record).wrong is None


def test_a_file_is_json_with_one_event_a_line() -> None:
    data = write(small())
    whole = json.loads(data)
    assert (whole["plyhouse-record"], whole["match"]) == (1, "17.2")
    lines = data.decode().splitlines()
    assert len(lines) == len(whole["events"]) + 2
    for line, entry in zip(lines[1:-1], whole["events"], strict=True):
        assert json.loads(line.removesuffix(",")) == entry
        assert entry["event"]["match"] == "17.2"


@pytest.mark.parametrize(
    "record",
    [pytest.param(small(), id="board"), pytest.param(of_dice(), id="dice", marks=pytest.mark.slow)],
)
def test_each_altered_byte_is_found(record: MatchRecord) -> None:
    data = write(record)
    for i, byte in enumerate(data):
        flipped = {byte ^ 1 << bit for bit in range(i % 3, 8, 3)}
        for other in flipped | {ord(c) for c in '07 ,"'} - {byte}:
            with pytest.raises((Altered, NotARecord)):
                read(data[:i] + bytes([other]) + data[i + 1 :])


def test_each_byte_left_out_or_put_in_is_found() -> None:
    data = write(small())
    for i in range(len(data)):
        for wrong in (data[:i] + data[i + 1 :], data[:i] + b" " + data[i:]):
            with pytest.raises((Altered, NotARecord)):
                read(wrong)
    with pytest.raises(Altered):
        read(data + b"\n")


@pytest.mark.parametrize(
    "sent",
    [
        lambda data: data.replace(b"\n", b"\r\n"),  # git on Windows, mail, FTP
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: data.decode().replace("\n", "\r\n").encode("utf-16"),  # > of PowerShell 5
    ],
)
def test_what_is_done_to_any_text_on_its_way_is_undone(sent: Callable[[bytes], bytes]) -> None:
    assert read(sent(write(small()))) == small()


def test_an_empty_line_behind_the_end_is_called_so() -> None:
    with pytest.raises(Altered, match="it is empty, and behind the end"):
        read(write(small()) + b"\n")


def test_half_a_record_in_utf_16_is_no_record() -> None:
    with pytest.raises(NotARecord):
        read(write(small()).decode().encode("utf-16")[:-1])


def test_the_first_altered_event_is_named() -> None:
    data = write(small())
    lines = data.split(b"\n")
    at = next(i for i, line in enumerate(lines) if b'"action":"1"' in line)
    lines[at] = lines[at].replace(b'"action":"1"', b'"action":"7"')
    with pytest.raises(Altered, match="its hash does not fit") as caught:
        read(b"\n".join(lines))
    seq = json.loads(lines[at].removesuffix(b","))["event"]["seq"]
    assert (caught.value.line, caught.value.seq) == (at + 1, seq)
    assert str(caught.value).startswith(f"line {at + 1}, event {seq}: ")


def test_lines_left_out_swapped_or_doubled_are_found() -> None:
    lines = write(small()).split(b"\n")
    for i in range(1, len(lines) - 3):
        left_out = [*lines[:i], *lines[i + 1 :]]
        swapped = [*lines[:i], lines[i + 1], lines[i], *lines[i + 2 :]]
        doubled = [*lines[: i + 1], *lines[i:]]
        for wrong in (left_out, swapped, doubled, lines[:i]):
            with pytest.raises(Altered):
                read(b"\n".join(wrong))


def chained(head: bytes, bodies: list[bytes]) -> bytes:
    """A file whose hashes a forger has made anew."""
    link = sha256(head).hexdigest()[:16]
    lines = []
    for body in bodies:
        link = sha256(link.encode() + body).hexdigest()[:16]
        lines.append(b'{"hash":"%s","event":%s}' % (link.encode(), body))
    return b"\n".join([head, b",\n".join(lines), b"]}", b""])


def parts(record: MatchRecord) -> tuple[bytes, list[bytes]]:
    """The head of a file, and the events in it."""
    head, *lines = write(record).split(b"\n")[:-2]
    return head, [line.removesuffix(b",")[35:-1] for line in lines]


def test_the_chain_is_as_it_is_described() -> None:
    assert chained(*parts(small())) == write(small())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"ply":2', b'"ply": 2'),
        (b'"ply":2', b'"ply":7,"ply":2'),
        (b'"action":"4"', b'"action":"\\u0034"'),
        (b'"seat":0,"action":"4"', b'"action":"4","seat":0'),
        (b'"action":"4"', b'"action":"4","note":null'),
        (b'"action":"4"', b'"action":"4","mood":"good"'),
    ],
)
def test_an_event_is_written_in_one_way_only(old: bytes, new: bytes) -> None:
    head, bodies = parts(small())
    forged = [body.replace(old, new) for body in bodies]
    assert forged != bodies
    with pytest.raises(Altered, match="is not written like an event of a record"):
        read(chained(head, forged))


@pytest.mark.parametrize("body", [b"{}", b"[]", b'{"seq":1,"kind":"x","at":"x"}', b'{"\xff":1}',
                                  b'{"x":' + b"[" * 99_999 + b"]" * 99_999 + b"}"])  # fmt: skip
def test_a_line_that_holds_no_event_is_said_to_hold_none(body: bytes) -> None:
    head, bodies = parts(small())
    with pytest.raises(Altered, match="line 3: "):
        read(chained(head, [bodies[0], body, *bodies[2:]]))


LATER = write(small()).replace(b'record":1', b'record":2', 1)


@pytest.mark.parametrize(
    "data", [b"", b"\x00", b"{}", b"nonsense", b"(;GM[6])", b"\xff\xfe{", LATER]
)
def test_what_is_no_record_of_this_version_is_said_to_be_none(data: bytes) -> None:
    later = "version 2; only version 1 can be read here"
    with pytest.raises(NotARecord, match=later if data == LATER else "no record of a match"):
        read(data)


def test_a_record_holds_the_events_of_its_own_match_only() -> None:
    own = small()
    others = (Event(seq=1, kind="created"), Event(seq=2, kind="said", text="hi"))
    next_one = Event(seq=99, kind="dealt", match="17.3")
    assert of_room("17.2", (*others, *own.events, next_one)) == own
    assert not of_room("17.3", (*others, *own.events, next_one)).over
