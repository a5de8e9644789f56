"""All rooms and all who are here: names, tokens, connections, invitations, the list of rooms.

This is an owner and not a value: the server has one, and it changes in place.  Only the sessions
are stored; all else follows from the rooms and connections that there are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from games import registry
from protocol.errors import Code, Refusal
from protocol.messages import VERSION, Hello, LobbyList
from protocol.notation import parse_code
from protocol.parts import BotInfo, BotLine, GameInfo, PersonLine, RoomLine
from server.core import session as sessions
from server.core.effects import SendInvitation
from server.core.events import Who
from server.core.names import devices
from server.core.names.numbers import NumberBlocks
from server.core.names.register import HOUSE, NO_LINKS, LinkCodes, Register
from server.core.names.text import clean
from server.core.seating import INVITATION_MS
from server.core.session import Session

MAX_LINES = 200  # rooms and bots in one lobby message; each is at most about 600 bytes
MAX_PEOPLE = 100  # people in it, of at most about 130 bytes
MAX_POSITIONS = 40  # positions in it, of at most about 150 bytes: more than a page shows at once
MAX_VERSION = 24  # characters of what a bot calls its version


class Greeting(Struct, frozen=True):
    """A hello that is granted.

    `session` is to be stored, `token` to be shown to its owner; `device`: on which of its devices
    it is; `before`: the session whose name this one takes over, if any; `linked`: the name has come
    to a device more, and `links` are the codes that could have brought it until then; `since`: when
    that device was last there, in ms.
    """

    session: Session
    who: Who
    token: str | None
    bot: BotInfo | None
    device: int = devices.FIRST
    before: Session | None = None
    linked: bool = False
    links: LinkCodes = NO_LINKS
    since: int = 0


class LoginSecrets(NamedTuple):
    """What the core may not make itself: a token, and a guest's name."""

    token: str
    guest: str


# Numbers of rooms: of one or two, as nearly always, a set would take four times the memory.
Numbers: TypeAlias = tuple[int, ...] | set[int]
PlayerKey: TypeAlias = tuple[int, str | None]  # a session, and the program that plays for it
MAX_TUPLE: Final = 8
NOTHING_HELD: Final[Mapping[int, int]] = MappingProxyType({})


def with_number(numbers: Numbers, number: int) -> Numbers:
    """Return these numbers and one more; a set is changed in place."""
    if number in numbers:
        return numbers
    if isinstance(numbers, set):
        numbers.add(number)
        return numbers
    return (*numbers, number) if len(numbers) < MAX_TUPLE else {*numbers, number}


def without_number(numbers: Numbers, number: int) -> Numbers:
    """Return these numbers without one; a set is changed in place."""
    if isinstance(numbers, set):
        numbers.discard(number)
        return numbers or ()
    return tuple([each for each in numbers if each != number])


class Presence:
    """A player who is connected: its sockets, the rooms it sits in, the slots held for it."""

    __slots__ = ("bot", "held", "key", "links", "resting", "rooms", "who")

    def __init__(self, who: Who) -> None:
        self.who = who
        self.key: PlayerKey = (who.session, who.program)
        self.bot: BotInfo | None = None
        self.links: tuple[object, ...] = ()  # its connections; the core does not look into them
        self.rooms: Numbers = ()
        self.resting: Numbers = ()  # of these: those that take no slot of its, see Room.rests
        self.held: Mapping[int, int] = NOTHING_HELD  # room -> until when a slot is held for it

    def sit(self, room: int) -> None:
        """Note that it sits in a room."""
        self.rooms = with_number(self.rooms, room)

    def rise(self, room: int) -> None:
        """Note that it sits there no more."""
        self.rooms = without_number(self.rooms, room)
        self.resting = without_number(self.resting, room)

    def rest(self, room: int, rests: bool) -> None:
        """Note whether a room where it sits takes none of its slots."""
        if rests and room in self.rooms:
            self.resting = with_number(self.resting, room)
        elif not rests:
            self.resting = without_number(self.resting, room)

    def plays(self, game: str) -> bool:
        """Return whether it can be asked to play this: a person anything, a bot what it said."""
        return self.bot is None or not self.bot.games or game in self.bot.games

    def free(self, now: int, room: int | None = None) -> int:
        """Slots left for `room`, after the rooms it sits in and others that it is invited to."""
        if self.bot is None:
            return 1
        return self.bot.slots - self.taken(now, room)

    def taken(self, now: int, room: int | None = None) -> int:
        """Rooms where it plays, or that a slot is held for, `room` left out."""
        held = [r for r, until in self.held.items() if until > now and r != room]
        return self.active + sum(1 for each in held if each not in self.rooms)

    @property
    def active(self) -> int:
        """How many rooms it sits in that take a slot, if it has such."""
        return len(self.rooms) - len(self.resting)

    def hold(self, room: int, now: int, until: int) -> None:
        """Keep a slot for `room`, and forget the promises that have run out."""
        self.held = {r: t for r, t in self.held.items() if t > now} | {room: until}

    def release(self, room: int) -> bool:
        """Hold no slot for `room`; return whether there was one."""
        if room not in self.held:
            return False
        self.held = {r: t for r, t in self.held.items() if r != room} or NOTHING_HELD
        return True


