"""The contract of a store, held by every store: on disk and in memory."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest

from server.store.contract import (
    Conflict,
    Counted,
    DevicesRow,
    ForgottenRow,
    RoomRow,
    Row,
    SessionKey,
    SessionRow,
    SettingsRow,
    Store,
    StoredLogin,
)
from tests.server.memory_store import MemoryStore
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
    assert seqs(await read(store, 1, since=1, limit=2, kinds=("a", "b"))) == [2], "it looks at two"


async def test_the_outline_of_a_match_is_found_among_many(store: Store) -> None:
    rows, matches = room_of_matches(60), (1, 2, 39, 40, 41, 59, 60)
    assert await append(store, *rows, event(2, 1)) is None
    assert await outlines(store, matches) == expected_outlines(rows, matches)
    for match in (0, 61):
        nothing = partial(store.read_outline, 1, match, (), 0)
        assert await asked(store, nothing) == ([rows[0], rows[-1]], 0)
    kinds = ("started", "ended")
    last = await asked(store, partial(store.read_outline, 1, 61, kinds, 0))
    assert last.rows == [rows[0], rows[-1]]
    alone = await asked(store, partial(store.read_outline, 2, 1, kinds, 5))
    assert alone.rows == [event(2, 1)]
    assert (await asked(store, partial(store.read_outline, 3, 1, kinds, 5))).rows == []


async def test_an_outline_tells_at_how_much_talk_it_had_to_look(store: Store) -> None:
    rows = room_of_matches(3)
    assert await append(store, *rows, *(event(1, len(rows) + n) for n in range(1, 501))) is None
    talked = await asked(store, partial(store.read_outline, 1, 3, ("started", "ended"), 0))
    assert [row.match for row in talked.rows] == [None, 3, 3, None]
    assert talked.looked >= 500


async def test_a_log_that_is_open_has_no_part_that_has_ended(store: Store) -> None:
    assert store.halted() is None


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


async def test_an_event_that_is_there_with_other_contents_is_a_conflict(store: Store) -> None:
    assert await append(store, event(1, 1, b"a")) is None
    errors = await asyncio.gather(
        append(store, event(2, 1)), append(store, event(1, 1, b"b")), append(store, event(3, 1))
    )
    assert [type(error) for error in errors] == [type(None), Conflict, type(None)]


async def test_a_row_that_cannot_be_stored_takes_no_other_with_it(store: Store) -> None:
    if isinstance(store, MemoryStore):
        pytest.skip("it holds anything")
    bad: list[Row] = [
        event(2, 2**70),
        event(2, 1)._replace(kind="\ud800"),
        event(2, 1)._replace(kind=object()),
        SessionRow(1, None, b"", 0, 0),  # type: ignore[arg-type]  # what a bug would write
    ]
    for n, row in enumerate(bad, 1):
        before, error, after = await asyncio.gather(
            append(store, event(1, n)), append(store, row), append(store, event(3, n))
        )
        assert (before, after) == (None, None)
        assert error is not None
    assert await read(store, 2) == []


async def test_one_answer_that_fails_does_not_keep_the_others_waiting(store: Store) -> None:
    loop, told, raised = asyncio.get_running_loop(), list[object](), list[object]()
    loop.set_exception_handler(lambda _, context: raised.append(context.get("exception")))

    def fail(_: Exception | None) -> None:
        raise RuntimeError("a bug")

    if isinstance(store, MemoryStore):
        pytest.skip("it answers where it is told to")
    store.append([event(1, 1)], fail)
    store.append([event(2, 1)], told.append)
    assert await append(store, event(3, 1)) is None
    assert told == [None]
    assert [type(error) for error in raised] == [RuntimeError]


async def test_a_name_goes_from_one_login_to_another_in_one_append(store: Store) -> None:
    assert await append(store, SessionRow(1, "Ann", b"t", 5, 0)) is None
    rows = SessionRow(2, "ANN", b"u", 6, 0, b"code"), ForgottenRow(1)
    assert await append(store, *rows) is None
    assert store.sessions() == [rows[0]]
    assert await append(store, ForgottenRow(2), SessionRow(3, "ann", b"u", 6, 0, b"code")) is None
    assert [row.number for row in store.sessions()] == [3]


async def test_the_devices_of_a_login_go_with_it_and_stay_with_it(store: Store) -> None:
    ann, devices = SessionRow(1, "ann", b"t", 5, 0), DevicesRow(1, b"[]")
    await append(store, ann, devices, SessionRow(2, "bob", b"u", 5, 0))
    assert await append(store, ann._replace(seen=6), DevicesRow(1, b"[1]")) is None
    assert await append(store, ann._replace(seen=7)) is None
    assert store.devices() == [DevicesRow(1, b"[1]")]
    assert await append(store, SettingsRow(1, b"dark"), SettingsRow(2, b"light")) is None
    assert await append(store, SettingsRow(1, b"{}")) is None
    kept = [SettingsRow(1, b"{}")]
    assert await asked(store, lambda done: store.read_settings(1, done)) == kept
    assert await append(store, ForgottenRow(1)) is None
    assert store.devices() == await asked(store, lambda done: store.read_settings(1, done)) == []


async def test_a_login_is_found_by_all_that_names_it(store: Store) -> None:
    rows = [SessionRow(1, "Ann", b"t", 5, 0, b"code"), SessionRow(2, "Bob", b"u", 5, 0)]
    await append(store, *rows, DevicesRow(1, b"[1]"))
    ann = StoredLogin(rows[0], b"[1]")
    bob: Any = SessionKey("number", 2)
    assert await asked(store, lambda done: store.read_session(bob, done)) == [StoredLogin(rows[1])]
    for by, value in (("number", 1), ("name", "aNN"), ("token", b"t"), ("recovery", b"code")):
        key: Any = SessionKey(by, value)  # type: ignore[arg-type]
        assert await asked(store, lambda done, k=key: store.read_session(k, done)) == [ann]
    assert await asked(store, lambda d: store.read_session(SessionKey("name", "cem"), d)) == []


async def test_numbers_are_had_once(store: Store) -> None:
    await append(store, RoomRow(7, 1), SessionRow(3, "ann", b"t", 5, 0))
    blocks: list[tuple[Counted, int, int]] = [
        ("room", 32, 8), ("room", 2, 40), ("session", 1, 4), ("session", 1, 5)
    ]  # fmt: skip
    for what, count, first in blocks:
        taken = await asked(store, lambda d, w=what, n=count: store.take_numbers(w, n, d))
        assert taken == first
    await append(store, RoomRow(60, 1))
    assert await asked(store, lambda done: store.take_numbers("room", 1, done)) == 61
