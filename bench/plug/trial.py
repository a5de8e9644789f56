"""A trial that is traced: a house is played in, sealed, killed, copied, restored and upgraded."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from bench.plug import tracing
from bench.plug.disk import Operation, TrialStep
from bench.support.players import PlayedRoom, seat
from bench.support.process import UNLIMITED
from games import registry
from lab.arena.local_server import ROOT, ServerFailed, ServerProcess
from protocol.parts import ClockOptions, Options
from server.store.files import FILE
from server.store.sqlite.migrations import migrate

BASE_MS: Final = 600_000
THINK_S: Final = 0.01
REST_S: Final = 0.6  # longer than a writer that is at rest waits here, until it empties the -wal
OLDEST: Final = 1  # the version of tables that is upgraded, by all steps there are
FAULTS: Final = {
    "a disk that cannot sync at times": "fdatasync:error=EIO:when=40+3",
    "a disk that cannot sync any more": "fdatasync:error=EIO:when=60+",
    "a disk that is full at times": "pwrite64:error=ENOSPC:when=200+33",
    "a disk that is full from then on": "pwrite64:error=ENOSPC:when=400+",
    "a disk that is read-only from then on": "pwrite64,ftruncate,fdatasync:error=EROFS:when=450+",
}
# Events are moved, and the -wal begins anew, after a hundred events, not after thousands.
SMALL: Final = """
from server.store.sqlite import newest, writing
newest.MAX_ROWS, newest.SLICE, writing.PAUSES = 80, 10, (0.02, 0.3)
from server.store.sqlite import store
store.LONG_WAL = 150
import plyhouse
raise SystemExit(plyhouse.main())
"""


class TracedServer(ServerProcess):
    """A server in a house whose folder it makes itself, and whose calls are traced."""

    def __init__(
        self, house: Path, trace: Path, fault: str = "", words: Sequence[str] = ()
    ) -> None:
        super().__init__(trace.with_suffix(".data"), UNLIMITED)
        self._house = house
        self._trace, self._fault, self._more = trace, fault, words

    def _command(self) -> list[str]:
        words = super()._command()[3:]
        program = [*tracing.tracer(self._trace, self._fault), sys.executable, "-c", SMALL]
        return [*program, *words, "--data", str(self._house), *self._more]


class Trial:
    """What was done, in which steps; `operations` is read once all is over.

    Steps: a server is started (`serve`), a backup is begun and done (`copy`, `copied`), a house is
    made what the backup holds (`restore`, `restored`), and an older one is there (`older`).
    """

    def __init__(self, folder: Path, rooms: int, seconds: float) -> None:
        tracing.tracer(folder)  # there is one
        self.disk = folder / "disk"
        self.disk.mkdir(parents=True)
        self.house, self.older = self.disk / "house", self.disk / "older"
        self.backup = self.disk / "backup.db"
        self._folder = folder
        self._rooms, self._seconds = rooms, seconds
        self._traces: list[Path] = []
        self._marks: list[tracing.Marked] = []

    async def carry_out(self, brief: bool = False) -> list[Operation]:
        """Do everything; `brief`: one server alone, whose house is restored."""
        if not brief:
            await self._serve("a new house, which ends in peace", self.house, kill=False)
        await self._serve("a house under load", self.house, kill=True, copied=True)
        await self._restore(self.house, "it is restored", "it was restored")
        if not brief:
            await self._serve("it goes on after that", self.house, kill=False)
            new = self.disk / "new" / "house"
            await self._restore(new, "its backup becomes a new house", "it is another house")
            self._make_older()
            await self._serve("a house of an older version", self.older, kill=True)
            for title, fault in FAULTS.items():
                await self._serve(title, self.disk / title, kill=True, fault=fault)
        return await asyncio.to_thread(tracing.read_traces, self._traces, self._marks, self.disk)

    def _mark(self, what: str, where: Path, title: str, *before: Operation) -> None:
        self._marks.append(
            tracing.Marked(time.time(), [*before, TrialStep(what, str(where), title)])
        )

    async def _restore(self, house: Path, title: str, after: str) -> None:
        self._mark("restore", house, title)
        await asyncio.to_thread(self._run, "restore", self.backup, "--data", house)
        self._mark("restored", house, after)

    def _new_trace(self) -> Path:
        self._traces.append(self._folder / f"{len(self._traces)}.trace")
        return self._traces[-1]

    async def _serve(
        self, title: str, house: Path, kill: bool, copied: bool = False, fault: str = "",
        words: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Have a server, and matches at it; then kill it in their midst, or end it at rest."""
        self._mark("serve", house, title)
        server = TracedServer(house, self._new_trace(), fault, words)
        await asyncio.to_thread(server.start)
        try:
            rooms = [await self._seat(server, number) for number in range(self._rooms)]
            done = asyncio.Event()
            plays = [asyncio.create_task(room.play_until(done)) for room in rooms]
            await asyncio.sleep(self._seconds / 2)
            if copied:
                self._mark("copy", self.backup, "while a backup is made")
                await asyncio.to_thread(self._run, "backup", self.backup, "--data", house)
                self._mark("copied", self.backup, "after that, until it is killed")
            await asyncio.sleep(self._seconds / 2)
            if not kill:
                done.set()
                await asyncio.gather(*plays)
                await asyncio.sleep(REST_S)
            await asyncio.to_thread(server.kill if kill else server.stop)
            await _leave(rooms, plays)
        finally:
            await asyncio.to_thread(server.stop)
        await asyncio.to_thread(tracing.await_end, self._traces[-1 - copied])
        if "Traceback" in server.complaints():
            raise ServerFailed(server.complaints())

    async def _seat(self, server: ServerProcess, number: int) -> PlayedRoom:
        games = registry.names()
        options = Options(clock=ClockOptions(base_ms=BASE_MS))
        room = await seat(server.address, games[number % len(games)], options, number, THINK_S)
        await room.players[0].connection.say(room.number, "good luck")
        return room

    def _run(self, *words: object) -> None:
        trace = self._new_trace()
        command = [*tracing.tracer(trace), sys.executable, "-m", "plyhouse", *map(str, words)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ServerFailed(done.stderr)
        tracing.await_end(trace)

    def _make_older(self) -> None:
        """Make the database of an older Plyhouse of what is in the house."""
        self.older.mkdir()
        path = self.older / FILE
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
            migrate(db, path, OLDEST)
            db.execute("ATTACH ? AS new", (str(self.house / FILE),))
            for table in ("event", "room", "session", "server"):
                columns = ", ".join(row[1] for row in db.execute(f"PRAGMA table_info({table})"))
                db.execute(f"INSERT INTO {table} SELECT {columns} FROM new.{table}")
            db.execute("DETACH new")
            db.execute("PRAGMA journal_mode = WAL")
        self._mark("older", self.older, "an older house", *tracing.found(self.disk, self.older))


async def _leave(rooms: Sequence[PlayedRoom], plays: Sequence[asyncio.Task[float]]) -> None:
    for play in plays:
        play.cancel()
    await asyncio.gather(*plays, return_exceptions=True)
    for room in rooms:
        await room.close()
