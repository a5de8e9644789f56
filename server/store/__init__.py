"""The log: bytes and plain rows, nothing else.  In a file (SQLite), or in a PostgreSQL."""

from __future__ import annotations

from pathlib import Path

from server.store import files
from server.store.contract import Store
from server.store.driver import check_driver
from server.store.files import FILE
from server.store.sqlite.store import ENGINE, SqliteStore

__all__ = ["ENGINE", "FILE", "open_store", "open_store_at"]


def open_store(folder: Path, clock_was_wrong: int | None = None) -> SqliteStore:
    """Open the log in `folder`, which is made if it is not there.

    `clock_was_wrong`: what time it is, in ms, if the log is to be believed no more about that.

    Raises:
        StoreError: if it cannot be opened, with a sentence that says what to do.
    """
    files.make_folder(folder)
    return SqliteStore(folder / FILE, clock_was_wrong=clock_was_wrong)


async def open_store_at(folder: Path, database: str | None, clock_was_wrong: int | None) -> Store:
    """Open the log of a house whose files are in `folder`: in a database, or if None in a file.

    Raises:
        StoreError: as `open_store`.
    """
    if database is None:
        return open_store(folder, clock_was_wrong)
    check_driver()
    from server.store.postgres.store import open_postgres

    files.make_folder(folder)
    return await open_postgres(database, clock_was_wrong)
