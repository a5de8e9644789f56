"""Sessions: a connection says hello and becomes a player, who is present until the last one goes.

The session is stored before the connection is welcomed.  What a hello may ask for is judged by
core/lobby.py, whose a name is by core/names/.
"""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from games import registry
from protocol.devices import prove
from protocol.errors import Code, Refusal
from protocol.messages import VERSION, Bye, Error, Hello, Welcome
from server.admin.core.rules import HouseRules
from server.config import Config
from server.core.admission.new_names import NewNames
from server.core.events import Who
from server.core.lobby import Greeting, LobbyState, LoginSecrets, Presence, catalog
from server.core.names.devices import devices_of, encode, linked_since, news
from server.core.orders import Disconnected, Reconnected
from server.core.room import Room
from server.core.session import Session, TokenBucket
from server.rooms.directory import RoomDirectory
from server.rooms.peers import Peer, connections_of
from server.services.neighbours import Neighbours
from server.services.services import Services
from server.store.contract import Conflict, DevicesRow, ForgottenRow, Row, SessionRow, Store

log = logging.getLogger("plyhouse")
FORGET_EVERY_MS = 600_000  # how often unused names are forgotten ...
FORGET_MOST = 2_000  # ... and how many are looked at then: 3 ms, and at most 20 of the writer's
FORGET_NEXT_MS = 1_000  # until the next are


def _ignore(error: Exception | None) -> None:
    """Do nothing: when somebody was last seen is not worth a second try."""


class SessionNews:
    """The subscribers of each kind of news about sessions, called in this order."""

    def __init__(self) -> None:
        # Somebody has come, and is going to be welcomed.
        self.entered: list[Callable[[Peer], None]] = []
        # A connection that had entered is gone.
        self.left: list[Callable[[Peer], None]] = []
        # A bot's connection has come to its end as the bot has connected again.
        self.replaced: list[Callable[[Peer], object]] = []
        # A login was stored; the second one had its name before, if somebody had.
        self.stored: list[Callable[[Session, Session | None], None]] = []
        # Logins are forgotten.
        self.forgotten: list[Callable[[int], None]] = []
        # This code links a device to this session, until then.
        self.linked: list[Callable[[int, str, int], None]] = []


