"""Group commit: one commit for all appends that wait.

While a commit is under way, what comes in waits and makes up the next one: under load a commit
carries dozens of rows.  What comes while none is under way is sent at once: to wait for more would
add a turn of the event loop to the two and a half of a lonely move.  After a commit of more than
MAX_LONELY appends, though, more are likely to come in this turn, so it waits for them.  How rows
are committed is each store's own: SQLite's does so in a thread, PostgreSQL's over a connection of
the loop.

Why there is no window of some milliseconds in which a commit gathers appends, as databases offer
one: under load it carries about 80 anyway, and waiting for more brought nothing, with ten matches
neither (docs/capacity.md).  A lonely move would pay all of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from server.store.contract import Done, Row

Append: TypeAlias = tuple[list[Row], Done]
MAX_LONELY: Final = 2  # appends of a commit after which the next does not wait for more


class GroupCommit:
    """The appends that wait, and the one batch that is being written.

    `send` begins to write a batch; the writer calls `sent` with an answer for each of
    its appends.  Everything here runs in the event loop.
    """

    def __init__(
        self, send: Callable[[list[Append]], None], loop: asyncio.AbstractEventLoop | None
    ) -> None:
        self._send_batch = send
        self._loop = loop
        self._watch: Callable[[int, int], None] | None = None
        self._begun = 0  # ns: when the batch was handed over that is under way
        self._last = 0  # how many appends the last batch had
        self._since = 0.0  # by the loop's clock: when the first of those that wait came
        self._oldest: float | None = None  # the same of the batch that is being written
        self._waiting: list[Append] = []
        self._writing = False

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that answers come in."""
        if self._loop is None:
            self._loop = asyncio.get_running_loop()
        return self._loop

    def append(self, rows: list[Row], done: Done) -> None:
        """Write rows with the next commit."""
        if not self._waiting:
            self._since = self.loop.time()
        self._waiting.append((rows, done))
        if not self._writing:
            self._writing = True
            if self._last <= MAX_LONELY:
                self._send()
            else:
                self.loop.call_soon(self._send)

    def watch(self, told: Callable[[int, int], None]) -> None:
        self._watch = told

    def is_idle(self) -> bool:
        return not self._writing and not self._waiting

    def waited_s(self) -> float:
        """Return how long the oldest append waits that is not answered, 0 if all are."""
        since = self._oldest if self._oldest is not None else self._since
        return 0.0 if self.is_idle() else self.loop.time() - since

    def flush(self) -> None:
        """Send what waits now, whatever is under way."""
        if self._waiting:
            self._send()

    def refuse_waiting(self, error: Exception) -> None:
        """Answer all appends that have not been sent with an error."""
        waiting, self._waiting = self._waiting, []
        self._answer((done, error) for _, done in waiting)

    def sent(self, batch: list[Append], errors: Sequence[Exception | None]) -> None:
        """Send what has come meanwhile, then answer a batch."""
        if self._watch is not None:
            self._watch(time.perf_counter_ns() - self._begun, len(batch))
        self._oldest = None
        if self._waiting:
            self._send()
        else:
            self._writing = False
        self._answer(zip((done for _, done in batch), errors, strict=True))

    def _send(self) -> None:
        batch, self._waiting = self._waiting, []
        self._last = len(batch)
        if batch:
            self._begun, self._oldest = time.perf_counter_ns(), self._since
            self._send_batch(batch)
        else:  # all were refused before they could be sent
            self._writing = False

    def _answer(self, answers: Iterator[tuple[Done, Exception | None]]) -> None:
        """Call each `done`; one that raises does not keep the others from their answers."""
        complete = False
        try:
            for done, error in answers:
                done(error)
            complete = True
        finally:
            if not complete:
                self.loop.call_soon(self._answer, answers)
