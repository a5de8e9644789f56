"""The log in SQLite: its batches, its errors, and its file; test_contract.py has the rest."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from server.store import FILE, open_store
from server.store.contract import EventRow, PulseRow, RoomRow, SessionRow, StoreError
from server.store.sqlite.newest import INSERTS
from server.store.sqlite.store import SqliteStore
from tests.server.store.rows import append, event, read, seqs


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
async def store(folder: Path) -> AsyncIterator[SqliteStore]:
    with opened(folder) as store:
        yield store


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[SqliteStore]:
    store = open_store(folder)
    assert isinstance(store, SqliteStore)
    try:
        yield store
    finally:
        store.close()


class Flaky:
    """A connection whose statements can be made to fail, before or after they are carried out."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db
        self.before: set[str] = set()
        self.after: set[str] = set()

    def execute(self, statement: str, values: Any = ()) -> Any:
        if statement in self.before:
            raise sqlite3.OperationalError("disk I/O error")
        result = self.db.execute(statement, values)
        if statement in self.after:
            raise sqlite3.OperationalError("disk I/O error")
        return result

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)


@pytest.fixture
def flaky(store: SqliteStore) -> Flaky:
    """The store's connection, made so."""
    flaky = cast(Any, Flaky(store._db))
    store._db = store._events._db = flaky
    return cast(Flaky, flaky)


async def test_what_comes_during_a_commit_is_the_next_one(store: SqliteStore) -> None:
    begun, go_on, statements = threading.Event(), threading.Event(), list[str]()

    def trace(statement: str) -> None:
        word = statement.split(maxsplit=1)[0]
        if word != "SELECT":
            statements.append(word)
        if statements == ["INSERT"]:
            begun.set()
            assert go_on.wait(60)

    store._db.set_trace_callback(trace)
    first = asyncio.ensure_future(append(store, event(1, 1)))
    assert await asyncio.to_thread(begun.wait, 5)
    rest = asyncio.gather(*(append(store, event(n, 1)) for n in range(2, 13)))
    await asyncio.sleep(0)
    assert not first.done()
    go_on.set()
    assert [await first, *await rest] == [None] * 12
    # A lonely event is a transaction by itself; eleven are 8, 2 and 1.
    assert statements == ["INSERT", "BEGIN", *["INSERT"] * 3, "COMMIT"]


async def test_a_full_disk_is_an_error_until_there_is_room_again(store: SqliteStore) -> None:
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 1}")
    error = await append(store, event(1, 1, bytes(100_000)))
    assert "full" in str(error)
    assert await read(store, 1) == []
    store._db.execute("PRAGMA max_page_count = 100000")
    assert await append(store, event(1, 1, bytes(100_000))) is None


async def test_a_commit_that_fails_too_late_is_stored(store: SqliteStore, flaky: Flaky) -> None:
    flaky.after = {"COMMIT"}
    assert await append(store, *(event(1, seq) for seq in (1, 2, 3))) is None
    flaky.after = set()
    assert seqs(await read(store, 1)) == [1, 2, 3]


async def test_when_looking_fails_the_first_error_is_told(store: SqliteStore, flaky: Flaky) -> None:
    store._db.execute("DROP TABLE event")
    error = await append(store, event(1, 1))
    assert "no such table: event" in str(error)
    assert await read(store, 1) is None
    flaky.before = {"BEGIN IMMEDIATE"}
    assert "disk I/O error" in str(await append(store, PulseRow(1)))


async def test_a_commit_that_fails_says_why_and_is_undone(store: SqliteStore, flaky: Flaky) -> None:
    rows = event(1, 1), RoomRow(1, 1)
    flaky.before, flaky.after = {"COMMIT"}, {"ROLLBACK"}
    assert "disk I/O error" in str(await append(store, *rows))
    flaky.after = set()
    assert isinstance(await append(store, *rows), sqlite3.OperationalError)
    assert await read(store, 1) == []
    flaky.before = set()
    assert await append(store, *rows) is None


async def test_a_lonely_event_that_cannot_be_written_is_an_error_until_it_can(
    store: SqliteStore, flaky: Flaky
) -> None:
    flaky.before = {INSERTS[0][1]}
    assert "disk I/O error" in str(await append(store, event(1, 1)))
    assert await read(store, 1) == []
    flaky.before, flaky.after = set(), flaky.before
    assert await append(store, event(1, 1)) is None  # it is there all the same
    flaky.after = set()
    assert await append(store, event(1, 2)) is None
    assert seqs(await read(store, 1)) == [1, 2]


