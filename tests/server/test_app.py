"""`plyhouse serve`: how it starts, what it says when it cannot, and how it ends."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from protocol import codec
from protocol.messages import (
    Bye,
    Hello,
    Join,
    MatchState,
    Play,
    Ready,
    Welcome,
)
from server import app
from server.config import BadSetting, Config
from server.store import FILE, open_store
from server.store.store import RoomRow, Row
from tests.server.scene import BLITZ, Scene

ROOT = Path(__file__).parents[2]


def run(*words: str, beside: app.Beside | None = None) -> int:
    """The app in this process."""
    parser = argparse.ArgumentParser()
    app.add_arguments(parser)
    return app.run(parser.parse_args(["--port", "0", *words]), None, beside)


async def stop(url: str) -> None:
    """What interrupts the server as soon as it is up."""
    os.kill(os.getpid(), signal.SIGTERM)


@contextlib.contextmanager
def serving(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A process of its own, and its address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "plyhouse", "serve", "--port", "0", *words],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.fullmatch(r"plyhouse: listening on http://(127\.0\.0\.1:\d+)\n", line)
        assert found, (line, process.stderr and process.stderr.read())
        yield process, f"ws://{found[1]}/ws"
    finally:
        process.kill()
        process.communicate()


def ended(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=10)
    return process.returncode, out, err


# ---------------------------------------------------------------- in this process


def test_it_says_where_it_listens_and_ends_when_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--data", str(tmp_path / "new" / "data"), beside=stop) == 0
    said = capsys.readouterr()
    assert re.fullmatch(r"plyhouse: listening on http://127\.0\.0\.1:\d+\n", said.out)
    assert said.err == ""
    assert (tmp_path / "new" / "data" / FILE).exists()


@pytest.mark.parametrize(
    ("name", "url"),
    [
        (("127.0.0.1", 8765), "http://127.0.0.1:8765"),
        (("::1", 8765, 0, 0), "http://[::1]:8765"),
    ],
)
def test_an_address_is_written_as_a_browser_reads_it(name: object, url: str) -> None:
    listening = SimpleNamespace(sockets=[SimpleNamespace(getsockname=lambda: name)])
    assert app._url(cast(asyncio.Server, listening)) == url


def test_what_runs_beside_it_is_ended_with_it(tmp_path: Path) -> None:
    told: list[str] = []

    async def beside(url: str) -> None:
        told.append(url)
        await stop(url)
        try:
            await asyncio.sleep(60)
        finally:
            told.append("ended")

    assert run("--data", str(tmp_path), beside=beside) == 0
    assert told[0].startswith("http://127.0.0.1:")
    assert told[1:] == ["ended"]


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        yield sock.getsockname()[1]


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What it says when it does not start."""
    assert run(*words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("plyhouse: ")
    assert said.err.count("\n") == 1
    return said.err


def test_a_port_that_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], taken: int
) -> None:
    said = refused(capsys, "--data", str(tmp_path), "--port", str(taken))
    assert f"cannot listen on 127.0.0.1 port {taken}" in said
    assert "--port 0" in said
    open_store(tmp_path).close()  # the log was let go


@pytest.mark.parametrize("words", [["--port", "99999"], ["--host", "192.0.2.1"]])
def test_an_address_that_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert "cannot listen on" in refused(capsys, "--data", str(tmp_path), *words)


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("pings=3", "no setting is called 'pings'; there are"),
        ("ping_ms", "ping_ms is a whole number from 1, not ''"),
        ("ping_ms=0", "not '0'"),
        ("ping_ms=-5", "not '-5'"),
        ("ping_ms=1.5", "not '1.5'"),
        ("ping_ms=²", "not '²'"),
        ("ping_ms=" + "9" * 5000, "not '99999999999999999999'"),
    ],
)
def test_a_setting_that_makes_no_sense(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], setting: str, said: str
) -> None:
    assert said in refused(capsys, "--data", str(tmp_path), "--set", setting)


def test_settings_are_put_in() -> None:
    config = Config().with_settings(["ping_ms=5", "rooms=7", "ping_ms=6"])
    assert (config.ping_ms, config.rooms, config.hello_ms) == (6, 7, Config().hello_ms)
    with pytest.raises(BadSetting, match="no setting is called ''"):
        Config().with_settings([""])


def test_a_folder_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be made" in refused(capsys, "--data", str(tmp_path / "file" / "data"))
    assert "cannot be made" in refused(capsys, "--data", str(tmp_path / "file"))


