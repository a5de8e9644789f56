"""Where compiled code is kept, and that nothing about that place keeps a bot from playing.

A copy of a search has a folder of its own in the user's cache, under a name that says all that the
code depends on.  The folder may be another user's, on a full disk, or hold what a power cut left of
it: numba replaces its files in one step, but never syncs them.  Then the code is compiled anew, and
kept where it can be; what was wrong is said once.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import os
import pickle
import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final

from protocol.files import folders

DAYS: Final = 30  # then compiled code that was not used is removed
DIGEST: Final = 32  # bytes
FORM: Final = "with digests"  # of the entries; another is another folder

log = logging.getLogger("plyhouse.bots")


def folder_of(name: str) -> Path | None:
    """Return the folder of a copy, which is there; None if there is no place for one."""
    base = base_folder()
    if base is None:
        return None
    _remove_old(base)
    # The first may be another user's, such as root's after `sudo`.
    for folder in (base / name, base / f"{name}.{os.getuid() if hasattr(os, 'getuid') else 0}"):
        with suppress(OSError):
            folder.mkdir(exist_ok=True)
            if os.access(folder, os.W_OK | os.X_OK):
                with suppress(PermissionError):
                    os.utime(folder)
                return folder
    temporary = _temporary(f"{base / name} cannot be written")
    return None if temporary in (None, base) else folder_of(name)


def base_folder() -> Path | None:
    """Return the folder of all compiled code: the user's, else a temporary one, else None."""
    try:
        base = folders.cache()
        base.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        return _temporary(f"{where}{error.strerror}")
    if os.access(base, os.W_OK | os.X_OK):
        return base
    return _temporary(f"{base} cannot be written")


@cache
def _temporary(why: str) -> Path | None:
    """Make this process's cache, and that of those which it starts, a temporary folder."""
    try:
        home = Path(tempfile.mkdtemp(prefix="plyhouse-"))
    except OSError:
        log.warning("plyhouse: compiled code is kept nowhere, so each start compiles (%s)", why)
        return None
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    os.environ["XDG_CACHE_HOME"] = str(home)
    log.warning("plyhouse: compiled code is kept in %s until this ends (%s)", home, why)
    base = home / "plyhouse"
    base.mkdir()
    return base


@cache
def _remove_old(base: Path) -> None:
    """Remove what was not used for long; once a process."""
    oldest = time.time() - DAYS * 86_400
    with suppress(OSError):
        for folder in base.iterdir():
            with suppress(OSError):  # another process does the same
                if folder.is_dir() and folder.stat().st_mtime < oldest:
                    shutil.rmtree(folder, ignore_errors=True)


class SafeCache:
    """numba's cache of one function, none of whose errors comes out.

    An entry that cannot be read is thrown away, and compiled anew.  Each has a digest, as a torn
    one may well be unpickled, and its code run.
    """

    def __init__(self, inner: Any) -> None:
        """`inner`: numba's own; of a function that is not cached it does nothing."""
        self._inner = inner
        file = getattr(inner, "_cache_file", None)
        if file is not None:
            dump = file._dump
            file._dump = lambda data: _sealed(dump(data))
            file._load_data = lambda name: _unsealed(Path(file._data_path(name)).read_bytes())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """Return what was compiled, or None."""
        try:
            return self._inner.load_overload(signature, context)
        except Exception as error:  # noqa: BLE001  # unpickling damaged bytes raises anything; a cache costs no bot its match
            _complain(self._inner.cache_path, "is damaged, and made anew", error)
            with suppress(Exception):
                self._inner.flush()
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep what was compiled, if that can be done."""
        try:
            self._inner.save_overload(signature, compiled)
        except Exception as error:  # noqa: BLE001  # as does pickling; what is compiled works without
            _complain(self._inner.cache_path, "cannot be kept", error)


@cache
def _said(folder: str, what: str) -> list[str]:
    return []


def _complain(folder: str, what: str, error: Exception) -> None:
    """Say once of each folder what is wrong with it."""
    said = _said(folder, what)
    if not said:
        said.append(what)
        why = getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
        log.warning("plyhouse: compiled code in %s %s (%s)", folder, what, why)


def _sealed(data: bytes) -> bytes:
    """Data with its digest behind it, where unpickling does not look."""
    return data + hashlib.sha256(data).digest()


def _unsealed(data: bytes) -> Any:
    """Return what was pickled.

    Raises:
        ValueError: it is not all there.
    """
    data, digest = data[:-DIGEST], data[-DIGEST:]
    if hashlib.sha256(data).digest() != digest:
        raise ValueError("its digest does not fit")
    return pickle.loads(data)
