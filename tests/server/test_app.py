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
import sys
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import websockets
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

from games import registry
from protocol import codec, messages
from protocol.files import folders
from server import app, place
from server.cluster.core.membership import MemberKey
from server.config import BadConfig, Config
from server.core import lobby
from server.log_lines import JsonLines
from server.net import door
from server.net.listener import Listener
from server.store import FILE, open_store
from server.store.contract import DatabaseAway, SessionRow, StoreError
from tests.server.store.sqlite.test_opening import damage_unseen
from tests.support import warm
from tests.support.certificates import HOUSE, OTHER
from tests.support.warm import PIPE

ROOT = Path(__file__).parents[2]


def run(
    *words: str, companion: app.Companion | None = None, reserved: Sequence[str] = (),
    again: bool = False,
) -> int:  # fmt: skip
    """The app in this process."""
    parser = argparse.ArgumentParser()
    app.add_arguments(parser)
    words = ("--port", "0", *words)
    return app.run(parser.parse_args(words), None, companion, reserved=reserved, again=again)


async def stop(url: str, inner_url: str) -> None:
    """What interrupts the server as soon as it is up."""
    os.kill(os.getpid(), signal.SIGTERM)


def test_it_says_where_it_listens_and_ends_when_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--data", str(tmp_path / "new" / "data"), companion=stop) == 0
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
    assert door._url("http", cast(Listener, listening)) == url


def test_a_server_without_bots_keeps_their_names_from_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else an invitation for `random`, with the code of a private room, is somebody's."""
    codes: list[object] = []

    async def companion(url: str, inner_url: str) -> None:
        for name in ("random", "r\u0430ndom", "randy"):
            hello = codec.encode(messages.Hello(id=1, version=messages.VERSION, name=name))
            async with websockets.connect(url.replace("http", "ws") + "/ws") as socket:
                await socket.send(hello)
                answer = codec.decode_reply(cast(bytes, await socket.recv()))
                codes.append(getattr(answer, "code", type(answer).__name__))
        await stop(url, inner_url)

    assert run("--data", str(tmp_path), companion=companion, reserved=["mcts", "random"]) == 0
    assert codes == ["session/name-taken", "session/name-taken", "Welcome"]
    capsys.readouterr()


def test_what_runs_beside_it_is_ended_with_it(tmp_path: Path) -> None:
    told: list[str] = []

    async def companion(url: str, inner_url: str) -> None:
        told.append(url)
        assert inner_url == url
        await stop(url, inner_url)
        try:
            await asyncio.sleep(60)
        finally:
            told.append("ended")

    assert run("--data", str(tmp_path), companion=companion) == 0
    assert told[0].startswith("http://127.0.0.1:")
    assert told[1:] == ["ended"]


def test_what_fails_beside_it_is_reported_at_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def companion(url: str, inner_url: str) -> None:
        asyncio.get_running_loop().call_later(0.05, look, url)
        raise ZeroDivisionError("a bug")

    reports: list[str] = []

    def look(url: str) -> None:
        reports.append(caplog.text)
        os.kill(os.getpid(), signal.SIGTERM)

    assert run("--data", str(tmp_path), companion=companion) == 0
    assert "ZeroDivisionError: a bug" in reports[0]


def refused(capsys: pytest.CaptureFixture[str], folder: Path, *words: str, code: int = 2) -> str:
    """What it says when it does not start."""
    assert run("--data", str(folder), *words) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("plyhouse: ")
    assert said.err.count("\n") == 1
    return said.err


def test_a_clock_that_is_behind_has_a_code_of_its_own_which_the_service_tries_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = time.time()

    async def note_ann() -> None:
        with contextlib.closing(open_store(tmp_path)) as store:
            row = SessionRow(1, "ann", b"token", int(now * 1000), 0)
            store.append([row], lambda error: None)

    asyncio.run(note_ann())
    monkeypatch.setattr(time, "time", lambda: now - 40 * 3_600)
    assert "set the clock right" in refused(capsys, tmp_path, "--port", "0", code=3)
    unit = (Path(__file__).parents[2] / "docs/hosting/plyhouse.service").read_text()
    assert re.findall("^RestartPreventExitStatus=(.*)$", unit, re.MULTILINE) == ["2"]
    assert re.findall("^(After|Wants)=.*time-sync.target", unit, re.MULTILINE) == ["After", "Wants"]


def test_a_port_that_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        taken = sock.getsockname()[1]
        said = refused(capsys, tmp_path, "--port", str(taken))
    assert f"cannot listen on 127.0.0.1 port {taken}" in said
    assert "--port 0" in said
    open_store(tmp_path).close()  # the log was let go


