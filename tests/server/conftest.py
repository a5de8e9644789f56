"""What the tests of the server share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from server.net.door import LOOPBACK, Door
from tests.server.scene import Scene
from tests.support.live_server import LiveServer, live_server

Opener: TypeAlias = Callable[..., Any]


@pytest.fixture
def scene() -> Scene:
    """A server without sockets."""
    return Scene()


@pytest.fixture
async def open_server(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Opener]:
    """Opens real servers; none of them may have anything to complain about."""
    complaints: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))
    async with AsyncExitStack() as stack:

        async def open_one(
            page: Path | None = None, door: Door = LOOPBACK, **settings: int
        ) -> LiveServer:
            live = live_server(tmp_path / "data", page, door, **settings)
            return await stack.enter_async_context(live)

        yield open_one
    await asyncio.sleep(0)
    assert complaints == []
    assert [r.getMessage() for r in caplog.records if r.name == "asyncio" and r.levelno > 20] == []


@pytest.fixture
async def server(open_server: Opener) -> LiveServer:
    """One server with its ordinary limits, which looks at its connections more often."""
    live: LiveServer = await open_server(sweep_ms=20)
    return live
