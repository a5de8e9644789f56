"""Rows, and waiting for the answers of a store: what the tests of stores share."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from server.store.contract import EventRow, Row, Store
from server.store.sqlite.store import SqliteStore
from tests.server.memory_store import MemoryStore, outline


def event(room: int, seq: int, body: bytes = b"") -> EventRow:
    """An event whose body is all that matters."""
    return EventRow(room, seq, 1, "said", None, body)


def room_of_matches(count: int) -> list[EventRow]:
    """The events of a room: matches of some lengths, between which people talk."""
    rows = [event(1, 1)._replace(kind="created")]
    for match in range(1, count + 1):
        own = ["dealt", "started", *["play"] * (match % 7), "ended"]
        for kind in ["said"] * (match % 4) + own:
            number = None if kind == "said" else match
            rows.append(event(1, len(rows) + 1)._replace(kind=kind, match=number))
    return rows


async def outlines(store: Store, matches: Sequence[int]) -> dict[tuple[int, int], Any]:
    """What a store answers about matches of room 1, alone and with those beside them."""
    kinds = ("dealt", "started", "ended")
    return {
        (match, reach): (
            await asked(store, partial(store.read_outline, 1, match, kinds, reach))
        ).rows
        for match in matches
        for reach in (0, 1, 30)
    }


def expected_outlines(
    rows: list[EventRow], matches: Sequence[int]
) -> dict[tuple[int, int], list[EventRow]]:
    """What it is to answer."""
    kinds = ("dealt", "started", "ended")
    return {
        (match, reach): outline(rows, match, kinds, reach).rows
        for match in matches
        for reach in (0, 1, 30)
    }


async def append(store: Store, *rows: Row) -> Exception | None:
    """Append rows, and return the answer."""
    answer: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()
    store.append(list(rows), answer.set_result)
    settle(store)
    return await answer


async def read(
    store: Store, room: int, since: int = 0, limit: int = -1, kinds: Sequence[str] = ()
) -> Any:
    """Read events, and return the answer."""
    answer: asyncio.Future[list[EventRow] | None] = asyncio.get_running_loop().create_future()
    store.read_events(room, since, limit, answer.set_result, kinds)
    settle(store)
    return await answer


async def asked(store: Store, ask: Callable[[Any], None]) -> Any:
    """What a store answers."""
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    ask(answer.set_result)
    settle(store)
    return await answer


async def noted(store: Store) -> None:
    """Wait until the mark says what was stored last."""
    assert isinstance(store, SqliteStore)
    async with asyncio.timeout(60):
        while store._mark.mark != store._newest:  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.002)


def settle(store: Store) -> None:
    """Let a store in memory answer; one on disk does so by itself."""
    if isinstance(store, MemoryStore):
        store.settle()


def seqs(rows: list[EventRow]) -> list[int]:
    """The numbers of events."""
    return [row.seq for row in rows]
