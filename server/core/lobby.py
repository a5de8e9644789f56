"""All rooms and all who are here: names, tokens, connections, invitations, the list of rooms.

This is an owner and not a value: the server has one, and it changes in place.  Only the sessions
are stored; all else follows from the rooms and connections that there are.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from games import registry
from protocol.errors import Code, Refusal
from protocol.messages import VERSION, BotInfo, BotLine, GameInfo, Hello, LobbyList, RoomLine
from protocol.notation import parse_code
from server.core import session as sessions
from server.core.events import Who
from server.core.seating import INVITATION_MS
from server.core.session import Session
from server.core.text import clean

LINK_MS = 120_000  # how long a code to move a name is good
MAX_LINES = 200  # rooms and bots in one lobby message; each is at most about 600 bytes
MAX_VERSION = 24  # characters of what a bot calls its version


class Greeting(Struct, frozen=True):
    """A hello that is granted.

    `session` is to be stored, `token` to be shown to its owner; `before`: the session whose name
    this one takes over, if any.
    """

    session: Session
    who: Who
    token: str | None
    bot: BotInfo | None
    before: Session | None = None


class Presence:
    """A player who is connected: its sockets, the rooms it sits in, the slots held for it."""

    __slots__ = ("bot", "held", "links", "rooms", "who")

    def __init__(self, who: Who) -> None:
        self.who = who
        self.bot: BotInfo | None = None
        self.links: list[object] = []  # its connections; the core does not look into them
        self.rooms: set[int] = set()
        self.held: dict[int, int] = {}  # room -> until when a slot is held for it

    def plays(self, game: str) -> bool:
        """Return whether it can be asked to play this: a person anything, a bot what it said."""
        return self.bot is None or not self.bot.games or game in self.bot.games

    def free(self, now: int, room: int | None = None) -> int:
        """Slots left for `room`, after the rooms it sits in and others that it is invited to."""
        if self.bot is None:
            return 1
        held = {r for r, until in self.held.items() if until > now and r != room}
        return self.bot.slots - len(self.rooms | held)

    def hold(self, room: int, now: int, until: int) -> None:
        """Keep a slot for `room`, and forget the promises that have run out."""
        self.held = {r: t for r, t in self.held.items() if t > now} | {room: until}


class LobbyState:
    """Sessions, connections, invitations and rooms; `now` is always an argument.

    `stored`: the sessions of the log; `since`: when the server began, as nobody was seen while it
    was off.
    """

    def __init__(self, stored: Iterable[Session] = (), since: int = 0) -> None:
        self.since = since
        self.sessions: dict[int, Session] = {}
        self.by_name: dict[str, int] = {}
        self.by_token: dict[bytes, int] = {}
        self.link_codes: dict[str, tuple[int, int]] = {}  # code -> (session, until)
        self.present: dict[tuple[int, str | None], Presence] = {}
        self.lines: dict[int, RoomLine] = {}
        self.codes: dict[str, int] = {}
        self.next_session = 1
        for session in sorted(stored, key=lambda session: session.number):
            self._take_over(session)

    def greet(self, hello: Hello, token: str, guest: str, now: int) -> Greeting:
        """Judge a hello.  `token` and `guest` are fresh, and used only where it asks for them.

        Raises:
            Refusal: protocol/wrong-version, session/bad-token, bad-link, bad-name, name-taken or
                bad-bot.
        """
        if hello.version != VERSION:
            raise Refusal(
                Code.PROTOCOL_WRONG_VERSION,
                f"this server speaks version {VERSION}, you speak {hello.version}",
            )
        bot = _checked(hello.bot) if hello.bot is not None else None
        program = bot.program if bot is not None else None
        if hello.token is not None:
            session, new_token, before = self._resumed(hello.token, now), None, None
        else:
            session = self._session(hello, sessions.hash_token(token), guest, now)
            new_token, before = token, self._take_over(session)
        who = Who(session.number, session.name, program)
        return Greeting(session, who, new_token, bot, before)

    def _session(self, hello: Hello, token: bytes, guest: str, now: int) -> Session:
        if hello.link is not None:
            return replace(self._linked(hello.link, now), token=token, seen=now)
        if hello.name is None:
            return Session(self.next_session, self._free(guest, now), token, now, guest=True)
        name = sessions.check_name(hello.name)
        self._check_free(name, now)
        return Session(self.next_session, name, token, now)

    def _resumed(self, token: str, now: int) -> Session:
        number = self.by_token.get(sessions.hash_token(token))
        if number is None:
            raise Refusal(
                Code.SESSION_BAD_TOKEN, "nobody here has this token; say hello with a name"
            )
        return self.seen(number, now)

    def _linked(self, code: str, now: int) -> Session:
        number, until = self.link_codes.pop(parse_code(code), (0, 0))
        if now > until or number not in self.sessions:
            raise Refusal(
                Code.SESSION_BAD_LINK, "this link code is wrong, used, or older than two minutes"
            )
        return self.sessions[number]

    def seen(self, number: int, now: int) -> Session:
        """Note that a session's owner was here; the row to store."""
        session = replace(self.sessions[number], seen=now)
        self.sessions[number] = session
        return session

    def link(self, who: Who, code: str, now: int) -> None:
        """Let `code` move this session's name to another device for two minutes."""
        self.link_codes = {
            c: (n, t) for c, (n, t) in self.link_codes.items() if t >= now and n != who.session
        }
        self.link_codes[code] = (who.session, now + LINK_MS)

    def forget(self, greeting: Greeting) -> None:
        """Take back a greeting that was not stored; its name goes back to whoever had it."""
        session = self.sessions.get(greeting.session.number)
        if greeting.token is None or session is None or session.token != greeting.session.token:
            return
        self._drop(session)
        if greeting.before is not None:
            self._take_over(greeting.before)

    def forget_guests(self, now: int) -> None:
        """Drop the guests whose names are free again: nobody would ask for such a name."""
        for session in list(self.sessions.values()):
            if session.guest and self._is_free_again(session.number, now):
                self._drop(session)

    def _take_over(self, session: Session) -> Session | None:
        """Keep a session, and drop the one that had its name."""
        owner = self.by_name.get(session.name.casefold())
        before = self.sessions[owner] if owner is not None else None
        if before is not None:
            self._drop(before)
        self.sessions[session.number] = session
        self.by_name[session.name.casefold()] = session.number
        self.by_token[session.token] = session.number
        self.next_session = max(self.next_session, session.number + 1)
        return before

    def _drop(self, session: Session) -> None:
        del self.sessions[session.number]
        del self.by_token[session.token]
        del self.by_name[session.name.casefold()]

    def _check_free(self, name: str, now: int) -> None:
        other = self._free(name, now)
        if other == name:
            return
        raise Refusal(
            Code.SESSION_NAME_TAKEN,
            f"{name!r} is somebody else's; {other!r} is free",
            suggestion=other,
        )

    def _free(self, name: str, now: int) -> str:
        n, free = 2, name
        while (owner := self.by_name.get(free.casefold())) and not self._is_free_again(owner, now):
            end = f"-{n}"
            n, free = n + 1, name[: sessions.MAX_NAME - len(end)] + end
        return free

    def _is_free_again(self, number: int, now: int) -> bool:
        """Return whether a name's owner has been away for a day and sits in no room."""
        seen = max(self.sessions[number].seen, self.since)
        if now - seen <= sessions.NAME_KEPT_MS:
            return False
        return not any(session == number for session, _ in self.present)

    def presence(self, who: Who) -> Presence:
        """Return the presence of a player, made when it is first needed."""
        key = (who.session, who.program)
        presence = self.present.get(key)
        if presence is None:
            presence = self.present[key] = Presence(who)
        return presence

    def tidy(self, presence: Presence) -> None:
        """Forget a player who is neither connected nor seated."""
        if not presence.links and not presence.rooms:
            self.present.pop((presence.who.session, presence.who.program), None)

    def find(self, name: str, game: str, room: int, now: int) -> Presence:
        """Find whom an invitation means: a name, `name/program`, or any bot of a program.

        Holds a slot of a bot for the time that the invitation is good.

        Raises:
            Refusal: invite/no-such-player or invite/busy.
        """
        here = [p for p in self.present.values() if p.links]
        title = name.strip().casefold()
        players = [p for p in here if p.who.title().casefold() == title]
        players = players or [p for p in here if p.bot and p.bot.program.casefold() == title]
        if not players:
            raise Refusal(Code.INVITE_NO_SUCH_PLAYER, self._nobody(name, here))
        able = [p for p in players if p.plays(game)]
        if not able:
            raise Refusal(Code.INVITE_NO_SUCH_PLAYER, _unable(name, players, game, here))
        able = [p for p in able if room not in p.rooms]
        if not able:
            raise Refusal(Code.INVITE_BUSY, f"{name} sits in this room already")
        best = max(able, key=lambda p: p.free(now, room))
        if best.free(now, room) < 1:
            raise Refusal(Code.INVITE_BUSY, f"{name} has no free slot; try again in a while")
        best.hold(room, now, now + INVITATION_MS)
        return best

    def _nobody(self, name: str, here: list[Presence]) -> str:
        bots = sorted({p.who.program for p in here if p.who.program is not None})
        return f"nobody called {name!r} is here; bots that are: {', '.join(bots) or 'none'}"

    def listing(self, now: int) -> LobbyList:
        """Return the public rooms, newest first, and the bots, as many as a message holds."""
        rooms = [line for line in self.lines.values() if line.options.public]
        bots = [
            BotLine(
                name=p.who.name, program=p.bot.program, version=p.bot.version,
                games=p.bot.games, levels=p.bot.levels, free=max(0, p.free(now)),
                analyses=p.bot.analyses,
            )
            for p in self.present.values() if p.bot is not None and p.links
        ]  # fmt: skip
        newest = sorted(rooms, key=lambda line: -line.room)[:MAX_LINES]
        return LobbyList(rooms=tuple(newest), bots=tuple(bots[:MAX_LINES]), total=len(rooms))

    def room_by_code(self, code: str) -> int:
        """Return the private room that is joined by this code."""
        number = self.codes.get(parse_code(code))
        if number is None:
            raise Refusal(Code.ROOM_WRONG_CODE, "no room has this code")
        return number


