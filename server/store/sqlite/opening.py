"""Opening a database: a new one, one that was closed, or one whose server was killed.

What was emptied, cut, or came without its -wal file is none of these, and is never taken for a new
house or an older one: it stops here with a sentence that says what to do.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import sqlite3
import time
from pathlib import Path
from typing import NamedTuple

from server.store import files
from server.store.checksums import row_sum
from server.store.contract import EventRow, Fenced, SessionRow, StoreError, StoreInUse
from server.store.sqlite import checking, lock, newest
from server.store.sqlite.checking import HouseRow
from server.store.sqlite.mark import BadMark, HighWaterMark, MarkFile, read_mark
from server.store.sqlite.migrations import SIDE_BY_SIDE, migrate, version_of

log = logging.getLogger("plyhouse")
MARK = ".mark"
MARKED = 2  # the version of the tables from which on there is one
WAL = ".db-wal"
PAGE = 1024  # bytes of a new database: a commit writes whole pages, and seldom has much to say
TOKENS = "house-bots.json"  # of the bots that came with a house


class OpenDatabase(NamedTuple):
    """A database that is ours until it is closed, and its mark.

    `left`: the last events of the tables of new ones, of a server that did not end in peace;
    `checked`: whether every page of it has been looked at.
    """

    path: Path
    db: sqlite3.Connection
    house: HouseRow
    mark: MarkFile
    left: list[EventRow]
    checked: bool


def open_database(path: Path, clock_was_wrong: int | None = None) -> OpenDatabase:
    """Open the database in `path`, or make it, and begin an epoch.

    `clock_was_wrong`: what time it is, in ms, if the log is to be believed no more about that.

    Raises:
        StoreError: if it is unreadable, damaged, not whole, not ours, or from a newer version.
    """
    mark = mark_of(path)
    if not path.exists() or (path.is_file() and path.stat().st_size == 0):
        _check_new(path)
        _make(path)
    with contextlib.ExitStack() as undo:
        sealed = _is_sealed(path, mark)
        _check(path, mark, pages=not sealed)
        db = _connect(path)
        undo.callback(db.close)
        house = checking.read_house(db)
        mark = (mark or HighWaterMark(house.id, 0, 0))._replace(
            epoch=house.epoch, commits=house.commits, size=0, changed=0
        )
        file = MarkFile(path.with_suffix(MARK), mark)
        undo.callback(file.close)
        try:
            house = _begin_epoch(db, house, clock_was_wrong)
            left = newest.last_of_each(db)  # no other adds to them from here on
            newest.check_single(db, checking.RESTORE)
            newest.settle(db, house.epoch)
        except Fenced as error:  # both began it in the same moment
            raise StoreInUse(f"the database {path} cannot be opened: {error}") from None
        except checking.UNREADABLE as error:
            raise StoreError(f"the database {path} cannot be written: {error}") from None
        file.note(mark._replace(epoch=house.epoch, commits=house.commits))
        undo.pop_all()
    return OpenDatabase(path, db, house, file, left, checked=not sealed)


def mark_of(path: Path) -> HighWaterMark | None:
    """Return the mark of a database; None, with a warning if it is damaged, if there is none."""
    try:
        return read_mark(path.with_suffix(MARK))
    except BadMark as error:
        log.warning("%s, so it does not say what the database must hold", error)
        return None


def write_house(db: sqlite3.Connection, house: HouseRow, epoch: int | None = None) -> None:
    """Replace the row of the server; `epoch`: which it has now, if that changes.

    Raises:
        Fenced: another server has begun an epoch.
    """
    changed = db.execute(
        "UPDATE server SET id = ?, epoch = ?, commits = ?, is_open = ?, times_from = ?, sum = ?"
        " WHERE epoch = ?",
        (*house, row_sum(house), house.epoch if epoch is None else epoch),
    ).rowcount
    if not changed:
        raise lock.fenced()


def close_database(opened: OpenDatabase) -> None:
    """Write down that the file is whole, without its -wal, and let go of it."""
    path, db, house, mark, _, checked = opened
    with contextlib.suppress(sqlite3.Error):  # else the next start reads the -wal and the mark
        try:
            _write_and_checkpoint(db, house._replace(is_open=0))
        except Fenced:  # the other one will seal it
            checked = False
    db.close()
    if checked:
        # A time of change of its own, to the ns: those that writing leaves are so coarse that a
        # change in the next moment would not show.
        with contextlib.suppress(OSError):  # else the next start looks at every page first
            os.utime(path, ns=(path.stat().st_atime_ns, time.time_ns()))
            status = path.stat()
            mark.note(mark.mark._replace(size=status.st_size, changed=status.st_mtime_ns))
    mark.close()


def _is_sealed(path: Path, mark: HighWaterMark | None) -> bool:
    """Whether no program has touched a database since a server sealed it."""
    beside = (path.with_name(path.name + suffix) for suffix in ("-wal", "-journal"))
    if mark is None or any(file.exists() for file in beside):
        return False
    status = path.stat()
    return (mark.size, mark.changed) == (status.st_size, status.st_mtime_ns)


def _write_and_checkpoint(
    db: sqlite3.Connection, house: HouseRow, epoch: int | None = None
) -> None:
    """Replace the row of the server in the file itself; the checkpoint syncs what is written."""
    db.execute("PRAGMA synchronous = NORMAL")
    write_house(db, house, epoch)
    is_synced = checkpoint(db)
    db.execute("PRAGMA synchronous = FULL")
    if not is_synced:  # somebody reads
        write_house(db, house)


def checkpoint(db: sqlite3.Connection) -> bool:
    """Move all of the -wal into the database and empty it; False if somebody reads in it now."""
    db.execute("PRAGMA busy_timeout = 0")  # what waits for readers stops all rooms
    try:
        busy, _, _ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        db.execute("PRAGMA busy_timeout = 5000")
    return not busy


def restart_wal(db: sqlite3.Connection, house: HouseRow) -> None:
    """Move the -wal into the database, and begin it anew in the same place, which is quicker.

    The row of the server is written as its first commit: a -wal that is in the database already and
    is damaged then would hide what is newer there.
    """
    _, pages, moved = db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
    if pages == moved:
        write_house(db, house)


def _check_new(path: Path) -> None:
    """Refuse to begin a new house where there was one.

    Raises:
        StoreError: naming what it left.
    """
    traces = [path.with_suffix(MARK), path.with_suffix(WAL), path.with_name(TOKENS)]
    left = [trace.name for trace in traces if trace.exists()]
    if not left:
        return
    what = "empty" if path.exists() else "missing"
    raise StoreError(
        f"{path} is {what}, but {' and '.join(left)} beside it shows that there was a house;"
        f" {checking.RESTORE}; for a new house name another --data folder"
    )


def _make(path: Path) -> None:
    """Make the database of a new house, whole or not at all."""
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)
        files.make_file(part)
        with contextlib.closing(sqlite3.connect(part, isolation_level=None)) as db:
            db.execute(f"PRAGMA page_size = {PAGE}")
            db.execute("PRAGMA synchronous = OFF")  # it is synced as a whole
            db.execute("PRAGMA journal_mode = MEMORY")
            migrate(db, part)
            house = HouseRow(secrets.token_hex(8), epoch=0, commits=0, is_open=0, times_from=0)
            db.execute("INSERT INTO server VALUES (?, ?, 0, 0, 0, 0)", house[:2])
            write_house(db, house)
            db.execute("PRAGMA journal_mode = WAL")
        files.sync(part)
        part.replace(path)
        files.sync(path.parent)
    except (sqlite3.Error, OSError) as error:
        with contextlib.suppress(OSError):
            part.unlink()
        raise StoreError(f"{path} cannot be made: {error}") from None


def _connect(path: Path) -> sqlite3.Connection:
    db = connect(path, "rw")
    try:
        migrate(db, path)
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA wal_autocheckpoint = 0")  # SqliteStore sees to it
    except sqlite3.Error as error:
        db.close()
        raise StoreError(f"the database {path} cannot be written: {error}") from None
    return db


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Connect to a database that is there; `mode`: `rw`, or `ro` to change nothing.

    Raises:
        StoreError: if it cannot be opened.
    """
    uri = f"{path.resolve().as_uri()}?mode={mode}"
    try:
        return sqlite3.connect(
            uri, uri=True, isolation_level=None, check_same_thread=False, timeout=5
        )
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be opened: {error}") from None


