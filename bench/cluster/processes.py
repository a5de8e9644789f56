"""Servers of one cluster as processes, and the balancer that players come through."""

from __future__ import annotations

import asyncio
from typing import Final

from bench.cluster.networks import ClusterNetwork
from bench.support.balancer import Balancer
from lab.arena.local_server import ServerProcess

OWNER: Final = "SELECT addr FROM plyhouse.room JOIN plyhouse.node ON id = owner WHERE number = $1"


class ClusterProcesses:
    """Servers as processes in a network, behind a balancer; they end with this program."""

    def __init__(self, network: ClusterNetwork) -> None:
        self.network = network
        self.front = Balancer(network.addresses)
        self.servers: list[ServerProcess] = []

    async def start(self) -> None:
        """Start them all, and what they need."""
        await self.network.start()
        await self.front.start()
        self.servers = [self.network.server(n) for n in range(len(self.network.addresses))]
        for n in range(len(self.servers)):
            await self.start_server(n)
        self.front.watch()

    async def start_server(self, n: int) -> None:
        await asyncio.to_thread(self._start, n)

    def _start(self, n: int) -> None:
        with self.network.entered(n):
            self.servers[n].start()

    async def kill_server(self, n: int) -> None:
        await asyncio.to_thread(self.servers[n].kill)

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
        await self.front.close()
        return [await asyncio.to_thread(server.stop) for server in self.servers]
