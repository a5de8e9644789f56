"""The contract of a store, held by every store: on disk and in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from server.store import open_store
from server.store.contract import ForgottenRow, RoomRow, SessionRow, Store
from tests.server.memory_store import MemoryStore
from tests.server.store.rows import append, event, read, seqs


@pytest.fixture(params=["sqlite", "memory"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    store = open_store(tmp_path) if request.param == "sqlite" else MemoryStore()
    yield store
    store.close()


async def test_a_new_log_is_empty(store: Store) -> None:
    assert (store.sessions(), store.open_rooms(), store.last_room()) == ([], [], 0)
    assert (store.epoch, store.last_at) == (1, 0)
    assert store.server


async def test_what_was_appended_can_be_read_in_order(store: Store) -> None:
    assert await append(store, event(1, 1, b"a"), event(1, 2, b"b"), event(2, 1, b"c")) is None
    assert await append(store, event(1, 3, b"d")) is None
    assert [row.body for row in await read(store, 1)] == [b"a", b"b", b"d"]
    assert store.all_events(1) == await read(store, 1)
    assert seqs(await read(store, 1, since=1, limit=1)) == [2]
    assert await read(store, 3) == []


async def test_only_the_kinds_that_are_asked_for_are_read(store: Store) -> None:
    rows = [event(1, n)._replace(kind=kind) for n, kind in enumerate(("a", "b", "c", "a"), 1)]
    assert await append(store, *rows) is None
    assert seqs(await read(store, 1, kinds=("a", "c"))) == [1, 3, 4]
    assert seqs(await read(store, 1, since=1, limit=1, kinds=("a",))) == [4]


@pytest.mark.parametrize("count", [1, 7, 8, 9, 31, 40, 128, 169, 300])
async def test_an_append_of_any_length_is_written_whole(store: Store, count: int) -> None:
    assert await append(store, *(event(1, n + 1) for n in range(count))) is None
    assert seqs(await read(store, 1)) == list(range(1, count + 1))


async def test_no_answer_comes_before_the_call_has_returned(store: Store) -> None:
    answers: list[object] = []
    store.append([event(1, 1)], answers.append)
    assert answers == []
    await append(store, event(2, 1))
    assert answers == [None]


async def test_answers_come_in_the_order_of_the_appends(store: Store) -> None:
    answers: list[int] = []
    for n in range(1, 20):
        store.append([event(n, 1)], lambda _, n=n: answers.append(n))
    await append(store, event(20, 1))
    assert answers == list(range(1, 20))


async def test_rows_are_replaced_but_events_never(store: Store) -> None:
    await append(store, SessionRow(1, "ann", b"t", 5, 0), RoomRow(7, 1))
    await append(store, SessionRow(1, "ann", b"u", 6, 0), RoomRow(7, 0))
    await append(store, RoomRow(8, 1), RoomRow(8, 1, b"who sits there"))
    assert store.sessions() == [SessionRow(1, "ann", b"u", 6, 0)]
    await append(store, ForgottenRow(1), ForgottenRow(7))
    assert store.sessions() == []
    assert (store.open_rooms(), store.last_room()) == ([8], 8)
    assert store.open_room_rows() == [RoomRow(8, 1, b"who sits there")]


async def test_an_append_is_written_whole_or_not_at_all(store: Store) -> None:
    assert await append(store, event(1, 1), RoomRow(1, 1), event(1, 1, b"again")) is not None
    assert await read(store, 1) == []
    assert store.open_rooms() == []


async def test_the_very_same_append_again_has_been_stored_and_no_other(store: Store) -> None:
    rows = [event(1, 1, b"a"), event(1, 2, b"b"), RoomRow(1, 1)]
    assert await append(store, *rows) is None
    assert await append(store, *rows) is None
    for other in ([event(1, 1, b"c")], [*rows[:1], event(1, 2, b"c")]):
        assert await append(store, *other) is not None
    assert [row.body for row in await read(store, 1)] == [b"a", b"b"]
