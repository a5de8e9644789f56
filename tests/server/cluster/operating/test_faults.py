"""What an operator gets wrong, or what fails below: it is told in words, and costs no player."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from tests.server.cluster.test_database import House
from tests.support.live_server import PATIENCE

pytestmark = [pytest.mark.postgres, pytest.mark.socket]


@pytest.fixture
async def house(tmp_path: Path, database: str) -> AsyncIterator[House]:
    house = House(tmp_path, database)
    yield house
    await house.close()


async def test_a_database_that_is_read_only_for_a_while_is_told_in_words(
    house: House, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    await house.open("one")
    lease, name = house.entries["one"].lease, database.rpartition("/")[2]
    db = await asyncpg.connect(database)
    await db.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    await db.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    async with asyncio.timeout(PATIENCE):
        while lease.failures < 2:  # noqa: ASYNC110
            await asyncio.sleep(0.02)  # as the beat is far from any test
        await db.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE")
        await db.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        while not lease.lease.is_good():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    await db.close()
    assert "read-only transaction" in caplog.text
    assert [record.getMessage() for record in caplog.records if record.exc_info] == []
