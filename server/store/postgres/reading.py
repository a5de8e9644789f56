"""Reading on a connection of its own, in a thread of its own: no append waits for a read.

The thread has an event loop, so that a server that starts can wait for what it reads, and one that
runs need not.  One read goes on at a time; a connection that is lost is made again.  Once players
are served none waits for long, neither for a database that says nothing nor behind many others.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import Any, Final, TypeAlias, TypeVar

from server.store.checksums import check_numbers, checked
from server.store.contract import (
    Counted,
    DamagedRow,
    DatabaseAway,
    EventRow,
    Outline,
    SessionKey,
    SessionRow,
    SettingsRow,
    StoredLogin,
    StoreError,
)
from server.store.postgres.address import explained, is_lost
from server.store.postgres.node import timeline_of
from server.store.postgres.statements import EVENT, TABLES

log = logging.getLogger("plyhouse")
READ_S: Final = 60.0  # for one read and those before it, at the start of a large house
SERVING_S: Final = 10.0  # for as much once players wait for it
MAX_WAITING: Final = 1_000  # reads; any more are refused
BLOCK_S: Final = 2.0  # for one that the loop of a running server waits for
MAX_REPORTED: Final = 100  # things that cannot be read that are told of
ADVICE: Final = "put back a backup of the database"
T = TypeVar("T")
Select: TypeAlias = Callable[[Any], Awaitable[T]]

SELECTS: Final = {
    table.name: f"SELECT {', '.join(table.columns)} FROM {table.name}" for table in (EVENT, *TABLES)
}
ROOM_EVENTS: Final = f"{SELECTS['event']} WHERE room = $1 AND seq > $2 ORDER BY seq LIMIT $3"
SOME_KINDS: Final = (
    f"{SELECTS['event']} WHERE room = $1 AND seq > $2 AND seq <= $3 AND kind = ANY($4) ORDER BY seq"
)
OF_A_ROOM: Final = f"{SELECTS['event']} WHERE room = $1"
FIRST_SEQ: Final = (  # of a match or a later one, by halving the room: see sqlite/reading.py
    "WITH RECURSIVE part(low, high, found, looked) AS ("
    " SELECT min(seq), max(seq) + 1, NULL::bigint, 0::bigint FROM event WHERE room = $1"
    " UNION ALL SELECT"
    "  CASE WHEN probe.match < $2 THEN probe.seq + 1 ELSE low END,"
    "  CASE WHEN probe.match < $2 THEN high ELSE (low + high) / 2 END,"
    "  CASE WHEN probe.match >= $2 THEN probe.seq ELSE found END,"
    "  looked + coalesce(probe.seq, high) - (low + high) / 2"
    " FROM part LEFT JOIN LATERAL (SELECT seq, match FROM event WHERE room = $1"
    "  AND seq >= (low + high) / 2 AND seq < high AND match IS NOT NULL ORDER BY seq LIMIT 1"
    " ) AS probe ON true WHERE low < high)"
    " SELECT min(found), coalesce(max(looked), 0) FROM part"
)
MANY_ROOMS: Final = (
    "SELECT e.* FROM unnest($1::bigint[], $2::bigint[]) AS k (number, since) CROSS JOIN LATERAL"
    f" ({SELECTS['event']} WHERE room = k.number AND seq > k.since ORDER BY seq) AS e"
)


class ReadLoop:
    """Reads for others.  `connect` makes a connection; `loop` is where answers are wanted."""

    def __init__(
        self,
        connect: Callable[[], Coroutine[Any, Any, Any]],
        url: str,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._connect = connect
        self._url = url
        self._answers = loop
        self._db: Any = None
        self._turn = asyncio.Lock()
        self._reported: set[str] = set()
        self._is_serving = False  # from when on nothing may wait for long
        self._waiting = 0  # reads that were asked for by `read` and not answered yet
        self._is_full = False  # which was said
        self._loop = asyncio.new_event_loop()
        self._has_ended = False
        self._thread = threading.Thread(target=self._serve, name="reader", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------ in the event loop of the server

    def read(self, select: Select[T], what: str, done: Callable[[T | None], None]) -> None:
        """Hand to `done` what `select` finds, or None if it cannot; `what` is for the report."""
        if self._has_ended:
            self._answers.call_soon(done, None)
            return
        if self._waiting >= MAX_WAITING:
            if not self._is_full:
                log.error("%d reads wait for the database; no more can, for now", self._waiting)
            self._is_full = True
            self._answers.call_soon(done, None)
            return
        self._waiting += 1

        def answer(found: T | None) -> None:
            self._waiting -= 1
            self._is_full = self._is_full and self._waiting > 0
            done(found)

        async def job() -> T | None:
            try:
                return await self._run(select)
            except StoreError as error:
                self._report(what, error)
            except Exception:  # it would be raised where no code hears of it
                log.exception("the store has a bug in reading %s", what)
            return None

        def ended(work: Future[T | None]) -> None:  # also of what was never begun
            found = None if work.cancelled() or work.exception() else work.result()
            if not self._answers.is_closed():
                self._answers.call_soon_threadsafe(answer, found)

        asyncio.run_coroutine_threadsafe(job(), self._loop).add_done_callback(ended)

    def block(self, select: Select[T]) -> T:
        """Return what `select` finds; everything else stands still meanwhile.

        Raises:
            DamagedRow: a row is not what was stored.
            DatabaseAway: the database does not answer.
            StoreError: it cannot be read.
        """
        work = asyncio.run_coroutine_threadsafe(self._run(select), self._loop)
        try:
            return work.result(BLOCK_S if self._is_serving else READ_S)
        except TimeoutError:
            work.cancel()
            raise DatabaseAway("the database does not answer") from None

    def is_alive(self) -> bool:
        return self._thread.is_alive()

    def begin_to_serve(self) -> None:
        """Let nothing wait for long from now on."""
        self._is_serving = True

    def close(self) -> None:
        """End; what waits is dropped, and its asker gets None if the event loop goes on."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(READ_S)
        self._loop.close()

    # ------------------------------------------------------------ in the thread

    def _serve(self) -> None:
        """Read until the end; whatever that is, each caller is answered."""
        try:
            self._loop.run_forever()
        finally:
            self._has_ended = True
            self._loop.run_until_complete(self._end())

    async def _run(self, select: Select[T]) -> T:
        try:
            async with asyncio.timeout(SERVING_S if self._is_serving else READ_S), self._turn:
                return await self._ask(select)
        except Exception as error:  # noqa: BLE001 - it is raised again
            raise explained(error, self._url) from None

    async def _ask(self, select: Select[T]) -> T:
        try:
            return await self._try(select)
        except asyncio.CancelledError:  # it took too long: the connection may be silent
            self._let_go()
            raise
        except Exception as error:  # its kind is looked at
            if is_lost(error):
                self._let_go()
            raise

    async def _try(self, select: Select[T]) -> T:
        if self._db is not None and not self._db.is_closed():
            try:
                return await select(self._db)
            except Exception as error:  # its kind is looked at
                if not is_lost(error):
                    raise
                self._let_go()  # it was cut some time ago, perhaps: once more
        self._db = await self._connect()
        return await select(self._db)

    def _let_go(self) -> None:
        if self._db is not None:
            self._db.terminate()
            self._db = None

    def _report(self, what: str, error: Exception) -> None:
        """Say once of a room, or of something else, that it cannot be read."""
        if what not in self._reported and len(self._reported) < MAX_REPORTED:
            self._reported.add(what)
            log.error("%s cannot be read: %s", what, error)

    async def _end(self) -> None:
        others = asyncio.all_tasks(self._loop) - {asyncio.current_task(self._loop)}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        if self._db is not None:
            self._db.terminate()


