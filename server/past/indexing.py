"""Puts the matches of older logs into the index: those of rooms that were there before it was.

Rooms are read from the newest to the oldest, a page at a time, among the reads that others ask for,
and played through in a thread that rests three times as long as it works.  How far it has come is
stored with what it has found, so it goes on there at the next start.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from protocol.history import COURSE
from server.core.past.fold import PastFold
from server.past.log_reads import LogReads, rest_after
from server.rooms.index_rows import row_of
from server.store.contract import INDEXING, EventRow, LogReader, PastRow, ProgressRow, Row, Store
from server.threads import in_thread

log = logging.getLogger("plyhouse")
KINDS: Final = ("created", *COURSE)
PAGE: Final = 500  # events that are read and played through at once
ROOMS: Final = 50  # that are read before what was found is stored ...
MATCHES: Final = 200  # ... unless there are so many
RETRY_S: Final = 60.0  # after the log could not be written, or a room could not be read


class Folded(NamedTuple):
    """What a page of events has told, and how long that took, in seconds."""

    rows: list[PastRow]
    seconds: float


class Indexing:
    """Goes through the rooms, if there are some that the index does not know.

    `done` is called once that is over.
    """

    def __init__(
        self,
        store: Store,
        reads: LogReads,
        loop: asyncio.AbstractEventLoop,
        done: Callable[[], None],
    ) -> None:
        self.store = store
        self.reads = reads
        self.loop = loop
        self._done = done
        self._room = 0  # that is being read ...
        self._is_doubtful = False  # ... and has failed once
        self._stored = 0  # the next room, as it is stored
        self._rows: list[Row] = []  # that are not stored yet
        self._timer: asyncio.TimerHandle | None = None
        self._stopped = False

    def start(self) -> None:
        self._room = self._stored = self.store.progress(INDEXING)
        if self._room:
            self._open()

    def stop(self) -> None:
        self._stopped = True
        if self._timer is not None:
            self._timer.cancel()

    def _open(self) -> None:
        """Read the next room from its first event on."""
        self._read(PastFold(), 0)

    def _read(self, fold: PastFold, since: int) -> None:
        def begin(reader: LogReader) -> None:
            reader.read_events(self._room, since, PAGE, partial(self._take, fold))

        if not self._stopped:
            self.reads.ask(None, begin)

    def _take(self, fold: PastFold, events: list[EventRow] | None) -> None:
        if self._stopped:
            return
        if events is None:  # which was said in the log
            self._doubt()
            return
        if not events:
            self._close_room()
            return
        in_thread(self.loop, partial(_fold, fold, events), partial(self._folded, fold, events))

    def _folded(
        self, fold: PastFold, events: list[EventRow], future: asyncio.Future[Folded]
    ) -> None:
        if self._stopped or future.cancelled():
            return
        error = future.exception()
        if error is not None:
            log.error("the matches of room %d are not indexed", self._room, exc_info=error)
            self._doubt()
            return
        rows, seconds = future.result()
        self._rows += rows
        if len(events) < PAGE:
            self._then(seconds, self._close_room)
        else:
            self._then(seconds, partial(self._read, fold, events[-1].seq))

    def _then(self, seconds: float, go_on: Callable[[], None]) -> None:
        self._timer = self.loop.call_later(rest_after(seconds), go_on)

    def _doubt(self) -> None:
        """Try a room again that has failed, unless it fails alone: there may be no memory, or no
        database.  Once that can be written to, it can be read as well.
        """
        if self._is_doubtful:
            self._close_room()
        else:
            self._is_doubtful = True
            self._timer = self.loop.call_later(RETRY_S, self._store)

    def _close_room(self) -> None:
        self._room -= 1
        self._is_doubtful = False
        is_full = len(self._rows) >= MATCHES or self._stored - self._room >= ROOMS
        if is_full or not self._room:
            self._store()
        else:
            self._open()

    def _store(self) -> None:
        if not self._stopped:
            rows = [*self._rows, ProgressRow(INDEXING, self._room)]
            self.store.append(rows, self._answered)

    def _answered(self, error: Exception | None) -> None:
        if self._stopped:
            return
        if error is not None:
            log.error("the index of matches: not stored: %s", error)
            self._timer = self.loop.call_later(RETRY_S, self._store)
            return
        self._rows, self._stored = [], self._room
        if self._room:
            self._open()
        else:
            self._done()


def _fold(fold: PastFold, events: list[EventRow]) -> Folded:
    began = time.thread_time()
    rows = []
    for event in events:
        if event.kind not in KINDS:
            continue
        summary = fold.take(event.kind, event.body)
        if summary is not None and event.match is not None:
            rows.append(row_of(event.room, event.match, summary))
    return Folded(rows, time.thread_time() - began)
