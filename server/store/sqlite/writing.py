"""One writer thread, which commits a batch at a time.

Nothing but commits is done in this thread: others read on a connection of their own (reading.py).
If a batch fails, its appends are written again one by one, so that a bad append does not take the
others with it.  Answers come in the order of the appends.

Why in a thread, though to hand a lonely move over and back takes 30 microseconds: in the event loop
a sync of the disk that hangs would stop every connection, here it stops rooms alone.  Why in one:
SQLite has one writer at a time, and a second would only wait for the first.  Why without a driver
for asyncio, which has such a thread, too: it goes there and back for each statement, and here it is
once a batch.  In a prototype (November 2026, two cores, 200 matches, in turns) this way stored
24,600 moves a second, a commit in the event loop 20,800, SQLAlchemy on aiosqlite 16,300.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence

from server.store.batching import Append, GroupCommit
from server.store.contract import Done, Fenced, Row, StoreError
from server.store.sqlite.job_thread import JobThread

# After how many seconds without an append what is done then: soon, as the writer has nothing to do;
# and at rest, which is longer than people think about most moves.
PAUSES = (0.02, 20.0)
log = logging.getLogger("plyhouse")


class BatchWriter:
    """Writes appends to a database in a thread of its own.

    `commit` writes rows, all or none; `has` looks whether rows stand in the database; `tidy` is
    called after each answered batch, with 0, and then with 1, 2 ... after each of the `pauses` (in
    seconds) in which nothing has come.  All run in the thread.  An error among `failures` is an
    answer; any other one is a bug, which is logged and is an answer as well: the thread goes on, or
    every room would wait for ever.  `ended` is told in the loop of the first that is Fenced.
    """

    def __init__(
        self,
        commit: Callable[[list[Row]], None],
        has: Callable[[list[Row]], bool],
        tidy: Callable[[int], None],
        failures: tuple[type[Exception], ...],
        ended: Callable[[Fenced], None],
        loop: asyncio.AbstractEventLoop | None,
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        self._ended: Callable[[Fenced], None] | None = ended
        self._commit = commit
        self._has = has
        self._tidy = tidy
        self._failures = failures
        self._group = GroupCommit(self._send, loop)
        self._worker = JobThread("store", self._tidy_up, pauses)

    # ------------------------------------------------------------ in the event loop

    def append(self, rows: list[Row], done: Done) -> None:
        self._group.append(rows, done)

    def watch(self, told: Callable[[int, int], None]) -> None:
        self._group.watch(told)

    def waited_s(self) -> float:
        return self._group.waited_s()

    def is_alive(self) -> bool:
        return self._worker.is_alive()

    def close(self) -> None:
        """Write what waits, and end the thread.

        Answers still come if the loop goes on, but nothing more may be asked.
        """
        self._group.flush()
        self._worker.close()

    def _send(self, batch: list[Append]) -> None:
        loop = self._group.loop

        def job(can: bool) -> None:
            errors: list[Exception | None] = [StoreError("the thread that writes has ended")]
            errors *= len(batch)
            try:
                errors = self._write(batch) if can else errors
            except Exception as error:  # noqa: BLE001 - every append is owed an answer
                errors = [error] * len(batch)
            finally:  # also of an error that ends the thread
                if not loop.is_closed():
                    loop.call_soon_threadsafe(self._group.sent, batch, errors)

        self._worker.do(job)

    # ------------------------------------------------------------ in the writer's thread

    def _tidy_up(self, past: int) -> None:
        try:
            self._tidy(past)
        except Fenced as fenced:
            self._note(fenced)
        except Exception:  # all rooms wait for this thread: a bug may not end it
            log.exception("the store has a bug in what it does between commits, and goes on")

    def _write(self, batch: list[Append]) -> list[Exception | None]:
        try:
            self._commit([row for rows, _ in batch for row in rows])
            return [None] * len(batch)
        except Exception as error:  # noqa: BLE001 - see `_note`
            self._note(error)
        return [self._write_alone(rows) for rows, _ in batch]

    def _write_alone(self, rows: list[Row]) -> Exception | None:
        """Write one append by itself; after an error, look whether it was written all the same.

        A commit that fails may have reached the disk, and then it stands.
        """
        try:
            self._commit(rows)
        except Exception as error:  # noqa: BLE001 - see `_note`
            self._note(error)
            return None if self._is_written(rows) else error
        return None

    def _is_written(self, rows: list[Row]) -> bool:
        try:
            return self._has(rows)
        except Exception:  # as above
            log.exception("the store has a bug in looking for %d rows", len(rows))
            return False

    def _note(self, error: Exception) -> None:
        """Log an error that is no answer of the database's but a bug: its rows are not stored."""
        if isinstance(error, Fenced):
            ended, self._ended = self._ended, None
            if ended is not None and not self._group.loop.is_closed():
                self._group.loop.call_soon_threadsafe(ended, error)
        elif not isinstance(error, self._failures):
            log.error("the store has a bug, and could not write a batch", exc_info=error)