class Sessions:
    """Welcomes connections, and notes when they go.  It subscribes to `shown`.

    `neighbours`: the other servers, where there are some.
    """

    def __init__(
        self,
        config: Config,
        store: Store,
        lobby: LobbyState,
        rooms: RoomDirectory,
        services: Services,
        rules: HouseRules,
        neighbours: Neighbours | None = None,
    ) -> None:
        self.config = config
        self._saved = config.session_micros * config.saved_ms / 1000  # one for all sessions
        self.store = store
        self.lobby = lobby
        self.names = lobby.names
        self.rooms = rooms
        self.services = services
        self.rules = rules
        self.news = SessionNews()
        # Asks the log whom a hello means, where other servers write to it, too.
        self._look_up = neighbours.look_up if neighbours is not None else None
        self._far = neighbours.servers if neighbours is not None else None
        self.new_names = NewNames(config.names_per_address)
        self._catalog = catalog()  # written anew for each who comes, it costs a quarter of a hello
        self._now = rooms.now
        self._forgot_at = self._now()
        self._to_forget: set[int] = set()  # sessions whose rows are still to be deleted
        self._allowances: dict[int, TokenBucket] = {}  # of the sessions that have spent of theirs

    def hello(self, peer: Peer, hello: Hello, now: int) -> None:
        """Judge a hello and store its session; the welcome follows when it is stored.

        Where other servers welcome people, too, the log is asked first whom this one means.
        """
        if self._look_up is None:
            self._judge(peer, hello, now)
            return
        peer.state = "greeting"
        self._look_up(self.names, hello, lambda has_read: self._looked_up(peer, hello, has_read))

    def _looked_up(self, peer: Peer, hello: Hello, has_read: bool) -> None:
        if peer.state == "gone":
            return
        peer.state = "new"
        if not has_read:  # a token that is good would be called unknown
            text = "the server could not look up who you are; try again in a while"
            peer.send_error(Error(code=Code.SERVER_NOT_STORED, text=text), hello.id)
            return
        try:
            self._judge(peer, hello, self._now())
        except Refusal as no:
            peer.refuse(no, hello.id)

    def _judge(self, peer: Peer, hello: Hello, now: int) -> None:
        self._forget_unused(now)
        guest = f"guest-{secrets.randbelow(9000) + 1000}"
        greeting = self.lobby.greet(hello, LoginSecrets(secrets.token_urlsafe(32), guest), now)
        if self.turn_away(peer, greeting.who, now, hello.id):
            self.lobby.forget(greeting)
            return
        try:
            self._check_connections(greeting)
            if greeting.token is not None and not greeting.linked:
                self.new_names.take(peer.transport.origin, now)
        except Refusal:
            self.lobby.forget(greeting)
            raise
        peer.state = "greeting"
        self.store_session(
            greeting.session,
            lambda error: self._greeted(peer, hello, greeting, error),
            greeting.before,
        )

    def turn_away(self, peer: Peer, who: Who, now: int, re: int | None = None) -> bool:
        """Say why, in answer to hello `re`, and close, if somebody is banned."""
        ban = self.rules.restriction("ban", who.name, peer.transport.origin, now)
        if ban is not None:
            peer.send(Bye(code=Code.SESSION_BANNED, text=ban.sentence(now), re=re))
            peer.transport.end(1008, Code.SESSION_BANNED)
        return ban is not None

    def _forget_unused(self, now: int) -> None:
        """Drop the names that are not used any more, here and in the log."""
        wait = FORGET_EVERY_MS if self.names.has_looked_at_all() else FORGET_NEXT_MS
        if now - self._forgot_at < wait:
            return
        self._forgot_at = now
        self.new_names.forget(now)
        unused = self.names.forget_unused(now, FORGET_MOST, self.config.names)
        if unused:
            self._forget([session.number for session in unused])

    def describe(self, name: str, nonce: str, ends: tuple[str, str]) -> dict[str, object]:
        """Return which house this is and, of a name, a proof for the token of each of its devices:
        see protocol/devices.py.
        """
        proofs = [prove(token, nonce, *ends) for token in self.names.token_hashes(name)]
        house = {"server": self.store.server}
        return {**house, "proof": proofs[0], "proofs": proofs} if proofs else {**house}

    def forget(self, number: int) -> None:
        """Forget a session in the log."""
        self._forget([number])

    def _forget(self, numbers: Sequence[int]) -> None:
        """Delete rows of sessions; those that cannot be deleted now are with the next one's.

        Else their names could not be stored for anybody else.
        """
        self._to_forget.update(numbers)
        left = set(self._to_forget)
        self.store.append([ForgottenRow(number) for number in left], partial(self._forgot, left))
        for tell in self.news.forgotten:
            for number in numbers:
                tell(number)

    def _forgot(self, numbers: set[int], error: Exception | None) -> None:
        if error is None:
            self._to_forget -= numbers

    def _check_connections(self, greeting: Greeting) -> None:
        """Refuse one connection too many, or a bot's version that may not come now.

        A greeting that is refused is taken back.
        """
        limit = self.config.connections_per_session
        presence = self.lobby.present.get((greeting.who.session, greeting.who.program))
        if greeting.bot is not None:
            self.services.ladders.check_version(greeting.who, greeting.bot.version)
        elif presence is not None and len(presence.links) >= limit:
            raise Refusal(Code.SESSION_TOO_MANY, f"this session has {limit} connections already")

    def store_session(
        self,
        session: Session,
        done: Callable[[Exception | None], None] = _ignore,
        before: Session | None = None,
    ) -> None:
        """Store a session, and forget the one that had its name `before`."""
        rows: list[Row] = [
            SessionRow(
                session.number, session.name, session.token, session.seen, int(session.guest),
                session.recovery, int(session.played),
            )
        ]  # fmt: skip
        if session.devices:
            rows.append(DevicesRow(session.number, encode(session.devices)))
        self._to_forget.discard(session.number)
        left = set(self._to_forget)
        if before is not None and before.number != session.number:
            left.add(before.number)
        rows += [ForgottenRow(number) for number in left]

        def stored(error: Exception | None) -> None:
            self._forgot(left, error)
            if error is None:
                for tell in self.news.stored:
                    tell(session, before)
            done(error)

        self.store.append(rows, stored)

    def _greeted(
        self, peer: Peer, hello: Hello, greeting: Greeting, error: Exception | None
    ) -> None:
        re = hello.id
        if isinstance(error, Conflict) and self._look_up is not None:  # another was quicker
            self.lobby.forget(greeting)
            peer.state = "new" if peer.state != "gone" else peer.state
            if peer.state != "gone":
                self.hello(peer, hello, self._now())
            return
        if error is not None:
            code = {"code": Code.SERVER_NOT_STORED}
            log.error("session %s: not stored: %s", greeting.session.name, error, extra=code)
            self.lobby.forget(greeting)
            if peer.state == "gone":
                return
            peer.state = "new"
            text = "the server could not store your session; try again in a while"
            peer.send_error(Error(code=Code.SERVER_NOT_STORED, text=text), re)
            return
        present = self.lobby.present.get((greeting.who.session, greeting.who.program))
        rooms = sorted(present.rooms) if present is not None else []
        self.rooms.fetch(rooms, lambda: self._admit(peer, re, greeting))

    def _admit(self, peer: Peer, re: int | None, greeting: Greeting) -> None:
        """Welcome somebody whose session is stored, and whose rooms are loaded."""
        if peer.state == "gone":  # while this was being written
            self._unheard(greeting)
            return
        if self.turn_away(peer, greeting.who, self._now(), re):
            self._unheard(greeting)
            return
        try:
            self._check_connections(greeting)
        except Refusal as no:
            self._unheard(greeting)
            peer.state = "new"
            peer.refuse(no, re)
            return
        self._enter(peer, greeting)
        if greeting.linked:
            self.end_cut_off(greeting.session.number)
        self._welcome(peer, re, greeting)
        if greeting.linked and greeting.before is not None:
            self.tell_devices(greeting.before, greeting.session, greeting.device)

    def _unheard(self, greeting: Greeting) -> None:
        """Give a name back to whose it was before: no client was shown the new token."""
        self.lobby.forget(greeting)
        if greeting.token is None:
            return
        number = greeting.session.number
        if greeting.linked:
            if number in self.names.sessions:
                self.store_session(self.names.sessions[number])
        elif greeting.before is not None:
            self._to_forget.add(number)
            self.store_session(greeting.before)
        else:
            self.forget(number)

    def connections(self, number: int) -> list[Peer]:
        """Return all connections of a name, its programs' too."""
        present = self.lobby.present.items()
        here = [presence.who for (session, _), presence in present if session == number]
        return [peer for who in here for peer in connections_of(self.lobby, who)]

    def end_cut_off(self, number: int) -> None:
        """End the connections of the devices that a name is not on any more."""
        left = {device.number for device in devices_of(self.names.sessions[number])}
        text = "this device was cut off from the name, on another one that it is on"
        for peer in self.connections(number):
            if peer.device and peer.device not in left:
                peer.bye(Code.SESSION_MOVED, text, 1008)
                self.lost(peer)

    def tell_devices(self, before: Session, after: Session, by: int = 0) -> None:
        """Tell people on a name's devices what has changed, but for the device that did it."""
        told = news(before, after)
        for peer in self.connections(after.number) if told else ():
            if peer.device != by and peer.me().program is None:
                for each in told:
                    peer.notify(each)

    def _enter(self, peer: Peer, greeting: Greeting) -> None:
        presence = self.lobby.presence(greeting.who)
        if greeting.bot is not None:
            for old in connections_of(self.lobby, greeting.who):
                self.replace(presence, old)
        presence.bot = greeting.bot
        self.lobby.connect(presence, peer)
        peer.state, peer.who, peer.presence = "open", greeting.who, presence
        peer.device = greeting.device
        peer.allowances = (*peer.allowances, self._allowance(greeting.session.number))
        self.services.lobby_feed.send_soon()
        if greeting.bot is not None:
            self.services.ladders.presence_changed()
        for tell in self.news.entered:
            tell(peer)

    def _allowance(self, session: int) -> TokenBucket:
        """Return what all connections of a session share."""
        allowance = self._allowances.get(session)
        if allowance is None:
            allowance = TokenBucket(self.config.session_micros, self._saved, self._now())
            self._allowances[session] = allowance
        return allowance

    def forget_allowances(self, now: int) -> None:
        """Forget those of sessions that are gone and owe nothing; a new one would be the same."""
        for session, allowance in list(self._allowances.items()):
            if not self.lobby.is_present(session) and allowance.is_full(now):
                del self._allowances[session]

    def replace(self, presence: Presence, old: Peer) -> None:
        """End a bot's connection: the same program has connected again."""
        for tell in self.news.replaced:
            tell(old)
        self.lobby.disconnect(presence, old)
        old.presence, old.state = None, "gone"
        self.rooms.disk.let_go(old)
        self.rooms.unfollow(old)
        self.services.bot_left(presence)  # the new connection does not know the old one's questions
        text = "this program has connected again under the same name, and that one plays on"
        old.bye(Code.SESSION_REPLACED, text, 1008)

    def _welcome(self, peer: Peer, re: int | None, greeting: Greeting) -> None:
        presence = self.lobby.presence(greeting.who)
        for number in sorted(presence.rooms):
            self.rooms.near(number)  # is it loaded; one that cannot be is gone
        numbers = sorted(presence.rooms)
        matches = [name for number in numbers if (name := self._match_on(number)) is not None]
        peer.send(
            Welcome(
                re=re, version=VERSION, server=self.store.server, name=greeting.session.name,
                now=self._now(), token=greeting.token, rooms=tuple(numbers),
                matches=tuple(matches), games=registry.names(), catalog=self._catalog,
                at=self._best_at(numbers), up_ms=self.rooms.clock.up_ms(),
            )
        )  # fmt: skip
        session = self.names.sessions[greeting.session.number]
        linked = () if greeting.bot else linked_since(session, greeting.device, greeting.since)
        for notice in (*self.rules.notices(self._now()), *linked):
            peer.notify(notice)
        self.return_to_rooms(peer, numbers)

    def _best_at(self, numbers: Sequence[int]) -> str | None:
        """Return where who sits in these rooms best comes back to, if there are several servers."""
        if self._far is None:
            return None
        far = self.rooms.far
        owners = [far[number].owner for number in numbers if number in far]
        return self._far.best_for(owners, len(numbers) - len(owners))

    def _match_on(self, number: int) -> str | None:
        """Return the name of the match that is on in an open room."""
        actor = self.rooms.actors.get(number)
        if actor is None:  # it is on another server, or could not be read
            far = self.rooms.far.get(number)
            return far.match if far is not None else None
        match = actor.room.playing()
        return match.name if match is not None else None

    def return_to_rooms(self, peer: Peer, numbers: Sequence[int]) -> None:
        """Show somebody who has come those of these rooms that are here, which hear of it."""
        for actor in [self.rooms.actors[n] for n in numbers if n in self.rooms.actors]:
            actor.follow(peer)
            actor.tell(Reconnected(), peer.me(), self._now())

    def shown(self, room: Room) -> None:
        """Note who has played: their names are kept for longer."""
        if room.state != "playing":
            return
        for who in room.seats:
            session = self.names.sessions.get(who.session) if who is not None else None
            if session is not None and not session.played:
                self.store_session(self.names.update(replace(session, played=True)))

    def lost(self, peer: Peer, elsewhere: bool = False) -> None:
        """Note that a connection is gone; with a player's last one, its rooms hear of it.

        `elsewhere`: it was another server's, which notes when its owner was last seen.
        """
        peer.state = "gone"
        self.rooms.disk.let_go(peer)
        self.rooms.unfollow(peer)
        self.services.forget(peer)
        presence = peer.presence
        if presence is None or peer not in presence.links:
            return
        for tell in self.news.left:
            tell(peer)
        self.lobby.disconnect(presence, peer)
        if not presence.links:
            if not elsewhere:
                session = self.names.seen(presence.who.session, self._now(), peer.device)
                self.store_session(session)
            self._absent(presence.who, sorted(presence.rooms))
            self.lobby.tidy(presence)
            self.services.bot_left(presence)
            self.services.ladders.presence_changed()
        self.services.lobby_feed.send_soon()

    def _absent(self, who: Who, numbers: list[int]) -> None:
        for number in numbers:
            actor = self.rooms.actors.get(number)
            if actor is not None:  # else it is not loaded, and knows of no connection
                actor.tell(Disconnected(), who, self._now())
