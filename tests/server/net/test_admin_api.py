"""The host's requests over HTTP: only with the token, only from here, and only by POST."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from protocol.messages import Notice
from server.admin.token import NoAdminToken, find_token, keep_token, read_token
from tests.server.conftest import Opener
from tests.support.live_server import LiveServer

pytestmark = pytest.mark.socket


async def ask(
    server: LiveServer, verb: str, token: str = "", method: str = "GET", **headers: str
) -> tuple[int, Any]:
    """Status and answer of a request to the host's door."""
    given = {"Host": "localhost", "Connection": "close", "Authorization": f"Bearer {token}"}
    lines = "".join(f"{name}: {value}\r\n" for name, value in (given | headers).items())
    raw = await server.raw()
    raw.send(f"{method} /admin/api/{verb} HTTP/1.1\r\n{lines}\r\n".encode())
    status = int((await raw.head()).split()[1])
    body = await raw.reader.read()
    return status, json.loads(body) if body.startswith(b"{") else body.decode()


async def test_the_token_lies_in_a_private_file_and_opens_the_door(
    open_server: Opener, tmp_path: Path
) -> None:
    server: LiveServer = await open_server()
    path = tmp_path / "data" / "admin.token"
    assert path.stat().st_mode & 0o777 == 0o600
    token, url = read_token(path)
    assert url == server.url
    ann = await server.enter("ann")
    status, answer = await ask(server, "who", token)
    assert status == 200
    assert answer["rows"] == [
        {"name": "ann", "program": None, "addresses": ["127.0.0.1"], "rooms": []}
    ]
    status, answer = await ask(server, "notice?text=tea%20at%20five", token, "POST")
    assert (status, answer["text"]) == (200, "1 connection told")
    assert (await ann.hear(Notice)).text == "tea at five"
    status, answer = await ask(server, "log", token)
    assert [(row["by"], row["text"]) for row in answer["rows"]] == [
        ("127.0.0.1", "told everybody: tea at five")
    ]


async def test_nobody_else_gets_in(open_server: Opener, tmp_path: Path) -> None:
    server: LiveServer = await open_server()
    token = read_token(tmp_path / "data" / "admin.token").token
    for wrong in ("", token[:-1], "\xff"):
        status, answer = await ask(server, "who", wrong)
        assert (status, answer["code"]) == (401, "admin/wrong-token")
        assert token not in answer["text"]
    for method, verb in (("GET", "kick?name=ann"), ("POST", "who")):
        status, answer = await ask(server, verb, token, method)
        assert (status, answer["code"]) == (405, "admin/wrong-method")
    assert (await ask(server, "who", token, Origin="http://evil.example"))[0] == 403
    assert (await ask(server, "who", token, Host="evil.example"))[0] == 421
    for verb in ("burn", "kick", "kick?name=a&name=b", "kick?name=%ff", "kick?x"):
        status, answer = await ask(server, verb, token, "POST")
        assert status == 400, answer
        assert answer["code"].startswith("admin/")


async def test_the_token_shows_the_figures_from_afar(open_server: Opener, tmp_path: Path) -> None:
    server: LiveServer = await open_server()
    token = read_token(tmp_path / "data" / "admin.token").token
    assert (await ask(server, "../../metrics", token, Host="house.example"))[0] == 400
    for given, status in ((token, 200), ("guess", 403)):
        raw = await server.raw()
        lines = f"Host: house.example\r\nAuthorization: Bearer {given}\r\n"
        raw.send(f"GET /metrics HTTP/1.1\r\n{lines}\r\n".encode())
        assert int((await raw.head()).split()[1]) == status


async def test_guesses_cost_so_much_that_soon_none_is_looked_at(open_server: Opener) -> None:
    server: LiveServer = await open_server(address_micros=20_000, saved_ms=950)
    answers = [await ask(server, "who", "guess") for _ in range(3)]
    assert [status for status, _ in answers] == [401, 429, 429]


def test_a_token_is_kept_and_a_broken_one_replaced(tmp_path: Path) -> None:
    first = find_token(tmp_path)
    assert len(first) >= 43
    keep_token(tmp_path, first, "http://127.0.0.1:2")
    assert find_token(tmp_path) == first
    path = tmp_path / "admin.token"
    assert read_token(path) == (first, "http://127.0.0.1:2")
    path.write_text("short\n")
    with pytest.raises(NoAdminToken, match="no token in"):
        read_token(path)
    second = find_token(tmp_path)
    assert second not in (first, "short")
    keep_token(tmp_path, second, "")
    put_aside = tmp_path / "admin.token.unreadable-1"
    assert put_aside.read_text() == "short\n"
    assert set(tmp_path.iterdir()) == {path, put_aside}
    with pytest.raises(NoAdminToken, match="cannot be written"):
        keep_token(tmp_path / "missing", first, "")
