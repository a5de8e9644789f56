"""A real `plyhouse serve` in a process of its own: started, killed, started again, and measured.

It tells its port on standard output; what it regrets goes to a log file.  CPU time and memory are
read from /proc, so they are None where there is none (macOS, Windows).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
START_LIMIT = 20.0  # seconds; a loaded machine needs 2
LISTENING = re.compile(rb"plyhouse: listening on http://\S+:(\d+)")


class Cpu(NamedTuple):
    """Processor time used so far, in seconds: in the program, and in the kernel on its behalf."""

    user: float
    kernel: float


class ServerError(RuntimeError):
    """The server ended, or never said that it listens; the message holds the end of its log."""


class ServerProcess:
    """One server and its data folder; it keeps its port over restarts."""

    def __init__(
        self,
        data: Path,
        settings: Mapping[str, int] | None = None,
        *,
        core: int | None = None,
        env: Mapping[str, str] | None = None,
        host: str = "127.0.0.1",
    ) -> None:
        """`settings` overrides limits of server/config.py; `core` pins all threads; `env` adds;
        `host` is what it listens on.
        """
        self.data = data.resolve()
        self.log = self.data.with_name(self.data.name + ".log")
        self.port = 0
        self._settings = dict(settings or {})
        self._core = core
        self._host = host
        self._env = {**os.environ, **(env or {})}
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        """Its process id; only while it runs."""
        if self._process is None:
            raise ServerError("the server is not running")
        return self._process.pid

    def start(self) -> None:
        """Start it, on the port it had before if there was one, and return once it listens."""
        command = self._command()
        self.data.mkdir(parents=True, exist_ok=True)
        with self.log.open("ab") as log, pinned(self._core):
            begin = log.tell()
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=self._env, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=log,
            )  # fmt: skip
        try:
            self.port = self._wait_for_port(self._process, begin)
        except BaseException:
            self.kill()
            raise

    def kill(self) -> None:
        """kill -9: it gets no chance to tidy up."""
        self._end(gently=False)

    def stop(self) -> int:
        """Ask it to end and wait; its exit code (-9 if it did not within ten seconds)."""
        return self._end(gently=True)

    def cpu(self) -> Cpu | None:
        """Processor time of all its threads since it was started."""
        return cpu_of(self.pid)

    def memory(self) -> int | None:
        """Bytes of memory that it holds now (resident set)."""
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        except OSError:
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")

    def _command(self) -> list[str]:
        command = [sys.executable, "-m", "plyhouse", "serve", "--host", self._host]
        command += ["--port", str(self.port), "--data", str(self.data)]
        for name, value in self._settings.items():
            command += ["--set", f"{name}={value}"]
        return command

    def _end(self, *, gently: bool) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        if gently:
            process.terminate()
        else:
            process.kill()
        with process:  # closes its standard output, too
            try:
                return process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                return process.wait()

    def _wait_for_port(self, process: subprocess.Popen[bytes], begin: int) -> int:
        if process.stdout is None:
            raise AssertionError("its standard output is a pipe")
        too_late = threading.Timer(START_LIMIT, process.kill)
        too_late.start()
        try:
            for line in process.stdout:
                if found := LISTENING.match(line):
                    return int(found[1])
        finally:
            too_late.cancel()
        end = self.log.read_bytes()[begin:][-2_000:].decode(errors="replace")
        raise ServerError(f"the server did not start; its last words:\n{end}")


class YardstickProcess(ServerProcess):
    """bench/yardstick.py in the place of a server; it knows no settings and no data."""

    def _command(self) -> list[str]:
        return [sys.executable, "-m", "bench.yardstick"]


def cpu_of(pid: int) -> Cpu | None:
    """Processor time of a process, all threads together; None where the system does not tell."""
    try:
        # The name in brackets may hold spaces; what follows it begins with the state, field 3.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    tick = os.sysconf("SC_CLK_TCK")
    return Cpu(int(fields[11]) / tick, int(fields[12]) / tick)


def cores() -> tuple[int | None, int | None]:
    """A core for the server and another for the load; None twice where that cannot be had."""
    if not hasattr(os, "sched_getaffinity"):
        return None, None
    ours = sorted(os.sched_getaffinity(0))
    return (ours[0], ours[1]) if len(ours) > 1 else (None, None)


@contextmanager
def pinned(core: int | None) -> Iterator[None]:
    """Stay on `core` (None: anywhere); a process that is started meanwhile stays there for good."""
    if core is None:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
