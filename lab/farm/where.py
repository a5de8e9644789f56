"""Where work is done, as people write it: `threads:N`, `processes:N`, `dask://HOST:PORT`."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final, Literal

MAX_WORKERS: Final = 256
FORMS: Final = "threads:N, processes:N or dask://HOST:PORT"
HELP: Final = (
    f"where it is done: {FORMS} (the workers of a dask scheduler on any machines; whoever reaches "
    "such a scheduler can run programs on its workers, so keep it in a private network or use TLS)"
)
_LOCAL: Final = re.compile(r"(threads|processes)(?::(\d{1,6}))?", re.ASCII)
_DASK: Final = re.compile(r"dask://([^\s/:@]+|\[[0-9A-Fa-f:.%]+\]):(\d{1,5})/?", re.ASCII)


class BadFarm(ValueError):
    """Work cannot be done there; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Where:
    """A place to work.

    max_workers  tasks at once; 0: of a scheduler, as many as its workers have threads
    address      of a scheduler, HOST:PORT
    """

    kind: Literal["here", "threads", "processes", "dask"]
    max_workers: int = 1
    address: str = ""

    def __str__(self) -> str:
        match self.kind:
            case "here":
                return "this process"
            case "dask":
                return f"dask://{self.address}"
            case "threads" | "processes":
                return f"{self.kind}:{self.max_workers}"


HERE: Final = Where("here")


def parse_where(text: str) -> Where:
    """The place that a text names; without a number, one worker a core.

    Raises:
        BadFarm: it names none.
    """
    if local := _LOCAL.fullmatch(text):
        number = cores() if local[2] is None else int(local[2])
        if not 1 <= number <= MAX_WORKERS:
            raise BadFarm(f"{local[1]} are 1 to {MAX_WORKERS}, not {number:,}")
        return Where("threads" if local[1] == "threads" else "processes", number)
    if (dask := _DASK.fullmatch(text)) and 1 <= int(dask[2]) <= 65_535:
        return Where("dask", 0, f"{dask[1]}:{int(dask[2])}")
    raise BadFarm(f"{text[:60]!r} is no place to work; there are {FORMS}")


def processes(jobs: int) -> Where:
    """So many processes; of one, this one."""
    return Where("processes", jobs) if jobs > 1 else HERE


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
