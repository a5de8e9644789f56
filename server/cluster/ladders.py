"""Where the ladders are: all of them, and their rooms, are on one server of a cluster.

The others hand on what they are asked about them, and know as much as they need to greet a bot: who
holds something on a ladder, and which version of it has to come while a pair is on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

from protocol.errors import Code, Refusal
from protocol.ladder import LADDER_REQUESTS
from protocol.messages import Request
from server.cluster.core.membership import MemberKey
from server.cluster.far import FarServer
from server.cluster.line.signals import LaddersKept, Signal
from server.cluster.members import FarServers
from server.core.room import Room
from server.hub import Hub
from server.ladder.service import LaddersElsewhere
from server.rooms.directory import MOVING_MS

NOTHING = LaddersElsewhere()
SOON_S: Final = 0.02  # in which what happens on ladders is told together


def ladders_move() -> Refusal:
    """Return the answer to who asks about ladders when nobody has them."""
    text = "the ladders are on their way to another server; ask again in a moment"
    return Refusal(Code.SERVER_MOVING, text, retry_ms=MOVING_MS)


class LaddersPlace:
    """`here`: on this server; `at`: on that one; neither: they are on their way."""

    def __init__(self, servers: FarServers, hub: Hub) -> None:
        self.here = False
        self.at: MemberKey | None = None
        self._servers = servers
        self._hub = hub
        self._ladders = hub.services.ladders
        self._told = NOTHING
        self._timer: asyncio.TimerHandle | None = None

    def keep(self) -> None:
        """Have them here from now on."""
        self.here, self.at = True, None
        self._ladders.elsewhere = NOTHING
        self._told = self._ladders.for_others()
        self._servers.tell_all(self._signal())

    def leave(self) -> None:
        """Have them here no more; nobody has them until another server says so."""
        self.here = False
        self.stop()
        self._timer = None
        self._ladders.elsewhere = self._ladders.for_others()

    def check(self, request: Request) -> None:
        """Refuse what is asked about ladders if they are not here.

        Raises:
            Refusal: server/moving.
        """
        if not self.here and type(request) in LADDER_REQUESTS:
            raise ladders_move()

    def whole(self) -> Iterator[Signal]:
        """Yield what a server has to know to which a line is up."""
        if self.here:
            yield self._signal()

    def _signal(self) -> LaddersKept:
        sessions, versions = self._told
        rows = tuple((*who, *version) for who, version in versions.items())
        return LaddersKept(tuple(sessions), rows)

    def changed(self, room: Room | None = None) -> None:
        """Note that something happened on a ladder, if they are here, perhaps in this room."""
        if self.here and self._timer is None:
            self._timer = self._hub.rooms.clock.call_later(SOON_S, self.tell)

    def tell(self) -> None:
        """Tell the others at once what they have to know.

        It is called before a pair's rooms are opened: who has seen one may connect anywhere.
        """
        if not self.here:
            return
        self.stop()
        self._timer = None
        now = self._ladders.for_others()
        if now != self._told:
            self._told = now
            self._servers.tell_all(self._signal())

    def kept(self, far: FarServer, signal: LaddersKept) -> None:
        """Note that another server has them."""
        self.at = far.key
        versions = {(s, program): (v, text) for s, program, v, text in signal.versions}
        self._ladders.elsewhere = LaddersElsewhere(frozenset(signal.sessions), versions)

    def died(self, key: MemberKey) -> None:
        """Note that a server is gone, and the ladders with it if they were there."""
        if self.at == key:
            self.at = None

    def stop(self) -> None:
        """Tell no more."""
        if self._timer is not None:
            self._timer.cancel()
