"""The connection that writes: one batch at a time, and what becomes of it when it is cut off.

A connection that is lost in mid-commit leaves it open whether the rows stand.  No room is told a
guess: a new connection first sees to it that nothing of the old one can be stored any more (see
node.py), then the rows are looked up.  Those that are there were stored, the others are written
again.  What was never sent waits for a moment, and is refused if the database stays away.

A database that comes back may be an older one: a standby that lacks the last moments, or a copy.
What this server holds would be written behind them, and leave a hole for good.  So before anything
is written over a new connection it is looked at whether that goes on the same timeline, which
another one than the primary never does, and has what was stored last, as a copy of its files may
not.  Since what it stores it stores in order, it then has all else of ours, too.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeAlias

import asyncpg

from server.store.batching import Append, GroupCommit
from server.store.contract import (
    Conflict,
    DatabaseAway,
    Done,
    EventRow,
    Fenced,
    PulseRow,
    Row,
    StoreNews,
    WentBack,
    unheard,
)
from server.store.postgres.address import is_lost
from server.store.postgres.node import ServerNode, timeline_of
from server.store.postgres.statements import statement

log = logging.getLogger("plyhouse")
STALL_S: Final = 1.0  # until rooms are told that the log is away, and appends are refused
ANSWER_S: Final = 10.0  # until a connection that says nothing is given up
RETRY_S: Final = (0.02, 5.0)  # between two attempts to connect: the first, and the longest
GRACE_S: Final = 5.0  # for what is under way at the end
ROW_ERRORS: Final = ("22", "23")  # SQL states that are about a value or a key: one append's fault
STORED: Final = (
    "SELECT e.room, e.seq, e.epoch, e.kind, e.match, e.body"
    " FROM unnest($1::bigint[], $2::bigint[]) AS k (room, seq) JOIN event e USING (room, seq)"
)
TRIAL: Final = (  # two pages at least: a file that cannot grow has room for a row or two
    "INSERT INTO event (room, seq, epoch, kind, body, sum)"
    " SELECT 0, n, 0, '', convert_to(repeat('.', 1000), 'UTF8'), 0 FROM generate_series(1, 16) AS n"
)
Connect: TypeAlias = Callable[[], Awaitable[Any]]


class Writer:
    """Writes appends over a connection of its own, and finds another one when that is lost.

    `db`: a connection on which `node` has begun; `connect` makes others; `timeline`: of the
    database that is written to.
    """

    def __init__(
        self, db: Any, node: ServerNode, connect: Connect, loop: asyncio.AbstractEventLoop,
        timeline: str,
    ) -> None:  # fmt: skip
        self.news = StoreNews()
        self.node = node
        self.timeline = timeline
        self._newest: EventRow | None = None  # which was stored last
        self._connect = connect
        self._loop = loop
        self._group = GroupCommit(self._send, loop)
        self._task: asyncio.Task[list[Exception | None]] | None = None  # that writes a batch
        self._search: asyncio.Task[None] | None = None  # for another connection
        self._change: asyncio.Future[None] | None = None  # done when the connection has changed
        self._refusal: Exception | None = None  # for all that comes now
        self._is_stalled = False
        self._closing = False
        self._hurry = asyncio.Event()  # the next attempt to connect is due
        self._db: Any = None
        self._use(db)

    # ------------------------------------------------------------ what is asked of it

    def append(self, rows: list[Row], done: Done) -> None:
        """Write rows with the next commit, or refuse them if the database is away."""
        if self._refusal is None:
            self._group.append(rows, done)
        else:
            self._loop.call_soon(done, self._refusal)

    def watch(self, told: Callable[[int, int], None]) -> None:
        self._group.watch(told)

    def waited_s(self) -> float:
        return self._group.waited_s()

    def look_again(self) -> None:
        """Connect anew, and at once if that is tried already."""
        if not isinstance(self._refusal, Fenced):
            self._lose(self._db)
            self._hurry.set()

    async def aclose(self) -> None:
        """Write what waits, if that can be done soon; then give up the row of the server."""
        deadline = self._loop.time() + GRACE_S
        while not self._group.is_idle() and self._loop.time() < deadline:
            tasks = [task for task in (self._task,) if task is not None and not task.done()]
            if tasks:
                await asyncio.wait(tasks, timeout=deadline - self._loop.time())
            else:
                await asyncio.sleep(0)  # the next batch begins in the loop's next turn
        self._closing = True
        for task in (self._task, self._search):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task])
        if self._db is not None:
            db, self._db = self._db, None
            try:
                async with asyncio.timeout(GRACE_S):
                    await self.node.end(db)
                    await db.close()
            except Exception as error:  # its kind is looked at
                db.terminate()
                if not is_lost(error):
                    raise

    # ------------------------------------------------------------ a batch

    def _send(self, batch: list[Append]) -> None:
        self._task = self._loop.create_task(self._answers(batch))
        patience = self._loop.call_later(STALL_S, self._stall)
        self._task.add_done_callback(partial(self._answered, batch, patience))

    def _answered(
        self,
        batch: list[Append],
        patience: asyncio.TimerHandle,
        task: asyncio.Task[list[Exception | None]],
    ) -> None:
        patience.cancel()
        if task.cancelled():  # at the end; no room is told a guess
            return
        if self._is_stalled and self._db is not None:
            self._go_on()
        self._group.sent(batch, task.result())

    async def _answers(self, batch: list[Append]) -> list[Exception | None]:
        """Write a batch, whatever happens meanwhile, and return an answer for each append."""
        answers: list[Exception | None] = [None] * len(batch)
        left = list(range(len(batch)))  # of which nothing is known yet
        is_sent, db = False, None
        while left:
            try:
                db = await self._connection(is_sent)
                if is_sent:
                    stored = await self._stored(db, [batch[n] for n in left])
                    left = [n for n, known in zip(left, stored, strict=True) if not known]
                is_sent = True
                await self._commit_some(db, batch, left, answers)
                return answers
            except Exception as error:  # noqa: BLE001 - every append is owed an answer
                if not is_sent or not is_lost(error):
                    for n in left:
                        answers[n] = error
                    return answers
                self._lose(db)  # which alone could tell whether it is stored
        return answers

    async def _commit_some(
        self, db: Any, batch: list[Append], left: list[int], answers: list[Exception | None]
    ) -> None:
        """Write some appends of a batch together, or if one of them is bad each by itself."""
        try:
            await self._commit(db, [row for n in left for row in batch[n][0]])
        except Exception as error:  # its kind is looked at
            if not _is_of_a_row(error):
                raise
        else:
            left.clear()
            return
        while left:
            answers[left[0]] = await self._commit_alone(db, batch[left[0]][0])
            left.pop(0)

    async def _commit_alone(self, db: Any, rows: list[Row]) -> Exception | None:
        try:
            await self._commit(db, rows)
        except asyncpg.UniqueViolationError as error:
            (is_stored,) = await self._stored(db, [(rows, unheard)])
            return None if is_stored else Conflict(str(error))
        except Exception as error:  # its kind is looked at
            if not _is_of_a_row(error):
                raise
            _note(error)
            return error
        return None

    async def _commit(self, db: Any, rows: Sequence[Row]) -> None:
        """Write rows, all or none, with one statement that is a transaction by itself."""
        sql, values, events = statement(rows)
        async with asyncio.timeout(ANSWER_S):
            if any(type(row) is PulseRow for row in rows):
                await _try_events(db)
            inserted = await db.fetchval(sql, self.node.id, self.node.epoch, *values)
        if inserted is None or inserted != events:
            fenced = Fenced("another server has taken over this database; nothing was stored")
            self._end(fenced)
            raise fenced
        if events:
            self._newest = next(row for row in reversed(rows) if isinstance(row, EventRow))

    async def _stored(self, db: Any, appends: Sequence[Append]) -> list[bool]:
        """Return of each append whether its events stand in the log, as they were sent.

        An append is stored whole or not at all; one without events may be written twice.
        """
        keys = [(row.room, row.seq) for rows, _ in appends for row in rows if type(row) is EventRow]
        async with asyncio.timeout(ANSWER_S):
            found = await db.fetch(STORED, [room for room, _ in keys], [seq for _, seq in keys])
        stored = {EventRow(*values) for values in found}
        events = [[row for row in rows if type(row) is EventRow] for rows, _ in appends]
        return [bool(each) and all(row in stored for row in each) for each in events]

    # ------------------------------------------------------------ the connection

    async def _connection(self, is_sent: bool) -> Any:
        """Return a connection once there is one; appends that were not sent wait a moment only.

        Raises:
            DatabaseAway: there is none.
            Fenced: there will be none.
        """
        while self._db is None or isinstance(self._refusal, Fenced):
            if self._refusal is not None and (not is_sent or isinstance(self._refusal, Fenced)):
                raise self._refusal
            if self._change is None:
                self._change = self._loop.create_future()
            await self._change
        return self._db

    def _changed(self) -> None:
        change, self._change = self._change, None
        if change is not None and not change.done():
            change.set_result(None)

    def _use(self, db: Any) -> None:
        self._db = db
        db.add_termination_listener(self._lose)
        if db.is_closed():  # before anybody could be told
            self._lose(db)

    def _lose(self, db: Any) -> None:
        """Let go of a connection, and look for another one."""
        if db is None or db is not self._db or self._closing:
            return
        self._db = None
        log.warning("the connection to the database is lost; looking for it")
        db.terminate()
        self._search = self._loop.create_task(self._find())

    async def _find(self) -> None:
        """Connect again, however long it takes."""
        patience = self._loop.call_later(STALL_S, self._refuse)
        wait, longest = RETRY_S
        told = None
        try:
            while True:
                try:
                    db = await self._reconnected()
                    break
                except Fenced as fenced:
                    self._end(fenced)
                    return
                except Exception as error:  # noqa: BLE001 - whatever it is, it may pass
                    if str(error) != told:
                        log.warning("the database: %s; trying again", told := str(error))
                with suppress(TimeoutError):
                    async with asyncio.timeout(wait * random.uniform(0.75, 1.0)):
                        await self._hurry.wait()
                self._hurry.clear()
                wait = min(wait * 2, longest)
        finally:
            patience.cancel()
        log.warning("the database can be reached")
        self._use(db)
        self._go_on()

    async def _reconnected(self) -> Any:
        """Return a new connection, after which nothing of the old one can be stored.

        Raises:
            WentBack: it is not the same database any more.
            Fenced: see ServerNode.resume.
        """
        db = await self._connect()
        try:
            async with asyncio.timeout(ANSWER_S):
                await self._check_past(db)
                await self.node.resume(db)
        except WentBack:
            raise
        except BaseException:
            db.terminate()
            raise
        return db

    async def _check_past(self, db: Any) -> None:
        """See that a database has all that this server has stored.

        It is looked at before this server resumes: others may have thrown it out by what such a
        database says of its lease, and it has lost moments all the same.

        Raises:
            WentBack: it has not, or may not have.
        """
        timeline, newest = await timeline_of(db), self._newest
        if timeline == self.timeline:
            if newest is None or (await self._stored(db, [([newest], unheard)]))[0]:
                return
            why = "the database that is back lacks what was stored last"
        else:
            why = "another database has taken the place of the one that was written to"
        self._db = db  # by which this server's row is given up in the end
        raise WentBack(f"{why}: this server begins anew from what that has")

    # ------------------------------------------------------------ telling others

    def _stall(self, on: bool = True) -> None:
        if self._is_stalled != on:
            self._is_stalled = on
            for tell in self.news.stalled:
                tell(on)

    def _refuse(self) -> None:
        """Refuse what was not sent and what comes, until the database is back."""
        self._refusal = DatabaseAway("the database cannot be reached")
        self._stall()
        self._changed()
        self._group.refuse_waiting(self._refusal)

    def _go_on(self) -> None:
        if isinstance(self._refusal, Fenced):
            return
        self._refusal = None
        self._changed()
        if self._task is None or self._task.done():  # else its answer tells whether all is well
            self._stall(False)

    def _end(self, fenced: Fenced) -> None:
        """Refuse everything from now on: the row of this server is gone.

        No room hears that the log stalls: to be shown its rooms once more would be to see them go
        back, as the server that took over goes on with them.
        """
        if isinstance(self._refusal, Fenced):
            return
        log.error("%s", fenced)
        self._refusal = fenced
        self._is_stalled = True
        self._changed()
        self._group.refuse_waiting(fenced)
        for tell in self.news.ended:
            tell(fenced)


async def _try_events(db: Any) -> None:
    """See whether events can be written, and leave none: a row that is changed in its place says
    nothing about a disk that is full, or about a table that is locked.
    """
    trial = db.transaction()
    await trial.start()
    try:
        await db.execute(TRIAL)
    finally:
        await trial.rollback()


def _is_of_a_row(error: Exception) -> bool:
    """Whether an error is about what was to be written, and no other append is to suffer from it.

    What is no error of the database is a bug, or a value that Python cannot send.
    """
    if isinstance(error, asyncpg.PostgresError):
        return str(error.sqlstate).startswith(ROW_ERRORS)
    return not isinstance(error, Fenced | DatabaseAway) and not is_lost(error)


def _note(error: Exception) -> None:
    """Log an error that is no answer of the database's but a bug: its rows are not stored."""
    if not isinstance(error, asyncpg.PostgresError | ValueError | OverflowError):
        log.error("the store has a bug, and could not write a batch", exc_info=error)
