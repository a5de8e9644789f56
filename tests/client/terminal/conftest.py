"""Stages for sessions: one before a person, one in a pipe."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.client.terminal.fakes import Stage


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    made = Stage()
    yield made
    await made.end()


@pytest.fixture
async def pipe() -> AsyncIterator[Stage]:
    made = Stage(patient=True)
    yield made
    await made.end()
