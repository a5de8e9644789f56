"""The front's side: what a connection here asks for goes to the server that has it.

A request that names a room goes to the room's owner, one about ladders to where these are, and a
bot's answer to the client that has asked it.  All others are answered here.  What the owner sends
for a connection is handed on as it comes.
"""

from __future__ import annotations

import itertools
import logging
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from protocol import codec
from protocol import messages as wire
from protocol.analysis import DelayAnalysis, ReportAnalysis, ReportConsidered
from protocol.errors import Code, ProtocolError, Refusal
from protocol.hints import Advise, DelayAdvice
from protocol.ladder import LADDER_REQUESTS
from protocol.messages import Bye, Error, Request
from protocol.notation import parse_code
from server.cluster.core.membership import MemberKey
from server.cluster.far import FarServer, FarTransport
from server.cluster.hosting import FarPeers, not_known_there, room_of
from server.cluster.ladders import LaddersPlace, ladders_move
from server.cluster.line.signals import (
    FramePushed,
    PeerCharged,
    PeerEnded,
    PeerEntered,
    PeerFollows,
    PeerLeft,
    PeerRested,
    RequestForwarded,
    RequestReturned,
)
from server.cluster.members import FarServers
from server.figures.histogram import TIMES_NS, Histogram
from server.hub import Hub
from server.rooms.directory import MOVING_MS, is_unread
from server.rooms.peers import Delivery, Peer, Route

log = logging.getLogger("plyhouse")
NEWS_S: Final = 0.25  # in which a server hears of a room that another has opened
HEARD_S: Final = 0.01  # in which a server hears that a room was handed to it
NUMBERS: Final = 1_024  # of servers at once: a bot's question is numbered so that it says whose
ANSWERS: Final = (Advise, DelayAdvice, ReportAnalysis, DelayAnalysis, ReportConsidered)  # of bots

MOVED: Final = "what you play is on another server now; come back there, with your token"
NOT_REACHED: Final = (
    "this server does not reach the one that you play on; come back there, with your token"
)


class RoomPlace(NamedTuple):
    """Where the log has a room.  `owner`: None while no server has it; `exists`: there is one."""

    is_open: bool
    owner: MemberKey | None
    exists: bool = True


# Asks for a room by its number, and calls back; None: the log cannot be read now.
Locate: TypeAlias = Callable[[int, Callable[[RoomPlace | None], None]], None]


class AnswerTo(Struct):
    """As much of a message as says which request it answers."""

    re: int | None = None


_read_text = msgspec.json.Decoder(AnswerTo).decode
_read_binary = msgspec.msgpack.Decoder(AnswerTo).decode