# ---------------------------------------------------------------- what can be read


def rows_of(records: Iterable[Any], table: str) -> Iterator[tuple[Any, ...]]:
    """Yield rows of a table without their checksums; DamagedRow if one does not fit."""
    return checked(map(tuple, records), table, ADVICE)


async def select_events(
    db: Any, room: int, since: int, limit: int = -1, kinds: Sequence[str] = ()
) -> list[EventRow]:
    """Return what `read_events` is to find.

    Raises:
        DamagedRow: one is not what was stored, or (of any kind) is missing.
    """
    values: list[Any] = [room, since, None if limit < 0 else limit]
    query = ROOM_EVENTS
    if kinds:
        until = since + limit if limit >= 0 else sys.maxsize
        query, values = SOME_KINDS, [room, since, until, list(kinds)]
    events = [EventRow(*row) for row in rows_of(await db.fetch(query, *values), "event")]
    if not kinds:
        check_numbers(events, room, since, 0, ADVICE)
    return events


async def select_size(db: Any) -> int:
    """Return how many bytes the database takes."""
    return int(await db.fetchval("SELECT pg_database_size(current_database())"))


async def select_outline(
    db: Any, room: int, match: int, kinds: Sequence[str], reach: int
) -> Outline:
    """Return what `read_outline` is to find.

    Raises:
        DamagedRow: a row of these is not what was stored.
    """
    own: dict[int, Any] = {}  # by seq
    for order in ("", " DESC"):
        for record in await db.fetch(f"{OF_A_ROOM} ORDER BY seq{order} LIMIT 1", room):
            own[record["seq"]] = record
    begins, looked = await db.fetchrow(FIRST_SEQ, room, match) if kinds else (None, 0)
    if begins is not None:
        following, more = await db.fetchrow(FIRST_SEQ, room, match + 1)
        ends = max(own) + 1 if following is None else following
        looked += more + min(ends + reach, max(own) + 1) - max(begins - reach, 1)
        where = "seq >= $2 AND seq < $3 AND kind = ANY($4)"
        values = (room, begins - reach, ends + reach, list(kinds))
        own |= {row["seq"]: row for row in await db.fetch(f"{OF_A_ROOM} AND {where}", *values)}
    rows = rows_of([own[n] for n in sorted(own)], "event")
    return Outline([EventRow(*row) for row in rows], looked)


