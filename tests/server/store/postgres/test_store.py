"""The log in PostgreSQL: its statement, its fence, its start; test_contract.py has the rest."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest

from server.store.contract import (
    Conflict,
    DamagedRow,
    EventRow,
    Fenced,
    ForgottenRow,
    HandedRow,
    PulseRow,
    RoomRow,
    SessionRow,
    StoreError,
)
from server.store.postgres.store import AT_HAND, PostgresStore, open_postgres
from tests.server.store.rows import append, asked, event, read, seqs

pytestmark = pytest.mark.postgres
BLOCKED = "SELECT count(*) FROM pg_locks WHERE NOT granted"


@pytest.fixture
async def store(database: str) -> AsyncIterator[PostgresStore]:
    store = await open_postgres(database)
    yield store
    await store.aclose()


@pytest.fixture
async def other(database: str) -> AsyncIterator[Any]:
    """Another connection to the same tables."""
    connection = await asyncpg.connect(database, server_settings={"search_path": "plyhouse"})
    yield connection
    await connection.close()


@pytest.fixture
async def third(database: str) -> AsyncIterator[Any]:
    """One more."""
    connection = await asyncpg.connect(database, server_settings={"search_path": "plyhouse"})
    yield connection
    await connection.close()


async def test_all_comes_back_and_the_epoch_grows(database: str) -> None:
    store = await open_postgres(database)
    rows = RoomRow(1, 1, b"b"), event(1, 1), SessionRow(1, "ann", b"t", 99, 0)
    assert await append(store, *rows) is None
    first = (store.server, store.epoch)
    await store.aclose()
    again = await open_postgres(database)
    assert (again.server, again.epoch) == (first[0], first[1] + 1)
    assert (again.open_rooms(), again.last_room(), again.last_at) == ([1], 1, 99)
    assert again.all_events(1) == [event(1, 1)]
    await again.aclose()


async def test_a_clock_that_was_wrong_is_believed_no_more(database: str) -> None:
    store = await open_postgres(database)
    await append(store, SessionRow(1, "ann", b"t", 5_000, 0), SessionRow(2, "bob", b"u", 50, 0))
    await store.aclose()
    again = await open_postgres(database, clock_was_wrong=70)
    assert (again.last_at, again.times_from) == (70, again.epoch)
    assert [row.seen for row in again.sessions()] == [70, 50]
    await again.aclose()


async def test_what_waits_at_the_end_is_written_and_answered(database: str) -> None:
    store = await open_postgres(database)
    answers: list[object] = []
    for n in range(1, 21):
        store.append([event(1, n)], answers.append)
        if n == 10:
            await asyncio.sleep(0)
    await store.aclose()
    assert answers == [None] * 20
    again = await open_postgres(database)
    assert len(again.all_events(1)) == 20
    await again.aclose()


async def test_all_that_comes_during_a_commit_is_the_next_one(
    store: PostgresStore, other: Any
) -> None:
    await asyncio.gather(*(append(store, event(n, 1), RoomRow(n, 1)) for n in range(1, 51)))
    commits = await other.fetch("SELECT DISTINCT xmin FROM event UNION SELECT xmin FROM room")
    assert len(commits) == 2


async def test_a_node_that_was_replaced_stores_nothing(store: PostgresStore, other: Any) -> None:
    ended, stalled = list[Fenced](), list[bool]()
    store.news.ended.append(ended.append)
    store.news.stalled.append(stalled.append)
    assert await append(store, event(1, 1)) is None
    await other.execute("DELETE FROM node")
    rows = (event(1, 2), RoomRow(1, 0), SessionRow(1, "ann", b"t", 5, 0), ForgottenRow(1))
    assert isinstance(await append(store, *rows), Fenced)
    assert isinstance(await append(store, PulseRow(1)), Fenced)
    assert (len(ended), stalled) == (1, [])
    assert seqs(await read(store, 1)) == [1]
    assert await other.fetchval("SELECT count(*) FROM room") == 0


async def test_a_room_is_handed_over_by_its_owner_alone(store: PostgresStore, other: Any) -> None:
    await append(store, RoomRow(1, 1, b"a"), RoomRow(2, 1, b"b"), RoomRow(3, 1, b"c"))
    await other.execute("UPDATE room SET owner = 'another' WHERE number = 3")
    rows = HandedRow(1, "2.7"), event(9, 1), HandedRow(2, ""), HandedRow(3, "2.7")
    assert await append(store, *rows) is None
    owners = "SELECT owner FROM room ORDER BY number"
    assert [row[0] for row in await other.fetch(owners)] == ["2.7", None, "another"]
    assert await append(store, HandedRow(1, "3.8")) is None  # as if it was written twice
    assert await other.fetchval("SELECT owner FROM room WHERE number = 1") == "2.7"


async def test_what_changes_a_room_and_whose_it_is_comes_in_order(
    store: PostgresStore, other: Any
) -> None:
    await append(store, RoomRow(1, 1, b"a"))
    changes = append(store, RoomRow(1, 1, b"b")), append(store, HandedRow(1, "2.7"))
    assert await asyncio.gather(*changes) == [None, None]
    assert tuple(await other.fetchrow("SELECT body, owner FROM room")) == (b"b", "2.7")


async def test_taking_over_waits_for_what_is_under_way(
    store: PostgresStore, other: Any, third: Any
) -> None:
    """Whoever deletes a node's row may read its rooms: nothing comes after that."""
    assert await append(store, event(1, 1)) is None
    async with other.transaction():  # it holds the append up, which has its leave already
        await other.execute("INSERT INTO event VALUES (1, 2, 1, '', NULL, '', 0)")
        waiting = asyncio.ensure_future(append(store, event(1, 2)))
        await until_blocked(third)
        taking = asyncio.ensure_future(third.execute("DELETE FROM node"))
        done, _ = await asyncio.wait([taking], timeout=0.1)
        assert not done
        await other.execute("DELETE FROM event WHERE seq = 2")
    await taking
    assert await waiting is None
    assert isinstance(await append(store, event(1, 3)), Fenced)


