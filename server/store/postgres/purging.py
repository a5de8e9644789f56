"""Deleting rooms from a database that no server uses; see sqlite/purging.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from server.store.checksums import event_sum, row_sum
from server.store.contract import EventRow, RoomRow, StoreError
from server.store.postgres import schema
from server.store.postgres.address import explained, shown
from server.store.postgres.node import take_lock
from server.store.postgres.opening import connect_to_house
from server.store.postgres.reading import SELECTS, rows_of
from server.store.postgres.schema import ALONE

CHUNK: Final = 5_000  # rows
Take = Callable[[Sequence[EventRow]], None]
Choose = Callable[[set[int]], Sequence[int]]


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
