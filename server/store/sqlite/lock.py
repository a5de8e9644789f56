"""One server a database: an operating system lock on a file beside it, gone with its process."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import IO

from server.store.contract import StoreError, StoreInUse


def take(path: Path) -> IO[str]:
    """Lock `path` for as long as the returned file is open.

    Raises:
        StoreError: if another process has it, or it cannot be made.
    """
    try:
        file = open(path, "a", opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}") from None
    try:
        _lock(file)
    except OSError:
        file.close()
        raise StoreInUse(
            f"another server is using {path.parent};"
            " stop it, or give this one its own --data folder"
        ) from None
    return file


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[str]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[str]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
