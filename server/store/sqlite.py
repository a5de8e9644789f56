"""The log in SQLite: every commit is synced before it is answered."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from server.store import lock
from server.store.batching import BatchWriter
from server.store.contract import (
    Done,
    EventRow,
    PulseRow,
    Read,
    RoomRow,
    Row,
    SessionRow,
    StoreError,
)
from server.store.migrations import migrate

ENGINE = f"SQLite {sqlite3.sqlite_version}"
INSERT_EVENT = "INSERT INTO event (room, seq, epoch, kind, match, body) VALUES "
CHUNKS = (128, 32, 8, 1)  # rows an INSERT: executemany gives up the interpreter lock at every row
INSERTS = {n: INSERT_EVENT + ", ".join(["(?,?,?,?,?,?)"] * n) for n in CHUNKS}
UPSERTS: dict[type[Row], str] = {
    SessionRow: "INSERT OR REPLACE INTO session VALUES (?,?,?,?,?)",
    RoomRow: "INSERT OR REPLACE INTO room VALUES (?,?)",
    PulseRow: "UPDATE server SET epoch = ?",
}

# What a row can be refused with: by SQLite, or for a number or a text that it cannot hold.
FAILURES = (sqlite3.Error, OverflowError, ValueError)


class SqliteStore:
    """A Store in one file.

    Made by `open_store`; `append` and `read_events` belong to one event loop.
    """

    def __init__(self, path: Path, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Open or make the database in `path` and take its lock.

        Raises:
            StoreError: if it is in use, unreadable, not ours, or from a newer version.
        """
        self._file = lock.take(path.with_suffix(".lock"))
        try:
            self._db = _open(path)
        except BaseException:
            self._file.close()
            raise
        try:
            self.server, self.epoch = _begin_epoch(self._db)
            self.last_at = self._last_at()
        except BaseException:
            self._db.close()
            self._file.close()
            raise
        self._writer = BatchWriter(self._commit, self._has, FAILURES, loop)

    # ------------------------------------------------------------ in the event loop

    def append(self, rows: list[Row], done: Done) -> None:
        """Write rows with the next commit."""
        self._writer.append(rows, done)

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        """Read in the writer's thread, between two commits."""
        self._writer.read(lambda: self._events(room, since, limit, kinds), done)

    def close(self) -> None:
        """Write what waits, end the thread, close the file and give up the lock."""
        self._writer.close()
        self._db.close()
        self._file.close()

    # ------------------------------------------------------------ in the writer's thread

    def _has(self, rows: list[Row]) -> bool:
        """Whether all events of an append are stored; an append is written whole or not at all."""
        events = [row for row in rows if type(row) is EventRow]
        try:
            return bool(events) and all(
                self._events(row.room, row.seq - 1, 1) == [row] for row in events
            )
        except FAILURES:
            return False

    def _commit(self, rows: list[Row]) -> None:
        db = self._db
        db.execute("BEGIN IMMEDIATE")
        try:
            self._insert([row for row in rows if type(row) is EventRow])
            for row in rows:
                if type(row) is not EventRow:
                    db.execute(UPSERTS[type(row)], row)
            db.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # the first error is the one to report
                if db.in_transaction:
                    db.execute("ROLLBACK")
            raise

    def _insert(self, rows: list[EventRow]) -> None:
        at = 0
        for size in CHUNKS:
            while len(rows) - at >= size:
                values: list[Any] = []
                for row in rows[at : at + size]:
                    values += row
                self._db.execute(INSERTS[size], values)
                at += size

    def _events(
        self, room: int, since: int, limit: int, kinds: Sequence[str] = ()
    ) -> list[EventRow]:
        only = f" AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        rows = self._db.execute(
            "SELECT room, seq, epoch, kind, match, body FROM event"
            f" WHERE room = ? AND seq > ?{only} ORDER BY seq LIMIT ?",
            (room, since, *kinds, limit),
        )
        return [EventRow(*row) for row in rows]

    # ------------------------------------------------------------ at start, before the loop runs

    def sessions(self) -> list[SessionRow]:
        """Return all logins."""
        return [SessionRow(*row) for row in self._read("SELECT * FROM session ORDER BY number")]

    def open_rooms(self) -> list[int]:
        """Return the rooms that are open, in order."""
        return [n for (n,) in self._read("SELECT number FROM room WHERE open ORDER BY number")]

    def last_room(self) -> int:
        """Return the highest room number so far."""
        return int(self._read("SELECT coalesce(max(number), 0) FROM room")[0][0])

    def all_events(self, room: int) -> list[EventRow]:
        """Return a room's events in order."""
        with _readable():
            return self._events(room, 0, -1)

    def _last_at(self) -> int:
        """When somebody was last seen, so that time does not run backwards over a restart."""
        return int(self._read("SELECT coalesce(max(seen), 0) FROM session")[0][0])

    def _read(self, query: str) -> list[Any]:
        with _readable():
            return self._db.execute(query).fetchall()


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """Turn an error of SQLite while a server starts into a sentence."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"the database is damaged: {error}") from None


def _open(path: Path) -> sqlite3.Connection:
    try:
        db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be opened: {error}") from None
    try:
        migrate(db, path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error as error:
        db.close()
        raise StoreError(f"{path} cannot be read as a Plyhouse database: {error}") from None
    except BaseException:
        db.close()
        raise
    return db


def _begin_epoch(db: sqlite3.Connection) -> tuple[str, int]:
    try:
        row = db.execute("SELECT id, epoch FROM server").fetchone()
        if row is None:
            row = (secrets.token_hex(8), 0)
            db.execute("INSERT INTO server VALUES (?, ?)", row)
        epoch = int(row[1]) + 1
        db.execute("UPDATE server SET epoch = ?", (epoch,))
    except sqlite3.Error as error:
        raise StoreError(f"the database cannot be written: {error}") from None
    return str(row[0]), epoch
