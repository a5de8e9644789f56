"""Several requests over one connection: in order, as fast as they are paid for, not for ever."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from protocol.messages import VERSION, Hello, Welcome
from server.net.door import Door
from server.net.proxies import Proxies
from server.net.sockets import Socket
from tests.server.conftest import Opener
from tests.support.live_server import LiveServer, RawClient, request_frame

pytestmark = pytest.mark.socket
LARGE = 200_000  # bytes, more than asyncio writes before it says that a peer does not read


def get(path: str = "/healthz", **headers: str) -> bytes:
    lines = "".join(
        f"{name}: {value}\r\n" for name, value in ({"Host": "a.local"} | headers).items()
    )
    return f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode()


async def answer(raw: RawClient) -> tuple[str, bytes]:
    """Status and body of the next response; what comes behind it is left there."""
    status, *lines = (await raw.head()).strip().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    body = await raw.reader.readexactly(int(headers.get("Content-Length", 0)))
    return status.split()[1] + " " + headers.get("Connection", ""), body


async def test_a_connection_is_kept_for_the_next_request(server: LiveServer) -> None:
    raw = await server.raw()
    for path, status in (("/healthz", "200 "), ("/none", "404 "), ("/ws", "426 ")):
        raw.send(get(path))
        assert (await answer(raw))[0] == status
    raw.send(b"POST / HTTP/1.1\r\nHost: a.local\r\nContent-Length: 0\r\n\r\n")
    assert (await answer(raw))[0] == "405 "
    assert len(server.gateway.idle) == len(server.gateway.sockets) == 1


@pytest.mark.parametrize(
    "last",
    [
        get(Connection="close"), get(Connection="Keep-Alive, Close"),
        b"GET /healthz HTTP/1.0\r\nHost: a.local\r\n\r\n",
        get("/healthz", Connection="Upgrade", Upgrade="h2c"),
    ],
)  # fmt: skip
async def test_who_wants_no_more_is_hung_up_on(server: LiveServer, last: bytes) -> None:
    raw = await server.raw()
    raw.send(get() + last + get())
    assert (await answer(raw))[0] == "200 "
    assert (await answer(raw))[0] == "200 close"
    assert await raw.reader.read() == b""


async def test_what_comes_early_is_answered_in_order_whatever_the_cut(server: LiveServer) -> None:
    requests = b"".join(get(f"/{n}") if n % 2 else get() for n in range(9))
    for size in (1, 7, 40, len(requests)):
        raw = await server.raw()
        for at in range(0, len(requests), size):
            raw.send(requests[at : at + size])
            await asyncio.sleep(0)
        statuses = [(await answer(raw))[0] for _ in range(9)]
        assert statuses == ["200 " if n % 2 == 0 else "404 " for n in range(9)]
        assert len(server.gateway.idle) >= 1


async def test_what_is_no_request_ends_a_connection_that_was_kept(server: LiveServer) -> None:
    raw = await server.raw()
    raw.send(get() + b"GET / HTTP/1.1\r\nHost: a.local\r\nContent-Length: 3\r\n\r\nhey" + get())
    assert (await answer(raw))[0] == "200 "
    assert (await answer(raw))[0] == "400 close"
    assert await raw.reader.read() == b""


async def test_a_handshake_behind_requests_and_frames_behind_it(server: LiveServer) -> None:
    raw = await server.raw()
    raw.send(get())
    await answer(raw)
    raw.send(get() + raw.handshake() + request_frame(Hello(version=VERSION, name="ann")))
    assert (await answer(raw))[0] == "200 "
    assert (await answer(raw))[0] == "101 Upgrade"
    await raw.hear(Welcome)
    assert server.connection("ann").visit is None
    assert not server.gateway.idle


async def test_idle_connections_are_kept_for_a_while(open_server: Opener) -> None:
    server: LiveServer = await open_server(sweep_ms=10, idle_ms=60, hello_ms=5_000)
    raw, silent = await server.raw(), await server.raw()
    raw.send(get())
    await answer(raw)
    assert len(server.gateway.idle) == 1
    assert await raw.reader.read() == b""
    assert not server.gateway.idle
    await server.until(lambda: len(server.gateway.sockets) == 1)  # `silent` has hello_ms
    await silent.close()


async def test_a_request_that_is_never_ended_is_not_idle(open_server: Opener) -> None:
    server: LiveServer = await open_server(sweep_ms=10, idle_ms=60_000, hello_ms=80)
    raw = await server.raw()
    raw.send(get() + b"GET /healthz HTTP/1.1\r\n")
    await answer(raw)
    while server.gateway.sockets and not raw.writer.is_closing():
        raw.send(b"X")  # a drop at a time does not help
        await asyncio.sleep(0.01)
    await server.until(lambda: not server.gateway.sockets)


async def test_idle_connections_make_room(open_server: Opener) -> None:
    server: LiveServer = await open_server(connections_per_address=3, spare_connections=2)
    kept = [await server.raw() for _ in range(5)]
    for raw in kept:
        raw.send(get())
        assert (await answer(raw))[0] == "200 "
    await server.enter("late")  # the address is full, but only of who waits for nothing
    late = server.connection("late")
    assert await kept[0].reader.read() == b""
    await server.until(lambda: len(server.gateway.sockets) <= 3)
    kept[-1].send(get())
    assert (await answer(kept[-1]))[0] == "200 "
    for name in ("later", "latest"):
        await server.enter(name)
    full = await server.raw()
    full.send(full.handshake())
    assert (await answer(full))[0] == "503 close"
    assert late in server.gateway.sockets


async def test_idle_connections_give_their_files_back(open_server: Opener) -> None:
    server: LiveServer = await open_server()
    kept = [await server.raw() for _ in range(3)]
    for raw in kept:
        raw.send(get())
        await answer(raw)
    assert server.gateway.end_idle(2) == 2
    assert [await raw.reader.read() for raw in kept[:2]] == [b"", b""]
    assert server.gateway.end_idle(2) == 1
    assert server.gateway.end_idle(2) == 0
    assert server.gateway.arriving == 0


async def test_who_takes_no_answer_is_given_no_more(open_server: Opener, tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.mkdir()
    (page / "large.txt").write_bytes(bytes(range(256)) * (LARGE // 256))
    server: LiveServer = await open_server(page, sweep_ms=20, hello_ms=400)
    raw = await server.raw(receive_buffer=4096)
    raw.reader._limit = 1  # type: ignore[attr-defined]  # asyncio reads no more than twice this
    raw.send(get("/large.txt", **{"Accept-Encoding": "identity"}) * 30)
    await server.until(lambda: len(server.gateway.sockets) == 1)
    (held,) = server.gateway.sockets
    assert isinstance(held, Socket)
    await server.until(lambda: held.paused is not None)
    await asyncio.sleep(0.05)  # in which nothing more may happen
    assert held.transport.get_write_buffer_size() < 2 * LARGE
    raw.reader._limit = 1 << 20  # type: ignore[attr-defined]
    await server.until(lambda: not server.gateway.sockets)  # in the end it is dropped


async def test_who_is_read_slowly_gets_everything(open_server: Opener, tmp_path: Path) -> None:
    page = tmp_path / "page"
    page.mkdir()
    (page / "large.txt").write_bytes(bytes(range(256)) * (LARGE // 256))
    server: LiveServer = await open_server(page)
    raw = await server.raw()
    raw.send(get("/large.txt") * 20)
    for _ in range(20):
        assert len((await answer(raw))[1]) == LARGE // 256 * 256


async def test_every_request_is_paid_and_too_many_are_refused(open_server: Opener) -> None:
    server: LiveServer = await open_server(address_micros=1_000, saved_ms=2_000)
    raw = await server.raw()
    raw.send(get("/none") * 40)
    statuses: list[str] = []
    while not statuses or statuses[-1] == "404 ":
        statuses.append((await answer(raw))[0])
    assert statuses[-1] == "429 close"
    assert 3 < len(statuses) < 30


async def test_a_proxy_s_connection_is_not_kept(open_server: Opener) -> None:
    door = Door(proxies=Proxies(["127.0.0.1"]))
    server: LiveServer = await open_server(door=door)
    raw = await server.raw()
    raw.send(get(**{"X-Forwarded-For": "203.0.113.7"}) * 2)
    assert (await answer(raw))[0] == "200 close"
    assert await raw.reader.read() == b""


async def test_a_server_that_ends_hangs_up_on_idle_connections(open_server: Opener) -> None:
    server: LiveServer = await open_server()
    raw = await server.raw()
    raw.send(get())
    await answer(raw)
    server.gateway.close()
    assert await raw.reader.read() == b""
    await server.until(lambda: not server.gateway.sockets)
