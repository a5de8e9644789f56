"""/play.py and /wheels/: for a friend who has Python and nothing else.

The host may put other wheels, of what Plyhouse needs, into the folder `wheels` of the data: then a
friend needs no internet.
"""

from __future__ import annotations

import asyncio
import html
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import quote

from server.downloads import wheel
from server.downloads.wheel import Wheel
from server.threads import in_thread

LAUNCHER: Final = "/play.py"
WHEELS: Final = "/wheels/"
FOLDER: Final = "wheels"  # in the data folder
_URL = re.compile(r'^URL = ".*"$', re.MULTILINE)
_WHEEL = re.compile(r'^WHEEL = "[^"]*"', re.MULTILINE)


class OfferedFile(NamedTuple):
    """A file: its kind, and its bytes."""

    kind: str
    data: bytes


class Downloads:
    """Makes the wheel when somebody first asks for it, on another thread."""

    def __init__(self, data: Path, loop: asyncio.AbstractEventLoop) -> None:
        self._folder = data / FOLDER
        self._loop = loop
        self._wheel: Wheel | None = None

    def has(self, path: str) -> bool:
        return path == LAUNCHER or path.startswith(WHEELS)

    def ask(
        self, path: str, origin: str, done: Callable[[OfferedFile | BaseException | None], None]
    ) -> None:
        """Hand `done` what is at a path, None, or what has failed.

        `origin`: the address that the asker has typed, such as "http://192.168.1.7:8765".
        """

        def found(future: asyncio.Future[OfferedFile | None]) -> None:
            if not future.cancelled():  # else the server ends
                done(future.exception() or future.result())

        in_thread(self._loop, partial(self._find, path, origin), found)

    def _find(self, path: str, origin: str) -> OfferedFile | None:
        if self._wheel is None:
            self._wheel = wheel.build()
        own = self._wheel
        if path == LAUNCHER:
            return OfferedFile("text/x-python; charset=utf-8", launcher(origin, own).encode())
        others = {file.name: file for file in self._folder.glob("*.whl")}
        name = path.removeprefix(WHEELS)
        if not name:
            links = [f'<a href="{quote(n)}">{html.escape(n)}</a><br>' for n in (own.name, *others)]
            return OfferedFile("text/html; charset=utf-8", "\n".join(links).encode())
        if name == own.name:
            return OfferedFile("application/zip", own.data)
        if name in others:
            return OfferedFile("application/zip", others[name].read_bytes())
        return None


def launcher(origin: str, own: Wheel) -> str:
    """Return the launcher for a server that is reached at `origin`."""
    text = (Path(__file__).parent / "launcher.py").read_text("utf-8")
    text = _URL.sub(lambda _: f"URL = {json.dumps(origin)}", text)
    return _WHEEL.sub(f'WHEEL = "{own.name}#sha256={own.digest}"', text)