class LobbyState:
    """Names, connections, invitations and rooms; `now` is always an argument.

    `stored`: the sessions of the log; `since`: when the server began, as no client was seen while
    it was off; `most_slots`: what more than that a bot claims is not believed; `numbers`: of new
    sessions, see Register.
    """

    def __init__(
        self,
        stored: Iterable[Session] = (),
        since: int = 0,
        most_slots: int = 1_000,
        numbers: NumberBlocks | None = None,
    ) -> None:
        self.names = Register(stored, since, numbers)
        self.names.holders.append(lambda: self._here)
        self.most_slots = most_slots
        self.present: dict[PlayerKey, Presence] = {}
        self._here: dict[int, tuple[Presence, ...]] = {}  # session -> those of these that are its
        self.connected: dict[PlayerKey, Presence] = {}  # of those present ...
        self.people: dict[PlayerKey, Presence] = {}  # ... and of these the people, ...
        self.bots: dict[PlayerKey, Presence] = {}  # ... the bots, and those of the house's own
        self.house_bots: dict[PlayerKey, Presence] = {}
        self.playing: set[int] = set()  # the rooms where a match is on
        self.codes: dict[str, int] = {}

    def greet(self, hello: Hello, fresh: LoginSecrets, now: int) -> Greeting:
        """Judge a hello.  What is `fresh` is used only where the hello asks for it.

        Raises:
            Refusal: protocol/wrong-version, session/bad-token, bad-link, bad-name, name-taken or
                bad-bot.
        """
        if hello.version != VERSION:
            raise Refusal(
                Code.PROTOCOL_WRONG_VERSION,
                f"this server speaks version {VERSION}, you speak {hello.version}",
            )
        bot = _checked(hello.bot, self.most_slots) if hello.bot is not None else None
        program = bot.program if bot is not None else None
        names, label = self.names, devices.label_of(hello.device)
        token: str | None = None
        before = None
        links, since = NO_LINKS, now
        if hello.token is not None:
            number, token_hash = names.of_token(hello.token), sessions.hash_token(hello.token)
            device = devices.number_of(names.sessions[number], token_hash)
            known = devices.of_number(names.sessions[number], device)
            since = known.seen if known is not None else now
            session = names.seen(number, now, device, label)
        elif hello.link is not None:
            before = names.linked(hello.link, now)
            token = f"{before.number}.{fresh.token}"  # by the number other servers look it up
            session = devices.linked(before, sessions.hash_token(token), label, now)
            device = session.devices[-1].number
            names.update(session)
            links = names.void_links(session.number)
        else:
            session, token, device = self._new(hello, fresh, now), fresh.token, devices.FIRST
            session = replace(session, label=label)
            names.note_new(session)
            before = names.keep(session)
        who = Who(session.number, session.name, program)
        if program is not None and names.is_house(session.number):
            names.add_house_program(program)
        is_linked = hello.token is None and hello.link is not None
        return Greeting(session, who, token, bot, device, before, is_linked, links, since)

    def _new(self, hello: Hello, fresh: LoginSecrets, now: int) -> Session:
        """Return the session of a hello without token and link, which is not kept yet."""
        names, token = self.names, sessions.hash_token(fresh.token)
        if hello.name is None:
            guest = names.free(fresh.guest, now)
            return Session(names.fresh_number(), guest, token, now, guest=True)
        name = sessions.check_name(hello.name)
        names.check_free(name, now)
        return Session(names.fresh_number(), name, token, now)

    def forget(self, greeting: Greeting) -> None:
        """Take back a greeting that was not stored: of a new device, or a new session, whose name
        goes back to the one who had it.
        """
        names = self.names
        session = names.sessions.get(greeting.session.number)
        if greeting.token is None or session is None:
            return
        if devices.number_of(session, sessions.hash_token(greeting.token)) != greeting.device:
            return
        if greeting.linked:
            names.update(devices.without(session, greeting.device))
            names.link_codes.update(greeting.links)
            return
        names.drop(session)
        if greeting.before is not None:
            names.keep(greeting.before)

    def presence(self, who: Who) -> Presence:
        """Return the presence of a player, made when it is first needed."""
        key = (who.session, who.program)
        presence = self.present.get(key)
        if presence is None:
            presence = Presence(who)
            self.present[presence.key] = presence
            self._here[who.session] = (*self._here.get(who.session, ()), presence)
        return presence

    def step(self, ms: int) -> None:
        """Let the time go forward: slots stay held for as long as they were promised."""
        self.names.step(ms)
        for presence in self.present.values():
            if presence.held:
                presence.held = {room: until + ms for room, until in presence.held.items()}

    def connect(self, presence: Presence, link: object) -> None:
        """Note a connection of a player."""
        presence.links = (*presence.links, link)
        self.connected[presence.key] = self._kind_of(presence)[presence.key] = presence

    def disconnect(self, presence: Presence, link: object) -> None:
        """Note that a connection of a player is gone."""
        presence.links = tuple([other for other in presence.links if other is not link])
        if not presence.links:
            for each in (self.connected, self._kind_of(presence)):
                each.pop(presence.key, None)

    def _kind_of(self, presence: Presence) -> dict[PlayerKey, Presence]:
        if presence.who.program is None:
            return self.people
        return self.house_bots if self.names.is_house(presence.who.session) else self.bots

    def is_present(self, session: int) -> bool:
        """Return whether somebody of a session is connected or seated."""
        return session in self._here

    def connected_as(self, session: int, program: str) -> Presence | None:
        """Return a session's program if it is connected, in whatever case its name is written."""
        name = program.casefold()
        here = [p for p in self._here.get(session, ()) if p.links]
        return next((p for p in here if (p.who.program or "").casefold() == name), None)

    def tidy(self, presence: Presence) -> None:
        """Forget a player who is neither connected nor seated."""
        who = presence.who
        if presence.links or presence.rooms:
            return
        gone = self.present.pop((who.session, who.program), None)
        if gone is None:
            return
        others = tuple([each for each in self._here[who.session] if each is not gone])
        if others:
            self._here[who.session] = others
        else:
            del self._here[who.session]

    def is_of_house(self, presence: Presence) -> bool:
        """Return whether this is a bot of the house's own."""
        return presence.bot is not None and self.names.is_house(presence.who.session)

    def find(self, call: SendInvitation, room: int, now: int) -> Presence:
        """Find whom an invitation means; see `_meant`.

        Holds a slot of a bot for the time that the invitation is good.  Of several bots that of
        those with a free slot which has least to do is called, of equals the oldest name's: what a
        bot claims does not matter.

        Raises:
            Refusal: invite/no-such-player, invite/private or invite/busy.
        """
        here = list(self.connected.values())
        name, game = call.name, call.game
        players = self._of_level(call, here) or self._meant(name, here)
        if not players:
            raise Refusal(Code.INVITE_NO_SUCH_PLAYER, self._nobody(name, here))
        able = [p for p in players if p.plays(game)]
        if not able:
            raise Refusal(Code.INVITE_NO_SUCH_PLAYER, _unable(name, players, game, here))
        self._check_private(call, able)
        able = [p for p in able if room not in p.rooms]
        if not able:
            raise Refusal(Code.INVITE_BUSY, f"{name} sits in this room already")
        free = [p for p in able if p.free(now, room) > 0]
        if not free:
            raise Refusal(Code.INVITE_BUSY, f"{name} has no free slot; try again in a while")
        best = min(free, key=lambda p: (p.taken(now, room), p.who.session))
        best.hold(room, now, now + INVITATION_MS)
        return best

    def _of_level(self, call: SendInvitation, here: list[Presence]) -> list[Presence]:
        """Return the house's bots that play at the level that is asked for, if it is left to the
        house which of them comes.
        """
        if not call.strength.level or _title(call.name) != HOUSE:
            return []
        bots = [p for p in here if self.is_of_house(p) and p.plays(call.game)]
        return [p for p in bots if p.bot and p.bot.levels >= call.strength.level]

    def _meant(self, name: str, here: list[Presence]) -> list[Presence]:
        """Return the players that a name can mean, by the first of these rules that applies.

        1. `name/program` is that bot.
        2. The name of a program of the house's is the house's bot, and no one else.
        3. A person's name is that person.
        4. The name of a program is any such bot whose owner has chosen a name.
        """
        title = _title(name)
        if "/" in title:
            return [p for p in here if p.who.title().casefold() == title]
        bots = [p for p in here if p.bot is not None and p.bot.program.casefold() == title]
        if title in self.names.house_programs:
            return [p for p in bots if self.is_of_house(p)]
        people = [p for p in here if p.who.program is None and p.who.name.casefold() == title]
        return people or [p for p in bots if not self.names.is_guest(p.who.session)]

    def _check_private(self, call: SendInvitation, players: list[Presence]) -> None:
        """Refuse to hand a private room's code to a bot that its owner has not named."""
        stranger = next((p for p in players if p.bot and not self.is_of_house(p)), None)
        if stranger is None or not call.private:
            return
        title = stranger.who.title()
        if not call.by_owner:
            text = f"this room is private: only its owner can invite {title}, a bot of another's"
            raise Refusal(Code.INVITE_PRIVATE, text)
        if "/" not in call.name:
            text = (
                f"this room is private, and {call.name} is no bot of the house; say whose it is:"
                f" {title}"
            )
            raise Refusal(Code.INVITE_PRIVATE, text, suggestion=title)

    def _nobody(self, name: str, here: list[Presence]) -> str:
        bots = sorted({p.who.program for p in here if p.who.program is not None})
        return f"nobody called {name!r} is here; bots that are: {', '.join(bots) or 'none'}"

    def listing(self, now: int, rooms: Sequence[RoomLine], total: int) -> LobbyList:
        """Return the newest public rooms, the bots, the house's first, and the people, as many as
        a message holds.

        `rooms`: the newest first, at most MAX_LINES; `total`: how many there are.
        """
        bots = [
            BotLine(
                name=p.who.name, program=p.bot.program, version=p.bot.version,
                games=p.bot.games, levels=p.bot.levels, free=max(0, p.free(now)),
                analyses=p.bot.analyses,
            )
            for p in islice(chain(self.house_bots.values(), self.bots.values()), MAX_LINES)
            if p.bot is not None
        ]  # fmt: skip
        return LobbyList(
            rooms=tuple(_few_positions(rooms)),
            bots=tuple(bots),
            total=total,
            people=self._people(),
        )

    def _people(self) -> tuple[PersonLine, ...]:
        """Return the people who are connected, by name; those who do not play go first.

        Of many it is those who came last: a list costs the same however many there are.
        """
        newest = islice(reversed(self.people.values()), MAX_PEOPLE)
        playing = self.playing
        lines = [
            PersonLine(name=p.who.name, playing=not playing.isdisjoint(p.rooms)) for p in newest
        ]
        lines.sort(key=lambda line: (line.playing, line.name.casefold(), line.name))
        return tuple(lines)

    def room_by_code(self, code: str) -> int:
        """Return the private room that is joined by this code."""
        number = self.codes.get(parse_code(code))
        if number is None:
            raise Refusal(Code.ROOM_WRONG_CODE, "no room has this code")
        return number


