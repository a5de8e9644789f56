"""Small files that are written whole or not at all, and are on the disk then.

A file is written under another name, synced, and given its own: after a power cut, a kill or on a
full disk there is the old file or the new one, and nothing beside it but after a kill.  Programs
that read a file, change it and write it do so within `alone`.  What cannot be read is never written
over: `put_aside` keeps it under another name.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Damaged(ValueError):
    """A file is there and can be read, but makes no sense."""


def write(path: Path, data: bytes, *, private: bool = False) -> None:
    """Replace a file, or make it.

    What is no file, such as a pipe or /dev/stdout, is written to as it is; and so is a file in a
    folder in which none can be made.

    Args:
        private: only its owner may read it.

    Raises:
        OSError: it cannot be written, and what was there is there still.
    """
    with contextlib.suppress(FileNotFoundError):
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            path.write_bytes(data)
            return
        path = path.resolve()  # a link stays one
        try:
            _replace(path, data, 0o600 if private else stat.S_IMODE(mode))
        except PermissionError:
            if not os.access(path, os.W_OK):
                raise
            path.write_bytes(data)
        return
    _replace(path, data, 0o600 if private else None)


def _replace(path: Path, data: bytes, mode: int | None) -> None:
    """Write a file; `mode`: what others may do with it, None: what is usual here."""
    beside, descriptor = _beside(path, 0o666 if mode is None else mode)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if mode is not None and sys.platform != "win32":
                os.fchmod(descriptor, mode)
            file.write(data)
            file.flush()
            os.fsync(descriptor)
        beside.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError):
            error.filename, error.filename2 = str(path), None  # the one that people know
        raise
    sync_folder(path.parent)


def _beside(path: Path, mode: int) -> tuple[Path, int]:
    """Make a file beside `path` that no other process writes; its name and an open descriptor."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    for number in itertools.count():  # that of a killed process may be there still
        beside = path.with_name(f".{path.name[:100]}.{os.getpid()}-{number}")
        try:
            return beside, os.open(beside, flags, mode)
        except FileExistsError:
            continue
        except OSError as error:
            error.filename = str(path)
            raise
    raise AssertionError("numbers do not end")


def sync_folder(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system can."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):  # the file has its name, whatever the disk says to this
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Let no other process that asks change files here meanwhile, where there are such locks."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # some network disks lock no folder
            descriptor = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def read_object(path: Path) -> dict[str, Any] | None:
    """Return the JSON object in a file, which may begin with a byte order mark; None: no file.

    Raises:
        Damaged: there is no JSON object in it.
        OSError: it cannot be read.
    """
    try:
        content = json.loads(path.read_bytes().decode("utf-8-sig"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise Damaged(f"{path} makes no sense")
    return content


def put_aside(path: Path) -> Path:
    """Give a file another name, which no program reads, and return that.

    Raises:
        OSError: it keeps its name.
    """
    for number in itertools.count(1):
        aside = path.with_name(f"{path.name}.unreadable-{number}")
        if not aside.exists():
            path.rename(aside)
            sync_folder(path.parent)
            return aside
    raise AssertionError("numbers do not end")
