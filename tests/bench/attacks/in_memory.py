"""Wrong frames for a server without a network: as many as it can read, each of which it reads.

    python -m tests.bench.attacks.in_memory --count 1000000

The whole server runs in this process, from its sockets' bytes to the log on the disk; only the
operating system's sockets are left out.  Every exception and every error in its log is a problem.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from bench.attacks.campaign import WITHOUT_LIMITS
from bench.attacks.hostile import CODE, HOST
from bench.attacks.malformed import batches, hostile_frames
from bench.support.report import progress
from bench.support.wire import frame, handshake
from protocol.codec import encode
from protocol.messages import Hello
from server.app import Running, opened
from server.config import Config
from server.net.sockets import Socket

TURN: Final = 50  # connections between two turns of the event loop
STEP: Final = 100_000  # frames between two lines about how far it is
WAIT: Final = 200  # turns of the event loop for a welcome
TOKEN: Final = re.compile(rb"\xa5token\xd9(.)", re.DOTALL)


class MemoryTransport(asyncio.Transport):
    """What the server writes to, in the place of a socket."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self.closed = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return (HOST, 1) if name == "peername" else default

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = write_eof = close

    def pause_reading(self) -> None:
        """Nothing comes by itself."""

    resume_reading = pause_reading

    def get_write_buffer_size(self) -> int:
        return 0


class FedServer(logging.Handler):
    """A server that runs, what it was fed, and what it logs as an error.

    `answers`: the code words that were sent, by number.
    """

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.answers: Counter[str] = Counter()
        self.frames = self.connections = 0
        self.problems: list[str] = []
        self._token: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        self.problems.append(self.format(record)[-600:])

    async def feed(self, running: Running, batch: Sequence[bytes], greeted: bool) -> None:
        """Open a connection, say hello or not, send a batch, and hang up."""
        socket, transport = Socket(running.gateway, HOST), MemoryTransport()
        self.connections += 1
        try:
            socket.connection_made(transport)
            socket.data_received(handshake(HOST, 1))
            if greeted:
                await self._greet(socket, transport)
            for data in batch:
                socket.data_received(data)
                self.frames += 1
        except Exception as error:  # noqa: BLE001 - any at all is a bug that this looks for
            self.problems.append(f"{error!r} came of {bytes(batch[-1][:300])!r}")
        self.answers.update(code.decode() for code in CODE.findall(transport.written))
        if not greeted and b" 101 " not in transport.written[:16]:
            self.problems.append(f"a connection was not let in: {bytes(transport.written[:200])!r}")
        transport.close()
        socket.connection_lost(None)

    async def _greet(self, socket: asyncio.Protocol, transport: MemoryTransport) -> None:
        """Say hello, always as the same guest, and wait for the welcome."""
        socket.data_received(frame(encode(Hello(version=1, token=self._token))))
        for _ in range(WAIT):
            if b"welcome" in transport.written:
                break
            await asyncio.sleep(0.001)
        if self._token is None and (match := TOKEN.search(transport.written)):
            begin = match.end()
            self._token = transport.written[begin : begin + match[1][0]].decode()


async def carry_out(count: int, seed: int, folder: Path) -> FedServer:
    """Feed a server this many frames, at least."""
    fed, source = FedServer(), batches(hostile_frames(seed))
    logging.getLogger().addHandler(fed)
    try:
        # All comes from one address; what is tried is the reading, not the limits.
        config = Config().with_settings([f"{name}={n}" for name, n in WITHOUT_LIMITS.items()])
        async with opened(folder, config) as running:
            while fed.frames < count:
                if fed.connections % TURN == 0:
                    await asyncio.sleep(0)
                before = fed.frames
                await fed.feed(running, next(source), greeted=fed.connections % 4 == 1)
                if fed.frames // STEP > before // STEP:
                    progress(f"{fed.frames:,} frames, {len(fed.problems)} problems")
    finally:
        logging.getLogger().removeHandler(fed)
    return fed


def main(argv: Sequence[str] | None = None) -> int:
    """Do it and print what came of it as JSON; 1 if there are problems."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.attacks.in_memory", description=__doc__
    )
    parser.add_argument("--count", type=int, default=100_000, help="frames (default 100000)")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="plyhouse-frames-") as folder:
        fed = asyncio.run(carry_out(args.count, args.seed, Path(folder) / "data"))
    report = {
        "frames": fed.frames, "connections": fed.connections,
        "answers": dict(fed.answers.most_common()), "problems": fed.problems[:20],
    }  # fmt: skip
    print(msgspec.json.encode(report).decode())
    return 1 if fed.problems else 0


if __name__ == "__main__":
    sys.exit(main())
