"""Servers of a cluster as processes on one machine, and two ways to connect and cut them apart.

`NamespaceNetwork`: each server, the database and the players are on a machine of their own, as far
as the network is concerned; what is cut is silent, as when a cable is pulled.  `WireNetwork`: all
are on this machine, with a TCP proxy in front of the database for each server and in front of each
server's line; what is cut ends at once.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final

from bench.support.balancer import BackendAddress, Balancer, Ends
from bench.support.namespaces import EVERYWHERE, NetworkMachine, Router
from bench.support.postgres import PostgresServer
from bench.support.process import UNLIMITED
from lab.arena.local_server import ServerProcess
from server.cluster.line.handshake import HEAD, MAX_GREETING, frame, read_introduction

DATABASE: Final = -1  # in the place of a server's index
PLAYERS: Final = -2
PORT: Final = 8765
LINE_PORT: Final = 8764


class ClusterNetwork(ABC):
    """What connects servers, database and players.  Servers are numbered from 0.

    `name`: of its kind; `is_silent`: what is cut seems to be there, as nobody hears that it is not.
    """

    name: str
    is_silent: bool
    postgres: PostgresServer
    addresses: list[BackendAddress]  # of the servers, for clients

    def __init__(self, folder: Path) -> None:
        """Make it.

        Raises:
            NoNamespaces: it cannot be made here.
            NoPostgres: the database cannot.
        """
        self._folder = folder
        self._secret = folder / "cluster.secret"
        self._secret.write_text(secrets.token_urlsafe(32))
        self._secret.chmod(0o600)

    def entered(self, who: int) -> AbstractContextManager[None]:
        """Be where a server is, or DATABASE, or PLAYERS: what this program starts and connects."""
        return nullcontext()

    @abstractmethod
    async def start(self) -> None:
        """Begin: servers can be made from now on."""

    def start_database(self) -> None:
        with self.entered(DATABASE):
            self.postgres.start()

    def server(self, n: int) -> ServerProcess:
        address, port, line = self.addresses[n], *self._behind(n)
        command = (
            "serve", "--until-eof", "--database", self.postgres.url(port=port),
            "--advertise", str(address), "--secret", str(self._secret), "--line", *line,
        )  # fmt: skip
        data = self._folder / f"server-{n + 1}"
        server = ServerProcess(data, UNLIMITED, command=command, host=address.host)
        server.port = address.port
        return server

    @abstractmethod
    def _behind(self, n: int) -> tuple[int, tuple[str, ...]]:
        """At which port a server has its database, and what it is told of its line."""

    @abstractmethod
    def cut(self, source: int, target: int) -> None:
        """Let nothing through from a server to another, or to or from DATABASE.

        What is not silent lets nothing through in the other direction, either.
        """

    def cut_apart(self, one: int, *others: int) -> None:
        for other in others:
            self.cut(one, other)
            self.cut(other, one)

    @abstractmethod
    def cut_off(self, n: int) -> None:
        """Let nothing through to a server or from it."""

    @abstractmethod
    def heal(self) -> None:
        """Let everything through again."""

    async def close(self) -> None:
        await asyncio.to_thread(self.postgres.remove)


class NamespaceNetwork(ClusterNetwork):
    """Machines around a router."""

    name = "namespaces"
    is_silent = True

    def __init__(self, folder: Path, servers: int) -> None:
        super().__init__(folder)
        self._router = Router()
        numbers = {PLAYERS: 1, DATABASE: 2, **{n: 10 + n for n in range(servers)}}
        self._machines = {n: NetworkMachine(self._router, at) for n, at in numbers.items()}
        self.addresses = [BackendAddress(self._at(n), PORT) for n in range(servers)]
        self.postgres = PostgresServer(host=self._at(DATABASE))

    def _at(self, n: int) -> str:
        return self._machines[n].address

    async def start(self) -> None:
        """The machines are there."""

    def entered(self, who: int) -> AbstractContextManager[None]:
        return self._machines[who].entered()

    def _behind(self, n: int) -> tuple[int, tuple[str, ...]]:
        return 0, (f"{self._at(n)}:{LINE_PORT}",)

    def cut(self, source: int, target: int) -> None:
        self._router.cut(self._at(source), self._at(target))

    def cut_off(self, n: int) -> None:
        self._router.cut(self._at(n), EVERYWHERE)
        self._router.cut(EVERYWHERE, self._at(n))

    def heal(self) -> None:
        self._router.heal()

    async def close(self) -> None:
        await super().close()
        for each in (*self._machines.values(), self._router):
            each.close()


class LineWire(Balancer):
    """A wire in front of a server's line, which hears who is at its two ends.

    `is_cut_between`: whether two servers are cut from each other, by the URLs of their clients.
    """

    def __init__(self, address: BackendAddress, is_cut_between: Callable[[str, str], bool]) -> None:
        super().__init__([address])
        self._is_cut_between = is_cut_between
        self._ends: dict[asyncio.Task[None], tuple[str, str]] = {}

    async def _carry(self, task: asyncio.Task[None], here: Ends, there: Ends) -> None:
        dialing, answering = await _greeting(here[0]), await _greeting(there[0])
        self._ends[task] = read_introduction(dialing).url, read_introduction(answering).url
        try:
            if not self._is_cut_between(*self._ends[task]):
                there[1].write(frame(dialing))
                here[1].write(frame(answering))
                await super()._carry(task, here, there)
        finally:
            del self._ends[task]

    def look(self) -> None:
        for task, ends in self._ends.items():
            if self._is_cut_between(*ends):
                task.cancel()


async def _greeting(reader: asyncio.StreamReader) -> bytes:
    size = int.from_bytes(await reader.readexactly(HEAD), "big")
    return await reader.readexactly(min(size, MAX_GREETING))


class WireNetwork(ClusterNetwork):
    """Wires on this machine.  Players still reach a server that is cut off."""

    name = "wires"
    is_silent = False

    def __init__(self, folder: Path, servers: int) -> None:
        super().__init__(folder)
        self.addresses = [_free_address() for _ in range(servers)]
        self.postgres = PostgresServer()
        database = BackendAddress(self.postgres.host, self.postgres.port)
        self._databases = [Balancer([database]) for _ in range(servers)]
        self._lines = [LineWire(_free_address(), self._is_cut_between) for _ in range(servers)]
        self._cuts: set[frozenset[int]] = set()
        self._indices = {f"ws://{address}/ws": n for n, address in enumerate(self.addresses)}

    async def start(self) -> None:
        for wire in (*self._databases, *self._lines):
            await wire.start()

    def _behind(self, n: int) -> tuple[int, tuple[str, ...]]:
        line = self._lines[n]
        at = f"127.0.0.1:{line.port}"
        return self._databases[n].port, (str(line.addresses[0]), "--line-at", at)

    def _is_cut_between(self, dialing: str, answering: str) -> bool:
        return frozenset((self._indices[dialing], self._indices[answering])) in self._cuts

    def cut(self, source: int, target: int) -> None:
        self._cuts.add(frozenset((source, target)))
        for n, wire in enumerate(self._databases):
            if {n, DATABASE} == {source, target}:
                wire.cut(True)
        for line in self._lines:
            line.look()

    def cut_off(self, n: int) -> None:
        others = [other for other in range(len(self.addresses)) if other != n]
        self.cut_apart(n, DATABASE, *others)

    def heal(self) -> None:
        self._cuts.clear()
        for wire in self._databases:
            wire.cut(False)

    async def close(self) -> None:
        for wire in (*self._databases, *self._lines):
            await wire.close()
        await super().close()


def _free_address() -> BackendAddress:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return BackendAddress(*probe.getsockname())


OWNER: Final = "SELECT addr FROM plyhouse.room JOIN plyhouse.node ON id = owner WHERE number = $1"


class ClusterProcesses:
    """Servers as processes in a network, behind a balancer; they end with this program."""

    def __init__(self, network: ClusterNetwork) -> None:
        self.network = network
        self.front = Balancer(network.addresses)
        self.servers: list[ServerProcess] = []

    async def start(self) -> None:
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
