"""A PostgreSQL that several servers are joined to, as asyncpg sees it.

A Backend is its process for one connection: it does one statement after the other, each at one
moment, and answers later.  What it has done stands, whether the answer arrives or not.  When it
ends, what it was in the middle of is undone, and its locks are free.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable
from typing import Any

import asyncpg

from tests.simulation.cluster.tables import MustWait, Statements, Tables
from tests.simulation.cluster.wires import End, Machine, Wires
from tests.simulation.loop import Call, Host
from tests.simulation.story import Wrong

IDLE_S = 1.0  # in a transaction that is bounded: see member_table.BOUNDED
KEPT_ALIVE_S = 25.0  # until the database lets go of who went without a word: see address.SETTINGS
CONNECT_S = 10.0
BEGIN, COMMIT, ROLLBACK, CANCEL = "BEGIN", "COMMIT", "ROLLBACK", "CANCEL"


class Database:
    """The machine that it runs on, its processes, and what they keep."""

    def __init__(self, seed: str, wires: Wires) -> None:
        self.wires, self.loop = wires, wires.loop
        self.rng = random.Random(f"{seed} database")
        self.machine = Machine("db")
        self.host = self.machine.host = Host("db")
        self.tables = Tables(wires.loop)
        self.statements = Statements(self.tables)
        self.backends: dict[int, Backend] = {}
        self.made = 0
        self.delay_s = 0.0  # of each statement that changes something, beside the usual
        self.is_up = True
        self.acknowledges_early = False

    async def connect(self, machine: Machine) -> SimulatedDb:
        """Return a connection from a machine, as server/store/postgres/address.py makes one."""
        own = self.loop.host
        try:
            async with asyncio.timeout(CONNECT_S):
                await self.wires.reach(machine, self.machine)
                if not self.is_up:
                    raise ConnectionRefusedError("the database is not up")
                end = self.wires.join(machine, own, self.machine, self.host)
                backend = Backend(self, end.other)
                db = SimulatedDb(self, end)
                await asyncio.sleep(0.002)
                if backend.is_over:
                    raise ConnectionResetError("the database has ended")
                return db
        except TimeoutError:
            raise OSError("the database does not answer") from None

    def reaches(self, machine: Machine) -> bool:
        """Whether a read would be answered."""
        return self.is_up and not self.wires.is_shut(machine.name, "db")

    def terminate(self, pid: int, began: float) -> None:
        """End a process, whose connection is lost."""
        backend = self.backends.get(pid)
        if backend is not None and backend.began == began:
            backend.end(True)

    def fall(self) -> None:
        """End all processes as by kill -9, and let no connection be made."""
        self.is_up = False
        for backend in list(self.backends.values()):
            backend.end(True)

    def rise(self) -> None:
        """Be there again."""
        self.is_up = True
        self.tables.started = self.loop.now

    def wake(self) -> None:
        """Have those look again who wait for a lock."""
        for backend in list(self.backends.values()):
            if backend.waits:
                self.loop.soon(self.host, backend.go_on)


class Backend:
    """One process of the database's, for one connection."""

    def __init__(self, database: Database, end: End) -> None:
        database.made += 1
        self.database, self.end_ = database, end
        self.pid, self.began = database.made, database.loop.now
        self.is_over = False
        self.queue: deque[tuple[int, Any, tuple[Any, ...]]] = deque()
        self.is_busy = False
        self.waits = False  # for a lock
        self.limit: Call | None = None  # of that wait
        self.lock_s: float | None = None
        self.in_transaction = self.is_bounded = self.has_failed = False
        self.at_commit: list[Callable[[], None]] = []
        self.locks: set[Any] = set()
        self.idle: Call | None = None
        database.backends[self.pid] = self
        end.receive, end.lost = self.take, lambda: self.end(False)

    def lock(self, what: Any) -> None:
        """Lock something until the transaction ends; MustWait."""
        locked = self.database.tables.locked
        if locked.setdefault(what, self) is not self:
            raise MustWait
        self.locks.add(what)

    def take(self, number: int, sql: Any, args: tuple[Any, ...]) -> None:
        """Take a statement."""
        if sql is CANCEL:
            self._cancel(number)
            return
        self.queue.append((number, sql, args))
        if self.idle is not None:
            self.idle.cancel()
        if not self.is_busy:
            self._begin()

    def _cancel(self, number: int) -> None:
        if self.waits and self.queue and self.queue[0][0] == number:
            self._answer(asyncpg.QueryCanceledError("canceling statement due to user request"))

    def _begin(self) -> None:
        self.is_busy = True
        database = self.database
        late = 0.0002 + 0.002 * database.rng.random() ** 2
        if not isinstance(self.queue[0][1], str):
            late += database.delay_s + (0.05 if database.rng.random() > 0.995 else 0.0)
        database.loop.at(database.host, database.loop.now + late, self.go_on)

    def go_on(self) -> None:
        """Do the statement whose turn it is, if that can be now."""
        if self.is_over or not self.queue:
            return
        _, sql, args = self.queue[0]
        try:
            answer = self._do(sql, args)
        except MustWait:
            if not self.waits:
                self.waits = True
                if self.lock_s is not None:
                    at = self.database.loop.now + self.lock_s
                    self.limit = self.database.loop.at(self.database.host, at, self._too_long)
            return
        except Wrong:
            raise
        except asyncpg.PostgresError as error:
            self._answer(error)
            return
        self._answer(answer)

    def _too_long(self) -> None:
        if self.waits:
            self._answer(asyncpg.LockNotAvailableError("canceling statement due to lock timeout"))

    def _do(self, sql: Any, args: tuple[Any, ...]) -> list[Any]:
        if sql is BEGIN:
            self.in_transaction = True
        elif sql is COMMIT and not self.has_failed:
            for change in self.at_commit:
                change()
            self._leave_transaction()
        elif sql is COMMIT or sql is ROLLBACK:
            self._leave_transaction()
        elif self.has_failed:
            raise asyncpg.InFailedSQLTransactionError("current transaction is aborted")
        else:
            answer = self.database.statements.do(self, sql, args)
            if not self.in_transaction:
                for change in self.at_commit:
                    change()
                self._leave_transaction()
            return answer
        return []

    def _leave_transaction(self) -> None:
        self.at_commit = []
        self.lock_s = None
        self.in_transaction = self.is_bounded = self.has_failed = False
        tables = self.database.tables
        for what in self.locks:
            del tables.locked[what]
        self.locks = set()
        for sharing in tables.shared.values():
            sharing.discard(self)
        self.database.wake()

    def _answer(self, answer: Any) -> None:
        self.waits = self.is_busy = False
        if self.limit is not None:
            self.limit.cancel()
            self.limit = None
        if isinstance(answer, Exception) and self.in_transaction:
            self.has_failed = True
        number, _, _ = self.queue.popleft()
        self.database.wires.send(self.end_, number, answer)
        if self.queue:
            self._begin()
        elif self.is_bounded:
            at = self.database.loop.now + IDLE_S
            self.idle = self.database.loop.at(self.database.host, at, self._idled)

    def _idled(self) -> None:
        if self.is_bounded and not self.is_busy:
            self.end(True)

    def end(self, tells: bool) -> None:
        """End, with the transaction that is on; `tells`: the other end hears of it."""
        if self.is_over:
            return
        self.is_over = True
        database = self.database
        del database.backends[self.pid]
        self.waits = False
        for number, holder in list(database.tables.present.items()):
            if holder is self:
                del database.tables.present[number]
        self._leave_transaction()
        if tells:
            database.wires.close(self.end_)
        else:
            self.end_.is_open = False


