"""Where the ladders are: all of them, and their rooms, are on one server of a cluster.

The others hand on what they are asked about them, and know as much as they need to greet a bot: who
holds something on a ladder, and which version of it has to come while a pair is on.  Each keeps who
of those connected to it follows a ladder's standings, and asks for these again by itself when they
come from another server, or a line was cut.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

from protocol.errors import Code, Refusal
from protocol.ladder import LADDER_REQUESTS, LadderStatus
from protocol.messages import Request
from server.cluster.core.membership import MemberKey
from server.cluster.far import FarServer, FarTransport
from server.cluster.line.signals import LadderFollowed, LaddersKept, Signal
from server.cluster.members import FarServers
from server.core.room import Room
from server.hub import Hub
from server.ladder.directory import LaddersElsewhere
from server.rooms.directory import MOVING_MS
from server.rooms.peers import Peer

NOTHING = LaddersElsewhere()
SOON_S: Final = 0.02  # in which what happens on ladders is told together
AT_ONCE: Final = 100  # standings that are asked for again before others are served


def ladders_move() -> Refusal:
    """Return the answer to a client that asks about ladders when no server has them."""
    text = "the ladders are on their way to another server; ask again in a moment"
    return Refusal(Code.SERVER_MOVING, text, retry_ms=MOVING_MS)


class LaddersPlace:
    """`here`: on this server; `at`: on that one; neither: they are on their way.

    `followed`: by connection to this server, the names of the ladders whose standings it is sent.
    """

    def __init__(self, servers: FarServers, hub: Hub) -> None:
        self.here = False
        self.at: MemberKey | None = None
        self._servers = servers
        self._hub = hub
        self._ladders = hub.services.ladders
        self._ladders.here = False
        self._told = NOTHING
        self._timer: asyncio.TimerHandle | None = None
        self.followed: dict[Peer, set[str]] = {}
        self._is_cut = False  # their server does not know any more who follows them here
        self._waiting: dict[tuple[Peer, str], None] = {}  # for standings that are asked for again
        self._asking: asyncio.TimerHandle | None = None

    def keep(self) -> None:
        """Have them here from now on."""
        self.here, self.at = True, None
        self._ladders.here = True
        self._ladders.elsewhere = NOTHING
        self._told = self._ladders.for_others()
        self._servers.tell_all(self._signal())
        self._follow_again()

    def leave(self) -> None:
        """Have them here no more; no server has them until another says so."""
        self.here = self._ladders.here = False
        self._tell_nothing()
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
        self._tell_nothing()
        now = self._ladders.for_others()
        if now != self._told:
            self._told = now
            self._servers.tell_all(self._signal())

    def kept(self, far: FarServer, signal: LaddersKept) -> None:
        """Note that another server has them."""
        is_news = far.key != self.at or self._is_cut
        self.at, self._is_cut = far.key, False
        versions = {(s, program): (v, text) for s, program, v, text in signal.versions}
        self._ladders.elsewhere = LaddersElsewhere(frozenset(signal.sessions), versions)
        if is_news:
            self._follow_again()

    def parted(self, key: MemberKey) -> None:
        """Note that there is no line to a server, which has let go of who is connected here."""
        if self.at == key:
            self._is_cut = True

    def died(self, key: MemberKey) -> None:
        """Note that a server is gone, and the ladders with it if they were there."""
        if self.at == key:
            self.at = None

    def stop(self) -> None:
        self._tell_nothing()
        if self._asking is not None:
            self._asking.cancel()

    def _tell_nothing(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # ------------------------------------------------------------ who follows standings

    def follows(self, peer: Peer, ladder: str, on: bool) -> None:
        """Note at a ladder here that a connection follows it, or tell the server that it is at."""
        if not isinstance(peer.transport, FarTransport):
            self.note_follower(peer, ladder, on)
        elif peer.transport.far.outbox is not None:
            signal = LadderFollowed(peer.transport.number, ladder, on)
            peer.transport.far.outbox.send(signal)

    def note_follower(self, peer: Peer, ladder: str, on: bool) -> None:
        """Note that a connection to this server follows a ladder, or does so no more."""
        names = self.followed.setdefault(peer, set())
        if on:
            names.add(ladder)
        else:
            names.discard(ladder)
        if not names:
            del self.followed[peer]

    def let_go(self, peer: Peer) -> None:
        """Forget what a connection follows, as it has ended."""
        self.followed.pop(peer, None)

    def _follow_again(self) -> None:
        for peer, names in self.followed.items():
            self._waiting.update(dict.fromkeys((peer, name) for name in names))
        self._ask_soon(0.0)

    def _ask_soon(self, wait_s: float) -> None:
        if self._waiting and self._asking is None:
            self._asking = self._hub.rooms.clock.call_later(wait_s, self._ask_for_some)

    def _ask_for_some(self) -> None:
        """Ask for standings again, for as many as do not keep others waiting."""
        self._asking = None
        for peer, name in list(self._waiting)[:AT_ONCE]:
            del self._waiting[peer, name]
            if name not in self.followed.get(peer, ()):
                continue  # it has ended, or wants them no more
            try:
                self._hub.routes[LadderStatus](
                    peer, LadderStatus(ladder=name, follow=True), self._hub.now()
                )
            except Refusal as no:
                if no.retry_ms is not None:
                    self._waiting[peer, name] = None
                    self._ask_soon(no.retry_ms / 1000)
                    return  # what holds for this one holds for all
                self.note_follower(peer, name, False)
                peer.refuse(no, None)
        self._ask_soon(SOON_S)
