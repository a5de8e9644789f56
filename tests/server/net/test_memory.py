"""What the server keeps in memory for a connection: it is counted, bounded, and freed at its end.

Nothing here may need the garbage collector: it looks seldom, and a few large texts that wait for it
are enough to fill a machine.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.protocol import Protocol

from protocol.messages import VERSION, Hello
from server.net.door import Door
from server.net.sockets import Socket
from server.net.tls import Certificate, TlsLayer
from server.net.visits import Visit
from tests.server.conftest import Opener
from tests.server.net.test_tls import HALF_HELLO
from tests.support.certificates import HOUSE
from tests.support.live_server import PING, TEXT, LiveServer, RawClient, frame, request_frame

pytestmark = pytest.mark.socket
LOOKS = 30
KINDS = (Socket, Visit, Protocol, TlsLayer)
GET = b"GET %s HTTP/1.1\r\nHost: a.local\r\n%s\r\n"
HALF = b"GET / HTTP/1.1\r\nHost: a.local\r\n" + b"X: " + b"x" * 8_000 + b"\r\nY: y"
UPGRADE = (
    b"GET /ws HTTP/1.1\r\nHost: a.local\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n"
)
HELLO = request_frame(Hello(version=VERSION, name="ann"))
ENDS = {
    "nothing": b"",
    "half a request": HALF,
    "headers without end": HALF[:-4] + HALF[30:-4] * 3,
    "a line without end": b"GET /" + b"x" * 9_000,
    "too many headers": b"GET / HTTP/1.1\r\n" + b"X: x\r\n" * 200,
    "no HTTP": b"\0\xff" * 100 + b"\r\n\r\n",
    "a page": GET % (b"/", b""),
    "a last page": GET % (b"/", b"Connection: close\r\n"),
    "half a page": GET % (b"/large.txt", b""),
    "pages in a row": GET % (b"/none", b"") * 3 + HALF,
    "a replay": GET % (b"/replay/1.1.json", b""),
    "a stranger's name": b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "another site's handshake": UPGRADE % b"Origin: http://evil.example\r\n",
    "a handshake that is none": UPGRADE.replace(b"Version: 13", b"Version: 12") % b"",
    "a handshake": UPGRADE % b"",
    "hello": UPGRADE % b"" + HELLO,
    "half a frame": UPGRADE % b"" + HELLO + frame(b"x" * 60_000)[:-1],
    "half a message": UPGRADE % b"" + HELLO + frame(b"x" * 60_000, fin=False),
    "a frame in half a message": UPGRADE % b"" + frame(b"x", fin=False) + frame(b"", PING),
    "a broken frame": UPGRADE % b"" + HELLO + frame(b"", 3),
    "a large frame": UPGRADE % b"" + HELLO + frame(b"x" * 100_000),
    "no message": UPGRADE % b"" + frame(b"{]", TEXT),
}


def count() -> Counter[str]:
    """How many there are of what makes up a connection."""
    return Counter(type(each).__name__ for each in gc.get_objects() if isinstance(each, KINDS))


@pytest.fixture
def uncollected() -> Iterator[None]:
    """No garbage is collected meanwhile."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    folder.mkdir()
    (folder / "large.txt").write_bytes(bytes(range(256)) * 40_000)
    (folder / "index.html").write_text("<!doctype html><title>here</title>")
    return folder


