"""Files that people put beside the house's own: games and bots in folders named by a variable.

They may be broken in any way.  That is said in one sentence with file and line, and costs no one
else anything: what has no end is ended by a deadline.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
import threading
import traceback
from collections.abc import Callable, Collection
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Final, TypeVar

LOAD_S: Final = 60.0  # a bot may bring a large library from a slow disk
INTERRUPT_S: Final = 0.5  # between two interruptions of code that goes on nevertheless

T = TypeVar("T")
_endless: dict[Path, str] = {}  # what had no end once is not waited for again: why


class BrokenFile(ImportError):
    """A file that cannot be loaded; the message says where and why, in one sentence."""


class TookTooLong(BaseException):
    """Raised in code whose deadline has passed; no Exception, which its author may catch."""

    def __str__(self) -> str:
        return "it has no end, or takes too long"


class NoFolder(FileNotFoundError):
    """A variable such as PLYHOUSE_GAMES names what is no folder."""


def sources(variable: str, here: Path, skipped: Collection[str] = ()) -> dict[str, Path]:
    """Return name -> file of what lies in `here` and in the folders that a variable names.

    Whatever lies in `here` has its name for itself.

    Raises:
        NoFolder: with the folder that is missing.
    """
    return _sources(variable, os.environ.get(variable, ""), here, frozenset(skipped))


@cache
def _sources(variable: str, named: str, here: Path, skipped: frozenset[str]) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for folder in [*(Path(part) for part in named.split(os.pathsep) if part), here]:
        if not folder.is_dir():
            raise NoFolder(f"{variable} names {str(folder)!r}, which is not a folder")
        for path in [*folder.glob("*.py"), *folder.glob("*/__init__.py")]:
            name = path.stem if path.parent == folder else path.parent.name
            if name not in skipped and not name.startswith("_"):
                paths[name] = path
    return paths


def load(module_name: str, path: Path) -> ModuleType:
    """Return the module in a file that is on no search path.

    Raises:
        BrokenFile: whatever it raised, with the line of its own that did.
    """
    before = sys.modules.get(module_name)
    if before is not None and before.__file__ != str(path.absolute()):
        # What is compiled of the other file is looked up by its module's name, also later.
        module_name = f"{module_name}_{sha256(bytes(path)).hexdigest()[:16]}"
        before = sys.modules.get(module_name)
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise BrokenFile(f"{path} is no Python file")
    if path in _endless:
        raise BrokenFile(_endless[path])
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # before it runs: a dataclass looks its own module up
    try:
        within(LOAD_S, partial(spec.loader.exec_module, module))
    except BaseException as error:
        if before is None:
            del sys.modules[module_name]
        else:
            sys.modules[module_name] = before
        if isinstance(error, TookTooLong):
            _endless[path] = sentence(path, error)
            raise BrokenFile(_endless[path]) from None
        if isinstance(error, Exception):  # anybody's code may raise anything
            raise BrokenFile(sentence(path, error)) from error
        raise
    return module


def within(seconds: float, run: Callable[[], T]) -> T:
    """Return what `run` returns; raise TookTooLong in it, and again where it goes on nevertheless.

    On any thread and any system, as no signal does.  It reaches Python code alone: one call into
    code of C that has no end, of which there is hardly any, is waited for.
    """
    thread, lock = ctypes.c_ulong(threading.get_ident()), threading.Lock()
    ended, interrupted = threading.Event(), threading.Event()

    def watch() -> None:
        wait = seconds
        while not ended.wait(wait):
            wait = INTERRUPT_S
            with lock:
                if not ended.is_set():
                    interrupted.set()
                    _interrupt(thread, ctypes.py_object(TookTooLong))

    def end() -> None:
        with lock:
            ended.set()
            # Takes back one that is on its way.  Where none was sent, that would have CPython 3.11
            # look for one at each call from then on, and hang where a debugger traces the thread.
            if interrupted.is_set():
                _interrupt(thread, None)

    try:
        try:
            threading.Thread(target=watch, name="deadline", daemon=True).start()
            return run()
        finally:
            end()
    finally:
        end()  # the interruption may have come into the first one


_interrupt = ctypes.pythonapi.PyThreadState_SetAsyncExc


def sentence(path: Path, error: BaseException) -> str:
    """Return what a file's error was, and in which line of that file, if it was there."""
    what = str(error).strip().split("\n")[0]
    if isinstance(error, SyntaxError):
        where = error.filename or str(path)
        return f"{where}, line {error.lineno}: {error.msg}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    where = f"{path}, line {lines[-1]}" if lines else str(path)
    if isinstance(error, TookTooLong):
        return f"{where}: {what}"
    return f"{where}: {type(error).__name__}{': ' if what else ''}{what}"
