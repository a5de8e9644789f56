"""Over a network that cuts, stalls and trickles: each action once, one account by everybody."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from bench.server.server import UNLIMITED
from bench.support.players import PlayedRoom, seat
from bench.support.proxy import Fault, Faults, Proxy
from bench.support.transcript import compare, digest, read_log
from protocol.messages import Options
from tests.support.serving import serving

pytestmark = [pytest.mark.chaos, pytest.mark.socket]

ROOMS, MATCHES = 20, 2


async def play_through(proxy: Proxy) -> list[PlayedRoom]:
    """Seat everybody over a good network, play over a bad one, say goodbye over a good one."""
    rooms = [
        await seat(f"127.0.0.1:{proxy.port}", "connect_four", Options(), number, 0.002)
        for number in range(ROOMS)
    ]
    proxy.faults = Faults(life=8_000)
    proxy.cut_all()
    await asyncio.gather(*(room.play(MATCHES) for room in rooms))
    proxy.faults = None
    proxy.cut_all()
    return rooms


@pytest.mark.slow
async def test_everybody_tells_one_story(tmp_path: Path) -> None:
    with serving(tmp_path / "data", UNLIMITED) as server:
        proxy = Proxy(server.port, 5, None)
        await proxy.start()
        async with asyncio.timeout(60):
            rooms = await play_through(proxy)
            histories = [await room.history() for room in rooms]
            for room in rooms:
                await room.close()
        await proxy.stop()
    log = read_log(server.data / "plyhouse.db")
    for room, history in zip(rooms, histories, strict=True):
        assert compare(room.transcripts, history, log[room.number]) == []
    believed = [event for room in rooms for event in room.transcripts[0].actions.values()]
    also = [event for room in rooms for event in room.transcripts[1].actions.values()]
    logged = [event for events in log.values() for event in events]
    assert digest(believed) == digest(also) == digest(logged)
    assert set(proxy.count) == set(Fault), "every fault has happened"
    assert proxy.count[Fault.CUT] > ROOMS
