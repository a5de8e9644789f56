"""Stores of each kind, empty; those in PostgreSQL are for the marker `postgres`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from server.store import open_store_at
from server.store.contract import Store
from tests.server.memory_store import MemoryStore

POSTGRES = pytest.param("postgres", marks=pytest.mark.postgres)


@pytest.fixture(params=["sqlite", POSTGRES])
async def disk(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """A store that keeps what it is told."""
    in_postgres = request.param == "postgres"
    url = request.getfixturevalue("database") if in_postgres else None
    store = await open_store_at(tmp_path, url, None)
    yield store
    await store.aclose()


@pytest.fixture(params=["memory", "sqlite", POSTGRES])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Store]:
    """A store; the one in memory is what others' tests use."""
    if request.param == "memory":
        yield MemoryStore()
        return
    in_postgres = request.param == "postgres"
    url = request.getfixturevalue("database") if in_postgres else None
    store = await open_store_at(tmp_path, url, None)
    yield store
    await store.aclose()
