"""Where a measured server keeps its log: its folder, a PostgreSQL of somebody's, or one of ours."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from bench.support.postgres import NoPostgres, PostgresServer
from bench.support.transcript import Row, public_events, read_rows
from lab.arena.local_server import ServerFailed
from protocol.parts import Event
from server.store.contract import StoreError
from server.store.driver import check_driver
from server.store.files import FILE

HERE: Final = "here"
QUERY: Final = (
    "SELECT room, seq, kind, match, body FROM plyhouse.event WHERE room > 0 ORDER BY room, seq"
)


class LogPlace(NamedTuple):
    """`database`: the address of a PostgreSQL; `own`: its server, if that is ours to kill."""

    database: str | None = None
    own: PostgresServer | None = None

    @property
    def words(self) -> tuple[str, ...]:
        return ("--database", self.database) if self.database is not None else ()

    def written(self, data: Path) -> Path | None:
        """Return the file that a commit writes to; None if it is on another machine, perhaps."""
        if self.own is not None:
            return self.own.newest_wal()
        return None if self.database is not None else data / f"{FILE}-wal"


def add_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database",
        metavar="URL",
        help=f"the log in this empty PostgreSQL; `{HERE}`: in one that is started for it",
    )


@contextmanager
def log_place(where: str | None) -> Iterator[LogPlace]:
    """Have the place that somebody has said.

    Raises:
        ServerFailed: there is no PostgreSQL here, or nothing that can speak to one.
    """
    try:
        if where is not None:
            check_driver()
        server = PostgresServer() if where == HERE else None
    except (NoPostgres, StoreError) as error:
        raise ServerFailed(str(error)) from None
    if server is None:
        yield LogPlace(where)
        return
    with server:
        yield LogPlace(server.url(), server)


async def read_log(place: LogPlace, data: Path) -> dict[int, list[Event]]:
    """The events of every room, for a server that had no ladder and has ended."""
    if place.database is None:
        return public_events(read_rows(data / FILE))
    import asyncpg

    db = await asyncpg.connect(place.database)
    try:
        rows: list[Row] = [tuple(row) for row in await db.fetch(QUERY)]
        return public_events(rows)
    finally:
        await db.close()
