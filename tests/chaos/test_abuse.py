"""What a hostile client tries, while two decent players play on and notice nothing.

Each abuse runs beside matches of two ordinary clients.  It has to end in the way its test says; the
matches have to be played to their ends without a problem; and the server has to stop cleanly, with
no traceback in its log.  Limits of time are set low, so that they are reached within a test.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import socket
import time
from collections.abc import Callable, Iterator

import msgpack
import pytest

from bench.players import seat
from bench.process import ServerProcess
from bench.story import compare, read_log
from bench.wire import BINARY, Wire, frame
from protocol.codec import decode_reply, encode
from protocol.messages import (
    Bye,
    Create,
    Error,
    Hello,
    History,
    Lobby,
    Options,
    RoomState,
    Say,
    Watch,
)

pytestmark = [pytest.mark.chaos, pytest.mark.socket]

LIMITS = {"hello_ms": 400, "ping_ms": 300, "silent_ms": 900, "stuck_ms": 500,
          "messages_per_second": 200, "close_grace_ms": 200}  # fmt: skip
PATIENCE = 5.0  # seconds within which the server has to have hung up
TEXT = 0x81


class Attacker:
    """Opens connections to one server and closes them all in the end."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._opened: list[socket.socket] = []

    def plain(self) -> socket.socket:
        """A socket on which nothing was said yet."""
        return self._keep(socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE))

    def upgraded(self) -> Wire:
        """A WebSocket on which nothing was said yet."""
        wire = Wire("127.0.0.1", self.port)
        self._keep(wire.sock)
        return wire

    def guest(self) -> Wire:
        """A connection that has said hello."""
        wire = self.upgraded()
        wire.hello()
        return wire

    def close(self) -> None:
        """Close whatever is open."""
        for sock in self._opened:
            sock.close()

    def _keep(self, sock: socket.socket) -> socket.socket:
        self._opened.append(sock)
        return sock


