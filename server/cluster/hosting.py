"""The owner's side: connections of other servers, as rooms and services here see them.

Everybody who is connected anywhere is present on each server, with a Peer whose transport is the
line to where the connection is.  So rooms, invitations, hints, ladders and the lobby's list find
players as they always do.  What such a Peer asks for was admitted, and is paid, at its front.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from typing import Final

from msgspec.structs import replace

from protocol import codec
from protocol.errors import Code, ProtocolError, Refusal
from protocol.ladder import LADDER_REQUESTS
from protocol.messages import Error, Request
from server.cluster.core.membership import MemberKey
from server.cluster.far import FarPeer, FarServer, FarTransport
from server.cluster.ladders import LaddersPlace
from server.cluster.line.signals import (
    PeerEntered,
    PeerLeft,
    RequestForwarded,
    RequestReturned,
    Signal,
    SlotHeld,
)
from server.cluster.members import FarServers
from server.core import room as rooms
from server.core.events import Who
from server.core.lobby import Presence
from server.core.orders import Reconnected, Unreached
from server.core.room import Room
from server.hub import Hub
from server.rooms.actor import RoomActor
from server.rooms.directory import is_moving, match_of
from server.rooms.peers import Peer, Route, connections_of
from server.rooms.wall_clock import WallClock

log = logging.getLogger("plyhouse")
MAX_LAG_MS: Final = 10_000  # of a connection, as its front says
ARRIVAL_S: Final = 2.0  # after which a client that waits for a room is told to ask again
MAX_WAITING: Final = 64  # requests for one room


class RoomArrival:
    """One room on its way.  `used`: see Restarted; `waiting`: what is to be done once it is here.

    `late` is called when it has taken too long.
    """

    def __init__(self, used: int, clock: WallClock, late: Callable[[], None]) -> None:
        self.used = used
        self.waiting: list[Callable[[], None]] = []
        self.timer = clock.call_later(ARRIVAL_S, late)


class Arrivals:
    """The rooms that another server has handed over and that this one has not read yet.

    A client that asks for one of them waits for that moment, and is not sent away.
    """

    def __init__(self, clock: WallClock) -> None:
        self._clock = clock
        self._rooms: dict[int, RoomArrival] = {}

    def __contains__(self, number: object) -> bool:
        return number in self._rooms

    def expect(self, number: int, used: int) -> None:
        """Note a room that another server has handed over."""
        self.end(number)
        self._rooms[number] = RoomArrival(used, self._clock, lambda: self.end(number))

    def used(self, number: int) -> int:
        """Return what the player to move in a room had used before, in ms."""
        arrival = self._rooms.get(number)
        return arrival.used if arrival is not None else 0

    def wait_for(self, number: int, then: Callable[[], None]) -> None:
        """Have something done once a room is here that is on its way.

        Raises:
            Refusal: room/moving, if too much waits for it already.
        """
        arrival = self._rooms[number]
        if len(arrival.waiting) >= MAX_WAITING:
            raise is_moving(number)
        arrival.waiting.append(then)

    def end(self, number: int) -> None:
        """Wait for a room no longer: it is here, or takes too long."""
        arrival = self._rooms.pop(number, None)
        if arrival is None:
            return
        arrival.timer.cancel()
        for then in arrival.waiting:
            then()

    def close(self) -> None:
        for arrival in self._rooms.values():
            arrival.timer.cancel()


class FarPeers:
    """Welcomes the connections of other servers, and carries out what they ask for.

    `routes`: of requests to rooms and services here, as the hub has them without a cluster;
    `is_leased`: whether this server's lease is good: else its rooms may be another's, who is ahead.
    """

    def __init__(
        self,
        servers: FarServers,
        hub: Hub,
        routes: dict[type[Request], Route],
        ladders: LaddersPlace,
        is_leased: Callable[[], bool],
    ) -> None:
        self.servers = servers
        self.hub = hub
        self.routes = routes
        self._ladders = ladders
        self._is_leased = is_leased
        self.lobby = hub.lobby
        self.arrivals = Arrivals(hub.rooms.clock)
        self._unshown: list[Peer] = []  # who came while the lease was not good
        self.stamps: dict[Peer, tuple[int, MemberKey]] = {}  # of bots' connections; see next_stamp

    def next_stamp(self, who: Who) -> int:
        """Return a number for a new connection of a bot, greater than those of its others here.

        Of two connections that come to two servers at once, all keep the one with the greater
        number, and of equal ones that of the greater member.
        """
        others = [self.stamps[p][0] for p in connections_of(self.lobby, who) if p in self.stamps]
        return max((self.hub.now(), *[stamp + 1 for stamp in others]))

    def entered(self, far: FarServer, signal: PeerEntered) -> None:
        """Let somebody be present who has come to another server."""
        who, sessions = signal.who, self.hub.sessions
        presence = self.lobby.presence(who)
        stamp = (signal.stamp, far.key)
        if signal.bot is not None:
            others = connections_of(self.lobby, who)
            if any(self.stamps.get(other, stamp) > stamp for other in others):
                self.lobby.tidy(presence)
                return  # a newer one is here, of which its front hears
            for other in others:
                sessions.replace(presence, other)
        peer = FarPeer(far, signal.peer, signal.origin)
        peer.text, peer.state, peer.who, peer.presence = signal.text, "open", who, presence
        peer.device = signal.device
        far.peers[signal.peer] = peer
        if signal.bot is not None:
            presence.bot = signal.bot
            self.stamps[peer] = stamp
            if who.program is not None and self.lobby.names.is_house(who.session):
                self.lobby.names.add_house_program(who.program)
        self.lobby.connect(presence, peer)
        self._show_present(peer, presence)

    def _show_present(self, peer: Peer, presence: Presence) -> None:
        services = self.hub.services
        services.lobby_feed.send_soon()
        if presence.bot is not None:
            services.ladders.presence_changed()
        if self._is_leased():
            self._show_rooms(peer, presence)
        else:
            self._unshown.append(peer)

    def _show_rooms(self, peer: Peer, presence: Presence) -> None:
        numbers = sorted(presence.rooms)
        for number in numbers:
            self.hub.rooms.room(number)  # it is loaded then
        self.hub.sessions.return_to_rooms(peer, numbers)

    def show_waiting(self) -> None:
        """Show their rooms to those who came while this server's lease was not good."""
        waiting, self._unshown = self._unshown, []
        for peer in waiting:
            if peer.state == "open" and peer.presence is not None:
                self._show_rooms(peer, peer.presence)

    def replaced(self, peer: Peer) -> None:
        """Let go of a bot's connection whose place another has taken."""
        self.stamps.pop(peer, None)
        transport = peer.transport
        if isinstance(transport, FarTransport):
            transport.far.peers.pop(transport.number, None)

    def left(self, far: FarServer, signal: PeerLeft) -> None:
        """Let go of a connection of another server."""
        peer = far.peers.pop(signal.peer, None)
        if peer is not None:
            self._lose(peer)

    def _lose(self, peer: Peer) -> None:
        self.stamps.pop(peer, None)
        self.hub.sessions.lost(peer, elsewhere=True)

    def parted(self, far: FarServer) -> None:
        """Let go of all connections of a server, as there is no line to it any more."""
        peers, far.peers = far.peers, {}
        for peer in peers.values():
            self._lose(peer)

    def silent(self, far: FarServer) -> None:
        """Stop the clocks of those who are reached by a silent line alone, as of its last answer.

        Who was to move meanwhile may have moved in vain, or have been shown nothing.
        """
        far.is_silent = True
        if far.outbox is not None:
            for actor, who in self._awaited(far):
                actor.tell(Unreached(far.outbox.reached), who, self.hub.now())

    def heard(self, far: FarServer) -> None:
        """Have those clocks go on: the line is as it was."""
        awaited = self._awaited(far)
        far.is_silent = False
        for actor, who in awaited:
            actor.tell(Reconnected(), who, self.hub.now())

    def _awaited(self, far: FarServer) -> list[tuple[RoomActor, Who]]:
        """Return the rooms where somebody is to move who is reached by silent lines alone."""
        actors, awaited = self.hub.rooms.actors, []
        here = [peer.presence for peer in far.peers.values() if peer.presence is not None]
        for presence in dict.fromkeys(here):
            links = connections_of(self.lobby, presence.who)
            if presence.rooms and all(_is_silent(peer) for peer in links):
                rooms = [actors[number] for number in sorted(presence.rooms) if number in actors]
                awaited += [(a, presence.who) for a in rooms if _is_to_move(a.room, presence.who)]
        return awaited

    def forwarded(self, far: FarServer, signal: RequestForwarded) -> None:
        """Carry out what a connection of another server asks for."""
        peer = far.peers.get(signal.peer)
        if peer is None or peer.state == "gone":  # it was replaced or has moved, and was told so
            return
        far.asked = self.hub.now()
        peer.lag = min(signal.lag + far.lag_ms(), MAX_LAG_MS)
        try:
            request = codec.decode_request(signal.request)
        except ProtocolError as error:
            log.warning("a server of another version has forwarded what is no request: %s", error)
            peer.refuse(not_known_there(), error.re)
            return
        number = room_of(request)
        if number is not None and number in self.arrivals:
            self.hub.perform(partial(self._wait, far, signal, number), peer, request, 0)
        elif number is not None and (self._is_elsewhere(number) or not self._is_leased()):
            self._send(far, RequestReturned(signal.peer, signal.request))
        else:
            self.hub.perform(self._checked, peer, request, self.hub.now())
            if type(request) in LADDER_REQUESTS:
                self._ladders.changed()
        if isinstance(peer.transport, FarTransport):
            peer.transport.settle()

    def _is_elsewhere(self, number: int) -> bool:
        rooms = self.hub.rooms
        return number in rooms.far and number not in rooms.coming

    def _checked(self, peer: Peer, request: Request, now: int) -> None:
        self._ladders.check(request)
        self.routes[type(request)](peer, request, now)

    def _wait(
        self, far: FarServer, signal: RequestForwarded, number: int, peer: Peer, request: Request,
        now: int,
    ) -> None:  # fmt: skip
        self.arrivals.wait_for(number, lambda: self.forwarded(far, signal))

    def _send(self, far: FarServer, signal: Signal) -> None:
        if far.outbox is not None:
            far.outbox.send(signal)

    def slot_held(self, far: FarServer, signal: SlotHeld) -> None:
        """Note that another server holds a slot of a bot for a room, or does so no more."""
        presence = self.lobby.present.get((signal.who.session, signal.who.program))
        if presence is None:
            return
        if signal.until:
            presence.hold(signal.room, self.hub.now(), signal.until)
        else:
            presence.release(signal.room)
        self.hub.services.lobby_feed.send_soon()

    def show_adopted(self, number: int) -> None:
        """Show a room that was taken over to its players, wherever they are connected."""
        actor = self.hub.rooms.actors.get(number)
        for who in actor.room.seats if actor is not None else ():
            for peer in connections_of(self.lobby, who) if who is not None else ():
                if actor is not None:
                    actor.follow(peer)
                    actor.tell(Reconnected(), peer.me(), self.hub.now())

    def show_shut(self, room: Room, watchers: Iterable[Peer]) -> None:
        """Tell its players, and who watches it here, that a room cannot be read any more."""
        shut = replace(room, state="closed", seq=rooms.FULL)  # above all that they have seen
        text = f"room {room.number} cannot be read any more, and stays shut"
        players = [connections_of(self.lobby, who) for who in room.seats if who is not None]
        for peer in dict.fromkeys([*chain.from_iterable(players), *watchers]):
            peer.send(rooms.state(shut, peer.who, 0, self.hub.now()))
            peer.send_error(Error(code=Code.ROOM_FAILED, text=text))


def _is_silent(peer: Peer) -> bool:
    return isinstance(peer.transport, FarTransport) and peer.transport.far.is_silent


def _is_to_move(room: Room, who: Who) -> bool:
    match = room.playing()
    return match is not None and match.clock.running == room.seat_of(who) is not None


def not_known_there() -> Refusal:
    """Return the answer to a request that the server it is for does not know."""
    text = "the server that has this is of another version, which does not know such a request"
    return Refusal(Code.PROTOCOL_UNKNOWN_TYPE, text)


def room_of(request: Request) -> int | None:
    """Return the number of the room that a request names, None where it names none."""
    match = getattr(request, "match", None)
    if match is not None:
        try:
            return match_of(match).room
        except Refusal:  # the room's server says what is wrong with the name
            return None
    number: int | None = getattr(request, "room", None)
    return number
