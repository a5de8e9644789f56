"""Runners at a server without a network: one just started, and one that sits at a table."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator

import pytest

from bots import registry
from bots.online import requests
from client.backoff import Backoff
from tests.bots.online.fake_connection import FakeConnection
from tests.support.pausable_bot import PausableBot, running, seated


@pytest.fixture
def pausable_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    """`mcts` is a PausableBot here, and does not pause unless a test wants it to think."""
    PausableBot.made, PausableBot.asked, PausableBot.told = [], [], []
    PausableBot.go, PausableBot.dreaming = threading.Event(), threading.Event()
    PausableBot.go.set()
    PausableBot.broken, PausableBot.value = False, 0.2
    PausableBot.expects = None
    monkeypatch.setattr(registry, "_load", lambda name, path: PausableBot)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits before asking again."""
    monkeypatch.setattr(requests, "RETRYING", Backoff(first=0.001))


@pytest.fixture
async def connection() -> AsyncIterator[FakeConnection]:
    async with running() as connection:
        yield connection


@pytest.fixture
async def seat() -> AsyncIterator[FakeConnection]:
    """The connection of a runner that has been invited to room 7 and sits at seat 1."""
    async with seated() as connection:
        yield connection
