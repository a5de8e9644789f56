"""The row of a server in the table `node`: as long as it stands, the server may write.

Here is a server that uses a database alone; one among several does the same by other means.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

import asyncpg

from server.store.contract import DatabaseAway, Fenced, StoreError
from server.store.postgres.schema import ALONE

VERSION: Final = 1  # of what is written to rooms; raised when events of a new kind are
LOCK_MS: Final = 3_000  # until a lock is somebody else's: a server that was just killed has it yet
TIMELINE: Final = "SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)"
FORMER: Final = (  # ours, whose connection is lost: what it has under way ends one way or the other
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND backend_start = $2"
)


class ServerNode(Protocol):
    """What a store needs of its server's row.

    `id`, `epoch`: the row's key, which every append asks for; `connections`: how many such a server
    keeps, its writer's and its reader's included.  All of this runs on the connection
    that writes.
    """

    id: str
    epoch: int
    connections: int

    async def begin(self, db: Any) -> None:
        """Make the row, with an epoch that no server has had.

        Raises:
            StoreError: others use the database in a way that this server cannot join.
        """

    async def resume(self, db: Any) -> None:
        """Have the row again after the connection was lost, under another epoch.

        Once this returns, nothing that was sent before can be stored any more.

        Raises:
            Fenced: somebody else has taken over.
            DatabaseAway: not now.
        """

    async def end(self, db: Any) -> None:
        """Delete the row."""


class LoneNode:
    """A server that uses a database alone: it has a lock of the whole database."""

    connections = 2

    def __init__(self) -> None:
        self.id = "alone"
        self.epoch = 0
        self._tried: list[int] = []  # epochs that may be ours, as an answer may have been lost
        self._former: tuple[int, Any] = (0, None)  # the process at the database's end

    async def begin(self, db: Any) -> None:
        """See ServerNode."""
        if not await take_lock(db, f"pg_advisory_lock({ALONE})"):
            raise StoreError(
                "another server is using this database; stop it, or give this one its own"
            )
        epoch = await next_epoch(db)
        async with db.transaction():
            await db.execute("DELETE FROM node")  # of servers that are gone: they have no lock
            await db.execute(
                "INSERT INTO node (id, epoch, addr, version, until)"
                " VALUES ($1, $2, '', $3, 'infinity')", self.id, epoch, VERSION,
            )  # fmt: skip
        self.epoch, self._tried = epoch, [epoch]
        self._former = await process_of(db)

    async def resume(self, db: Any) -> None:
        """See ServerNode."""
        await db.execute(FORMER, *self._former)
        locked = await take_lock(db, f"pg_advisory_lock({ALONE})")
        if not await db.fetchval("SELECT true FROM node WHERE id = $1 AND epoch = ANY($2)",
                                 self.id, self._tried):  # fmt: skip
            raise Fenced("another server has taken over this database")
        if not locked:
            raise DatabaseAway("the connection that was lost still has the lock of the database")
        epoch = await next_epoch(db)
        self._tried.append(epoch)
        await db.execute("UPDATE node SET epoch = $3 WHERE id = $1 AND epoch = ANY($2)",
                         self.id, self._tried, epoch)  # fmt: skip
        self.epoch, self._tried = epoch, [epoch]
        self._former = await process_of(db)

    async def end(self, db: Any) -> None:
        await db.execute("DELETE FROM node WHERE id = $1 AND epoch = $2", self.id, self.epoch)


async def take_lock(db: Any, function: str) -> bool:
    """Take an advisory lock of the session, within a moment; False if somebody else has it."""
    try:
        async with db.transaction():
            await db.execute(f"SET LOCAL lock_timeout = {LOCK_MS}")
            await db.execute(f"SELECT {function}")
    except asyncpg.LockNotAvailableError:
        return False
    return True


async def timeline_of(db: Any) -> str:
    """Return which timeline a database writes: another one once a standby has taken its place, or a
    backup.  What calls itself PostgreSQL and has none says "".
    """
    try:
        return str(await db.fetchval(TIMELINE))
    except (asyncpg.FeatureNotSupportedError, asyncpg.UndefinedFunctionError,
            asyncpg.InsufficientPrivilegeError):  # fmt: skip
        return ""


async def next_epoch(db: Any) -> int:
    """Return an epoch that no server has had."""
    return int(await db.fetchval("SELECT nextval('epochs')"))


async def process_of(db: Any) -> tuple[int, Any]:
    """Return the process at the database's end of a connection: its number, and since when."""
    row = await db.fetchrow(
        "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()"
    )
    return int(row[0]), row[1]
