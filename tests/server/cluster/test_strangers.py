"""Strangers who each come to another server of the house get the same refusals as at one.

They are the provocations of tests/live, of which each says what code it gets, and see to it that
nothing else has happened.  Who opens a room is at one server, who else is in it at another.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lab.arena.local_server import ServerProcess
from tests.live.conftest import LIMITS, coming_to
from tests.live.matches import Come
from tests.live.provoking import PROVOCATIONS, Deed, Setting
from tests.live.test_refusals import test_a_provocation_gets_its_code_and_changes_nothing as provoke
from tests.server.cluster.test_database import _free_port

if TYPE_CHECKING:
    from bench.support.postgres import PostgresServer

pytestmark = [pytest.mark.postgres, pytest.mark.socket]


class Turns:
    """Several servers that look like one: each who asks for the address gets the next one's."""

    def __init__(self, servers: list[ServerProcess]) -> None:
        self._urls = cycle([server.socket_url for server in servers])

    @property
    def socket_url(self) -> str:
        """The URL of the next server."""
        return next(self._urls)


@pytest.fixture(scope="module")
def server(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: PostgresServer
) -> Iterator[Turns]:
    """Three servers on one database."""
    folder = tmp_path_factory.mktemp("servers")
    postgres_server.run_sql(["CREATE DATABASE strangers"])
    servers = [_process(folder, n, postgres_server.url("strangers")) for n in range(3)]
    for each in servers:
        each.start()
    yield Turns(servers)
    codes = [each.stop() for each in servers]
    postgres_server.run_sql(["DROP DATABASE strangers WITH (FORCE)"])
    assert codes == [0, 0, 0]


def _process(folder: Path, number: int, database: str) -> ServerProcess:
    port = _free_port()
    words = ("serve", "--database", database, "--advertise", f"127.0.0.1:{port}")
    words += ("--secret", str(folder / "secret"))
    process = ServerProcess(folder / str(number) / "data", LIMITS, command=words)
    process.port = port
    return process


@pytest.fixture
async def come(server: Turns) -> AsyncIterator[Come]:
    """Bring strangers in, each at the next server."""
    async with coming_to(server) as come:
        yield come


@pytest.mark.parametrize(
    ("code", "setting", "name", "deed"),
    [pytest.param(*row, id=f"{number}-{row[0]}") for number, row in enumerate(PROVOCATIONS)],
)
async def test_a_provocation_gets_its_code_at_the_wrong_server_too(
    come: Come, server: Turns, code: str, setting: Setting, name: str, deed: Deed
) -> None:
    await provoke(come, server, code, setting, name, deed)  # type: ignore[arg-type]