def _check(path: Path, mark: HighWaterMark | None, pages: bool) -> None:
    """See whether a database is whole, and change nothing if it is not, not even its -wal.

    `pages`: look at every page of it, too.

    Raises:
        StoreError: it is not.
    """
    is_half_written = path.with_name(path.name + "-journal").exists()  # only a writer may undo that
    with contextlib.closing(connect(path, "rw" if is_half_written else "ro")) as db:
        try:
            version = checking.check_structure(db, path, pages)
            checking.check_named(db, path)
            if version >= MARKED:
                check_end(db, path, mark)
            if version >= SIDE_BY_SIDE:
                checking.check_newest(db)
        except checking.UNREADABLE as error:
            raise StoreError(
                f"{path} cannot be read as a Plyhouse database: {error}; {checking.RESTORE}"
            ) from None


def check_end(db: sqlite3.Connection, path: Path, mark: HighWaterMark | None) -> None:
    """See whether a database has all that its mark says.

    Raises:
        StoreError: it has not.
    """
    house = checking.read_house(db)
    rest = f"or what is left here: `plyhouse restore {path} --data {path.parent}`"
    if mark is None:
        if house.is_open:
            raise StoreError(
                f"{path} was not closed by its server, and {path.stem}{MARK}, which says what it"
                f" must hold, is missing or damaged; {checking.RESTORE}, {rest}"
            )
    elif mark.server != house.id:
        raise StoreError(
            f"{path} is of another house than {path.stem}{MARK} beside it; {checking.RESTORE}"
        )
    elif not _holds(db, house, mark, version_of(db, path)):
        raise StoreError(
            f"{path} lacks what was stored last: its -wal file is missing or damaged, or it is an"
            f" older copy; {checking.RESTORE}, {rest}"
        )


