"""The fake server, for all tests of the client: on the test's loop, or on a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from functools import partial
from pathlib import Path

import pytest

from tests.client.fake_server import FakeServer, HostedServer
from tests.support import command
from tests.support.command import Run

in_this_process = command.run  # the fixture, by a name that is free here


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
    assert ready.wait(60)
    yield fake
    fake.end()
    thread.join()


@pytest.fixture
def plyhouse_main(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_this_process: Run) -> Run:
    """Run a command of somebody who has been at no server yet."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return in_this_process


@pytest.fixture
def run(server: HostedServer, plyhouse_main: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `plyhouse ladder ...` at the fake server."""
    monkeypatch.setenv("PLYHOUSE_URL", server.url)
    return partial(plyhouse_main, "ladder")
