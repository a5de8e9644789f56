"""The house: every room's keeper, everybody's connections, and the way from a frame to a room.

`receive` is the way down: decode, admit, deliver.  What a room does then is runtime.Keeper's.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from games import registry
from protocol import codec
from protocol.errors import Code, ProtocolError, Refusal
from protocol.messages import (
    VERSION,
    Bye,
    Create,
    Error,
    Hello,
    History,
    Join,
    Link,
    Linked,
    Lobby,
    Request,
    Watch,
    Welcome,
)
from server import archive
from server.advice import ADVICE_ROUTES, Advice
from server.analyses import ANALYSIS_ROUTES, Analyses
from server.config import Config
from server.core import seating, session
from server.core.effects import Summon
from server.core.events import Who
from server.core.lobby import LINK_MS, Greeting, Presence
from server.core.lobby import Lobby as LobbyCore
from server.core.orders import Back, Gone
from server.core.room import Fresh, Room, Work
from server.core.session import Bucket, Session
from server.ladders import LADDER_ROUTES, MADE, Ladders
from server.listing import Listing
from server.outage import Outage
from server.runtime import Keeper, Line, Peer, Waiting
from server.store.store import SessionRow, Store

log = logging.getLogger("plyhouse")
CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is mistaken for another
CODE_LENGTH = 6  # 887 million codes, and a guess costs a message
FLOOD_STRIKES = 200  # refused messages in a row before the line is cut
GUESTS_EVERY_MS = 3_600_000  # how often it is looked which guests will not come back


class House:
    """Everything that is running, in one event loop."""

    def __init__(self, store: Store, config: Config, loop: asyncio.AbstractEventLoop) -> None:
        self.store = store
        self.config = config
        self.loop = loop
        self._wall = max(store.last_at, int(time.time() * 1000))
        self._started = loop.time()
        known = (Session(*row[:4], guest=bool(row.guest)) for row in store.sessions())
        self.lobby = LobbyCore(known, self._wall)
        self.rooms: dict[int, Keeper] = {}
        self.peers: set[Peer] = set()
        self.last_room = store.last_room()
        self.fresh = _fresh()
        self.frames = 0  # that came in
        self.events = 0  # that were stored
        self.listing = Listing(self.lobby, config, loop, self.now)
        self.advice = Advice(self)
        self.analyses = Analyses(self)
        self.ladders = Ladders(self)
        self.outage = Outage(store, config, loop)
        self._guests_looked_at = self._wall
        self._open_rooms()

    def now(self) -> int:
        """Milliseconds of wall-clock time, read once at start and advanced monotonically."""
        return self._wall + int((self.loop.time() - self._started) * 1000)

    def call_at(self, at: int, call: Callable[[], None]) -> asyncio.TimerHandle:
        """Run `call` when `now()` reaches `at`."""
        return self.loop.call_at(self._started + (at - self._wall) / 1000 + 0.001, call)

    def refresh(self) -> None:
        """A secret or code was used: the next one is another."""
        self.fresh = _fresh()
        while self.fresh.code in self.lobby.codes:
            self.fresh = _fresh()

    # ------------------------------------------------------------ rooms

    def _open_rooms(self) -> None:
        keepers: list[tuple[Keeper, str | None]] = []
        for number in self.store.open_rooms():
            rows = self.store.all_events(number)
            if rows and rows[0].kind == MADE:
                self.ladders.load(rows)
                continue
            found = archive.replay(rows)
            if found is None:
                log.error("room %d cannot be read and stays shut", number)
                continue
            room, broken = found
            self._wall = max(self._wall, room.touched)
            keepers.append((self._keep(room), broken))
        for keeper, broken in keepers:  # only now is it known what time it is
            if broken is None:
                keeper.start()
            else:
                log.error("room %d: %s; its match is void", keeper.room.number, broken)
                work = archive.give_up(keeper.room, self.now())
                waiting = Waiting(Gone(), work.asker, None, work.now)
                keeper.commit(work.room, work.events, (), waiting)
        self.ladders.resume()

    def _keep(self, room: Room) -> Keeper:
        keeper = self.rooms[room.number] = Keeper(self, room)
        if room.code is not None:
            self.lobby.codes[room.code] = room.number
        self.reseated(keeper)
        self.listing.changed(keeper)
        return keeper

    def remove(self, keeper: Keeper) -> None:
        """A room is closed."""
        number = keeper.room.number
        if self.rooms.pop(number, None) is None:
            return
        keeper.stop()
        if keeper.room.code is not None:
            self.lobby.codes.pop(keeper.room.code, None)
        for who in keeper.known:
            self._unseat(who, number)
        self.outage.rooms.discard(keeper)
        self.listing.remove(keeper)
        self.ladders.removed(keeper)

    def take_number(self) -> int:
        """The number of the next room or ladder."""
        self.last_room += 1
        return self.last_room

    def open_room(self, work: Work, waiting: Waiting) -> Keeper:
        """Have a new room stored; it is there from now on, and seen once it is."""
        keeper = self.rooms[work.room.number] = Keeper(self, work.room)
        if work.room.code is not None:
            self.lobby.codes[work.room.code] = work.room.number
        keeper.commit(work.room, work.events, work.effects, waiting)
        return keeper

    def reseated(self, keeper: Keeper) -> None:
        """Others sit in a room than before."""
        number, old = keeper.room.number, keeper.known
        keeper.known = keeper.room.seats
        for who in old:
            self._unseat(who, number)
        self.ladders.freed()
        for who in keeper.known:
            if who is None:
                continue
            presence = self.lobby.presence(who)
            presence.rooms.add(number)
            if not presence.links:  # its last connection went while its `join` was being stored
                keeper.tell(Gone(), who, self.now())

    def _unseat(self, who: Who | None, number: int) -> None:
        if who is not None:
            presence = self.lobby.presence(who)
            presence.rooms.discard(number)
            presence.held.pop(number, None)
            self.lobby.tidy(presence)

    def links(self, who: Who) -> list[Peer]:
        """The connections of a player."""
        presence = self.lobby.present.get((who.session, who.program))
        return [link for link in presence.links if isinstance(link, Peer)] if presence else []

    def _keeper(self, number: int) -> Keeper:
        keeper = self.rooms.get(number)
        if keeper is not None:
            return keeper
        if 0 < number <= self.last_room:
            raise Refusal(Code.ROOM_CLOSED, f"room {number} is closed")
        raise Refusal(Code.LOBBY_NO_ROOM, f"there is no room {number}")

    def _keeper_of_match(self, name: str) -> Keeper:
        return self._keeper(archive.match_of(name)[0])

    # ------------------------------------------------------------ frames

    def connected(self, line: Line) -> Peer:
        """A socket finished its handshake."""
        peer = Peer(line, Bucket(self.config.messages_burst, self.now()))
        self.peers.add(peer)
        return peer

    def receive(self, peer: Peer, data: bytes, text: bool) -> None:
        """One frame: the way down begins."""
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
            _ROUTES[type(request)](self, peer, request, now)
        except Refusal as no:
            peer.refuse(no, request.id)

    def _misspoken(self, peer: Peer, error: ProtocolError, now: int) -> None:
        """Say what was wrong with a message, and close if it was none at all."""
        if error.fatal:
            peer.send(Error(code=error.code, text=error.text, re=error.re))
            peer.line.end(1002, error.code)
            return
        try:
            self._check_flood(peer, now)
        except Refusal as no:
            peer.refuse(no, error.re)
        else:
            peer.send(Error(code=error.code, text=error.text, re=error.re))

    def _check_flood(self, peer: Peer, now: int) -> None:
        config = self.config
        bot = peer.presence is not None and peer.presence.bot is not None
        rate = config.bot_messages_per_second if bot else config.messages_per_second
        if peer.bucket.take(now, rate, max(config.messages_burst, rate)):
            peer.strikes = 0
            return
        peer.strikes += 1
        if peer.strikes > FLOOD_STRIKES:
            self.bye(peer, Code.SESSION_FLOOD, "too many messages, and no slowing down", 1008)
        raise Refusal(Code.SESSION_FLOOD, f"too many messages; at most {rate} a second")

    def lost(self, peer: Peer) -> None:
        """A socket is gone."""
        peer.state = "gone"
        self.peers.discard(peer)
        self.listing.follow(peer, on=False)
        self._unfollow(peer)
        self.ladders.forget(peer)
        self.analyses.forget(peer)
        presence = peer.presence
        if presence is None or peer not in presence.links:
            return
        presence.links.remove(peer)
        if not presence.links:
            self._absent(presence.who, sorted(presence.rooms))
            self.lobby.tidy(presence)
            self._answers_no_more(presence)
            self.ladders.present()
        self.listing.send_soon()

    def _answers_no_more(self, bot: Presence) -> None:
        self.advice.left(bot)
        self.analyses.left(bot)

    def _unfollow(self, peer: Peer) -> None:
        for number in list(peer.follows or ()):
            self.rooms[number].unfollow(peer)

    def _absent(self, who: Who, numbers: list[int]) -> None:
        now = self.now()
        self._store_session(self.lobby.seen(who.session, now), _ignore)
        for number in numbers:
            self.rooms[number].tell(Gone(), who, now)

    # ------------------------------------------------------------ hello

    def _hello(self, peer: Peer, hello: Hello, now: int) -> None:
        self._forget_guests(now)
        fresh, guest = secrets.token_urlsafe(32), f"guest-{secrets.randbelow(9000) + 1000}"
        greeting = self.lobby.greet(hello, fresh, guest, now)
        self._check_links(greeting)
        peer.state = "greeting"
        self._store_session(
            greeting.session, lambda error: self._greeted(peer, hello.id, greeting, error)
        )

    def _check_links(self, greeting: Greeting) -> None:
        most = self.config.connections_per_session
        found = self.lobby.present.get((greeting.who.session, greeting.who.program))
        try:
            if greeting.bot is not None:
                self.ladders.check_version(greeting.who, greeting.bot.version)
            elif found is not None and len(found.links) >= most:
                raise Refusal(Code.SESSION_TOO_MANY, f"this session has {most} connections already")
        except Refusal:
            self.lobby.forget(greeting)
            raise

    def _store_session(self, s: Session, done: Callable[[Exception | None], None]) -> None:
        row = SessionRow(s.number, s.name, s.token, s.seen, int(s.guest))
        self.store.append([row], done)

    def _greeted(
        self, peer: Peer, re: int | None, greeting: Greeting, error: Exception | None
    ) -> None:
        if error is not None:
            log.error("session %s: not stored: %s", greeting.session.name, error)
            self.lobby.forget(greeting)
            peer.state = "new"
            text = "the server could not store your session; try again in a while"
            peer.send(Error(code=Code.SERVER_NOT_STORED, text=text, re=re))
            return
        if peer.state == "gone":  # while this was being written
            self._unheard(greeting)
            return
        try:
            self._check_links(greeting)
        except Refusal as no:
            peer.state = "new"
            peer.refuse(no, re)
            return
        self._enter(peer, greeting)
        self._welcome(peer, re, greeting)

    def _unheard(self, greeting: Greeting) -> None:
        """Nobody was shown this token, so its name is again whose it was before."""
        self.lobby.forget(greeting)
        if greeting.token is not None and greeting.before is not None:
            self._store_session(greeting.before, _ignore)

    def _forget_guests(self, now: int) -> None:
        """Now and then, let go of guests that have been away for long: nobody else can be them."""
        if now - self._guests_looked_at >= GUESTS_EVERY_MS:
            self._guests_looked_at = now
            self.lobby.forget_guests(now)

    def _enter(self, peer: Peer, greeting: Greeting) -> None:
        presence = self.lobby.presence(greeting.who)
        if greeting.bot is not None:
            for old in self.links(greeting.who):
                self._replace(presence, old)
            peer.bucket = Bucket(self.config.bot_messages_per_second, self.now())
        presence.bot = greeting.bot
        presence.links.append(peer)
        peer.state, peer.who, peer.presence = "open", greeting.who, presence
        self.listing.send_soon()
        if greeting.bot is not None:
            self.ladders.present()

    def _replace(self, presence: Presence, old: Peer) -> None:
        presence.links.remove(old)
        old.presence, old.state = None, "gone"
        self._unfollow(old)
        self._answers_no_more(presence)  # the new connection knows nothing of what it was asked
        text = "this program has connected again under the same name, and that one plays on"
        self.bye(old, Code.SESSION_REPLACED, text, 1008)

    def _welcome(self, peer: Peer, re: int | None, greeting: Greeting) -> None:
        numbers = sorted(self.lobby.presence(greeting.who).rooms)
        keepers = [self.rooms[n] for n in numbers]
        on = [k.room.match.name for k in keepers if k.room.state == "playing" and k.room.match]
        peer.send(
            Welcome(
                re=re, version=VERSION, server=self.store.server, name=greeting.session.name,
                now=self.now(), token=greeting.token, rooms=tuple(numbers), matches=tuple(on),
                games=registry.names(),
            )
        )  # fmt: skip
        for keeper in keepers:
            keeper.follow(peer)
            keeper.tell(Back(), greeting.who, self.now())

    # ------------------------------------------------------------ the lobby's requests

    def _lobby(self, peer: Peer, request: Lobby, now: int) -> None:
        self.listing.follow(peer, on=request.follow)
        peer.send(replace(self.listing.lines(), re=request.id))

    def _create(self, peer: Peer, request: Create, now: int) -> None:
        self._check_rooms(peer)
        number = self.last_room + 1
        work = seating.open_room(number, request, peer.asker(number), now, self.fresh)
        self.last_room = number
        self.open_room(work, Waiting(request, work.asker, peer, now))

    def _check_rooms(self, peer: Peer) -> None:
        config = self.config
        if len(self.rooms) >= config.rooms:
            raise Refusal(
                Code.LOBBY_TOO_MANY_ROOMS, f"this server keeps at most {config.rooms} rooms"
            )
        self._check_seats(peer)
        opened = sum(1 for keeper in self.rooms.values() if keeper.room.owner.same(peer.who))
        if opened >= config.rooms_per_session:
            raise Refusal(
                Code.LOBBY_TOO_MANY_ROOMS, f"{opened} rooms are open that you have opened"
            )

    def _check_seats(self, peer: Peer) -> None:
        most = self.config.rooms_per_session
        if peer.presence is not None and len(peer.presence.rooms) >= most:
            raise Refusal(Code.LOBBY_TOO_MANY_ROOMS, f"you sit in {most} rooms already; leave one")

    def _link(self, peer: Peer, request: Link, now: int) -> None:
        code = "".join(secrets.choice(CODE_LETTERS) for _ in range(10))
        self.lobby.link(peer.me(), code, now)
        peer.send(Linked(re=request.id, code=code, expires_ms=LINK_MS))

    # ------------------------------------------------------------ requests that a room answers

    def _by_match(self, peer: Peer, request: Any, now: int) -> None:
        self._keeper_of_match(request.match).ask(request, peer, now)

    def _by_room(self, peer: Peer, request: Any, now: int) -> None:
        self._keeper(request.room).ask(request, peer, now)

    def _by_room_or_code(self, peer: Peer, request: Join | Watch, now: int) -> None:
        number = request.room
        if number is None:
            if request.code is None:
                raise Refusal(Code.LOBBY_NO_ROOM, "say which room: `room`, or its `code`")
            number = self.lobby.room_by_code(request.code)
        keeper = self._keeper(number)
        if type(request) is Join and keeper.room.seat_of(peer.who) is None:
            self._check_seats(peer)
        keeper.ask(request, peer, now)

    def _history(self, peer: Peer, request: History, now: int) -> None:
        if not 0 < request.room <= self.last_room:
            raise Refusal(Code.LOBBY_NO_ROOM, f"there is no room {request.room}")
        keeper = self.rooms.get(request.room)
        room = keeper.room if keeper is not None else None
        archive.read(self.store, self.config.history_page, peer, request, room)

    # ------------------------------------------------------------ invitations

    def summon(self, number: int, effect: Summon) -> None:
        """Hand an invitation to the player it means.

        Raises:
            Refusal: invite/no-such-player or invite/busy.
        """
        now = self.now()
        found = self.lobby.find(effect.name, effect.game, number, now)
        for link in self.links(found.who):
            link.send(effect.invited)
        self.listing.send_soon()

    # ------------------------------------------------------------ the end

    def bye(self, peer: Peer, code: Code, text: str, close: int) -> None:
        """Say why, and close."""
        peer.send(Bye(code=code, text=text))
        peer.line.end(close, code)

    def close(self) -> None:
        """Say goodbye to all; rooms stand in the log and go on at the next start."""
        for peer in list(self.peers):
            self.bye(
                peer, Code.SERVER_CLOSING, "the server is being stopped; come back later", 1012
            )
        for keeper in self.rooms.values():
            if keeper.timer is not None:
                keeper.timer.cancel()
        self.listing.stop()
        self.outage.stop()
        self.ladders.stop()


def _ignore(error: Exception | None) -> None:
    """When somebody was last seen is not worth a second try."""


def _fresh() -> Fresh:
    code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    return Fresh(secrets.token_bytes(32), code)


_ROUTES: dict[type[Request], Callable[..., None]] = {
    Hello: House._hello,
    Lobby: House._lobby,
    Create: House._create,
    Link: House._link,
    History: House._history,
    Join: House._by_room_or_code,
    Watch: House._by_room_or_code,
    **dict.fromkeys(session.BY_ROOM - {Join, Watch, History}, House._by_room),
    **dict.fromkeys(session.BY_MATCH, House._by_match),
    **LADDER_ROUTES,
    **ADVICE_ROUTES,
    **ANALYSIS_ROUTES,
}