async def test_heartbeats_wait_for_no_append(store: PostgresStore, other: Any, third: Any) -> None:
    async with other.transaction():
        await other.execute("INSERT INTO event VALUES (1, 1, 1, '', NULL, '', 0)")
        waiting = asyncio.ensure_future(append(store, event(1, 1)))
        await until_blocked(third)
        async with asyncio.timeout(60):
            assert await third.execute("UPDATE node SET until = clock_timestamp()") == "UPDATE 1"
        await other.execute("DELETE FROM event")
    assert await waiting is None


async def until_blocked(db: Any) -> None:
    """Wait until somebody waits for somebody else."""
    async with asyncio.timeout(60):
        while not await db.fetchval(BLOCKED):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_a_second_server_is_turned_away_and_comes_in_later(database: str) -> None:
    first = await open_postgres(database)
    with pytest.raises(StoreError, match="another server is using this database"):
        await open_postgres(database)
    assert await append(first, event(1, 1)) is None
    await first.aclose()
    await (await open_postgres(database)).aclose()


async def test_a_name_or_a_token_that_is_taken_is_a_conflict(store: PostgresStore) -> None:
    await append(store, SessionRow(1, "Ann", b"t", 5, 0))
    for row in (SessionRow(2, "aNN", b"u", 5, 0), SessionRow(2, "bob", b"t", 5, 0)):
        assert isinstance(await append(store, row), Conflict)
    assert await append(store, SessionRow(1, "Anna", b"v", 5, 0)) is None  # its own
    assert await append(store, SessionRow(2, "ann", b"t", 5, 0)) is None


async def test_rooms_know_whose_they_are(store: PostgresStore, other: Any) -> None:
    await append(store, RoomRow(1, 1))
    await other.execute("UPDATE room SET owner = 'else', version = 7")
    await append(store, RoomRow(1, 1, b"new"))
    row = await other.fetchrow("SELECT owner, version, body FROM room")
    assert tuple(row) == ("alone", 7, b"new")


