"""A house whose log is in a PostgreSQL: disks of the database, which it recovers from by itself."""

from __future__ import annotations

import asyncio
import os
import pwd
import subprocess
import time
from collections import defaultdict
from pathlib import Path
from typing import Final

from bench.plug import tracing
from bench.plug.disk import Operation
from bench.plug.image import Image
from bench.plug.trial import Trial
from bench.support.postgres import PostgresServer, other_user, programs
from server.store.contract import EventRow, SessionRow

EVENTS: Final = (
    "SELECT 'event', room, seq, epoch, kind, match, encode(body, 'hex') FROM plyhouse.event"
    " WHERE room > 0 ORDER BY room, seq"
)
SESSIONS: Final = (
    "SELECT 'session', number, name, encode(token, 'hex'), seen, guest FROM plyhouse.session"
)
PROMPT: Final = "backend> "
NOTHING: Final = "\\N"
PID: Final = "postmaster.pid"  # another process may have its number by now


class DatabaseTrial(Trial):
    """A house under load whose log is in a database of its own, which is traced as well."""

    def __init__(self, folder: Path, rooms: int, seconds: float, durable: bool = True) -> None:
        super().__init__(folder, rooms, seconds)
        self._durable = durable

    async def carry_out(self, brief: bool = True) -> list[Operation]:
        database = PostgresServer(self._durable, before=tracing.tracer(Path("trace")))
        self.disk = database.folder / "data"
        self._marks.append(tracing.Marked(time.time(), tracing.found(self.disk, self.disk)))
        self._traces.append(database.folder / "trace")
        with database:
            title = "a database under load"
            words = ("--database", database.url())
            await self._serve(title, self.house, kill=True, words=words)
            database.kill()
            await asyncio.to_thread(tracing.await_end, self._traces[0])
            return tracing.read_traces(self._traces, self._marks, self.disk)


class DatabaseImage(Image):
    """The data folder of a PostgreSQL after a loss of power.

    It counts on a file system that keeps changes of names in their order and shows nothing stale.
    """

    journaled = True

    def judge(self) -> list[str]:
        (shown,) = self.expected.houses[self.expected.house]
        (self.folder / PID).unlink(missing_ok=True)
        user = other_user()
        if user is not None:
            entry = pwd.getpwnam(user)
            for path in (self.folder, *self.folder.rglob("*")):
                os.chown(path, entry.pw_uid, entry.pw_gid)
        done = subprocess.run(
            [programs() / "postgres", "--single", "-F", "-D", self.folder, "postgres"],
            input="".join(f"COPY ({query}) TO STDOUT\n" for query in (EVENTS, SESSIONS)),
            cwd=self.folder, user=user, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            return [f"PostgreSQL refuses it: {done.stderr[-300:]}"]
        rooms, sessions = defaultdict[int, list[EventRow]](list), list[SessionRow]()
        for line in done.stdout.splitlines():
            match line.replace(PROMPT, "").split("\t"):
                case ["event", room, seq, epoch, kind, match_, body]:
                    number = None if match_ == NOTHING else int(match_)
                    row = EventRow(int(room), int(seq), int(epoch), kind, number,
                                   bytes.fromhex(body))  # fmt: skip
                    rooms[row.room].append(row)
                case ["session", number_, name, token, seen, guest]:
                    session = int(number_), name, bytes.fromhex(token), int(seen), int(guest)
                    sessions.append(SessionRow(*session))
        return shown.missing(sessions, rooms)
