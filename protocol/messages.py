"""Every message on the wire, one frozen Struct each; docs/reference/messages.md has the meanings.

A message is a map whose `type` names it; a field that holds its default may be left out, and
unknown fields are ignored.  Integers stay within +-(2**53 - 1); durations are milliseconds, and
their names end in `_ms`.  What a client sends comes first (REQUESTS), then what it gets (REPLIES).

Those of hints, devices, ladders, analyses and the past have modules of their own; what messages are
made of is in parts.py.  Field limits only bound what is worth looking at: what a *name* or a *note*
may be is decided in server/core, which answers with a refusal, not with a closed connection.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.errors import Code
from protocol.parts import (
    Asked,
    BotInfo,
    BotLine,
    Clocks,
    Declining,
    Event,
    GameInfo,
    Level,
    Offer_,
    OfferKind,
    Options,
    PersonLine,
    Player,
    Points,
    Result,
    RoomLine,
    Seat,
    Series,
    Short,
    Strength,
    Text,
    Whole,
)
from protocol.request import ANY_STATE, of_module
from protocol.request import Request as Request  # noqa: PLC0414 - one of the messages

VERSION = 1
DEFAULT_PORT = 8765  # of a server, unless somebody says otherwise
MAX_CLIENT_FRAME = 64 * 1024
MAX_SERVER_FRAME = 256 * 1024
# Entries of a msgpack list or map.  A list is allocated by the length that it declares, so without
# a bound of its own a 64 KiB frame of nested lists takes half a gigabyte for a moment (80 ms).
MAX_CLIENT_LIST = 1024
MAX_SERVER_LIST = 4096  # the longest list of legal actions is backgammon's, at most 3,060


class Hello(Request, frozen=True, tag="hello"):
    """First message: `name` for a new session, `token` to resume, `link` to have a name here, too.
    `device`: what its owner is to know this device by.
    """

    price = 1_300  # hashed and stored, also when the player goes; `welcome` names all games
    answer = "welcome"
    refusals = (Code.PROTOCOL_WRONG_VERSION, Code.SESSION_BAD_BOT, Code.SESSION_BAD_LINK,
                Code.SESSION_BAD_NAME, Code.SESSION_BAD_TOKEN, Code.SESSION_BANNED,
                Code.SESSION_HELLO_AGAIN, Code.SESSION_NAME_TAKEN, Code.SESSION_TOO_MANY,
                Code.SESSION_TOO_MANY_NAMES, Code.LADDER_VERSION_CLASH)  # fmt: skip
    version: Whole
    name: Text | None = None
    token: Text | None = None
    link: Text | None = None
    bot: BotInfo | None = None
    client: Short | None = None
    device: Short | None = None


class Lobby(Request, frozen=True, tag="lobby"):
    """Ask for the rooms and bots; with `follow` also for each new list, or for its "changes"."""

    price = 60  # the list is encoded once for all who ask
    answer = "lobby"
    repeatable = True
    follow: bool | Literal["changes"] = True


class Create(Request, frozen=True, tag="create"):
    """Open a room and sit at `seat` (None: at neither)."""

    price = 1_000  # stored, and a room is kept for half an hour
    answer = "room"
    begins = True
    refusals = (Code.LOBBY_BAD_OPTION, Code.LOBBY_TOO_MANY_ROOMS, Code.LOBBY_UNKNOWN_GAME)
    game: Short
    options: Options = Options()
    seat: Seat | None = 0


class Join(Request, frozen=True, tag="join"):
    """Sit down: by room number (a private one needs its code, too), or by code; None: any seat.
    A bot says at which `level` it is going to play here, for everybody to see.
    """

    answer = "room"
    states = ANY_STATE
    refusals = (Code.LOBBY_TOO_MANY_ROOMS, Code.ROOM_FULL, Code.ROOM_SEAT_TAKEN,
                Code.ROOM_WRONG_CODE)  # fmt: skip
    room: Whole | None = None
    code: Short | None = None
    seat: Seat | None = None
    level: Level | None = None


class Seek(Request, frozen=True, tag="seek"):
    """Sit down with who waits by the same terms, but for those in `sought`, or wait for them."""

    answer = "room"
    begins = True
    refusals = (Code.LOBBY_BAD_OPTION, Code.LOBBY_TOO_MANY_ROOMS, Code.LOBBY_UNKNOWN_GAME)
    game: Short
    options: Options = Options()


class Watch(Request, frozen=True, tag="watch"):
    """Follow a room without a seat."""

    price = 150
    answer = "room"
    repeatable = True
    states = ANY_STATE
    refusals = (Code.ROOM_WRONG_CODE,)
    room: Whole | None = None
    code: Short | None = None


class Leave(Request, frozen=True, tag="leave"):
    """Get up, or stop watching."""

    states = ANY_STATE
    refusals = (Code.ROOM_MATCH_ON,)
    room: Whole


class Ready(Request, frozen=True, tag="ready"):
    """Agree to start the next match.  `salt`: one's share of the dice, up to 64 hex digits."""

    price = 1_000  # the second one starts a match
    states = ("waiting", "playing")
    begins = True
    refusals = (Code.ROOM_NOT_SEATED, Code.MATCH_BAD_SALT)
    room: Whole
    salt: Short | None = None