def _holds(db: sqlite3.Connection, house: HouseRow, mark: HighWaterMark, version: int) -> bool:
    if house.epoch < mark.epoch or house.commits < mark.commits:
        return False
    if not mark.seq:
        return True
    where = "WHERE room = ? AND seq = ?"
    key = (mark.room, mark.seq)
    if version < SIDE_BY_SIDE:
        rows = db.execute(f"SELECT sum FROM event {where}", key)
    else:
        rows = db.execute(newest.union("sum", where), key * 3)
    return (mark.sum,) in rows.fetchall()


def _begin_epoch(db: sqlite3.Connection, house: HouseRow, clock_was_wrong: int | None) -> HouseRow:
    """Write down that the database is open; in the file itself, not in its -wal alone."""
    begun = house._replace(epoch=house.epoch + 1, commits=house.commits + 1, is_open=1)
    if clock_was_wrong is not None:
        begun = begun._replace(times_from=begun.epoch)
        _see_nobody_after(db, clock_was_wrong)
    _write_and_checkpoint(db, begun, house.epoch)
    return begun


def _see_nobody_after(db: sqlite3.Connection, now: int) -> None:
    """Let no one have been seen later than now."""
    rows = db.execute(f"{checking.SESSIONS} WHERE seen > ?", (now,)).fetchall()
    for values in checking.checked(rows, "session"):
        row = SessionRow(*values)._replace(seen=now)
        db.execute(
            "UPDATE session SET seen = ?, sum = ? WHERE number = ?",
            (row.seen, row_sum(row), row.number),
        )
