"""Plain HTTP on the same port: the page, the figures, and who may make a WebSocket of it."""

from __future__ import annotations

import json
from pathlib import Path

import aiohttp
import pytest
from prometheus_client.parser import text_string_to_metric_families

from protocol.messages import Create, Lobby, LobbyList, RoomState
from server.store.sqlite import SqliteStore
from tests.server.conftest import Opener
from tests.server.live import Live, Raw

pytestmark = pytest.mark.socket


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    (folder / "boards").mkdir(parents=True)
    (folder / "index.html").write_text("<h1>Plyhouse</h1>")
    (folder / "ladder.html").write_text("<h1>Ladder</h1>")
    (folder / "boards" / "board.js").write_text("export default 1;")
    (folder / "secret.key").write_text("not for everybody")
    (tmp_path / "outside.txt").write_text("not for anybody")
    return folder


async def ask(house: Live, request: bytes) -> tuple[str, dict[str, str], bytes]:
    """Status line, headers and body of the answer to a request of these bytes."""
    raw = await house.raw()
    raw.send(request)
    return await answer(raw)


async def answer(raw: Raw) -> tuple[str, dict[str, str], bytes]:
    head = await raw.head()
    status, *lines = head.strip().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return status.partition(" ")[2], headers, await raw.reader.read()


def get(path: str = "/healthz", method: str = "GET", **headers: str) -> bytes:
    given = {"Host": "localhost"} | {k.replace("_", "-"): v for k, v in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()


# ---------------------------------------------------------------- pages


async def test_the_page_and_its_files(open_house: Opener, page: Path) -> None:
    house: Live = await open_house(page)
    status, headers, body = await ask(house, get("/"))
    assert (status, body) == ("200 OK", b"<h1>Plyhouse</h1>")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Length"] == "17"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    status, headers, body = await ask(house, get("/boards/board.js?v=2"))
    assert (status, headers["Content-Type"]) == ("200 OK", "text/javascript; charset=utf-8")


@pytest.mark.parametrize(
    "path",
    ["/ladder", "/ladder/", "/ladder/spring", "/ladder/spring?x=1", "/ladder/4.5-day_cup",
     "/ladder/caf%C3%A9", "/ladder/" + "w" * 24],
)  # fmt: skip
async def test_every_ladder_has_the_same_page(open_house: Opener, page: Path, path: str) -> None:
    house: Live = await open_house(page)
    status, headers, body = await ask(house, get(path))
    assert (status, body) == ("200 OK", b"<h1>Ladder</h1>")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Cache-Control"] == "no-cache"
    assert "default-src 'self'" in headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "path",
    ["/ladders", "/ladder/a/b", "/ladder/a%2Fb", "/ladder/a%20b", "/ladder/%00", "/ladder/%FF",
     "/ladder/a%40b", "/ladder/%E2%80%AE", "/ladder/" + "w" * 25, "/Ladder/spring"],
)  # fmt: skip
async def test_what_cannot_be_a_ladder_has_no_page(
    open_house: Opener, page: Path, path: str
) -> None:
    house: Live = await open_house(page)
    assert (await ask(house, get(path)))[0] == "404 Not Found"


async def test_without_its_file_a_ladder_has_no_page(house: Live) -> None:
    assert (await ask(house, get("/ladder/spring")))[0] == "404 Not Found"


@pytest.mark.parametrize(
    "path",
    [
        "/favicon.ico",
        "/secret.key",
        "/../outside.txt",
        "/boards",
        "//",
        "//[",
        "/%2e%2e/",
        "*",
        "x",
    ],
)
async def test_there_is_nothing_else(open_house: Opener, page: Path, path: str) -> None:
    house: Live = await open_house(page)
    status, _, body = await ask(house, get(path))
    assert (status, body) == ("404 Not Found", b"There is no such page.\n")


async def test_a_server_without_a_page_says_so(house: Live) -> None:
    assert (await ask(house, get("/")))[0] == "404 Not Found"


