"""The log in SQLite: one writer thread, one commit for all that waits, synced before it is told.

While a commit is under way, what comes in waits and makes up the next one: under load a commit
carries dozens of rows, and a lonely move waits for one sync.  A batch that fails is written again
append by append, so that one bad append does not take the others with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
import secrets
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from server.store import lock
from server.store.store import (
    Done,
    EventRow,
    PulseRow,
    Read,
    RoomRow,
    Row,
    SessionRow,
    StoreError,
)

ENGINE = f"SQLite {sqlite3.sqlite_version}"
SCHEMA_VERSION = 1
APPLICATION_ID = 0x506C7968  # "Plyh", so that `file` and we know our own
SCHEMA = f"""
CREATE TABLE event (room INTEGER, seq INTEGER, epoch INTEGER, kind TEXT, match INTEGER, body BLOB,
                    PRIMARY KEY (room, seq)) WITHOUT ROWID;
CREATE TABLE room (number INTEGER PRIMARY KEY, open INTEGER NOT NULL);
CREATE INDEX room_open ON room (number) WHERE open;
CREATE TABLE session (number INTEGER PRIMARY KEY, name TEXT NOT NULL, token BLOB NOT NULL,
                      seen INTEGER NOT NULL, guest INTEGER NOT NULL);
CREATE TABLE server (id TEXT NOT NULL, epoch INTEGER NOT NULL);
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION};
"""
INSERT_EVENT = "INSERT INTO event (room, seq, epoch, kind, match, body) VALUES "
CHUNKS = (128, 32, 8, 1)  # rows an INSERT: executemany gives up the interpreter lock at every row
INSERTS = {n: INSERT_EVENT + ", ".join(["(?,?,?,?,?,?)"] * n) for n in CHUNKS}
UPSERTS: dict[type[Row], str] = {
    SessionRow: "INSERT OR REPLACE INTO session VALUES (?,?,?,?,?)",
    RoomRow: "INSERT OR REPLACE INTO room VALUES (?,?)",
    PulseRow: "UPDATE server SET epoch = ?",
}

# What a row can be refused with: by SQLite, or for a number or a text that it cannot hold.
Failed = (sqlite3.Error, OverflowError, ValueError)

Append = tuple[list[Row], Done]
Job = Callable[[], None]


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
        self._loop = loop
        self._waiting: list[Append] = []
        self._writing = False
        self._jobs: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------ in the event loop

    def append(self, rows: list[Row], done: Done) -> None:
        """Write rows; one batch is in flight at a time, and what comes meanwhile makes up the
        next.
        """
        self._waiting.append((rows, done))
        if not self._writing:
            self._writing = True
            self._own_loop().call_soon(self._send)

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        """Read in the writer's thread, between two commits."""
        loop = self._own_loop()

        def job() -> None:
            try:
                rows: list[EventRow] | None = self._events(room, since, limit, kinds)
            except Failed:
                rows = None
            loop.call_soon_threadsafe(done, rows)

        self._jobs.put(job)

    def close(self) -> None:
        """Write what waits, end the thread, close the file and give up the lock.

        What was written is still told if the loop goes on; nothing may be asked any more.
        """
        if self._waiting:
            self._send()
        self._jobs.put(None)
        self._thread.join()
        self._db.close()
        self._file.close()

    def _own_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        return self._loop

    def _send(self) -> None:
        batch, self._waiting = self._waiting, []
        loop = self._own_loop()

        def job() -> None:
            errors = self._write(batch)
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._sent, batch, errors)

        self._jobs.put(job)

    def _sent(self, batch: list[Append], errors: Sequence[Exception | None]) -> None:
        if self._waiting:
            self._send()
        else:
            self._writing = False
        self._tell(zip((done for _, done in batch), errors, strict=True))

    def _tell(self, answers: Iterator[tuple[Done, Exception | None]]) -> None:
        """Call each `done`; one that raises does not keep the others from their answers."""
        told = False
        try:
            for done, error in answers:
                done(error)
            told = True
        finally:
            if not told:
                self._own_loop().call_soon(self._tell, answers)

    # ------------------------------------------------------------ in the writer's thread

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()

    def _write(self, batch: list[Append]) -> list[Exception | None]:
        try:
            self._commit([row for rows, _ in batch for row in rows])
            return [None] * len(batch)
        except Failed:
            return [self._write_alone(rows) for rows, _ in batch]

    def _write_alone(self, rows: list[Row]) -> Exception | None:
        """Write one append by itself; after an error, look whether it has been written all the
        same: a commit that fails may have reached the disk, and then it stands.
        """
        try:
            self._commit(rows)
        except Failed as error:
            return None if self._has(rows) else error
        return None

    def _has(self, rows: list[Row]) -> bool:
        """Whether all events of an append, which is written whole or not at all, stand there."""
        events = [row for row in rows if type(row) is EventRow]
        try:
            return bool(events) and all(
                self._events(row.room, row.seq - 1, 1) == [row] for row in events
            )
        except Failed:
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
            with contextlib.suppress(sqlite3.Error):  # the first error is the one to tell
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
        """All logins."""
        return [SessionRow(*row) for row in self._read("SELECT * FROM session ORDER BY number")]

    def open_rooms(self) -> list[int]:
        """The rooms that are open, in order."""
        return [n for (n,) in self._read("SELECT number FROM room WHERE open ORDER BY number")]

    def last_room(self) -> int:
        """The highest room number so far."""
        return int(self._read("SELECT coalesce(max(number), 0) FROM room")[0][0])

    def all_events(self, room: int) -> list[EventRow]:
        """A room's events in order."""
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
    """Whatever SQLite says while a server starts becomes a sentence."""
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
        _prepare(db, path)
    except sqlite3.Error as error:
        db.close()
        raise StoreError(f"{path} cannot be read as a Plyhouse database: {error}") from None
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Make the tables if the file is new; check that it is ours if it is not."""
    version = db.execute("PRAGMA user_version").fetchone()[0]
    mine = db.execute("PRAGMA application_id").fetchone()[0]
    empty = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if not empty:
        _check(path, version, mine)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    if empty:
        db.executescript("BEGIN;" + SCHEMA + "COMMIT;")


def _check(path: Path, version: int, mine: int) -> None:
    if mine != APPLICATION_ID:
        raise StoreError(f"{path} is a database, but not one of Plyhouse's")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path} was written by a newer Plyhouse (version {version} of its tables,"
            f" this one knows {SCHEMA_VERSION}); use that one, or another --data folder"
        )


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
