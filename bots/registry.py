"""name -> Bot, by listing roster/ and the folders in PLYHOUSE_BOTS (separated as in PATH).

A bot is a file or folder whose module ends in `BOT = SomeBot`; there is no list to keep.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from bots.bot import BadSetting, Bot, Value
from games import own_files
from games.own_files import BrokenFile

_ROSTER = Path(__file__).parent / "roster"
_added: dict[str, type[Bot]] = {}  # bots of this process that no file has


class UnknownBot(LookupError):
    """No bot has this name; the message names those that exist."""


class BrokenBot(UnknownBot):
    """The file of the bot cannot be loaded; the message says where and why."""


def names() -> tuple[str, ...]:
    """The names of all bots, in alphabetical order; a file may turn out to be broken.

    Raises:
        NoFolder: PLYHOUSE_BOTS names what is no folder.
    """
    return tuple(sorted({*_sources(), *_added}))


def bot_class(name: str) -> type[Bot]:
    """The class of the bot called `name`; it says what the bot offers (SETTINGS, LEVELS, plays).

    Raises:
        UnknownBot: with the names that exist.
        BrokenBot: with the line of its file that is wrong.
    """
    if name in _added:
        return _added[name]
    try:
        return _load(name, source(name))
    except BrokenFile as error:
        raise BrokenBot(f"the bot {name!r} cannot be loaded: {error}") from error


def add(name: str, bot_class: type[Bot]) -> None:
    """Make a class a bot of this process.

    Raises:
        UnknownBot: the name is that of a file.
    """
    if name in _sources():
        raise UnknownBot(f"there is a bot {name!r} already; give yours another name")
    _added[name] = bot_class


def own_names() -> tuple[str, ...]:
    """The names of all bots that are whole as they come: they ask no program of anybody else's."""
    return tuple(name for name in names() if "missing" not in vars(bot_class(name)))


def check_installed(name: str) -> None:
    """Check that a bot can play here.

    Raises:
        UnknownBot: there is none of this name, or what it needs is not installed.
    """
    if (missing := bot_class(name).missing()) is not None:
        raise UnknownBot(f"{name}: {missing}")


def described() -> str:
    """The names of all bots, with a word on those that cannot play here."""
    return ", ".join(map(_described, names()))


def _described(name: str) -> str:
    place = _sources().get(name)
    if place is None or not place.is_relative_to(_ROSTER):
        return name  # others' code runs only where it is asked for
    return name if bot_class(name).missing() is None else f"{name} (not installed)"


def source(name: str) -> Path:
    """The file of the bot called `name`, which is not loaded.

    Raises:
        UnknownBot: with the names that exist.
    """
    path = _sources().get(name)
    if path is None:
        raise UnknownBot(f"no bot is called {name!r}; there are {described()}")
    return path


def bot(name: str, seed: int = 0, **settings: Value) -> Bot:
    """A fresh bot for one match.

    Raises:
        UnknownBot: with the names that exist.
        BadSetting: with the settings that this bot has.
    """
    return bot_class(name)(seed=seed, **read_settings(name, settings))


def read_settings(name: str, given: Mapping[str, Value]) -> dict[str, Value]:
    """The given settings as values, by the bot called `name`.

    Raises:
        UnknownBot, BadSetting: as `bot`.
    """
    try:
        return bot_class(name).read(given)
    except BadSetting as error:
        raise BadSetting(f"{name}: {error}") from None


def _sources() -> dict[str, Path]:
    return own_files.sources("PLYHOUSE_BOTS", _ROSTER)


@cache
def _load(name: str, path: Path) -> type[Bot]:
    if path.is_relative_to(_ROSTER):
        module = importlib.import_module(f"bots.roster.{name}")
    else:
        module = own_files.load(f"plyhouse_bots_{name}", path)
    bot_class = getattr(module, "BOT", None)
    if not (isinstance(bot_class, type) and issubclass(bot_class, Bot)):
        raise BrokenFile(f"{path} must end in BOT = a subclass of bots.bot.Bot")
    return bot_class
