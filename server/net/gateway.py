"""All sockets together: who is let in, and the sweep over them.

One sweep a second does what each connection would otherwise need a timer for: pings, silence, a
hello that never comes, a goodbye that is not answered.
"""

from __future__ import annotations

import asyncio
from typing import Protocol

from server.config import CONNECTION, UNREAD
from server.hub import Hub
from server.net.addresses import Address, Addresses
from server.net.crowds import Crowds
from server.net.pages import Pages
from server.rooms.peers import Peer
from server.rooms.wall_clock import WallClock


class Swept(Protocol):
    """A connection as the gateway sees it; sockets.Socket is one."""

    peer: Peer | None
    asked: bool

    def sweep(self, now: int) -> None:
        """Do what is due."""

    def drop(self) -> None:
        """End without a word."""


class Gateway:
    """All sockets, and the sweep over them."""

    def __init__(self, hub: Hub, clock: WallClock, pages: Pages, sockets: set[Swept]) -> None:
        self.hub = hub
        self.config = hub.config
        self.clock = clock
        self.now = clock.now
        self.pages = pages
        self.sockets = sockets
        self.addresses = Addresses(hub.config, clock, pages.proxies)
        self.crowds = Crowds(clock.loop)
        config = hub.config
        # How many frames a connection may send between two sweeps.
        self.frames = max(1, config.frames_per_second * config.sweep_ms // 1000)
        self._sweeping: asyncio.TimerHandle | None = None

    def admit(self, host: str) -> Address | None:
        """Return the address of a new connection, or None if it is not worth a refusal."""
        address = self.addresses.home(host)
        if address.owes_much() or self.crowded(address, self.config.spare_connections):
            address.charge(UNREAD)
            return None
        address.charge(CONNECTION)
        return address

    def start(self) -> None:
        """Begin to sweep."""
        self._sweeping = self.clock.call_later(self.config.sweep_ms / 1000, self._sweep)

    def close(self) -> None:
        """Drop those that wait for nothing; the hub says goodbye to the others."""
        for each in list(self.sockets):
            if each.peer is None and not each.asked:
                each.drop()

    def stop(self) -> None:
        """End the sweep and what connections are left."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        for each in list(self.sockets):
            each.drop()

    def _sweep(self) -> None:
        self.start()
        now = self.now()
        for each in list(self.sockets):
            each.sweep(now)
        self.addresses.forget(now)
        self.hub.sweep(now)

    def crowded(self, address: Address, spare: int = 0) -> bool:
        """Whether this address, or the server, has more connections than it may, and `spare`."""
        config = self.config
        return (
            address.crowd() > config.connections_per_address + spare
            or len(self.sockets) > config.connections + spare
        )