async def test_head_tells_the_length_and_nothing_else(open_house: Opener, page: Path) -> None:
    house: Live = await open_house(page)
    status, headers, body = await ask(house, get("/", "HEAD"))
    assert (status, headers["Content-Length"], body) == ("200 OK", "17", b"")


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "BREW"])
async def test_other_methods_are_not_allowed(house: Live, method: str) -> None:
    status, headers, _ = await ask(house, get("/", method))
    assert (status, headers["Allow"]) == ("405 Method Not Allowed", "GET, HEAD")


async def test_a_browser_like_client_gets_pages(open_house: Opener, page: Path) -> None:
    house: Live = await open_house(page)
    async with aiohttp.ClientSession(house.url) as session:
        async with session.get("/") as response:
            assert await response.text() == "<h1>Plyhouse</h1>"
        async with session.head("/boards/board.js") as response:
            assert response.status == 200
        async with session.post("/", data="x" * 300_000) as response:
            assert response.status == 400
            assert "did not understand" in await response.text()


# ---------------------------------------------------------------- figures


async def test_health_is_json_and_says_which_server_this_is(house: Live) -> None:
    status, headers, body = await ask(house, get("/healthz"))
    assert (status, headers["Content-Type"]) == ("200 OK", "application/json")
    assert json.loads(body) == {
        "ok": True, "server": house.house.store.server, "epoch": 1, "rooms": 0,
    }  # fmt: skip


async def test_health_is_bad_while_the_log_fails(open_house: Opener) -> None:
    house: Live = await open_house(retry_ms=20)
    raw = await house.enter("ann")
    await raw.ask(Create(id=1, game="tic_tac_toe"), RoomState)
    store = house.house.store
    assert isinstance(store, SqliteStore)
    store._db.execute("PRAGMA query_only = ON")
    house.house.outage.begin(house.house.rooms[1])
    status, _, body = await ask(house, get("/healthz"))
    assert (status, json.loads(body)["ok"]) == ("503 Service Unavailable", False)
    store._db.execute("PRAGMA query_only = OFF")
    await house.until(lambda: not house.house.outage.rooms)
    assert (await ask(house, get("/healthz")))[0] == "200 OK"


async def test_metrics_are_what_prometheus_reads(house: Live) -> None:
    raw = await house.enter("ann")
    await raw.ask(Create(id=1, game="tic_tac_toe"), RoomState)
    status, headers, body = await ask(house, get("/metrics"))
    assert status == "200 OK"
    assert headers["Content-Type"].startswith("text/plain; version=")
    figures = {
        sample.name: sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
    }
    assert figures == {
        "plyhouse_connections": 2, "plyhouse_rooms": 1, "plyhouse_matches": 0,
        "plyhouse_frames_total": 2, "plyhouse_events_total": 2,
    }  # fmt: skip


# ---------------------------------------------------------------- whose name


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "127.0.0.1:8765", "192.168.1.7:80", "[::1]:8765", "[fe80::1]", "localhost",
        "LocalHost:1", "a.localhost", "attic.local", "house.example", "House.Example:8765",
    ],
)  # fmt: skip
async def test_names_that_this_server_goes_by(house: Live, host: str) -> None:
    assert (await ask(house, get(Host=host)))[0] == "200 OK"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "house.example.evil.example", "local", "[::1", "", "127.0.0.1.evil.example",
     "localhost@evil.example", "\xff", "a b"],
)  # fmt: skip
async def test_names_that_somebody_else_points_here(house: Live, host: str) -> None:
    raw = await house.raw()
    for request in (get(Host=host), raw.handshake(Host=host or " ")):
        status, _, body = await ask(house, request)
        assert status == "421 Misdirected Request"
        assert b"does not go by the name" in body