def test_a_folder_that_is_in_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = open_store(tmp_path)
    said = refused(capsys, "--data", str(tmp_path))
    store.close()
    assert "another server is using" in said


def test_a_log_from_a_newer_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    open_store(tmp_path).close()
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("PRAGMA user_version = 99")
    assert "written by a newer Plyhouse" in refused(capsys, "--data", str(tmp_path))


def test_a_log_that_is_damaged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    open_store(tmp_path).close()
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("DROP TABLE room")
    assert "the database is damaged" in refused(capsys, "--data", str(tmp_path))


def test_data_are_kept_where_others_keep_theirs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert app.default_data() == tmp_path / "plyhouse"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert app.default_data() == tmp_path / ".local" / "share" / "plyhouse"


# ---------------------------------------------------------------- in a process of its own


@pytest.mark.socket
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with serving("--data", str(tmp_path)) as (process, url):
        with connect(url, compression=None) as ann:
            ann.send(codec.encode(Hello(version=1)))
            assert isinstance(codec.decode_reply(ann.recv(decode=False)), Welcome)
            process.send_signal(number)
            bye = codec.decode_reply(ann.recv(decode=False))
            assert isinstance(bye, Bye)
            assert bye.code == "server/closing"
            with pytest.raises(ConnectionClosed) as closed:
                ann.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1012
        assert ended(process) == (0, "", "")


@pytest.mark.socket
def test_a_second_server_on_the_same_folder_does_not_start(tmp_path: Path) -> None:
    with serving("--data", str(tmp_path)):
        second = subprocess.run(
            [sys.executable, "-m", "plyhouse", "serve", "--port", "0", "--data", str(tmp_path)],
            cwd=ROOT, capture_output=True, text=True, timeout=20, check=False,
        )  # fmt: skip
    assert second.returncode == 2
    assert second.stdout == ""
    assert re.fullmatch(r"plyhouse: another server is using .*\n", second.stderr)


@pytest.mark.socket
def test_two_hundred_matches_come_back(tmp_path: Path) -> None:
    rooms = 200
    token = write_matches(tmp_path, rooms)
    begin = time.monotonic()
    with serving("--data", str(tmp_path)) as (process, url):
        assert time.monotonic() - begin < 10
        with connect(url, compression=None) as ann:
            ann.send(codec.encode(Hello(version=1, token=token)))
            welcome = codec.decode_reply(ann.recv(decode=False))
            assert isinstance(welcome, Welcome)
            assert len(welcome.rooms) == len(welcome.matches) == rooms
            states: dict[str, MatchState] = {}
            while len(states) < rooms:
                message = codec.decode_reply(ann.recv(decode=False))
                if isinstance(message, MatchState):
                    states[message.match] = message
            assert {state.ply for state in states.values()} == {2}
            assert all(state.legal is not None for state in states.values())
            one = states["77.1"]
            ann.send(codec.encode(Play(match=one.match, turn=one.turn, action="9")))
            while not (isinstance(message, MatchState) and message.ply == 3):
                message = codec.decode_reply(ann.recv(decode=False))
        process.terminate()
        assert ended(process) == (0, "", "")


def write_matches(folder: Path, rooms: int) -> str:
    """A log with so many matches between ann and bob in it; ann's token."""
    unlimited = [f"{name}=1000000" for name in ("messages_burst", "rooms_per_session")]
    scene = Scene(Config().with_settings(unlimited))
    ann, bob = scene.enter("ann"), scene.enter("bob")
    for _ in range(rooms):
        room = scene.room(ann, options=BLITZ)
        bob.say(Join(room=room))
        ann.say(Ready(room=room))
        bob.say(Ready(room=room))
        for player, action in ((ann, "5"), (bob, "1")):
            turn = player.last(MatchState).turn
            player.say(Play(match=f"{room}.1", turn=turn, action=action))
        ann.heard(), bob.heard()
    asyncio.run(copy(scene, folder))
    return ann.token


async def copy(scene: Scene, folder: Path) -> None:
    """Write what is in a log in memory to one on disk."""
    rows: list[Row] = [*scene.store.events.values(), *scene.store.logins.values()]
    rows += [RoomRow(*row) for row in scene.store.rooms.items()]
    store = open_store(folder)
    done = asyncio.get_running_loop().create_future()
    store.append(rows, done.set_result)
    assert await done is None
    store.close()
