"""The log on disk: bytes and plain rows, nothing else."""

from __future__ import annotations

from pathlib import Path

from server.store.contract import Store, StoreError
from server.store.sqlite import ENGINE, SqliteStore

__all__ = ["ENGINE", "FILE", "open_store"]

FILE = "plyhouse.db"


def open_store(folder: Path) -> Store:
    """Open the log in `folder`, which is made if it is not there.

    Raises:
        StoreError: if it cannot be opened, with a sentence that says what to do.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {folder} cannot be made: {error.strerror}") from None
    return SqliteStore(folder / FILE)