class SimulatedDb:
    """A connection, as asyncpg has it for who asks."""

    def __init__(self, database: Database, end: End) -> None:
        self._database, self._end = database, end
        self._answers: dict[int, asyncio.Future[Any]] = {}
        self._asked = 0
        self._listeners: list[Callable[[Any], None]] = []
        end.receive, end.lost = self._take, self._lost

    def add_termination_listener(self, hear: Callable[[Any], None]) -> None:
        """As asyncpg says."""
        self._listeners.append(hear)

    def is_closed(self) -> bool:
        """As asyncpg says."""
        return not self._end.is_open

    def terminate(self) -> None:
        """As asyncpg says."""
        if self._end.is_open:
            self._database.wires.close(self._end)
            self._lost()

    async def close(self) -> None:
        """As asyncpg says."""
        self.terminate()

    def _lost(self) -> None:
        for future in self._answers.values():
            if not future.done():
                future.set_exception(asyncpg.ConnectionDoesNotExistError("connection was closed"))
                future.exception()  # no one may wait for it
        self._answers.clear()
        listeners, self._listeners = self._listeners, []
        for hear in listeners:
            self._database.loop.call_soon(hear, self)

    def _take(self, number: int, answer: Any) -> None:
        future = self._answers.pop(number, None)
        if future is None or future.done():
            return
        if isinstance(answer, Exception):
            future.set_exception(answer)
        else:
            future.set_result(answer)

    async def _ask(self, sql: Any, *args: Any) -> list[Any]:
        if not self._end.is_open:
            raise asyncpg.InterfaceError("connection is closed")
        self._asked += 1
        number = self._asked
        future = self._answers[number] = self._database.loop.create_future()
        self._database.wires.send(self._end, number, sql, args)
        try:
            return await future
        except asyncio.CancelledError:
            self._database.wires.send(self._end, number, CANCEL, ())
            raise

    async def execute(self, sql: str, *args: Any) -> None:
        """As asyncpg says."""
        await self._ask(sql, *args)

    async def fetch(self, sql: str, *args: Any) -> list[Any]:
        """As asyncpg says."""
        return await self._ask(sql, *args)

    async def fetchrow(self, sql: str, *args: Any) -> Any:
        """As asyncpg says."""
        rows = await self._ask(sql, *args)
        return rows[0] if rows else None

    async def fetchval(self, sql: Any, *args: Any) -> Any:
        """As asyncpg says."""
        row = await self.fetchrow(sql, *args)
        return row[0] if row is not None else None

    def transaction(self) -> SimulatedTransaction:
        """As asyncpg says."""
        return SimulatedTransaction(self)


class SimulatedTransaction:
    """A transaction, as asyncpg has it."""

    def __init__(self, db: SimulatedDb) -> None:
        self._db = db

    async def start(self) -> None:
        """As asyncpg says."""
        await self._db._ask(BEGIN)

    async def rollback(self) -> None:
        """As asyncpg says."""
        await self._db._ask(ROLLBACK)

    async def __aenter__(self) -> None:
        await self.start()

    async def __aexit__(self, kind: Any, error: Any, trace: Any) -> None:
        await self._db._ask(COMMIT if error is None else ROLLBACK)
