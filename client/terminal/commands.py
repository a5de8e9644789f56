"""A typed line and the command that it means.  Its table also makes /help and tab completion.

    /join QF7KDM     a slash: a command by its name
    "well played     a quotation mark: chat
    8/5 6/5          anything else: an action, or a number of the list shown

Parsing asks nobody: what a command does is in client/terminal/session.py.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from client.terminal import terms
from client.terminal.terms import BadTerm, Place
from client.verbs import Seat
from protocol.messages import Options, Strength


@dataclass(frozen=True, slots=True)
class Act:
    """Words without a slash: an action in notation, `#3`, or a number of what is shown."""

    text: str


@dataclass(frozen=True, slots=True)
class Chat:
    """Something to say at the table."""

    text: str


@dataclass(frozen=True, slots=True)
class Open:
    """Open a room, and invite `who` to it."""

    game: str
    options: Options = field(default_factory=Options)
    seat: Seat | None = 0
    who: str | None = None
    strength: Strength = field(default_factory=Strength)


@dataclass(frozen=True, slots=True)
class Sit:
    """Join a room."""

    place: Place


@dataclass(frozen=True, slots=True)
class Follow:
    """Watch a room."""

    place: Place


@dataclass(frozen=True, slots=True)
class Call:
    """Invite somebody to the room."""

    who: str
    strength: Strength


@dataclass(frozen=True, slots=True)
class Rename:
    """Go on under another name."""

    name: str


@dataclass(frozen=True, slots=True)
class Legal:
    """List the legal actions, those with `text` in them."""

    text: str


@dataclass(frozen=True, slots=True)
class Help:
    """The commands, or one of them."""

    topic: str


@dataclass(frozen=True, slots=True)
class Quit:
    """Go; `later`: leave a match standing to come back to it."""

    later: bool = False


@dataclass(frozen=True, slots=True)
class Do:
    """A command without words after it, by its name."""

    what: str


Command: TypeAlias = Act | Chat | Open | Sit | Follow | Call | Rename | Legal | Help | Quit | Do


class BadCommand(ValueError):
    """A line that means no command; the text is a sentence that says what would."""


@dataclass(frozen=True, slots=True)
class Spec:
    """One row of the table."""

    name: str
    words: str  # what comes after the name, for help
    meaning: str
    read: Callable[[str], Command]
    also: tuple[str, ...] = ()
    takes: str = ""  # what completion offers after the name: game, bot, room, command, legal, later
    more: tuple[str, ...] = ()  # what /help says of it alone


# ---------------------------------------------------------------- reading the words after a name


def _do(name: str) -> Callable[[str], Command]:
    def read(rest: str) -> Command:
        if rest:
            raise BadCommand(f"/{name} takes nothing after it")
        return Do(name)

    return read


def _help(rest: str) -> Command:
    return Help(rest.removeprefix("/"))


def _chat(rest: str) -> Command:
    if not rest:
        raise BadCommand('say what? /say good luck, or just "good luck')
    return Chat(rest)


def _sit(rest: str) -> Command:
    return Sit(_place("join", rest))


def _follow(rest: str) -> Command:
    return Follow(_place("watch", rest))


def _place(name: str, rest: str) -> Place:
    if not rest:
        raise BadCommand(f"/{name} needs a room's number or a code: /{name} 17")
    return terms.parse_place(rest)


def _rename(rest: str) -> Command:
    if not rest:
        raise BadCommand("/name needs the name: /name ada")
    return Rename(rest)


def _legal(rest: str) -> Command:
    return Legal(rest)


def _quit(rest: str) -> Command:
    if rest not in ("", "later"):
        raise BadCommand("/quit ends; /quit later leaves a running match to come back to")
    return Quit(later=rest == "later")


def _call(rest: str) -> Command:
    wish = _Wish(rest)
    if wish.game or wish.table or wish.who is None:
        raise BadCommand("/invite needs a name, and may say how strong: /invite mcts level 3")
    return Call(wish.who, wish.strength())


def _open(rest: str) -> Command:
    wish = _Wish(rest, game_first=True)
    if wish.game is None:
        raise BadCommand("/create needs a game: /create connect_four mcts level 3")
    options = Options(clock=wish.clock, public=wish.public, rated=wish.rated)
    return Open(wish.game, options, wish.seat, wish.who, wish.strength())


class _Wish:
    """The words after /create and /invite, in any order but the game's."""

    def __init__(self, rest: str, game_first: bool = False) -> None:
        self.game: str | None = None
        self.who: str | None = None
        self.clock = terms.parse_clock("none")
        self.seat: Seat | None = 0
        self.public, self.rated, self.table = True, False, False
        self._amounts: dict[str, str] = {}
        self._settings: dict[str, str] = {}
        words = iter(_split(rest))
        if game_first:
            self.game = next(words, None)
        for word in words:
            self._take(word.removeprefix("--"), words)

    def strength(self) -> Strength:
        """How strong the invited one shall be."""
        return terms.parse_strength(
            level=self._amounts.get("level"),
            nodes=self._amounts.get("nodes"),
            ms=self._amounts.get("ms"),
            settings=self._settings,
        )

    def _take(self, word: str, words: Iterator[str]) -> None:
        if word in ("against", "vs", "with", "clock", "seat", "set"):
            return
        if word in ("level", "nodes", "ms"):
            self._amounts[word] = next(words, "")
        elif "=" in word:
            key, value = terms.parse_setting(word)
            self._settings[key] = value
        elif word in ("private", "public"):
            self.public, self.table = word == "public", True
        elif word == "rated":
            self.rated = self.table = True
        elif word == "per-move":
            self.clock, self.table = terms.parse_per_move(next(words, "")), True
        elif terms.is_clock(word):
            self.clock, self.table = terms.parse_clock(word), True
        elif terms.is_seat(word):
            self.seat, self.table = terms.parse_seat(word), True
        elif self.who is None:
            self.who = word
        else:
            raise BadCommand(f"what is {word!r} here? A name with spaces stands in quotes")


