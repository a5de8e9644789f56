"""Two ways to connect the servers of a cluster on one machine, so that they can be cut apart.

`NamespaceNetwork`: each server, the database and the players are on a machine of their own, as far
as the network is concerned; what is cut is silent, as when a cable is pulled.  `WireNetwork`: all
are on this machine, with a TCP proxy in front of the database for each server and in front of each
server's line; what is cut ends at once.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final, Protocol

from bench.support.balancer import BackendAddress, Balancer, Ends
from bench.support.namespaces import EVERYWHERE, NetworkMachine, Router
from bench.support.postgres import PostgresServer
from bench.support.process import UNLIMITED
from lab.arena.local_server import ServerProcess
from server.cluster.line.handshake import HEAD, MOST_GREETING, frame, read_introduction

DATABASE: Final = -1  # in the place of a server's index
PORT: Final = 8765
LINE_PORT: Final = 8764


class ClusterNetwork(Protocol):
    """What connects servers, database and players.  Servers are numbered from 0.

    `name`: of its kind; `is_silent`: what is cut seems to be there, as nobody hears that it is not.
    """

    name: str
    is_silent: bool
    postgres: PostgresServer
    addresses: list[BackendAddress]  # of the servers, for clients

    def players(self) -> AbstractContextManager[None]:
        """Be where the players are: all that this program connects to is reached from there."""

    async def start(self) -> None:
        """Begin."""

    def server(self, n: int) -> ServerProcess:
        """Return a server, which is not started, once this has begun."""

    def cut(self, source: int, target: int) -> None:
        """Let nothing through from a server to another, or to or from DATABASE.

        What is not silent lets nothing through in the other direction, either.
        """

    def cut_off(self, n: int) -> None:
        """Let nothing through to a server or from it."""

    def heal(self) -> None:
        """Let everything through again."""

    async def close(self) -> None:
        """End, the database included."""


# ---------------------------------------------------------------- namespaces


class MachineServer(ServerProcess):
    """A server on a machine with a network of its own."""

    def __init__(self, machine: NetworkMachine, data: Path, command: tuple[str, ...]) -> None:
        super().__init__(data, UNLIMITED, command=command, host=machine.address)
        self._machine = machine
        self.port = PORT

    def start(self) -> None:
        with self._machine.entered():
            super().start()


class MachinePostgres(PostgresServer):
    """PostgreSQL on a machine with a network of its own."""

    def __init__(self, machine: NetworkMachine) -> None:
        super().__init__(host=machine.address)
        self._machine = machine

    def start(self) -> None:
        with self._machine.entered():
            super().start()


class NamespaceNetwork:
    """Machines around a router; see ClusterNetwork."""

    name = "namespaces"
    is_silent = True

    def __init__(self, folder: Path, servers: int) -> None:
        """Make them.

        Raises:
            NoNamespaces: they cannot be made here.
            NoPostgres: the database cannot.
        """
        self._folder = folder
        self._secret = _make_secret(folder)
        self._router = Router()
        self._players = NetworkMachine(self._router, 1)
        self._database = NetworkMachine(self._router, 2)
        self._machines = [NetworkMachine(self._router, 10 + n) for n in range(servers)]
        self.addresses = [BackendAddress(machine.address, PORT) for machine in self._machines]
        self.postgres: PostgresServer = MachinePostgres(self._database)

    def players(self) -> AbstractContextManager[None]:
        return self._players.entered()

    async def start(self) -> None:
        """As ClusterNetwork says: nothing is to be done."""

    def server(self, n: int) -> ServerProcess:
        machine = self._machines[n]
        command = (
            "serve", "--until-eof", "--database", self.postgres.url(),
            "--advertise", str(self.addresses[n]), "--line", f"{machine.address}:{LINE_PORT}",
            "--secret", str(self._secret),
        )  # fmt: skip
        return MachineServer(machine, self._folder / f"server-{n + 1}", command)

    def _address(self, n: int) -> str:
        return (self._database if n == DATABASE else self._machines[n]).address

    def cut(self, source: int, target: int) -> None:
        self._router.cut(self._address(source), self._address(target))

    def cut_off(self, n: int) -> None:
        self._router.cut(self._address(n), EVERYWHERE)
        self._router.cut(EVERYWHERE, self._address(n))

    def heal(self) -> None:
        self._router.heal()

    async def close(self) -> None:
        await asyncio.to_thread(self.postgres.remove)
        for each in (self._players, self._database, *self._machines, self._router):
            each.close()


# ---------------------------------------------------------------- wires


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
    return await reader.readexactly(min(size, MOST_GREETING))


class WireNetwork:
    """Wires on this machine; see ClusterNetwork."""

    name = "wires"
    is_silent = False

    def __init__(self, folder: Path, servers: int) -> None:
        """Make them.

        Raises:
            NoPostgres: the database cannot be made.
        """
        self._folder = folder
        self._secret = _make_secret(folder)
        self.addresses = [BackendAddress("127.0.0.1", free_port()) for _ in range(servers)]
        self.postgres = PostgresServer()
        database = BackendAddress(self.postgres.host, self.postgres.port)
        self._databases = [Balancer([database]) for _ in range(servers)]
        self._lines = [
            LineWire(BackendAddress("127.0.0.1", free_port()), self._is_cut_between)
            for _ in range(servers)
        ]
        self._cuts: set[frozenset[int]] = set()
        self._indices = {f"ws://{address}/ws": n for n, address in enumerate(self.addresses)}

    def players(self) -> AbstractContextManager[None]:
        return nullcontext()

    async def start(self) -> None:
        for wire in (*self._databases, *self._lines):
            await wire.start()

    def server(self, n: int) -> ServerProcess:
        line = self._lines[n]
        command = (
            "serve", "--until-eof",
            "--database", self.postgres.url(port=self._databases[n].port),
            "--advertise", str(self.addresses[n]), "--secret", str(self._secret),
            "--line", str(line.addresses[0]), "--line-at", f"127.0.0.1:{line.port}",
        )  # fmt: skip
        server = ServerProcess(self._folder / f"server-{n + 1}", UNLIMITED, command=command)
        server.port = self.addresses[n].port
        return server

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
        for other in (DATABASE, *range(len(self.addresses))):
            if other != n:
                self.cut(n, other)

    def heal(self) -> None:
        self._cuts.clear()
        for wire in self._databases:
            wire.cut(False)

    async def close(self) -> None:
        for wire in (*self._databases, *self._lines):
            await wire.close()
        await asyncio.to_thread(self.postgres.remove)


def _make_secret(folder: Path) -> Path:
    path = folder / "cluster.secret"
    path.write_text(secrets.token_urlsafe(32))
    path.chmod(0o600)
    return path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