async def test_one_event_of_the_newest_is_known(store: PostgresStore) -> None:
    await append(store, RoomRow(1, 1), event(1, 1), RoomRow(2, 0), event(2, 1), RoomRow(3, 1))
    await append(store, event(1, 2, b"the newest"))
    assert sorted(row.body for row in store.newest_events()) == [b"", b"the newest"]


async def test_what_was_fetched_is_what_the_log_had(store: PostgresStore, other: Any) -> None:
    await append(store, *(event(room, n) for room in (1, 2, 3) for n in range(1, 6)))
    await other.execute("UPDATE event SET body = 'x' WHERE room = 3 AND seq = 2")
    keys = [(1, 0), (2, 3), (3, 0), (9, 0)]
    assert await asked(store, lambda done: store.fetch(keys, done)) is True
    await other.execute("DELETE FROM event WHERE room < 3")
    assert [seqs(store.events_before(*key)) for key in (*keys[:2], keys[3])] == [
        [1, 2, 3, 4, 5], [4, 5], []
    ]  # fmt: skip
    assert store.events_before(1, 0) == []  # had once
    with pytest.raises(DamagedRow, match="room 3, seq 2 is damaged"):
        store.events_before(3, 0)


async def test_what_was_fetched_and_not_asked_for_gives_way_to_what_is_fetched_later(
    store: PostgresStore, other: Any
) -> None:
    await append(store, event(1, 1), event(2, 1))
    for rooms in ([1, 2], [1], range(3, 2 + AT_HAND)):  # all but one are at hand
        keys = [(room, 0) for room in rooms]
        assert await asked(store, lambda done, keys=keys: store.fetch(keys, done)) is True
    await other.execute("DELETE FROM event")
    assert [seqs(store.events_before(room)) for room in (1, 2)] == [[1], []]


async def test_a_damaged_row_is_refused_and_told_of_once(
    store: PostgresStore, other: Any, caplog: pytest.LogCaptureFixture
) -> None:
    await append(store, event(1, 1), event(1, 2), event(2, 1))
    await other.execute("UPDATE event SET body = 'x' WHERE room = 1 AND seq = 2")
    caplog.clear()
    assert [await read(store, 1) for _ in range(3)] == [None] * 3
    assert seqs(await read(store, 1, limit=1)) == seqs(await read(store, 2)) == [1]
    (record,) = caplog.records
    assert "room 1, seq 2 is damaged" in record.getMessage()


async def test_reads_wait_for_no_append(store: PostgresStore, other: Any) -> None:
    await append(store, event(1, 1))
    await other.execute("BEGIN; LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE")
    waiting = asyncio.ensure_future(append(store, event(1, 2)))
    async with asyncio.timeout(60):
        assert seqs(await read(store, 1)) == [1]
    assert not waiting.done()
    await other.execute("COMMIT")
    assert await waiting is None


async def test_a_large_append_and_many_rows_of_all_kinds_are_one_statement(
    store: PostgresStore,
) -> None:
    rows: list[Any] = [event(n % 7 + 1, n // 7 + 1, bytes(300)) for n in range(7 * 428)]
    rows += [RoomRow(n % 50, n % 2, bytes(50)) for n in range(1, 1_000)]  # again and again
    assert await append(store, *rows) is None
    assert len(await read(store, 1)) == 428
    assert store.open_rooms() == list(range(1, 50, 2))


async def test_what_postgres_would_change_comes_back_as_it_was(store: PostgresStore) -> None:
    row = EventRow(2**62, 1, -5, "ends in a space ", None, bytes(range(256)))
    assert await append(store, row) is None
    assert await read(store, 2**62) == [row]
    assert isinstance(await append(store, event(1, 1)._replace(kind="\0")), Exception)


async def test_a_database_that_does_not_sync_is_told_of(
    database: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        await (await open_postgres(database)).aclose()
    assert "fsync is off" in caplog.text
