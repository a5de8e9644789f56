"""A server's hold on the database: what it writes goes the product's way, reads are answered here.

What reads in the product is a thread of its own (store/postgres/reading.py), which is not
simulated; that it answers late, or not at all while the database is not reached, is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, cast

from server.cluster.core.membership import MemberKey
from server.cluster.forwarding import RoomPlace
from server.cluster.member_table import SharedNode, key_of
from server.store.contract import (
    Counted,
    DatabaseAway,
    Done,
    EventRow,
    NumberRead,
    RoomRow,
    Row,
    Space,
)
from server.store.postgres.reading import SERVING_S
from server.store.postgres.writing import Writer
from tests.server.memory_store import MemoryStore
from tests.simulation.cluster.database import Database
from tests.simulation.cluster.wires import Machine


class _Soon:
    """Answers to reads, which come by themselves, one after the other."""

    def __init__(self, store: SimulatedShare) -> None:
        self._store = store
        self._last = 0.0

    def append(self, answer: Callable[[], None]) -> None:
        """Have it come; late where the database is not reached."""
        store, loop = self._store, self._store.database.loop
        late = 0.0005 + 0.01 * store.database.rng.random() ** 3
        if store.broken:
            late = SERVING_S if store.database.is_up else 0.01
        self._last = max(self._last, loop.now + late)
        loop.call_at(self._last, answer)


class SimulatedShare(MemoryStore):
    """The store of one server of several: see server/cluster/entry.py, SharedStore."""

    def __init__(
        self, database: Database, machine: Machine, db: Any, node: SharedNode,
        closed: Callable[[], None],
    ) -> None:  # fmt: skip
        self.database, self.machine = database, machine
        super().__init__()
        tables = vars(database.tables)
        kept = {name: tables[name] for name in vars(MemoryStore()) if type(tables[name]) is dict}
        self.__dict__.update(kept)
        self.remote = True
        self.epoch = node.epoch
        self.last_at = max((row.seen for row in self.logins.values()), default=0)
        self._asked = cast(Any, _Soon(self))
        self._fetched: dict[int, tuple[int, list[EventRow]]] = {}
        self._closed = closed
        connect = partial(database.connect, machine)
        self._writer = Writer(db, node, connect, asyncio.get_running_loop(), "00000001")
        self.news = self._writer.news

    @property
    def broken(self) -> bool:
        """Whether nothing can be read now."""
        return not self.database.reaches(self.machine)

    @broken.setter
    def broken(self, _: bool) -> None:
        """It follows from the network."""

    def append(self, rows: list[Row], done: Done) -> None:
        """As the contract says."""
        self._writer.append(rows, done)

    def look_again(self) -> None:
        """See PostgresStore."""
        self._writer.look_again()

    def space(self) -> Space:
        """More than is ever used."""
        return Space(None, 0)

    def is_idle(self) -> bool:
        """Whether all is written."""
        return self._writer._group.is_idle()

    def open_room_rows(self) -> list[RoomRow]:
        """None: see SharedStore."""
        return []

    def locate(self, number: int, done: Callable[[RoomPlace | None], None]) -> None:
        """See SharedStore."""
        row, owner = self.rooms.get(number), self.database.tables.room_owner.get(number)
        key: MemberKey | None = key_of(owner) if owner is not None else None
        place = RoomPlace(bool(row and row.open), key if row else None, row is not None)
        answer = None if self.broken else place
        self._asked.append(lambda: done(answer))

    def take_numbers(self, what: Counted, count: int, done: NumberRead) -> None:
        """As the contract says."""
        if self.broken:
            self._asked.append(lambda: done(None))
            return
        counters = self.database.tables.counters
        rows: dict[int, Any] = self.rooms if what == "room" else self.logins
        first = max(counters[what], max(rows, default=0) + 1)
        counters[what] = first + count
        self._asked.append(lambda: done(first))

    def fetch(self, rooms: Sequence[tuple[int, int]], done: Callable[[bool], None]) -> None:
        """As the contract says."""
        is_read = not self.broken
        for room, since in rooms:
            self._fetched.pop(room, None)
            if is_read:
                self._fetched[room] = since, self._events(room, since)
        self._asked.append(lambda: done(is_read))

    def events_before(self, room: int, since: int = 0) -> list[EventRow]:
        """As the contract says."""
        fetched = self._fetched.pop(room, None)
        if fetched is not None and fetched[0] == since:
            return fetched[1]
        if self.broken:
            raise DatabaseAway("the database does not answer")
        return self._events(room, since)

    def all_events(self, room: int) -> list[EventRow]:
        """As the contract says."""
        return self._events(room, 0)

    def _events(self, room: int, since: int) -> list[EventRow]:
        rows = self.database.tables.by_room.get(room, ())
        return sorted((row for row in rows if row.seq > since), key=lambda row: row.seq)

    async def aclose(self) -> None:
        """As SharedStore."""
        try:
            await self._writer.aclose()
        finally:
            self._closed()
