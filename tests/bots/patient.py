"""A bot that thinks for as long as a test wants, and a runner that plays it at a house without a
network.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from bots import registry, terms
from bots.bot import Bot, Choice, Setting
from bots.runner import Runner
from games.game import Ints, Position
from tests.bots.fake_house import FakeHouse, invited, room_state


class Patient(Bot):
    """Thinks until it is told to stop, or until a test lets it go."""

    SETTINGS = (Setting("depth", 1, "", 1, 9),)
    LEVELS = (1, 2, 3)
    made: list[Patient]
    asked: list[tuple[str, int]]

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        type(self).made.append(self)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        self.asked.append((str(position), nodes))
        while not stop[0] and not Patient.go.wait(0.001):
            pass
        if Patient.broken:
            raise RuntimeError("out of ideas")
        return Choice(position.legal_actions()[-1], value=Patient.value, nodes=3, note="9 3 +0.20")

    go = threading.Event()
    broken = False
    value = 0.2


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """`mcts` is Patient here, and lets go at once unless a test wants it to think."""
    Patient.made, Patient.asked = [], []
    Patient.go = threading.Event()
    Patient.go.set()
    Patient.broken, Patient.value = False, 0.2
    monkeypatch.setattr(registry, "_load", lambda name, path: Patient)


@asynccontextmanager
async def running(slots: int = 1, **entry: Any) -> AsyncIterator[tuple[FakeHouse, Runner]]:
    house = FakeHouse()
    runner = Runner(house, terms.entry("mcts", seed=4, slots=slots, **entry))  # type: ignore[arg-type]
    serving = asyncio.create_task(runner.serve())
    try:
        yield house, runner
    finally:
        Patient.go.set()
        await house.close()
        await serving


@asynccontextmanager
async def seated(**entry: Any) -> AsyncIterator[tuple[FakeHouse, Runner]]:
    """A runner that has been invited to room 7 and sits at seat 1."""
    async with running(**entry) as (house, runner):
        house.push(invited(), room_state())
        await house.until("ready")
        house.calls.clear()
        yield house, runner
