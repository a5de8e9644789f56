"""A checksum a row: flipped bytes on the disk are found when the row is read.

CRC-32 finds every change of up to 32 neighbouring bits, and misses another with a chance of one in
four thousand million.  It is no protection against somebody who means it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from zlib import crc32

from server.store.contract import DamagedRow, EventRow, PastRow


def row_sum(values: Iterable[object]) -> int:
    """Return the checksum of a row's values, in order: numbers, texts, bytes and None.

    Values of different types have different checksums, even if their bytes are the same.

    Raises:
        UnicodeEncodeError: a text holds half a character, which SQLite cannot hold either.
    """
    total, rest = 0, ""
    for value in values:
        if type(value) is bytes:
            total = crc32(value, total)
            rest += f"b{len(value)},"
        elif type(value) is str:
            rest += f"s{len(value)}{value},"
        else:
            rest += f"{value},"
    return crc32(rest.encode(), total)


def event_sum(room: int, seq: int, epoch: int, kind: str, match: int | None, body: bytes) -> int:
    """Return the checksum of an event's row: the same as `row_sum`, in half the time."""
    if type(kind) is not str or type(body) is not bytes:  # damaged, or a bug
        return row_sum((room, seq, epoch, kind, match, body))
    rest = f"{room},{seq},{epoch},s{len(kind)}{kind},{match},b{len(body)},"
    return crc32(rest.encode(), crc32(body))


def past_sum(row: PastRow) -> int:
    """Return the checksum of a match's row: the same as `row_sum`, in a quarter of the time."""
    room, match, at, game, one, name, two, other, outcome, private, rated, ladder, body = row
    rest = (
        f"{room},{match},{at},s{len(game)}{game},{one},s{len(name)}{name},{two},"
        f"s{len(other)}{other},{outcome},{private},{rated},{ladder},b{len(body)},"
    )
    return crc32(rest.encode(), crc32(body))


def is_sound(row: tuple[Any, ...]) -> bool:
    """Whether a row's checksum, its last value, fits the others."""
    return bool(row_sum(row[:-1]) == row[-1])


def check_numbers(rows: Sequence[EventRow], room: int, since: int, last: int, advice: str) -> None:
    """See that events of a room, in order, are those after `since`, and that none is missing.

    No checksum tells of a row that is not found: its number may be what was damaged, or the way to
    it.  `last`: the seq of the room's last event as it is found from the other end, where all up to
    it should have been read, else 0.

    Raises:
        DamagedRow: one is missing; the sentence names it, and ends with `advice`.
    """
    expected = since + 1
    for row in rows:
        if row.seq != expected:
            break
        expected += 1
    else:
        if last < expected:
            return
    raise DamagedRow(f"room {room} lacks its event of seq {expected}; {advice}")


def checked(rows: Iterable[tuple[Any, ...]], table: str, advice: str) -> Iterator[tuple[Any, ...]]:
    """Yield rows without their checksums, each row's last value.

    Raises:
        DamagedRow: one does not fit; the sentence names it, and ends with `advice`.
    """
    for row in rows:
        if not is_sound(row):
            where = f"{table} {row[0]}"
            if table == "event":
                where = f"room {row[0]}, seq {row[1]}"
            elif table in ("past", "analysis"):
                where = f"match {row[0]}.{row[1]} ({table})"
            raise DamagedRow(f"the row of {where} is damaged: its checksum does not fit; {advice}")
        yield row[:-1]
