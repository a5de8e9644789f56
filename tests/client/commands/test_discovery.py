"""A server that nobody has named is found: on this machine, else on the network."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from client.commands import discovery
from client.commands.discovery import Found
from protocol.files import running
from server.cli import announcing
from server.cli.announcing import NotAnnounced, announced


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without a server, on no network."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.delenv("PLYHOUSE_URL", raising=False)
    monkeypatch.setattr(discovery, "DEFAULT_ADDRESS", "127.0.0.1:1")

    async def nobody() -> list[Found]:
        return []

    monkeypatch.setattr(discovery, "on_network", nobody)


@pytest.fixture
def listening() -> Iterator[str]:
    """The address of something that answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def asked(**fields: object) -> argparse.Namespace:
    """The arguments of a command that takes a server."""
    args = argparse.Namespace(url=None, finds_server=True, **fields)
    discovery.fill_in(args)
    return args


@pytest.mark.socket
def test_the_server_of_this_machine_is_found_whatever_its_port(listening: str) -> None:
    assert asked().url == "127.0.0.1:1"  # nobody is there: the usual address will say so
    told = running.tell(listening)
    assert told is not None
    assert asked().url == listening
    told.unlink()
    assert asked().url == "127.0.0.1:1"


@pytest.mark.socket
def test_what_a_killed_server_has_left_is_no_server(listening: str) -> None:
    folder = running.folder()
    folder.mkdir(parents=True)
    gone = folder / "x.json"
    gone.write_text(json.dumps({"url": listening, "pid": 2**22 + 1}))
    (folder / "y.json").write_text("{")
    (folder / "z.json").write_text(json.dumps({"url": "http://127.0.0.1:1", "pid": os.getpid()}))
    assert asked().url == "127.0.0.1:1"
    assert not gone.exists()


@pytest.mark.socket
def test_among_several_the_person_chooses_and_a_program_is_told(
    listening: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as second:
        other = f"http://127.0.0.1:{second.getsockname()[1]}"
        monkeypatch.setattr(running, "urls", lambda: [listening, other])
        with pytest.raises(discovery.Undecided, match="name one with --url"):
            discovery.find_server(None)
        assert discovery.find_server(lambda found: found[1]) == other
        answers = iter(["3", "x", "2"])
        monkeypatch.setattr("builtins.input", lambda _: next(answers))
        assert discovery.find_server(discovery._ask) == other
        assert f"  1  {listening}  (this machine)" in capsys.readouterr().out


def test_a_file_needs_no_server(tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    record.write_text("{}")
    assert asked(match=str(record)).url is None


@pytest.mark.socket
async def test_a_server_that_makes_itself_known_is_found_on_the_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("zeroconf")
    monkeypatch.undo()
    monkeypatch.setattr(announcing, "ASK_MS", 50)  # no other is here who has the name
    here = ["127.0.0.1"]
    async with AsyncExitStack() as stack:
        try:
            name = await stack.enter_async_context(announced(9123, here, interfaces=here))
        except NotAnnounced as error:
            pytest.skip(str(error))
        assert name.endswith(".local")
        async with asyncio.timeout(60):
            mine = "http://127.0.0.1:9123"
            places: dict[str, str] = {}  # others on this network may have servers, too
            while mine not in places:
                places = dict(await discovery.on_network(0.3, here))
    assert places[mine].startswith("the network: ")