class Invite(Request, frozen=True, tag="invite"):
    """Ask a connected player to join: `who` is a name, a program, or `name/program`."""

    price = 4_000  # it makes a window ring, or takes a bot's slot
    states = ("waiting",)
    refusals = (Code.ROOM_FULL, Code.ROOM_NOT_SEATED, Code.INVITE_BUSY, Code.INVITE_NO_SUCH_PLAYER,
                Code.INVITE_PRIVATE)  # fmt: skip
    room: Whole
    who: Short
    strength: Strength = Strength()


class Decline(Request, frozen=True, tag="decline"):
    """Turn down an invitation.  A bot may say in `text` why it does not come."""

    price = 300  # two short messages
    refusals = (Code.INVITE_NOT_INVITED,)
    room: Whole
    why: Declining = "no"
    text: Text | None = None


class Kick(Request, frozen=True, tag="kick"):
    """The room's owner frees a seat while no match is on."""

    states = ("waiting",)
    owner_only = True
    refusals = (Code.ROOM_SEAT_EMPTY,)
    room: Whole
    seat: Seat


class RoomRename(Request, frozen=True, tag="room_rename"):
    """The room's owner names it anew, for all who follow it."""

    price = 2_000  # stored, and others have to read it
    states = ("waiting", "playing")
    owner_only = True
    speech = True
    refusals = (Code.CHAT_BAD_TEXT,)
    room: Whole
    name: Short


class Play(Request, frozen=True, tag="play"):
    """Answer position `turn` of a match with an action in notation.  `note`: at most 512 bytes."""

    price = 0  # a match costs no player anything: only a play that is refused does
    repeatable = True
    states = ANY_STATE  # that of a match which is over may come again
    refusals = (Code.MATCH_BAD_NOTATION, Code.MATCH_BAD_NOTE, Code.MATCH_ILLEGAL_ACTION,
                Code.MATCH_NOT_YOUR_TURN, Code.MATCH_STALE_TURN)  # fmt: skip
    match: Short
    turn: Whole
    action: Text
    note: Text | None = None


class Resign(Request, frozen=True, tag="resign"):
    """Lose the match by what the rules say a forfeit costs here; `crashed`: the program failed.
    With fewer `points` than that it is an offer, which the other side has to accept.
    """

    states = ("playing", "leg")
    refusals = (Code.MATCH_NOT_ALLOWED, Code.MATCH_OFFER_AGAIN)
    match: Short
    crashed: bool = False
    points: Whole | None = None


class Abort(Request, frozen=True, tag="abort"):
    """End the match without a result; free until each side has moved, in a rated match with dice
    until either has: after that the next roll was seen.
    """

    states = ("playing",)
    refusals = (Code.MATCH_TOO_LATE_TO_ABORT,)
    match: Short


