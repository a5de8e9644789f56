"""A house in a file taken over into a database, and the other way; a look at a database; and rooms
deleted from one that no server uses.

The file is that of `plyhouse backup`: so a house moves from a file to PostgreSQL and back.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from server.store.checksums import event_sum, row_sum
from server.store.contract import EventRow, RoomRow, StoreError
from server.store.postgres import schema
from server.store.postgres.address import SCHEMA, connect, explained, shown
from server.store.postgres.node import take_lock
from server.store.postgres.opening import Engine, check_engine, connect_to_house, engine_of
from server.store.postgres.reading import SELECTS, rows_of
from server.store.postgres.schema import ALONE
from server.store.postgres.statements import EVENT, TABLES, StoredTable
from server.store.sqlite.checking import Contents, HouseRow
from server.store.sqlite.transfer import HouseFile, HouseWriter, read_house_file

ORDER: Final = (EVENT, *TABLES)
CHUNK: Final = 5_000  # rows
PROGRAM: Final = "plyhouse copy"
HOLES: Final = (  # rooms whose events are not 1, 2, 3 ... to the last
    "SELECT room, max(seq) - count(*) FROM event GROUP BY room HAVING max(seq) <> count(*)"
    " ORDER BY room"
)
Take = Callable[[Sequence[EventRow]], None]
Choose = Callable[[set[int]], Sequence[int]]


class DatabaseLook(NamedTuple):
    """What a database is and holds; `contents`: None before a server has made its tables.

    `missing`: of each room with holes how many of its events are not there, (room, count).
    """

    engine: Engine
    contents: Contents | None
    open_rooms: int
    nodes: int
    missing: tuple[tuple[int, int], ...]


async def look(url: str) -> DatabaseLook:
    """Look at a database and check every row, while servers use it or not; nothing is changed.

    Raises:
        StoreError: it cannot be used, or a row is damaged.
    """
    db = await connect(url, PROGRAM)
    try:
        engine = await engine_of(db)
        check_engine(engine, shown(url))
        async with db.transaction(isolation="repeatable_read", readonly=True):
            if not await schema.version_of(db):
                return DatabaseLook(engine, None, 0, 0, ())
            counts = {table.name: await _check(db, table) for table in ORDER}
            house = await _house(db)
            contents = Contents(house, counts["event"], counts["room"], counts["session"])
            rooms = await db.fetchval("SELECT count(*) FROM room WHERE open = 1")
            nodes = await db.fetchval("SELECT count(*) FROM node")
            missing = tuple((room, count) for room, count in await db.fetch(HOLES))
            return DatabaseLook(engine, contents, rooms, nodes, missing)
    except Exception as error:  # noqa: BLE001 - it is raised again
        raise explained(error, url) from None
    finally:
        db.terminate()


async def _check(db: Any, table: StoredTable) -> int:
    count = 0
    async for rows in _chunks(db, table):
        count += len(rows)
    return count


async def _chunks(db: Any, table: StoredTable) -> Any:
    """Yield the rows of a table with their checksums, checked, many at a time."""
    cursor = await db.cursor(SELECTS[table.name])
    while records := await cursor.fetch(CHUNK):
        rows = [tuple(record) for record in records]
        for _ in rows_of(rows, table.name):  # which raises where one is damaged
            pass
        yield rows


async def _house(db: Any) -> HouseRow:
    name, times_from = await db.fetchrow("SELECT id, times_from FROM house")
    epoch = await db.fetchval("SELECT last_value FROM epochs")
    return HouseRow(name, int(epoch), commits=0, is_open=0, times_from=times_from)


async def backup(url: str, target: Path) -> Contents:
    """Copy one moment of a database into a new file, while servers use it or not.

    Raises:
        StoreError: it is not whole, or the file cannot be written or is there.
    """
    db = await connect(url, PROGRAM)
    try:
        if not await schema.version_of(db):
            raise StoreError(f"there is no house in {shown(url)}")
        with contextlib.closing(HouseWriter(target)) as writer:
            async with db.transaction(isolation="repeatable_read", readonly=True):
                for table in ORDER:
                    async for rows in _chunks(db, table):
                        writer.write(table.name, rows)
                house = await _house(db)
            return writer.finish(house)
    except Exception as error:  # noqa: BLE001 - it is raised again
        raise explained(error, url) from None
    finally:
        db.terminate()


async def restore(file: Path, url: str) -> Contents:
    """Take over a house from a file into a database that has none.

    Raises:
        StoreError: it has one, or the file is damaged, or it cannot be written.
    """
    with read_house_file(file) as house:
        db = await connect_to_house(url)
        try:
            async with db.transaction():
                await _take_over(db, house, shown(url))
        except Exception as error:  # noqa: BLE001 - it is raised again
            raise explained(error, url) from None
        finally:
            db.terminate()
    return house.contents


async def _take_over(db: Any, file: HouseFile, where: str) -> None:
    if not await take_lock(db, f"pg_advisory_xact_lock({ALONE})"):
        raise StoreError(f"a server is using {where}; stop it")
    house = file.contents.house
    await schema.migrate(db, house.id)
    for name in ("event", "room", "session"):
        if await db.fetchval(f"SELECT true FROM {name} LIMIT 1"):
            raise StoreError(f"{where} has a house already; make another database with createdb")
    await db.execute("UPDATE house SET id = $1, times_from = $2", house.id, house.times_from)
    await db.execute("SELECT setval('epochs', $1)", max(house.epoch, 1))
    for table in ORDER:
        await db.execute(f"DELETE FROM {table.name}")
        for rows in file.chunks(table.name):
            await _copy_in(db, table, rows)
        count = await _check(db, table)
        stored = sum(len(rows) for rows in file.chunks(table.name))
        if count != stored:
            raise StoreError(f"{where} has {count} rows of {table.name}, and the file {stored}")


async def _copy_in(db: Any, table: StoredTable, rows: list[tuple[Any, ...]]) -> None:
    columns = list(table.columns)
    records: Iterator[tuple[Any, ...]] | list[tuple[Any, ...]] = rows
    if table.name == "session":
        columns.append("folded")
        records = [(*row, row[1].casefold()) for row in rows]
    elif table.name == "room":
        columns.append("version")
        records = [(*row, 0) for row in rows]
    await db.copy_records_to_table(table.name, schema_name=SCHEMA, records=records, columns=columns)


async def purge(url: str, take: Take, choose: Choose, kind: str, body: bytes) -> bool:
    """Show all events to `take`, have rooms chosen by which are open, and delete them.

    Return whether any were.

    Raises:
        StoreError: a server uses the database, or it cannot be written.
    """
    db = await connect_to_house(url)
    try:
        if not await schema.version_of(db):
            raise StoreError(f"there is no house in {shown(url)}")
        if not await take_lock(db, f"pg_advisory_lock({ALONE})"):
            raise StoreError(f"a server is using {shown(url)}; stop it")
        async with db.transaction():
            cursor = await db.cursor(f"{SELECTS['event']} ORDER BY room, seq")
            while records := await cursor.fetch(CHUNK):
                take([EventRow(*row) for row in rows_of(records, "event")])
            records = await db.fetch("SELECT number FROM room WHERE open = 1")
            rooms = choose({record["number"] for record in records})
            for room in rooms:
                await _purge_room(db, room, kind, body)
        if rooms:
            await db.execute("VACUUM FULL event")
            await db.execute("VACUUM FULL past")
            await db.execute("VACUUM FULL analysis")
    except Exception as error:  # noqa: BLE001 - it is raised again
        raise explained(error, url) from None
    finally:
        db.terminate()
    return bool(rooms)


async def _purge_room(db: Any, room: int, kind: str, body: bytes) -> None:
    epoch = await db.fetchval("DELETE FROM event WHERE room = $1 RETURNING epoch", room)
    row = EventRow(room, 1, epoch or 1, kind, None, body)
    await db.execute(
        "INSERT INTO event (room, seq, epoch, kind, match, body, sum)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7)", *row, event_sum(*row),
    )  # fmt: skip
    await db.execute("DELETE FROM past WHERE room = $1", room)
    await db.execute("DELETE FROM analysis WHERE room = $1", room)
    closed = RoomRow(room, 0)
    await db.execute(
        "UPDATE room SET body = $1, sum = $2 WHERE number = $3", closed.body, row_sum(closed), room
    )
