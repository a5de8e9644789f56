"""The mark: a small file beside the database that says what it must hold at least.

A database whose -wal file was taken away, cut or overwritten is still a database to SQLite: it goes
on with what it finds, and the newest commits are gone without a word.  So the newest event that is
durable is noted here soon after its commit.  Commits are on the disk in their order, so where this
event is, all before it are.

A server that ends in peace after every page was looked at *seals* the database: it notes size and
time of change of the file.  Where they are still the same, nothing but the disk itself has touched
it, and the next server looks at the pages while it serves, not before.

The note itself is not synced.  A power cut may bring back an older one, which asks for less; never
a newer one, as each is written after its commit is durable.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from server.store import files
from server.store.contract import StoreError
from server.store.sqlite import lock

WIDTH = 160  # bytes: one line, always of the same length, so that it is replaced by one write


class BadMark(ValueError):
    """A file that is no mark."""


class HighWaterMark(NamedTuple):
    """What a database holds at least.

    `server`, `epoch` and `commits`: as in its server row; `room`, `seq` and `sum`: of the newest
    event, 0 if there was none; `size` and `changed`: of the file that was sealed, in bytes and in
    ns, 0 while it is open.
    """

    server: str
    epoch: int
    commits: int
    room: int = 0
    seq: int = 0
    sum: int = 0
    size: int = 0
    changed: int = 0


UNSEALED = HighWaterMark._fields[:-2]  # all that the marks of older servers have


def read_mark(path: Path) -> HighWaterMark | None:
    """Return the mark in a file, None if there is no file.

    Raises:
        BadMark: it cannot be read.
    """
    try:
        line = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadMark(f"{path} cannot be read: {error.strerror}") from None
    text, _, check = line.rstrip(b"\n").rstrip(b" ").rpartition(b" ")
    words = text.decode("ascii", "replace").split(" ")
    if len(line) != WIDTH or check != b"%08x" % crc32(text) or not _is_complete(words):
        raise BadMark(f"{path} is damaged")
    return HighWaterMark(words[0], *map(int, words[1:]))


def _is_complete(words: list[str]) -> bool:
    return len(words) in (len(HighWaterMark._fields), len(UNSEALED))


class MarkFile:
    """The file of a mark, held open for writing, and locked; `mark`: what it says."""

    def __init__(self, path: Path, mark: HighWaterMark) -> None:
        """Write the first mark, and have it on the disk.

        Raises:
            StoreError: if it cannot be written, or another server holds it.
        """
        try:
            self.mark = mark
            is_new = not path.exists()
            if is_new:
                files.make_file(path)
            self._file = path.open("r+b", buffering=0)
            try:
                lock.hold(self._file, path)
                self._file.write(_line(mark))
                self._file.truncate()
                os.fsync(self._file.fileno())
                if is_new:
                    files.sync(path.parent)
            except (OSError, StoreError):
                self._file.close()
                raise
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from None

    def note(self, mark: HighWaterMark) -> None:
        """Replace the mark; what it says is durable already."""
        self.mark = mark
        with contextlib.suppress(OSError):  # the older one asks for less
            self._file.seek(0)
            self._file.write(_line(mark))

    def close(self) -> None:
        self._file.close()


def _line(mark: HighWaterMark) -> bytes:
    text = b"%s %d %d %d %d %d %d %d" % (mark.server.encode("ascii"), *mark[1:])
    return (b"%s %08x" % (text, crc32(text))).ljust(WIDTH - 1) + b"\n"