class Claim(Request, frozen=True, tag="claim"):
    """Win a match without clock whose opponent has been absent for long."""

    states = ("playing",)
    refusals = (Code.MATCH_NOT_ABSENT, Code.MATCH_NOT_ALLOWED)
    match: Short


class Offer(Request, frozen=True, tag="offer"):
    """Offer a draw, or ask to take back one's last decision."""

    states = ("playing",)
    refusals = (Code.MATCH_NOT_ALLOWED, Code.MATCH_OFFER_AGAIN)
    match: Short
    kind: Asked


class Answer(Request, frozen=True, tag="answer"):
    """Accept or decline the opponent's offer, or withdraw one's own (`accept` false)."""

    states = ("playing",)
    refusals = (Code.MATCH_NO_OFFER,)
    match: Short
    kind: OfferKind
    accept: bool


class Say(Request, frozen=True, tag="say"):
    """Chat in a room."""

    price = 2_000  # stored, and others have to read it
    states = ANY_STATE
    speech = True
    refusals = (Code.ROOM_NOT_SEATED, Code.CHAT_BAD_TEXT)
    room: Whole
    text: Text


class Draw(Request, frozen=True, tag="draw"):
    """Have the board of a match drawn as text, for a client that does not know the game."""

    price = 400  # by the rules in plain Python, also those of a game that the host has added
    answer = "drawn"
    repeatable = True
    refusals = (Code.LOBBY_NO_ROOM, Code.ROOM_CLOSED, Code.ROOM_NO_MATCH, Code.ROOM_WRONG_CODE,
                Code.MATCH_NO_DRAWING, Code.MATCH_OVER)  # fmt: skip
    match: Short


class History(Request, frozen=True, tag="history"):
    """Ask for a room's events with seq above `since`, a page at a time."""

    price = 150  # beside what is read and sent
    answer = "history"
    repeatable = True
    refusals = (Code.LOBBY_NO_ROOM, Code.ROOM_PURGED, Code.ROOM_WRONG_CODE)
    room: Whole
    since: Whole = 0
    code: Short | None = None


class Link(Request, frozen=True, tag="link"):
    """Ask for a code that links a device; `recovery`: a lasting one for the `old` or a `lost`."""

    price = 100
    answer = "link"
    refusals = (Code.SESSION_HAS_RECOVERY,)
    recovery: bool = False
    lost: bool = False
    old: Short | None = None


