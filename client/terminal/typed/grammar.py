"""A typed line and the command that it means.  Its table is also what /help shows.

    /join QF7KDM     a slash: a command by its name
    "well played     a quotation mark: chat
    8/5 6/5          anything else: an action, or a number of the list shown

Parsing asks no server: what a command does is in client/terminal/dispatch.py.
"""

from __future__ import annotations

import difflib
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from client.terminal.typed import commands, terms
from client.terminal.typed.terms import RoomReference
from protocol import notation
from protocol.notation import BadNotation
from protocol.parts import Options, Seat, Strength, Term


@dataclass(frozen=True, slots=True)
class Spec:
    """One row of the table."""

    name: str
    words: str  # what comes after the name, for help
    meaning: str
    read: Callable[[str], commands.Command]
    also: tuple[str, ...] = ()
    takes: str = (
        ""  # what completion offers after the name: game, bot, room, command, legal, later, series
    )
    more: tuple[str, ...] = ()  # what /help says of it alone


def _do(name: str) -> Callable[[str], commands.Command]:
    def read(rest: str) -> commands.Command:
        if rest:
            raise commands.BadCommand(f"/{name} takes nothing after it")
        return commands.BareCommand(name)

    return read


def _chat(rest: str) -> commands.Command:
    if not rest:
        raise commands.BadCommand('say what? /say good luck, or just "good luck')
    return commands.Chat(rest)


def _join(rest: str) -> commands.Command:
    return commands.JoinRoom(_place("join", rest))


def _watch(rest: str) -> commands.Command:
    return commands.WatchRoom(_place("watch", rest))


def _place(name: str, rest: str) -> RoomReference:
    if not rest:
        raise commands.BadCommand(f"/{name} needs a room's number or a code: /{name} 17")
    return terms.parse_place(rest)


def _rename(rest: str) -> commands.Command:
    if not rest:
        raise commands.BadCommand("/name needs the name: /name ada")
    return commands.Rename(rest)


def _name_room(rest: str) -> commands.Command:
    if not rest:
        raise commands.BadCommand("/rename needs the room's new name: /rename the den")
    return commands.NameRoom(rest)


def _recovery(rest: str) -> commands.Command:
    return commands.NewRecovery(lost=True) if rest == "lost" else commands.NewRecovery(rest or None)


def _devices(rest: str) -> commands.Command:
    cut = rest.removeprefix("cut ").strip()
    if rest and (cut == rest or not (cut.isascii() and cut.isdigit() and len(cut) < 10)):
        raise commands.BadCommand(
            "/devices lists them; /devices cut 2 cuts one off, by its number in that list"
        )
    return commands.ListDevices(int(cut) if rest else None)


def _quit(rest: str) -> commands.Command:
    if rest not in ("", "later"):
        raise commands.BadCommand("/quit ends; /quit later leaves a running match to come back to")
    return commands.Quit(later=rest == "later")


def _resign(rest: str) -> commands.Command:
    if rest and not (rest.isascii() and rest.isdigit() and 0 < int(rest[:9]) < 1000):
        raise commands.BadCommand("/resign may say how many points it gives: /resign 1")
    return commands.GiveUp(int(rest) if rest else None)


def _analyse(rest: str) -> commands.Command:
    if rest not in ("", "series"):
        raise commands.BadCommand(
            "/analyse goes through the match, /analyse series through all games of one to points"
        )
    return commands.AnalyseMatch(whole_series=rest == "series")


def _invite(rest: str) -> commands.Command:
    arguments = _Arguments(rest)
    if arguments.game or arguments.for_room or arguments.who is None:
        raise commands.BadCommand(
            "/invite needs a name, and may say how strong: /invite mcts level 3"
        )
    return commands.InvitePlayer(arguments.who, arguments.strength())


def _create(rest: str) -> commands.Command:
    arguments = _Arguments(rest, game_first=True)
    if arguments.game is None:
        raise commands.BadCommand("/create needs a game: /create connect_four mcts level 3")
    options = Options(
        clock=arguments.clock, public=arguments.public, rated=arguments.rated, **arguments.rules
    )
    return commands.CreateRoom(
        arguments.game, options, arguments.seat, arguments.who, arguments.strength()
    )


def _seek(rest: str) -> commands.Command:
    arguments = _Arguments(rest, game_first=True)
    if arguments.game is None:
        raise commands.BadCommand("/seek needs a game: /seek backgammon 5+3")
    if arguments.who is not None or not arguments.public:
        raise commands.BadCommand("/seek finds whoever wants the same; /create invites somebody")
    options = Options(
        clock=arguments.clock, rated=arguments.rated, sought=arguments.sought, **arguments.rules
    )
    return commands.SeekOpponent(arguments.game, options)


