"""One server a database, seen to in three ways, as each of the first two may fail.

An operating system lock on a file beside the database, gone with its process.  The same on the mark
(mark.py), which the server holds open: a user who deletes the lock's file deletes that one hardly,
and without it nothing opens.  And the epoch, for folders on machines that do not share their locks:
each transaction looks whether it is still its server's own, and who began an older one has lost.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path
from typing import IO, Any

from server.store.contract import Fenced, StoreError, StoreInUse

EPOCH = "(SELECT epoch FROM server)"


def take(path: Path, mark: Path) -> IO[str]:
    """Lock `path` for as long as the returned file is open; a process that holds `mark` is heeded.

    Raises:
        StoreError: if another process has one of them, or it cannot be made.
    """
    try:
        file = open(path, "a", opener=lambda name, flags: os.open(name, flags, 0o600))  # noqa: SIM115
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}") from None
    try:
        hold(file, path)
        if mark.exists():
            with mark.open("rb") as other:
                hold(other, mark)
    except (OSError, StoreInUse):
        file.close()
        raise
    return file


def hold(file: IO[Any], path: Path) -> None:
    """Lock an open file for as long as it is open; `path`: where it is.

    Raises:
        StoreInUse: another process has it.
    """
    try:
        _lock(file)
    except OSError:
        raise StoreInUse(
            f"another server is using {path.parent};"
            " stop it, or give this one its own --data folder"
        ) from None


def begin(db: sqlite3.Connection, epoch: int) -> None:
    """Begin a transaction of the server that has begun this epoch.

    Raises:
        Fenced: another server has begun a later one.
    """
    db.execute("BEGIN IMMEDIATE")
    try:
        check_epoch(db, epoch)
    except BaseException:
        db.execute("ROLLBACK")
        raise


def check_epoch(db: sqlite3.Connection, epoch: int) -> None:
    """See that no other server has begun an epoch.

    Raises:
        Fenced: one has.
    """
    if db.execute(f"SELECT {EPOCH}").fetchone() != (epoch,):
        raise fenced()


def fenced() -> Fenced:
    """Return what to say to a server whose database another one has opened."""
    return Fenced(
        "another server has opened this database, although this one has its lock: was its file"
        " deleted, or is the folder used by several machines?  Nothing more is stored by this one"
    )


if sys.platform == "win32":
    import msvcrt

    def _lock(file: IO[Any]) -> None:
        if "b" not in file.mode:  # a lock there keeps others from reading, and no open file is lost
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: IO[Any]) -> None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
