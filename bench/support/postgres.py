"""A PostgreSQL server of our own, in a temporary folder, for tests and measurements.

It takes what Debian's package `postgresql` installs and runs it as another user when we are root,
since PostgreSQL refuses to be run by root.  It ends with the program that started it, however that
ends, and its folder goes with it.  `python -m
bench.support.postgres` prints where the programs are.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from bots.outside.reaper import Reaper
from server.store.contract import StoreError
from server.store.driver import check_driver

FOLDERS: Final = (
    "/usr/lib/postgresql/*/bin",
    "/usr/pgsql-*/bin",
    "/opt/homebrew/opt/postgresql*/bin",
)
OTHERS: Final = ("postgres", "nobody")  # who may run it in root's place
START_S: Final = 60.0  # recovery after a kill included, on a busy machine
SUPERUSER: Final = "house"
LOCALHOST: Final = "127.0.0.1"
LOCKED: Final = "locked"  # the one role that needs a password
SMALL: Final = {
    "shared_buffers": "32MB", "max_connections": 60, "max_wal_size": "1GB",
    "checkpoint_timeout": "5min", "autovacuum_naptime": "20s", "log_min_messages": "fatal",
    "jit": "off",
}  # fmt: skip


class NoPostgres(Exception):
    """No PostgreSQL can be had here; the sentence says why."""


def programs() -> Path:
    """Return the folder of PostgreSQL's newest programs.

    Raises:
        NoPostgres: none is installed.
    """
    folders = [Path(p).parent for name in ("initdb", "postgres") if (p := shutil.which(name))]
    for pattern in FOLDERS:
        folders += Path("/").glob(pattern.lstrip("/"))
    whole = [f for f in folders if (f / "initdb").exists() and (f / "postgres").exists()]
    if not whole:
        raise NoPostgres("PostgreSQL is not installed here: apt-get install postgresql")
    return max(whole, key=lambda folder: [int(n) for n in folder.parts if n.isdigit()])


class PostgresServer:
    """A server whose database lies in a folder of its own, on a free port of this machine.

    `host`: where it listens.  If that is not this machine alone it lets everybody in, which is for
    networks in which nobody else is.
    """

    def __init__(
        self, durable: bool = True, host: str = LOCALHOST, before: Sequence[str] = (),
        **settings: object,
    ) -> None:  # fmt: skip
        """Make its database.  `durable`: it syncs what it commits; `before`: words before it.

        Raises:
            NoPostgres: none is installed, or it could not make a database, or nothing here can
                speak to one.
        """
        try:
            check_driver()
        except StoreError as error:
            raise NoPostgres(str(error)) from None
        self._programs = programs()
        self.host = host
        self.user = other_user()
        self.folder = Path(tempfile.mkdtemp(prefix="plyhouse-pg-", dir="/tmp"))
        self._reaper = Reaper(self.folder)
        if self.user is not None:
            entry = pwd.getpwnam(self.user)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        self._settings = {**SMALL, **({} if durable else {"fsync": "off"}), **settings}
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self._before = before
        words = ["-D", "data", "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale", "C", "-N"]
        words += ["--wal-segsize", "1"] if before else []
        made = subprocess.run(
            [self._programs / "initdb", *words],
            cwd=self.folder, user=self.user, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if made.returncode:
            self.remove()
            raise NoPostgres(f"PostgreSQL cannot make a database here: {made.stderr.strip()}")
        rules = self.folder / "data" / "pg_hba.conf"
        lines = [f"host all {LOCKED} 127.0.0.1/32 scram-sha-256", rules.read_text()]
        if host != LOCALHOST:
            lines.append("host all all all trust")
        rules.write_text("\n".join(lines) + "\n")

    def url(self, database: str = "postgres", user: str = SUPERUSER, port: int = 0) -> str:
        return f"postgresql://{user}@{self.host}:{port or self.port}/{database}"

    def start(self) -> None:
        """Start it, and wait until it takes connections.

        Raises:
            NoPostgres: it does not.
        """
        words = ["-D", "data", "-p", self.port, "-k", self.folder, "-h", self.host]
        for name, value in self._settings.items():
            words += ["-c", f"{name}={value}"]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*self._before, self._programs / "postgres", *map(str, words)],
                cwd=self.folder, user=self.user, stdout=log, stderr=log, start_new_session=True,
            )  # fmt: skip
        self._reaper.watch(self._process.pid)
        deadline = time.monotonic() + START_S
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                text = (self.folder / "log").read_text(errors="replace")
                raise NoPostgres(f"PostgreSQL does not start: {text[-500:]}")
            time.sleep(0.05)  # that it answers is told by no event, only on asking

    def _is_ready(self) -> bool:
        words = ["-q", "-h", self.host, "-p", str(self.port), "-d", "postgres", "-U", SUPERUSER]
        return subprocess.run([self._programs / "pg_isready", *words], check=False).returncode == 0

    def kill(self) -> None:
        """Have it end at once, as after a power cut of the program: it recovers at its start."""
        self._end(signal.SIGQUIT)

    def stop(self) -> None:
        self._end(signal.SIGINT)

    def pause(self, on: bool) -> None:
        """Let nothing of it run, or go on: a machine that does not answer."""
        if self._process is not None:
            for pid in [self._process.pid, *_children(self._process.pid)]:
                with contextlib.suppress(ProcessLookupError):  # it has just ended
                    os.kill(pid, signal.SIGSTOP if on else signal.SIGCONT)

    def cpu_s(self) -> float:
        """Return the processor time of all its processes so far, those that have ended included."""
        if self._process is None:
            return 0.0
        total = 0
        for pid in [self._process.pid, *_children(self._process.pid)]:
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has just ended
                continue
            ended = 2 if pid == self._process.pid else 0  # of which it knows what they took
            total += sum(int(field) for field in fields[11 : 13 + ended])
        return total / os.sysconf("SC_CLK_TCK")

    def newest_wal(self) -> Path:
        segments = (self.folder / "data" / "pg_wal").glob("0*")
        return max(segments, key=lambda path: path.stat().st_mtime_ns)

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is not None and process.poll() is None:
            process.send_signal(number)
            process.wait(START_S)

    def remove(self) -> None:
        self.pause(False)  # else it would not hear
        self._end(signal.SIGQUIT)
        self._reaper.dismiss()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run_sql(self, statements: Iterable[str], database: str = "postgres") -> str:
        """Carry out statements, each by itself, as superuser; return what they print."""
        words = [word for each in statements for word in ("-c", each)]
        done = subprocess.run(
            [self._programs / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1",
             self.url(database), *words],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    def __enter__(self) -> PostgresServer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def _children(pid: int) -> list[int]:
    try:
        return [int(n) for n in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def other_user() -> str | None:
    """Return who runs it: None for ourselves."""
    if os.getuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    for name in OTHERS:
        if name in names:
            return name
    raise NoPostgres("PostgreSQL cannot be run by root, and there is no other user here")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def main() -> None:
    try:
        print(programs())
    except NoPostgres as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
