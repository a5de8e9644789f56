"""One server as a member of a cluster: hub, rooms and sessions joined with those of the others.

A server that is alone has none of this: nothing here is on the way of its moves.  `Cluster` knows
no sockets and no database: lines.py brings signals, member_table.py says who is a member.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Final

from games import registry
from server.cluster.core.membership import MemberKey
from server.cluster.far import FarServer
from server.cluster.forwarding import NUMBERS, Forwarding, Locate
from server.cluster.hosting import FarPeers
from server.cluster.ladders import LaddersPlace
from server.cluster.line import signals
from server.cluster.line.outbox import Outbox
from server.cluster.line.signals import (
    AllTold,
    Drains,
    HostActed,
    LadderFollowed,
    LogWentBack,
    MemberGone,
    RoomGone,
    RoomHanded,
    RoomsRecalled,
    RulesKnown,
    Signal,
    SlotHeld,
)
from server.cluster.members import FarServers
from server.cluster.replication import Replication
from server.core.events import Who
from server.hub import Hub
from server.services.presences import Presences

log = logging.getLogger("plyhouse")
Handler = Callable[[FarServer, Any], None]
# How long there is no line to a server until those here are sent on who play there: longer than a
# lease, since what plays on a server that is gone comes to another by itself.
STRANDED_S: Final = 4.0
MAX_STRANDED_S: Final = 60.0
PLAYED_MS: Final = 600_000  # after the last request until nobody there is taken to play here


class ClusterNews:
    """The subscribers of each kind of news of other servers, called in this order."""

    def __init__(self) -> None:
        # The host has acted elsewhere; the seq of the newest act that is stored.
        self.acted: list[Callable[[int], None]] = []
        # Another server has handed this room over to this one.
        self.handed: list[Callable[[int], None]] = []
        # The server that has handed these rooms over wants them back.
        self.recalled: list[Callable[[MemberKey, Sequence[int]], None]] = []
        # A room that was handed over is known to its new owner, or a room has come.
        self.arrived: list[Callable[[int], None]] = []
        # Somebody has let go of rooms or ladders, which anyone may take.
        self.freed: list[Callable[[], None]] = []
        # Another server has found that the log went back.
        self.went_back: list[Callable[[], None]] = []
        # A server is no member any more.
        self.died: list[Callable[[MemberKey], None]] = []


class Cluster:
    """What other servers see of this one, and this one of them.

    `is_leased`: see FarPeers; `locate`: see Forwarding.
    """

    def __init__(
        self,
        servers: FarServers,
        hub: Hub,
        is_leased: Callable[[], bool],
        locate: Locate | None = None,
    ) -> None:
        self.hub = hub
        self.servers = servers
        self.news = ClusterNews()
        self.ladders = LaddersPlace(servers, hub)
        self.hosting = FarPeers(servers, hub, dict(hub.routes), self.ladders, is_leased)
        self.forwarding = Forwarding(servers, hub, self.hosting, self.ladders, locate)
        self.replication = Replication(servers, hub, Presences(hub.lobby, hub.rooms), self._moved)
        self.arrivals = self.hosting.arrivals
        self._handlers = self._table()
        self._subscribe(servers.me)

    def _subscribe(self, me: MemberKey) -> None:
        hub, replication = self.hub, self.replication
        news, sessions = hub.rooms.announcements, hub.sessions.news
        news.listed.append(replication.listed)
        news.changed.append(replication.changed)
        news.stored.append(replication.rows_changed)
        news.reseated.append(replication.reseated)
        news.shown.append(replication.shown)
        news.removed.append(replication.removed)
        news.leg_changed.append(self.ladders.changed)
        sessions.entered.append(self.forwarding.entered)
        sessions.left += [self.forwarding.left, self.ladders.let_go]
        sessions.replaced += [
            self.forwarding.let_go, self.hosting.replaced, self.ladders.let_go
        ]  # fmt: skip
        sessions.stored.append(replication.stored)
        sessions.forgotten.append(replication.forgotten)
        sessions.linked.append(replication.linked)
        services = hub.services
        services.ladders.paired.append(self.ladders.tell)
        services.ladders.followed.append(self.ladders.follows)
        services.invitations.held.append(self._slot_held)
        for questions in (services.hints, services.analyses, services.considerations):
            questions.number_by(NUMBERS + me.number % NUMBERS, NUMBERS)

    def _slot_held(self, who: Who, room: int, until: int) -> None:
        self.servers.tell_all(SlotHeld(who, room, until))

    def _table(self) -> dict[type[Signal], Handler]:
        """Return what is done about which signal."""
        front, owner, replication = self.forwarding, self.hosting, self.replication
        return {
            signals.PeerEntered: owner.entered,
            signals.PeerLeft: owner.left,
            signals.RequestForwarded: owner.forwarded,
            signals.SlotHeld: owner.slot_held,
            signals.RequestReturned: front.returned,
            signals.FramePushed: front.pushed,
            signals.PeerEnded: front.ended,
            signals.PeerRested: front.rested,
            signals.PeerCharged: front.charged,
            signals.PeerFollows: front.follows,
            signals.RoomHead: replication.head,
            signals.RoomGone: replication.gone,
            signals.LobbyRows: replication.rows_told,
            signals.SessionStored: replication.session_stored,
            signals.SessionForgotten: replication.session_forgotten,
            signals.NameLinked: replication.name_linked,
            signals.AllTold: self._all_told,
            signals.Drains: self._drains,
            signals.HostActed: self._host_acted,
            signals.LaddersKept: self.ladders.kept,
            signals.RoomHanded: self._handed,
            signals.LaddersLeft: lambda *_: self._freed(),
            signals.MemberGone: self._gone,
            signals.LadderFollowed: self._follows_ladder,
            signals.LogWentBack: self._went_back,
            signals.RulesKnown: self._rules_known,
            signals.RoomsRecalled: self._recalled,
        }

    def received(self, key: MemberKey, signal: Signal) -> None:
        far, handler = self.servers.find(key), self._handlers.get(type(signal))
        if far is None or handler is None:
            return  # it was declared dead; or it is newer, and says what is not for us
        handler(far, signal)

    def met(self, key: MemberKey, outbox: Outbox, url: str = "") -> None:
        """Tell another server all there is to know, as the line to it is up."""
        far = self.servers.server(key)
        far.outbox, far.url, far.is_silent = outbox, url, False
        outbox.reached = self.now()
        far.stop_waiting()
        known = [(name, registry.versions(name)) for name in registry.names()]
        outbox.send(RulesKnown(tuple(known)))
        self.replication.begin(far)
        for entry in list(self.forwarding.entries.values()):
            outbox.send(entry)
        for signal in self.replication.whole():
            outbox.send(signal)
        for signal in self.ladders.whole():
            outbox.send(signal)
        outbox.send(HostActed(self.hub.rules.seq))
        if self.forwarding.draining:
            outbox.send(Drains())
        outbox.send(AllTold())

    def now(self) -> int:
        """Return the time by which clocks go here, in ms."""
        return self.hub.now()

    def plays_with(self, key: MemberKey) -> bool:
        """Return whether somebody plays here over the line to a server, or did a while ago."""
        far = self.servers.find(key)
        return far is not None and far.asked is not None and self.now() - far.asked < PLAYED_MS

    def silent(self, key: MemberKey) -> None:
        """Charge nobody for a line on which no answer comes; it is told again while that lasts."""
        far = self.servers.find(key)
        if far is not None:
            self.hosting.silent(far)

    def heard(self, key: MemberKey) -> None:
        """Note that an answer has come over a line."""
        far = self.servers.find(key)
        if far is not None and far.is_silent:
            self.hosting.heard(far)

    def _all_told(self, far: FarServer, signal: AllTold) -> None:
        """All is known that another server had to tell: show what there is of its rooms anew.

        It has let go of who follows them here, if there was a line before that broke.
        """
        gone = self.replication.all_told(far)
        for number in (*self.replication.rooms_of(far.key), *gone):
            known = self.hub.rooms.far.get(number)
            self.forwarding.show_again(number, known.room.code if known is not None else None)

    def parted(self, key: MemberKey) -> None:
        """Let go of a server to which there is no line any more; its rooms stay its own."""
        far = self.servers.find(key)
        if far is None or far.outbox is None:
            return
        self.hosting.silent(far)
        far.outbox = None
        self.hosting.parted(far)
        self.forwarding.parted(far)
        self.replication.parted(far)
        self.ladders.parted(key)
        self._send_on_later(far, STRANDED_S)

    def _send_on_later(self, far: FarServer, wait_s: float) -> None:
        """Send those on who play where this server does not reach, ever more seldom.

        Who connects to one server only, and not to any, comes back here again and again.
        """

        def send_on() -> None:
            self.forwarding.send_on(far)
            self._send_on_later(far, min(2 * wait_s, MAX_STRANDED_S))

        far.waiting = self.hub.rooms.clock.call_later(wait_s, send_on)

    def died(self, key: MemberKey) -> None:
        """Forget a server that is no member any more; its rooms are to be taken over."""
        for tell in self.news.died:
            tell(key)
        self.parted(key)
        far = self.servers.forget(key)
        if far is not None:
            far.stop_waiting()
        self.ladders.died(key)

    def _gone(self, far: FarServer, signal: MemberGone) -> None:
        """Forget a member that another one has declared dead, and look what there is to take."""
        key = MemberKey(signal.number, signal.epoch)
        if key != self.servers.me:  # else the lease says so in a moment
            self.died(key)
        self._freed()

    def _freed(self) -> None:
        for tell in self.news.freed:
            tell()

    def adopt(self, number: int, load: Callable[[], None]) -> None:
        """Make a room this server's own that another had; `load` reads it, or raises."""
        known = self.replication.drop(number)
        try:
            load()
        except Exception:
            if known is not None:
                self.replication.note(number, known)
            raise
        self.hosting.show_adopted(number)
        room = self.hub.rooms.room(number)
        if room is not None:
            self.replication.tell(room)
        elif known is not None:
            self.hosting.show_shut(known.room, self.forwarding.let_watchers_go(number))
            self.servers.tell_all(RoomHanded(number, *self.servers.me, 0))
            self.servers.tell_all(RoomGone(number))
        self.forwarding.show_again(number, room.code if room is not None else None)
        self.arrivals.end(number)

    def give(self, number: int, key: MemberKey) -> None:
        """Let a room be another server's, to which it belongs in the log now."""
        actor, now = self.hub.rooms.actors[number], self.hub.now()
        match = actor.room.playing()
        running = match.clock.running if match is not None else None
        used = match.clock.spent(running, now) if match is not None and running is not None else 0
        self.servers.tell_all(RoomHanded(number, *key, used))
        self.forwarding.watch(number, actor.peers)
        for delivery in self.replication.give(number, key):
            self.forwarding.pass_on(delivery)

    def _handed(self, far: FarServer, signal: RoomHanded) -> None:
        """Note whose a room is now; go on with it if that is this server."""
        key = MemberKey(signal.number, signal.epoch)
        if key == self.servers.me:
            self.arrivals.expect(signal.room, signal.used)
            for tell in self.news.handed:
                tell(signal.room)
        else:
            self.replication.handed(signal.room, key)

    def _follows_ladder(self, far: FarServer, signal: LadderFollowed) -> None:
        peer = self.forwarding.peers.get(signal.peer)
        if peer is not None:
            self.ladders.note_follower(peer, signal.ladder, signal.on)

    def _moved(self, number: int, code: str | None) -> None:
        self.forwarding.show_again(number, code)
        for tell in self.news.arrived:
            tell(number)

    def host_acted(self, seq: int) -> None:
        self.servers.tell_all(HostActed(seq))

    def _host_acted(self, far: FarServer, signal: HostActed) -> None:
        for tell in self.news.acted:
            tell(signal.seq)

    def _recalled(self, far: FarServer, signal: RoomsRecalled) -> None:
        """Hand rooms back that were handed over, or tell once more of those that are here."""
        rooms = self.hub.rooms.actors
        for number in signal.rooms:
            if number in rooms:
                self.replication.tell(rooms[number].room)
        for tell in self.news.recalled:
            tell(far.key, [number for number in signal.rooms if number not in rooms])

    def hand_back(self, number: int, key: MemberKey) -> None:
        """Let a room that was not read here be another server's, to which it belongs in the log."""
        self.servers.tell_all(RoomHanded(number, *key, self.arrivals.used(number)))
        self.arrivals.end(number)
        self.replication.handed(number, key)

    def _rules_known(self, far: FarServer, signal: RulesKnown) -> None:
        far.rules = dict(signal.games)

    def _went_back(self, far: FarServer, signal: LogWentBack) -> None:
        far.has_told |= signal.told
        for tell in self.news.went_back:
            tell()

    def drain(self) -> None:
        """Open no more rooms here: they are opened on the other servers."""
        self.forwarding.draining = True
        self.servers.tell_all(Drains())

    def _drains(self, far: FarServer, signal: Drains) -> None:
        far.draining = True

    def close(self) -> None:
        """End with the server."""
        for far in self.servers:
            far.stop_waiting()
        self.arrivals.close()
        self.replication.stop()
        self.ladders.stop()
