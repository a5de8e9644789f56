"""A file with one match, or all games of one, read: `read(data)` finds out what it is.

JSON is the record that proves what was played (protocol/records/record.py), one or several, one
behind the other; match text, SGF and text are read as far as they go (match_text.py, game_tree.py,
plain_list.py), whatever program wrote them, in UTF-8 or UTF-16 with or without a byte order mark,
or in an old code page, with any line ends.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from protocol.history import MAX_EVENTS
from protocol.reading import game_tree, match_text, plain_list
from protocol.reading.played_again import play_again
from protocol.reading.written import Unreadable, WrittenMatch
from protocol.records import record
from protocol.records.record import Altered, MatchRecord, NotARecord

MAX_BYTES: Final = 8 << 20  # a match to 25 points that GNU Backgammon has analysed has half of it
MAX_LINE: Final = 1_000  # characters of a line of match text
_RECORD: Final = b'{"plyhouse-record":'
_NEXT = re.compile(rb"(?m)^(?=\{\"plyhouse-record\":)")
EXPECTED: Final = (
    "JSON, text, SGF or match text (.mat) of a match were expected: what `plyhouse export` writes,"
    " or of backgammon what other programs do"
)


@dataclass(slots=True)
class ReadMatch:
    """The games of a match in order, the last one perhaps not to its end.

    `fault`: where a file stops to make sense, and what was expected there; `remarks`: what it says
    otherwise than the rules; `promised`: whether the dice were, as those of a server are.
    """

    games: list[MatchRecord]
    fault: str | None = None
    remarks: Sequence[str] = ()
    promised: bool = True


def read(data: bytes) -> ReadMatch:
    """Return the games of a match in a file.

    Raises:
        NotARecord: it is nothing that is read here, or holds no game that can be read at all.
        Altered: it is a record, and not as it was written.
    """
    if len(data) > MAX_BYTES:
        raise NotARecord(f"a file of a match has {MAX_BYTES >> 20} MiB at most, and this one more")
    text = _decoded(data)
    if text.startswith(_RECORD.decode()):
        return ReadMatch(_records(data))
    match = _written(text)
    played = play_again(match)
    fault = str(played.fault) if played.fault is not None else None
    if not played.records:
        raise NotARecord(fault or "no game was found; " + EXPECTED)
    return ReadMatch(played.records, fault, played.remarks, promised=False)


def _decoded(data: bytes) -> str:
    """Return the text of a file, whatever wrote it; line ends are `\\n`."""
    odd, even = data[1:400:2], data[0:400:2]
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif 2 * odd.count(0) > len(odd) > 1:
        encoding = "utf-16-le"
    elif 2 * even.count(0) > len(even) > 1:
        encoding = "utf-16-be"
    else:
        encoding = "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    if "\0" in text:
        raise NotARecord(f"this is no text; {EXPECTED}")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _records(data: bytes) -> list[MatchRecord]:
    """Read the records in a file, of a match or of several games."""
    if not data.startswith(_RECORD):
        data = _decoded(data).encode()
    parts = [part for part in _NEXT.split(data) if part]
    games, above = [], 0
    for part in parts:
        try:
            games.append(record.read(part))
        except Altered as error:
            why = str(error).partition(": ")[2]
            raise Altered(error.line + above, error.seq, why) from None
        above += part.count(b"\n")
        if _game_of(games[-1]) != _game_of(games[0]):
            raise NotARecord("the records in a file are of one game")
        if len(games[-1].events) > MAX_EVENTS + 2:  # with its deal and its end
            raise NotARecord(f"match {games[-1].match} has more than {MAX_EVENTS:,} events")
    return games


def _game_of(match: MatchRecord) -> str | None:
    return next((event.game for event in match.events if event.kind == "started"), None)


def _written(text: str) -> WrittenMatch:
    if game_tree.looks_like(text):
        return game_tree.read(text)
    lines = text.split("\n")
    long = next((n for n, line in enumerate(lines, 1) if len(line) > MAX_LINE), None)
    reads = (
        match_text.read if match_text.looks_like(lines)
        else plain_list.read if plain_list.looks_like(lines)
        else None
    )  # fmt: skip
    if reads is None:
        begin = next((line.strip() for line in lines if line.strip()), "")
        raise NotARecord(f"this is no record of a match, it begins with {begin[:40]!r}; {EXPECTED}")
    match = reads(lines[: long - 1] if long is not None else lines)
    if long is not None and match.fault is None:
        match.fault = Unreadable(long, f"a line has {MAX_LINE:,} characters at most")
    return match
