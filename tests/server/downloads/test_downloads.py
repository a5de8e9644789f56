"""What somebody gets who has only Python: the launcher, the wheel, and wheels of the host's."""

from __future__ import annotations

import ast
import asyncio
import base64
import csv
import hashlib
import io
import os
import sys
import zipfile
from pathlib import Path

import aiohttp
import pytest

from server.downloads import downloads as downloads_module
from server.downloads import launcher, wheel
from server.downloads.downloads import Downloads
from server.net.door import Door
from server.net.tls import Certificate
from tests.support.certificates import HOUSE
from tests.support.live_server import live_server


def test_the_wheel_holds_all_that_is_needed_and_says_so_in_its_record() -> None:
    made = wheel.build()
    assert made == wheel.build(), "the same files give the same bytes"
    with zipfile.ZipFile(io.BytesIO(made.data)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert {"plyhouse.py", "client/web/index.html", "games/backgammon/rules.py"} <= files.keys()
    assert not [name for name in files if name.endswith(".pyc") or name.startswith("tests")]
    [record] = [name for name in files if name.endswith(".dist-info/RECORD")]
    rows = list(csv.reader(files[record].decode().splitlines()))
    assert {row[0] for row in rows} == files.keys()
    for name, digest, size in rows[:-1]:
        data = files[name]
        mine = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        assert (digest, size) == (f"sha256={mine}", str(len(data)))
    [metadata] = [name for name in files if name.endswith(".dist-info/METADATA")]
    assert b"Requires-Dist: websockets" in files[metadata]


@pytest.mark.socket
async def test_a_server_hands_out_its_launcher_and_the_wheels(tmp_path: Path) -> None:
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "rich-15-py3-none-any.whl").write_bytes(b"PK")
    (tmp_path / "wheels" / "notes.txt").write_text("mine")
    async with live_server(tmp_path) as running, aiohttp.ClientSession(running.url) as session:
        running.gateway.pages.downloads = Downloads(tmp_path, asyncio.get_running_loop())
        async with session.get("/play.py") as response:
            assert response.status == 200
            text = await response.text()
        names = {
            node.targets[0].id: ast.literal_eval(node.value)  # type: ignore[attr-defined]
            for node in ast.parse(text, feature_version=(3, 8)).body
            if isinstance(node, ast.Assign)
        }
        assert names["URL"] == str(running.url).rstrip("/")
        own, digest = names["WHEEL"].split("#sha256=")
        async with session.get("/wheels/") as response:
            page = await response.text()
        assert own in page
        assert "rich-15-py3-none-any.whl" in page
        assert "notes" not in page
        async with session.get(f"/wheels/{own}") as response:
            assert hashlib.sha256(await response.read()).hexdigest() == digest
        for name in ("notes.txt", "../house.db", "%2e%2e/house.db", "nothing.whl"):
            async with session.get(f"/wheels/{name}") as response:
                assert response.status == 404


def test_the_launcher_installs_once_and_plays_at_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(launcher, "URL", "http://192.168.1.7:9")
    monkeypatch.setattr(launcher, "WHEEL", "plyhouse-1-py3-none-any.whl#sha256=0a1b")
    monkeypatch.setattr(launcher.sys, "argv", ["-", "connect_four"])
    monkeypatch.setattr(launcher.sys.stdin, "isatty", lambda: True, raising=False)
    made: list[Path] = []
    ran: list[tuple[list[str], dict[str, str]]] = []

    class Done:
        returncode = 0

    def run(words: list[str], check: bool, env: dict[str, str] | None = None) -> Done:
        ran.append((words, env or {}))
        return Done()

    def create(folder: Path, with_pip: bool, clear: bool) -> None:
        folder.mkdir(parents=True)
        made.append(folder)

    monkeypatch.setattr(launcher.subprocess, "run", run)
    monkeypatch.setattr(launcher.venv, "create", create)
    assert [launcher.main() for _ in range(2)] == [0, 0]
    assert made == [tmp_path / "plyhouse" / "launcher-0a1b"]
    install, *plays = ran
    wheel = "http://192.168.1.7:9/wheels/plyhouse-1-py3-none-any.whl#sha256=0a1b"
    assert install[0][-1] == wheel
    assert install[0][install[0].index("--trusted-host") + 1] == "192.168.1.7:9"
    for words, env in plays:
        assert words[1:] == ["play", "connect_four"]
        assert env["PLYHOUSE_URL"] == "http://192.168.1.7:9"


def test_no_host_is_trusted_whose_certificate_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    class Failed:
        returncode = 1

    def run(words: list[str], check: bool) -> Failed:
        ran.append(words)
        return Failed()

    monkeypatch.setattr(launcher, "URL", "https://house.example:8765")
    monkeypatch.setattr(launcher.subprocess, "run", run)
    monkeypatch.setattr(launcher.venv, "create", lambda *_, **__: None)
    assert launcher.install(tmp_path) == 1
    assert "--trusted-host" not in ran[0]
    assert not (tmp_path / "ready").exists()


@pytest.mark.slow
@pytest.mark.socket
@pytest.mark.parametrize("tls", [False, True], ids=["another wheel", "another certificate"])
async def test_pip_installs_nothing_else_than_the_server_s_own_wheel(
    tmp_path: Path, tls: bool
) -> None:
    """Over TLS by a certificate that nobody vouches for; without, bytes that were changed."""
    door = Door(certificate=Certificate(HOUSE.chain, HOUSE.key)) if tls else Door()
    async with live_server(tmp_path / "data", door=door) as running:
        downloads = Downloads(tmp_path, asyncio.get_running_loop())
        own = wheel.build()
        text = downloads_module.launcher(running.url, own)
        downloads._wheel = own if tls else own._replace(data=own.data + b"?")
        running.gateway.pages.downloads = downloads
        file = tmp_path / "play.py"
        file.write_text(text)
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(file),
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env=dict(os.environ, XDG_CACHE_HOME=str(tmp_path / "cache"), PIP_RETRIES="0"),
        )  # fmt: skip
        _, error = await process.communicate()
    assert process.returncode == 2
    assert ("CERTIFICATE_VERIFY_FAILED" if tls else "DO NOT MATCH THE HASHES") in error.decode(), (
        error.decode()
    )


@pytest.mark.socket
async def test_a_file_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "wheels" / "rich-15-py3-none-any.whl").mkdir(parents=True)
    async with live_server(tmp_path) as running, aiohttp.ClientSession(running.url) as session:
        running.gateway.pages.downloads = Downloads(tmp_path, asyncio.get_running_loop())
        async with session.get("/wheels/rich-15-py3-none-any.whl") as response:
            assert response.status == 503
            assert await response.text() == "This file cannot be made just now.\n"


def test_an_old_python_is_told_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(launcher.sys, "version_info", (3, 10, 2))
    assert launcher.main() == 2
    assert "Plyhouse needs Python 3.11 or newer; this is 3.10" in capsys.readouterr().err
