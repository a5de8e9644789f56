"""Sessions: a connection says hello and becomes a player, who is present until the last one goes.

The session is stored before the connection is welcomed.  What a hello may ask for is judged by
core/lobby.py.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable

from games import registry
from protocol.errors import Code, Refusal
from protocol.messages import VERSION, Error, Hello, Link, Linked, Welcome
from server.config import Config
from server.core.events import Who
from server.core.lobby import LINK_MS, Greeting, LobbyState, Presence, catalog
from server.core.orders import Back, Gone
from server.core.session import Bucket, Session
from server.rooms.directory import RoomDirectory, random_code
from server.rooms.peers import Peer, connections_of
from server.services.services import Services
from server.store.contract import SessionRow, Store

log = logging.getLogger("plyhouse")
LINK_LENGTH = 10  # letters of a code that moves a name
GUESTS_EVERY_MS = 3_600_000  # how often the lobby forgets guests that will not come back


class Sessions:
    """Welcomes connections, and notes when they go."""

    def __init__(
        self,
        config: Config,
        store: Store,
        lobby: LobbyState,
        rooms: RoomDirectory,
        services: Services,
    ) -> None:
        self.config = config
        self.store = store
        self.lobby = lobby
        self.rooms = rooms
        self.services = services
        self._now = rooms.now
        self._guests_checked_at = self._now()

    def hello(self, peer: Peer, hello: Hello, now: int) -> None:
        """Judge a hello and store its session; the welcome follows when it is stored."""
        self._forget_guests(now)
        token, guest = secrets.token_urlsafe(32), f"guest-{secrets.randbelow(9000) + 1000}"
        greeting = self.lobby.greet(hello, token, guest, now)
        self._check_connections(greeting)
        peer.state = "greeting"
        self._store(greeting.session, lambda error: self._greeted(peer, hello.id, greeting, error))

    def _forget_guests(self, now: int) -> None:
        if now - self._guests_checked_at >= GUESTS_EVERY_MS:
            self._guests_checked_at = now
            self.lobby.forget_guests(now)

    def _check_connections(self, greeting: Greeting) -> None:
        """Refuse one connection too many, or a bot's version that may not come now.

        A greeting that is refused is taken back.
        """
        limit = self.config.connections_per_session
        presence = self.lobby.present.get((greeting.who.session, greeting.who.program))
        try:
            if greeting.bot is not None:
                self.services.ladders.check_version(greeting.who, greeting.bot.version)
            elif presence is not None and len(presence.links) >= limit:
                raise Refusal(
                    Code.SESSION_TOO_MANY, f"this session has {limit} connections already"
                )
        except Refusal:
            self.lobby.forget(greeting)
            raise

    def _store(self, session: Session, done: Callable[[Exception | None], None]) -> None:
        row = SessionRow(
            session.number, session.name, session.token, session.seen, int(session.guest)
        )
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
            self._check_connections(greeting)
        except Refusal as no:
            peer.state = "new"
            peer.refuse(no, re)
            return
        self._enter(peer, greeting)
        self._welcome(peer, re, greeting)

    def _unheard(self, greeting: Greeting) -> None:
        """Give a name back to whose it was before: nobody was shown the new token."""
        self.lobby.forget(greeting)
        if greeting.token is not None and greeting.before is not None:
            self._store(greeting.before, _ignore)

    def _enter(self, peer: Peer, greeting: Greeting) -> None:
        presence = self.lobby.presence(greeting.who)
        if greeting.bot is not None:
            for old in connections_of(self.lobby, greeting.who):
                self._replace(presence, old)
            peer.bucket = Bucket(self.config.bot_messages_per_second, self._now())
        presence.bot = greeting.bot
        presence.links.append(peer)
        peer.state, peer.who, peer.presence = "open", greeting.who, presence
        self.services.lobby_feed.send_soon()
        if greeting.bot is not None:
            self.services.ladders.presence_changed()

    def _replace(self, presence: Presence, old: Peer) -> None:
        """End a bot's connection: the same program has connected again."""
        presence.links.remove(old)
        old.presence, old.state = None, "gone"
        self.rooms.unfollow(old)
        self.services.bot_left(presence)  # the new connection does not know the old one's questions
        text = "this program has connected again under the same name, and that one plays on"
        old.bye(Code.SESSION_REPLACED, text, 1008)

    def _welcome(self, peer: Peer, re: int | None, greeting: Greeting) -> None:
        numbers = sorted(self.lobby.presence(greeting.who).rooms)
        actors = [self.rooms.actors[number] for number in numbers]
        matches = [match.name for actor in actors if (match := actor.room.playing())]
        peer.send(
            Welcome(
                re=re, version=VERSION, server=self.store.server, name=greeting.session.name,
                now=self._now(), token=greeting.token, rooms=tuple(numbers),
                matches=tuple(matches), games=registry.names(), catalog=catalog(),
            )
        )  # fmt: skip
        for actor in actors:
            actor.follow(peer)
            actor.tell(Back(), greeting.who, self._now())

    def link(self, peer: Peer, request: Link, now: int) -> None:
        """Answer with a code that moves the session's name to another device."""
        code = random_code(LINK_LENGTH)
        self.lobby.link(peer.me(), code, now)
        peer.send(Linked(re=request.id, code=code, expires_ms=LINK_MS))

    def lost(self, peer: Peer) -> None:
        """Note that a connection is gone; with a player's last one, its rooms hear of it."""
        peer.state = "gone"
        self.rooms.unfollow(peer)
        self.services.forget(peer)
        presence = peer.presence
        if presence is None or peer not in presence.links:
            return
        presence.links.remove(peer)
        if not presence.links:
            self._absent(presence.who, sorted(presence.rooms))
            self.lobby.tidy(presence)
            self.services.bot_left(presence)
            self.services.ladders.presence_changed()
        self.services.lobby_feed.send_soon()

    def _absent(self, who: Who, numbers: list[int]) -> None:
        now = self._now()
        self._store(self.lobby.seen(who.session, now), _ignore)
        for number in numbers:
            self.rooms.actors[number].tell(Gone(), who, now)


def _ignore(error: Exception | None) -> None:
    """Do nothing: when somebody was last seen is not worth a second try."""
