"""A bot that thinks for as long as a test wants, and a runner that plays it at a server without a
network.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from bots.bot import Bot, Choice, Setting
from bots.online.entry import make_entry
from bots.online.runner import Runner
from games.game import Ints, Position
from tests.bots.online.fake_connection import FakeConnection, invited, room_state


class PausableBot(Bot):
    """Thinks until it is told to stop, or until a test lets it go; ponders until it is told to."""

    SETTINGS = (Setting("depth", 1, "", 1, 9), Setting("ponder", False, ""))
    LEVELS = (1, 2, 3)
    made: list[PausableBot]
    asked: list[tuple[str, int]]  # position and nodes of each choice
    told: list[str]  # what it thought and pondered about, and when it awoke
    go, dreaming = threading.Event(), threading.Event()
    broken = False
    value = 0.2
    expects: float | None = None

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        type(self).made.append(self)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        self.asked.append((str(position), nodes))
        self.told.append(f"think {position.game.format_position(position)}")
        while not stop[0] and not self.go.wait(0.001):
            pass
        if self.broken:
            raise RuntimeError("out of ideas")
        action = position.legal_actions()[-1]
        return Choice(action, value=self.value, nodes=3, note="9 3 +0.20")

    def expected_points(self, position: Position) -> float | None:
        self.told.append(f"judge {position.game.format_position(position)}")
        if self.broken:
            raise RuntimeError("out of ideas")
        return self.expects

    def ponder(self, position: Position, stop: Ints) -> int:
        self.told.append(f"ponder {position.game.format_position(position)}")
        if self.broken:
            raise RuntimeError("out of dreams")
        self.dreaming.set()
        while not stop[0]:
            time.sleep(0.001)  # `stop` is an array that the event loop sets: nothing to wait on
        self.dreaming.clear()
        self.told.append("awake")
        return 1


@asynccontextmanager
async def running(slots: int = 1, **entry: Any) -> AsyncIterator[FakeConnection]:
    connection = FakeConnection()
    connection.runner = Runner(connection, make_entry("mcts", seed=4, slots=slots, **entry))  # type: ignore[arg-type]
    serving = asyncio.create_task(connection.runner.serve())
    try:
        yield connection
    finally:
        PausableBot.go.set()
        await connection.close()
        await serving


@asynccontextmanager
async def seated(**entry: Any) -> AsyncIterator[FakeConnection]:
    """The connection of a runner that has been invited to room 7 and sits at seat 1."""
    async with running(**entry) as connection:
        await connection.until("ready", invited(), room_state())
        connection.calls.clear()
        yield connection