class Forwarding:
    """Hands on what is asked here and done elsewhere, and what comes of it.

    `locate` asks the log where a room is of which this server has not heard.
    """

    def __init__(
        self,
        servers: FarServers,
        hub: Hub,
        hosting: FarPeers,
        ladders: LaddersPlace,
        locate: Locate | None,
    ) -> None:
        self.servers = servers
        self.hub = hub
        self.rooms = hub.rooms
        self.hosting = hosting
        self.arrivals = hosting.arrivals
        self.ladders = ladders
        self.draining = False
        self.forwarded = 0  # requests
        self.times = Histogram(TIMES_NS)  # ns until those with an id were answered
        self._locate = locate
        self.peers: dict[int, Peer] = {}  # the connections here, by number
        self.numbers: dict[Peer, int] = {}
        self.entries: dict[int, PeerEntered] = {}  # what others were told of each
        self.watched: dict[int, dict[int, None]] = {}  # room elsewhere -> connections that see it
        self._sees: dict[int, set[int]] = {}  # the same by connection
        self._count = itertools.count(1)
        hub.reroute(self._route)

    def _route(self, kind: type[Request], local: Route) -> Route:
        """Return the route of a kind of request, which may lead to another server."""
        if kind in LADDER_REQUESTS:
            return self._by_ladders(local)
        if kind in ANSWERS:
            return self._by_question(local)
        if kind is wire.Create:
            return self._by_drain(local)
        if kind is wire.Seek:
            return self._by_table(self._by_drain(local))
        if {"room", "match"} & set(kind.__struct_fields__):
            return self._by_room(local)
        return local

    def _by_room(self, local: Route) -> Route:
        def route(peer: Peer, request: Any, now: int) -> None:
            number = room_of(request)
            if number is None and getattr(request, "code", None) is not None:
                number = self.hub.lobby.codes.get(parse_code(request.code))
                if number is None and self._locate is not None:
                    self._try_later(local, peer, request)
                    return
            if number is not None and number in self.arrivals:
                self.arrivals.wait_for(number, lambda: self._again(route, peer, request))
                return
            far = self.rooms.far.get(number) if number is not None else None
            owner = MemberKey(*far.owner) if far is not None else None
            if number is None or self._is_here(number):
                local(peer, request, now)
            elif owner is not None and (self.servers.find(owner) or self._locate is None):
                self._forward_to(owner, peer, request, number)
            elif self._locate is not None:  # nothing was heard of it, or its owner is gone
                self._locate(number, partial(self._located, local, peer, request, number))
            else:
                local(peer, request, now)

        return route

    def _is_here(self, number: int) -> bool:
        return number in self.rooms.actors or number in self.rooms.unloaded

    def _forward_to(self, key: MemberKey, peer: Peer, request: Request, number: int) -> None:
        server = self.servers.find(key)
        if server is None or server.outbox is None:
            raise self.rooms.is_moving(number)
        self.forward(server, peer, request)

    def _located(
        self, local: Route, peer: Peer, request: Request, number: int, where: RoomPlace | None
    ) -> None:
        """Go on with a request for a room of which this server had not heard.

        `where`: as the log has it, None if it cannot be read now.
        """
        if where is not None and where.exists:
            self.rooms.saw_number(number)

        def route(peer: Peer, request: Any, now: int) -> None:
            if where is None:
                raise is_unread(number)
            if not where.is_open or self._is_here(number):
                local(peer, request, now)
            elif where.owner is None:  # servers that have just started are about to take it
                raise self.rooms.is_moving(number)
            elif where.owner != self.servers.me:
                self._forward_to(where.owner, peer, request, number)
            else:  # it was taken just now, and in a moment it is known that it comes
                self.rooms.clock.call_later(HEARD_S, lambda: self._again(local, peer, request))

        self._again(route, peer, request)

    def _try_later(self, local: Route, peer: Peer, request: Request) -> None:
        """Look once more for a code that is new perhaps, in the time that news needs."""

        def route(peer: Peer, request: Any, now: int) -> None:
            number = self.hub.lobby.codes.get(parse_code(request.code))
            far = self.rooms.far.get(number) if number is not None else None
            if number is None or far is None:
                local(peer, request, now)
            else:
                self._forward_to(MemberKey(*far.owner), peer, request, number)

        self.rooms.clock.call_later(NEWS_S, lambda: self._again(route, peer, request))

    def _again(self, route: Route, peer: Peer, request: Request) -> None:
        """Do later what a connection asks for, if it is still there."""
        if peer.state == "open":
            self.hub.perform(route, peer, request, self.hub.now())

    def _watch_over_line(self, far: FarServer, route: Route, peer: Peer, request: Request) -> None:
        """Ask to be shown a room; where there is no line any more `show_again` does so later."""
        if far.outbox is not None:
            self._again(route, peer, request)

    def _by_ladders(self, local: Route) -> Route:
        def route(peer: Peer, request: Any, now: int) -> None:
            place = self.ladders
            if place.here:
                local(peer, request, now)
                place.changed()
                return
            server = self.servers.find(place.at) if place.at is not None else None
            if server is None or server.outbox is None:
                raise ladders_move()
            self.forward(server, peer, request)

        return route

    def _by_question(self, local: Route) -> Route:
        def route(peer: Peer, request: Any, now: int) -> None:
            server = self.servers.by_number(request.ask % NUMBERS)
            if server is None:
                local(peer, request, now)
            else:
                self.forward(server, peer, request)

        return route

    def _by_drain(self, local: Route) -> Route:
        def route(peer: Peer, request: Any, now: int) -> None:
            able = [far for far in self.servers if far.outbox is not None and not far.draining]
            game = getattr(request, "game", None)
            able = [far for far in able if game is None or far.has_game(game)]
            if self.draining and able:
                self.forward(min(able, key=lambda far: len(far.peers)), peer, request)
            else:
                local(peer, request, now)

        return route

    def _by_table(self, local: Route) -> Route:
        """Return the route of a seek: to the server of the table that suits best, which finds one
        of its own then, or opens one.
        """

        def route(peer: Peer, request: Any, now: int) -> None:
            own, chosen, _ = self.hub.services.seeking.find(peer.me(), request, now, far=True)
            table = chosen or own
            far = self.rooms.far.get(table.room) if table is not None else None
            server = self.servers.find(MemberKey(*far.owner)) if far is not None else None
            if server is None or server.outbox is None:
                local(peer, request, now)
            elif own is None or own is table or self.hub.leave_table(own, peer, now):
                self.forward(server, peer, request)
            else:
                local(peer, request, now)

        return route

    def forward(self, server: FarServer, peer: Peer, request: Request) -> None:
        """Have another server carry out a request.

        Raises:
            Refusal: room/busy, if too much is on its way there.
        """
        outbox, number = server.outbox, self.numbers[peer]
        if outbox is None or outbox.is_full():
            text = "too many requests wait for another server; ask again in a moment"
            raise Refusal(Code.ROOM_BUSY, text, retry_ms=MOVING_MS)
        if request.id is not None:
            server.unanswered.setdefault(number, {})[request.id] = time.perf_counter_ns()
        self.forwarded += 1
        outbox.send(RequestForwarded(number, peer.lag, codec.encode(request)))

    # ------------------------------------------------------------ who is here

    def entered(self, peer: Peer) -> None:
        """Tell all servers that somebody is welcomed here."""
        who, presence = peer.me(), peer.presence
        if presence is None:
            return
        number = next(self._count)
        stamp = 0
        if presence.bot is not None:
            stamp = self.hosting.next_stamp(who)
            self.hosting.stamps[peer] = (stamp, self.servers.me)
        self.peers[number], self.numbers[peer] = peer, number
        origin = peer.transport.origin
        entry = PeerEntered(number, who, presence.bot, origin, peer.text, stamp, peer.device)
        self.entries[number] = entry
        self.servers.tell_all(entry)

    def left(self, peer: Peer) -> None:
        """Tell all servers that a connection is gone; those of others are no news."""
        number = self.let_go(peer)
        self.hosting.stamps.pop(peer, None)
        if number is not None:
            self.servers.tell_all(PeerLeft(number))

    def let_go(self, peer: Peer) -> int | None:
        """Let go of a connection; of a bot that has come anew all hear when it enters.

        Returns:
            Its number, if it was one of those here.
        """
        number = self.numbers.pop(peer, None)
        if number is None:
            return None
        del self.peers[number], self.entries[number]
        for room in self._sees.pop(number, ()):
            self.watched.get(room, {}).pop(number, None)
        for far in self.servers:
            far.unanswered.pop(number, None)
        return number

    # ------------------------------------------------------------ what comes for them

    def pushed(self, far: FarServer, signal: FramePushed) -> None:
        """Push a frame to connections here."""
        for number in signal.peers:
            peer = self.peers.get(number)
            if peer is None:
                continue
            waits = far.unanswered.get(number)
            if waits:
                payload = far.framing.payload_of(signal.frame)
                self._note_answer(far, number, waits, payload, peer.text)
            if signal.in_turn:
                peer.transport.push_in_turn(signal.frame, signal.key)
            else:
                peer.transport.push(signal.frame, signal.key)

    def _note_answer(
        self, far: FarServer, number: int, waits: dict[int, int], payload: bytes, text: bool
    ) -> None:
        re = (_read_text if text else _read_binary)(payload).re
        since = waits.pop(re, None) if re is not None else None
        if since is not None:
            self.times.observe(time.perf_counter_ns() - since)
            if not waits:
                del far.unanswered[number]

    def waiting(self) -> int:
        """Return how many requests other servers have not answered."""
        return sum(len(ids) for far in self.servers for ids in far.unanswered.values())

    def ended(self, far: FarServer, signal: PeerEnded) -> None:
        peer = self.peers.get(signal.peer)
        if peer is not None:
            peer.transport.end(signal.code, signal.reason)

    def rested(self, far: FarServer, signal: PeerRested) -> None:
        """Do not read a connection here for a while."""
        peer = self.peers.get(signal.peer)
        if peer is not None:
            peer.transport.rest(signal.ms)

    def charged(self, far: FarServer, signal: PeerCharged) -> None:
        """Have a connection here pay for what it has asked for elsewhere."""
        peer = self.peers.get(signal.peer)
        if peer is not None:
            peer.charge(signal.micros)

    def follows(self, far: FarServer, signal: PeerFollows) -> None:
        """Note which rooms a connection here is shown: it is to see them with another owner too."""
        if signal.on and signal.peer in self.peers:
            self._note_watchers(signal.room, [signal.peer])
            return
        self._sees.get(signal.peer, set()).discard(signal.room)
        watchers = self.watched.get(signal.room, {})
        watchers.pop(signal.peer, None)
        if not watchers:
            self.watched.pop(signal.room, None)

    def returned(self, far: FarServer, signal: RequestReturned) -> None:
        """Try a request once more that came to a server which has not got that room any more."""
        peer = self.peers.get(signal.peer)
        if peer is None:
            return
        try:
            request = codec.decode_request(signal.request)
        except ProtocolError:  # we have encoded it
            log.exception("a request came back that cannot be read")
            return
        far.unanswered.get(signal.peer, {}).pop(request.id or 0, None)
        number = room_of(request)
        if type(request) is wire.Seek:  # the table is on another server by now
            self._again(self.hub.routes[wire.Seek], peer, request)
            return
        if number is None:  # no other server has it either
            peer.refuse(not_known_there(), request.id)
            return
        where = self.rooms.far.get(number)
        owner = self.servers.find(MemberKey(*where.owner)) if where is not None else None
        route = self.hub.routes[type(request)]
        if number in self.arrivals or self._is_here(number):
            self._again(route, peer, request)
        elif where is None or owner is None:  # the log knows, and until then it would come back
            self.rooms.clock.call_later(NEWS_S, lambda: self._again(route, peer, request))
        elif owner is not far:
            self._again(route, peer, request)
        elif where.arrives > self.hub.now():  # it has not heard yet that the room is its own
            self.rooms.clock.call_later(HEARD_S, lambda: self._again(route, peer, request))
        elif type(request) is wire.Watch and request.id is None:  # no client waits for a no
            self.rooms.clock.call_later(
                MOVING_MS / 1000, lambda: self._watch_over_line(far, route, peer, request)
            )
        else:
            peer.refuse(self.rooms.is_moving(number), request.id)  # it tells us in a moment

    # ------------------------------------------------------------ lines and rooms that go and come

    def pass_on(self, delivery: Delivery) -> None:
        """Have what waited in a room here done where that room is now; orders are given there."""
        peer, request = delivery.peer, delivery.request
        if peer is None or request is None:
            return
        transport = peer.transport
        if isinstance(transport, FarTransport):
            transport.give_back(codec.encode(request))
        else:
            self._again(self.hub.routes[type(request)], peer, request)

    def watch(self, number: int, peers: Iterable[Peer]) -> None:
        """Note who here is shown a room that goes to another server."""
        self._note_watchers(number, [self.numbers[peer] for peer in peers if peer in self.numbers])

    def _note_watchers(self, room: int, watchers: Sequence[int]) -> None:
        if watchers:
            self.watched.setdefault(room, {}).update(dict.fromkeys(watchers))
        for number in watchers:
            self._sees.setdefault(number, set()).add(room)

    def parted(self, far: FarServer) -> None:
        """Tell those who wait for an answer of a server that none comes."""
        unanswered, far.unanswered = far.unanswered, {}
        text = "the server that was to answer is gone; what it did is shown by what follows"
        for number, ids in unanswered.items():
            peer = self.peers.get(number)
            for re in sorted(ids) if peer is not None else ():
                if peer is not None:
                    peer.send(Error(code=Code.SERVER_UNANSWERED, text=text, re=re))

    def show_again(self, number: int, code: str | None) -> None:
        """Have those here who were shown a room see it with its new owner, or over a new line.

        Its players are shown it by its owner itself; of a room that was not announced all ask.
        """
        room = self.rooms.room(number)
        watchers = {
            n: self.peers[n]
            for n in self.watched.pop(number, {})
            if n in self.peers and (room is None or room.seat_of(self.peers[n].who) is None)
        }
        actor = self.rooms.actors.get(number)
        if actor is not None:  # a request would wait if what it does first is being stored
            for peer in watchers.values():
                actor.follow(peer)
            return
        if watchers and number in self.rooms.far:  # they are asked for anew until they are shown it
            self.watched[number] = dict.fromkeys(watchers)
        route = self.hub.routes[wire.Watch]
        for peer in watchers.values():
            again = wire.Watch(room=number, code=code)
            self.hub.perform(route, peer, again, self.hub.now())

    def let_watchers_go(self, number: int) -> list[Peer]:
        """Return who here is shown a room that no server has any more."""
        return [self.peers[n] for n in self.watched.pop(number, ()) if n in self.peers]

    def send_on(self, far: FarServer) -> None:
        """Send those to a server who sit or watch there, as this one does not reach it."""
        rooms = {number for number, room in self.rooms.far.items() if room.owner == far.key}
        watching = {peer for number in rooms for peer in self.watched.get(number, ())}
        for number, peer in list(self.peers.items()):
            sits = peer.presence is not None and not rooms.isdisjoint(peer.presence.rooms)
            if sits or number in watching:
                self.send_away(peer, far.url or None, NOT_REACHED)

    def send_away(self, peer: Peer, at: str | None, text: str = MOVED) -> None:
        """Have a connection go to another server, where what it asks for is at hand."""
        peer.send(Bye(code=Code.SERVER_MOVING, text=text, at=at))
        peer.transport.end(1012, Code.SERVER_MOVING)
