"""What the tests of the server share."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.server.live import Live, live
from tests.server.scene import Scene

Opener: TypeAlias = Callable[..., Any]


@pytest.fixture
def scene() -> Scene:
    """A house without sockets."""
    return Scene()


@pytest.fixture
async def open_house(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> AsyncIterator[Opener]:
    """Opens real servers; none of them may have anything to complain about."""
    complaints: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, what: complaints.append(what))
    async with AsyncExitStack() as stack:

        async def open_one(page: Path | None = None, **settings: int) -> Live:
            house: AbstractAsyncContextManager[Live] = live(tmp_path / "data", page, **settings)
            return await stack.enter_async_context(house)

        yield open_one
    await asyncio.sleep(0)
    assert complaints == []
    assert [r.getMessage() for r in caplog.records if r.name == "asyncio" and r.levelno > 20] == []


@pytest.fixture
async def house(open_house: Opener) -> Live:
    """One server with its ordinary limits, which looks at its connections more often."""
    server: Live = await open_house(sweep_ms=20)
    return server
