"""The log on disk: bytes and plain rows, nothing else."""

from __future__ import annotations

from pathlib import Path

from server.store import files
from server.store.contract import Store
from server.store.files import FILE
from server.store.sqlite.store import ENGINE, SqliteStore

__all__ = ["ENGINE", "FILE", "open_store"]


def open_store(folder: Path, clock_was_wrong: int | None = None) -> Store:
    """Open the log in `folder`, which is made if it is not there.

    `clock_was_wrong`: what time it is, in ms, if the log is to be believed no more about that.

    Raises:
        StoreError: if it cannot be opened, with a sentence that says what to do.
    """
    files.make_folder(folder)
    return SqliteStore(folder / FILE, clock_was_wrong=clock_was_wrong)
