"""A server that is told to end, while people hang on to it in every way."""

from __future__ import annotations

import asyncio
import signal
import socket
import ssl
from contextlib import AsyncExitStack, suppress
from pathlib import Path

import pytest

from lab.arena.local_server import NO_ALLOWANCES, ServerProcess
from protocol import messages
from tests.support.certificates import HOUSE
from tests.support.live_server import RawClient, request_frame
from tests.support.serving import serving

pytestmark = pytest.mark.socket
SETTINGS = {**NO_ALLOWANCES, "close_grace_ms": 100}
TLS = ("serve", "--tls-cert", str(HOUSE.chain), "--tls-key", str(HOUSE.key))
HALF_HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"


async def hang_up(raw: RawClient) -> None:
    """End a connection at once, whatever waits in it."""
    raw.writer.transport.abort()
    with suppress(ConnectionError, ssl.SSLError):
        await raw.writer.wait_closed()


class People:
    """Connections to one server."""

    def __init__(self, server: ServerProcess, here: AsyncExitStack, tls: bool) -> None:
        self.server, self.here = server, here
        self.trusted = HOUSE.trusted() if tls else None

    async def come(self, tls: bool = True) -> RawClient:
        """Open a connection, over TLS if the server speaks it."""
        sock = socket.socket()
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect(("127.0.0.1", self.server.port))
        trusted = self.trusted if tls else None
        reader, writer = await asyncio.open_connection(
            sock=sock, ssl=trusted, server_hostname="localhost" if trusted else None
        )
        raw = RawClient(reader, writer, self.server.port)
        self.here.push_async_callback(hang_up, raw)
        return raw

    async def hang_on(self, room: int) -> None:
        """Watch, ask for history without end, and read nothing; and begin what never ends."""
        flood = request_frame(messages.History(id=3, room=room)) * 200
        for _ in range(3):
            raw = await self.come()
            await raw.hello()
            await raw.ask(messages.Watch(id=2, room=room), messages.RoomState)
            raw.reader._limit = 1  # type: ignore[attr-defined]  # asyncio reads no more than twice this
            raw.send(flood)
        for beginning in (b"", b"GET /ws HTTP/1.1\r\nHost: localhost\r\n", HALF_HELLO):
            (await self.come(tls=False)).send(beginning)


@pytest.mark.parametrize(
    ("how", "command"), [(signal.SIGTERM, ("serve",)), (signal.SIGINT, TLS)], ids=["plain", "tls"]
)
async def test_it_ends_in_time_whoever_hangs_on(
    tmp_path: Path, how: signal.Signals, command: tuple[str, ...]
) -> None:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    with serving(data, SETTINGS, command) as server:
        async with AsyncExitStack() as here:
            people = People(server, here, tls=command is TLS)
            ann = await people.come()
            token = (await ann.hello()).token
            create = messages.Create(id=2, game="tic_tac_toe")
            room = (await ann.ask(create, messages.RoomState)).room
            for n in range(10, 14):
                say = messages.Say(id=n, room=room, text="x" * 400)
                await ann.ask(say, messages.Ok)
            await people.hang_on(room)
            ending = asyncio.create_task(asyncio.to_thread(server.stop, how))
            assert (await ann.ended())[-2:] == ["server/closing", 1012]
            await hang_up(ann)
            assert await ending == 0, server.complaints()
            assert server.complaints() == ""

            server.start()
            again = await people.come()
            await again.upgrade(request_frame(messages.Hello(version=1, token=token)))
            assert (await again.hear(messages.Welcome)).rooms == (room,)
