"""A connection that is lost: what was sent is never guessed, what was not is refused in the end."""

from __future__ import annotations

import asyncio
import gc
import random
import threading
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import asyncpg
import pytest

from bench.support.postgres import PostgresServer
from server.store.contract import (
    Conflict,
    DatabaseAway,
    Fenced,
    ForgottenRow,
    PulseRow,
    RoomRow,
    SessionRow,
    StoreError,
)
from server.store.postgres import reading, writing
from server.store.postgres.address import connect
from server.store.postgres.store import PostgresStore, open_postgres
from tests.server.store.postgres.test_store import until_blocked
from tests.server.store.rows import append, asked, event, read, seqs

pytestmark = pytest.mark.postgres


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


class Cut:
    """A connection whose answers get lost: cut before a statement is sent, or after it is done."""

    def __init__(self, store: PostgresStore, when: str) -> None:
        self.db = store._writer._db
        self.when = when
        store._writer._db = self

    async def fetchval(self, *words: Any) -> Any:
        if self.when == "before":
            self.db.terminate()
        await self.db.fetchval(*words)
        self.db.terminate()
        raise ConnectionResetError("the answer was lost")

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)


@pytest.mark.parametrize("when", ["before", "after"])
async def test_an_answer_that_is_lost_is_read_in_the_log(store: PostgresStore, when: str) -> None:
    epoch = store._writer.node.epoch
    await append(store, event(3, 1, b"there already"))
    Cut(store, when)
    answers = await asyncio.gather(
        append(store, event(1, 1, b"a"), RoomRow(1, 1), event(1, 2)),
        append(store, SessionRow(1, "ann", b"t", 5, 0)),
        append(store, event(2, 1), RoomRow(2, 1)),
    )
    assert answers == [None, None, None]
    assert seqs(await read(store, 1)) == [1, 2]
    assert (store.open_rooms(), len(store.sessions())) == ([1, 2], 1)
    assert store._writer.node.epoch > epoch
    Cut(store, "before")
    answers = await asyncio.gather(
        append(store, event(3, 1, b"another")), append(store, event(1, 3), ForgottenRow(1))
    )
    assert [type(each) for each in answers] == [Conflict, type(None)]
    assert (seqs(await read(store, 1)), store.sessions()) == ([1, 2, 3], [])


async def test_a_thread_that_ends_is_told_and_leaves_no_read_without_an_answer(
    store: PostgresStore,
) -> None:
    async def wait(_: Any) -> None:
        begun.set()
        await asyncio.Event().wait()

    begun, loop = threading.Event(), store._reader._loop
    answers = [asyncio.ensure_future(asked(store, partial(store._reader.read, wait, "it")))]
    answers += [asyncio.ensure_future(read(store, 1)) for _ in range(3)]
    await asyncio.sleep(0)
    assert await asyncio.to_thread(begun.wait, 60)
    loop.call_soon_threadsafe(loop.stop)
    assert [await asyncio.wait_for(each, 60) for each in answers] == [None] * 4
    assert await asyncio.wait_for(read(store, 1), 60) is None
    await asyncio.to_thread(store._reader._thread.join, 60)
    assert store.halted() == "nobody reads the log any more"


async def test_a_backend_that_is_ended_in_the_middle_stores_all_or_nothing_once(
    store: PostgresStore, other: Any
) -> None:
    """Whatever it was doing: rows stand as often as they were answered, which is once."""
    rng = random.Random(5)
    enough = asyncio.Event()
    playing = asyncio.ensure_future(play(store, rng, enough))
    cuts = 0
    while not playing.done():
        if store._writer._db is not None and cuts < 10:  # else it never gets any further
            await asyncio.sleep(rng.uniform(0, 0.03))
            await other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                " pg_backend_pid() AND datname = current_database()"
            )
            cuts += 1
        if cuts == 10:
            enough.set()
        await asyncio.sleep(0.005)
    written = await playing
    assert {room: len(store.all_events(room)) for room in written} == written


async def play(store: PostgresStore, rng: random.Random, enough: asyncio.Event) -> dict[int, int]:
    """Append to up to forty rooms at once, and return how many events each has."""
    written = dict.fromkeys(range(1, 41), 0)
    while not enough.is_set():
        rooms = rng.sample(sorted(written), rng.randrange(1, 40))
        rows = [event(room, written[room] + 1) for room in rooms]
        assert await asyncio.gather(*(append(store, row) for row in rows)) == [None] * len(rows)
        written |= {row.room: row.seq for row in rows}
    return written


