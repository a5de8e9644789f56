"""Reads beside the commits: a slow one holds nobody up, and a damaged row is told of once."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest

from server.store import FILE
from server.store.checksums import check_numbers
from server.store.contract import DamagedRow, StoreError
from server.store.sqlite import reading
from server.store.sqlite.store import SqliteStore
from tests.server.store.rows import (
    append,
    asked,
    event,
    expected_outlines,
    outlines,
    read,
    room_of_matches,
    seqs,
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    with contextlib.closing(SqliteStore(tmp_path / FILE)) as store:
        yield store


async def test_commits_go_on_while_the_log_is_read(store: SqliteStore) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def trace(statement: str) -> None:
        begun.set()
        assert go_on.wait(60)

    await append(store, event(1, 1))
    store._reader._db.set_trace_callback(trace)
    reading = [asyncio.ensure_future(read(store, 1)) for _ in range(50)]
    assert await asyncio.to_thread(begun.wait, 5)
    assert await asyncio.wait_for(append(store, event(1, 2)), 60) is None
    assert not any(future.done() for future in reading)
    go_on.set()
    assert {tuple(seqs(rows)) for rows in await asyncio.gather(*reading)} <= {(1,), (1, 2)}
    assert seqs(await read(store, 1)) == [1, 2]


async def test_what_waits_at_the_end_is_not_read(tmp_path: Path) -> None:
    begun, go_on, statements = threading.Event(), threading.Event(), 0

    def trace(statement: str) -> None:
        nonlocal statements
        statements += 1
        begun.set()
        assert go_on.wait(60)

    store = SqliteStore(tmp_path / FILE)
    store._reader._db.set_trace_callback(trace)
    answers: list[object] = []
    for _ in range(1_000):
        store.read_events(1, 0, -1, answers.append)
    assert await asyncio.to_thread(begun.wait, 5)
    closing = asyncio.ensure_future(asyncio.to_thread(store.close))
    while not store._reader._closing:  # noqa: ASYNC110  (nobody tells)
        await asyncio.sleep(0)
    go_on.set()
    await asyncio.wait_for(closing, 60)
    assert statements == 2  # of one read


async def test_an_outline_is_found_where_some_events_are_not_in_their_place_yet(
    tmp_path: Path,
) -> None:
    rows, matches = room_of_matches(60), (1, 2, 29, 30, 31, 59, 60)
    half = next(n for n, row in enumerate(rows) if row.match == 30) + 2
    with contextlib.closing(SqliteStore(tmp_path / FILE)) as store:
        await append(store, *rows[:half])
    with contextlib.closing(SqliteStore(tmp_path / FILE)) as store:
        assert await outlines(store, (30,)) == expected_outlines(rows[:half], (30,))
        await append(store, *rows[half:])
        assert await outlines(store, matches) == expected_outlines(rows, matches)


async def test_what_an_outline_costs_does_not_grow_with_the_room(tmp_path: Path) -> None:
    steps = []
    for count in (100, 1_000):
        path = tmp_path / str(count) / FILE
        path.parent.mkdir(mode=0o700)
        with contextlib.closing(SqliteStore(path)) as store:
            await append(store, *room_of_matches(count))
        with contextlib.closing(SqliteStore(path)) as store:
            hundreds = 0

            def tick() -> None:
                nonlocal hundreds
                hundreds += 1

            store._reader._db.set_progress_handler(tick, 100)
            await outlines(store, (50,))
            steps.append(hundreds)
    assert steps[1] < 2 * steps[0]


async def test_what_lies_between_matches_is_looked_at_within_a_bound(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(reading, "MAX_SCANNED", 100)
    rows = room_of_matches(3)
    await append(store, *rows, *(event(1, len(rows) + n) for n in range(1, 501)))
    outline = partial(store.read_outline, 1, 3, ("started",), 0)
    assert await asked(store, outline) is None
    assert "room 1 cannot be read: more than 100 events lie between matches" in caplog.text


async def test_a_bug_in_one_read_is_an_answer_and_the_next_read_is_served(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    await append(store, event(1, 1))

    def too_much(_: object) -> list[object]:
        raise MemoryError

    assert await asked(store, partial(store._reader.read, too_much, "room 1")) is None
    assert "the store could not read room 1, and goes on" in caplog.text
    assert seqs(await read(store, 1)) == [1]
    assert store.halted() is None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
@pytest.mark.parametrize("does", ["reads", "writes"])
async def test_a_thread_that_ends_all_the_same_is_told_and_leaves_no_request_without_an_answer(
    store: SqliteStore, does: str
) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def end(*_: object) -> list[object]:
        begun.set()
        assert go_on.wait(60)
        raise SystemExit

    if does == "reads":
        worker, ask, refusal = store._reader._worker, partial(read, store, 1), type(None)
        answers = [asyncio.ensure_future(asked(store, partial(store._reader.read, end, "it")))]
    else:
        worker, ask, refusal = (
            store._writer._worker,
            partial(append, store, event(1, 1)),
            StoreError,
        )
        store._writer._commit = end  # type: ignore[assignment]
        answers = [asyncio.ensure_future(ask())]
    assert await asyncio.to_thread(begun.wait, 60)
    answers += [asyncio.ensure_future(ask()) for _ in range(3)]
    await asyncio.sleep(0)
    go_on.set()
    answered = [await asyncio.wait_for(each, 60) for each in answers]
    await asyncio.to_thread(worker._thread.join, 60)
    answered.append(await asyncio.wait_for(ask(), 60))
    assert {type(each) for each in answered} == {refusal}
    assert store.halted() == f"nobody {does} the log any more"


async def test_a_damaged_row_is_refused_and_told_of_once(
    store: SqliteStore, caplog: pytest.LogCaptureFixture
) -> None:
    await append(store, event(1, 1), event(1, 2), event(2, 1))
    store._db.execute("UPDATE newest_0 SET body = x'00' WHERE room = 1 AND seq = 2")
    assert [await read(store, 1) for _ in range(3)] == [None] * 3
    assert seqs(await read(store, 1, limit=1)) == [1]
    assert seqs(await read(store, 2)) == [1]
    (record,) = caplog.records
    assert "room 1, seq 2 is damaged" in record.getMessage()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE event SET seq = 99 WHERE seq = 4",  # its number has no checksum
        "UPDATE event SET room = 7 WHERE seq = 4",
        "DELETE FROM event WHERE seq = 4",
        "DELETE FROM event WHERE seq = 1",
    ],
)
async def test_a_history_is_never_cut_short_without_a_word(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(SqliteStore(tmp_path / FILE)) as store:
        await append(store, *(event(1, seq) for seq in range(1, 10)))
        store._events.settle()
        store._db.execute(damage)
        assert await read(store, 1) is None
        with pytest.raises(DamagedRow, match="room 1"):
            store.events_before(1)
        assert "room 1 " in caplog.text


async def test_a_history_that_ends_too_soon_is_told_by_its_other_end(tmp_path: Path) -> None:
    rows = [event(1, seq) for seq in range(1, 7)]
    with pytest.raises(DamagedRow, match="room 1 lacks its event of seq 7; do this"):
        check_numbers(rows, 1, 0, 9, "do this")
    check_numbers(rows, 1, 0, 6, "")
    check_numbers(rows[3:], 1, 3, 0, "")
    check_numbers([], 1, 9, 9, "")