Abuse = Callable[[Attacker], None]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One server with little patience for all of this, which must not fall."""
    process = ServerProcess(tmp_path_factory.mktemp("abuse") / "data", LIMITS)
    process.start()
    try:
        yield process
    finally:
        code = process.stop()
    assert code == 0


@pytest.fixture
def server(house: ServerProcess) -> Iterator[ServerProcess]:
    """The same; it must not stumble either."""
    begin = house.log.stat().st_size
    yield house
    said = house.log.read_bytes()[begin:]
    assert b"Traceback" not in said, said.decode()


async def play_beside(server: ServerProcess, abuse: Abuse) -> None:
    """Play matches for as long as the abuse goes on, and one more; nothing may happen to them."""
    table = await seat(f"127.0.0.1:{server.port}", "connect_four", Options(), 1, 0.005)
    attacker, matches = Attacker(server.port), 0
    attack = asyncio.create_task(asyncio.to_thread(abuse, attacker))
    try:
        async with asyncio.timeout(40):
            while matches == 0 or not attack.done():
                matches += 1
                await table.play(matches)
            history = await table.history()
    finally:
        await asyncio.wait((attack,))
        attacker.close()
        await table.close()
    attack.result()
    assert compare(table.stories, history, read_log(server.data / "plyhouse.db")[table.room]) == []


def is_hung_up(sock: socket.socket) -> bool:
    """Whether the server ends this connection in time; what it says before is dropped."""
    sock.settimeout(PATIENCE)
    give_up = time.monotonic() + PATIENCE
    try:
        while time.monotonic() < give_up:
            if not sock.recv(1 << 16):
                return True
    except TimeoutError:
        return False
    except ConnectionError:
        return True
    return False


# ---------------------------------------------------------------- silence


@pytest.mark.slow
async def test_whoever_says_nothing_is_hung_up_on(server: ServerProcess) -> None:
    def abuse(attacker: Attacker) -> None:
        socks = [attacker.plain() for _ in range(3)]
        socks[1].sendall(b"GET /ws HTTP/1.1\r\nHost: local")  # and no more
        socks[2].sendall(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 10)
        socks.append(attacker.upgraded().sock)  # and no hello
        assert all(is_hung_up(sock) for sock in socks)

    await play_beside(server, abuse)


@pytest.mark.slow
async def test_a_hello_byte_by_byte_does_not_buy_time(server: ServerProcess) -> None:
    def abuse(attacker: Attacker) -> None:
        sock = attacker.upgraded().sock
        hello = frame(encode(Hello(version=1, client="x" * 100)))
        sock.settimeout(0.02)
        begin = time.monotonic()
        for byte in hello:
            try:
                sock.send(bytes((byte,)))
                if not sock.recv(100):
                    break
            except TimeoutError:
                continue
            except ConnectionError:
                break
        assert time.monotonic() - begin < PATIENCE
        assert is_hung_up(sock)

    await play_beside(server, abuse)


@pytest.mark.slow
async def test_half_open_connections_are_found_out(server: ServerProcess) -> None:
    """A peer that is gone without a word answers no ping."""

    def abuse(attacker: Attacker) -> None:
        wires = [attacker.guest() for _ in range(5)]
        assert all(is_hung_up(wire.sock) for wire in wires)

    await play_beside(server, abuse)


# ---------------------------------------------------------------- too much


async def test_a_flood_of_requests_is_told_so_and_nothing_worse(server: ServerProcess) -> None:
    def abuse(attacker: Attacker) -> None:
        wire = attacker.guest()
        room = wire.ask(Create(id=1, game="tic_tac_toe"), RoomState).room
        requests = [frame(encode(Say(id=n, room=room, text="hey"))) for n in range(5_000)]
        codes: set[str] = set()
        wire.sock.settimeout(PATIENCE)
        wire.sock.sendall(b"".join(requests[:250]))  # beyond what may be sent, short of being cut
        while "session/flood" not in codes:
            replies = [decode_reply(payload) for payload in wire.receive()]
            codes |= {said.code for said in replies if isinstance(said, Error | Bye)}
        with contextlib.suppress(OSError):  # hanging up is within its rights
            wire.sock.sendall(b"".join(requests[250:]))
        assert codes <= {"session/flood", "room/busy"}

    await play_beside(server, abuse)


async def test_a_flood_of_connections_leaves_room_for_others(server: ServerProcess) -> None:
    def abuse(attacker: Attacker) -> None:
        refused = 0
        for _ in range(200):
            try:
                attacker.upgraded()
            except OSError:
                refused += 1
        assert refused > 100

    await play_beside(server, abuse)


@pytest.mark.slow
async def test_a_reader_who_does_not_read_is_dropped(server: ServerProcess) -> None:
    """It asks for far more than the sockets hold; everybody else still gets everything."""

    def abuse(attacker: Attacker) -> None:
        wire = attacker.guest()
        room = wire.ask(Create(id=1, game="tic_tac_toe"), RoomState).room
        for _ in range(100):
            wire.send(Say(room=room, text="x" * 400))
            time.sleep(0.01)
        give_up = time.monotonic() + 20
        try:
            while time.monotonic() < give_up:
                wire.send(History(room=room))
                time.sleep(0.01)
        except OSError:
            return
        raise AssertionError("it was allowed to go on")

    await play_beside(server, abuse)


# ---------------------------------------------------------------- nonsense

FRAMES = {
    "a-giant-frame": bytes((BINARY, 0x80 | 127)) + (1 << 40).to_bytes(8, "big") + b"\0" * 4,
    "more-than-allowed": frame(b"\xc4" * 70_000),
    "no-mask": b"\x82\x01x",
    "a-reserved-bit": frame(b"", 0xC2),
    "an-unknown-opcode": frame(b"", 0x83),
    "a-long-ping": frame(b"x" * 126, 0x89),
    "a-fragmented-ping": frame(b"x", 0x09),
    "a-continuation-of-nothing": frame(b"x", 0x80),
    "text-that-is-no-utf8": frame(b"\xff\xfe", TEXT),
    "text-that-is-no-json": frame(b"{]", TEXT),
    "deep-json": frame(b"[" * 50_000, TEXT),
    "deep-msgpack": frame(b"\x91" * 50_000),
    "a-map-that-promises-more": frame(b"\xdf\xff\xff\xff\xff"),
    "no-map": frame(b"\x01"),
    "an-extension": frame(b"\xc7\x05\x01hello"),
    "an-integer-out-of-range": frame(msgpack.packb({"type": "hello", "version": 2**64 - 1})),
    "http": b"GET / HTTP/1.1\r\n\r\n" * 3,
}


async def test_bytes_that_are_no_message_end_only_the_connection_they_came_on(
    server: ServerProcess,
) -> None:
    def abuse(attacker: Attacker) -> None:
        sent = []
        for name, data in FRAMES.items():
            for sock in (attacker.upgraded().sock, attacker.guest().sock):
                sent.append((name, sock))
                with contextlib.suppress(ConnectionError):  # hung up before it had all of it
                    sock.sendall(data)
        assert [name for name, sock in sent if not is_hung_up(sock)] == []

    await play_beside(server, abuse)


async def test_thousands_of_random_frames_harm_nobody(server: ServerProcess) -> None:
    """Random bytes, and messages of the protocol with one byte changed."""
    draw = random.Random(11)
    seeds = [
        encode(message)
        for message in (
            Hello(version=1, name="mallory"), Lobby(), Create(game="connect_four"), Watch(room=1),
            Say(room=1, text="hey"), History(room=1),
        )
    ]  # fmt: skip

    def spoilt() -> bytes:
        if draw.random() < 0.3:
            return draw.randbytes(draw.randrange(1, 200))
        payload = bytearray(draw.choice(seeds))
        payload[draw.randrange(len(payload))] = draw.randrange(256)
        return frame(bytes(payload), draw.choice((BINARY, BINARY, TEXT)))

    def abuse(attacker: Attacker) -> None:
        for _ in range(150):
            sock = attacker.upgraded().sock
            try:
                for _ in range(20):
                    sock.send(spoilt())
            except ConnectionError:
                continue

    await play_beside(server, abuse)


async def test_a_wrong_handshake_is_refused(server: ServerProcess) -> None:
    def abuse(attacker: Attacker) -> None:
        for head in (
            b"POST /ws HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200),  # TLS
            b"A" * 100_000,
            b"GET /ws HTTP/1.1\r\n" + b"X: " + b"y" * 20_000 + b"\r\n\r\n",
            b"GET /ws HTTP/1.1\r\n" + b"X: y\r\n" * 2_000 + b"\r\n",
        ):
            sock = attacker.plain()
            try:
                sock.sendall(head)
            except ConnectionError:
                continue
            assert is_hung_up(sock)

    await play_beside(server, abuse)


async def test_a_page_from_elsewhere_gets_no_connection(server: ServerProcess) -> None:
    """A browser says whose page it is that asks."""

    def abuse(attacker: Attacker) -> None:
        sock = attacker.plain()
        sock.sendall(
            b"GET /ws HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\n"
            b"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            b"Sec-WebSocket-Version: 13\r\nOrigin: https://evil.example\r\n\r\n" % attacker.port
        )
        assert sock.recv(1_000).startswith(b"HTTP/1.1 403")

    await play_beside(server, abuse)


async def test_others_can_come_in_after_all_that(server: ServerProcess) -> None:
    def abuse(attacker: Attacker) -> None:
        for data in FRAMES.values():
            attacker.upgraded().sock.send(data[:1_000])
        assert attacker.upgraded().hello("newcomer").name == "newcomer"

    await play_beside(server, abuse)