async def test_what_the_old_connection_has_under_way_is_never_stored_behind_our_back(
    store: PostgresStore, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """We lose it, the database does not: it would carry the statement out once it can."""
    await append(store, event(1, 1))
    assert await other.fetchval("SELECT count(*) FROM node") == 1
    async with other.transaction():
        await other.execute("INSERT INTO event VALUES (1, 2, 1, '', NULL, '', 0)")
        waiting = asyncio.ensure_future(append(store, event(1, 2, b"ours")))
        await until_blocked(other)
        store._writer._db._transport.abort()  # as a cut in the network
        await asyncio.sleep(0.2)
        assert not waiting.done()
        await other.execute("DELETE FROM event WHERE seq = 2")
    assert await waiting is None
    assert [row.body for row in await read(store, 1)] == [b"", b"ours"]


async def test_a_database_that_is_away_is_waited_for_a_moment_and_then_refuses(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "STALL_S", 0.3)
    server = PostgresServer(durable=False)
    with server:
        store = await open_postgres(server.url())
        stalls: list[bool] = []
        store.news.stalled.append(stalls.append)
        assert await append(store, event(1, 1)) is None
        await asyncio.to_thread(server.kill)
        async with asyncio.timeout(60):
            while store._writer._db is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.01)  # until the loop has seen that
        errors = await asyncio.gather(append(store, event(1, 2)), append(store, event(2, 1)))
        assert [type(error) for error in errors] == [DatabaseAway, DatabaseAway]
        assert stalls == [True]
        assert isinstance(await append(store, event(1, 2)), DatabaseAway)  # at once, now
        assert await read(store, 1) is None
        with pytest.raises(StoreError, match="cannot be reached"):
            store.events_before(1)
        server.start()
        async with asyncio.timeout(60):
            while await append(store, event(1, 2)) is not None:  # noqa: ASYNC110
                await asyncio.sleep(0.05)  # as rooms try again
        assert stalls == [True, False]
        assert seqs(await read(store, 1)) == [1, 2]
        await store.aclose()


