"""`plyhouse doctor`: what it finds on a machine where all is well, and where it is not."""

from __future__ import annotations

import argparse
import contextlib
import socket
import sqlite3
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from protocol.files import running
from server.cli import doctor
from server.store import FILE, open_store


@pytest.fixture(autouse=True)
def alone(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No other server of this user is found: one may run beside the tests."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("running")))


def run(capsys: pytest.CaptureFixture[str], data: Path, port: int = 0) -> tuple[int, list[str]]:
    """Exit code and lines."""
    parser = argparse.ArgumentParser()
    doctor.add_arguments(parser)
    code = doctor.run(parser.parse_args(["--data", str(data), "--port", str(port)]))
    return code, capsys.readouterr().out.splitlines()


def test_all_is_well(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run(capsys, tmp_path / "data")
    assert code == 0
    assert {line.split()[0] for line in lines} <= {"ok", "note"}
    assert any("database: none yet" in line for line in lines)
    assert any("tic_tac_toe" in line for line in lines)
    assert not (tmp_path / "data").exists()


def test_a_database_is_opened_and_let_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_store(tmp_path).close()
    code, lines = run(capsys, tmp_path)
    assert code == 0
    assert f"ok    database: {tmp_path}, 0 open rooms" in lines
    open_store(tmp_path).close()


@pytest.mark.parametrize("how", ["in use", "damaged"])
def test_a_database_that_cannot_be_used_is_bad(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    store = open_store(tmp_path)
    if how == "damaged":
        store.close()
        with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as db:
            db.execute("DROP TABLE room")
    code, lines = run(capsys, tmp_path)
    store.close()
    assert code == 1
    assert any(line.startswith("bad   database: ") for line in lines)


def test_a_port_that_is_taken_is_worth_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
        code, lines = run(capsys, tmp_path / "data", port)
    assert code == 0
    assert any(line.startswith(f"note  port {port}: ") for line in lines)


def test_a_game_that_is_broken_is_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "marbles.py").write_text("GAME = 1 // 0\n", "utf-8")
    monkeypatch.setenv("PLYHOUSE_GAMES", str(tmp_path))
    code, lines = run(capsys, tmp_path / "data")
    assert code == 1
    assert any(line.startswith("bad   games: 'marbles' is left out: ") for line in lines)


def test_a_port_that_cannot_be_is_bad(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, lines = run(capsys, tmp_path / "data", 65_536)
    assert code == 1
    assert "bad   port 65536: there is none; ports go from 0 to 65535" in lines


@contextlib.contextmanager
def answering(*answers: tuple[int, str]) -> Iterator[tuple[int, list[str]]]:
    """Something that answers each request of HTTP with the next status and body, the last again and
    again: its port, and the paths that it is asked for.
    """
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = answers[min(len(paths), len(answers) - 1)]
            paths.append(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server.server_port, paths
        finally:
            server.shutdown()
            thread.join()


DRAINS = (503, '{"ok": false, "obstacles": ["it drains"]}')
READY = (200, '{"ok": true, "obstacles": []}')


def asked(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str]]:
    """Exit code and lines of `plyhouse doctor` with these words."""
    parser = argparse.ArgumentParser()
    doctor.add_arguments(parser)
    code = doctor.run(parser.parse_args(words))
    return code, capsys.readouterr().out.splitlines()


@pytest.mark.socket
def test_a_server_that_runs_is_told_of_with_what_keeps_players_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with answering(DRAINS) as (port, paths):
        code, lines = run(capsys, tmp_path / "data", port)
    assert f"note  server at http://127.0.0.1:{port}: alive, not ready: it drains" in lines
    assert (code, paths) == (0, ["/healthz/ready"])
    with answering((200, "<html>")) as (port, _):
        assert not any("server at" in line for line in run(capsys, tmp_path / "data", port)[1])


@pytest.mark.socket
def test_a_database_that_a_healthy_server_uses_is_well(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(open_store(tmp_path)), answering(READY) as (port, _):
        code, lines = run(capsys, tmp_path, port)
    assert code == 0
    assert f"ok    database: {tmp_path}, which a server is using" in lines


@pytest.mark.socket
def test_it_waits_until_a_server_is_ready(capsys: pytest.CaptureFixture[str]) -> None:
    with answering(DRAINS, DRAINS, READY) as (port, paths):
        where = ["--port", str(port)]
        said = f"server at http://127.0.0.1:{port}"
        drains = [f"bad   {said}: not ready: it drains"]
        assert asked(capsys, *where, "--ask", "ready") == (1, drains)
        ready = [f"ok    {said}: ready"]
        assert asked(capsys, *where, "--ask", "ready", "--wait", "20") == (0, ready)
        assert asked(capsys, *where, "--ask", "alive") == (0, [f"ok    {said}: alive"])
    assert paths == ["/healthz/ready"] * 3 + ["/healthz/alive"]
    code, lines = asked(capsys, *where, "--ask", "alive")
    assert (code, len(lines)) == (1, 1)
    assert lines[0].startswith(f"bad   {said}: not alive: nobody answers: ")


def test_without_a_port_the_servers_of_this_user_are_asked() -> None:
    assert doctor.addresses(None) == ["http://127.0.0.1:8765"]
    running.tell("http://127.0.0.1:9100")
    assert doctor.addresses(None) == ["http://127.0.0.1:9100"]
    assert doctor.addresses(5) == ["http://127.0.0.1:5"]
