"""The contract of a bot: a position and a budget in, a choice out.  No network and no event loop.

A file that ends in `BOT = `, a subclass of Bot, is a bot of the file's name: in bots/roster, or in
a folder that PLYHOUSE_BOTS names.  One object plays one match.
Values are returns / max_return, in [-1, 1], seen by the seat to move.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import ClassVar, Final, TypeAlias

from games.game import CHANCE, END, Game, IllegalAction, Ints, Position
from protocol.parts import Clocks

NOTE_BYTES: Final = 512  # what the wire allows a play's note
UNLIMITED: Final = 2**62  # the node budget of a bot that only a clock ends
MAX_NODES: Final = 10**18  # of a budget; compiled code counts below 2**63
MAX_MS: Final = 30 * 86_400_000  # 30 days; some systems' timers end at 49, or die unseen
FORCED_MS: Final = 50  # for the only legal action
DEFAULT_LEVEL: Final = 4  # how strongly a bot plays where none is named

Value: TypeAlias = bool | int | float | str


class BadBudget(ValueError):
    """A budget without a limit, or with one that is out of range."""


class BadSetting(ValueError):
    """A setting that a bot does not have, or a value it does not take; says what is allowed."""


class CannotPlay(Exception):
    """A bot cannot go on, and no code here is at fault: a sentence, without a traceback."""


class IllegalChoice(CannotPlay):
    """A program of somebody's has chosen what is not legal."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one choice may cost: `nodes`, `ms` of time, or both; then the first to run out ends it.

    `nodes` are simulations of a tree search by playouts, positions visited of an alpha-beta search.

    >>> Budget(nodes=500, ms=200).within(100).words()
    ['500 nodes', '100 ms']

    Raises:
        BadBudget: for neither, less than 1, more than MAX_NODES or MAX_MS.
    """

    nodes: int | None = None
    ms: int | None = None

    def __post_init__(self) -> None:
        if self.nodes is None and self.ms is None:
            raise BadBudget("a budget needs nodes, ms or both")
        for name, value, limit in (("nodes", self.nodes, MAX_NODES), ("ms", self.ms, MAX_MS)):
            if value is not None and not 1 <= value <= limit:
                allowed = f"1 or more, not {value}" if value < 1 else f"{limit:,} or less"
                raise BadBudget(f"{name} must be {allowed}")

    def words(self) -> list[str]:
        """The limits in words: ["500 nodes", "100 ms"]."""
        limits = ((self.nodes, "nodes"), (self.ms, "ms"))
        return [f"{n} {unit}" for n, unit in limits if n is not None and n != MAX_NODES]

    def within(self, ms: int | None) -> Budget:
        """The same budget, with at most `ms` of time (None: no cap)."""
        if ms is None:
            return self
        return Budget(self.nodes, ms if self.ms is None else min(self.ms, ms))


def unforced(position: Position, budget: Budget) -> Budget:
    """The budget of a choice; no more than FORCED_MS of time where time alone ends it and only one
    action is legal: it is played anyhow, and its value is known well enough by then.
    """
    if budget.nodes in (None, MAX_NODES) and len(position.legal_actions()) == 1:
        return budget.within(FORCED_MS) if budget.ms is not None else budget
    return budget


NO_LIMIT: Final = Budget(nodes=MAX_NODES)  # of a choice that its bot's settings end


@dataclass(frozen=True, slots=True)
class Choice:
    """An action, its value in [-1, 1] for the seat that plays it, and the nodes spent on it.

    `note` says in a line what the bot saw, such as "4 812 +0.21 | 3 401 +0.05".  It holds no time:
    a choice depends on nothing but position, seed, nodes and earlier calls.
    `cut`: the budget ended it before it had looked as far ahead as a setting asks.
    """

    action: int
    value: float
    nodes: int
    note: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Situation:
    """What is around a position in a match, for a bot that `FOLLOWS` it.

    actions  all so far in notation, rolls included; None where they cannot be known
    clocks   when the position was shown; `suggested_ms` is for the seat to move.  None: no clock
    """

    match: str
    actions: tuple[str, ...] | None = None
    clocks: Clocks | None = None


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a bot.  Its kind is the type of `default`; a str is one of `words`.

    costly   it takes memory or processors of the bot's owner: an invitation may not ask for more

    >>> Setting("depth", 4, "how many plies ahead", low=1, high=9).read("7")
    7
    >>> Setting("pruning", True, "whether alpha-beta cuts").read("no")
    Traceback (most recent call last):
    bots.bot.BadSetting: pruning=no is not possible: it takes on or off
    """

    name: str
    default: Value
    meaning: str
    low: float = 0
    high: float = 0
    words: tuple[str, ...] = ()
    costly: bool = False

    @property
    def kind(self) -> str:
        """switch, int, float or word."""
        names = {bool: "switch", int: "int", float: "float", str: "word"}
        return names[type(self.default)]

    @property
    def allowed(self) -> str:
        """The values it takes, in words: "0.0 to 10.0", "on or off"."""
        if self.kind == "switch":
            return "on or off"
        if self.kind == "word":
            return " or ".join(self.words)
        whole = "a whole number from " if self.kind == "int" else ""
        return f"{whole}{self.low} to {self.high}"

    def read(self, value: Value) -> Value:
        """The value that a text stands for; a value of this kind stands for itself.

        Raises:
            BadSetting: with what is allowed.
        """
        parsed = self._parse(format_value(value))
        if parsed is None:
            wish = f"{self.name}={format_value(value)}"
            raise BadSetting(f"{wish} is not possible: it takes {self.allowed}")
        return parsed

    def _parse(self, text: str) -> Value | None:
        if self.kind == "switch":
            return {"on": True, "off": False}.get(text)
        if self.kind == "word":
            return text if text in self.words else None
        try:
            number = int(text) if self.kind == "int" else float(text)
        except ValueError:
            return None
        return number if self.low <= number <= self.high else None


