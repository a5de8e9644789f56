"""Plain HTTP on the same port: the page, the figures, and who may make a WebSocket of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from protocol.messages import Create, RoomState
from protocol.parts import Options
from server.config import WRONG_CODE
from server.store.sqlite.store import SqliteStore
from tests.server.conftest import Opener
from tests.support.live_server import LiveServer, RawClient

pytestmark = pytest.mark.socket


@pytest.fixture
def page(tmp_path: Path) -> Path:
    folder = tmp_path / "page"
    (folder / "boards").mkdir(parents=True)
    (folder / "index.html").write_text("<h1>Plyhouse</h1>")
    (folder / "board.html").write_text("<h1>Board</h1>")
    (folder / "ladder.html").write_text("<h1>Ladder</h1>")
    (folder / "match.html").write_text("<h1>Match</h1>")
    (folder / "person.html").write_text("<h1>Person</h1>")
    (folder / "boards" / "board.js").write_text("export default 1;")
    (folder / "secret.key").write_text("not for everybody")
    (tmp_path / "outside.txt").write_text("not for anybody")
    return folder


async def ask(server: LiveServer, request: bytes) -> tuple[str, dict[str, str], bytes]:
    """Status line, headers and body of the answer to a request of these bytes."""
    raw = await server.raw()
    raw.send(request)
    return await answer(raw)


async def answer(raw: RawClient) -> tuple[str, dict[str, str], bytes]:
    head = await raw.head()
    status, *lines = head.strip().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    return status.partition(" ")[2], headers, await raw.reader.read()


async def statuses(server: LiveServer, requests: Mapping[str, bytes]) -> dict[str, str]:
    """The status line of each answer, by the request's name."""
    return {name: (await ask(server, request))[0] for name, request in requests.items()}


def get(path: str = "/healthz", method: str = "GET", **headers: str) -> bytes:
    given = {"Host": "localhost", "Connection": "close"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    return f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode()


async def test_the_page_and_its_files(open_server: Opener, page: Path) -> None:
    server: LiveServer = await open_server(page)
    status, headers, body = await ask(server, get("/"))
    assert (status, body) == ("200 OK", b"<h1>Plyhouse</h1>")
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Length"] == "17"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Frame-Options"] == "DENY"
    assert "default-src 'self'" in headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    status, headers, body = await ask(server, get("/", "HEAD"))
    assert (status, headers["Content-Length"], body) == ("200 OK", "17", b"")
    status, headers, body = await ask(server, get("/boards/board.js?v=2"))
    assert (status, headers["Content-Type"]) == ("200 OK", "text/javascript; charset=utf-8")


LADDERS = (
    "/ladder", "/ladder/", "/ladder/spring", "/ladder/spring?x=1", "/ladder/4.5-day_cup",
    "/ladder/caf%C3%A9", "/ladder/" + "w" * 24,
)  # fmt: skip
MATCHES = ("/match/17.2", "/match/17.2?code=QF7KDM")
BOARDS = ("/board", "/board/backgammon_cube", "/board/chess?x=1")
PEOPLE = ("/person/ann", "/person/caf%C3%A9%20b", "/person/house/mcts", "/person/house%2Fmcts")
NOTHING = (
    "/board/", "/board/a/b", "/board/A",
    "/match", "/match/", "/match/17", "/match/0.1", "/match/17.2/", "/person", "/person/",
    "/person/a/b/c", "/person//b", "/person/%00", "/person/a%40b", "/person/ann/",
    "/favicon.ico", "/secret.key", "/../outside.txt", "/boards", "//", "//[", "/%2e%2e/", "*", "x",
    "/ladders", "/ladder/a/b", "/ladder/a%2Fb", "/ladder/a%20b", "/ladder/%00", "/ladder/%FF",
    "/ladder/a%40b", "/ladder/%E2%80%AE", "/ladder/" + "w" * 25, "/Ladder/spring",
)  # fmt: skip