class Push(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What all of the server's messages share: `re`, in the answer to a request with that `id`."""

    re: Whole | None = None


class Ok(Push, frozen=True, tag="ok"):
    """Done; `seq` of the last event it made, where it made one."""

    seq: Whole | None = None


class Error(Push, frozen=True, tag="error"):
    """A refusal or protocol error.  `match`: the one that an unread request was about."""

    code: str
    text: str
    legal: tuple[str, ...] | None = None
    suggestion: str | None = None
    retry_ms: Whole | None = None
    match: str | None = None


class Bye(Push, frozen=True, tag="bye"):
    """The last message before the server closes; `session/replaced` means: do not resume.
    `at`: with `server/moving`, where to come back.
    """

    code: str
    text: str
    at: str | None = None


class Welcome(Push, frozen=True, tag="welcome"):
    """The answer to `hello`.  Keep `token`: it comes once.  `games`: by name; `recovery`: of older
    servers, which gave a new code for a used one; `at`: of several servers the one where most of
    what you play is, which you need not go to.
    `up_ms`: since when this one has been there: who was gone for longer has missed nothing by it.
    """

    version: Whole
    server: str
    name: str
    now: Whole
    token: str | None = None
    rooms: tuple[Whole, ...] = ()
    matches: tuple[str, ...] = ()
    games: tuple[str, ...] = ()
    catalog: tuple[GameInfo, ...] = ()
    recovery: str | None = None
    at: str | None = None
    up_ms: Whole | None = None


class LobbyList(Push, frozen=True, tag="lobby"):
    """Public rooms, newest first, and who is connected: bots, and people by name.
    `total` counts the rooms left out, too; `seq` is there for who follows the changes.
    """

    rooms: tuple[RoomLine, ...]
    bots: tuple[BotLine, ...]
    total: Whole
    people: tuple[PersonLine, ...] = ()
    seq: Whole | None = None


class LobbyChanged(Push, frozen=True, tag="lobby_changed"):
    """What makes list `seq` of the one before it: lines new or changed, and keys of what went."""

    seq: Whole
    total: Whole
    rooms: tuple[RoomLine, ...] = ()
    bots: tuple[BotLine, ...] = ()
    people: tuple[PersonLine, ...] = ()
    rooms_gone: tuple[Whole, ...] = ()
    bots_gone: tuple[str, ...] = ()
    people_gone: tuple[str, ...] = ()


class RoomState(Push, frozen=True, tag="room"):
    """The whole public truth about a room.  `code` is for members; `seat` is the receiver's;
    `rests`: its match waits for a person, and takes no slot of the bot that plays there.
    """

    room: Whole
    seq: Whole
    game: str
    state: str
    owner: str
    seats: tuple[Player | None, Player | None]
    ready: tuple[bool, bool]
    options: Options
    score: tuple[Points, Points] = (0.0, 0.0)
    match: str | None = None
    code: str | None = None
    commitment: str | None = None
    seat: Annotated[int, Meta(ge=0, le=1)] | None = None
    watching: Whole = 0
    ladder: str | None = None
    pair: Whole | None = None
    leg: Seat | None = None
    series: Series | None = None
    name: str = ""
    rests: bool = False


class MatchState(Push, frozen=True, tag="match"):
    """The whole public truth about a match.  Where `legal` is present it is the receiver's turn.
    `resign`: for how many points the receiver may resign, where that is not just one; for the last
    of them at once, for fewer if the other side accepts.  `series`: of which it is a game, as it
    stood before this one, or once that is over after it.
    """

    match: str
    room: Whole
    seq: Whole
    turn: Whole
    game: str
    ply: Whole
    position: str
    seats: tuple[Player, Player]
    to_move: Annotated[int, Meta(ge=-2, le=1)]
    events: tuple[Event, ...]
    legal: tuple[str, ...] | None = None
    clocks: Clocks | None = None
    offers: tuple[Offer_, ...] = ()
    result: Result | None = None
    secret: str | None = None
    resign: tuple[Whole, ...] | None = None
    rules_version: Whole = 1
    series: Series | None = None


class Said(Push, frozen=True, tag="said"):
    """Chat."""

    room: Whole
    seq: Whole
    name: str
    text: str
    at: Whole


class Notice(Push, frozen=True, tag="notice"):
    """The host says something to everybody, or to all in a room; a sentence for people."""

    text: str


class Invited(Push, frozen=True, tag="invited"):
    """Somebody asks the receiver to join a room; the place is held for `expires_ms`."""

    room: Whole
    game: str
    options: Options
    by: str
    expires_ms: Whole
    code: str | None = None
    strength: Strength = Strength()


class Declined(Push, frozen=True, tag="declined"):
    """To who has invited: `by` does not come.  `text`: a bot's own words."""

    room: Whole
    by: str
    why: Declining = "no"
    text: str = ""


class Drawn(Push, frozen=True, tag="drawn"):
    """The answer to `draw`: the board at `turn`, in lines of text."""

    match: str
    turn: Whole
    lines: tuple[str, ...]


class HistoryPage(Push, frozen=True, tag="history"):
    """Events of a room in order.  `next`: the `since` of the next page; absent on the last one."""

    room: Whole
    events: tuple[Event, ...]
    next: Whole | None = None


class Linked(Push, frozen=True, tag="link"):
    """A link code: a `hello` that carries it in time (0: at any time) gets the name."""

    code: str
    expires_ms: Whole


REQUESTS = of_module(Request, __name__)
REPLIES = of_module(Push, __name__)