class Bot(ABC):
    """A program that plays.  A subclass writes `think`, and tables of what it offers.

    >>> class Timid(Bot):
    ...     def think(self, position, nodes, stop):
    ...         return Choice(position.legal_actions()[0], value=0.0, nodes=1)
    >>> from games import registry
    >>> Timid(seed=1).choose(registry.game("connect_four").initial(), Budget(nodes=100))
    Choice(action=0, value=0.0, nodes=1, note='', cut=False)
    """

    SETTINGS: ClassVar[tuple[Setting, ...]] = ()
    LEVELS: ClassVar[tuple[int, ...]] = ()  # nodes of level 1, 2 ... 8; empty: it has no levels
    GAMES: ClassVar[tuple[str, ...]] = ()  # the games it plays; empty: all but special ones
    VERSION: ClassVar[str] = "1"
    FOLLOWS: ClassVar[bool] = False  # whether it wants to know what is around a position
    DEFAULT_BUDGET: ClassVar[Budget] = Budget(nodes=1)  # without level and clock
    COMPILED: ClassVar[bool] = False  # whether it thinks in compiled code, where there is numba

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        """`settings`: values, as `read` returns them; the others have their defaults."""
        self.seed = seed
        self.settings = {**self.defaults(), **settings}

    @classmethod
    def defaults(cls) -> dict[str, Value]:
        return {setting.name: setting.default for setting in cls.SETTINGS}

    @classmethod
    def read(cls, given: Mapping[str, Value]) -> dict[str, Value]:
        """The given settings as values, which texts from a command line or an invitation are not.

        Raises:
            BadSetting: for a name that is not in `SETTINGS`, or a value it does not take.
        """
        settings = {setting.name: setting for setting in cls.SETTINGS}
        for name in given:
            if name not in settings:
                offers = "; ".join(f"{s.name} ({s.allowed})" for s in cls.SETTINGS) or "none at all"
                raise BadSetting(f"there is no setting {name!r}; this bot has: {offers}")
        return {name: settings[name].read(value) for name, value in given.items()}

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Whether this bot can play `game`; who names none plays all that need no knowledge."""
        return game.name in cls.GAMES if cls.GAMES else not game.special

    @classmethod  # noqa: B027  # optional, so not abstract
    def check(cls, game: Game, settings: Mapping[str, Value]) -> None:
        """Raises BadSetting where these settings, all of them, are not possible in `game`."""

    @classmethod
    def ineffective(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """The settings that have no effect in `game`, each with a sentence on why.

        A request for another value than its default is refused with that sentence.
        """
        return {}

    @classmethod
    def ends_itself(cls, settings: Mapping[str, Value]) -> bool:
        """Whether these settings say how far to look, so that a choice comes to its end by itself.

        Then nothing that was not asked for, such as a default level, ends it before.
        """
        return False

    @classmethod  # noqa: B027  # optional, so not abstract
    def prepare(cls, game: Game) -> None:
        """Do what takes time once a game, such as compiling; called before a match starts."""

    @classmethod
    def ready(cls, game: Game) -> bool:
        """Whether `prepare` has nothing to do that takes time."""
        return True

    @classmethod
    def loaded(cls, game: Game) -> bool:
        """Whether this process has what `prepare` makes, or can do without it for now."""
        return True

    @classmethod
    def missing(cls) -> str | None:
        """What it needs and is not installed here, as a sentence; None: nothing."""
        return None

    def follow(self, situation: Situation) -> None:  # noqa: B027  # optional, so not abstract
        """Take in what is around the position of the next `choose`; called where it `FOLLOWS`."""

    def close(self) -> None:  # noqa: B027  # optional, so not abstract
        """Let go of what a match needed: it is over, though a thought may still be ending."""

    @property
    def silence(self) -> str:
        """What there is to say, where it lost on time, of a choice that has not come."""
        return ""

    def stop_flag(self) -> Ints:
        """A fresh stop flag: a 1 written into its one int, on any thread, ends the thinking."""
        return [0]

    def choose(self, position: Position, budget: Budget, stop: Ints | None = None) -> Choice:
        """Choose for the seat to move; blocks until the budget is spent or `stop` is set.

        Raises:
            ValueError: when no seat is to move here.
            IllegalAction: when the bot is at fault and chose what the rules do not allow.
            CannotPlay: where it needs more memory than there is.
        """
        if position.to_move in (CHANCE, END):
            raise ValueError(f"no seat is to move in {position}")
        stop = self.stop_flag() if stop is None else stop
        budget = unforced(position, budget)
        with alarm(stop, budget.ms), self._memory():
            choice = self.think(position, UNLIMITED if budget.nodes is None else budget.nodes, stop)
        legal = position.legal_actions()
        if choice.action not in legal:
            raise IllegalAction(position, choice.action)
        return choice if len(legal) > 1 else replace(choice, cut=False)

    @contextmanager
    def _memory(self) -> Iterator[None]:
        """Raises CannotPlay where there is too little."""
        try:
            yield
        except MemoryError as error:
            asked = self.settings.get("megabytes")
            hint = "" if asked is None else f" with megabytes={asked}; set less"
            raise CannotPlay(f"there is too little memory here{hint}") from error

    def expected_points(self, position: Position) -> float | None:
        """The points that the seat to move wins on average, as far as this bot can tell quickly;
        None: its values are no such average.

        Called on a bot that no other thread uses, when an opponent offers to resign.
        """
        return None

    @abstractmethod
    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Choose within `nodes`; once `stop[0]` is not 0 return soon, with any legal action."""

    def ponder(self, position: Position, stop: Ints) -> int:
        """Think while the opponent is to move in `position`, until `stop[0]` is not 0 or more would
        not help; the nodes spent.

        Called between two calls of `think`, never during one, where a setting `ponder` is on.
        """
        return 0


