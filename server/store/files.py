"""The files of a house: their names, and that only their owner can read them.

The log holds the secrets of dice to come and the codes of private rooms.  A user who reads them
before the match can order dice.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from server.store.contract import StoreError

log = logging.getLogger("plyhouse")
FILE = "plyhouse.db"
# The database's files, and tokens.
OURS = ("plyhouse.*", "house-bots.json", "bot-tokens.json", "admin.token")
PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600


def make_folder(folder: Path) -> None:
    """Make the folder of a house if it is not there, and make it and what is in it private.

    Raises:
        StoreError: if it cannot be made.
    """
    try:
        if not folder.exists():
            new = [each for each in (folder, *folder.parents) if not each.exists()]
            folder.mkdir(parents=True, mode=PRIVATE_FOLDER, exist_ok=True)
            for each in new:  # what is synced in a folder is lost with the folder's own name
                sync(each.parent)
        elif not folder.is_dir():
            raise StoreError(f"the folder {folder} cannot be made: there is a file of this name")
    except OSError as error:
        raise StoreError(f"the folder {folder} cannot be made: {error.strerror}") from None
    if sys.platform != "win32":  # where a user's folders are private already
        _mend(folder)


def make_file(path: Path) -> None:
    """Make an empty file that only its owner can read; SQLite gives its own files the same mode."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, PRIVATE_FILE))


def sync(path: Path) -> None:
    """Have a file, or the names in a folder, on the disk."""
    if sys.platform == "win32" and path.is_dir():  # cannot, and need not
        return
    handle = os.open(path, os.O_RDWR if path.is_file() else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _mend(folder: Path) -> None:
    """Take away what others may do with the folder and the files of a house, and say so."""
    open_to_others = [path for path in _own(folder) if path.lstat().st_mode & 0o077]
    failed = []
    for path in open_to_others:
        try:
            path.chmod(PRIVATE_FOLDER if path == folder else PRIVATE_FILE)
        except OSError:
            failed.append(path.name)
    names = ", ".join(path.name for path in open_to_others)
    if failed:
        log.warning(
            "others on this machine may read %s in %s, and so order dice; this cannot be changed"
            " here: run chmod, or choose another --data folder", ", ".join(failed), folder
        )  # fmt: skip
    elif open_to_others:
        log.warning("others on this machine could read %s of %s; now you alone can", names, folder)


def _own(folder: Path) -> Iterator[Path]:
    """Yield the folder, unless all users share it, and the files of a house in it."""
    if not folder.stat().st_mode & stat.S_ISVTX:  # such as /tmp
        yield folder
    for pattern in OURS:
        for path in sorted(folder.glob(pattern)):
            with contextlib.suppress(FileNotFoundError):
                if stat.S_ISREG(path.lstat().st_mode):
                    yield path
