"""Two servers on one log, joined by a line in memory: players are at one, rooms at the other.

A FarScene takes the place of a Scene: whoever connects does so at the *front*, which opens no rooms
of its own and has no ladders, and what a test looks into is the *owner*.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import cast
from unittest import mock

import msgspec

from protocol import parts
from server.app import assemble
from server.cluster.cluster import Cluster
from server.cluster.core.membership import MemberKey
from server.cluster.far import Framing
from server.cluster.line.outbox import Outbox
from server.cluster.line.signals import Signal
from server.config import Config
from server.hub import Hub
from server.rooms import wall_clock
from tests.server.memory_store import MemoryStore
from tests.server.scene import Player, Scene

encode = msgspec.msgpack.Encoder().encode
PLAIN = Framing(lambda payload, text: payload, lambda frame: frame)  # as a FakeTransport has it
decode = msgspec.msgpack.Decoder(Signal).decode


class MemoryLines:
    """Lines between servers in one process: what is said is heard when it is passed on."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def join(self, one: Cluster, other: Cluster) -> None:
        """Join two servers by a line."""
        for here, there in ((one, other), (other, one)):
            here.servers.server(there.servers.me)
        for here, there in ((one, other), (other, one)):
            here.met(there.servers.me, self._outbox(here.servers.me, there))

    def _outbox(self, key: MemberKey, there: Cluster) -> Outbox:
        def deliver() -> None:
            for signal in outbox.take():
                there.received(key, decode(encode(signal)))

        outbox = Outbox(lambda: self._waiting.append(deliver))
        return outbox

    def pass_on(self) -> None:
        """Let all be heard, and what is said to that."""
        while self._waiting:
            self._waiting.popleft()()


class FarScene(Scene):
    """Two servers, of which `hub` is the front's, and all else the owner's."""

    def __init__(
        self, config: Config | None = None, store: MemoryStore | None = None, lazy: bool = False
    ) -> None:
        self.lines = MemoryLines()
        at = time.time()
        with mock.patch.object(wall_clock.time, "time", return_value=at):
            super().__init__(config, store, lazy)
            hub = self._front()
        self.store.answered = self.lines.pass_on
        self.owner, self.hub = self.hub, hub
        hubs = (self.hub, self.owner)
        self.clusters = [Cluster(MemberKey(n, 1), hub, PLAIN) for n, hub in enumerate(hubs, 1)]
        front, owner = self.clusters
        self.lines.join(front, owner)
        front.drain()
        owner.ladders.keep()
        self.pass_on()
        self.store.settle()

    def _front(self) -> Hub:
        loop = cast(asyncio.AbstractEventLoop, self.loop)
        hub, _, _, self.front_loading = assemble(self.store.beside(), self.config, loop)
        assert hub.rooms.total() == 0
        return hub

    def pass_on(self) -> None:
        """Let both hear what they say to each other."""
        self.lines.pass_on()

    def close(self) -> None:
        """End both."""
        self.hub.close()
        self.outage.stop()
        self.owner.close()

    def again(self, lazy: bool = False) -> FarScene:
        """The same log in new processes."""
        self.store.epoch += 1
        self.store.last_at = self.now()
        return FarScene(self.config, self.store, lazy)

    def house(self, bot: parts.BotInfo) -> Player:
        """A bot of the house's own, which both know by its token."""
        self.hub.lobby.names.own_house(["the house's"], "the house's", self.now())
        return super().house(bot)