async def test_every_ladder_match_and_person_has_a_page_and_there_is_nothing_else(
    open_server: Opener, page: Path
) -> None:
    server: LiveServer = await open_server(page)
    expected = {
        **dict.fromkeys(LADDERS, ("200 OK", b"<h1>Ladder</h1>")),
        **dict.fromkeys(MATCHES, ("200 OK", b"<h1>Match</h1>")),
        **dict.fromkeys(BOARDS, ("200 OK", b"<h1>Board</h1>")),
        **dict.fromkeys(PEOPLE, ("200 OK", b"<h1>Person</h1>")),
        **dict.fromkeys(NOTHING, ("404 Not Found", b"There is no such page.\n")),
    }
    answers = {path: await ask(server, get(path)) for path in expected}
    assert {path: (status, body) for path, (status, _, body) in answers.items()} == expected
    for path in LADDERS:
        _, headers, _ = answers[path]
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert headers["Cache-Control"] == "no-cache"
        assert "default-src 'self'" in headers["Content-Security-Policy"]


async def test_without_its_file_there_is_no_page(server: LiveServer) -> None:
    paths = ("/", "/ladder/spring")
    found = await statuses(server, {path: get(path) for path in paths})
    assert found == dict.fromkeys(paths, "404 Not Found")


async def test_other_methods_are_not_allowed(server: LiveServer) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "BREW"):
        status, headers, _ = await ask(server, get("/", method))
        assert (method, status) == (method, "405 Method Not Allowed")
        assert headers["Allow"] == "GET, HEAD"


async def test_health_is_json_and_says_which_server_this_is(server: LiveServer) -> None:
    status, headers, body = await ask(server, get("/healthz"))
    assert (status, headers["Content-Type"]) == ("200 OK", "application/json")
    assert json.loads(body) == {
        "ok": True, "server": server.hub.rooms.store.server, "epoch": 1, "rooms": 0,
    }  # fmt: skip


async def test_health_is_bad_while_the_log_fails(open_server: Opener) -> None:
    server: LiveServer = await open_server(retry_ms=20)
    raw = await server.enter("ann")
    await raw.ask(Create(id=1, game="tic_tac_toe"), RoomState)
    store = server.hub.rooms.store
    assert isinstance(store, SqliteStore)
    store._db.execute("PRAGMA query_only = ON")
    server.outage.begin(server.hub.rooms.actors[1].room)
    status, _, body = await ask(server, get("/healthz"))
    assert (status, json.loads(body)["ok"]) == ("503 Service Unavailable", False)
    store._db.execute("PRAGMA query_only = OFF")
    await server.until(lambda: not server.outage.waiting)
    assert (await ask(server, get("/healthz")))[0] == "200 OK"


async def test_alive_and_ready_are_told_apart(open_server: Opener) -> None:
    server: LiveServer = await open_server(retry_ms=20)
    raw = await server.enter("ann")
    await raw.ask(Create(id=1, game="tic_tac_toe"), RoomState)

    async def probe() -> list[tuple[str, object]]:
        answers = [await ask(server, get(f"/healthz/{kind}")) for kind in ("alive", "ready")]
        return [(status[:3], json.loads(body)) for status, _, body in answers]

    alive = ("200", {"ok": True})
    assert await probe() == [alive, ("200", {"ok": True, "obstacles": []})]
    server.hub.rules.draining = True
    ending = "the server is about to stop, and nothing new begins"
    assert await probe() == [alive, ("503", {"ok": False, "obstacles": [ending]})]
    assert (await ask(server, get("/healthz")))[0] == "200 OK"
    server.hub.rules.draining = False
    store = server.hub.rooms.store
    assert isinstance(store, SqliteStore)
    store._db.execute("PRAGMA query_only = ON")
    server.outage.begin(server.hub.rooms.actors[1].room)
    failing = "the log cannot be written"
    assert await probe() == [alive, ("503", {"ok": False, "obstacles": [failing]})]
    store._db.execute("PRAGMA query_only = OFF")
    await server.until(lambda: not server.outage.lasts)
    assert (await probe())[1][0] == "200"
    assert (await ask(server, get("/healthz/other")))[0] == "404 Not Found"


