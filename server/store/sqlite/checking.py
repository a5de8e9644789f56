"""Whether a database is what Plyhouse wrote: its structure, its tables, its rows' checksums."""

from __future__ import annotations

import functools
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from server.store import checksums
from server.store.contract import (
    AnalysisRow,
    DevicesRow,
    EventRow,
    PastRow,
    ProgressRow,
    RoomRow,
    SessionRow,
    SettingsRow,
    StoreError,
)
from server.store.sqlite import newest
from server.store.sqlite.migrations import migrate, version_of

# What reading a damaged database may raise: the second where a damaged name is in a sentence of
# SQLite's, which Python cannot read.
UNREADABLE = (sqlite3.Error, UnicodeDecodeError)
RESTORE = (
    "put back the folder as it was, or a backup: `plyhouse restore FILE`"
    " (with --leave-out-damaged: what is left of a damaged one)"
)


class HouseRow(NamedTuple):
    """The one row of the table `server`; migrations.py says what its columns are for."""

    id: str
    epoch: int
    commits: int
    is_open: int
    times_from: int


class Contents(NamedTuple):
    """What a database holds: counts, and the row of its server."""

    house: HouseRow
    events: int
    rooms: int
    names: int


def select(table: str, row: type[NamedTuple]) -> str:
    """Return the statement that reads the rows of a table, each with its checksum at last."""
    fields: tuple[str, ...] = row._fields
    return f"SELECT {', '.join(fields)}, sum FROM {table}"


EVENTS = [select(table, EventRow) for table in ("event", *newest.TABLES)]
ROOMS = select("room", RoomRow)
SESSIONS = select("session", SessionRow)
DEVICES = select("device", DevicesRow)
SETTINGS = select("setting", SettingsRow)
HOUSE = select("server", HouseRow)
PAST = select("past", PastRow)
PROGRESS = select("progress", ProgressRow)
ANALYSES = select("analysis", AnalysisRow)
BESIDE_THE_LOG = {
    "device": DEVICES,
    "setting": SETTINGS,
    "past": PAST,
    "progress": PROGRESS,
    "analysis": ANALYSES,
}


def checked(rows: Iterable[tuple[Any, ...]], table: str) -> Iterator[tuple[Any, ...]]:
    """Yield rows without their checksums; DamagedRow if one does not fit."""
    return checksums.checked(rows, table, RESTORE)


def check_structure(db: sqlite3.Connection, path: Path, pages: bool = True) -> int:
    """Look at the tables of a database, and at every page of it, and return its version.

    `pages`: False leaves those out.

    Raises:
        StoreError: something is not where it should be, or the file is not ours, or a newer one.
    """
    version = version_of(db, path)
    if pages:
        check_pages(db, path)
    try:
        columns = _columns(db)
    except UNREADABLE as error:
        raise _damaged(path, error) from None
    if columns != _expected(version):
        raise _damaged(path, "its tables are not those of Plyhouse")
    return version


def check_pages(db: sqlite3.Connection, path: Path) -> None:
    """Look at every page of a database; other threads can run meanwhile.

    Raises:
        StoreError: something is not where it should be.
    """
    try:
        (problem,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    except UNREADABLE as error:
        raise _damaged(path, error) from None
    if problem != "ok":
        raise _damaged(path, problem)


def _damaged(path: Path, problem: object) -> StoreError:
    return StoreError(f"the database {path} is damaged ({problem}); {RESTORE}")


@functools.cache
def _expected(version: int) -> list[tuple[Any, ...]]:
    """Return the columns that the tables of a version have."""
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(db, Path(":memory:"), max(version, 1))
        return _columns(db)
    finally:
        db.close()


def _columns(db: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return db.execute(
        "SELECT t.type, t.name, c.* FROM sqlite_master t LEFT JOIN pragma_table_info(t.name) c"
        " ORDER BY t.name, c.cid"
    ).fetchall()


def read_house(db: sqlite3.Connection) -> HouseRow:
    """Return the row of the server.

    Raises:
        DamagedRow: it is not what was stored.
    """
    (row,) = checked(db.execute(HOUSE), "server")
    return HouseRow(*row)


def check_named(db: sqlite3.Connection, path: Path) -> None:
    """See that a database says whose it is: that was the first thing that a server stored.

    Raises:
        StoreError: it does not.
    """
    if db.execute("SELECT count(*) FROM server").fetchone() != (1,):
        raise StoreError(
            f"{path} does not say whose it is: its -wal file was taken away or emptied; {RESTORE}"
        )


def check_newest(db: sqlite3.Connection) -> None:
    """Look at the rows that are not among those of their room yet, where nothing would miss them.

    Raises:
        DamagedRow: one is not what was stored.
    """
    for query in EVENTS[1:]:
        _count(db, query, "event")


def check_all(db: sqlite3.Connection, path: Path) -> Contents:
    """Look at every page and every row.

    Raises:
        StoreError: one is damaged.
    """
    check_structure(db, path)
    try:
        check_named(db, path)
        for table, query in BESIDE_THE_LOG.items():
            _count(db, query, table)
        return Contents(
            read_house(db),
            events=sum(_count(db, query, "event") for query in EVENTS),
            rooms=_count(db, ROOMS, "room"),
            names=_count(db, SESSIONS, "session"),
        )
    except UNREADABLE as error:
        raise StoreError(f"the database {path} is damaged: {error}") from None


def _count(db: sqlite3.Connection, query: str, table: str) -> int:
    return sum(1 for _ in checked(db.execute(query), table))
