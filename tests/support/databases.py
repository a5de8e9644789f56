"""PostgreSQL for tests: one server a run of pytest, started when the first test asks, a database
a test.  Tests that use it are marked `postgres`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from bench.support.postgres import PostgresServer

NUMBERS = itertools.count(1)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """A server in a folder of its own, which does not sync: nobody pulls the plug here."""
    from bench.support.postgres import NoPostgres, PostgresServer

    try:
        server = PostgresServer(durable=False)
    except NoPostgres as error:
        pytest.skip(str(error))
    with server:
        yield server


@pytest.fixture
def database(postgres_server: PostgresServer) -> Iterator[str]:
    """The address of an empty database."""
    name = f"test_{next(NUMBERS)}"
    postgres_server.run_sql([f"CREATE DATABASE {name}"])
    yield postgres_server.url(name)
    postgres_server.run_sql([f"DROP DATABASE {name} WITH (FORCE)"])
