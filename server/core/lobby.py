"""All rooms and all who are here: names, tokens, connections, invitations, the list of rooms.

Sans I/O like the rest of the core, but an owner, not a value: there is one Lobby, it changes in
place, and all of it but the sessions (which are rows) follows from the rooms and connections that
exist.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from games import registry
from protocol.errors import Code, Refusal
from protocol.messages import VERSION, BotInfo, BotLine, Hello, LobbyList, RoomLine
from server.core import session as sessions
from server.core.events import Who
from server.core.session import Session

LINK_MS = 120_000  # how long a code to move a name is good
MAX_LINES = 200  # rooms and bots in one lobby message; each is at most about 600 bytes


class Greeting(Struct, frozen=True):
    """A hello that is granted.

    `token` is to be shown to its owner; `stored`: the session as it must be stored.
    """

    session: Session
    who: Who
    token: str | None
    bot: BotInfo | None


class Presence:
    """A player who is connected: how many sockets, which rooms it sits in, which places are
    held for it.
    """

    __slots__ = ("bot", "held", "links", "rooms", "who")

    def __init__(self, who: Who) -> None:
        self.who = who
        self.bot: BotInfo | None = None
        self.links: list[object] = []  # its connections; the runtime knows what they are
        self.rooms: set[int] = set()
        self.held: dict[int, int] = {}  # room -> until when a slot is held for it

    def free(self, now: int) -> int:
        """Slots left, after the rooms it sits in and those it is invited to."""
        if self.bot is None:
            return 1
        held = sum(1 for room, until in self.held.items() if until > now and room not in self.rooms)
        return self.bot.slots - len(self.rooms) - held


class Lobby:
    """The one list of everything; `now` is always an argument."""

    def __init__(self, known: Iterable[Session] = ()) -> None:
        self.sessions: dict[int, Session] = {}
        self.by_name: dict[str, int] = {}
        self.by_token: dict[bytes, int] = {}
        self.links: dict[str, tuple[int, int]] = {}  # code -> (session, until)
        self.present: dict[tuple[int, str | None], Presence] = {}
        self.lines: dict[int, RoomLine] = {}
        self.codes: dict[str, int] = {}
        self.next_session = 1
        for session in known:
            self._keep(session)

    # ------------------------------------------------------------ names

    def greet(self, hello: Hello, token: str, guest: str, now: int) -> Greeting:
        """Judge a hello.  `token` and `guest` are fresh, and used only where it asks for them.

        Raises:
            Refusal: protocol/wrong-version, session/bad-token, bad-link, bad-name, name-taken, bad-
            bot.
        """
        if hello.version != VERSION:
            raise Refusal(
                Code.PROTOCOL_WRONG_VERSION,
                f"this server speaks version {VERSION}, you speak {hello.version}",
            )
        if hello.bot is not None:
            _check_bot(hello.bot)
        session, shown = self._session(hello, token, guest, now)
        program = hello.bot.program if hello.bot is not None else None
        return Greeting(session, Who(session.number, session.name, program), shown, hello.bot)

    def _session(
        self, hello: Hello, token: str, guest: str, now: int
    ) -> tuple[Session, str | None]:
        if hello.token is not None:
            return self._resumed(hello.token, now), None
        if hello.link is not None:
            return self._linked(hello.link, token, now), token
        name = sessions.check_name(hello.name) if hello.name is not None else self._free(guest, now)
        self._check_free(name, now)
        hashed = sessions.hash_token(token)
        session = Session(self.next_session, name, hashed, now, guest=hello.name is None)
        self._keep(session)
        return session, token

    def _resumed(self, token: str, now: int) -> Session:
        number = self.by_token.get(sessions.hash_token(token))
        if number is None:
            raise Refusal(
                Code.SESSION_BAD_TOKEN, "nobody here has this token; say hello with a name"
            )
        return self.seen(number, now)

    def _linked(self, code: str, token: str, now: int) -> Session:
        number, until = self.links.pop(code.strip().upper(), (0, 0))
        if now > until or number not in self.sessions:
            raise Refusal(
                Code.SESSION_BAD_LINK, "this link code is wrong, used, or older than two minutes"
            )
        old = self.sessions[number]
        del self.by_token[old.token]
        moved = replace(old, token=sessions.hash_token(token), seen=now)
        self._keep(moved)
        return moved

    def seen(self, number: int, now: int) -> Session:
        """Note that a session's owner was here; the row to store."""
        session = replace(self.sessions[number], seen=now)
        self.sessions[number] = session
        return session

    def link(self, who: Who, code: str, now: int) -> None:
        """Let `code` move this session's name to another device for two minutes."""
        self.links = {
            c: (n, t) for c, (n, t) in self.links.items() if t >= now and n != who.session
        }
        self.links[code] = (who.session, now + LINK_MS)

    def forget(self, session: Session) -> None:
        """A greeting was not stored: the name is free again if it was new."""
        if self.sessions.get(session.number) is session:
            self._drop(session)

    def _keep(self, session: Session) -> None:
        self.sessions[session.number] = session
        self.by_name[session.name.casefold()] = session.number
        self.by_token[session.token] = session.number
        self.next_session = max(self.next_session, session.number + 1)

    def _drop(self, session: Session) -> None:
        del self.sessions[session.number]
        self.by_token.pop(session.token, None)
        if self.by_name.get(session.name.casefold()) == session.number:
            del self.by_name[session.name.casefold()]

    def _check_free(self, name: str, now: int) -> None:
        owner = self.by_name.get(name.casefold())
        if owner is None:
            return
        if self._is_free_again(owner, now):
            return
        other = self._free(name, now)
        raise Refusal(
            Code.SESSION_NAME_TAKEN,
            f"{name!r} is somebody else's; {other!r} is free",
            suggestion=other,
        )

    def _free(self, name: str, now: int) -> str:
        stem, n, wish = name[: sessions.MAX_NAME - 4], 2, name
        while (owner := self.by_name.get(wish.casefold())) and not self._is_free_again(owner, now):
            wish, n = f"{stem}-{n}", n + 1
        return wish

    def _is_free_again(self, number: int, now: int) -> bool:
        """A day unseen, not here, and in no room."""
        session = self.sessions[number]
        return now - session.seen > sessions.NAME_KEPT_MS and not any(
            key[0] == number for key in self.present
        )

    # ------------------------------------------------------------ who is here

    def presence(self, who: Who) -> Presence:
        """The presence of a player, made when it is first needed."""
        key = (who.session, who.program)
        found = self.present.get(key)
        if found is None:
            found = self.present[key] = Presence(who)
        return found

    def tidy(self, presence: Presence) -> None:
        """Forget a player who is neither connected nor seated."""
        if not presence.links and not presence.rooms:
            self.present.pop((presence.who.session, presence.who.program), None)

    def find(self, name: str, game: str, room: int, now: int) -> Presence:
        """Whom an invitation means: a player's name, `name/program`, or any bot by its program.

        Holds a slot of a bot for the time that the invitation is good.

        Raises:
            Refusal: invite/no-such-player or invite/busy.
        """
        here = [p for p in self.present.values() if p.links]
        wanted = [p for p in here if p.who.title().casefold() == name.casefold()]
        wanted = wanted or [p for p in here if p.bot is not None and p.who.program == name]
        if not wanted:
            raise Refusal(Code.INVITE_NO_SUCH_PLAYER, self._nobody(name, here))
        able = [p for p in wanted if p.bot is None or not p.bot.games or game in p.bot.games]
        if not able:
            raise Refusal(Code.INVITE_NO_SUCH_PLAYER, f"{name} does not play {game}")
        free = max(able, key=lambda p: p.free(now))
        if free.free(now) < 1:
            raise Refusal(Code.INVITE_BUSY, f"{name} has no free slot; try again in a while")
        return free

    def _nobody(self, name: str, here: list[Presence]) -> str:
        bots = sorted({p.who.program for p in here if p.who.program is not None})
        return f"nobody called {name!r} is here; bots that are: {', '.join(bots) or 'none'}"

    # ------------------------------------------------------------ what can be seen

    def listing(self, now: int) -> LobbyList:
        """The public rooms, newest first, and the bots, as many as a message holds."""
        rooms = [line for line in self.lines.values() if line.options.public]
        bots = [
            BotLine(
                name=p.who.name, program=p.bot.program, version=p.bot.version,
                games=p.bot.games, levels=p.bot.levels, free=max(0, p.free(now)),
            )
            for p in self.present.values() if p.bot is not None and p.links
        ]  # fmt: skip
        newest = sorted(rooms, key=lambda line: -line.room)[:MAX_LINES]
        return LobbyList(rooms=tuple(newest), bots=tuple(bots[:MAX_LINES]), total=len(rooms))

    def room_by_code(self, code: str) -> int:
        """The private room that is joined by this code."""
        number = self.codes.get(code.strip().upper())
        if number is None:
            raise Refusal(Code.ROOM_WRONG_CODE, "no room has this code")
        return number


def _check_bot(bot: BotInfo) -> None:
    name = sessions.check_name(bot.program)
    if name != bot.program or " " in name:
        raise Refusal(Code.SESSION_BAD_BOT, "a program's name has no spaces")
    unknown = sorted(set(bot.games) - set(registry.names()))
    if len(unknown) == len(bot.games) and unknown:
        known = ", ".join(registry.names())
        raise Refusal(
            Code.SESSION_BAD_BOT, f"no game here is called {unknown[0]!r}; there are {known}"
        )
