"""The hub: everybody's connections, and the way from a frame to the room or service it is for.

`receive` is the way down: decode, admit, route.  Which request a room answers, and in which of its
states, is the table in core/life.py; what happens there is up to rooms/actor.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from protocol import codec
from protocol import messages as wire
from protocol.analysis import Analyse
from protocol.devices import Devices, Settings
from protocol.errors import Code, ProtocolError, Refusal
from protocol.messages import Request
from protocol.parts import Seat
from protocol.records.terms import sought
from server.admin.core.rules import HouseRules
from server.config import LOOK_AT_TABLE, MANY_PLAYS, PLAYED, REFUSED, UNREAD, Config
from server.core import life, seating, session
from server.core.lobby import LobbyState
from server.core.orders import Stalled
from server.core.session import AddressBuckets, TokenBucket, wait_ms
from server.figures.move_times import MoveTimes
from server.own_devices import OwnDevices
from server.rooms.admission import Admission
from server.rooms.directory import NotLoaded, RoomDirectory, match_of
from server.rooms.peers import Delivery, Peer, Route, Transport
from server.services import history
from server.services.seeking import NONE_TRIED, OpenTable
from server.services.services import Services
from server.sessions import Sessions
from server.store.contract import LogReader

MAX_UNREAD: Final = 20  # requests in a row that are refused unread before a peer has to rest ...
MAX_RESTS: Final = 10  # ... and rests in a row before its connection is cut
RESTS_FORGOTTEN_MS: Final = 60_000  # after so long they are not in a row


class Hub:
    """All connections, in one event loop."""

    def __init__(
        self,
        config: Config,
        lobby: LobbyState,
        rooms: RoomDirectory,
        admission: Admission,
        services: Services,
        sessions: Sessions,
        rules: HouseRules,
        move_times: MoveTimes,
    ) -> None:
        self.config = config
        self.lobby = lobby
        self.rooms = rooms
        self.admission = admission
        self.services = services
        self.sessions = sessions
        self._own_devices = OwnDevices(sessions)
        self.rules = rules
        self.now = rooms.now
        self._saved = config.connection_micros * config.saved_ms / 1000  # one for all connections
        self.peers: set[Peer] = set()
        self.move_times = move_times
        self.refusals: Counter[str] = Counter()  # by code
        self._measured = 1  # the number of the next frame that is measured ...
        self._left = 1  # ... and in how many that is: of an ordinary frame only this is counted
        self.routes = self._routes()

    @property
    def frames(self) -> int:
        return self._measured - self._left

    def _routes(self) -> dict[type[Request], Route]:
        """Return which request goes where; what life.py lets a room answer goes to that room."""
        in_rooms = {kind for row in life.LIFE.values() for kind in row if issubclass(kind, Request)}
        routes: dict[type[Request], Route] = {
            **{
                kind: self._by_match if "match" in kind.__struct_fields__ else self._by_room
                for kind in in_rooms
            },
            wire.Hello: self.sessions.hello,
            wire.Link: self._own_devices.link,
            Devices: self._own_devices.devices,
            Settings: self._own_devices.settings,
            wire.Create: self._create,
            wire.Seek: self.seek,
            wire.Join: self._by_room_or_code,
            wire.Watch: self._by_room_or_code,
            wire.History: self._history,
            **self.services.routes(),
        }
        for kind, route in routes.items():
            if kind.begins:
                routes[kind] = self._when_open(route)
            if kind.speech:
                routes[kind] = self._unless_muted(route)
        routes.update({kind: self._when_loaded(routes[kind]) for kind in (wire.History, Analyse)})
        return routes

    def reroute(self, detour: Callable[[type[Request], Route], Route]) -> None:
        """Have requests go where `detour` says, given their routes so far."""
        self.routes.update({kind: detour(kind, route) for kind, route in self.routes.items()})

    def _when_open(self, route: Route) -> Route:
        """Return a route to what begins something: closed once the server is about to stop."""

        def checked(peer: Peer, request: Any, now: int) -> None:
            self.rules.check_open()
            self.rooms.disk.check_day(peer, now)
            route(peer, request, now)

        return checked

    def _unless_muted(self, route: Route) -> Route:
        """Return a route to what others are going to read."""

        def checked(peer: Peer, request: Any, now: int) -> None:
            self.rules.check_speech(peer.me().name, peer.transport.origin, now)
            self.rooms.disk.check(peer, now)
            route(peer, request, now)

        return checked

    def _when_loaded(self, route: Route) -> Route:
        """Return a route to what looks into a room, which has to be loaded by then."""

        def checked(peer: Peer, request: Any, now: int) -> None:
            match = getattr(request, "match", None)
            self.rooms.check_loaded(request.room if match is None else match_of(match).room)
            route(peer, request, now)

        return checked

    def connected(self, transport: Transport, address: AddressBuckets | None = None) -> Peer:
        """Take a connection that has finished its handshake; its address pays for it, too."""
        own = TokenBucket(self.config.connection_micros, self._saved, self.now())
        if address is None:
            peer = Peer(transport, (own,), refusals=self.refusals)
        else:
            allowances = (own, *address.costs)
            peer = Peer(transport, allowances, address.pace, address.plays, self.refusals)
        self.peers.add(peer)
        return peer

    def receive(self, peer: Peer, data: bytes, text: bool, now: int | None = None) -> None:
        """Take one frame: decode it, admit it, and hand it to the room or service it is for.

        `now`: the time, if the caller has just asked for it.
        """
        left = self._left = self._left - 1
        if not left:
            self._measure(peer, data, text, now)
            return
        if now is None:
            now = self.now()
        if peer.state == "new":
            peer.text = text
        try:
            request = codec.decode_request(data, text)
        except ProtocolError as error:
            self._misspoken(peer, error, now)
            return
        kind = type(request)
        is_play = kind is wire.Play
        spent = not is_play  # a play costs nothing, so it is only asked whether there is a debt
        for allowance in peer.allowances:
            if allowance.level <= 0:
                spent = True
        if spent and wait_ms(peer.allowances, now):
            self._leave_unread(peer, request.id, now, getattr(request, "match", None))
            return
        peer.unread = 0
        if is_play:
            self._count_play(peer, now)
        try:
            if request.price:
                peer.charge(request.price)
            if kind not in session.LIFE[peer.state]:
                raise session.unasked(peer.state, request)
            self.routes[kind](peer, request, now)
            if is_play and peer.pace is not None:  # what is refused has a price instead
                peer.pace.level -= PLAYED
        except NotLoaded as missing:
            self._wait_for(missing, self.routes[kind], peer, request)
        except Refusal as no:
            peer.refuse(no, request.id)

    def _measure(self, peer: Peer, data: bytes, text: bool, now: int | None) -> None:
        """Take one frame as `receive` does, and look at the clock if it is a move."""
        self.move_times.begin()
        try:
            self.receive(peer, data, text, now)
        finally:
            self.move_times.end()
            self._left = self.move_times.stride()
            self._measured += self._left

    def perform(self, route: Route, peer: Peer, request: Request, now: int) -> None:
        """Do what a connection asks for that was admitted elsewhere, and has paid there."""
        try:
            route(peer, request, now)
        except NotLoaded as missing:
            self._wait_for(missing, route, peer, request)
        except Refusal as no:
            peer.refuse(no, request.id)

    def _wait_for(self, missing: NotLoaded, route: Route, peer: Peer, request: Request) -> None:
        """Go on with a request once the room is loaded that it is about; refuse it if it is not."""

        def go_on() -> None:
            if missing.number in self.rooms.unloaded:
                peer.refuse(missing, request.id)
            elif peer.state == "open":
                self.perform(route, peer, request, self.now())

        self.rooms.fetch([missing.number], go_on)

    def _misspoken(self, peer: Peer, error: ProtocolError, now: int) -> None:
        """Say what was wrong with a message, and close if it was no message at all."""
        if error.fatal:
            peer.charge(REFUSED)
            peer.send_error(wire.Error(code=error.code, text=error.text, re=error.re))
            peer.transport.end(1002, error.code)
            return
        if wait_ms(peer.allowances, now):
            self._leave_unread(peer, error.re, now)
            return
        peer.refuse(Refusal(error.code, error.text), error.re)

    def _count_play(self, peer: Peer, now: int) -> None:
        """Take one of the plays of this address that cost nothing; else it costs something."""
        for plays in peer.plays:
            if plays.level < 1:
                plays.refill(now)
            if plays.level < 1:
                peer.charge(MANY_PLAYS)
                return
            plays.level -= 1

    def _leave_unread(self, peer: Peer, re: int | None, now: int, match: str | None = None) -> None:
        """Refuse a request without looking at it: an allowance is spent.

        Who goes on regardless is not read for a while, and in the end cut off.
        """
        peer.charge(UNREAD)
        wait = wait_ms(peer.allowances, now)
        text = f"too much was asked for; ask again in {(wait + 99) // 100 / 10:g} s"
        peer.send_error(
            wire.Error(code=Code.SESSION_FLOOD, text=text, re=re, retry_ms=wait, match=match)
        )
        peer.unread += 1
        if peer.unread < MAX_UNREAD:
            return
        peer.unread = 0
        peer.rests = peer.rests + 1 if now - peer.rested_at < RESTS_FORGOTTEN_MS else 1
        peer.rested_at = now
        if peer.rests > MAX_RESTS:
            peer.bye(Code.SESSION_FLOOD, "too much was asked for, and ever more of it", 1008)
        else:
            peer.transport.rest(wait)

    def sweep(self, now: int) -> None:
        """Forget what no one owes any more, and measure a frame again where few come."""
        self.sessions.forget_allowances(now)
        self.rooms.disk.sweep(now)
        self._measured, self._left = self.frames + 1, 1

    def lost(self, peer: Peer) -> None:
        self.peers.discard(peer)
        self.sessions.lost(peer)

    def close(self) -> None:
        """Say goodbye to all; rooms stand in the log and go on at the next start."""
        for peer in list(self.peers):
            peer.bye(Code.SERVER_CLOSING, "the server is being stopped; come back later", 1012)
        self.rooms.unloaded.clear()  # they are not read any more
        now = self.now()
        for actor in list(self.rooms.actors.values()):
            actor.stalled = True  # no timer is set any more ...
            actor.cancel_timer()
            actor.tell(Stalled(), None, now)  # ... and no flag falls where no play is read
        self.services.stop()

    def _by_match(self, peer: Peer, request: Any, now: int) -> None:
        name = request.match
        try:  # at every move; what is no match's name is none's
            actor = self.rooms.actors.get(int(name.partition(".")[0]))
        except ValueError:
            actor = None
        if actor is None or actor.room.match is None or actor.room.match.name != name:
            actor = self.rooms.find(match_of(name).room)
        actor.ask(request, peer, now)

    def _by_room(self, peer: Peer, request: Any, now: int) -> None:
        self.rooms.find(request.room).ask(request, peer, now)

    def _by_room_or_code(self, peer: Peer, request: wire.Join | wire.Watch, now: int) -> None:
        number = request.room
        if number is None:
            if request.code is None:
                raise Refusal(Code.LOBBY_NO_ROOM, "say which room: `room`, or its `code`")
            number = self.lobby.room_by_code(request.code)
        actor = self.rooms.find(number)
        if type(request) is wire.Join and actor.room.seat_of(peer.who) is None:
            self._check_seats(peer)
        actor.ask(request, peer, now)

    def _create(self, peer: Peer, request: wire.Create, now: int) -> None:
        self._check_seats(peer)
        self.admission.check(peer)
        number = self.rooms.next_number()
        work = seating.open_room(number, request, peer.asker(number), now, self.rooms.fresh)
        self.admission.make_way(now)  # only for a request that all is well with
        self.rooms.take_number()
        self.admission.opened(number, peer)
        self.rooms.open(work, Delivery(request, work.asker, peer, now))
        self.services.seeking.listed(work.room)  # who seeks is seated there once it is stored

    def seek(
        self, peer: Peer, request: wire.Seek, now: int, tried: frozenset[int] = NONE_TRIED
    ) -> None:
        """Seat a player at the table that suits best of those here, or open one.

        `tried`: rooms that have said no, such as one that was taken by who came just before.
        """
        choice = self.services.seeking.find(peer.me(), request, now, tried)
        peer.charge(LOOK_AT_TABLE * choice.looked)
        table = choice.chosen
        if choice.own is not None and (
            table is None or not self.leave_table(choice.own, peer, now)
        ):
            table = choice.own
        if table is None:
            seat: Seat = 1 if self.rooms.next_number() % 2 else 0  # as if by chance
            self._create(
                peer,
                wire.Create(
                    id=request.id, game=request.game, options=sought(request.options), seat=seat
                ),
                now,
            )
            return
        self._check_seats(peer)
        number = table.room

        def again(no: Refusal) -> None:
            if peer.state == "open":
                route = partial(self.seek, tried=tried | {number})
                self.perform(route, peer, request, self.now())

        try:
            self.rooms.find(number).ask(request, peer, now, again)
        except Refusal as no:  # too much waits there
            again(no)

    def leave_table(self, table: OpenTable, peer: Peer, now: int) -> bool:
        """Have a player get up from a table of a seek; not if somebody may sit down this moment."""
        actor = self.rooms.actors.get(table.room)
        if actor is None or actor.busy:
            return False
        actor.ask(wire.Leave(room=table.room), peer, now)
        return True

    def _check_seats(self, peer: Peer) -> None:
        if peer.presence is None:
            return
        rooms = peer.presence.active
        if rooms >= self.config.rooms_per_session:
            raise Refusal(Code.LOBBY_TOO_MANY_ROOMS, f"you sit in {rooms} rooms already; leave one")

    def _history(self, peer: Peer, request: wire.History, now: int) -> None:
        self.rooms.check_number(request.room)

        def answer(log: LogReader) -> None:
            room = self.rooms.room(request.room)
            history.answer(log, self.config.history_page, peer, request, room)

        self.services.reads.ask(peer, answer)
