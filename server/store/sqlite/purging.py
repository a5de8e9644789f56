"""Deleting rooms from the database of a house whose server has ended, and giving back the space."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from server.store.checksums import event_sum, row_sum
from server.store.contract import EventRow, RoomRow, StoreError
from server.store.files import FILE
from server.store.sqlite import checking, lock, opening
from server.store.sqlite.opening import OpenDatabase

CHUNK: Final = 5_000  # rows
Take = Callable[[Sequence[EventRow]], None]


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[OpenDatabase]:
    """Open the database of a house as a server does, so that none begins meanwhile.

    Raises:
        StoreError: there is none, or a server runs there, or it is damaged.
    """
    path = folder / FILE
    if not path.is_file():
        raise StoreError(f"there is no house in {folder}: {path} is missing")
    with lock.take(path.with_suffix(".lock"), path.with_suffix(opening.MARK)):
        house = opening.open_database(path)
        try:
            yield house
        finally:
            row = checking.read_house(house.db)
            opening.close_database(house._replace(house=row))


def show(house: OpenDatabase, take: Take) -> set[int]:
    """Show all events, room by room in order, and return which rooms are open."""
    cursor = house.db.execute(f"{checking.EVENTS[0]} ORDER BY room, seq")
    while rows := cursor.fetchmany(CHUNK):
        take([EventRow(*row) for row in checking.checked(rows, "event")])
    rooms = checking.checked(house.db.execute(checking.ROOMS), "room")
    return {number for number, is_open, _ in rooms if is_open}


def purge(house: OpenDatabase, rooms: Collection[int], kind: str, body: bytes) -> bool:
    """Delete rooms; of each a first row of this kind is left, with this body.

    What was there is written over.  Return whether the file has become smaller: that takes as much
    room beside it as what is left.

    Raises:
        StoreError: nothing was deleted, as something could not be written.
    """
    db, epoch = house.db, house.house.epoch
    # It would ask for an event that may be gone: from now on it asks for the epoch alone.
    house.mark.note(house.mark.mark._replace(room=0, seq=0, sum=0))
    try:
        db.execute("PRAGMA secure_delete = ON")
        lock.begin(db, epoch)
        try:
            for room in rooms:
                db.execute("DELETE FROM event WHERE room = ?", (room,))
                row = EventRow(room, 1, epoch, kind, None, body)
                db.execute(
                    "INSERT INTO event (room, seq, epoch, kind, match, body, sum)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?)", (*row, event_sum(*row)),
                )  # fmt: skip
                db.execute("DELETE FROM past WHERE room = ?", (room,))
                db.execute("DELETE FROM analysis WHERE room = ?", (room,))
                closed = RoomRow(room, 0)
                db.execute(
                    "UPDATE room SET body = ?, sum = ? WHERE number = ?",
                    (closed.body, row_sum(closed), room),
                )
            db.execute("COMMIT")
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
    except sqlite3.Error as error:
        raise StoreError(f"the database {house.path} cannot be written: {error}") from None
    try:
        db.execute("VACUUM")
    except sqlite3.Error:  # no room for it: what is free in the file is used again
        return False
    return True
