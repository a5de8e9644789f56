"""A finished match as a file: its events as `history` shows them, chained by hashes.

    {"plyhouse-record":1,"match":"17.2","events":[
    {"hash":"5d0c8a7a1e6bb2f4","event":{"seq":2,"kind":"dealt","match":"17.2", ...}},
    ...
    {"hash":"e9b1f3c07d6a2258","event":{"seq":61,"kind":"ended","match":"17.2", ...}}
    ]}

It is JSON, and one event is one line.  A line's hash is the first 16 hex digits of the SHA-256 of
the hash before it, in ASCII, and the event's JSON as it stands in the file; the first line's own
bytes make the hash that the first event builds on.  So no byte can change without being found, and
the first line that does not fit says where; but for what mail, git or a shell does to any text, as
to its line ends, which is undone before.  There is one way to write an event: the fields in the
order of protocol.messages.Event, without those that hold their default and without spaces.  One who
changes a file on purpose can make the hashes anew: that the rules, dice and clocks hold is looked
at in verify.py.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from protocol.parts import Event

VERSION = 1
_HEAD = re.compile(
    rb'\{"plyhouse-record":([0-9]{1,9}),"match":"([0-9]{1,15}\.[0-9]{1,15})","events":\['
)
_LINE = re.compile(rb'\{"hash":"([0-9a-f]{16})","event":(\{.*\})\}(,?)')
_TAIL = b"]}"
_BEGINNING = b'{"plyhouse-record":'


class RecordError(Exception):
    """What was asked for cannot be done with this match; the text is a sentence for people."""


class NotARecord(RecordError):
    """This is no record of a match, or of a version unknown here; the text is a sentence."""


class Altered(ValueError):
    """A record is not as it was written.  `line`: from 1; `seq`: of its event, where it has one."""

    def __init__(self, line: int, seq: int | None, why: str) -> None:
        self.line = line
        self.seq = seq
        event = f", event {seq}" if seq is not None else ""
        super().__init__(f"line {line}{event}: {why}")


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """One match: `events` are its own, from the deal or the start to the end, by seq."""

    match: str
    events: tuple[Event, ...]

    @property
    def over(self) -> bool:
        return any(event.kind == "ended" for event in self.events)

    @property
    def sealed(self) -> bool:
        """Whether the secret of its dice is not to be seen yet."""
        return any(event.kind == "dealt" and event.secret is None for event in self.events)


def of_room(match: str, events: Iterable[Event]) -> MatchRecord:
    """The record of one match from the events of its room; without events if it is not there."""
    return MatchRecord(match, tuple(event for event in events if event.match == match))


def write(record: MatchRecord) -> bytes:
    """Return the record as a file."""
    head = b'{"plyhouse-record":%d,"match":"%s","events":[' % (VERSION, record.match.encode())
    link = _first_link(head)
    lines = []
    for event in record.events:
        body = msgspec.json.encode(event)
        link = _next_link(link, body)
        lines.append(b'{"hash":"%s","event":%s}' % (link, body))
    return b"\n".join([head, b",\n".join(lines), _TAIL, b""])


def write_line(record: MatchRecord) -> bytes:
    """Return the record as one line, without its end: the file's bytes without line ends."""
    return write(record).replace(b"\n", b"")


def read_line(line: bytes) -> MatchRecord:
    """Return the record that `write_line` wrote; raises what `read` does.

    No text in it looks like what is looked for here: in JSON its quotes have a backslash.
    """
    head, start, rest = line.partition(b'"events":[')
    events = rest.removesuffix(_TAIL).replace(b'},{"hash":"', b'},\n{"hash":"')
    return read(b"\n".join([head + start, events, _TAIL, b""]))


def read(data: bytes) -> MatchRecord:
    """Return the record in a file.

    Raises:
        NotARecord: it begins like something else.
        Altered: at the first line that is not as it was written.
    """
    data = _plain(data)
    if not data.startswith(_BEGINNING):
        raise NotARecord(
            "this is no record of a match, which `plyhouse export --format json` writes"
        )
    lines = data.split(b"\n")
    head = _HEAD.fullmatch(lines[0])
    if head is None:
        raise Altered(1, None, "it does not begin like a record")
    if int(head[1]) != VERSION:
        raise NotARecord(
            f"this is a record of version {int(head[1])}; only version {VERSION} can be read here"
        )
    if len(lines) < 3 or lines[-1] != b"" or lines[-2] != _TAIL:
        is_longer = data.endswith(b"\n\n") and data.rstrip(b"\n").endswith(_TAIL)
        why = "is empty, and behind the end" if is_longer else "does not end like a record"
        raise Altered(len(lines), None, f"it {why}")
    events = _read_events(lines[0], lines[1:-2])
    return MatchRecord(head[2].decode(), events)


def _plain(data: bytes) -> bytes:
    """Undo what programs do to any text: UTF-16, a byte order mark, other line ends."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        with contextlib.suppress(UnicodeDecodeError):
            data = data.decode("utf-16").encode()
    return data.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n")


def _read_events(head: bytes, rows: list[bytes]) -> tuple[Event, ...]:
    link = _first_link(head)
    events: list[Event] = []
    for number, line in enumerate(rows, 2):
        parts = _LINE.fullmatch(line)
        if parts is None:
            raise Altered(number, None, "it holds no event with its hash")
        event = _event(parts[2], number)
        link = _next_link(link, parts[2])
        if parts[1] != link:
            raise Altered(
                number, event.seq, "its hash does not fit: it, or a line above, was altered"
            )
        if msgspec.json.encode(event) != parts[2]:
            raise Altered(number, event.seq, "it is not written like an event of a record")
        if (parts[3] == b",") != (number - 1 < len(rows)):
            raise Altered(number, event.seq, "the list of events is broken here")
        events.append(event)
    return tuple(events)


def _event(body: bytes, line: int) -> Event:
    try:
        return msgspec.json.decode(body, type=Event)
    except msgspec.DecodeError as error:
        raise Altered(line, None, f"it holds no event: {error}") from None
    except UnicodeDecodeError:
        raise Altered(line, None, "it is not UTF-8") from None
    except RecursionError:
        raise Altered(line, None, "it is nested too deep") from None


def _first_link(head: bytes) -> bytes:
    return hashlib.sha256(head).hexdigest()[:16].encode()


def _next_link(link: bytes, body: bytes) -> bytes:
    return hashlib.sha256(link + body).hexdigest()[:16].encode()
