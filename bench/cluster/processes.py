"""Servers of one cluster as processes, and the balancer that players come through."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from bench.cluster.networks import ClusterNetwork, WireNetwork
from bench.support.balancer import Balancer
from bench.support.guard import Guard
from bench.support.postgres import NoPostgres
from bench.support.report import Missing
from lab.arena.local_server import ServerProcess

OWNER: Final = "SELECT addr FROM plyhouse.room JOIN plyhouse.node ON id = owner WHERE number = $1"


@asynccontextmanager
async def two_servers(folder: Path) -> AsyncIterator[ClusterProcesses]:
    """Have two servers to be started, on a PostgreSQL that is there; all of it ends in the end.

    Raises:
        Missing: there is no PostgreSQL here.
    """
    try:
        network = await asyncio.to_thread(WireNetwork, folder, 2, False)
    except NoPostgres as error:
        raise Missing(str(error)) from None
    try:
        await asyncio.to_thread(network.postgres.start)
        cluster = ClusterProcesses(network)
        try:
            yield cluster
        finally:
            await cluster.close()
    finally:
        await network.close()


class ClusterProcesses:
    """Servers as processes in a network, behind a balancer; they end with this program."""

    def __init__(self, network: ClusterNetwork) -> None:
        self.network = network
        self.front = Balancer(network.addresses)
        self.servers: list[ServerProcess] = []
        self._guard = Guard()  # for those that are stopped

    async def start(self) -> None:
        """Start them all."""
        await self.prepare()
        for n in range(len(self.servers)):
            await self.start_server(n)
        self.front.watch()

    async def prepare(self) -> None:
        """Have all that they need, so that they can be started one by one."""
        await self.network.start()
        await self.front.start()
        self.servers = [self.network.server(n) for n in range(len(self.network.addresses))]

    async def start_server(self, n: int) -> None:
        """Start one of them, perhaps again."""
        await asyncio.to_thread(self.servers[n].start)
        self._guard.end_with_us(self.servers[n].pid)

    async def kill_server(self, n: int) -> None:
        """Kill one of them."""
        pid = self.servers[n].pid
        await asyncio.to_thread(self.servers[n].kill)
        self._guard.has_ended(pid)

    async def settle(self) -> None:
        """Wait until all answer: one may be on its way into the cluster again."""
        while not await self.front.all_answer():  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.1)

    async def owner_of(self, room: int) -> int:
        """Return which server has a room; the first one if none has it now."""
        import asyncpg

        db = await asyncpg.connect(self.network.postgres.url())
        try:
            place = await db.fetchval(OWNER, room)
        finally:
            await db.close()
        urls = [f"ws://{address}/ws" for address in self.network.addresses]
        url = (place or "").rpartition(" ")[2]
        return urls.index(url) if url in urls else 0

    async def close(self) -> list[int]:
        """End them all; return their exit codes."""
        await self.front.close()
        codes = [await asyncio.to_thread(server.stop) for server in self.servers]
        self._guard.close()
        return codes
