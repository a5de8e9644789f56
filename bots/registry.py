"""name -> Bot, by listing roster/ and the folders in PLYHOUSE_BOTS (separated as in PATH).

A bot is a file or folder whose module ends in `BOT = SomeBot`; there is no list to keep.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

from bots.bot import BadSetting, Bot, Value

_ROSTER = Path(__file__).parent / "roster"


class UnknownBot(LookupError):
    """No bot has this name; the message names those that exist."""


def names() -> tuple[str, ...]:
    """The names of all bots, in alphabetical order."""
    return tuple(sorted(_sources(os.environ.get("PLYHOUSE_BOTS", ""))))


def bot_class(name: str) -> type[Bot]:
    """The class of the bot called `name`; it says what the bot offers (SETTINGS, LEVELS, plays).

    Raises:
        UnknownBot: with the names that exist.
    """
    return _load(name, source(name))


def source(name: str) -> Path:
    """The file of the bot called `name`, which is not loaded.

    Raises:
        UnknownBot: with the names that exist.
    """
    path = _sources(os.environ.get("PLYHOUSE_BOTS", "")).get(name)
    if path is None:
        raise UnknownBot(f"no bot is called {name!r}; there are {', '.join(names())}")
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


@cache
def _sources(extra: str) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for folder in [*(Path(part) for part in extra.split(os.pathsep) if part), _ROSTER]:
        if not folder.is_dir():
            raise FileNotFoundError(f"PLYHOUSE_BOTS names {str(folder)!r}, which is not a folder")
        for path in [*folder.glob("*.py"), *folder.glob("*/__init__.py")]:
            is_folder = path.name == "__init__.py" and path.parent != folder
            name = path.parent.name if is_folder else path.stem
            if not name.startswith("_"):
                paths[name] = path
    return paths


@cache
def _load(name: str, path: Path) -> type[Bot]:
    inside = path.is_relative_to(_ROSTER)
    module_name = f"bots.roster.{name}" if inside else f"plyhouse_bots_{name}"
    module = importlib.import_module(module_name) if inside else _run(module_name, path)
    bot_class = getattr(module, "BOT", None)
    if not (isinstance(bot_class, type) and issubclass(bot_class, Bot)):
        raise ImportError(f"{path} must end in BOT = a subclass of bots.bot.Bot")
    return bot_class


def _run(module_name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded as a bot")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # while it runs: a dataclass looks its own module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module
