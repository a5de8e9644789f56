"""The fake house, for all tests of the client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from tests.client.fake_house import FakeHouse


@pytest.fixture
async def fake() -> AsyncIterator[FakeHouse]:
    async with FakeHouse() as house:
        yield house
    leaked = asyncio.all_tasks() - {asyncio.current_task()}
    assert not [task for task in leaked if "plyhouse" in task.get_name()]
