"""A server of the house as the simulation runs it: what server/app.py opens, without sockets."""

from __future__ import annotations

import asyncio

from server.assembly import assemble
from server.config import Config
from tests.simulation.log import Disk, SimulatedLog
from tests.simulation.loop import Host, SimulatedLoop
from tests.simulation.network import ServerEnd


class Server:
    """One process of it, from its start to its end."""

    def __init__(self, name: str, loop: SimulatedLoop, disk: Disk, config: Config, ahead: float):
        self.loop, self.disk, self.config = loop, disk, config
        self.host = Host(name)
        self.host.ahead = ahead
        self.is_listening = False
        self.ends: dict[int, ServerEnd] = {}
        self.most_waiting = 0  # requests in one room's inbox

    def start(self) -> None:
        """Open the log, and listen."""
        self.log = SimulatedLog(self.disk)
        self.hub, self.outage, self.clock, self.loading = assemble(self.log, self.config, self.loop)
        self.now = self.clock.now
        self.clock.start()
        self.is_listening = True
        self.loading.start()
        self._sweep()

    def receive(self, end: ServerEnd, payload: bytes) -> None:
        """Take one message, and see how many wait for their turn."""
        assert end.peer is not None
        self.hub.receive(end.peer, payload, False)
        for actor in self.hub.rooms.actors.values():
            if actor.inbox is not None and len(actor.inbox) > self.most_waiting:
                asked = sum(delivery.peer is not None for delivery in actor.inbox)
                self.most_waiting = max(self.most_waiting, asked)

    def _sweep(self) -> None:
        self.loop.call_later(self.config.sweep_ms / 1000, self._sweep)
        now = self.now()
        for end in list(self.ends.values()):
            end.sweep(now)
        self.hub.sweep(now)

    async def stop(self) -> None:
        """End as a host ends it: say goodbye, write what waits."""
        self.is_listening = False
        self.outage.stop()
        self.hub.close()
        deadline = self.loop.now + self.config.close_grace_ms / 1000
        while self.ends and self.loop.now < deadline:  # noqa: ASYNC110 - as server/app.py
            await asyncio.sleep(0.02)
        self.clock.stop()
        for end in list(self.ends.values()):
            end.line.cut()
        await asyncio.sleep(0)
        while not self.log.is_idle():  # noqa: ASYNC110 - likewise
            await asyncio.sleep(0.02)
        self.loop.end_host(self.host)

    def die(self, silently: bool) -> None:
        """End as by kill -9; `silently`: as by a cut of power, which no client hears of."""
        self.is_listening = False
        self.loop.end_host(self.host)
        for end in list(self.ends.values()):
            end.line.cut(client=not silently, server=False)
