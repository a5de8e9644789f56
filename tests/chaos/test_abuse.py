"""What a hostile client tries, while two decent players play on and notice nothing.

Each abuse runs beside matches of two ordinary clients, and ends in the way that its function says.
The matches are played to their ends without a problem; the server stops cleanly, with no traceback
in its log.  What is answered to each broken frame or handshake, to silence and to who does not read
is told in tests/server/net.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
from collections.abc import Callable, Iterator

import pytest

from bench.support.log_place import LogPlace, read_log
from bench.support.players import seat
from bench.support.transcript import compare
from bench.support.wire import BINARY, Wire, frame
from lab.arena.local_server import NO_ALLOWANCES, ServerProcess
from protocol import messages, parts
from protocol.codec import decode_reply, encode
from tests.support.serving import serving

pytestmark = [pytest.mark.chaos, pytest.mark.socket]

# The attacker has the address of the players, so only a connection has limits here.
LIMITS = {**NO_ALLOWANCES, "connection_micros": 10_000, "close_grace_ms": 200}
PATIENCE = 60.0  # seconds within which the server has to have hung up
TEXT = 0x81


class Attacker:
    """Opens connections to one server and closes them all in the end."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._opened: list[socket.socket] = []

    def upgraded(self) -> Wire:
        """A WebSocket on which nothing was said yet."""
        wire = Wire("127.0.0.1", self.port)
        self._opened.append(wire.sock)
        return wire

    def plain(self) -> socket.socket:
        """A socket on which nothing was said yet."""
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        self._opened.append(sock)
        return sock

    def guest(self) -> Wire:
        """A connection that has said hello."""
        wire = self.upgraded()
        wire.hello()
        return wire

    def close(self) -> None:
        """Close whatever is open."""
        for sock in self._opened:
            sock.close()


UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
Abuse = Callable[[Attacker], None]


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One server with little patience for all of this, which must not fall."""
    with serving(tmp_path_factory.mktemp("abuse") / "data", LIMITS) as server:
        yield server


@pytest.fixture
def server(shared_server: ServerProcess) -> Iterator[ServerProcess]:
    """The same; it must not stumble either."""
    begin = shared_server.log.stat().st_size
    yield shared_server
    assert "Traceback" not in shared_server.complaints(begin)


def flood_with_requests(attacker: Attacker) -> None:
    wire = attacker.guest()
    room = wire.ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState).room
    requests = [frame(encode(messages.Say(id=n, room=room, text="hey"))) for n in range(5_000)]
    codes: set[str] = set()
    wire.sock.settimeout(PATIENCE)
    wire.sock.sendall(b"".join(requests[:250]))  # beyond what may be sent, short of being cut
    while "session/flood" not in codes:
        replies = [decode_reply(payload) for payload in wire.receive()]
        codes |= {said.code for said in replies if isinstance(said, messages.Error | messages.Bye)}
    with contextlib.suppress(OSError):  # hanging up is within its rights
        wire.sock.sendall(b"".join(requests[250:]))
    assert codes <= {"session/flood", "room/busy"}


def flood_with_connections(attacker: Attacker) -> None:
    """All of them knock before the first is answered, so that none has been hung up on by then."""
    socks = [attacker.plain() for _ in range(200)]
    for sock in socks:
        with contextlib.suppress(ConnectionError):
            sock.sendall(UPGRADE)
    assert sum(not is_let_in(sock) for sock in socks) > 100


def is_let_in(sock: socket.socket) -> bool:
    """Whether the server upgrades this connection; a 503, or a reset, says no."""
    try:
        return b" 101 " in sock.recv(100)
    except ConnectionError:
        return False


def send_random_frames(attacker: Attacker) -> None:
    """Random bytes, and messages of the protocol with one byte changed."""
    draw = random.Random(11)
    seeds = [
        encode(message)
        for message in (
            messages.Hello(version=1, name="mallory"),
            messages.Lobby(),
            messages.Create(game="connect_four"),
            messages.Watch(room=1),
            messages.Say(room=1, text="hey"),
            messages.History(room=1),
        )
    ]

    def spoilt() -> bytes:
        if draw.random() < 0.3:
            return draw.randbytes(draw.randrange(1, 200))
        payload = bytearray(draw.choice(seeds))
        payload[draw.randrange(len(payload))] = draw.randrange(256)
        return frame(bytes(payload), draw.choice((BINARY, BINARY, TEXT)))

    for _ in range(150):
        sock = attacker.upgraded().sock
        try:
            for _ in range(20):
                sock.send(spoilt())
        except ConnectionError:
            continue


@pytest.mark.parametrize(
    "abuse",
    [flood_with_requests, flood_with_connections, send_random_frames],
    ids=lambda abuse: abuse.__name__,
)
async def test_two_players_play_on(server: ServerProcess, abuse: Abuse) -> None:
    """They play for as long as the abuse goes on, and nothing may happen to their matches."""
    room = await seat(server.address, "connect_four", parts.Options(), 1, 0.005)
    attacker, matches = Attacker(server.port), 0
    attack = asyncio.create_task(asyncio.to_thread(abuse, attacker))
    try:
        async with asyncio.timeout(60):
            while matches == 0 or not attack.done():
                matches += 1
                await room.play(matches)
            history = await room.history()
    finally:
        await asyncio.wait((attack,))
        attacker.close()
        await room.close()
    attack.result()
    log = (await read_log(LogPlace(), server.data))[room.number]
    assert compare(room.transcripts, history, log) == []
