"""`plyhouse admin` against a server in a process of its own, from the first look to its end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from websockets.sync.client import ClientConnection, connect

from lab.arena.local_server import ServerProcess
from protocol.records.plain_text import width
from server.admin.token import read_token
from server.cli import admin
from tests.support.command import Run
from tests.support.serving import serving

pytestmark = pytest.mark.socket
PATIENCE = 60.0


@contextmanager
def guest(server: ServerProcess, name: str) -> Iterator[ClientConnection]:
    """Somebody who is connected and only listens."""
    with connect(server.socket_url) as socket:
        socket.send(json.dumps({"type": "hello", "version": 1, "name": name}))
        assert hears(socket)["type"] == "welcome"
        yield socket


def hears(socket: ClientConnection) -> dict[str, object]:
    message: dict[str, object] = json.loads(socket.recv(PATIENCE))
    return message


def test_a_host_sees_tells_bans_and_drains(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PLYHOUSE_ADMIN_TOKEN", raising=False)
    data = tmp_path / "data"
    with serving(data) as server, guest(server, "ann") as ann, guest(server, "eve") as eve:
        said = run("admin who --data", data).out.split("\n")
        assert [line.split()[:2] for line in said[1:3]] == [
            ["ann", "127.0.0.1"],
            ["eve", "127.0.0.1"],
        ]
        assert run("admin notice tea at five --data", data).out == "2 connections told\n"
        assert hears(ann) == {"type": "notice", "text": "tea at five"}
        assert hears(eve)["type"] == "notice"
        assert run("admin ladders --data", data).out == "there is no ladder\n"
        create = {"type": "create", "id": 1, "game": "connect_four", "options": {"public": False}}
        ann.send(json.dumps(create))
        assert hears(ann)["type"] == "room"
        (room,) = run("admin rooms --data", data).out.splitlines()[1:]
        assert room.split()[:5] == ["1", "connect_four", "waiting,", "private", "ann"]
        assert "1 connection ended" in run("admin ban eve --why cheating --data", data).out
        assert hears(eve)["code"] == "session/banned"
        monkeypatch.setenv("PLYHOUSE_ADMIN_TOKEN", read_token(data / "admin.token").token)
        (ban,) = run("admin bans --json --url", server.address).json()["rows"]
        assert (ban["target"], ban["why"], ban["for_ms"]) == ("eve", "cheating", None)
        newest = run("admin log --rows 1 --url", server.url).out.splitlines()[1]
        assert newest.endswith("banned eve: cheating")
        wrong = run("admin kick nobody --url", server.address)
        assert (wrong.code, wrong.err) == (1, "plyhouse: nobody called 'nobody' is connected\n")
        assert run("admin drain --url", server.url).code == 0
        assert "about to stop" in str(hears(ann)["text"])
        assert hears(ann)["code"] == "server/closing"
        process = server._process  # it ends by itself, with no signal
        assert process is not None
        assert process.wait(PATIENCE) == 0


def test_names_two_columns_wide_leave_the_columns_straight() -> None:
    rows = [{"name": name, "addresses": ["::1"], "rooms": []} for name in ("ann", "日本語")]
    lines = admin._lines("who", {"rows": rows})
    assert {width(line.partition("::1")[0]) for line in lines[1:]} == {len("日本語") * 2 + 2}


def test_a_host_without_a_token_or_a_server_hears_why(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PLYHOUSE_ADMIN_TOKEN", raising=False)
    run("admin who --data", tmp_path).refuses("plyhouse: no token can be read from")
    (tmp_path / "admin.token").write_text("x" * 43)
    run("admin who --data", tmp_path).refuses("plyhouse: no server is named: say --url")
    gone = run("admin who --url http://127.0.0.1:1 --data", tmp_path)
    assert gone.code == 1
    assert gone.err.startswith("plyhouse: no server answers at http://127.0.0.1:1")
    odd = run("admin who --url ftp://x --data", tmp_path)
    assert (odd.code, "is no server's address" in odd.err) == (1, True)
