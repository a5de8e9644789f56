"""A slow line on purpose: a TCP proxy with a round trip and a bandwidth, as a phone has them.

All connections together share the bandwidth, each direction its own; what has come through arrives
half a round trip later.  A new connection costs a round trip before its first byte, as TCP's
handshake does.  Nothing is lost, and TCP's slow start is not played.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import NamedTuple

CHUNK = 1_460  # bytes: what a packet carries ...
HEADERS = 40  # ... and its headers
QUEUED = 256  # chunks under way on one connection, in one direction


class Line(NamedTuple):
    """A line: the round trip in seconds, and bits a second (None: as many as there are)."""

    round_trip: float
    bits: float | None


class Traffic(NamedTuple):
    """What has gone through a link: bytes down to the browser, requests up, connections."""

    bytes_down: int
    requests: int
    connections: int

    def since(self, before: Traffic) -> Traffic:
        """What came on top of an earlier count."""
        return Traffic(*(now - then for now, then in zip(self, before, strict=True)))


class _Direction:
    """The bandwidth of one direction: when the line is free again."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self._free = 0.0

    def arrival(self, now: float, size: int) -> float:
        """When a chunk is there that is handed in now."""
        if self._line.bits is not None:
            self._free = max(self._free, now) + (size + HEADERS) * 8 / self._line.bits
        return max(self._free, now) + self._line.round_trip / 2


class SlowLink:
    """Listens on a port of its own, and carries every connection over one slow line."""

    def __init__(self, port: int, line: Line) -> None:
        """`port`: of the server, on this machine."""
        self.target = port
        self.line = line
        self.port = 0
        self._up, self._down = _Direction(line), _Direction(line)
        self._bytes_down = self._requests = self._connections = 0
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def traffic(self) -> Traffic:
        """What has gone through so far."""
        return Traffic(self._bytes_down, self._requests, self._connections)

    async def start(self) -> None:
        """Listen."""
        self._server = await asyncio.start_server(self._carry, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Cut everything, and stop listening."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _carry(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # a server makes one for each connection
        self._tasks.add(task)
        self._connections += 1
        writers = [back]
        try:
            far, on = await asyncio.open_connection("127.0.0.1", self.target)
            writers.append(on)
            await asyncio.gather(
                self._pass(near, on, self._up, self.line.round_trip),
                self._pass(far, back, self._down, 0.0),
            )
        except (OSError, asyncio.CancelledError):
            pass  # one side has gone, or all of it ends
        finally:
            self._tasks.discard(task)
            for writer in writers:
                writer.transport.abort()

    async def _pass(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        direction: _Direction,
        greeting: float,
    ) -> None:
        """Pass one direction on.  `greeting`: seconds before its first byte may leave."""
        under_way: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(QUEUED)
        delivering = asyncio.create_task(_deliver(under_way, writer))
        clock = asyncio.get_running_loop().time
        begin = clock() + greeting
        try:
            while chunk := await reader.read(CHUNK):
                if direction is self._down:
                    self._bytes_down += len(chunk)
                else:
                    self._requests += chunk.count(b" HTTP/1.1\r\n")
                await under_way.put((direction.arrival(max(begin, clock()), len(chunk)), chunk))
            await under_way.put((direction.arrival(clock(), 0), b""))
            await delivering
        finally:
            delivering.cancel()


async def _deliver(
    under_way: asyncio.Queue[tuple[float, bytes]], writer: asyncio.StreamWriter
) -> None:
    """Hand over each chunk when it is there; an empty one is the end."""
    clock = asyncio.get_running_loop().time
    while True:
        arrival, chunk = await under_way.get()
        await asyncio.sleep(max(0.0, arrival - clock()))  # the line is that slow
        with contextlib.suppress(OSError):
            if not chunk:
                writer.write_eof()
                return
            writer.write(chunk)
            await writer.drain()
