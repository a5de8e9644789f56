"""Damaged files: whatever is done to them, it is found, or it is harmless.

*Found*: the house does not open, or a read fails, with a sentence.  *Harmless*: whose house it is,
the names, the rooms, and every event of every room are answered as before, and it goes on.
"""

from __future__ import annotations

import contextlib
import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from server.store import FILE, open_store
from server.store.contract import RoomRow, SessionRow, StoreError
from server.store.sqlite import store as sqlite
from tests.server.store.rows import append, event, noted

ROOMS = 12
FILES = (FILE, FILE, "plyhouse.db-wal", "plyhouse.db-wal", "plyhouse.mark")
PAGE = 4096


class Houses(NamedTuple):
    """Copies of one house: `closed`, and `killed`, with much in its -wal."""

    closed: Path
    killed: Path


@pytest.fixture
def scratch() -> Iterator[Path]:
    """A folder in memory, where there is one: every try syncs its files a dozen times."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as folder:
        yield Path(folder)


@pytest.fixture
async def houses(scratch: Path, monkeypatch: pytest.MonkeyPatch) -> Houses:
    """Nobody changes them."""
    monkeypatch.setattr(sqlite, "LONG_WAL", 150)  # so that what is older lies behind its end
    await live(scratch / "live", scratch / "killed")
    shutil.copytree(scratch / "live", scratch / "closed")
    return Houses(scratch / "closed", scratch / "killed")


async def live(folder: Path, killed: Path) -> None:
    """Write a log, close it and go on; copy it as a kill -9 would leave it."""
    rng = random.Random(1)
    for part in (0, 1):
        with contextlib.closing(open_store(folder)) as store:
            for n in range(1, ROOMS + 1):
                seqs = range(1 + part * 20, 21 + part * 20)
                rows = [event(n, seq, rng.randbytes(rng.randrange(200))) for seq in seqs]
                login = SessionRow(n, f"player {n}", rng.randbytes(32), part + n, 0)
                await append(store, *rows, RoomRow(n, n % 3))
                await append(store, login)
            if part:
                await noted(store)
                shutil.copytree(folder, killed)


async def answers(folder: Path) -> Any:
    """All that a house says; it must take one event more, too."""
    with contextlib.closing(open_store(folder)) as store:
        logs = [store.all_events(n) for n in range(1, ROOMS + 1)]
        answer = (store.server, store.sessions(), store.open_rooms(), store.last_room(), logs)
        assert await append(store, event(ROOMS + 1, 1)) is None
        assert store.all_events(ROOMS + 1) == [event(ROOMS + 1, 1)]
    return answer


def damage(folder: Path, rng: random.Random) -> str:
    """Do something to one file; return what."""
    path = rng.choice([folder / name for name in FILES if (folder / name).exists()])
    data = bytearray(path.read_bytes())
    how = rng.choice(("flip", "flip", "flip", "bytes", "zeroes", "garbage", "cut", "empty", "gone"))
    at = rng.randrange(len(data))
    if how == "flip":
        data[at] ^= 1 << rng.randrange(8)
    elif how == "bytes":
        data[at : at + 8] = rng.randbytes(len(data[at : at + 8]))
    elif how in ("zeroes", "garbage"):
        size = rng.choice((512, PAGE, len(data)))
        at = at // size * size
        end = min(at + size, len(data))
        data[at:end] = bytes(end - at) if how == "zeroes" else rng.randbytes(end - at)
    elif how == "cut":
        del data[at:]
    elif how == "empty":
        data.clear()
    path.write_bytes(data)
    if how == "gone":
        path.unlink()
    return f"{path.name}: {how} at {at}"


async def outcome(house: Path, scratch: Path, expected: Any, rng: random.Random) -> str:
    """Damage a copy and ask it all; return `found` or `harmless`."""
    shutil.copytree(house, scratch)
    what = damage(scratch, rng)
    try:
        found = await answers(scratch)
    except StoreError:
        return "found"
    finally:
        shutil.rmtree(scratch)
    assert found == expected, f"{house.name}, {what}: an answer differs"
    return "harmless"


async def try_damage(houses: Houses, folder: Path, tries: int, seed: int) -> Counter[str]:
    """Damage copies in turn; return how often which outcome was seen."""
    rng = random.Random(seed)
    counts: Counter[str] = Counter()
    for house in houses:
        shutil.copytree(house, folder / "unharmed")
        expected = await answers(folder / "unharmed")
        assert [len(log) for log in expected[-1]] == [40] * ROOMS
        shutil.rmtree(folder / "unharmed")
        for _ in range(tries // 2):
            counts[await outcome(house, folder / "damaged", expected, rng)] += 1
    return counts


async def test_every_damage_is_found_or_harmless(houses: Houses, scratch: Path) -> None:
    counts = await try_damage(houses, scratch, tries=60, seed=1)
    assert counts["found"] > counts["harmless"]


@pytest.mark.slow
async def test_every_one_of_many_damages_is_found_or_harmless(
    houses: Houses, scratch: Path
) -> None:
    counts = await try_damage(houses, scratch, tries=1_000, seed=2)
    assert counts.total() == 1_000
