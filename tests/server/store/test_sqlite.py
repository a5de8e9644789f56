"""The log in SQLite: what is told to be stored is stored, all of it or nothing, in order."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from server.store import FILE, open_store
from server.store.sqlite import APPLICATION_ID, SCHEMA_VERSION, SqliteStore
from server.store.store import EventRow, PulseRow, RoomRow, Row, SessionRow, StoreError


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


def event(room: int, seq: int, body: bytes = b"") -> EventRow:
    return EventRow(room, seq, 1, "said", None, body)


async def append(store: SqliteStore, *rows: Row) -> Exception | None:
    done: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
    store.append(list(rows), done.set_result)
    return await done


async def read(
    store: SqliteStore, room: int, since: int = 0, limit: int = -1, kinds: Sequence[str] = ()
) -> Any:
    done: asyncio.Future[list[EventRow] | None] = asyncio.get_running_loop().create_future()
    store.read_events(room, since, limit, done.set_result, kinds)
    return await done


def seqs(rows: list[EventRow]) -> list[int]:
    return [row.seq for row in rows]


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


# ---------------------------------------------------------------- writing


async def test_what_was_appended_can_be_read_in_order(store: SqliteStore) -> None:
    assert await append(store, event(1, 1, b"a"), event(1, 2, b"b"), event(2, 1, b"c")) is None
    assert await append(store, event(1, 3, b"d")) is None
    assert [row.body for row in await read(store, 1)] == [b"a", b"b", b"d"]
    assert seqs(await read(store, 1, since=1, limit=1)) == [2]
    assert await read(store, 3) == []


async def test_only_some_kinds_are_read_if_that_is_wished(store: SqliteStore) -> None:
    rows = [event(1, n)._replace(kind=kind) for n, kind in enumerate(("a", "b", "c", "a"), 1)]
    assert await append(store, *rows) is None
    assert seqs(await read(store, 1, kinds=("a", "c"))) == [1, 3, 4]
    assert seqs(await read(store, 1, since=1, limit=1, kinds=("a",))) == [4]


@pytest.mark.parametrize("count", [1, 7, 8, 9, 31, 40, 128, 169, 300])
async def test_an_append_of_any_length_is_written_whole(store: SqliteStore, count: int) -> None:
    assert await append(store, *(event(1, n + 1) for n in range(count))) is None
    assert seqs(await read(store, 1)) == list(range(1, count + 1))


async def test_nothing_is_told_before_the_call_has_returned(store: SqliteStore) -> None:
    told: list[object] = []
    store.append([event(1, 1)], told.append)
    assert told == []
    await read(store, 1)
    await read(store, 1)
    assert told == [None]


async def test_all_that_comes_in_one_turn_is_one_commit(store: SqliteStore) -> None:
    statements: list[str] = []
    store._db.set_trace_callback(statements.append)
    await asyncio.gather(*(append(store, event(n, 1)) for n in range(1, 51)))
    assert statements.count("COMMIT") == 1


async def test_what_comes_during_a_commit_is_the_next_one(store: SqliteStore) -> None:
    begun, go_on, commits = threading.Event(), threading.Event(), 0

    def trace(statement: str) -> None:
        nonlocal commits
        if statement == "COMMIT":
            commits += 1
            begun.set()
            assert go_on.wait(5)

    store._db.set_trace_callback(trace)
    first = asyncio.ensure_future(append(store, event(1, 1)))
    assert await asyncio.to_thread(begun.wait, 5)
    rest = asyncio.gather(*(append(store, event(n, 1)) for n in range(2, 12)))
    await asyncio.sleep(0)
    assert not first.done()
    go_on.set()
    assert [await first, *await rest] == [None] * 11
    assert commits == 2


async def test_answers_come_in_the_order_of_the_questions(store: SqliteStore) -> None:
    told: list[int] = []
    for n in range(1, 20):
        store.append([event(n, 1)], lambda _, n=n: told.append(n))
    await append(store, event(20, 1))
    assert told == list(range(1, 20))


async def test_rows_are_replaced_but_events_never(store: SqliteStore, folder: Path) -> None:
    await append(store, SessionRow(1, "ann", b"t", 5, 0), RoomRow(7, 1))
    await append(store, SessionRow(1, "ann", b"u", 6, 0), RoomRow(7, 0), RoomRow(8, 1))
    assert store.sessions() == [SessionRow(1, "ann", b"u", 6, 0)]
    assert store.open_rooms() == [8]
    assert store.last_room() == 8


# ---------------------------------------------------------------- what cannot be written


async def test_an_append_is_written_whole_or_not_at_all(store: SqliteStore) -> None:
    error = await append(store, event(1, 1), RoomRow(1, 1), event(1, 1, b"again"))
    assert isinstance(error, sqlite3.IntegrityError)
    assert await read(store, 1) == []
    assert store.open_rooms() == []


async def test_a_second_event_of_the_same_number_is_an_error(store: SqliteStore) -> None:
    assert await append(store, event(1, 1, b"first")) is None
    assert isinstance(await append(store, event(1, 1, b"other")), sqlite3.IntegrityError)
    assert [row.body for row in await read(store, 1)] == [b"first"]


async def test_the_very_same_append_again_has_been_stored(store: SqliteStore) -> None:
    rows = [event(1, 1, b"a"), event(1, 2, b"b"), RoomRow(1, 1)]
    assert await append(store, *rows) is None
    assert await append(store, *rows) is None
    assert await append(store, *rows[:1], event(1, 2, b"c")) is not None
    assert seqs(await read(store, 1)) == [1, 2]


async def test_a_bad_append_does_not_take_the_others_of_its_commit_along(
    store: SqliteStore,
) -> None:
    await append(store, event(2, 1, b"taken"))
    errors = await asyncio.gather(
        append(store, event(1, 1)),
        append(store, event(2, 1, b"bad")),
        append(store, event(3, 1)),
    )
    assert [error is None for error in errors] == [True, False, True]
    assert seqs(await read(store, 1)) == seqs(await read(store, 3)) == [1]


@pytest.mark.parametrize(
    "row",
    [
        event(1, 2**70),
        EventRow(1, 1, 1, "\ud800", None, b""),
        SessionRow(1, None, b"", 0, 0),  # type: ignore[arg-type]  # what a bug would write
        EventRow(1, 1, 1, object(), None, b""),  # type: ignore[arg-type]
    ],
    ids=["too-large", "half-a-character", "nothing-where-something-must-be", "no-value"],
)
async def test_what_sqlite_cannot_hold_is_an_error_and_the_store_goes_on(
    store: SqliteStore, row: Row
) -> None:
    assert await append(store, row) is not None
    assert await append(store, event(1, 1)) is None


async def test_a_full_disk_is_an_error_until_there_is_room_again(store: SqliteStore) -> None:
    pages = store._db.execute("PRAGMA page_count").fetchone()[0]
    store._db.execute(f"PRAGMA max_page_count = {pages + 1}")
    error = await append(store, event(1, 1, bytes(100_000)))
    assert "full" in str(error)
    assert await read(store, 1) == []
    store._db.execute("PRAGMA max_page_count = 100000")
    assert await append(store, event(1, 1, bytes(100_000))) is None


async def test_a_commit_that_fails_is_told_as_failed(store: SqliteStore) -> None:
    flaky = store._db = Flaky(store._db)  # type: ignore[assignment]
    flaky.before = {"COMMIT"}
    assert isinstance(await append(store, event(1, 1)), sqlite3.OperationalError)
    assert await read(store, 1) == []
    flaky.before = set()
    assert await append(store, event(1, 1)) is None


async def test_a_commit_that_fails_after_it_has_reached_the_disk_is_told_as_stored(
    store: SqliteStore,
) -> None:
    flaky = store._db = Flaky(store._db)  # type: ignore[assignment]
    flaky.after = {"COMMIT"}
    assert await append(store, event(1, 1, b"a"), event(1, 2, b"b")) is None
    flaky.after = set()
    assert seqs(await read(store, 1)) == [1, 2]


async def test_when_even_looking_fails_the_first_error_is_told(store: SqliteStore) -> None:
    flaky = store._db = Flaky(store._db)  # type: ignore[assignment]
    store._db.execute("DROP TABLE event")
    error = await append(store, event(1, 1))
    assert "no such table: event" in str(error)
    flaky.before = {"BEGIN IMMEDIATE"}
    assert "disk I/O error" in str(await append(store, PulseRow(1)))


async def test_a_rollback_that_fails_does_not_hide_why(store: SqliteStore) -> None:
    flaky = store._db = Flaky(store._db)  # type: ignore[assignment]
    flaky.before, flaky.after = {"COMMIT"}, {"ROLLBACK"}
    assert "disk I/O error" in str(await append(store, event(1, 1)))


async def test_a_pulse_proves_that_the_log_can_be_written(store: SqliteStore) -> None:
    assert await append(store, PulseRow(store.epoch)) is None
    store._db.execute("PRAGMA query_only = ON")
    assert await append(store, PulseRow(store.epoch)) is not None


async def test_one_answer_that_fails_does_not_keep_the_others_waiting(store: SqliteStore) -> None:
    loop, told, raised = asyncio.get_running_loop(), [], []
    loop.set_exception_handler(lambda _, context: raised.append(context["exception"]))

    def fail(_: Exception | None) -> None:
        raise RuntimeError("a bug")

    store.append([event(1, 1)], fail)
    store.append([event(2, 1)], told.append)
    store.append([event(3, 1)], fail)
    store.append([event(4, 1)], told.append)
    await append(store, event(5, 1))
    assert told == [None, None]
    assert [str(error) for error in raised] == ["a bug", "a bug"]


async def test_what_cannot_be_read_is_told_as_nothing(store: SqliteStore) -> None:
    store._db.execute("DROP TABLE event")
    assert await read(store, 1) is None


# ---------------------------------------------------------------- opening and closing


async def test_every_commit_is_synced(store: SqliteStore) -> None:
    assert store._db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert store._db.execute("PRAGMA synchronous").fetchone() == (2,)  # FULL


async def test_all_comes_back_and_the_epoch_grows(folder: Path) -> None:
    with opened(folder) as store:
        await append(store, event(3, 1, b"a"), RoomRow(3, 1), SessionRow(1, "ann", b"t", 99, 0))
        server, epoch = store.server, store.epoch
    with opened(folder) as store:
        assert (store.server, store.epoch) == (server, epoch + 1)
        assert store.all_events(3) == [event(3, 1, b"a")]
        assert (store.open_rooms(), store.last_room(), store.last_at) == ([3], 3, 99)


async def test_a_new_log_is_empty(store: SqliteStore) -> None:
    assert (store.sessions(), store.open_rooms(), store.last_room()) == ([], [], 0)
    assert store.epoch == 1


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


def test_a_newer_database_is_left_alone(folder: Path) -> None:
    open_store(folder).close()
    with contextlib.closing(sqlite3.connect(folder / FILE)) as db:
        db.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    with pytest.raises(StoreError, match="written by a newer Plyhouse"):
        open_store(folder)


def test_a_database_of_somebody_else_is_left_alone(folder: Path) -> None:
    folder.mkdir()
    with contextlib.closing(sqlite3.connect(folder / FILE)) as db:
        db.execute("CREATE TABLE recipe (name)")
    with pytest.raises(StoreError, match="not one of Plyhouse's"):
        open_store(folder)
    with contextlib.closing(sqlite3.connect(folder / FILE)) as db:
        assert db.execute("SELECT name FROM sqlite_master").fetchall() == [("recipe",)]


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
    with pytest.raises(StoreError, match=f"no such table: {table}"):
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
    with pytest.raises(StoreError, match="cannot be made: Not a directory"):
        open_store(tmp_path / "file" / "data")


def test_a_lock_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "plyhouse.lock").mkdir()
    with pytest.raises(StoreError, match="cannot be opened: Is a directory"):
        open_store(tmp_path)


def test_a_database_that_cannot_be_opened_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(StoreError, match="cannot be opened"):
        open_store(tmp_path)


def test_the_file_says_whose_it_is(folder: Path) -> None:
    open_store(folder).close()
    with contextlib.closing(sqlite3.connect(folder / FILE)) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
