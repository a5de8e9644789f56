"""One of several servers as the simulation runs it: what server/app.py opens, without sockets.

ClusterEntry and all that it puts together are the product's own; only where it would open a socket,
a file or a connection to a database, something of the simulation is in that place.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any, cast

from server.admin.service import AdminService
from server.assembly import assemble
from server.cluster.entry import TTL_S, ClusterEntry, SharedStore
from server.cluster.far import Framing
from server.cluster.member_table import SharedNode
from server.cluster.members import FarServers
from server.config import Config
from server.place import RESTART_S
from server.store.contract import StoreError
from server.store.postgres.address import explained
from tests.simulation.cluster.database import Database
from tests.simulation.cluster.store import SimulatedShare
from tests.simulation.cluster.wires import ClusterLoop, Machine
from tests.simulation.loop import Host
from tests.simulation.network import ServerEnd

SECRET = b"what all servers of the simulation know"
PORT = 1
PLAIN = Framing(lambda payload, text: payload, lambda frame: frame)  # as ServerEnd has it


class LineSocket:
    """What a line listens at, as if it was bound."""

    def __init__(self, machine: Machine) -> None:
        self.machine, self.port = machine, PORT

    def close(self) -> None:
        """As a socket."""


class SimulatedEntry(ClusterEntry):
    """A ClusterEntry with nothing of its machine's."""

    def __init__(self, machine: Machine, database: Database) -> None:
        self.url = url_of(machine)
        self.database = "postgresql://simulated/house"
        self.secret = SECRET
        self._place = machine, database
        self._socket = cast(Any, LineSocket(machine))
        self._reach = cast(Any, partial(database.connect, machine))
        self.node = SharedNode(f"{machine.name}:{PORT}", self.url, TTL_S, self._reach)
        self.why = self.store = self._servers = self._own_lease = None
        self.cluster = self.lease = self._handover = self._takeover = self._leaving = None

    async def open_store(self, clock_was_wrong: int | None) -> SharedStore:
        """As it says, without making tables."""
        machine, database = self._place
        db = await database.connect(machine)
        try:
            await self.node.begin(db)
        except Exception as error:  # noqa: BLE001 - it is raised again
            db.terminate()
            raise explained(error, "db") from None
        self.store = cast(Any, SimulatedShare(database, machine, db, self.node, self.close))
        self._servers = FarServers(self.node.key, self.url, PLAIN)
        return cast(Any, self.store)


def url_of(machine: Machine) -> str:
    """Where clients reach a server."""
    return f"ws://{machine.name}/ws"


class ClusterServer:
    """One run of a server, from its start to its end."""

    def __init__(self, world: Any, machine: Machine, number: int, ahead: float) -> None:
        self.world, self.machine = world, machine
        self.loop: ClusterLoop = world.loop
        self.config: Config = world.config
        self.host = machine.host = Host(f"{machine.name}.{number}")
        self.host.ahead = ahead
        self.is_listening = False
        self.has_ended = False
        self.ends: dict[int, ServerEnd] = {}
        self.most_waiting = 0  # requests in one room's inbox
        self.id = ""
        self.stopped_at: float | None = None  # when it was killed, or stopped
        self.stops = asyncio.Event()
        self.entry: ClusterEntry | None = None

    def start(self) -> None:
        """Have it run; it is begun anew when it ends by itself."""
        task = self.loop.create_task(self._run())
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            if isinstance(error, StoreError | OSError):
                self.world.story.note(f"{self.host.name} could not begin: {error}")
            else:
                self.loop.failures.append({"message": "a server failed", "exception": error})
        self.is_listening, self.has_ended = False, True
        self.world.left(self, RESTART_S)

    async def _run(self) -> None:
        entry = self.entry = SimulatedEntry(self.machine, self.world.database)
        store: Any = await entry.open_store(None)
        self.id = entry.node.id
        self.world.story.note(f"{self.host.name} is {self.id}")
        try:
            neighbours = await entry.neighbours()
            self.hub, self.outage, self.clock, self.loading = assemble(
                store, self.config, self.loop, neighbours
            )
            self.log, self.now, end = store, self.clock.now, self.stops.set
            store.news.ended.append(lambda _: end())
            await entry.begin(Path(), self.hub)
            leave = partial(entry.leave_then, end)
            admin = AdminService(self.hub, end, cast(Any, entry.nodes), leave)
            async with entry.join(self.loading, store, admin, end):
                self.clock.start()
                self.is_listening = True
                self.loading.start()
                self._sweep()
                try:
                    await self.stops.wait()
                finally:
                    admin.close()
                    self.outage.stop()
                    await self._end(entry)
        finally:
            await store.aclose()

    async def _end(self, entry: ClusterEntry) -> None:
        """End as server/app.py does."""
        self.is_listening = False
        await entry.leave()
        entry.send_all_away()
        self.hub.close()
        deadline = self.loop.now + self.config.close_grace_ms / 1000
        while self.ends and self.loop.now < deadline:  # noqa: ASYNC110 - as server/app.py
            await asyncio.sleep(0.02)
        self.clock.stop()
        for end in list(self.ends.values()):
            end.line.cut()
        await asyncio.sleep(0)

    def drain(self) -> None:
        """Have it hand over all it has, and end."""
        if self.entry is not None:
            self.entry.leave_then(self.stops.set)

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

    def die(self, silently: bool) -> None:
        """End as by kill -9; `silently`: as when its machine vanishes, of which no one hears."""
        self.is_listening, self.has_ended = False, True
        self.stopped_at = self.loop.now if self.stopped_at is None else self.stopped_at
        self.loop.end_host(self.host)
        self.world.wires.end_process(self.host, silently)
        self.machine.is_off = silently
        self.machine.listens.clear()
        for end in list(self.ends.values()):
            end.line.cut(client=not silently, server=False)