class _Arguments:
    """The words after /create and /invite, in any order but the game's."""

    def __init__(self, rest: str, game_first: bool = False) -> None:
        self.game: str | None = None
        self.who: str | None = None
        self.clock = notation.parse_clock("none")
        self.seat: Seat | None = 0
        self.public, self.rated, self.for_room = True, False, False
        self.sought: tuple[Term, ...] | None = None  # of a seek
        self.rules: dict[str, Any] = {}  # of Options, for backgammon with the cube
        self._amounts: dict[str, str] = {}
        self._settings: dict[str, str] = {}
        words = iter(_split(rest))
        if game_first:
            self.game = next(words, None)
        for word in words:
            self._take(word.removeprefix("--"), words)

    def strength(self) -> Strength:
        """Return how strong the invited bot is asked to play."""
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
            self.public, self.for_room = word == "public", True
        elif word in ("points", "start", *_SWITCHES):
            self._take_rule(word, words)
        elif word == "any-clock":
            self.sought, self.for_room = ("clock",), True
        elif word == "rated":
            self.rated = self.for_room = True
        elif word == "per-move":
            self.clock, self.for_room = notation.parse_clock(f"{next(words, '')}/move"), True
        elif notation.is_clock(word):
            self.clock, self.for_room = notation.parse_clock(word), True
        elif terms.is_seat(word):
            self.seat, self.for_room = terms.parse_seat(word), True
        elif self.who is None:
            self.who = word
        else:
            raise commands.BadCommand(f"what is {word!r} here? A name with spaces stands in quotes")

    def _take_rule(self, word: str, words: Iterator[str]) -> None:
        """Take a word for a game that can be played in several ways."""
        self.for_room = True
        if word == "points":
            self.rules["points"] = terms.parse_points(next(words, ""))
        elif word == "start":
            self.rules["start"] = next(words, "")
        else:
            name, value = _SWITCHES[word]
            self.rules[name] = value


def _split(rest: str) -> list[str]:
    try:
        return shlex.split(rest)
    except ValueError:
        return rest.split()


_HOW = (
    "[WHO] [level N | nodes N | ms N | key=value] [5+3 | 3d | per-move 30] [private]"
    " [first | second]"
)

_SWITCHES: Final = {
    "jacoby": ("jacoby", True), "beavers": ("beavers", True), "no-cube": ("cube", False),
}  # fmt: skip
_CUBE: Final = (
    "backgammon_cube takes points 7 (a match to so many), start nackgammon or hypergammon,",
    "no-cube, and without points jacoby and beavers.",
)
_STRENGTH: Final = (
    "level 1 to 8: how much a bot searches for each action, the same on every machine;",
    "nodes or ms say that in numbers, key=value sets what else it has to be set.",
    "/rooms lists the bots with their games and levels.",
)

_SEEK: Final = (
    "any-clock: the clock of whoever comes; without one it is the one that is named, or none.",
)
_RESIGN: Final = (
    "In backgammon POINTS may be fewer than the full price: the other side accepts that or not.",
)
_ANALYSE: Final = (
    "It says what each play lost, and in backgammon the luck and a performance rating of both.",
    "series: all games of a match to points, up to this one.",
)
_NOTE: Final = (
    "A thought is what a bot says of its own move: its best one, with how often it was tried and",
    "its value, from -1, where it loses, to 1; then how much it searched.  /history has them all.",
)

