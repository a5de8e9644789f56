"""The log in PostgreSQL: every commit is durable there before it is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from server.store.contract import (
    AnalysisRead,
    Counted,
    DatabaseAway,
    DevicesRow,
    Done,
    EventRow,
    KeptAnalysis,
    NumberRead,
    OutlineRead,
    PastQuery,
    PastRead,
    RatedQuery,
    Read,
    RoomRow,
    Row,
    SessionKey,
    SessionRead,
    SessionRow,
    SettingsRead,
    Space,
    StoreError,
    TallyQuery,
    TallyRead,
)
from server.store.postgres import past, reading
from server.store.postgres.node import LoneNode, ServerNode
from server.store.postgres.opening import OpenedHouse, connect_to_house, open_house
from server.store.postgres.reading import SELECTS, ReadLoop, rows_of
from server.store.postgres.writing import Writer

NEWEST = (  # of each open room the last event, and the last of the newest rooms
    "SELECT e.* FROM (SELECT number FROM room WHERE open = 1"
    " UNION (SELECT number FROM room ORDER BY number DESC LIMIT 100)) AS r CROSS JOIN LATERAL"
    f" ({SELECTS['event']} WHERE room = r.number ORDER BY seq DESC LIMIT 1) AS e"
)
LAST_ROOM = (
    "SELECT greatest((SELECT max(number) FROM room),"
    " (SELECT next - 1 FROM counter WHERE name = 'room'))"
)
AT_HAND = 1_000  # rooms whose events are kept: several times what is fetched at once
KEPT = "SELECT room, match, at, length(body) FROM analysis ORDER BY at, room, match"


async def open_postgres(
    url: str, clock_was_wrong: int | None = None, node: ServerNode | None = None
) -> PostgresStore:
    """Open the log in the database at `url`, whose tables are made if it has none.

    `clock_was_wrong`: see opening.py; `node`: how this server holds its row; alone if None.

    Raises:
        StoreError: if it cannot be opened, with a sentence that says why.
    """
    node = node or LoneNode()
    return PostgresStore(url, await open_house(url, node, clock_was_wrong), node)


class PostgresStore:
    """A Store in a database of PostgreSQL; it belongs to the event loop that it was opened in."""

    remote = True

    def __init__(self, url: str, opened: OpenedHouse, node: ServerNode) -> None:
        """Take a database that is open; see `open_postgres`."""
        self.server, self.epoch = opened.server, node.epoch
        self.times_from, self.last_at = opened.times_from, opened.last_at
        loop = asyncio.get_running_loop()
        connect = partial(connect_to_house, url)
        self._writer = Writer(opened.db, node, connect, loop, opened.timeline)
        self.news = self._writer.news
        self._reader = ReadLoop(connect, url, loop)
        self._size: int | None = None  # bytes, as it was read last
        self._fetched: dict[int, tuple[int, list[EventRow]]] = {}  # by room: after which seq

    # ------------------------------------------------------------ in the event loop

    def append(self, rows: list[Row], done: Done) -> None:
        self._writer.append(rows, done)

    def look_again(self) -> None:
        """Connect anew: another server has found that this is not the database any more."""
        self._writer.look_again()

    def watch_commits(self, told: Callable[[int, int], None]) -> None:
        self._writer.watch(told)

    def waited_s(self) -> float:
        return self._writer.waited_s()

    def halted(self) -> str | None:
        """Say so if the thread has ended that reads; what writes is a part of the event loop."""
        return None if self._reader.is_alive() else "nobody reads the log any more"

    def space(self) -> Space:
        """Ask how large the database is, for the next time; its disk is seen to where it is."""
        self._reader.read(reading.select_size, "the size of the database", self._take_size)
        return Space(None, self._size)

    def _take_size(self, size: int | None) -> None:
        self._size = size if size is not None else self._size

    def check(self, damaged: Callable[[StoreError], None]) -> None:
        """Let no read wait for long from now on, as players come.

        Nothing is looked at: PostgreSQL sees to its own pages, and we to each row that is read.
        """
        self._reader.begin_to_serve()

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        self._reader.read(
            lambda db: reading.select_events(db, room, since, limit, kinds), f"room {room}", done
        )

    def read_outline(
        self, room: int, match: int, kinds: Sequence[str], reach: int, done: OutlineRead
    ) -> None:
        self._reader.read(
            lambda db: reading.select_outline(db, room, match, kinds, reach), f"room {room}", done
        )

    def read_last(self, room: int, session: int, done: PastRead) -> None:
        self._reader.read(
            lambda db: past.select_last_match(db, room, session), "the index of matches", done
        )

    def read_past(self, query: PastQuery | RatedQuery, done: PastRead) -> None:
        self._reader.read(lambda db: past.select_past(db, query), "the index of matches", done)

    def read_match(self, room: int, match: int, done: PastRead) -> None:
        self._reader.read(
            lambda db: past.select_match(db, room, match), f"match {room}.{match}", done
        )

    def read_owner(self, name: str, done: PastRead) -> None:
        self._reader.read(lambda db: past.select_owner(db, name), "the index of matches", done)

    def read_tallies(self, query: TallyQuery, done: TallyRead) -> None:
        self._reader.read(lambda db: past.select_tallies(db, query), "the index of matches", done)

    def read_analysis(self, room: int, match: int, done: AnalysisRead) -> None:
        self._reader.read(
            lambda db: past.select_analysis(db, room, match),
            f"the analysis of {room}.{match}", done,
        )  # fmt: skip

    def read_session(self, key: SessionKey, done: SessionRead) -> None:
        self._reader.read(lambda db: reading.select_session(db, key), "the logins", done)

    def read_settings(self, session: int, done: SettingsRead) -> None:
        self._reader.read(
            lambda db: reading.select_settings(db, session), f"settings of {session}", done
        )

    def take_numbers(self, what: Counted, count: int, done: NumberRead) -> None:
        timeline = self._writer.timeline
        self._reader.read(
            lambda db: reading.take_numbers(db, what, count, timeline),
            f"the numbers of {what}s", done,
        )  # fmt: skip

    def skip_numbers(self, what: Counted, last: int, done: Done) -> None:
        def skipped(answer: bool | None) -> None:
            done(None if answer else DatabaseAway("the database cannot be reached"))

        self._reader.read(
            lambda db: reading.skip_numbers(db, what, last), f"the numbers of {what}s", skipped
        )

    def fetch(self, rooms: Sequence[tuple[int, int]], done: Callable[[bool], None]) -> None:
        """Read the events of all these rooms at once."""
        self._reader.begin_to_serve()

        def take(events: dict[int, list[EventRow]] | None) -> None:
            for room, since in rooms:
                self._fetched.pop(room, None)
                if events is not None and room in events:
                    self._fetched[room] = since, events[room]
            # Those of a room that was loaded before they came are not asked for any more.
            for room in list(self._fetched)[:-AT_HAND]:
                del self._fetched[room]
            done(events is not None)

        self._reader.read(lambda db: reading.select_many(db, rooms), "the log", take)

    async def aclose(self) -> None:
        """Write what waits, give up this server's row, and close the connections."""
        await self._writer.aclose()
        self._reader.close()

    # ------------------------------------------------------------ where everything else waits

    def sessions(self) -> list[SessionRow]:
        rows = self._select(f"{SELECTS['session']} ORDER BY number", "session")
        return [SessionRow(*row) for row in rows]

    def devices(self) -> list[DevicesRow]:
        return [DevicesRow(*row) for row in self._select(SELECTS["device"], "device")]

    def open_rooms(self) -> list[int]:
        return [row.number for row in self.open_room_rows()]

    def open_room_rows(self) -> list[RoomRow]:
        rows = self._select(f"{SELECTS['room']} WHERE open = 1 ORDER BY number", "room")
        return [RoomRow(*row) for row in rows]

    def last_room(self) -> int:
        return int(self._value(LAST_ROOM))

    def newest_events(self) -> list[EventRow]:
        return [EventRow(*row) for row in self._select(NEWEST, "event")]

    def progress(self, name: str) -> int:
        rows = self._select(SELECTS["progress"], "progress")
        return next((room for other, room in rows if other == name), 0)

    def kept_analyses(self) -> list[KeptAnalysis]:
        async def select(db: Any) -> list[KeptAnalysis]:
            return [KeptAnalysis(*row) for row in await db.fetch(KEPT)]

        return self._reader.block(select)

    def events_before(self, room: int, since: int = 0) -> list[EventRow]:
        fetched = self._fetched.pop(room, None)
        if fetched is not None and fetched[0] == since:
            return fetched[1]
        return self._reader.block(lambda db: reading.select_events(db, room, since))

    def all_events(self, room: int) -> list[EventRow]:
        return self._reader.block(lambda db: reading.select_events(db, room, 0))

    def _select(self, query: str, table: str) -> list[tuple[Any, ...]]:
        async def select(db: Any) -> list[tuple[Any, ...]]:
            return list(rows_of(await db.fetch(query), table))

        return self._reader.block(select)

    def _value(self, query: str) -> Any:
        async def select(db: Any) -> Any:
            return await db.fetchval(query)

        return self._reader.block(select)
