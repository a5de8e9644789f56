"""Copies of a house: a backup of a running one, and a house from a backup.

Both are one SQLite file that holds one moment of the log, with every page and row checked after it
was written.  A copy says of itself that it was closed, so it opens without -wal and mark.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from server.store import files
from server.store.checksums import is_sound
from server.store.contract import StoreError
from server.store.files import FILE
from server.store.sqlite import checking, lock, newest, opening
from server.store.sqlite.checking import Contents
from server.store.sqlite.migrations import migrate, version_of

BESIDE = ("", "-wal", "-shm", "-journal")  # what SQLite has beside a database, and itself


OF_SESSIONS = ("device", "setting")
# The index follows from events.
TABLES = ("event", *newest.TABLES, "room", "session", *OF_SESSIONS, "analysis")


class Restored(NamedTuple):
    """What a house was restored to.

    `left_out`: how many damaged rows were; `before`: where what was there before is now, if there
    was any; `second`: how many events were left out that a second server wrote at the same time.
    """

    contents: Contents
    left_out: int
    before: Path | None
    second: int = 0


def backup(folder: Path, target: Path) -> Contents:
    """Copy the house in `folder` into a new file, while its server runs or not.

    Raises:
        StoreError: there is none, or it is not whole, or the file cannot be written or is there.
    """
    source = folder / FILE
    if not source.is_file():
        raise StoreError(f"there is no house in {folder}: {source} is missing")
    if target.exists():
        raise StoreError(f"{target} is there already; name another file")
    mark = opening.mark_of(source)  # before the copy: a running server goes on
    with _part(target) as part:
        contents = _copy(source, part, lambda db: opening.check_end(db, source, mark))
        _move(part, target)
    return contents


def restore(file: Path, folder: Path, leave_out_damaged: bool = False) -> Restored:
    """Make the house in `folder` what a file holds; what is there is moved into a folder beside.

    `file`: a backup, or the database of any house, for what is left of it; `leave_out_damaged`:
    what is sound of a damaged one is enough.

    Raises:
        StoreError: a server runs there, or the file is damaged, or something cannot be written.
    """
    if not file.is_file():
        raise StoreError(f"there is no file {file}")
    files.make_folder(folder)
    path = folder / FILE
    with lock.take(path.with_suffix(".lock"), path.with_suffix(opening.MARK)), _part(path) as part:
        if leave_out_damaged:
            contents, left_out, second = _copy_sound(file, part)
        else:
            contents, left_out, second = copy_whole(file, part), 0, 0
        before = _move_aside(path)
        _move(part, path)
        if before is not None:  # last: with the old mark alone, nothing here is taken for new
            _move(path.with_suffix(opening.MARK), before / path.with_suffix(opening.MARK).name)
    return Restored(contents, left_out, before, second)


@contextlib.contextmanager
def _part(path: Path) -> Iterator[Path]:
    """Make an empty file beside `path`, which becomes it or is gone at the end.

    Raises:
        StoreError: if something cannot be written.
    """
    part = path.with_name(path.name + ".part")
    try:
        part.unlink(missing_ok=True)
        files.make_file(part)
        try:
            yield part
        finally:
            for suffix in BESIDE:
                part.with_name(part.name + suffix).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def copy_whole(source: Path, part: Path) -> Contents:
    """Copy the database of a server that has ended, or a backup, into an empty file; see `_copy`.

    Raises:
        StoreError: it is damaged, or the file cannot be written.
    """
    return _copy(source, part, lambda db: None)


def _copy(source: Path, part: Path, check: Callable[[sqlite3.Connection], None]) -> Contents:
    """Copy a database of any version into a file, bring it up to date, and check it.

    Raises:
        StoreError: naming the source, if it is damaged; or if the file cannot be written.
    """
    try:
        with (
            contextlib.closing(opening.connect(source, "ro")) as old,
            contextlib.closing(opening.connect(part, "rw")) as new,
        ):
            old.backup(new)  # in one step, so a server that writes does not make it begin again
            new.execute("PRAGMA synchronous = OFF")  # it is synced as a whole
            new.execute("PRAGMA journal_mode = DELETE")  # one file
            checking.check_structure(new, source)
            checking.check_named(new, source)
            migrate(new, source)
            check(new)
            house = checking.read_house(new)._replace(is_open=0)
            newest.check_single(new, checking.RESTORE)
            newest.settle(new, house.epoch)
            opening.write_house(new, house)
            contents = checking.check_all(new, source)
    except checking.UNREADABLE as error:
        raise StoreError(f"{source} cannot be copied: {error}") from None
    files.sync(part)
    return contents


def _copy_sound(source: Path, part: Path) -> tuple[Contents, int, int]:
    """Copy the rows of a database that are what was stored.

    Return how many are not, too, and how many events of a second server were left out.

    Raises:
        StoreError: whose house it is cannot be read, or it is of a version without checksums.
    """
    try:
        with (
            contextlib.closing(opening.connect(source, "ro")) as old,
            contextlib.closing(opening.connect(part, "rw")) as new,
        ):
            version = version_of(old, source)
            if version < opening.MARKED:
                raise StoreError(f"{source} has no checksums, so nobody knows what is damaged")
            house = checking.read_house(old)._replace(is_open=0)
            new.execute("PRAGMA synchronous = OFF")
            migrate(new, part, version)
            new.execute("BEGIN")
            new.execute("INSERT INTO server VALUES (?, ?, 0, 0, 0, 0)", house[:2])
            opening.write_house(new, house)
            tables = {name for (name,) in old.execute("SELECT name FROM sqlite_master")}
            left_out = sum(_copy_rows(old, new, table) for table in TABLES if table in tables)
            new.execute("COMMIT")
            migrate(new, part)
            second = newest.leave_out_second(new)
            for table in OF_SESSIONS:
                new.execute(
                    f"DELETE FROM {table} WHERE session NOT IN (SELECT number FROM session)"
                )
            new.execute("UPDATE room SET body = x''")  # it may tell of an event that is left out
            new.execute("UPDATE room SET sum = row_sum(number, open, body)")
            new.execute("UPDATE progress SET room = (SELECT coalesce(max(number), 0) FROM room)")
            new.execute("UPDATE progress SET sum = row_sum(name, room)")
            contents = checking.check_all(new, part)
    except checking.UNREADABLE as error:
        raise StoreError(f"{source} cannot be copied: {error}") from None
    files.sync(part)
    return contents, left_out, second


def _copy_rows(old: sqlite3.Connection, new: sqlite3.Connection, table: str) -> int:
    """Copy the sound rows of a table, in order, and return how many are not.

    Where SQLite finds no way on, the rest counts as one.
    """
    damaged = 0
    summed = [name for _, name, *_ in old.execute(f"PRAGMA table_info({table})") if name != "sum"]
    columns = ", ".join([*summed, "sum"])
    values = ", ".join("?" * (len(summed) + 1))
    insert = f"INSERT OR IGNORE INTO {table} ({columns}) VALUES ({values})"
    rows = old.execute(f"SELECT {columns} FROM {table}")
    try:
        for row in rows:
            if not is_sound(row) or not new.execute(insert, row).rowcount:  # it is there already
                damaged += 1
    except checking.UNREADABLE:
        damaged += 1
    return damaged


def _move(path: Path, to: Path) -> None:
    """Give a file another name, for good."""
    if path.exists():
        path.replace(to)
        for folder in {to.parent: None, path.parent: None}:  # a disk may keep either name alone
            files.sync(folder)


def _move_aside(path: Path) -> Path | None:
    """Move a database into a new folder beside it, and return that; None: there is none."""
    beside = [path.with_name(path.name + suffix) for suffix in BESIDE]
    if not any(one.exists() for one in (*beside, path.with_suffix(opening.MARK))):
        return None
    number = 1
    while (folder := path.parent / f"before-restore-{number}").exists():
        number += 1
    folder.mkdir(mode=files.PRIVATE_FOLDER)
    files.sync(folder.parent)  # what is moved into it would be lost with its name
    for one in beside:
        _move(one, folder / one.name)
    return folder
