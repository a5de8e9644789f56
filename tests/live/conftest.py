"""The server that strangers visit, and the strangers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Protocol

import pytest

from lab.arena.local_server import NO_ALLOWANCES, ServerProcess
from tests.live.matches import COUNT, Come
from tests.live.stranger import Stranger
from tests.support.serving import serving

# All strangers have one address, so only a connection has limits here.
LIMITS = {
    **NO_ALLOWANCES,
    "connection_micros": 20_000,
    "names_per_address": 10_000,
    "ladders_per_address": 100,
    "new_ladders_per_address": 100,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One server for all tests; they keep out of each other's way by names and rooms."""
    with serving(tmp_path_factory.mktemp("server") / "data", LIMITS) as server:
        yield server


class HasSocket(Protocol):
    """Whatever strangers may come to."""

    @property
    def socket_url(self) -> str:
        """Where the next one connects."""


@pytest.fixture
async def come(server: ServerProcess) -> AsyncIterator[Come]:
    """Bring strangers in: `await come("ann")` is one who has been welcomed, under a fresh name."""
    async with coming_to(server) as come:
        yield come


@asynccontextmanager
async def coming_to(server: HasSocket) -> AsyncIterator[Come]:
    """Have strangers come to a server; they leave in the end."""
    here: list[Stranger] = []

    async def come(name: str) -> Stranger:
        stranger = Stranger(server.socket_url, seed=len(here))
        await stranger.hello(f"{name}-{next(COUNT)}")
        here.append(stranger)
        return stranger

    yield come
    for stranger in here:
        await stranger.close()