async def test_a_bug_while_writing_is_an_answer_and_the_store_goes_on(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    insert, tidy = store._events.insert, store._writer._tidy

    def stumble(rows: list[EventRow]) -> int:
        if any(row.room == 2 for row in rows):
            raise ZeroDivisionError("a bug")
        return insert(rows)

    def stumble_later(past: int) -> None:
        tidy(past)
        raise ZeroDivisionError("another bug")

    monkeypatch.setattr(store._events, "insert", stumble)
    monkeypatch.setattr(store._writer, "_tidy", stumble_later)
    rows = event(1, 1), event(2, 1), event(3, 1)
    errors = await asyncio.gather(*(append(store, row) for row in rows))
    assert [type(error) for error in errors] == [type(None), ZeroDivisionError, type(None)]
    assert await append(store, event(1, 2)) is None
    assert "the store has a bug" in caplog.text
    assert seqs(await read(store, 1)) == [1, 2]
    assert await read(store, 2) == []
    monkeypatch.setattr(store._writer, "_has", stumble)
    assert isinstance(await append(store, event(2, 1)), ZeroDivisionError)
    assert await append(store, event(3, 2)) is None


async def test_a_pulse_proves_that_the_log_can_be_written(store: SqliteStore) -> None:
    assert await append(store, PulseRow(store.epoch)) is None
    store._db.execute("PRAGMA query_only = ON")
    assert await append(store, PulseRow(store.epoch)) is not None


async def test_all_comes_back_and_the_epoch_grows(folder: Path) -> None:
    with opened(folder) as store:
        await append(store, event(3, 1, b"a"), RoomRow(3, 1), SessionRow(1, "ann", b"t", 99, 0))
        server, epoch = store.server, store.epoch
    with opened(folder) as store:
        assert (store.server, store.epoch) == (server, epoch + 1)
        assert store.all_events(3) == [event(3, 1, b"a")]
        assert (store.open_rooms(), store.last_room(), store.last_at) == ([3], 3, 99)


async def test_closing_writes_what_waits_and_tells_it(folder: Path) -> None:
    told: list[object] = []
    with opened(folder) as store:
        store.append([event(1, 1)], told.append)
        await asyncio.sleep(0)  # under way
        store.append([event(1, 2)], told.append)
    await asyncio.sleep(0)
    assert told == [None, None]
    with opened(folder) as store:
        assert seqs(store.all_events(1)) == [1, 2]


async def test_a_log_has_one_server_at_a_time(store: SqliteStore, folder: Path) -> None:
    with pytest.raises(StoreError, match=r"another server is using .*data.*--data"):
        open_store(folder)
    store.close()
    open_store(folder).close()


def test_a_file_that_is_no_database_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    (folder / FILE).write_bytes(b"dear diary " * 100)
    with pytest.raises(StoreError, match="cannot be read as a Plyhouse database"):
        open_store(folder)
    assert (folder / FILE).read_bytes() == b"dear diary " * 100


@pytest.mark.parametrize("table", ["server", "session"])
def test_a_database_that_lacks_a_table_is_said_to_be_damaged(folder: Path, table: str) -> None:
    open_store(folder).close()
    with contextlib.closing(sqlite3.connect(folder / FILE)) as db:
        db.execute(f"DROP TABLE {table}")
    with pytest.raises(StoreError, match="its tables are not those of Plyhouse"):
        open_store(folder)


def test_a_damaged_table_is_a_sentence_whenever_it_is_read(folder: Path) -> None:
    store = open_store(folder)
    with contextlib.closing(sqlite3.connect(folder / FILE)) as db:
        db.execute("DROP TABLE event")
        db.execute("DROP TABLE room")
    for ask in (lambda: store.all_events(1), store.open_rooms, store.last_room):
        with pytest.raises(StoreError, match="damaged"):
            ask()
    store.close()


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder, why in ((tmp_path / "file" / "data", "Not a directory"), (tmp_path / "file", "")):
        with pytest.raises(StoreError, match=f"cannot be made: {why}"):
            open_store(folder)


@pytest.mark.parametrize("name", ["plyhouse.lock", FILE])
def test_what_cannot_be_opened_is_a_sentence(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(tmp_path)
