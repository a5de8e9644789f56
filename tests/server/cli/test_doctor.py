"""`plyhouse doctor`: what it finds on a machine where all is well, and where it is not."""

from __future__ import annotations

import argparse
import contextlib
import socket
import sqlite3
from pathlib import Path

import pytest

from server.cli import doctor
from server.store import FILE, open_store


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