SPECS: Final = (
    Spec("help", "[COMMAND]", "this list, or one command",
         lambda rest: commands.Help(rest.removeprefix("/")), ("h", "?"), "command"),
    Spec("rooms", "", "the rooms and bots here", _do("rooms"), ("lobby", "list", "bots")),
    Spec("best", "[GAME]", "the best people at a game, by their rated matches", commands.Best, (),
         "game"),
    Spec("create", f"GAME {_HOW}", "open a room, and invite WHO", _create, ("play", "open"), "game",
         (*_STRENGTH, *_CUBE)),
    Spec("seek", "GAME [5+3 | 3d | per-move 30] [any-clock] [rated]",
         "play whoever wants the same; wait until they come", _seek, ("find",), "game",
         (*_SEEK, *_CUBE)),
    Spec("join", "ROOM | CODE", "sit down, or go back to a room of yours", _join, ("sit",), "room"),
    Spec("watch", "ROOM | CODE", "follow a room without a seat", _watch, (), "room"),
    Spec("invite", "WHO [level N | nodes N | ms N | key=value]", "ask a bot or a person to play",
         _invite, (), "bot", _STRENGTH),
    Spec("ready", "", "start the match, or the next one", _do("ready"), ("rematch", "again")),
    Spec("legal", "[TEXT]", "the legal actions, those with TEXT in them", commands.Legal,
         ("moves",), "legal"),
    Spec("hint", "", "ask a bot what it would play", _do("hint")),
    Spec("note", "", "show or hide what your opponent thinks of its moves", _do("note"),
         ("notes", "thoughts"), "", _NOTE),
    Spec("draw", "", "offer a draw", _do("draw")),
    Spec("takeback", "", "ask to take back your last action", _do("takeback"), ("undo",)),
    Spec("accept", "", "say yes to the offer", _do("accept"), ("yes",)),
    Spec("decline", "", "say no to an offer or invitation; withdraw yours", _do("decline"),
         ("no",)),
    Spec("resign", "[POINTS]", "lose the match: it says how much that costs, and asks", _resign,
         (), "", _RESIGN),
    Spec("abort", "", "end without a result, until both have moved (rated with dice: one)",
         _do("abort")),
    Spec("claim", "", "win against somebody who is away for too long", _do("claim")),
    Spec("history", "", "the actions of the match so far", _do("history")),
    Spec("analyse", "[series]", "have a bot go through the match, once it is over", _analyse,
         ("analyze", "analysis"), "series", _ANALYSE),
    Spec("flip", "", "see the board from the other side", _do("flip")),
    Spec("say", "TEXT", 'talk at the table; "TEXT does the same', _chat, ("tell", "chat")),
    Spec("name", "NAME", "go on under another name", _rename),
    Spec("rename", "NAME", "name the room anew, if it is yours", _name_room),
    Spec("link", "", "a code that brings your name to another device, too", _do("link")),
    Spec("devices", "[cut NUMBER]", "the devices that your name is on; cut one off", _devices),
    Spec("recovery", "[CODE|lost]",
         "a code to keep: it brings your name back; CODE, the one you have, is void then",
         _recovery),
    Spec("leave", "", "get up, or stop watching", _do("leave")),
    Spec("quit", "[later]", "end; a match that is on is given up unless `later`", _quit,
         ("exit", "q", "bye"), "later"),
)  # fmt: skip

BY_NAME: Final = {name: spec for spec in SPECS for name in (spec.name, *spec.also)}


def parse(line: str) -> commands.Command | None:
    """Return the command of a line; None for an empty one.

    Raises:
        BadCommand: with what would have been one.
    """
    text = line.strip()
    if not text:
        return None
    if text.startswith('"'):
        return _read(BY_NAME["say"], text[1:].removesuffix('"').strip())
    name, _, rest = text.removeprefix("/").partition(" ")
    spec = BY_NAME.get(name.lower())
    if not text.startswith("/") and spec is not BY_NAME["quit"]:
        return commands.TypedAction(" ".join(text.split()))
    if spec is None:
        raise commands.BadCommand(f"there is no /{name}; {nearest(name)}")
    return _read(spec, rest.strip())


def parse_bare(text: str) -> commands.SessionCommand | None:
    """The command that words without a slash mean when they are no action: `help`, `join 17`."""
    name, _, rest = text.partition(" ")
    spec = BY_NAME.get(name.lower())
    command = None if spec is None else _read(spec, rest.strip())
    if isinstance(command, commands.Quit):
        return None  # `parse` has read that one already
    return command


def is_resigning(command: commands.Command) -> bool:
    """Return whether a command may end the match, with a slash or without, so that it asks."""
    if isinstance(command, commands.TypedAction):
        return command.text.lower() in ("resign", "draw")
    asks = (commands.BareCommand("leave"), commands.BareCommand("draw"))
    return command in asks or isinstance(command, commands.GiveUp)


def _read(spec: Spec, rest: str) -> commands.Command:
    try:
        return spec.read(rest)
    except BadNotation as error:
        raise commands.BadCommand(str(error)) from None


def nearest(name: str) -> str:
    """Return what somebody may have meant who typed `/name`."""
    close = difflib.get_close_matches(name.lower(), BY_NAME, n=1, cutoff=0.5)
    return f"did you mean /{close[0]}? (/help lists all)" if close else "/help lists the commands"


def help_lines(topic: str = "") -> list[str]:
    """Return what /help shows."""
    if not topic:
        width = max(len(spec.name) for spec in SPECS) + 1
        return [f"/{spec.name:{width}}{spec.meaning}" for spec in SPECS] + [
            "An action is typed as it is written: 4 or 51 or 8/5 6/5. #3 is the third of the list,",
            "and so is 3 where actions are not written as numbers, as in backgammon.",
        ]
    spec = BY_NAME.get(topic.lower())
    if spec is None:
        raise commands.BadCommand(f"there is no /{topic}; {nearest(topic)}")
    also = f"   (also {', '.join('/' + name for name in spec.also)})" if spec.also else ""
    more = [f"    {text}" for text in spec.more]
    return [f"/{spec.name} {spec.words}".rstrip(), f"    {spec.meaning}{also}", *more]
