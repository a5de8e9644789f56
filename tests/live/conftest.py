"""The server that strangers visit, and the strangers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest

from tests.live.house import (
    COUNT,
    Come,
    House,
    open_house,
)
from tests.live.stranger import Message, Stranger


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """One server for all tests; they keep out of each other's way by names and rooms."""
    with open_house(tmp_path_factory.mktemp("house") / "data") as house:
        yield house


@pytest.fixture
async def come(house: House) -> AsyncIterator[Come]:
    """Bring strangers in: `await come("ann")` is one who has been welcomed, under a fresh name."""
    here: list[Stranger] = []

    async def come(
        name: str | None = None, bot: Message | None = None, house: House = house
    ) -> Stranger:
        stranger = Stranger(house.url, seed=len(here))
        await stranger.hello(f"{name}-{next(COUNT)}" if name else None, bot)
        here.append(stranger)
        return stranger

    yield come
    for stranger in here:
        await stranger.close()
