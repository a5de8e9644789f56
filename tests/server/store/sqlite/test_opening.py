"""What is left of a house is never taken for a new one, nor for an older one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from server.store import FILE, open_store
from server.store.contract import DamagedRow, RoomRow, SessionRow, StoreError
from server.store.sqlite import checking, newest
from server.store.sqlite.mark import WIDTH, BadMark, HighWaterMark, MarkFile, read_mark
from server.store.sqlite.store import SqliteStore
from tests.server.store.rows import append, event, noted, seqs
from tests.server.store.sqlite.test_migrations import FIRST, SCHEMAS, execute

WAL, MARK = "plyhouse.db-wal", "plyhouse.mark"
Damage = Callable[[Path], object]


async def killed(folder: Path, copy: Path) -> None:
    """Leave a house in `copy` as kill -9 does, with nothing but its first epoch in the file."""
    with contextlib.closing(open_store(folder)) as store:
        await append(store, event(1, 1), event(1, 2), RoomRow(1, 1))
        await append(store, SessionRow(1, "ann", b"t", 99, 0))
        await noted(store)
        shutil.copytree(folder, copy)


@contextlib.contextmanager
def opened(folder: Path) -> Iterator[SqliteStore]:
    """A store, closed at the end."""
    with contextlib.closing(open_store(folder)) as store:
        assert isinstance(store, SqliteStore)
        yield store


def cut(path: Path, share: float) -> None:
    """Leave only the first part of a file."""
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])


DAMAGES: dict[str, tuple[Damage, str]] = {
    "wal-gone": (lambda f: (f / WAL).unlink(), "lacks what was stored last"),
    "wal-empty": (lambda f: (f / WAL).write_bytes(b""), "lacks what was stored last"),
    "wal-zeroed": (lambda f: (f / WAL).write_bytes(bytes(9000)), "lacks what was stored last"),
    "wal-cut": (lambda f: cut(f / WAL, 0.5), "lacks what was stored last"),
    "db-alone": (lambda f: [(f / n).unlink() for n in (WAL, MARK)], "was not closed"),
    "db-empty": (lambda f: (f / FILE).write_bytes(b""), "is empty, but plyhouse.mark and"),
    "db-gone": (lambda f: (f / FILE).unlink(), "is missing, but plyhouse.mark and"),
    "db-zeroed": (lambda f: (f / FILE).write_bytes(bytes(8192)), "cannot be read as"),
    "mark-damaged": (lambda f: cut(f / MARK, 0.5), "is missing or damaged"),
}


@pytest.mark.parametrize("name", DAMAGES)
async def test_what_is_not_whole_stops_with_a_sentence(tmp_path: Path, name: str) -> None:
    damage, sentence = DAMAGES[name]
    await killed(tmp_path / "live", tmp_path / "copy")
    damage(tmp_path / "copy")
    before = {p.name: p.read_bytes() for p in (tmp_path / "copy").glob("plyhouse.db*")}
    with pytest.raises(StoreError, match=sentence) as refused:
        open_store(tmp_path / "copy")
    assert "plyhouse restore" in str(refused.value)
    after = {name: (tmp_path / "copy" / name).read_bytes() for name in before}
    assert {name for name in before if before[name] != after[name]} <= {"plyhouse.db-shm"}


async def test_what_was_killed_comes_back_whole(tmp_path: Path) -> None:
    await killed(tmp_path / "live", tmp_path / "copy")
    with contextlib.closing(open_store(tmp_path / "copy")) as store:
        assert (seqs(store.all_events(1)), store.open_rooms()) == ([1, 2], [1])
        assert store.sessions() == [SessionRow(1, "ann", b"t", 99, 0)]


async def test_the_sqlite_tool_may_look_at_what_was_killed(tmp_path: Path) -> None:
    await killed(tmp_path / "live", tmp_path / "copy")
    with contextlib.closing(sqlite3.connect(tmp_path / "copy" / FILE)) as db:
        assert len(db.execute(newest.union("room, seq")).fetchall()) == 2
    assert not (tmp_path / "copy" / WAL).exists()  # it has moved all into the file
    with contextlib.closing(open_store(tmp_path / "copy")) as store:
        assert seqs(store.all_events(1)) == [1, 2]


async def test_a_closed_house_is_one_file(tmp_path: Path) -> None:
    with contextlib.closing(open_store(tmp_path / "a")) as store:
        await append(store, event(1, 1))
        server = store.server
    (tmp_path / "b").mkdir()
    shutil.copy(tmp_path / "a" / FILE, tmp_path / "b")
    with contextlib.closing(open_store(tmp_path / "b")) as store:
        assert (store.server, seqs(store.all_events(1))) == (server, [1])


async def test_an_older_copy_in_place_of_the_file_is_found(tmp_path: Path) -> None:
    for seq in (1, 2):
        with contextlib.closing(open_store(tmp_path)) as store:
            await append(store, event(1, seq))
        shutil.copy(tmp_path / FILE, tmp_path / f"copy-{seq}")
    shutil.copy(tmp_path / "copy-1", tmp_path / FILE)
    with pytest.raises(StoreError, match="or it is an older copy"):
        open_store(tmp_path)
    open_store(tmp_path / "other").close()
    shutil.copy(tmp_path / "other" / FILE, tmp_path / FILE)
    with pytest.raises(StoreError, match="is of another house"):
        open_store(tmp_path)


def test_an_empty_file_beside_the_tokens_of_its_bots_is_no_new_house(tmp_path: Path) -> None:
    (tmp_path / "house-bots.json").write_text("{}")
    with pytest.raises(StoreError, match=r"is missing, but house-bots.json beside it shows"):
        open_store(tmp_path)
    (tmp_path / "house-bots.json").unlink()
    (tmp_path / FILE).write_bytes(b"")  # such as a start that was killed at once
    open_store(tmp_path).close()


def test_an_older_database_that_lost_its_wal_has_no_name_and_is_no_new_house(
    tmp_path: Path,
) -> None:
    execute(tmp_path, SCHEMAS[1])
    with pytest.raises(StoreError, match="does not say whose it is"):
        open_store(tmp_path)


async def test_an_idle_house_has_all_in_its_file(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / FILE, pauses=(0.0, 0.0))
    with contextlib.closing(store):
        await append(store, event(1, 1))
        async with asyncio.timeout(60):
            while (tmp_path / WAL).stat().st_size:  # noqa: ASYNC110  (nobody tells)
                await asyncio.sleep(0.005)
        alone = f"file:{tmp_path / FILE}?immutable=1"  # without its -wal
        with contextlib.closing(sqlite3.connect(alone, uri=True)) as db:
            assert db.execute("SELECT room, seq FROM event").fetchall() == [(1, 1)]


@pytest.mark.parametrize(
    ("statement", "ask"),
    [
        ("UPDATE session SET name = 'eve'", lambda store: store.sessions()),
        ("UPDATE room SET open = 0", lambda store: store.open_rooms()),
        ("UPDATE room SET open = 0", lambda store: store.last_room()),
        ("UPDATE event SET body = x'00'", lambda store: store.all_events(3)),
        ("UPDATE event SET body = cast(body AS TEXT)", lambda store: store.all_events(3)),
    ],
)
def test_a_row_that_was_changed_behind_its_back_is_found(
    tmp_path: Path, statement: str, ask: Callable[[SqliteStore], object]
) -> None:
    execute(tmp_path, SCHEMAS[1] + FIRST)
    open_store(tmp_path).close()
    execute(tmp_path, statement)
    with pytest.raises(DamagedRow, match="its checksum does not fit"), opened(tmp_path) as store:
        ask(store)


def test_a_mark_is_read_as_it_was_written_and_nothing_else_is(tmp_path: Path) -> None:
    path, mark = tmp_path / "x.mark", HighWaterMark("5ce4e", 1, 2, 3, 4, 2**32 - 1)
    assert read_mark(path) is None
    file = MarkFile(path, mark._replace(seq=10**15))
    file.note(mark)
    file.close()
    assert read_mark(path) == mark
    data = path.read_bytes()
    assert len(data) == WIDTH
    for bad in (b"", data[:-1], data + b"\n", data.replace(b"3", b"4"), bytes(WIDTH)):
        path.write_bytes(bad)
        with pytest.raises(BadMark):
            read_mark(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(BadMark):
        read_mark(path)
    with pytest.raises(StoreError, match="cannot be written"):
        MarkFile(path, mark)


def test_a_damaged_name_of_a_table_is_a_sentence(tmp_path: Path) -> None:
    """SQLite puts the name into its own, which is no text that Python can read."""
    open_store(tmp_path).close()
    file = tmp_path / FILE
    whole = file.read_bytes()
    named = whole.replace(b"newest_0newest_0", b"newe\xf2t_0newest_0")
    file.write_bytes(named.replace(b"CREATE TABLE newest_0", b"CREATE TABLX newest_0"))
    assert named != whole
    with pytest.raises(StoreError, match=r"cannot be read|damaged"):
        open_store(tmp_path)


def damage_unseen(folder: Path) -> None:
    """Change a page that no start reads, as a disk may; the file looks as before."""
    file = folder / FILE
    times = file.stat()
    with contextlib.closing(sqlite3.connect(file)) as db:
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'past'").fetchone()
        (size,) = db.execute("PRAGMA page_size").fetchone()
    with file.open("r+b") as data:
        data.seek((page - 1) * size + 4)  # behind the kind of the page, and the first free byte
        data.write(b"\xff" * 4)
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))


async def test_the_pages_of_a_sealed_house_are_looked_at_while_it_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first: list[Path] = []
    check_pages, damage = checking.check_pages, asyncio.Queue[StoreError]()
    monkeypatch.setattr(
        checking, "check_pages", lambda db, path: (first.append(path), check_pages(db, path))
    )
    with opened(tmp_path) as store:  # made just now, and looked at
        await append(store, event(1, 1))
    seal = read_mark(tmp_path / MARK)
    assert seal is not None
    assert (len(first), seal.changed > 0) == (1, True)
    with opened(tmp_path) as store:
        checked = store._checked
        assert len(first) == 1
        unsealed = read_mark(tmp_path / MARK)
        assert unsealed is not None
        assert not unsealed.changed
        done = asyncio.Event()
        monkeypatch.setattr(store, "_checked", lambda: (checked(), done.set()))
        store.check(damage.put_nowait)
        await done.wait()
    assert len(first) == 2  # and sealed again
    with opened(tmp_path):
        pass  # too short a time to look at anything
    assert len(first) == 2
    with opened(tmp_path):  # so that is done now, before it is opened
        assert len(first) == 3
    os.utime(tmp_path / FILE)  # somebody has touched it
    with opened(tmp_path):
        assert len(first) == 4


async def test_damage_to_a_sealed_house_is_told_and_stops_the_next_start(tmp_path: Path) -> None:
    damage = asyncio.Queue[StoreError]()
    with opened(tmp_path) as store:
        await append(store, event(1, 1))
    damage_unseen(tmp_path)
    with opened(tmp_path) as store:
        store.check(damage.put_nowait)
        assert "is damaged" in str(await damage.get())
    with pytest.raises(StoreError, match="is damaged"):
        open_store(tmp_path)


async def test_a_house_can_be_closed_while_its_pages_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path):
        pass
    begun = threading.Event()

    def endless(db: sqlite3.Connection, path: Path) -> None:
        begun.set()
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            db.execute("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i FROM n)"
                       " SELECT count(*) FROM n").fetchone()  # fmt: skip

    monkeypatch.setattr(checking, "check_pages", endless)
    with opened(tmp_path) as store:
        store.check(pytest.fail)
        await asyncio.to_thread(begun.wait)
    mark = read_mark(tmp_path / MARK)
    assert mark is not None
    assert not mark.changed
