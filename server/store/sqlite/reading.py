"""Reading beside the commits: a thread and a connection of its own.

Another looks at the pages of a database that was sealed (mark.py).

In WAL mode a reader sees the last commit before it began and keeps no writer waiting.  One read
goes on at a time; a caller that asks for others bounds how many wait (past/log_reads.py).
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from server.store.checksums import check_numbers
from server.store.contract import (
    MAX_SCANNED,
    Counted,
    EventRow,
    Outline,
    Read,
    SessionKey,
    SessionRow,
    SettingsRow,
    StoredLogin,
    StoreError,
)
from server.store.sqlite import checking, newest
from server.store.sqlite.job_thread import JobThread

log = logging.getLogger("plyhouse")
T = TypeVar("T")
OLD_EVENTS = f"SELECT {newest.COLUMNS} FROM event WHERE room = ? AND seq > ? ORDER BY seq"
BOUNDS = (  # each by itself takes a moment, both together the time of all rows
    "SELECT (SELECT min(seq) FROM event WHERE room = ?),"
    " (SELECT max(seq) + 1 FROM event WHERE room = ?)"
)
SOME_MATCH = (
    "SELECT seq, match FROM event WHERE room = ? AND seq >= ? AND seq < ? AND match IS NOT NULL"
    " ORDER BY seq LIMIT 1"
)
LAST = 19  # the niceness of a thread that all others go before
MAX_REPORTED = 100  # damaged things that are told of; a reader has seen enough


class ReadThread:
    """Reads events for others; made and closed with the store of a database."""

    def __init__(
        self,
        path: Path,
        failures: tuple[type[Exception], ...],
        loop: asyncio.AbstractEventLoop | None,
    ) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
        self._db.execute("PRAGMA query_only = ON")
        self._failures: tuple[type[Exception], ...] = (StoreError, *failures)
        self._loop = loop
        self._reported: set[str] = set()
        self._closing = False
        self._worker = JobThread("reader")

    # ------------------------------------------------------------ in the event loop

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        self.read(lambda db: select_events(db, room, since, limit, kinds), f"room {room}", done)

    def read(
        self,
        select: Callable[[sqlite3.Connection], T],
        what: str,
        done: Callable[[T | None], None],
    ) -> None:
        """Hand to `done` what `select` finds, or None if it cannot; `what` is for the report."""
        loop = self._loop = self._loop or asyncio.get_running_loop()

        def job(can: bool) -> None:
            found = None
            if self._closing:
                return
            try:
                found = self._select(select, what) if can else None
            finally:  # also of an error that ends the thread
                if not loop.is_closed():
                    loop.call_soon_threadsafe(done, found)

        self._worker.do(job)

    def close(self) -> None:
        """End after the read that goes on; what waits is dropped, and its asker hears nothing."""
        self._closing = True
        self._worker.close()
        self._db.close()

    # ------------------------------------------------------------ in the reader's thread

    def _select(self, select: Callable[[sqlite3.Connection], T], what: str) -> T | None:
        try:
            return select(self._db)
        except self._failures as error:
            self._report(what, error)
        except Exception:  # such as too little memory: callers would wait for ever
            log.exception("the store could not read %s, and goes on", what)
        return None

    def is_alive(self) -> bool:
        return self._worker.is_alive()

    def _report(self, what: str, error: Exception) -> None:
        """Say once of a room, or of something else, that it cannot be read."""
        if what not in self._reported and len(self._reported) < MAX_REPORTED:
            self._reported.add(what)
            log.error("%s cannot be read: %s", what, error)


class PagesCheck:
    """Looks at every page of a database while its server is up, in a thread of its own."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
        self._db.execute("PRAGMA query_only = ON")
        self._thread: threading.Thread | None = None
        self._closing = False

    def start(self, done: Callable[[], None], damaged: Callable[[StoreError], None]) -> None:
        """Begin; in the event loop `done` is called at the end, or `damaged` with a sentence."""
        loop = asyncio.get_running_loop()

        def run() -> None:
            try:
                error = self._check()
            except Exception:  # too little memory, say: it is looked at after the next start
                log.exception("the database could not be looked through; all else goes on")
                return
            if not self._closing and not loop.is_closed():
                loop.call_soon_threadsafe(*((done,) if error is None else (damaged, error)))

        self._thread = threading.Thread(target=run, name="pages", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Give up what is not done yet."""
        self._closing = True
        while self._thread is not None and self._thread.is_alive():
            self._db.interrupt()
            self._thread.join(0.01)  # an interrupt is lost that comes before the first page
        self._db.close()

    def _check(self) -> StoreError | None:
        if sys.platform == "linux":  # elsewhere it would slow the whole process down
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LAST)
        try:
            checking.check_pages(self._db, self._path)
        except StoreError as error:
            return error
        return None


def select_events(
    db: sqlite3.Connection, room: int, since: int, limit: int, kinds: Sequence[str] = ()
) -> list[EventRow]:
    """Return what `read_events` is to find.

    Raises:
        DamagedRow: one is not what was stored, or (of any kind) is missing.
    """
    only = f" AND seq <= ? AND kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
    where = f"WHERE room = ? AND seq > ?{only}"
    until = (since + limit if limit >= 0 else sys.maxsize,) if kinds else ()
    last = 0 if kinds else _last_seq(db, room)  # first, as more may be moved there meanwhile
    rows = db.execute(
        f"{newest.union(newest.COLUMNS, where)} ORDER BY seq LIMIT ?",
        (*(room, since, *until, *kinds) * 3, limit),
    ).fetchall()
    events = [EventRow(*values) for values in checking.checked(rows, "event")]
    if not kinds:
        last = 0 if len(events) == limit else last
        check_numbers(events, room, since, last, checking.RESTORE)
    return events


def _last_seq(db: sqlite3.Connection, room: int) -> int:
    """Return the last seq of a room in its place in the log, 0 if there is none."""
    (last,) = db.execute("SELECT max(seq) FROM event WHERE room = ?", (room,)).fetchone()
    return int(last or 0)


def select_outline(
    db: sqlite3.Connection, room: int, match: int, kinds: Sequence[str], reach: int
) -> Outline:
    """Return what `read_outline` is to find.

    Raises:
        DamagedRow: a row of these is not what was stored.
        StoreError: too many events would have to be looked at.
    """
    events = newest.union(newest.COLUMNS, "WHERE room = ?")
    rows = [
        *db.execute(f"{events} ORDER BY seq LIMIT 1", (room,) * 3),
        *db.execute(f"{events} ORDER BY seq DESC LIMIT 1", (room,) * 3),
    ]
    begins, looked = _first_seq(db, room, match) if kinds else (None, 0)
    if begins is not None:
        following, more = _first_seq(db, room, match + 1)
        ends = rows[-1][1] + 1 if following is None else following
        looked += more + min(ends + reach, rows[-1][1] + 1) - max(begins - reach, 1)
        _check_looked(room, looked)
        where = (
            f"WHERE room = ? AND seq >= ? AND seq < ? AND kind IN ({', '.join('?' * len(kinds))})"
        )
        values = (room, begins - reach, ends + reach, *kinds)
        rows += db.execute(newest.union(newest.COLUMNS, where), values * 3)
    own = {row[1]: row for row in rows}  # by seq
    checked = checking.checked([own[n] for n in sorted(own)], "event")
    return Outline([EventRow(*values) for values in checked], looked)


def _check_looked(room: int, looked: int) -> None:
    if looked > MAX_SCANNED:
        raise StoreError(f"more than {MAX_SCANNED:,} events lie between matches of room {room}")


def _first_seq(db: sqlite3.Connection, room: int, match: int) -> tuple[int | None, int]:
    """Return the seq of a room's first event of this match or a later one, None if there is none;
    and at how many events that are of no match it had to look.

    It halves the room again and again: no index of ours is as small as none.
    """
    found = [
        seq
        for table in newest.TABLES
        for (seq,) in db.execute(
            f"SELECT min(seq) FROM {table} WHERE room = ? AND match >= ?", (room, match)
        )
        if seq is not None
    ]
    low, high = db.execute(BOUNDS, (room, room)).fetchone()
    looked = 0
    while low is not None and low < high:
        middle = (low + high) // 2
        row = db.execute(SOME_MATCH, (room, middle, min(high, middle + MAX_SCANNED))).fetchone()
        looked += (high if row is None else row[0]) - middle
        _check_looked(room, looked)
        if row is not None and row[1] < match:
            low = row[0] + 1
            continue
        found += [row[0]] if row is not None else []
        high = middle
    return min(found, default=None), looked


def select_old_events(db: sqlite3.Connection, room: int, since: int) -> list[EventRow]:
    """Return the events of a room after `since` that are in their place in the log, in order.

    Raises:
        DamagedRow: one is not what was stored.
    """
    last = _last_seq(db, room)
    rows = db.execute(OLD_EVENTS, (room, since)).fetchall()
    events = [EventRow(*values) for values in checking.checked(rows, "event")]
    check_numbers(events, room, since, last, checking.RESTORE)
    return events


def select_session(db: sqlite3.Connection, key: SessionKey) -> list[StoredLogin]:
    """Return a login, if there is one; DamagedRow if it is not what was stored."""
    value = key.value
    if key.by == "name":
        db.create_function("folded", 1, str.casefold, deterministic=True)
        value = str(value).casefold()
    where = f"{'folded(name)' if key.by == 'name' else key.by} = ?"
    rows = db.execute(f"{checking.SESSIONS} WHERE {where}", (value,)).fetchall()
    logins: list[StoredLogin] = []
    for values in checking.checked(rows, "session"):
        found = db.execute(f"{checking.DEVICES} WHERE session = ?", values[:1]).fetchall()
        devices = [body for _, body in checking.checked(found, "device")]
        logins.append(StoredLogin(SessionRow(*values), *devices))
    return logins


def select_settings(db: sqlite3.Connection, session: int) -> list[SettingsRow]:
    """Return what is kept with a login, if anything is."""
    rows = db.execute(f"{checking.SETTINGS} WHERE session = ?", (session,)).fetchall()
    return [SettingsRow(*values) for values in checking.checked(rows, "setting")]


def select_last(db: sqlite3.Connection, what: Counted) -> int:
    """Return the highest number of a room or a session, 0 if there is none."""
    (last,) = db.execute(f"SELECT coalesce(max(number), 0) FROM {what}").fetchone()
    return int(last)
