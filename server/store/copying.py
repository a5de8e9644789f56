"""Copies of a house from its folder or its database, as commands ask for them."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from server.store.driver import check_driver
from server.store.sqlite import copies
from server.store.sqlite.checking import Contents
from server.store.sqlite.copies import Restored

if TYPE_CHECKING:
    from server.store.postgres.copies import DatabaseLook


def backup(folder: Path, database: str | None, target: Path) -> Contents:
    """Copy a house into a new file, while its server runs or not.

    Raises:
        StoreError: there is none, or it is not whole, or the file cannot be written or is there.
    """
    if database is None:
        return copies.backup(folder, target)
    check_driver()
    from server.store.postgres import copies as databases

    return asyncio.run(databases.backup(database, target))


def restore(
    file: Path, folder: Path, database: str | None, leave_out_damaged: bool = False
) -> Restored:
    """Make a house what a file holds.

    Raises:
        StoreError: a server runs there, or the file is damaged, or something cannot be written.
    """
    if database is None:
        return copies.restore(file, folder, leave_out_damaged)
    check_driver()
    from server.store.postgres import copies as databases

    return Restored(asyncio.run(databases.restore(file, database)), 0, None)


def look(database: str) -> DatabaseLook:
    """Look at a database of PostgreSQL and check every row of it.

    Raises:
        StoreError: it cannot be used, or is damaged.
    """
    check_driver()
    from server.store.postgres import copies as databases

    return asyncio.run(databases.look(database))
