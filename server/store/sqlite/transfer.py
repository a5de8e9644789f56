"""The rows of a house in a file, for a database that takes them over; and a file from such rows.

Rows go with their checksums, in the order of the columns in the contract, and are checked on both
sides.
"""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from server.store import files
from server.store.checksums import row_sum
from server.store.contract import StoreError
from server.store.sqlite import checking, copies, opening
from server.store.sqlite.checking import Contents, HouseRow
from server.store.sqlite.migrations import migrate

COLUMNS: Final = {
    "event": "room, seq, epoch, kind, match, body, sum",
    "room": "number, open, body, sum",
    "session": "number, name, token, seen, guest, recovery, played, sum",
    "device": "session, body, sum",
    "setting": "session, body, sum",
    "past": "room, match, at, game, one, one_name, two, two_name, outcome, private, rated, ladder,"
            " body, sum",
    "progress": "name, room, sum",
    "analysis": "room, match, at, body, sum",
}  # fmt: skip
CHUNK: Final = 5_000  # rows


class HouseFile(NamedTuple):
    """A house in a file, checked, which is read until it is closed."""

    contents: Contents
    db: sqlite3.Connection

    def chunks(self, table: str) -> Iterator[list[tuple[Any, ...]]]:
        """Yield the rows of a table, many at a time."""
        cursor = self.db.execute(f"SELECT {COLUMNS[table]} FROM {table}")
        while rows := cursor.fetchmany(CHUNK):
            yield rows


@contextlib.contextmanager
def read_house_file(file: Path) -> Iterator[HouseFile]:
    """Open a backup, or the database of a server that has ended, of any version.

    Raises:
        StoreError: it is none, or damaged.
    """
    if not file.is_file():
        raise StoreError(f"there is no file {file}")
    with tempfile.TemporaryDirectory(prefix="plyhouse-") as folder:
        part = Path(folder) / files.FILE
        files.make_file(part)
        contents = copies.copy_whole(file, part)
        with contextlib.closing(opening.connect(part, "ro")) as db:
            yield HouseFile(contents, db)


class HouseWriter:
    """Writes a house into a new file; `finish` checks it and gives it its name."""

    def __init__(self, path: Path) -> None:
        """Begin.

        Raises:
            StoreError: there is such a file, or it cannot be written.
        """
        if path.exists():
            raise StoreError(f"{path} is there already; name another file")
        self._path = path
        self._part = path.with_name(path.name + ".part")
        try:
            self._part.unlink(missing_ok=True)
            files.make_file(self._part)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from None
        self._db = opening.connect(self._part, "rw")
        self._db.execute("PRAGMA synchronous = OFF")  # it is synced as a whole
        migrate(self._db, self._part)
        self._db.execute("BEGIN")
        self._db.execute("DELETE FROM progress")

    def write(self, table: str, rows: Sequence[tuple[Any, ...]]) -> None:
        """Add rows.

        Raises:
            StoreError: they cannot be written.
        """
        marks = ", ".join("?" * (COLUMNS[table].count(",") + 1))
        try:
            self._db.executemany(f"INSERT INTO {table} ({COLUMNS[table]}) VALUES ({marks})", rows)
        except sqlite3.Error as error:
            raise StoreError(f"{self._path} cannot be written: {error}") from None

    def finish(self, house: HouseRow) -> Contents:
        """Check all that was written, and give the file its name.

        Raises:
            StoreError: something is not what was stored, or cannot be written.
        """
        try:
            self._db.execute(
                "INSERT INTO server (id, epoch, commits, is_open, times_from, sum)"
                " VALUES (?, ?, ?, ?, ?, ?)", (*house, row_sum(house)),
            )  # fmt: skip
            self._db.execute("COMMIT")
            contents = checking.check_all(self._db, self._part)
            self._db.close()
            files.sync(self._part)
            self._part.replace(self._path)
            files.sync(self._path.parent)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"{self._path} cannot be written: {error}") from None
        return contents

    def close(self) -> None:
        """Remove what is left if it was not finished."""
        self._db.close()
        for suffix in copies.BESIDE:
            self._part.with_name(self._part.name + suffix).unlink(missing_ok=True)