def catalog() -> tuple[GameInfo, ...]:
    """Return the games of this server, as `welcome` lists them."""
    games = [registry.game(name) for name in registry.names()]
    return tuple(
        GameInfo(game=g.name, title=g.title, start=g.format_position(g.initial()), seats=g.seats)
        for g in games
    )


def _checked(bot: BotInfo) -> BotInfo:
    """Return what a bot says of itself as all may see it: of the games only those that are here."""
    program = sessions.check_name(bot.program)
    if " " in bot.program.strip():
        raise Refusal(Code.SESSION_BAD_BOT, "a program's name has no spaces")
    names = registry.names()
    games = [name for name in names if name in bot.games]
    if bot.games and not games:
        raise Refusal(
            Code.SESSION_BAD_BOT,
            f"no game here is called {bot.games[0][:40]!r}; there are {', '.join(names)}",
        )
    analyses = [name for name in games or names if name in bot.analyses]
    version = clean(bot.version)[:MAX_VERSION]
    return replace(bot, program=program, version=version, games=games, analyses=analyses)


def _unable(name: str, players: list[Presence], game: str, here: list[Presence]) -> str:
    """Return the sentence: no bot of this name plays the game, what they play, and who does."""
    games = sorted({g for p in players if p.bot for g in p.bot.games})
    able = sorted({p.bot.program for p in here if p.bot is not None and p.plays(game)})
    others = f"; bots here that do: {', '.join(able)}" if able else ""
    return f"{name} does not play {game}, only {', '.join(games)}{others}"
