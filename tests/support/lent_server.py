"""The server of `plyhouse match` in this process: one more takes half a second to start."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import mkdtemp

import pytest

from lab.arena.local_server import SETTINGS
from lab.commands import match
from server.app import Running, opened
from server.config import Config
from server.net.door import LOOPBACK


@pytest.fixture
def lent_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = Config().with_settings([f"{name}={value}" for name, value in SETTINGS.items()])

    @asynccontextmanager
    async def local_server() -> AsyncIterator[Running]:
        async with opened(Path(mkdtemp(dir=tmp_path)), config, LOOPBACK, None) as running:
            yield running

    monkeypatch.setattr(match, "local_server", local_server)