def test_tls_with_a_certificate_that_may_be_renewed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    async def companion(url: str, inner_url: str) -> None:
        assert url.startswith("https://127.0.0.1:")
        assert inner_url.startswith("http://127.0.0.1:")
        os.kill(os.getpid(), signal.SIGHUP)
        while not caplog.records:  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(0.01)
        await stop(url, inner_url)

    words = ("--tls-cert", str(HOUSE.chain), "--tls-key", str(HOUSE.key))
    assert run("--data", str(tmp_path), *words, companion=companion) == 0
    assert "was read again" in caplog.text
    capsys.readouterr()
    assert refused(capsys, tmp_path, *words[:3], str(OTHER.key)).startswith("plyhouse: the key in")


@pytest.mark.socket
@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="there is no IPv6 here")
def test_two_colons_are_all_addresses_of_both_kinds(tmp_path: Path) -> None:
    reached: list[str] = []

    async def companion(url: str, inner_url: str) -> None:
        port = int(url.removeprefix("http://[::]:"))
        for host in ("127.0.0.1", "::1"):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(b"GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n")
            reached.append((await reader.read()).decode().partition("\r\n")[0])
            writer.close()
            await writer.wait_closed()
        await stop(url, inner_url)

    assert run("--data", str(tmp_path), "--host", "::", companion=companion) == 0
    assert reached == ["HTTP/1.1 200 OK"] * 2


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--port", "99999", "there is no port 99999: --port takes 0 to 65535"),
        ("--port", "-1", "there is no port -1"),
        ("--host", "", "--host is empty: leave it out"),
        ("--host", "192.0.2.1", "this machine has no such address; --host 0.0.0.0"),
        ("--host", "256.1.1.1", "--host is an address of this machine, or a name of one"),
        ("--host", f"{'a' * 64}.example", "--host is an address of this machine"),
        ("--tls-cert", "chain.pem", "--tls-cert and --tls-key go together"),
        ("--tls-key", "key.pem", "--tls-cert and --tls-key go together"),
        ("--trust-proxy", "proxy.example", "'proxy.example' is no address of a proxy"),
        ("--set", "pings=3", "no setting is called 'pings'; there are"),
        ("--set", "ping_ms", "ping_ms is a whole number from 1, not ''"),
        ("--set", "ping_ms=0", "not '0'"),
        ("--set", "ping_ms=-5", "not '-5'"),
        ("--set", "ping_ms=1.5", "not '1.5'"),
        ("--set", "ping_ms=²", "not '²'"),
        ("--set", "ping_ms=" + "9" * 5000, "not '99999999999999999999'"),
    ],
)
def test_an_option_that_makes_no_sense(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str, said: str
) -> None:
    sentence = refused(capsys, tmp_path, option, value)
    assert said in sentence
    assert "another server" not in sentence
    assert option != "--port" or not list(tmp_path.iterdir())


def test_an_address_may_stand_in_brackets_and_a_folder_is_no_empty_text() -> None:
    assert door.Door("[::1]").checked().host == "::1"
    with pytest.raises(SystemExit):
        run("--data", "")


def test_a_game_that_is_broken_is_left_out_and_the_log_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "marbles.py").write_text("GAME = 1 // 0\n", "utf-8")
    monkeypatch.setenv("PLYHOUSE_GAMES", str(tmp_path))
    app.load_games()
    [record] = caplog.records
    assert record.getMessage().startswith("the game 'marbles' is left out: ")
    assert "marbles.py, line 1: ZeroDivisionError" in record.getMessage()
    assert [info.game for info in lobby.catalog()] == list(registry.names())


def test_settings_are_put_in() -> None:
    school = Config().with_settings(["rooms_per_address=7", "school=on"])
    assert (school.rooms_per_address, school.connections_per_address) == (7, 512)
    assert (school.address_micros, school.share_micros) == (800_000, 920_000)
    assert school.rooms == Config().rooms
    config = Config().with_settings(["ping_ms=5", "rooms=7", "ping_ms=6"])
    assert (config.ping_ms, config.rooms, config.hello_ms) == (6, 7, Config().hello_ms)
    with pytest.raises(BadConfig, match="no setting is called ''"):
        Config().with_settings([""])


