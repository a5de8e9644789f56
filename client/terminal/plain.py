"""A face without a screen: plain lines in and out, for pipes, files and other programs.

No escape codes, nothing is ever drawn over.  A line read is obeyed at its time: an action waits
until it is its writer's turn, so that a whole match can come from a file.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Callable
from typing import Final, TextIO

from client.terminal.commands import Known
from client.terminal.lines import Line, text_of
from client.terminal.view import Scene, plain_frame

WIDE: Final = 100  # columns of a list; what reads a pipe has no width of its own
_CHUNK: Final = 65_536


class Plain:
    """Prints to `out` and reads the file descriptor `source`."""

    patient = True

    def __init__(self, out: TextIO, source: int) -> None:
        self._scene: Callable[[], Scene | None] = lambda: None
        self._out = out
        self._source = source
        self._shown: object = None

    def attach(self, scene: Callable[[], Scene], known: Callable[[], Known]) -> None:
        """Say where scenes come from; nothing is completed in a pipe."""
        self._scene = scene

    def tell(self, *lines: Line) -> None:
        """Print lines."""
        for shown in lines:
            self._out.write(text_of(shown).rstrip() + "\n")
        self._out.flush()

    def show(self) -> None:
        """Print the board where one is to move and at the end, a room once, the lobby once."""
        scene = self._scene()
        if scene is None:
            return
        key = _key(scene)
        if key is not None and key != self._shown:
            self._shown = key
            self.tell(*plain_frame(scene, WIDE))

    def keep(self, scene: Scene) -> None:
        """All of it was printed already."""

    def bell(self) -> None:
        """A pipe does not ring."""

    async def typed(self) -> AsyncIterator[str]:
        """The lines of the source, to its end."""
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[str | None] = asyncio.Queue()

        def put(item: str | None) -> None:
            # The loop may be gone when a thread that waited for input gets some.
            if not loop.is_closed():
                loop.call_soon_threadsafe(lines.put_nowait, item)

        # A thread, as a file cannot be waited for otherwise; a daemon, as nothing can wake it up.
        threading.Thread(target=_read, args=(self._source, put), daemon=True).start()
        while (text := await lines.get()) is not None:
            yield text


def _key(scene: Scene) -> object:
    """What must have changed for the scene to be printed again; None: not now."""
    match = scene.match
    if match is not None:
        mine = match.legal is not None or match.result is not None or scene.seat is None
        return (match.match, match.turn, match.result is None, scene.flip) if mine else None
    if scene.room is not None:
        # A room whose match is not known yet is about to show it.
        return scene.room.room if scene.room.match is None else None
    return "lobby" if scene.menu.foot else None


def _read(source: int, put: Callable[[str | None], None]) -> None:
    """Hand over line by line what the descriptor gives; None at the end.

    Not `sys.stdin`: a thread that waits inside its buffer would hold up the end of the process.
    """
    rest = b""
    while chunk := _chunk(source):
        *whole, rest = (rest + chunk).split(b"\n")
        for raw in whole:
            put(raw.decode("utf-8", "replace"))
    if rest:
        put(rest.decode("utf-8", "replace"))
    put(None)


def _chunk(source: int) -> bytes:
    try:
        return os.read(source, _CHUNK)
    except OSError:  # closed, or no longer ours to read
        return b""
