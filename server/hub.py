"""The hub: everybody's connections, and the way from a frame to the room or service it is for.

`receive` is the way down: decode, admit, route.  Which request a room answers, and in which of its
states, is the table in core/life.py; what happens there is up to rooms/actor.py.
"""

from __future__ import annotations

from typing import Any

from protocol import codec
from protocol import messages as wire
from protocol.errors import Code, ProtocolError, Refusal
from protocol.messages import Request
from server.config import Config
from server.core import life, seating, session
from server.core.lobby import LobbyState
from server.core.session import Bucket
from server.rooms.admission import Admission
from server.rooms.directory import RoomDirectory, match_of
from server.rooms.peers import Delivery, Peer, Route, Transport
from server.services import history
from server.services.services import Services
from server.sessions import Sessions
from server.store.contract import LogReader

MAX_FLOODED = 200  # messages in a row that were too many; one more, and the connection is cut


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
    ) -> None:
        self.config = config
        self.lobby = lobby
        self.rooms = rooms
        self.admission = admission
        self.services = services
        self.sessions = sessions
        self.now = rooms.now
        self.peers: set[Peer] = set()
        self.frames = 0  # that came in
        self.routes = self._routes()

    def _routes(self) -> dict[type[Request], Route]:
        """Return which request goes where; what life.py lets a room answer goes to that room."""
        in_rooms = {kind for row in life.LIFE.values() for kind in row if issubclass(kind, Request)}
        return {
            **{
                kind: self._by_match if "match" in kind.__struct_fields__ else self._by_room
                for kind in in_rooms
            },
            wire.Hello: self.sessions.hello,
            wire.Link: self.sessions.link,
            wire.Create: self._create,
            wire.Join: self._by_room_or_code,
            wire.Watch: self._by_room_or_code,
            wire.History: self._history,
            **self.services.routes(),
        }

    def connected(self, transport: Transport) -> Peer:
        """Take a connection that has finished its handshake."""
        peer = Peer(transport, Bucket(self.config.messages_burst, self.now()))
        self.peers.add(peer)
        return peer

    def receive(self, peer: Peer, data: bytes, text: bool) -> None:
        """Take one frame: decode it, admit it, and hand it to the room or service it is for."""
        now = self.now()
        self.frames += 1
        if peer.state == "new":
            peer.text = text
        try:
            request = codec.decode_request(data, text)
        except ProtocolError as error:
            self._misspoken(peer, error, now)
            return
        try:
            self._check_flood(peer, now)
            session.admit(peer.state, request)
            self.routes[type(request)](peer, request, now)
        except Refusal as no:
            peer.refuse(no, request.id)

    def _misspoken(self, peer: Peer, error: ProtocolError, now: int) -> None:
        """Say what was wrong with a message, and close if it was no message at all."""
        if error.fatal:
            peer.send(wire.Error(code=error.code, text=error.text, re=error.re))
            peer.transport.end(1002, error.code)
            return
        try:
            self._check_flood(peer, now)
        except Refusal as no:
            peer.refuse(no, error.re)
        else:
            peer.send(wire.Error(code=error.code, text=error.text, re=error.re))

    def _check_flood(self, peer: Peer, now: int) -> None:
        config = self.config
        is_bot = peer.presence is not None and peer.presence.bot is not None
        rate = config.bot_messages_per_second if is_bot else config.messages_per_second
        if peer.bucket.take(now, rate, max(config.messages_burst, rate)):
            peer.flooded = 0
            return
        peer.flooded += 1
        if peer.flooded > MAX_FLOODED:
            peer.bye(Code.SESSION_FLOOD, "too many messages, and no slowing down", 1008)
        raise Refusal(Code.SESSION_FLOOD, f"too many messages; at most {rate} a second")

    def lost(self, peer: Peer) -> None:
        """Let go of a connection whose socket is gone."""
        self.peers.discard(peer)
        self.sessions.lost(peer)

    def close(self) -> None:
        """Say goodbye to all; rooms stand in the log and go on at the next start."""
        for peer in list(self.peers):
            peer.bye(Code.SERVER_CLOSING, "the server is being stopped; come back later", 1012)
        for actor in self.rooms.actors.values():
            actor.cancel_timer()
        self.services.stop()

    def _by_match(self, peer: Peer, request: Any, now: int) -> None:
        self.rooms.find(match_of(request.match).room).ask(request, peer, now)

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
        self.admission.check(peer, now)
        number = self.rooms.last_number + 1
        work = seating.open_room(number, request, peer.asker(number), now, self.rooms.fresh)
        self.rooms.last_number = number
        self.admission.opened(number, peer)
        self.rooms.open(work, Delivery(request, work.asker, peer, now))

    def _check_seats(self, peer: Peer) -> None:
        if peer.presence is None:
            return
        rooms = len(peer.presence.rooms)
        if rooms >= self.config.rooms_per_session:
            raise Refusal(Code.LOBBY_TOO_MANY_ROOMS, f"you sit in {rooms} rooms already; leave one")

    def _history(self, peer: Peer, request: wire.History, now: int) -> None:
        self.rooms.check_number(request.room)

        def answer(log: LogReader) -> None:
            room = self.rooms.room(request.room)
            history.answer(log, self.config.history_page, peer, request, room)

        self.services.reads.ask(peer, answer)