async def test_a_part_of_the_log_that_has_ended_is_told_to_what_starts_the_server_anew(
    server: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server.hub.rooms.store, "halted", lambda: "nobody reads the log any more")
    for path in ("/healthz", "/healthz/alive", "/healthz/ready"):
        assert (await ask(server, get(path)))[0] == "503 Service Unavailable"
    assert (
        "nobody reads the log any more; the server is"
        in (await ask(server, get("/healthz/ready")))[2].decode()
    )


async def test_metrics_are_what_prometheus_reads(server: LiveServer) -> None:
    raw = await server.enter("ann")
    await raw.ask(Create(id=1, game="tic_tac_toe"), RoomState)
    status, headers, body = await ask(server, get("/metrics"))
    assert status == "200 OK"
    assert headers["Content-Type"].startswith("text/plain; version=")
    figures = {
        sample.name: sample.value
        for family in text_string_to_metric_families(body.decode())
        for sample in family.samples
        if not sample.labels
    }
    expected = {
        "plyhouse_connections": 2, "plyhouse_rooms": 1, "plyhouse_matches": 0,
        "plyhouse_frames_total": 2, "plyhouse_events_total": 2, "plyhouse_people": 1,
        "plyhouse_ready": 1, "plyhouse_commit_seconds_count": 2, "plyhouse_commit_appends_sum": 2,
    }  # fmt: skip
    assert {name: figures[name] for name in expected} == expected


async def test_names_that_this_server_goes_by(server: LiveServer) -> None:
    names = (
        "127.0.0.1", "127.0.0.1:8765", "192.168.1.7:80", "[::1]:8765", "[fe80::1]", "localhost",
        "LocalHost:1", "a.localhost", "attic.local", "house.example", "House.Example:8765",
    )  # fmt: skip
    answers = await statuses(server, {name: get(Host=name) for name in names})
    assert answers == dict.fromkeys(names, "200 OK")


async def test_names_that_somebody_else_points_here(server: LiveServer) -> None:
    names = (
        "evil.example", "house.example.evil.example", "local", "[::1", "", "127.0.0.1.evil.example",
        "localhost@evil.example", "\xff", "a b",
    )  # fmt: skip
    raw = await server.raw()
    for name in names:
        for request in (get(Host=name), raw.handshake(Host=name or " ")):
            status, _, body = await ask(server, request)
            assert (name, status) == (name, "421 Misdirected Request")
            assert b"does not go by the name" in body