def is_illegal(error: Exception) -> bool:
    """Return whether what `choose` raised is that it chose what the rules do not allow."""
    return isinstance(error, IllegalAction | IllegalChoice)


@contextmanager
def alarm(stop: Ints, ms: int | None) -> Iterator[None]:
    """Set `stop` after `ms`."""
    if ms is None:
        yield
        return
    timer = threading.Timer(ms / 1000, stop.__setitem__, (0, 1))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def fit(items: list[str], limit: int = NOTE_BYTES, between: str = " | ") -> str:
    """Return the first of `items`, joined, as far as they fit into `limit` bytes of UTF-8.

    >>> fit(["4 812 +0.21", "3 401 +0.05"], limit=20)
    '4 812 +0.21'
    """
    text = ""
    for item in items:
        longer = text + between + item if text else item
        if len(longer.encode()) > limit:
            break
        text = longer
    return text


def full_note(program: str, choice: Choice, seconds: float) -> str:
    """The note that goes with a play: the program, its nodes and seconds, and what it saw."""
    head = f"{program} {choice.nodes} nodes {seconds:.2f} s"
    return fit([head, *choice.note.split(" | ")] if choice.note else [head])


def format_value(value: Value) -> str:
    """Return the value of a setting as `Setting.read` reads it: a switch is on or off.

    >>> format_value(True), format_value(0.5)
    ('on', '0.5')
    """
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value)