async def select_many(db: Any, rooms: Sequence[tuple[int, int]]) -> dict[int, list[EventRow]]:
    """Return the events of rooms, each after a seq; a room with a damaged row is left out."""
    found = await db.fetch(MANY_ROOMS, [n for n, _ in rooms], [since for _, since in rooms])
    records: dict[int, list[Any]] = {number: [] for number, _ in rooms}
    for record in found:
        records[record[0]].append(record)
    events: dict[int, list[EventRow]] = {}
    for number, each in records.items():
        try:
            events[number] = sorted(EventRow(*row) for row in rows_of(each, "event"))
        except DamagedRow:  # a read of this room alone says so
            continue
    return events


async def select_session(db: Any, key: SessionKey) -> list[StoredLogin]:
    """Return a login, if there is one; DamagedRow if it is not what was stored."""
    column, value = key.by, key.value
    where = f"{'folded' if column == 'name' else column} = $1"
    if isinstance(value, str):
        value = value.casefold()
    records = await db.fetch(f"{SELECTS['session']} WHERE {where}", value)
    logins: list[StoredLogin] = []
    for row in rows_of(records, "session"):
        found = await db.fetch(f"{SELECTS['device']} WHERE session = $1", row[0])
        devices = [body for _, body in rows_of(found, "device")]
        logins.append(StoredLogin(SessionRow(*row), *devices))
    return logins


async def select_settings(db: Any, session: int) -> list[SettingsRow]:
    """Return what is kept with a login, if anything is."""
    records = await db.fetch(f"{SELECTS['setting']} WHERE session = $1", session)
    return [SettingsRow(*row) for row in rows_of(records, "setting")]


async def take_numbers(db: Any, what: Counted, count: int, timeline: str) -> int:
    """Reserve numbers that nothing has had, and return the first.

    Raises:
        DatabaseAway: this is not the database any more that was written to, or not yet known to be.
    """
    if await timeline_of(db) != timeline:
        raise DatabaseAway("another database has taken the place of the one that was written to")
    first = await db.fetchval(
        "UPDATE counter SET next = $2 + greatest("
        f" next, (SELECT coalesce(max(number), 0) + 1 FROM {what}))"
        " WHERE name = $1 RETURNING next - $2", what, count,
    )  # fmt: skip
    return int(first)


async def skip_numbers(db: Any, what: Counted, last: int) -> bool:
    """Give out no number up to `last` any more."""
    await db.execute("UPDATE counter SET next = greatest(next, $2 + 1) WHERE name = $1", what, last)
    return True
