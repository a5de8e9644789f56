"""Counts how often SQLite has the system put a file onto the disk, and makes calls to it fail.

SQLite reaches the system by a VFS, a table of functions.  While `counted_syncs` lasts, the default
one's `xOpen` is ours: each file that it opens gets our `xSync`, `xWrite` and `xTruncate`.  It takes
ctypes and nothing else.
"""

from __future__ import annotations

import _sqlite3
import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p
from typing import Final

import pytest

METHODS: Final = 18  # of version 3 of sqlite3_io_methods
FSYNC_FAILED: Final = 1034  # SQLITE_IOERR_FSYNC
WRITE_FAILED: Final = 778  # SQLITE_IOERR_WRITE: what EROFS becomes, too
FULL: Final = 13  # SQLITE_FULL
Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)
Sync = CFUNCTYPE(c_int, c_void_p, c_int)
Write = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
Truncate = CFUNCTYPE(c_int, c_void_p, c_int64)


class Vfs(ctypes.Structure):
    """The beginning of `sqlite3_vfs`."""

    _fields_ = [
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
    ]


class FileMethods(ctypes.Structure):
    """`sqlite3_io_methods`: its version, and then functions."""

    _fields_ = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        ("others", c_void_p * (METHODS - 5)),
    ]


class Syncs:
    """How often what was synced so far: the logs that commits are written to, and all else.

    `refuse`: says of each call, `sync`, `write` or `truncate`, with which code it fails (0: none).
    """

    def __init__(self) -> None:
        self.wal = self.others = 0
        self.refuse: Callable[[str], int] = lambda call: 0


KEPT: Final[list[object]] = []  # what files that are still open may call


@contextmanager
def counted_syncs() -> Iterator[Syncs]:
    """Count the syncs of all databases that are opened meanwhile."""
    library = ctypes.CDLL(getattr(_sqlite3, "__file__", None))  # None: built into Python itself
    find = getattr(library, "sqlite3_vfs_find", None)
    if find is None:
        pytest.skip("this Python's SQLite is hidden from ctypes: its syncs cannot be counted")
    find.argtypes, find.restype = [c_char_p], POINTER(Vfs)
    vfs, syncs = find(None).contents, Syncs()
    original = vfs.open
    open_file = Open(original)

    def open_counted(vfs: int, path: int | None, file: int, flags: int, out: int) -> int:
        code = int(open_file(vfs, path, file, flags, out))  # the path's own place: it is kept there
        if not code:
            name = os.fsdecode(ctypes.string_at(path)) if path else "temporary"
            count_syncs(file, syncs, is_wal=name.endswith("-wal"))
        return code

    ours = Open(open_counted)
    KEPT.append(ours)
    vfs.open = ctypes.cast(ours, c_void_p).value
    try:
        yield syncs
    finally:
        vfs.open = original


def count_syncs(file: int, syncs: Syncs, is_wal: bool) -> None:
    """Give an open file (sqlite3_file) an `xSync` that counts, and calls that may fail."""
    place = c_void_p.from_address(file)
    methods = FileMethods()
    ctypes.memmove(ctypes.byref(methods), place.value or 0, ctypes.sizeof(methods))
    sync, write, truncate = (
        Sync(methods.sync), Write(methods.write), Truncate(methods.truncate),
    )  # fmt: skip

    def sync_counted(file: int, flags: int) -> int:
        code = syncs.refuse("sync") or int(sync(file, flags))
        if not code and is_wal:
            syncs.wal += 1
        elif not code:
            syncs.others += 1
        return code

    ours = (
        Sync(sync_counted),
        Write(lambda *words: syncs.refuse("write") or write(*words)),
        Truncate(lambda *words: syncs.refuse("truncate") or truncate(*words)),
    )
    methods.sync, methods.write, methods.truncate = (
        ctypes.cast(each, c_void_p).value for each in ours
    )
    KEPT.append((methods, ours))
    place.value = ctypes.addressof(methods)