def test_a_log_that_another_server_uses_or_that_is_damaged(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with contextlib.closing(open_store(tmp_path)):
        assert "another server is using" in refused(capsys, tmp_path)
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute("DROP TABLE room")
    assert "is damaged (its tables are not those of Plyhouse)" in refused(capsys, tmp_path)


def test_damage_that_shows_while_it_runs_ends_it_with_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def rest(url: str, inner_url: str) -> None:
        await asyncio.sleep(60)  # ended by what is found

    assert run("--data", str(tmp_path), companion=stop) == 0
    damage_unseen(tmp_path)
    assert run("--data", str(tmp_path), companion=rest) == 2
    assert "plyhouse.db is damaged" in capsys.readouterr().err


def test_data_are_kept_where_others_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert folders.data() == tmp_path / "plyhouse"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folders.data() == tmp_path / ".local" / "share" / "plyhouse"


def entry_of_two(why: str | None) -> SimpleNamespace:
    """What tells that a server is the second of several; `why` it was thrown out."""
    return SimpleNamespace(why=why, node=SimpleNamespace(key=MemberKey(2, 1)))


@pytest.fixture(autouse=True)
def _other_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the lines of other tests not say which server this is."""
    monkeypatch.setattr(JsonLines, "server", None)


def test_a_signal_ends_a_server_that_others_have_taken_over_from_just_now(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs: list[str | None] = ["others have taken over", None]
    began: list[str | None] = []

    @contextlib.asynccontextmanager
    async def opened(*words: Any) -> AsyncIterator[Any]:
        began.append(runs[len(began)])
        words[-1].set()  # it is to stop
        yield SimpleNamespace(
            url="", inner_url="http://127.0.0.1:1", entry=entry_of_two(began[-1]),
            outage=SimpleNamespace(ended=None),
            hub=SimpleNamespace(rules=SimpleNamespace(draining=False)),
        )  # fmt: skip
        await stop("", "")  # while it closes

    monkeypatch.setattr(app, "opened", opened)
    monkeypatch.setattr(app, "tell", lambda url: None)
    assert run() == 0
    assert began == runs[:1]


@pytest.mark.parametrize("how", ["it has left", "the whole house drains", "it is told to end"])
def test_one_of_several_servers_of_a_process_is_started_anew_when_it_has_left(
    monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    began: list[str] = []

    @contextlib.asynccontextmanager
    async def opened(*words: Any) -> AsyncIterator[Any]:
        began.append(how)
        if how == "it is told to end" or len(began) == 3:
            await stop("", "")
        else:
            words[-1].set()
        rules = SimpleNamespace(draining=how == "the whole house drains")
        yield SimpleNamespace(
            url="", inner_url="http://127.0.0.1:1", entry=entry_of_two(None),
            outage=SimpleNamespace(ended=None), hub=SimpleNamespace(rules=rules),
        )  # fmt: skip

    monkeypatch.setattr(app, "opened", opened)
    monkeypatch.setattr(app, "tell", lambda url: None)
    assert run(again=True) == 0
    assert len(began) == (3 if how == "it has left" else 1)


def test_a_server_joins_again_once_the_database_lets_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(place, "RESTART_S", 0)
    standby, away = StoreError("it is a standby"), DatabaseAway("it does not answer")
    starts: list[int | Exception] = [place.EXIT_RESTART, standby, away, place.EXIT_RESTART, 0]

    async def serve() -> int:
        start = starts.pop(0)
        if isinstance(start, Exception):
            raise start
        return start

    assert place.run_to_the_end(serve, lambda: False) == 0
    said = [record.message for record in caplog.records]
    joins = "this server begins anew"
    assert said == [
        joins, "it is a standby; trying again", joins, "it does not answer; trying again", joins,
        joins,
    ]  # fmt: skip
    starts = [standby]
    with pytest.raises(StoreError, match="it is a standby"):  # whoever starts it is told
        place.run_to_the_end(serve, lambda: False)
    starts = [place.EXIT_RESTART, standby]
    assert place.run_to_the_end(serve, lambda: len(starts) == 0) == 0
    assert caplog.records[-1].message == "it is a standby"


@pytest.mark.socket
@pytest.mark.parametrize(
    "number",
    [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, pytest.param(None, marks=pytest.mark.slow)],
)
def test_a_signal_or_the_end_of_its_input_ends_it_cleanly(
    tmp_path: Path, number: signal.Signals | None
) -> None:
    words = ["serve", "--port", "0", "--data", str(tmp_path)]
    process = warm.Popen(
        [sys.executable, "-m", "plyhouse", *words, *(["--until-eof"] if number is None else [])],
        cwd=ROOT, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdin is not None
        listening = process.stdout.readline()
        address = re.fullmatch(r"plyhouse: listening on http://(127\.0\.0\.1:\d+)\n", listening)
        assert address, (listening, process.stderr and process.stderr.read())
        with connect(f"ws://{address[1]}/ws", compression=None) as ann:
            ann.send(codec.encode(messages.Hello(version=1)))
            assert isinstance(codec.decode_reply(ann.recv(decode=False)), messages.Welcome)
            if number is None:
                process.stdin.close()
            else:
                process.send_signal(number)
            bye = codec.decode_reply(ann.recv(decode=False))
            assert isinstance(bye, messages.Bye)
            assert bye.code == "server/closing"
            with pytest.raises(ConnectionClosed) as closed:
                ann.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1012
        assert (process.wait(60), process.stdout.read()) == (0, "")
        assert process.stderr is not None
        assert process.stderr.read() == ""
    finally:
        process.kill()
        with process:  # which closes our ends of its pipes
            pass
