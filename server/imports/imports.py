"""Reads the files of matches that people bring, one at a time, each in a process beside the server.

Nothing of a file is kept: who brought it gets its document, and has it stay in the browser.
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from server.threads import in_thread

ROOT: Final = Path(__file__).parents[2]  # where `server` can be imported from
MAX_UPLOAD: Final = 1024 * 1024  # bytes, packed: less than an address may hold
MAX_WAITING: Final = 8  # files, one of each address; some seconds of work
SECONDS: Final = 30.0  # after which a file that is being read is given up
TOO_LARGE: Final = (
    f"A file of a match has {MAX_UPLOAD >> 20} MiB at most, packed; `plyhouse analyse FILE` takes"
    " 8 MiB.\n"
)
BUSY: Final = "Other files are being read just now; try again in a moment.\n"
TOO_MUCH: Final = "This file takes more time or memory than there is for one.\n"
log = logging.getLogger("plyhouse")


class Imported(NamedTuple):
    """What a file holds, packed by gzip."""

    packed: bytes


class NotImported(NamedTuple):
    """Why there is nothing, in a sentence; `busy`: there may be something the next time."""

    text: str
    busy: bool = False


Done: TypeAlias = Callable[[Imported | NotImported], None]


class WaitingFile(NamedTuple):
    """A file, the name of the format that it is wanted in, from where it comes, and who waits."""

    data: bytes
    name: str | None
    address: str
    done: Done


class Imports:
    """The files that are to be read, the first of which is being read."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: deque[WaitingFile] = deque()
        self._child: subprocess.Popen[bytes] | None = None

    def ask(self, data: bytes, name: str | None, address: str, done: Done) -> None:
        """Hand `done` the document of a file, or for a name the file in the format of that name."""
        if len(self._waiting) >= MAX_WAITING or any(w.address == address for w in self._waiting):
            done(NotImported(BUSY, busy=True))
            return
        self._waiting.append(WaitingFile(data, name, address, done))
        if len(self._waiting) == 1:
            self._next()

    def close(self) -> None:
        """End what is being read: a server that ends does not wait for it."""
        self._waiting.clear()
        if (child := self._child) is not None:
            child.kill()

    def _next(self) -> None:
        in_thread(self._loop, partial(self._read, self._waiting[0]), self._answer)

    def _answer(self, future: asyncio.Future[Imported | NotImported]) -> None:
        if future.cancelled() or not self._waiting:
            return  # the server ends
        if (bug := future.exception()) is not None:
            log.error("a file could not be read", exc_info=bug)
        waiting = self._waiting.popleft()
        if self._waiting:
            self._next()
        waiting.done(future.result() if bug is None else NotImported(TOO_MUCH, busy=True))

    def _read(self, file: WaitingFile) -> Imported | NotImported:
        path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH")) if part)
        with subprocess.Popen(
            [sys.executable, "-m", "server.imports.worker", *([file.name] if file.name else [])],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        ) as child:  # fmt: skip
            self._child = child
            if not self._waiting:  # closed while it was being started
                child.kill()
            try:
                out, errors = child.communicate(file.data, SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                return NotImported(TOO_MUCH)
            finally:
                self._child = None
        if child.returncode or not out:
            if child.returncode > 0 and b"MemoryError" not in errors:
                log.error("a file could not be read: %s", errors[-2_000:].decode(errors="replace"))
            return NotImported(TOO_MUCH)
        if out.startswith(b"+"):
            return Imported(out[1:])
        text = out[1:].decode()
        return NotImported(f"{text[0].upper()}{text[1:]}.\n")
