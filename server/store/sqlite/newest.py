"""The newest events, side by side, until each goes to its room's place in the log.

In the table `event` the rows of a room are neighbours, as they are read, so each new row changes a
page of its own: 4 kB to the -wal and again to the database for some 75 bytes.  New rows are written
one behind the other instead, many to a page, into one of two tables.  When that one is long the
other takes over, and its rows are moved to `event` room by room, in short slices between commits,
many rows of a room at once.  They stay where they are until all are moved, so the same row may be
in two tables for a while, and a reader asks for a union.

Why that is worth a union: a move writes 1.2 to 1.9 kB so, and wrote 7 to 9 to its room's own page.
Why the rows do not stay where they came: a read of a room looks at all that are there.  Why two
tables: the one that is being moved takes no new rows, so it comes to an end however much is played
meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import Any, Final

from server.store.checksums import event_sum
from server.store.contract import Conflict, DamagedRow, EventRow
from server.store.sqlite import lock

TABLES: Final = ("newest_0", "newest_1")
MAX_ROWS: Final = 8_000  # of a table, until the other takes over; a read of a room looks at all
SLICE: Final = 400  # rows that are moved at once, about: 2 ms in which no commit begins
COLUMNS: Final = ", ".join((*EventRow._fields, "sum"))
# Rows an INSERT: executemany lets go of the interpreter at each.  Powers of two: any number of rows
# takes few of them.  Each inserts nothing once another server has begun an epoch.
CHUNKS: Final = (128, 64, 32, 16, 8, 4, 2, 1)
INSERTS: Final = [
    {n: f"INSERT INTO {name} ({COLUMNS}) SELECT * FROM (VALUES "
        + ", ".join(["(?,?,?,?,?,?,?)"] * n) + f") WHERE {lock.EPOCH} = ?"
     for n in CHUNKS}
    for name in TABLES
]  # fmt: skip


def union(columns: str, where: str = "") -> str:
    """Return a query for events wherever they are; `where` begins with WHERE, and comes thrice."""
    tables = ("event", *TABLES)
    return " UNION ".join(f"SELECT {columns} FROM {table} {where}" for table in tables)


def settle(db: sqlite3.Connection, epoch: int) -> None:
    """Move all rows to `event`, in one transaction; some may be there, if moving was interrupted.

    Raises:
        sqlite3.Error: also if another row is in the place of one.
        Fenced: another server has begun an epoch.
    """
    lock.begin(db, epoch)
    try:
        for name in TABLES:
            db.execute(
                f"INSERT INTO event SELECT {COLUMNS} FROM {name} n WHERE NOT EXISTS (SELECT 1 FROM"
                " event e WHERE e.room = n.room AND e.seq = n.seq AND e.sum = n.sum)"
                " ORDER BY room, seq"
            )
            db.execute(f"DELETE FROM {name}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def check_single(db: sqlite3.Connection, advice: str) -> None:
    """See that no event is there twice, each time another.

    Raises:
        DamagedRow: one is; the sentence ends with `advice`.
    """
    if forks := _forks(db):
        rooms = ", ".join(str(room) for room, _ in forks[:10])
        raise DamagedRow(
            f"two servers have written to this database at once: events of room {rooms} are there"
            f" twice; {advice}"
        )


def leave_out_second(db: sqlite3.Connection) -> int:
    """Of rooms that two servers have gone on with, leave out what the second one wrote there.

    It is the one that began the later epoch.  Return how many events that were.
    """
    (before,) = db.execute(f"SELECT count(*) FROM ({union('room, seq, sum')})").fetchone()
    for room, fork in _forks(db):
        where = "WHERE room = ? AND seq = ?"
        query = f"SELECT min(epoch) FROM ({union('epoch', where)})"
        (first,) = db.execute(query, (room, fork) * 3).fetchone()
        for name in ("event", *TABLES):
            later = (room, fork, first)
            db.execute(f"DELETE FROM {name} WHERE room = ? AND seq >= ? AND epoch > ?", later)
    for name in TABLES:  # what is there twice even of one epoch was written to `event` first
        db.execute(f"INSERT OR IGNORE INTO event SELECT {COLUMNS} FROM {name} ORDER BY rowid")
        db.execute(f"DELETE FROM {name}")
    (after,) = db.execute("SELECT count(*) FROM event").fetchone()
    return int(before - after)


def _forks(db: sqlite3.Connection) -> list[tuple[int, int]]:
    """Return the rooms with events that are there twice, each with the first of these."""
    news = " UNION ALL ".join(f"SELECT room, seq FROM {name}" for name in TABLES)
    where = f"WHERE (room, seq) IN ({news})"  # in `event` alone each has a key of its own
    doubled = f"{union('room, seq, sum', where)}) GROUP BY room, seq HAVING count(*) > 1"
    query = f"SELECT room, min(seq) FROM (SELECT room, seq FROM ({doubled}) GROUP BY room"
    return db.execute(f"{query} ORDER BY room").fetchall()


def last_of_each(db: sqlite3.Connection) -> list[EventRow]:
    """Return the row that was written last to each table that is not empty."""
    fields = ", ".join(EventRow._fields)
    return [
        EventRow(*row)
        for name in TABLES
        for row in db.execute(f"SELECT {fields} FROM {name} ORDER BY rowid DESC LIMIT 1")
    ]


class NewestEvents:
    """Where new events are written, and how far those before them are moved.

    Both tables are empty at first: see `settle`.  All calls come from the thread that writes.
    """

    def __init__(self, db: sqlite3.Connection, epoch: int) -> None:
        self._db = db
        self._epoch = epoch
        self._table = 0  # which takes new rows
        self._rows = 0  # in that table
        self._slices: list[tuple[int, int]] = []  # rooms of the other, first and last, to be moved
        self._last: dict[int, int] = {}  # seq of the last event of each room that was written to
        self._next: dict[int, int] = {}  # the same of the commit that is being made

    def insert(self, rows: list[EventRow]) -> int:
        """Insert events, in a transaction, and return the checksum of the last.

        Raises:
            Conflict: an event of its number is there already.
            Fenced: another server has begun an epoch.
        """
        self._next = self._check_new(rows)
        at, total = 0, 0
        for size in CHUNKS:
            while len(rows) - at >= size:
                values: list[Any] = []
                for row in rows[at : at + size]:
                    total = event_sum(*row)
                    values += (*row, total)
                values.append(self._epoch)
                if self._db.execute(INSERTS[self._table][size], values).rowcount != size:
                    raise lock.fenced()
                at += size
        return total

    def _check_new(self, rows: Iterable[EventRow]) -> dict[int, int]:
        """Return the last seq of each room after these rows."""
        last: dict[int, int] = {}
        for row in rows:
            room = row.room
            before = last.get(room)
            if before is None:
                before = self._last.get(room)
            if before is None:
                before = self._stored(room)
            if row.seq <= before:
                lock.check_epoch(self._db, self._epoch)  # else it is another server's
                raise Conflict(f"room {room} has an event of seq {row.seq} already")
            last[room] = row.seq
        return last

    def _stored(self, room: int) -> int:
        """Return the last seq of a room that nothing was written to since the start."""
        query = "SELECT max(seq) FROM event WHERE room = ?"
        return self._db.execute(query, (room,)).fetchone()[0] or 0

    def committed(self, rows: int, closed: Iterable[int]) -> None:
        """Note that what was inserted last is stored; to the rooms `closed` nothing comes after."""
        if rows:  # else what stands there is of a commit that failed
            self._last.update(self._next)
        self._next = {}
        self._rows += rows
        for room in closed:
            self._last.pop(room, None)

    def move_some(self) -> int:
        """Move a slice, or have the other table take over, if it is time to; between commits.

        Each slice is synced.  Left to the sync of the next commit, it would be gone where that one
        fails: the system says so once, and drops what it had to write.  The commit is made again,
        the slice is not, and SQLite finds nothing in a -wal behind a gap.

        Returns:
            How many rows were moved.
        """
        if not self._slices and self._rows < MAX_ROWS:
            return 0
        db = self._db
        if not self._slices:
            self._slices = self._cut(TABLES[self._table])
            self._table, self._rows = 1 - self._table, 0
            return 0
        name = TABLES[1 - self._table]
        moved = 0
        try:
            lock.begin(db, self._epoch)
            moved = db.execute(
                f"INSERT INTO event SELECT {COLUMNS} FROM {name} WHERE room BETWEEN ? AND ?"
                " ORDER BY room, seq",
                self._slices[-1],
            ).rowcount
            if len(self._slices) == 1:
                db.execute(f"DELETE FROM {name}")
            db.execute("COMMIT")
            self._slices.pop()
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        return moved

    def _cut(self, name: str) -> list[tuple[int, int]]:
        """Return the rooms of a table in slices; one with many rows is a slice of its own."""
        slices: list[tuple[int, int]] = []
        size = SLICE
        query = f"SELECT room, count(*) FROM {name} GROUP BY room ORDER BY room"
        for room, rows in self._db.execute(query):
            if size + rows > SLICE:
                slices.append((room, room))
                size = 0
            slices[-1] = (slices[-1][0], room)
            size += rows
        return slices

    def settle(self) -> None:
        """Move all there is, so that both tables are empty."""
        settle(self._db, self._epoch)
        self._rows, self._slices = 0, []
