"""Servers that are measured: their processor time, their memory, and the cores they run on.

CPU time and memory are None where Linux does not tell them (macOS, Windows).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from lab.arena.local_server import NO_ALLOWANCES, ServerProcess

# One address plays for everybody here, faster than any person: the limits per address are lifted.
UNLIMITED: Final = {
    **NO_ALLOWANCES,
    "connections_per_address": 10_000,
    "names_per_address": 1_000_000,
    "rooms_per_address": 10_000,
}


class MeasuredServer(ServerProcess):
    """A server whose processor time and memory can be read, on a core of its own."""

    def __init__(
        self, data: Path, settings: Mapping[str, int] | None = None, *, core: int | None = None,
        words: Sequence[str] = (), env: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        """`core`: the processor core that all its threads stay on (None: any); `words`: options."""
        # As an installed server: its modules are compiled, also where bytecode is not to be kept.
        compiled = {"PYTHONDONTWRITEBYTECODE": ""}
        super().__init__(data, settings, command=("serve", *words), env={**compiled, **(env or {})})
        self._core = core

    def start(self) -> None:
        with pinned(self._core):
            super().start()

    def memory(self) -> int | None:
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text().split()[1])
        except OSError:
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")


class YardstickProcess(MeasuredServer):
    """bench/server/yardstick.py in the place of a server; it has no settings and no data."""

    def _command(self) -> list[str]:
        return [sys.executable, "-m", "bench.server.yardstick"]


def cpu_of(pid: int) -> float | None:
    """Processor time of a process so far, in seconds: all threads, also those that have ended.

    None where the system does not tell.
    """
    if sys.platform != "linux":
        return None
    try:
        return time.clock_gettime(~pid << 3 | 2)  # what clock_getcpuclockid(3) makes of it
    except OSError:
        return None


def written_by(pid: int) -> int | None:
    """Bytes that a process has had written to the disk so far; None where that is not told."""
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("write_bytes:")), None)


def cores() -> tuple[int | None, int | None]:
    """A core for the server and another for the load; None twice where that cannot be had."""
    if not hasattr(os, "sched_getaffinity"):
        return None, None
    ours = sorted(os.sched_getaffinity(0))
    return (ours[0], ours[1]) if len(ours) > 1 else (None, None)


def pinned_note() -> str:
    if cores()[0] is None:
        return "NOT PINNED: the system moved server and load generator between cores."
    return "Server and load generator each had a core to themselves."


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


def raise_file_limit(files: int) -> None:
    """Let this process, and those it starts, open this many files, or what the system allows."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < files:
        limit = files if hard == resource.RLIM_INFINITY else min(files, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
