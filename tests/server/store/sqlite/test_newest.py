"""New events lie side by side and move to their rooms; whoever reads or starts sees them all."""

from __future__ import annotations

import contextlib
import random
import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from server.store import FILE, open_store
from server.store.contract import EventRow, RoomRow, Store, StoreError
from server.store.sqlite import newest
from tests.server.store.rows import append, event, read

ROOMS = range(1, 8)


@pytest.fixture(autouse=True)
def short_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newest, "MAX_ROWS", 40)
    monkeypatch.setattr(newest, "SLICE", 12)


def places(path: Path) -> Counter[str]:
    """How many rows there are in each table."""
    with contextlib.closing(sqlite3.connect(path / FILE)) as db:
        tables = ("event", *newest.TABLES)
        return Counter(
            {name: db.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in tables}
        )


def change(path: Path, statement: str) -> None:
    """Change the database by another connection: that of the store is in its writer's hands."""
    with contextlib.closing(sqlite3.connect(path / FILE)) as db:
        db.execute(statement)


async def check(store: Store, rooms: dict[int, list[EventRow]]) -> None:
    """All is read, and in order."""
    for room, rows in rooms.items():
        assert await read(store, room) == rows
        assert await read(store, room, since=3, limit=2) == rows[3:5]


@pytest.mark.parametrize("seed", range(3))
async def test_at_every_moment_all_events_are_there_once_also_after_a_kill(
    tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    rooms: dict[int, list[EventRow]] = {room: [] for room in ROOMS}
    seen: set[tuple[bool, ...]] = set()
    store = open_store(tmp_path / "house")
    for step in range(120):
        rows: list[EventRow] = []
        for _ in range(chance.randint(1, 6)):
            room = chance.choice(ROOMS)
            rows.append(event(room, len(rooms[room]) + 1, chance.randbytes(5)))
            rooms[room].append(rows[-1])
        assert await append(store, *rows) is None
        seen.add(tuple(bool(count) for count in places(tmp_path / "house").values()))
        if step % 10 == 9:
            await check(store, rooms)
        if step % 30 == 29:  # as kill -9 leaves it
            killed = tmp_path / f"killed-{step}"
            shutil.copytree(tmp_path / "house", killed)
            with contextlib.closing(open_store(killed)) as again:
                await check(again, rooms)
                assert rows[-1] in again.newest_events()
                for room, all_rows in rooms.items():
                    assert again.events_before(room, since=2) == all_rows[2:]
                assert places(killed)["event"] == sum(map(len, rooms.values()))
    store.close()
    assert seen >= {(False, True, False), (True, True, True)}
    assert places(tmp_path / "house") == Counter(event=sum(map(len, rooms.values())))
    with contextlib.closing(open_store(tmp_path / "house")) as again:
        await check(again, rooms)
        assert again.newest_events() == [rows[-1]]


async def test_an_event_is_written_once_wherever_the_first_one_is(tmp_path: Path) -> None:
    with contextlib.closing(open_store(tmp_path)) as store:
        for seq in range(1, 100):
            assert await append(store, event(1, seq)) is None
        for seq in (1, 50, 98):  # in each of the tables
            assert await append(store, event(1, seq, b"another")) is not None
        assert await append(store, event(1, 100), RoomRow(1, 0)) is None
        assert await append(store, event(1, 7, b"another")) is not None
    with contextlib.closing(open_store(tmp_path)) as store:
        assert await append(store, event(1, 100, b"another")) is not None
        assert await append(store, event(1, 101)) is None
        assert [row.seq for row in await read(store, 1)] == list(range(1, 102))


async def test_a_damaged_new_row_is_found_at_the_start(tmp_path: Path) -> None:
    store = open_store(tmp_path / "house")
    assert await append(store, event(1, 1), event(2, 1)) is None
    shutil.copytree(tmp_path / "house", tmp_path / "killed")
    store.close()
    with contextlib.closing(sqlite3.connect(tmp_path / "killed" / FILE)) as db:
        db.execute("UPDATE newest_0 SET room = 3 WHERE room = 1")
        db.commit()
    with pytest.raises(StoreError, match="room 3, seq 1 is damaged"):
        open_store(tmp_path / "killed")


async def test_what_cannot_be_moved_is_told_and_read_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(open_store(tmp_path)) as store:
        change(tmp_path, "CREATE TRIGGER stuck BEFORE INSERT ON event BEGIN"
                         " SELECT RAISE(ABORT, 'it is stuck'); END")  # fmt: skip
        for seq in range(1, 60):
            assert await append(store, event(1, seq)) is None
        assert [row.seq for row in await read(store, 1)] == list(range(1, 60))
        change(tmp_path, "DROP TRIGGER stuck")
    assert "new events cannot be moved to their rooms: it is stuck" in caplog.text
    with contextlib.closing(open_store(tmp_path)) as store:
        assert [row.seq for row in await read(store, 1)] == list(range(1, 60))
