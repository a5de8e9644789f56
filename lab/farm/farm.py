"""One seam for long work: `open_executor(where)`.

with open_executor("processes:2") as executor:
    for number, result in as_done(executor, tasks):
        ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from lab.farm.executor import FarmExecutor, HereExecutor, ThreadsExecutor
from lab.farm.where import Where, parse_where


def open_executor(
    where: str | Where, say: Callable[[str], None] = lambda line: None
) -> FarmExecutor:
    """Open an executor, to be used as a block.

    Args:
        where: as in where.py.
        say: is called with lines for people: who works, and what they should know of it.

    Raises:
        BadFarm: there is no such place, no scheduler answers, or its workers are not like this
        machine.
    """
    place = parse_where(where) if isinstance(where, str) else where
    match place.kind:
        case "here":
            return HereExecutor()
        case "threads":
            return ThreadsExecutor(place.max_workers)
        case "processes":
            from lab.farm.processes import ProcessesExecutor

            return ProcessesExecutor(place.max_workers)
        case "dask":
            from lab.farm.dask_workers import DaskExecutor

            return DaskExecutor(place.address, say)
        case _:
            assert_never(place.kind)