def _split(rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError:
        return rest.split()


# ---------------------------------------------------------------- the table


_HOW = "[WHO] [level N | nodes N | ms N | key=value] [5+3 | per-move 30] [private] [first | second]"

_STRENGTH: Final = (
    "level 1 to 8: how much a bot searches for each action, the same on every machine;",
    "nodes or ms say that in numbers, key=value sets what else it has to be set.",
    "/rooms lists the bots with their games and levels.",
)

SPECS: Final = (
    Spec("help", "[COMMAND]", "this list, or one command", _help, ("h", "?"), "command"),
    Spec("rooms", "", "the rooms and bots here", _do("rooms"), ("lobby", "list", "bots")),
    Spec("create", f"GAME {_HOW}", "open a room, and invite WHO", _open, ("play", "open"), "game",
         _STRENGTH),
    Spec("join", "ROOM | CODE", "sit down, or go back to a room of yours", _sit, ("sit",), "room"),
    Spec("watch", "ROOM | CODE", "follow a room without a seat", _follow, (), "room"),
    Spec("invite", "WHO [level N | nodes N | ms N | key=value]", "ask a bot or a person to play",
         _call, (), "bot", _STRENGTH),
    Spec("ready", "", "start the match, or the next one", _do("ready"), ("rematch", "again")),
    Spec("legal", "[TEXT]", "the legal actions, those with TEXT in them", _legal, ("moves",),
         "legal"),
    Spec("hint", "", "ask a bot what it would play", _do("hint")),
    Spec("draw", "", "offer a draw", _do("draw")),
    Spec("takeback", "", "ask to take back your last action", _do("takeback"), ("undo",)),
    Spec("accept", "", "say yes to the offer", _do("accept"), ("yes",)),
    Spec("decline", "", "say no to the offer, or withdraw yours", _do("decline"), ("no",)),
    Spec("resign", "", "lose the match", _do("resign")),
    Spec("abort", "", "end without a result, until both have moved", _do("abort")),
    Spec("claim", "", "win when the other has been away for two minutes", _do("claim")),
    Spec("history", "", "the actions of the match so far", _do("history")),
    Spec("analyse", "", "have a bot go through the match, once it is over", _do("analyse"),
         ("analyze", "analysis")),
    Spec("flip", "", "see the board from the other side", _do("flip")),
    Spec("say", "TEXT", 'talk at the table; "TEXT does the same', _chat, ("tell", "chat")),
    Spec("name", "NAME", "go on under another name", _rename),
    Spec("link", "", "a code that brings your name to another device", _do("link")),
    Spec("leave", "", "get up, or stop watching", _do("leave")),
    Spec("quit", "[later]", "end; a match that is on is given up unless `later`", _quit,
         ("exit", "q", "bye"), "later"),
)  # fmt: skip

BY_NAME: Final = {name: spec for spec in SPECS for name in (spec.name, *spec.also)}


def parse(line: str) -> Command | None:
    """The command of a line; None for an empty one.

    Raises:
        BadCommand: with what would have been one.
    """
    text = line.strip()
    if not text:
        return None
    if text.startswith('"'):
        return _read(BY_NAME["say"], text[1:].removesuffix('"').strip())
    if not text.startswith("/"):
        return Act(" ".join(text.split()))
    name, _, rest = text[1:].partition(" ")
    spec = BY_NAME.get(name.lower())
    if spec is None:
        raise BadCommand(f"there is no /{name}; {nearest(name)}")
    return _read(spec, rest.strip())


def parse_bare(text: str) -> Command | None:
    """The command that words without a slash mean when they are no action: `help`, `join 17`."""
    name, _, rest = text.partition(" ")
    spec = BY_NAME.get(name.lower())
    return None if spec is None else _read(spec, rest.strip())


def _read(spec: Spec, rest: str) -> Command:
    try:
        return spec.read(rest)
    except BadTerm as error:
        raise BadCommand(str(error)) from None


def nearest(name: str) -> str:
    """What somebody may have meant who typed `/name`."""
    close = difflib.get_close_matches(name.lower(), BY_NAME, n=1, cutoff=0.5)
    return f"did you mean /{close[0]}? (/help lists all)" if close else "/help lists what there is"


def help_lines(topic: str = "") -> list[str]:
    """What /help shows."""
    if not topic:
        width = max(len(spec.name) for spec in SPECS) + 1
        return [f"/{spec.name:{width}}{spec.meaning}" for spec in SPECS] + [
            "An action is typed as it is written, or by its number in the list: 3 or #3.",
        ]
    spec = BY_NAME.get(topic.lower())
    if spec is None:
        raise BadCommand(f"there is no /{topic}; {nearest(topic)}")
    also = f"   (also {', '.join('/' + name for name in spec.also)})" if spec.also else ""
    more = [f"    {text}" for text in spec.more]
    return [f"/{spec.name} {spec.words}".rstrip(), f"    {spec.meaning}{also}", *more]


# ---------------------------------------------------------------- completion


@dataclass(frozen=True, slots=True)
class Known:
    """What names can be completed at the moment.

    bots    the games that each plays
    game    that of the room looked at
    """

    games: tuple[str, ...] = ()
    bots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    game: str | None = None
    rooms: tuple[str, ...] = ()
    legal: tuple[str, ...] = ()


MOST_COMPLETIONS: Final = 50
_LEVELS: Final = tuple("12345678")


def complete(text: str, known: Known) -> list[tuple[str, int]]:
    """What may replace the last characters of `text`: pairs of a word and how many characters."""
    if not text.startswith("/"):
        return _beginning(known.legal, text)
    name, space, rest = text[1:].partition(" ")
    if not space:
        return _beginning([f"/{spec.name}" for spec in SPECS] + _aliases(name), text)
    spec = BY_NAME.get(name.lower())
    if spec is None:
        return []
    if spec.takes == "legal":
        return _beginning(known.legal, rest)
    before, _, last = rest.rpartition(" ")
    if before.endswith(" level"):
        return _beginning(_LEVELS, last)
    offers: dict[str, tuple[str, ...]] = {
        "game": (*_playing(known, before.split()[0]), "level", "private", "second")
        if before
        else known.games,
        "bot": ("level", "nodes", "ms") if before else _playing(known, known.game),
        "room": () if before else known.rooms,
        "command": () if before else tuple(spec.name for spec in SPECS),
        "later": () if before else ("later",),
    }
    return _beginning(offers.get(spec.takes, ()), last)


def _playing(known: Known, game: str | None) -> tuple[str, ...]:
    """The bots that play `game`; all of them where it is not known."""
    if game not in known.games:
        return tuple(known.bots)
    return tuple(bot for bot, played in known.bots.items() if game in played)


def _aliases(typed: str) -> list[str]:
    """Other names of commands, only once nothing else begins so."""
    if not typed or any(spec.name.startswith(typed) for spec in SPECS):
        return []
    return [f"/{name}" for name in BY_NAME]


def _beginning(offers: Iterable[str], text: str) -> list[tuple[str, int]]:
    start = text.lower()
    found = [offer for offer in offers if offer.lower().startswith(start)]
    return [(offer, len(text)) for offer in found[:MOST_COMPLETIONS]]
