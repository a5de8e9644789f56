"""The server of `plyhouse match` in this process: one more takes half a second to start."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

import pytest

from lab.arena.local_server import SETTINGS
from lab.commands import match
from server.app import Running, opened
from server.config import Config
from server.net.door import LOOPBACK


@asynccontextmanager
async def here(folder: Path) -> AsyncIterator[Running]:
    """What local_server() is, in this process, with a folder of its own in this one."""
    config = Config().with_settings([f"{name}={value}" for name, value in SETTINGS.items()])
    async with opened(Path(mkdtemp(dir=folder)), config, LOOPBACK, None) as running:
        yield running


@pytest.fixture
def lent_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match, "local_server", partial(here, tmp_path))