async def test_a_request_has_one_host(server: LiveServer) -> None:
    twice = b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n"
    for request in (twice, b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.0\r\n\r\n"):
        raw = await server.raw()
        raw.send(request)
        assert (await raw.head()).startswith("HTTP/1.1 421 Misdirected Request\r\n")


async def test_a_page_of_this_server_may_connect(server: LiveServer) -> None:
    for origin in ("http://{}", "https://{}", "HTTP://{}"):
        raw = await server.raw()
        raw.send(raw.handshake(Origin=origin.format(f"127.0.0.1:{server.port}")))
        assert "101 Switching" in await raw.head(), origin


async def test_a_page_of_somebody_else_may_not(server: LiveServer) -> None:
    raw = await server.raw()
    same = f"Origin: http://127.0.0.1:{server.port}\r\n".encode()
    for origin in (
        "https://evil.example", "null", "http://127.0.0.1", "http://localhost:{}", "http://[",
        "file://", "http://127.0.0.1:{}.evil.example",
    ):  # fmt: skip
        request = raw.handshake(Origin=origin.format(server.port))
        both = {"alone": request, "with the right one": request[:-2] + same + b"\r\n"}
        assert await statuses(server, both) == dict.fromkeys(both, "403 Forbidden"), origin


async def test_a_handshake_that_is_none_is_told_why(server: LiveServer) -> None:
    raw = await server.raw()
    for name, value, status in (
        ("Upgrade", "h2c", "426"), ("Connection", "close", "426"),
        ("Sec_WebSocket_Key", "", "400"), ("Sec_WebSocket_Key", "short", "400"),
        ("Sec_WebSocket_Version", "8", "400"), ("Sec_WebSocket_Version", "", "400"),
    ):  # fmt: skip
        answered, _, _ = await ask(server, raw.handshake(**{name: value}))
        assert (name, value, answered[:3]) == (name, value, status)
    told, _, body = await ask(server, get("/ws"))
    assert told == "426 Upgrade Required"
    assert b"SPEC.md" in body


async def test_websockets_are_at_one_path_only(server: LiveServer) -> None:
    raw = await server.raw()
    for path in ("/", "/ws/", "/WS", "/house/ws", "/healthz", "/a?b=/ws"):
        request = raw.handshake().replace(b"GET /ws ", f"GET {path} ".encode())
        status, _, body = await ask(server, request)
        assert (path, status, body) == (path, "404 Not Found", b"WebSockets are at /ws.\n")
    again = await server.raw()
    again.send(again.handshake().replace(b"GET /ws ", b"GET /ws?room=17 "))
    assert "101 Switching" in await again.head()


async def test_an_offer_of_another_protocol_is_ignored(server: LiveServer) -> None:
    offer = get("/healthz", Connection="Upgrade, HTTP2-Settings", Upgrade="h2c", HTTP2_Settings="")
    assert (await ask(server, offer))[0] == "200 OK"


NO_REQUESTS = {
    "uri": (b"GET /" + b"x" * 9_000 + b" HTTP/1.1\r\n\r\n", "414"),
    "header": (b"GET / HTTP/1.1\r\nX: " + b"y" * 9_000 + b"\r\n\r\n", "431"),
    "headers": (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", "431"),
    "body": (b"GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello", "400"),
    "chunks": (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
    "lines": (b"GET / HTTP/1.1\nHost: localhost\n\n", "400"),
    "http2": (b"GET / HTTP/2\r\n\r\n", "400"),
    "words": (b"hello there\r\n\r\n", "400"),
    "tls": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200) + b"\n", "400"),
    "colon": (b"GET / HTTP/1.1\r\nno header\r\n\r\n", "400"),
    "endless": (b"A" * 20_000, "414"),
}


async def test_what_is_no_request_is_told_so(server: LiveServer) -> None:
    for what, (request, status) in NO_REQUESTS.items():
        answered, _, body = await ask(server, request)
        assert (what, answered[:3]) == (what, status)
        assert body, what


async def test_who_uploads_without_end_can_still_read_why(server: LiveServer) -> None:
    raw = await server.raw()
    raw.send(
        b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999\r\n\r\n" + bytes(3_000_000)
    )
    status, _, body = await answer(raw)
    assert status.startswith("400")
    assert b"did not understand" in body


async def test_who_asks_and_closes_its_half_is_answered(server: LiveServer) -> None:
    raw = await server.raw()
    raw.send(get("/healthz"))
    raw.writer.write_eof()
    assert (await answer(raw))[0] == "200 OK"
    half = await server.raw()
    half.send(get("/healthz")[:-2])
    half.writer.write_eof()
    assert await half.reader.read() == b""


async def test_an_invitation_is_read_without_a_name(server: LiveServer) -> None:
    raw = await server.enter("ann")
    options = Options(public=False)
    room = await raw.ask(Create(id=1, game="tic_tac_toe", options=options), RoomState)
    status, headers, body = await ask(server, get(f"/invitation/{room.code}.json"))
    assert (status, headers["Content-Type"]) == ("200 OK", "application/json")
    assert json.loads(body)["owner"] == "ann"
    open_ = await raw.ask(Create(id=2, game="tic_tac_toe"), RoomState)
    _, _, body = await ask(server, get(f"/invitation/room-{open_.room}.json"))
    assert json.loads(body)["room"] == open_.room
    for path in ("WRONG2", "%00", f"{room.code}%20x", "1", f"room-{room.room}", "room-99"):
        status, _, body = await ask(server, get(f"/invitation/{path}.json"))
        assert (status, body[:7]) == ("404 Not Found", b"No room")


async def test_who_guesses_the_codes_of_invitations_is_soon_not_heard(open_server: Opener) -> None:
    server: LiveServer = await open_server(address_micros=WRONG_CODE, saved_ms=3_000)
    heard = [(await ask(server, get("/invitation/WRONG2.json")))[0] for _ in range(4)]
    assert heard == ["404 Not Found"] * 3 + ["429 Too Many Requests"]
