"""Copies of a house from its folder or its database, as commands ask for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from server.store.contract import EventRow
from server.store.driver import check_driver
from server.store.sqlite import copies, purging
from server.store.sqlite.checking import Contents
from server.store.sqlite.copies import Restored

if TYPE_CHECKING:
    from server.store.postgres.copies import DatabaseLook

Take: TypeAlias = Callable[[Sequence[EventRow]], None]
Choose: TypeAlias = Callable[[set[int]], Sequence[int]]


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


def purge(
    folder: Path, database: str | None, take: Take, choose: Choose, kind: str, body: bytes
) -> bool:
    """Show all events of a house to `take`, have `choose` say which rooms go, and delete these.

    `choose` is told which rooms are open.  Of each that goes a row of this kind and body is left.
    Return whether the space was given back.

    Raises:
        StoreError: a server runs there, or the house is damaged, or something cannot be written.
    """
    if database is None:
        with purging.opened(folder) as house:
            rooms = choose(purging.show(house, take))
            return bool(rooms) and purging.purge(house, rooms, kind, body)
    check_driver()
    from server.store.postgres import copies as databases

    return asyncio.run(databases.purge(database, take, choose, kind, body))


def look(database: str) -> DatabaseLook:
    """Look at a database of PostgreSQL and check every row of it.

    Raises:
        StoreError: it cannot be used, or is damaged.
    """
    check_driver()
    from server.store.postgres import copies as databases

    return asyncio.run(databases.look(database))
