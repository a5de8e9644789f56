"""The fake server, for all tests of the client: on the test's loop, or on a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import plyhouse
from tests.client.fake_server import FakeServer, HostedServer

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
async def fake() -> AsyncIterator[FakeServer]:
    async with FakeServer() as server:
        yield server
    leaked = asyncio.all_tasks() - {asyncio.current_task()}
    assert not [task for task in leaked if "plyhouse" in task.get_name()]


@pytest.fixture
def server() -> Iterator[HostedServer]:
    fake, ready = HostedServer(), threading.Event()
    thread = threading.Thread(target=lambda: asyncio.run(fake.host(ready)))
    thread.start()
    assert ready.wait(10)
    yield fake
    fake.end()
    thread.join()


@pytest.fixture
def plyhouse_main(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Run a command in this process: the exit code, and what it wrote to stdout and stderr."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def command(*words: object) -> tuple[int, str, str]:
        code = plyhouse.main(list(map(str, words)))
        out, err = capsys.readouterr()
        return code, out, err

    return command


@pytest.fixture
def run(server: HostedServer, plyhouse_main: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `plyhouse ladder ...` at the fake server."""
    monkeypatch.setenv("PLYHOUSE_URL", server.url)
    return partial(plyhouse_main, "ladder")