# asyncpg leaves the socket of a connection to the collector that breaks while it is being opened.
@pytest.mark.filterwarnings("ignore:.*unclosed:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
async def test_a_database_that_is_killed_in_the_middle_keeps_what_it_answered(
    database: str,
) -> None:
    answered: set[tuple[int, int]] = set()
    unanswered: set[tuple[int, int]] = set()
    with PostgresServer() as server:
        store = await open_postgres(server.url())

        async def play(room: int) -> None:
            for seq in range(1, 10_000):
                unanswered.add((room, seq))
                while (error := await append(store, event(room, seq))) is not None:
                    assert isinstance(error, DatabaseAway)
                    await asyncio.sleep(0.02)  # as a player
                unanswered.discard((room, seq))
                answered.add((room, seq))

        playing = [asyncio.ensure_future(play(room)) for room in range(1, 31)]
        for _ in range(3):
            await asyncio.sleep(0.3)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            before = len(answered)
            async with asyncio.timeout(60):
                while len(answered) < before + 100:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        await store.aclose()
        again = await open_postgres(server.url())
        stored = {(row.room, row.seq) for room in range(1, 31) for row in again.all_events(room)}
        await again.aclose()
    assert answered <= stored
    assert stored - answered <= unanswered  # sent, and not answered when we stopped


async def test_a_server_that_lost_the_database_to_another_one_ends(
    store: PostgresStore, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[Fenced] = []
    store.news.ended.append(ended.append)
    await append(store, event(1, 1))
    await other.execute("UPDATE node SET epoch = nextval('epochs'), id = 'else'")
    Cut(store, "after")
    assert isinstance(await append(store, event(1, 2)), Fenced)
    assert len(ended) == 1
    assert isinstance(await append(store, event(1, 3)), Fenced)


async def test_a_database_that_says_nothing_is_given_up(
    postgres_server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "STALL_S", 0.1)
    monkeypatch.setattr(writing, "ANSWER_S", 0.4)
    with PostgresServer(durable=False) as server:
        store = await open_postgres(server.url())
        stalls: list[bool] = []
        assert await append(store, event(1, 1)) is None
        store.news.stalled.append(stalls.append)
        server.pause(True)
        waiting = asyncio.ensure_future(append(store, event(1, 2)))
        await asyncio.sleep(0.8)
        assert (stalls, waiting.done()) == ([True], False)
        server.pause(False)
        async with asyncio.timeout(60):
            assert await waiting is None
        assert stalls == [True, False]
        assert seqs(await read(store, 1)) == [1, 2]
        await store.aclose()


async def test_a_log_that_is_locked_stalls_until_events_are_stored_whatever_else_answers(
    store: PostgresStore, other: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "STALL_S", 0.1)
    monkeypatch.setattr(writing, "ANSWER_S", 0.3)
    stalls, node = list[bool](), store._writer.node
    store.news.stalled.append(stalls.append)
    assert store.waited_s() == 0
    begun, epoch = asyncio.get_running_loop().time(), node.epoch
    async with other.transaction():
        await other.execute("LOCK TABLE event IN ACCESS EXCLUSIVE MODE")
        waiting = asyncio.ensure_future(append(store, event(1, 1)))
        await until_blocked(other)
        async with asyncio.timeout(60):
            while node.epoch < epoch + 2:  # noqa: ASYNC110  (nobody tells)
                await asyncio.sleep(0.01)
        assert 0.6 <= store.waited_s() <= asyncio.get_running_loop().time() - begun
        assert (stalls, waiting.done()) == ([True], False)
    assert await waiting is None
    assert (stalls, store.waited_s()) == ([True, False], 0)
    async with other.transaction():
        await other.execute("LOCK TABLE event IN ACCESS EXCLUSIVE MODE")
        probe = asyncio.ensure_future(append(store, PulseRow(store.epoch)))
        await until_blocked(other)
        assert not probe.done(), "a row of another table says nothing about the events"
    assert await probe is None
    assert await other.fetchval("SELECT count(*) FROM event") == 1


async def test_all_reads_of_a_database_that_says_nothing_are_given_up_together(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reading, "SERVING_S", 0.5)
    monkeypatch.setattr(reading, "MAX_WAITING", 20)
    with PostgresServer(durable=False) as server:
        store = await open_postgres(server.url())
        assert await append(store, event(1, 1)) is None
        store.check(lambda damage: None)  # from when on it serves
        assert seqs(await read(store, 1)) == [1]
        server.pause(True)
        waiting = [asyncio.ensure_future(read(store, 1)) for _ in range(20)]
        await asyncio.sleep(0)
        assert [await read(store, 1) for _ in range(3)] == [None] * 3
        assert not any(each.done() for each in waiting), "what comes now is refused at once"
        async with asyncio.timeout(5):  # each after those before it would take twice as long
            assert await asyncio.gather(*waiting) == [None] * 20
        server.pause(False)
        assert seqs(await read(store, 1)) == [1]
        refusals = [r for r in caplog.records if "20 reads wait for the database" in r.message]
        assert len(refusals) == 1
        await store.aclose()


TURNS = range(10)  # of the loop: a connection is being opened in the middle of these


async def test_nothing_is_left_of_who_gives_up_while_a_connection_is_being_opened(
    database: str,
) -> None:
    leftovers: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: leftovers.append(what))
    for turns in TURNS:
        connecting = asyncio.ensure_future(connect(database, "gives up"))
        await _cancel_after(turns, connecting)
        if not connecting.cancelled():
            connecting.result().terminate()
        # asyncpg opens a connection of its own to have a statement cancelled
        db = await connect(database, "gives up")
        sleeping = asyncio.ensure_future(db.execute("SELECT pg_sleep(60)"))
        await asyncio.sleep(0)
        sleeping.cancel()
        await _cancel_after(turns, sleeping)
        db.terminate()
    await asyncio.sleep(0.05)  # in which the sockets are closed; nobody tells
    gc.collect()
    assert [str(what.get("exception")) for what in leftovers] == []


async def _cancel_after(turns: int, work: asyncio.Future[Any]) -> None:
    """Give something up after so many turns of the loop."""
    for _ in range(turns):
        await asyncio.sleep(0)
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
