"""A load balancer and wires for a cluster on one machine: TCP that is handed on, or cut.

Each connection goes to the next server that takes one, as behind any balancer; `watch` asks all of
them how they are, and lets go of one that does not answer.  A wire leads to one place, and can be
cut: what is open ends without a word, and nothing new gets through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, NamedTuple

CHUNK: Final = 64 * 1024
CONNECT_S: Final = 1.0  # for a server that takes no connection: then the next one is asked
CHECK_S: Final = 0.5  # between two looks at a server
ANSWER_S: Final = 1.0
FALLS: Final = 2  # looks in a row without an answer, until a server is down
QUESTION: Final = b"GET /healthz/alive HTTP/1.1\r\nHost: balancer\r\nConnection: close\r\n\r\n"


class BackendAddress(NamedTuple):
    """Where something listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


class Balancer:
    """Hands connections to the servers at these addresses, in turns."""

    def __init__(self, addresses: Sequence[BackendAddress], port: int = 0) -> None:
        """`port`: where it listens, 0 for any."""
        self.addresses = list(addresses)
        self.port = port
        self.is_cut = False
        self._turn = 0
        self._server: asyncio.Server | None = None
        self._open: dict[
            asyncio.Task[None], BackendAddress
        ] = {}  # connections, and where they lead
        self._down: set[BackendAddress] = set()
        self._checks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        self.cut(True)
        tasks = [*self._checks, *self._open]
        for check in self._checks:
            check.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def cut(self, on: bool) -> None:
        self.is_cut = on
        if on:
            for task in self._open:
                task.cancel()

    # ------------------------------------------------------------ which servers are there

    def watch(self) -> None:
        """Ask all servers how they are from now on; one that is down loses its connections."""
        self._checks = [asyncio.ensure_future(self._check(each)) for each in self.addresses]

    async def all_answer(self) -> bool:
        return all(await asyncio.gather(*map(_is_alive, self.addresses)))

    async def _check(self, address: BackendAddress) -> None:
        falls = 0
        while True:
            falls = 0 if await _is_alive(address) else falls + 1
            if falls < FALLS:
                self._down.discard(address)
            else:
                self._down.add(address)
                for task in [task for task, to in self._open.items() if to == address]:
                    task.cancel()
            await asyncio.sleep(CHECK_S)

    # ------------------------------------------------------------ connections

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            if not self.is_cut:
                await self._hand_on(reader, writer)
        except (asyncio.CancelledError, asyncio.IncompleteReadError, OSError):
            pass  # it was cut, here or at one of its ends
        finally:
            writer.transport.abort()

    async def _hand_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in self.addresses:
            address = self.addresses[self._turn % len(self.addresses)]
            self._turn += 1
            if address in self._down:
                continue
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(CONNECT_S):
                    there = await asyncio.open_connection(*address)
                break
        else:
            return
        task = asyncio.current_task()
        assert task is not None  # each connection is one
        self._open[task] = address
        try:
            if not self.is_cut:
                await self._carry(task, (reader, writer), there)
        finally:
            del self._open[task]
            there[1].transport.abort()

    async def _carry(self, task: asyncio.Task[None], here: Ends, there: Ends) -> None:
        """Carry both directions until one ends.  `task`: it ends this when it is cancelled."""
        both = [
            asyncio.ensure_future(_pipe(here[0], there[1])),
            asyncio.ensure_future(_pipe(there[0], here[1])),
        ]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in both:
                each.cancel()


Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()


async def _is_alive(address: BackendAddress) -> bool:
    writer = None
    try:
        async with asyncio.timeout(ANSWER_S):
            reader, writer = await asyncio.open_connection(*address)
            writer.write(QUESTION)
            return bool(await reader.readline())
    except (OSError, TimeoutError):
        return False
    finally:
        if writer is not None:
            writer.transport.abort()
