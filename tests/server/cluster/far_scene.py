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
from server.assembly import assemble
from server.cluster.cluster import Cluster
from server.cluster.core.membership import MemberKey
from server.cluster.far import Framing
from server.cluster.forwarding import Locate
from server.cluster.line.outbox import Outbox
from server.cluster.line.signals import Signal
from server.cluster.members import FarServers
from server.config import Config
from server.hub import Hub
from server.rooms import wall_clock
from server.services.neighbours import Neighbours
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
        self,
        config: Config | None = None,
        store: MemoryStore | None = None,
        lazy: bool = False,
        locate: Locate | None = None,
    ) -> None:
        """`locate`: what the log knows of where a room is."""
        self.lines = MemoryLines()
        self.is_leased = True
        self._servers = FarServers(MemberKey(2, 1), framing=PLAIN)
        at = time.time()
        with mock.patch.object(wall_clock.time, "time", return_value=at):
            super().__init__(config, store, lazy)
            self.owner = self.hub
            self.hub, servers = self._front()
        self.store.answered = self.lines.pass_on
        self.clusters = [
            Cluster(servers, self.hub, self._is_leased, locate),
            Cluster(self._servers, self.owner, self._is_leased, locate),
        ]
        front, owner = self.clusters
        self.lines.join(front, owner)
        front.drain()
        owner.ladders.keep()
        self.pass_on()
        self.store.settle()

    def _is_leased(self) -> bool:
        return self.is_leased

    def _neighbours(self) -> Neighbours:
        return Neighbours(self._servers)

    def _front(self) -> tuple[Hub, FarServers]:
        loop = cast(asyncio.AbstractEventLoop, self.loop)
        servers = FarServers(MemberKey(1, 1), framing=PLAIN)
        hub, _, _, self.front_loading = assemble(
            self.store.beside(), self.config, loop, Neighbours(servers)
        )
        assert hub.rooms.total() == 0
        return hub, servers

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