async def swallow(raw: RawClient) -> None:
    """Read some of what comes, until nothing more does for a moment."""
    try:
        async with asyncio.timeout(0.02):
            await raw.reader.read(1 << 16)
    except (TimeoutError, ConnectionError):
        return


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("tls", [False, True], ids=["plain", "tls"])
@pytest.mark.parametrize("dropped", [False, True], ids=["gone", "dropped"])
async def test_a_connection_that_has_ended_is_freed_without_the_collector(
    open_server: Opener, page: Path, tls: bool, dropped: bool
) -> None:
    door = Door(certificate=Certificate(HOUSE.chain, HOUSE.key)) if tls else Door()
    limits = {"hello_ms": 30, "sweep_ms": 10, "silent_ms": 30} if dropped else {}
    server: LiveServer = await open_server(page, door, **limits)
    before, left = count(), {}
    for name, sent in ENDS.items():
        raw = await server.raw(tls=HOUSE.trusted() if tls else None)
        raw.send(sent)
        await swallow(raw)
        if not dropped:
            raw.writer.transport.abort()
        await server.until(lambda: not server.gateway.sockets)
        await raw.close()
        for _ in range(LOOKS):  # a thread that has answered is still about to return
            if not (more := count() - before):
                break
            await asyncio.sleep(0.01)
        else:
            left[name] = dict(more)
    assert left == {}
    assert server.gateway.held.bytes == len(server.gateway.held.holding) == 0


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("sent", [b"", HALF_HELLO, GET % (b"/", b"")])
async def test_a_tls_handshake_that_is_none_is_freed_without_the_collector(
    open_server: Opener, sent: bytes
) -> None:
    door = Door(certificate=Certificate(HOUSE.chain, HOUSE.key))
    server: LiveServer = await open_server(door=door, hello_ms=30, sweep_ms=10)
    before = count()
    raw = await server.raw()
    raw.send(sent)
    await raw.reader.read()
    await server.until(lambda: not server.gateway.sockets)
    assert count() - before == {}


async def test_a_request_has_16_kilobytes_before_its_body(server: LiveServer) -> None:
    whole, long = await server.raw(), await server.raw()
    line = b"X: " + b"x" * 4_000 + b"\r\n"
    whole.send(GET % (b"/healthz", line * 3))
    assert (await whole.head()).startswith("HTTP/1.1 200 ")
    long.send(GET % (b"/healthz", line * 4 + line[:400]))
    assert (await long.head()).startswith("HTTP/1.1 431 ")
    text = "The line and the headers of a request are at most 16,384 bytes.\n"
    assert (await long.reader.read()).decode() == text


async def test_who_holds_longest_gives_way_to_others_of_the_address(open_server: Opener) -> None:
    server: LiveServer = await open_server(held_per_address=20_000)
    first, second, third = [await server.raw() for _ in range(3)]
    for raw in (first, second, third):
        raw.send(HALF)
        await server.until(lambda: server.gateway.held.bytes > 8_000)
    assert await first.reader.read() == b""
    third.send(b"\r\n\r\n")
    assert (await third.head()).startswith("HTTP/1.1 404 ")
    await server.until(lambda: 8_000 < server.gateway.held.bytes < 10_000)
    second.send(b"\r\n\r\n")
    assert (await second.head()).startswith("HTTP/1.1 404 ")
    assert server.gateway.held.bytes == 0


@pytest.mark.parametrize("half", [frame(b"x" * 9_000)[:-1], frame(b"x" * 9_000, fin=False)])
async def test_messages_that_never_end_are_counted_of_all(open_server: Opener, half: bytes) -> None:
    server: LiveServer = await open_server(held_in_all=20_000, held_per_address=10**9)
    raws = [await server.enter(name) for name in ("ann", "bob", "eve")]
    for number, raw in enumerate(raws, 1):
        raw.send(half)
        await server.until(lambda n=number: server.gateway.held.bytes >= 8_999 * min(n, 2))
    assert [got.opcode for got in await raws[0].rest()] == []
    assert [len(server.gateway.sockets), len(server.gateway.held.holding)] == [2, 2]


async def test_what_a_peer_does_not_take_is_counted(open_server: Opener, page: Path) -> None:
    server: LiveServer = await open_server(page)
    raw = await server.raw(receive_buffer=4096)
    raw.reader._limit = 1  # type: ignore[attr-defined]  # asyncio reads no more than twice this
    raw.send(GET % (b"/large.txt", b"Accept-Encoding: identity\r\n"))
    await server.until(lambda: server.gateway.held.bytes > 0)
    assert server.gateway.held.bytes < 300_000, (
        "no more than some slices of a file of ten megabytes"
    )
    raw.reader._limit = 1 << 20  # type: ignore[attr-defined]
    await raw.head()
    assert len(await raw.reader.readexactly(256 * 40_000)) == 256 * 40_000
    await server.until(lambda: server.gateway.held.bytes == 0)
