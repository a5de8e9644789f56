"""All sockets together: who is let in, and the sweep over them.

One sweep a second does what each connection would otherwise need a timer for: pings, silence, a
hello that never comes, a goodbye that is not answered.

Why not `websockets.serve`, with a coroutine that reads and a task that writes for each connection,
the usual way: the tasks are what costs, not the frames.  In a prototype (November 2026, two
cores, 200 matches, in turns) that way made 11,700 stored moves a second; with writes at once and no
task for them it was 16,300, without one that reads 20,000, on the sans-I/O protocol 23,700.  It
held 17 kB a connection, this one 4.5 once the handshake is dropped.  Why the gateway's sweep looks
after silent and stuck peers, and not a timer for each: `asyncio.timeout` around each send took 11
microseconds a move.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from server import collector
from server.config import CONNECTION, UNREAD
from server.hub import Hub
from server.net.addresses import Address, Addresses, CountedConnection, Held
from server.net.broadcast_queue import BroadcastQueue
from server.net.pages import Pages
from server.rooms.wall_clock import WallClock

TIMES = ("opened", "heard", "pinged", "paused", "closing", "rests")  # of a connection; or None


class Gateway:
    """All sockets, and the sweep over them."""

    def __init__(
        self,
        hub: Hub,
        clock: WallClock,
        pages: Pages,
        sockets: set[CountedConnection],
        broadcasts: BroadcastQueue,
    ) -> None:
        self.hub = hub
        self.config = hub.config
        self.clock = clock
        self.now = clock.now
        self.pages = pages
        self.sockets = sockets
        self.idle: dict[CountedConnection, None] = {}  # the one that waits longest first
        self.held = Held(hub.config.held_in_all)
        self.arriving = 0  # connections that have a file already, and no socket of ours yet
        self.addresses = Addresses(hub.config, clock, pages.proxies)
        self.broadcasts = broadcasts
        self.batch = hub.rooms.batch
        config = hub.config
        # How many frames a connection may send between two sweeps.
        self.frames = max(1, config.frames_per_second * config.sweep_ms // 1000)
        self._sweeping: asyncio.TimerHandle | None = None
        clock.stepped.append(self._step)

    def admit(self, host: str) -> Address | None:
        """Return the address of a new connection, or None if it is not worth a refusal."""
        address = self.addresses.of_connection(host)
        if address.owes_much() or self.crowded(address, self.config.spare_connections):
            address.charge(UNREAD)
            return None
        address.charge(CONNECTION)
        return address

    def start(self) -> None:
        self.clock.start()
        self._sweep_later()

    def _sweep_later(self) -> None:
        self._sweeping = self.clock.call_later(self.config.sweep_ms / 1000, self._sweep)

    def close(self) -> None:
        """Drop those that wait for nothing; the hub says goodbye to the others."""
        for each in list(self.sockets):
            if each.waits_for_nothing():
                each.hang_up()

    def stop(self) -> None:
        """End the sweep and what connections are left."""
        if self._sweeping is not None:
            self._sweeping.cancel()
        self.clock.stop()
        self.pages.imports.close()
        for each in list(self.sockets):
            each.drop()

    def _sweep(self) -> None:
        self._sweep_later()
        now = self.now()
        for each in list(self.sockets):
            each.sweep(now)
        self.addresses.forget(now)
        collector.sweep(len(self.sockets))
        self.hub.sweep(now)

    def _step(self, ms: int) -> None:
        """Let the time go forward: no connection was silent or stuck for so long."""
        for each in self.sockets:
            for name in TIMES:
                if (at := getattr(each, name)) is not None:
                    setattr(each, name, at + ms)

    def await_request(self, connection: CountedConnection) -> None:
        """Let a connection be idle: it was answered, and may ask again."""
        connection.opened = self.now()
        self.idle[connection] = connection.address.idle[connection] = None

    def begin_request(self, connection: CountedConnection) -> None:
        """Let it be idle no more, if it was: it asks, or it has ended."""
        if connection in self.idle:
            connection.opened = self.now()
            del self.idle[connection], connection.address.idle[connection]

    def hold(self, connection: CountedConnection, size: int) -> None:
        """Count `size` bytes for a connection from now on, of its address and of all."""
        more, connection.holds = size - connection.holds, size
        counts = (self.held, *[use.held for use in connection.address.uses])
        for held in counts:
            held.count(connection, more, size)
        for held in counts:
            held.shed()

    def crowded(self, address: Address, spare: int = 0) -> bool:
        """Whether this address, or the server, has more connections than it may, and `spare`, even
        when those that are idle have made room.
        """
        config = self.config
        here = address.excess() - spare
        in_all = len(self.sockets) + self.arriving - config.connections - spare
        return _end(address.idle, here) < here or _end(self.idle, in_all) < in_all

    def end_idle(self, count: int) -> int:
        """End so many idle connections, or all that there are; return how many."""
        return _end(self.idle, count)


def _end(idle: Collection[CountedConnection], count: int) -> int:
    """Hang up on the first so many, or on all; return on how many."""
    ended = 0
    while ended < count and idle:
        next(iter(idle)).hang_up()
        ended += 1
    return ended
