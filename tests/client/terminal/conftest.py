"""Stages for sessions: one before a person, one in a pipe."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from client.terminal import seating
from tests.client.terminal.fakes import Stage


@pytest.fixture(autouse=True)
def _bots_answer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "ANSWERS_WITHIN_S", 0.01)


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
