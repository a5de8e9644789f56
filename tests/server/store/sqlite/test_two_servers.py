"""Two servers at one database: the second is refused, or else the first ends; nothing is mixed."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from server.store import FILE, open_store
from server.store.checksums import event_sum
from server.store.contract import DamagedRow, EventRow, Fenced, RoomRow, StoreInUse, unheard
from server.store.sqlite import copies, lock, newest
from tests.server.store.rows import append, event, seqs

LOCK = "plyhouse.lock"


@pytest.fixture
def unshared(monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder whose locks other machines do not see."""
    monkeypatch.setattr(lock, "_lock", lambda file: None)


def test_without_the_file_of_its_lock_a_house_is_still_in_use(tmp_path: Path) -> None:
    with contextlib.closing(open_store(tmp_path)):
        copies.backup(tmp_path, tmp_path / "backup.db")
        (tmp_path / LOCK).unlink()
        with pytest.raises(StoreInUse, match="another server is using"):
            open_store(tmp_path)
        with pytest.raises(StoreInUse, match="another server is using"):
            copies.restore(tmp_path / "backup.db", tmp_path)
    open_store(tmp_path).close()


@pytest.mark.usefixtures("unshared")
@pytest.mark.parametrize(
    "rows", [(event(1, 3),), (event(1, 3), event(1, 4), event(2, 2)), (RoomRow(1, 0),)]
)
async def test_the_first_stores_nothing_more_once_a_second_has_opened(
    tmp_path: Path, rows: tuple[EventRow | RoomRow, ...]
) -> None:
    ended = asyncio.get_running_loop().create_future()
    with contextlib.closing(open_store(tmp_path)) as first:
        first.news.ended.append(ended.set_result)
        assert await append(first, event(1, 1), event(2, 1), RoomRow(1, 1)) is None
        with contextlib.closing(open_store(tmp_path)) as second:
            assert await append(second, event(1, 2)) is None
            assert isinstance(await append(first, *rows), Fenced)
            assert isinstance(await ended, Fenced)
            assert await append(second, event(1, 3)) is None
            first.close()  # neither its mark nor a seal is the second one's
            assert await append(second, event(1, 4)) is None
    with contextlib.closing(open_store(tmp_path)) as third:
        assert (third.epoch, seqs(third.all_events(1))) == (3, [1, 2, 3, 4])
        assert (seqs(third.all_events(2)), third.open_rooms()) == ([1], [1])


@pytest.mark.usefixtures("unshared")
async def test_the_first_moves_nothing_and_ends_though_nobody_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newest, "MAX_ROWS", 1)
    ended = asyncio.get_running_loop().create_future()
    with contextlib.closing(open_store(tmp_path)) as first:
        first.news.ended.append(ended.set_result)
        await append(first, event(1, 1))
        open_store(tmp_path).close()
        first._writer._worker.do(unheard)  # so that it looks whether there is something to do
        assert isinstance(await ended, Fenced)


def doubled(folder: Path) -> None:
    """What two servers of an older version have left: each went on from event 3 of room 1."""
    with contextlib.closing(open_store(folder)) as store:
        rows = [(1, seq, 1, b"a") for seq in range(1, 6)] + [(1, seq, 2, b"b") for seq in (3, 4, 5)]
        for n, (room, seq, epoch, body) in enumerate([*rows, (1, 6, 2, b"b"), (1, 7, 2, b"b")]):
            row = EventRow(room, seq, epoch, "said", None, body)
            table = newest.TABLES[n >= 6]
            values = (*row, event_sum(*row))
            store._db.execute(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        store._commit_all([RoomRow(1, 1)], [])
        store._events.settle = lambda: None  # type: ignore[method-assign]


def test_what_two_servers_have_left_is_told_and_the_first_ones_is_restored(tmp_path: Path) -> None:
    doubled(tmp_path)
    with pytest.raises(DamagedRow, match=r"two servers have written .* of room 1 are there twice"):
        open_store(tmp_path)
    with pytest.raises(DamagedRow, match="two servers have written"):
        copies.backup(tmp_path, tmp_path / "backup.db")
    with pytest.raises(DamagedRow, match="two servers have written"):
        copies.restore(tmp_path / FILE, tmp_path / "whole")
    made = copies.restore(tmp_path / FILE, tmp_path / "sound", leave_out_damaged=True)
    assert (made.left_out, made.second, made.contents.events) == (0, 5, 5)
    with contextlib.closing(open_store(tmp_path / "sound")) as store:
        assert [(row.seq, row.body) for row in store.all_events(1)] == [
            (seq, b"a") for seq in range(1, 6)
        ]
