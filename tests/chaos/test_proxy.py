"""Over a network that cuts, stalls and trickles: each action once, one story told by everybody."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bench.players import Table, seat
from bench.process import ServerProcess
from bench.proxy import Fault, Faults, Proxy
from bench.server import UNLIMITED
from bench.story import compare, digest, read_log
from protocol.messages import Options

pytestmark = [pytest.mark.chaos, pytest.mark.socket]

TABLES, MATCHES = 20, 2


async def play_through(proxy: Proxy) -> list[Table]:
    """Seat everybody over a good network, play over a bad one, say goodbye over a good one."""
    tables = [
        await seat(f"127.0.0.1:{proxy.port}", "connect_four", Options(), number, 0.002)
        for number in range(TABLES)
    ]
    proxy.faults = Faults(life=8_000)
    proxy.cut_all()
    await asyncio.gather(*(table.play(MATCHES) for table in tables))
    proxy.faults = None
    proxy.cut_all()
    return tables


@pytest.mark.slow
async def test_everybody_tells_one_story(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data", UNLIMITED)
    await asyncio.to_thread(server.start)
    proxy = Proxy(server.port, 5, None)
    await proxy.start()
    try:
        async with asyncio.timeout(60):
            tables = await play_through(proxy)
            histories = [await table.history() for table in tables]
            for table in tables:
                await table.close()
    finally:
        await proxy.stop()
        assert await asyncio.to_thread(server.stop) == 0
    log = read_log(server.data / "plyhouse.db")
    for table, history in zip(tables, histories, strict=True):
        assert compare(table.stories, history, log[table.room]) == []
    believed = [event for table in tables for event in table.stories[0].actions.values()]
    also = [event for table in tables for event in table.stories[1].actions.values()]
    logged = [event for events in log.values() for event in events]
    assert digest(believed) == digest(also) == digest(logged)
    assert set(proxy.count) == set(Fault), "every fault has happened"
    assert proxy.count[Fault.CUT] > TABLES
