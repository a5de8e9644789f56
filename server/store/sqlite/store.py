"""The log in SQLite: every commit is synced before it is answered."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from server.store.checksums import past_sum, row_sum
from server.store.contract import (
    AnalysisRead,
    AnalysisRow,
    Conflict,
    Counted,
    DamagedRow,
    DevicesRow,
    Done,
    DroppedAnalysisRow,
    EventRow,
    Fenced,
    ForgottenRow,
    KeptAnalysis,
    NumberRead,
    OutlineRead,
    PastQuery,
    PastRead,
    PastRow,
    ProgressRow,
    PulseRow,
    RatedQuery,
    Read,
    RoomRow,
    Row,
    SessionKey,
    SessionRead,
    SessionRow,
    SettingsRead,
    SettingsRow,
    Space,
    StoreError,
    StoreNews,
    TallyQuery,
    TallyRead,
)
from server.store.sqlite import checking, lock, opening
from server.store.sqlite.checking import HouseRow
from server.store.sqlite.mark import HighWaterMark
from server.store.sqlite.newest import CHUNKS, NewestEvents
from server.store.sqlite.past import (
    select_analysis,
    select_last_match,
    select_match,
    select_owner,
    select_past,
    select_tallies,
)
from server.store.sqlite.reading import (
    PagesCheck,
    ReadThread,
    select_events,
    select_last,
    select_old_events,
    select_outline,
    select_session,
    select_settings,
)
from server.store.sqlite.writing import PAUSES, BatchWriter

log = logging.getLogger("plyhouse")
ENGINE = f"SQLite {sqlite3.sqlite_version}"
LONG_WAL = 4_000  # pages: 4 MB, as SQLite itself allows
A_PAGE = 8  # events that fill one; a commit begins another, and changes one beside
COLUMNS = ", ".join(f"e.{name}" for name in (*EventRow._fields, "sum"))
AT_REST = 2  # the second of the writer's pauses

# What a row can be refused with: by SQLite, or for a number or a text that it cannot hold.
FAILURES = (sqlite3.Error, OverflowError, ValueError, Conflict)


def _upsert(table: str, row: type[NamedTuple]) -> str:
    fields: tuple[str, ...] = row._fields
    values = ", ".join("?" * (len(fields) + 1))
    return f"INSERT OR REPLACE INTO {table} ({', '.join(fields)}, sum) VALUES ({values})"


UPSERTS: dict[type[Row], str] = {
    SessionRow: _upsert("session", SessionRow),
    DevicesRow: _upsert("device", DevicesRow),
    SettingsRow: _upsert("setting", SettingsRow),
    RoomRow: _upsert("room", RoomRow),
    PastRow: _upsert("past", PastRow),
    ProgressRow: _upsert("progress", ProgressRow),
    AnalysisRow: _upsert("analysis", AnalysisRow),
}
DELETIONS: dict[type[Row], tuple[str, ...]] = {
    ForgottenRow: (
        "DELETE FROM session WHERE number = ?", "DELETE FROM device WHERE session = ?",
        "DELETE FROM setting WHERE session = ?",
    ),
    DroppedAnalysisRow: ("DELETE FROM analysis WHERE room = ? AND match = ?",),
}  # fmt: skip


class SqliteStore:
    """A Store in one file.

    Made by `open_store`; `append` and `read_events` belong to one event loop.
    """

    remote = False

    def __init__(
        self,
        path: Path,
        loop: asyncio.AbstractEventLoop | None = None,
        clock_was_wrong: int | None = None,
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        """Open or make the database in `path` and take its lock.

        `clock_was_wrong`: see opening.py; `pauses`: after how many seconds without an append the
        mark is written, and after how many more the -wal is emptied.

        Raises:
            StoreError: if it is in use, unreadable, damaged, not ours, or from a newer version.
        """
        self._path = path
        self._file = lock.take(path.with_suffix(".lock"), path.with_suffix(opening.MARK))
        try:
            opened = opening.open_database(path, clock_was_wrong)
        except BaseException:
            self._file.close()
            raise
        self._opened = opened
        self._db, self._house, self._mark = opened.db, opened.house, opened.mark
        self.server, self.epoch = self._house.id, self._house.epoch
        self.times_from = self._house.times_from
        self.news = StoreNews()  # it never stalls: a disk answers, well or badly
        self._taken: dict[Counted, int] = {"room": 0, "session": 0}  # the last of the numbers
        self._newest = self._mark.mark  # what the mark is to say; each write of it costs the loop
        self._pages = 0  # in the -wal, about
        self._events = NewestEvents(self._db, self.epoch)
        try:
            self._sessions: list[SessionRow] | None = self._read_sessions()  # until asked for
            # Time does not run backwards over a restart.
            self.last_at = max((row.seen for row in self._sessions), default=0)
            self._starter = opening.connect(path, "ro")  # no commit keeps who reads with it waiting
            self._reader = ReadThread(path, FAILURES, loop)
            self._pages_check = PagesCheck(path)
        except BaseException:
            self._let_go()
            raise
        self._writer = BatchWriter(
            self._commit, self._has, self._tidy, FAILURES, self._end, loop, pauses
        )

    # ------------------------------------------------------------ in the event loop

    def append(self, rows: list[Row], done: Done) -> None:
        self._writer.append(rows, done)

    def watch_commits(self, told: Callable[[int, int], None]) -> None:
        self._writer.watch(told)

    def waited_s(self) -> float:
        return self._writer.waited_s()

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        self._reader.read_events(room, since, limit, done, kinds)

    def read_outline(
        self, room: int, match: int, kinds: Sequence[str], reach: int, done: OutlineRead
    ) -> None:
        self._reader.read(
            lambda db: select_outline(db, room, match, kinds, reach), f"room {room}", done
        )

    def read_last(self, room: int, session: int, done: PastRead) -> None:
        self._reader.read(
            lambda db: select_last_match(db, room, session), "the index of matches", done
        )

    def read_past(self, query: PastQuery | RatedQuery, done: PastRead) -> None:
        self._reader.read(lambda db: select_past(db, query), "the index of matches", done)

    def read_match(self, room: int, match: int, done: PastRead) -> None:
        self._reader.read(lambda db: select_match(db, room, match), f"match {room}.{match}", done)

    def read_owner(self, name: str, done: PastRead) -> None:
        self._reader.read(lambda db: select_owner(db, name), "the index of matches", done)

    def read_tallies(self, query: TallyQuery, done: TallyRead) -> None:
        self._reader.read(lambda db: select_tallies(db, query), "the index of matches", done)

    def read_analysis(self, room: int, match: int, done: AnalysisRead) -> None:
        self._reader.read(
            lambda db: select_analysis(db, room, match), f"the analysis of {room}.{match}", done
        )

    def read_settings(self, session: int, done: SettingsRead) -> None:
        self._reader.read(lambda db: select_settings(db, session), f"settings of {session}", done)

    def halted(self) -> str | None:
        """Return which of the two threads has ended."""
        if not self._reader.is_alive():
            return "nobody reads the log any more"
        return None if self._writer.is_alive() else "nobody writes the log any more"

    def space(self) -> Space:
        """Ask the file system."""
        files = [self._path, self._path.with_suffix(opening.WAL)]
        try:
            used = sum(file.stat().st_size for file in files if file.exists())
            return Space(shutil.disk_usage(self._path.parent).free, used)
        except OSError:
            return Space(None, None)

    def check(self, damaged: Callable[[StoreError], None]) -> None:
        """Look at every page, unless that was done before the database was opened."""
        if not self._opened.checked:
            self._pages_check.start(self._checked, damaged)

    def _checked(self) -> None:
        self._opened = self._opened._replace(checked=True)

    def read_session(self, key: SessionKey, done: SessionRead) -> None:
        self._reader.read(lambda db: select_session(db, key), "the logins", done)

    def take_numbers(self, what: Counted, count: int, done: NumberRead) -> None:
        """Take those that follow the last one that is stored or taken."""

        def take(last: int | None) -> None:
            if last is None:
                done(None)
                return
            first = max(last, self._taken[what]) + 1
            self._taken[what] = first + count - 1
            done(first)

        self._reader.read(lambda db: select_last(db, what), f"the numbers of {what}s", take)

    def skip_numbers(self, what: Counted, last: int, done: Done) -> None:
        self._taken[what] = max(last, self._taken[what])
        done(None)

    def fetch(self, rooms: Sequence[tuple[int, int]], done: Callable[[bool], None]) -> None:
        """Do nothing: the file is at hand."""
        done(True)

    async def aclose(self) -> None:
        self.close()

    def close(self) -> None:
        """Write what waits, end the threads, close the file and give up the lock."""
        if not self._file.closed:
            self._pages_check.close()
            self._reader.close()
            self._writer.close()
            self._starter.close()
            self._let_go()

    def _let_go(self) -> None:
        with contextlib.suppress(sqlite3.Error, Fenced):  # else the next start does it
            lock.check_epoch(self._db, self.epoch)
            self._mark.note(self._newest)
            self._events.settle()
        opening.close_database(self._opened._replace(house=self._house))
        self._file.close()

    def _end(self, fenced: Fenced) -> None:
        for tell in self.news.ended:
            tell(fenced)

    # ------------------------------------------------------------ in the writer's thread

    def _has(self, rows: list[Row]) -> bool:
        """Whether all events of an append are stored; an append is written whole or not at all."""
        events = [row for row in rows if type(row) is EventRow]
        try:
            return bool(events) and all(
                select_events(self._db, row.room, row.seq - 1, 1) == [row] for row in events
            )
        except (*FAILURES, DamagedRow):
            return False

    def _commit(self, rows: list[Row]) -> None:
        self._sessions = None
        events = [row for row in rows if type(row) is EventRow]
        if len(events) == len(rows) and len(rows) in CHUNKS:  # as of a move, or of two
            house, total = self._house, self._events.insert(events)  # a transaction by itself
        else:
            house, total = self._commit_all(rows, events)
        mark = self._newest
        if events:
            last = events[-1]
            self._newest = HighWaterMark(
                mark.server, mark.epoch, mark.commits, last.room, last.seq, total
            )
        else:
            self._newest = mark._replace(commits=house.commits)
        self._house = house
        self._pages += 2 + len(rows) // A_PAGE
        closed = [row.number for row in rows if type(row) is RoomRow and not row.open]
        self._events.committed(len(events), closed)

    def _commit_all(self, rows: list[Row], events: list[EventRow]) -> tuple[HouseRow, int]:
        """Write rows in one transaction; return the server's row, and the last event's checksum."""
        db, house, total = self._db, self._house, 0
        lock.begin(db, self.epoch)
        try:
            if events:
                total = self._events.insert(events)
            else:  # the mark needs something to go by
                house = house._replace(commits=house.commits + 1)
                opening.write_house(db, house)
            for row in rows:
                if type(row) is PastRow:
                    db.execute(UPSERTS[PastRow], (*row, past_sum(row)))
                elif type(row) in DELETIONS:
                    for deletion in DELETIONS[type(row)]:
                        db.execute(deletion, row)
                elif type(row) is not EventRow and type(row) is not PulseRow:
                    db.execute(UPSERTS[type(row)], (*row, row_sum(row)))
            db.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):  # the first error is the one to report
                if db.in_transaction:
                    db.execute("ROLLBACK")
            raise
        return house, total

    def _tidy(self, pause: int) -> None:
        """Move events to their places, write the mark, and empty the -wal, when it is time to."""
        if not pause:
            self._move_some()
            if self._pages < LONG_WAL:
                return
        with contextlib.suppress(sqlite3.Error):  # such as a full disk; commits will say so
            lock.check_epoch(self._db, self.epoch)
            self._mark.note(self._newest)
            if pause >= AT_REST:
                self._events.settle()
                opening.checkpoint(self._db)
            elif self._pages >= LONG_WAL:
                opening.restart_wal(self._db, self._house)
            else:
                return
            self._pages = 0

    def _move_some(self) -> None:
        try:
            self._pages += self._events.move_some()
        except sqlite3.Error as error:  # they stay where they are read as well, and are tried again
            log.error("new events cannot be moved to their rooms: %s", error)

    # ------------------------------------------------------------ at start, before the loop runs

    def sessions(self) -> list[SessionRow]:
        sessions, self._sessions = self._sessions, None
        return self._read_sessions() if sessions is None else sessions

    def _read_sessions(self) -> list[SessionRow]:
        rows = self._read(f"{checking.SESSIONS} ORDER BY number", "session")
        return [SessionRow(*values) for values in rows]

    def devices(self) -> list[DevicesRow]:
        return [DevicesRow(*values) for values in self._read(checking.DEVICES, "device")]

    def open_rooms(self) -> list[int]:
        return [row.number for row in self.open_room_rows()]

    def open_room_rows(self) -> list[RoomRow]:
        rows = self._read(f"{checking.ROOMS} ORDER BY number", "room")
        return [RoomRow(*values) for values in rows if values[1]]

    def last_room(self) -> int:
        last = self._read(f"{checking.ROOMS} ORDER BY number DESC LIMIT 1", "room")
        return int(last[0][0]) if last else 0

    def newest_events(self) -> list[EventRow]:
        """Return events of which one is the newest of all."""
        mark = self._mark.mark
        if self._opened.left:
            return self._opened.left
        if mark.seq:
            with _readable():
                return select_events(self._db, mark.room, mark.seq - 1, 1)
        query = (  # of each room the last, in a database that was put back without its mark
            f"SELECT {COLUMNS} FROM room r CROSS JOIN event e ON e.room = r.number AND e.seq ="
            " (SELECT max(seq) FROM event WHERE room = r.number) WHERE r.open"
        )
        return [EventRow(*values) for values in self._read(query, "event")]

    def events_before(self, room: int, since: int = 0) -> list[EventRow]:
        with _readable():
            return select_old_events(self._starter, room, since)

    def progress(self, name: str) -> int:
        rows = self._read(checking.PROGRESS, "progress")
        return next((room for other, room in rows if other == name), 0)

    def kept_analyses(self) -> list[KeptAnalysis]:
        query = "SELECT room, match, at, length(body) FROM analysis ORDER BY at, room, match"
        with _readable():
            return [KeptAnalysis(*row) for row in self._db.execute(query)]

    def all_events(self, room: int) -> list[EventRow]:
        """Return a room's events in order.

        Raises:
            DamagedRow: one of them is not what was stored.
        """
        with _readable():
            return select_events(self._db, room, 0, -1)

    def _read(self, query: str, table: str) -> list[tuple[Any, ...]]:
        with _readable():
            return list(checking.checked(self._db.execute(query), table))


@contextlib.contextmanager
def _readable() -> Iterator[None]:
    """Turn an error of SQLite while a server starts into a sentence."""
    try:
        yield
    except checking.UNREADABLE as error:
        raise StoreError(f"the database is damaged: {error}; {checking.RESTORE}") from None
