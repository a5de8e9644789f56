"""A load balancer and wires for a cluster on one machine: TCP that is handed on, or cut.

Each connection goes to the next server that takes one, as behind any balancer.  A `Wire` leads to
one place, and can be cut: what is open ends without a word, and nothing new gets through.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

CHUNK = 64 * 1024


class Balancer:
    """Hands connections to the servers at these ports of this machine, in turns."""

    def __init__(self, ports: Sequence[int]) -> None:
        self.ports = list(ports)
        self.port = 0
        self.is_cut = False
        self._turn = 0
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen at a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """End, and all connections with it."""
        if self._server is not None:
            self._server.close()
        self.cut(True)
        await asyncio.gather(*self._open, return_exceptions=True)

    def cut(self, on: bool) -> None:
        """Let nothing through any more, or again."""
        self.is_cut = on
        if on:
            for task in self._open:
                task.cancel()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None or self.is_cut:
            writer.transport.abort()
            return
        self._open.add(task)
        try:
            await self._hand_on(reader, writer)
        except asyncio.CancelledError:
            pass  # it was cut
        finally:
            self._open.discard(task)
            writer.transport.abort()

    async def _hand_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in self.ports:
            port, self._turn = self.ports[self._turn % len(self.ports)], self._turn + 1
            with suppress(OSError):
                there = await asyncio.open_connection("127.0.0.1", port)
                break
        else:
            return
        both = [
            asyncio.ensure_future(_pipe(reader, there[1])),
            asyncio.ensure_future(_pipe(there[0], writer)),
        ]
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in both:
                each.cancel()
            there[1].transport.abort()


async def _pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
