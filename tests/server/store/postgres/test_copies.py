"""A house moves from a file to a database and back, and is the same."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
from functools import partial
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from server.cli import backup, doctor, purge, restore
from server.store import FILE, open_store, open_store_at
from server.store.contract import (
    AnalysisRow,
    EventRow,
    ProgressRow,
    RoomRow,
    Row,
    SessionRow,
    Store,
)
from tests.server.store.rows import append, asked, event
from tests.server.store.test_past import match

pytestmark = pytest.mark.postgres
ROWS: list[Row] = [
    *(event(1, n, bytes([n])) for n in range(1, 200)),
    EventRow(2, 1, 1, "started", 3, b""),
    RoomRow(1, 1, b"who sits there"),
    RoomRow(2, 0),
    SessionRow(1, "Ann", b"t", 5, 0, b"code", 1),
    SessionRow(2, "Straße", b"u", 7, 1),
    match(2, 3, at=9),
    ProgressRow("past", 7),
    AnalysisRow(2, 3, 9, b"abc"),
]


def command(module: Any, *words: object) -> int:
    """Run a command, and return its exit code."""
    parser = argparse.ArgumentParser()
    module.add_arguments(parser)
    code: int = module.run(parser.parse_args([*map(str, words)]))
    return code


def contents(store: Store) -> list[Any]:
    """All that a start reads of a house."""
    return [
        store.server, store.times_from, store.sessions(), store.open_room_rows(),
        store.last_room(), store.kept_analyses(), store.progress("past"),
        *(store.all_events(room) for room in (1, 2)),
    ]  # fmt: skip


# Commands have a loop of their own, so they run beside the test's.
async def test_a_house_moves_into_a_database_and_back(
    tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(open_store(tmp_path / "old")) as old:
        await append(old, *ROWS)
        before, epoch = contents(old), old.epoch
    there = ["--database", database]
    file = tmp_path / "old" / FILE
    assert await asyncio.to_thread(command, restore, file, *there) == 0
    assert "events: 200, rooms and ladders: 2, names: 2" in capsys.readouterr().out
    assert await asyncio.to_thread(command, restore, file, *there) == 1
    assert "has a house already" in capsys.readouterr().err
    store = await open_store_at(tmp_path / "new", database, None)
    assert contents(store) == before
    assert store.last_at == 7
    assert store.epoch > epoch
    assert await append(store, event(1, 200), RoomRow(1, 1, b"new")) is None
    after = contents(store)
    copy = tmp_path / "back" / FILE
    copy.parent.mkdir()
    assert await asyncio.to_thread(command, backup, copy, *there) == 0  # while it is used
    assert await asyncio.to_thread(command, backup, copy, *there) == 1
    assert await asyncio.to_thread(command, doctor, *there, "--port", 0) in (0, 1)
    await store.aclose()
    with contextlib.closing(open_store(copy.parent)) as back:
        assert contents(back) == after
        assert back.epoch > store.epoch
    output = capsys.readouterr()
    assert "every row is what was stored; a server is using it" in output.out
    assert "is there already; name another file" in output.err


async def test_damage_is_found_by_whoever_copies_or_looks(
    tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    there = ["--database", database]
    assert await asyncio.to_thread(command, doctor, *there, "--port", 0) in (0, 1)
    assert "no house yet" in capsys.readouterr().out
    assert await asyncio.to_thread(command, backup, tmp_path / "copy", *there) == 1
    assert "there is no house in" in capsys.readouterr().err
    store = await open_store_at(tmp_path, database, None)
    await append(store, *ROWS)
    await store.aclose()
    connection = await asyncpg.connect(database)
    await connection.execute("UPDATE plyhouse.event SET body = 'x' WHERE seq = 9")
    await connection.close()
    assert await asyncio.to_thread(command, backup, tmp_path / "copy", *there) == 1
    assert await asyncio.to_thread(command, doctor, *there, "--port", 0) == 1
    output = capsys.readouterr()
    assert "room 1, seq 9 is damaged" in output.err
    assert "bad   database: the row of room 1, seq 9 is damaged" in output.out
    assert [name for name in await asyncio.to_thread(os.listdir, tmp_path) if "copy" in name] == []


async def test_a_house_that_is_in_use_or_a_file_that_is_none_is_not_taken_over(
    tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(open_store(tmp_path)) as old:
        await append(old, *ROWS)
    store = await open_store_at(tmp_path, database, None)
    file = tmp_path / FILE
    assert await asyncio.to_thread(command, restore, file, "--database", database) == 1
    await store.aclose()
    (tmp_path / "bad").write_bytes(b"no database")
    bad = tmp_path / "bad"
    assert await asyncio.to_thread(command, restore, bad, "--database", database) == 1
    words = [file, "--database", database, "--leave-out-damaged"]
    assert await asyncio.to_thread(command, restore, *words) == 2
    errors = capsys.readouterr().err
    assert "a server is using postgresql://" in errors
    assert "cannot be copied" in errors or "is no" in errors


async def test_what_is_purged_is_gone_from_a_database_that_nobody_uses(
    tmp_path: Path, database: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--of", "ann", "--database", database, "--yes"]
    assert await asyncio.to_thread(command, purge, *words) == 1
    body = b"\x92\x09\xa3ann"
    store = await open_store_at(tmp_path, database, None)
    await append(store, *(event(1, n, body) for n in range(1, 4)), event(2, 1, b"\x91\x09"))
    await append(store, RoomRow(1, 0), RoomRow(2, 0), match(1, 1, at=9), match(2, 1, at=9))
    assert await asyncio.to_thread(command, purge, *words) == 1
    await store.aclose()
    assert await asyncio.to_thread(command, purge, *words[:-1]) == 2
    assert await asyncio.to_thread(command, purge, *words) == 0
    store = await open_store_at(tmp_path, database, None)
    assert [(row.seq, row.kind) for row in store.all_events(1)] == [(1, "purged")]
    assert [(row.seq, row.kind) for row in store.all_events(2)] == [(1, "said")]
    rows = [await asked(store, partial(store.read_match, room, 1)) for room in (1, 2)]
    assert [len(each) for each in rows] == [0, 1]
    await store.aclose()
    output = capsys.readouterr()
    assert "1 rooms with 0 matches, 3 events" in output.out
    assert "there is no house in" in output.err
    assert "a server is using" in output.err