def _title(name: str) -> str:
    return unicodedata.normalize("NFKC", name).strip().casefold()


def _few_positions(lines: Sequence[RoomLine]) -> list[RoomLine]:
    """Return the rows with the positions of those matches that began last, and no others."""
    with_one = [line.room for line in lines if line.position is not None]
    rest = set(with_one[MAX_POSITIONS:])
    return [replace(line, position=None) if line.room in rest else line for line in lines]


def catalog() -> tuple[GameInfo, ...]:
    """Return the games of this server, as `welcome` lists them."""
    games = [registry.game(name) for name in registry.names()]
    return tuple(
        GameInfo(game=g.name, title=g.title, start=g.format_position(g.initial()), seats=g.seats)
        for g in games
    )


def _checked(bot: BotInfo, most_slots: int) -> BotInfo:
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
    considers = [name for name in games or names if name in bot.considers]
    version = clean(bot.version)[:MAX_VERSION]
    slots = min(bot.slots, most_slots)
    return replace(
        bot, program=program, version=version, games=games, analyses=analyses,
        considers=considers, slots=slots,
    )  # fmt: skip


def _unable(name: str, players: list[Presence], game: str, here: list[Presence]) -> str:
    """Return the sentence: no bot of this name plays the game, what they play, and who does."""
    games = sorted({g for p in players if p.bot for g in p.bot.games})
    able = sorted({p.bot.program for p in here if p.bot is not None and p.plays(game)})
    others = f"; bots here that do: {', '.join(able)}" if able else ""
    return f"{name} does not play {game}, only {', '.join(games)}{others}"
