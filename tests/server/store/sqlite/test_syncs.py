"""Every commit is on the disk before it is answered: SQLite's syncs are counted, and made to fail.

What a program has written survives its own end, also by SIGKILL.  Only a count of syncs, or a power
cut, can tell whether a commit waits for the disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from server.store.contract import PulseRow, RoomRow, Row
from server.store.sqlite import newest
from server.store.sqlite import store as sqlite_store
from server.store.sqlite.store import SqliteStore
from tests.server.store.rows import append, event, read, seqs
from tests.support.counted_syncs import FSYNC_FAILED, Syncs, counted_syncs

ALONE = 12  # commits of one event each, between two things that the writer does beside them
AT_ONCE = 128  # events of a commit that only fills the table


@pytest.fixture
def syncs() -> Iterator[Syncs]:
    with counted_syncs() as syncs:
        yield syncs


@pytest.fixture
async def store(tmp_path: Path, syncs: Syncs) -> AsyncIterator[SqliteStore]:
    with contextlib.closing(SqliteStore(tmp_path / "plyhouse.db")) as store:
        yield store


class Room:
    """A room whose events are appended; each must have been synced when it is answered."""

    def __init__(self, store: SqliteStore, syncs: Syncs) -> None:
        self._store, self._syncs = store, syncs
        self.seq = 0

    async def commit(self, events: int = 1, *others: Row) -> None:
        """Append events, and other rows, with one commit."""
        rows = [event(1, self.seq + 1 + n) for n in range(events)]
        self.seq += events
        answered, before = asyncio.get_running_loop().create_future(), self._syncs.wal
        self._store.append(
            [*rows, *others], lambda error: answered.set_result((error, self._syncs.wal))
        )
        error, synced = await answered
        assert error is None
        assert synced > before, f"event {self.seq} was answered before it was synced"

    async def commit_some(self) -> None:
        """A few commits of each kind: of an event, of several, and of rows beside them."""
        before = self._syncs.wal
        for n in range(ALONE):
            await self.commit()
            await self.commit(3)
            await self.commit(1, RoomRow(2 + n, 1))
        assert self._syncs.wal - before >= 3 * ALONE
        count = self._syncs.wal
        assert await append(self._store, PulseRow(self._store.epoch)) is None
        assert self._syncs.wal > count


async def rest(store: SqliteStore) -> None:
    """Have the writer do what it does when nothing has come for long."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def job(_: bool) -> None:
        store._tidy(sqlite_store.AT_REST)
        loop.call_soon_threadsafe(done.set)

    store._writer._worker.do(job)
    await done.wait()


async def test_each_commit_is_synced_before_it_is_answered_also_after_all_moves(
    store: SqliteStore, syncs: Syncs, tmp_path: Path
) -> None:
    """As many events as the tables of new ones take, twice, so that both have been moved."""
    room = Room(store, syncs)
    await room.commit_some()
    for _ in range(2):
        while not store._events._slices:
            await room.commit(AT_ONCE)
        while store._events._slices:
            await room.commit()
        await room.commit_some()
    assert room.seq > 2 * newest.MAX_ROWS
    assert seqs(await read(store, 1, since=room.seq - 1)) == [room.seq]


async def test_each_commit_is_synced_after_the_writer_has_tidied_up(
    store: SqliteStore, syncs: Syncs, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The mark is written, the -wal is emptied at rest, and begun anew when it is long."""
    monkeypatch.setattr(sqlite_store, "LONG_WAL", 60)
    room, wal = Room(store, syncs), tmp_path / "plyhouse.db-wal"
    await room.commit_some()
    checkpoints = syncs.others
    await room.commit_some()
    assert syncs.others > checkpoints, "the -wal was long, and was moved into the database"
    await rest(store)
    assert wal.stat().st_size == 0
    await room.commit_some()


async def test_what_cannot_be_synced_is_not_stored(store: SqliteStore, syncs: Syncs) -> None:
    await Room(store, syncs).commit()
    syncs.refuse = lambda call: FSYNC_FAILED if call == "sync" else 0
    assert isinstance(await append(store, event(1, 2)), sqlite3.OperationalError)
    assert isinstance(await append(store, event(1, 2), RoomRow(1, 1)), sqlite3.OperationalError)
    syncs.refuse = lambda call: 0
    assert seqs(await read(store, 1)) == [1]
    assert await append(store, event(1, 2)) is None