async def test_a_request_has_one_host(house: Live) -> None:
    twice = b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"
    for request in (twice, b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n"):
        assert (await ask(house, request))[0] == "421 Misdirected Request"


@pytest.mark.parametrize("origin", ["http://{}", "https://{}", "HTTP://{}"])
async def test_a_page_of_this_server_may_connect(house: Live, origin: str) -> None:
    raw = await house.raw()
    raw.send(raw.handshake(Origin=origin.format(f"127.0.0.1:{house.port}")))
    assert "101 Switching" in await raw.head()


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "null", "http://127.0.0.1", "http://localhost:{}", "http://[", "file://",
     "http://127.0.0.1:{}.evil.example"],
)  # fmt: skip
async def test_a_page_of_somebody_else_may_not(house: Live, origin: str) -> None:
    raw = await house.raw()
    request = raw.handshake(Origin=origin.format(house.port))
    assert (await ask(house, request))[0] == "403 Forbidden"
    same = f"Origin: http://127.0.0.1:{house.port}\r\n".encode()
    assert (await ask(house, request[:-2] + same + b"\r\n"))[0] == "403 Forbidden"


# ---------------------------------------------------------------- handshakes that fail


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"Upgrade": "h2c"}, "426"),
        ({"Connection": "close"}, "426"),
        ({"Sec_WebSocket_Key": ""}, "400"),
        ({"Sec_WebSocket_Key": "short"}, "400"),
        ({"Sec_WebSocket_Version": "8"}, "400"),
        ({"Sec_WebSocket_Version": ""}, "400"),
    ],
)
async def test_a_handshake_that_is_none_is_told_why(
    house: Live, change: dict[str, str], status: str
) -> None:
    raw = await house.raw()
    assert (await ask(house, raw.handshake(**change)))[0].startswith(status)


async def test_a_plain_request_for_the_socket_is_told_what_it_is(house: Live) -> None:
    status, _, body = await ask(house, get("/ws"))
    assert status == "426 Upgrade Required"
    assert b"SPEC.md" in body


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /" + b"x" * 9_000 + b" HTTP/1.1\r\n\r\n", "414"),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * 9_000 + b"\r\n\r\n", "431"),
        (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", "431"),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", "400"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
        (b"GET / HTTP/1.1\nHost: localhost\n\n", "400"),
        (b"GET / HTTP/2\r\n\r\n", "400"),
        (b"hello there\r\n\r\n", "400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200) + b"\n", "400"),
        (b"GET / HTTP/1.1\r\nno header\r\n\r\n", "400"),
        (b"A" * 20_000, "414"),
    ],
    ids=[
        "uri",
        "header",
        "headers",
        "body",
        "chunks",
        "lines",
        "http2",
        "words",
        "tls",
        "colon",
        "endless",
    ],
)
async def test_what_is_no_request_is_told_so(house: Live, request_: bytes, status: str) -> None:
    found, _, body = await ask(house, request_)
    assert found.startswith(status)
    assert body


async def test_who_uploads_without_end_can_still_read_why(house: Live) -> None:
    raw = await house.raw()
    raw.send(
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n" + bytes(3_000_000)
    )
    assert (await answer(raw))[0].startswith("400")


async def test_who_asks_and_closes_its_half_is_answered(house: Live) -> None:
    raw = await house.raw()
    raw.send(get("/healthz"))
    raw.writer.write_eof()
    assert (await answer(raw))[0] == "200 OK"
    half = await house.raw()
    half.send(get("/healthz")[:-2])
    half.writer.write_eof()
    assert await half.reader.read() == b""


async def test_a_request_in_pieces_is_one_request(house: Live) -> None:
    raw = await house.raw()
    for byte in get("/healthz"):
        raw.send(bytes((byte,)))
        await raw.writer.drain()
    assert (await answer(raw))[0] == "200 OK"


async def test_one_request_a_connection(house: Live) -> None:
    status, headers, body = await ask(house, get("/healthz") * 2)
    assert (status, headers["Connection"]) == ("200 OK", "close")
    assert body.count(b"ok") == 1


async def test_after_all_that_the_house_is_open(house: Live) -> None:
    await (await house.enter("ann")).ask(Lobby(id=1), LobbyList)
