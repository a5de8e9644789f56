"""A disk that fails at any call: what is answered for stored is there, and all goes on after it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.store.contract import RoomRow
from server.store.sqlite import newest
from server.store.sqlite import store as sqlite_store
from server.store.sqlite.store import SqliteStore
from tests.server.store.rows import append, event
from tests.support.counted_syncs import FSYNC_FAILED, FULL, WRITE_FAILED, Syncs, counted_syncs

FAULTS = {
    "a sync fails": (("sync",), FSYNC_FAILED),
    "the disk is full": (("write",), FULL),
    "the disk is read-only": (("write", "truncate", "sync"), WRITE_FAILED),
}
ROOMS, EVENTS = 2, 10
STRIDE = 13  # of the calls at which a fault begins; 1 takes a minute and a half, and finds no more


class Fault:
    """Lets calls fail from the one of a number on, so many of them."""

    def __init__(self, kind: str, first: int = 0, most: int = 0) -> None:
        self._calls, self._code = FAULTS[kind]
        self._fails = range(first, first + most)
        self.count = 0

    def __call__(self, call: str) -> int:
        if call not in self._calls:
            return 0
        self.count += 1
        return self._code if self.count - 1 in self._fails else 0


@pytest.fixture
def syncs(monkeypatch: pytest.MonkeyPatch) -> Iterator[Syncs]:
    """Events are moved, and the -wal begins anew, after a few events, not after thousands."""
    monkeypatch.setattr(newest, "MAX_ROWS", 6)
    monkeypatch.setattr(newest, "SLICE", 1)
    monkeypatch.setattr(sqlite_store, "LONG_WAL", 12)
    with counted_syncs() as syncs:
        yield syncs


async def written(path: Path, syncs: Syncs, fault: Fault) -> list[set[int]]:
    """Write events while a disk fails, each once more where it is not stored; which were."""
    stored: list[set[int]] = [set() for _ in range(ROOMS)]
    with contextlib.closing(SqliteStore(path, pauses=(0.0, 0.0))) as store:
        syncs.refuse = fault
        for seq in range(1, EVENTS + 1):
            for room in range(ROOMS):
                rows = event(room + 1, seq), RoomRow(room + 1, 1)
                for _ in range(2):
                    if await append(store, *rows[: 1 + seq % 2]) is None:
                        stored[room].add(seq)
                        break
                else:
                    return stored  # as a room does, which waits until the log works
    return stored


def there(path: Path) -> list[list[int]]:
    """The events of a house that is opened anew."""
    with contextlib.closing(SqliteStore(path)) as store:
        return [[row.seq for row in store.all_events(room + 1)] for room in range(ROOMS)]


@pytest.mark.parametrize("kind", FAULTS)
async def test_what_is_answered_for_stored_is_there_and_all_goes_on_after_one_fault(
    tmp_path: Path, syncs: Syncs, kind: str
) -> None:
    """The fault begins at any call of its kind, and lasts for one, or for ever."""
    whole = [set(range(1, EVENTS + 1))] * ROOMS
    counted = Fault(kind)
    assert await written(tmp_path / "whole.db", syncs, counted) == whole
    for first in range(0, counted.count, STRIDE):
        for most in (1, 1 << 30):
            path = tmp_path / f"{first}-{most}.db"
            stored = await written(path, syncs, Fault(kind, first, most))
            syncs.refuse = lambda call: 0
            assert most > 1 or stored == whole
            for seqs, answered in zip(there(path), stored, strict=True):
                assert seqs == list(range(1, len(seqs) + 1))
                assert len(answered) <= len(seqs) <= len(answered) + 1, "or what was not answered"
