"""Opening a database: whether it can hold a house, its tables, and the row of this server."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, TypeAlias

from server.store.checksums import row_sum
from server.store.contract import DatabaseAway, SessionRow, StoreError
from server.store.postgres import schema
from server.store.postgres.address import connect, explained, shown
from server.store.postgres.node import ServerNode, timeline_of
from server.store.postgres.reading import SELECTS, rows_of

log = logging.getLogger("plyhouse")
OLDEST: Final = 13  # the oldest of PostgreSQL that is tested, and that its makers still mend
Check: TypeAlias = Callable[[Any], Awaitable[None]]
DURABLE: Final = ("on", "remote_apply")  # the others sync nothing, or wait for no standby's disk
PROGRAM: Final = "plyhouse"
FORGETFUL: Final = (
    "does not sync what it stores (fsync is off): when its machine loses power, moves that players"
    " were shown are lost"
)


class Engine(NamedTuple):
    """What is at the other end: its version, and what it is set to do with what is written."""

    version: str
    number: int  # 150018 is 15.18
    encoding: str
    standby: bool
    read_only: str
    fsync: str
    synchronous_commit: str
    standbys: str


class OpenedHouse(NamedTuple):
    """A database that this server may write to: a connection, and what its house says.

    `timeline`: see node.py.
    """

    db: Any
    server: str
    times_from: int
    last_at: int
    timeline: str


async def _nothing(_: Any) -> None:
    """Nothing to check, as this server is alone."""


async def open_house(
    url: str, node: ServerNode, clock_was_wrong: int | None, check: Check = _nothing
) -> OpenedHouse:
    """Connect to a database, bring its tables up to date, and begin as a node of it.

    `clock_was_wrong`: what time it is, in ms, if the log is to be believed no more about that;
    `check` raises what keeps this server from beginning there.

    Raises:
        StoreError: it cannot be used; the sentence says why.
    """
    db = await connect_to_house(url)
    try:
        timeline = await timeline_of(db)
        await schema.migrate(db, secrets.token_hex(8))
        await check(db)
        await _check_connections(db, node.connections, shown(url))
        await node.begin(db)
        if clock_was_wrong is not None:
            await _mend_times(db, node.epoch, clock_was_wrong)
        if await db.fetchval("SHOW fsync") == "off":
            log.warning("%s %s", shown(url), FORGETFUL)
        server, times_from = await db.fetchrow("SELECT id, times_from FROM house")
        last_at = await db.fetchval("SELECT coalesce(max(seen), 0) FROM session")
    except BaseException as error:
        db.terminate()
        if isinstance(error, Exception):
            raise explained(error, url) from None
        raise
    return OpenedHouse(db, server, times_from, last_at, timeline)


async def _check_connections(db: Any, needed: int, where: str) -> None:
    """See that there is room for the connections of this server, of which `db` is one.

    Raises:
        DatabaseAway: there is not, now.
    """
    most, taken = await db.fetchrow(
        "SELECT current_setting('max_connections')::int"
        " - current_setting('superuser_reserved_connections')::int"
        " - coalesce(current_setting('reserved_connections', true), '0')::int,"
        " (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend')"
    )
    if taken - 1 + needed > most:
        raise DatabaseAway(
            f"{where} has room for {most} connections, of which {taken - 1} are taken, and this"
            f" server keeps {needed}: raise max_connections"
        )


async def connect_to_house(url: str) -> Any:
    """Connect to a database that can keep a house, so that what it commits is durable.

    Raises:
        StoreError: it cannot be written to, or not now.
    """
    db = await connect(url, PROGRAM)
    try:
        check_engine(await engine_of(db), shown(url))
        if await db.fetchval("SHOW synchronous_commit") not in DURABLE:
            await db.execute("SET synchronous_commit = on")
    except BaseException as error:
        db.terminate()
        if isinstance(error, Exception):
            raise explained(error, url) from None
        raise
    return db


async def engine_of(db: Any) -> Engine:
    """Return what is at the other end of a connection."""
    row = await db.fetchrow(
        "SELECT current_setting('server_version'), current_setting('server_version_num')::int,"
        " current_setting('server_encoding'), pg_is_in_recovery(),"
        " current_setting('transaction_read_only'), current_setting('fsync'),"
        " current_setting('synchronous_commit'), current_setting('synchronous_standby_names')"
    )
    return Engine(*row)


def check_engine(engine: Engine, where: str) -> None:
    """Refuse a PostgreSQL that cannot keep a house.

    Raises:
        StoreError: it cannot.
    """
    if engine.number < OLDEST * 10_000:
        raise StoreError(
            f"{where} is PostgreSQL {engine.version}; Plyhouse needs {OLDEST} or newer"
        )
    if engine.encoding != "UTF8":
        raise StoreError(
            f"{where} keeps texts as {engine.encoding}, which has no place for all names;"
            " make a database with createdb --encoding UTF8 --template template0"
        )
    if engine.standby:
        raise StoreError(f"{where} is a standby, which takes nothing that is written; name the"
                         " primary")  # fmt: skip
    if engine.read_only == "on":
        raise StoreError(f"{where} takes nothing that is written: it is set to read only")


async def _mend_times(db: Any, epoch: int, now: int) -> None:
    """Believe no time of earlier epochs, and let no one have been seen later than now."""
    async with db.transaction():
        await db.execute("UPDATE house SET times_from = $1", epoch)
        records = await db.fetch(f"{SELECTS['session']} WHERE seen > $1", now)
        for values in rows_of(records, "session"):
            row = SessionRow(*values)._replace(seen=now)
            await db.execute(
                "UPDATE session SET seen = $1, sum = $2 WHERE number = $3",
                row.seen, row_sum(row), row.number,
            )  # fmt: skip
