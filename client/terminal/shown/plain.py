"""The interface without a screen: plain lines in and out, for pipes, files and other programs.

It prints no escape codes and never draws over what is there.  An action waits until it is its
writer's turn, so that a whole match can come from a file.
"""

from __future__ import annotations

import asyncio
import os
import select
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import CancelledError
from typing import Final, TextIO

from client.styled_text import StyledText, text_of
from client.terminal.shown.interface import LOG_WIDTH
from client.terminal.shown.view import ViewModel, plain_frame
from client.terminal.typed.completion import CompletionNames

_CHUNK: Final = 4_096
_MAX_LINE: Final = 65_536  # bytes of a line; the rest of a longer one is not kept


class PlainInterface:
    """Prints to `out` and reads the file descriptor `source`."""

    patient = True

    def __init__(self, out: TextIO, source: int) -> None:
        self._view: Callable[[], ViewModel | None] = lambda: None
        self._out = out
        self._source = source
        self._printed: object = None

    def attach(self, view: Callable[[], ViewModel], names: Callable[[], CompletionNames]) -> None:
        """Set where views come from; nothing is completed in a pipe."""
        self._view = view

    def tell(self, *lines: StyledText) -> None:
        for line in lines:
            self._out.write(text_of(line).rstrip() + "\n")
        self._out.flush()

    def show(self) -> None:
        """Print the board where one is to move and at the end, a room once, the lobby once."""
        view = self._view()
        if view is None:
            return
        key = _key(view)
        if key is not None and key != self._printed:
            self._printed = key
            self.tell(*plain_frame(view, LOG_WIDTH))

    def keep(self, view: ViewModel) -> None:
        """Do nothing: all of it was printed already."""

    def bell(self) -> None:
        """Do nothing: a pipe does not ring."""

    async def typed(self) -> AsyncIterator[str]:
        """Yield the lines of the source, to its end; it is read no faster than they are taken."""
        loop = asyncio.get_running_loop()
        lines: asyncio.Queue[list[str] | None] = asyncio.Queue(maxsize=1)

        def put(item: list[str] | None) -> None:
            putting = lines.put(item)
            try:
                asyncio.run_coroutine_threadsafe(putting, loop).result()
            except (RuntimeError, CancelledError):  # the loop is gone when there is input at last
                putting.close()

        # A thread, because a file cannot be awaited; a daemon, because nothing can wake it up.
        threading.Thread(target=_read, args=(self._source, put), daemon=True).start()
        while (block := await lines.get()) is not None:
            for text in block:
                yield text
                await asyncio.sleep(0)  # a signal, or the server, is heard between any two lines


def _key(view: ViewModel) -> object:
    """Return what must change before the view is printed again; None: do not print it now."""
    match = view.match
    if match is not None:
        if view.waits_for_drawing:
            return None
        mine = match.legal is not None or match.result is not None or view.seat is None
        return (match.match, match.turn, match.result is None, view.flip) if mine else None
    if view.room is not None:
        # A room whose match is not known yet is about to show it.
        return view.room.room if view.room.match is None else None
    return "lobby" if view.menu.foot else None


def _read(source: int, put: Callable[[list[str] | None], None]) -> None:
    """Hand over the lines that the descriptor gives, as they come; None at the end.

    Not `sys.stdin`: a thread that waits inside its buffer would hold up the end of the process.
    """
    rest = b""
    while chunk := _chunk(source):
        *whole, rest = (rest + chunk).split(b"\n")
        put([raw.decode("utf-8", "replace") for raw in whole])
        rest = rest[:_MAX_LINE]
    if rest:
        put([rest.decode("utf-8", "replace")])
    put(None)


def _chunk(source: int) -> bytes:
    """Return what is there to read, once there is something; nothing at the end."""
    while True:
        try:
            return os.read(source, _CHUNK)
        except BlockingIOError:  # as another program has left it
            select.select([source], [], [])
        except OSError:  # closed, or no longer ours to read
            return b""
