"""name -> Game, by listing this folder and those named in PLYHOUSE_GAMES (separated as in PATH).

A game is a file or folder whose module ends in `GAME = Game(...)`; there is no list to keep.
"""

from __future__ import annotations

import importlib
import os
from functools import cache
from pathlib import Path
from types import ModuleType

from games import own_files
from games.game import BrokenRules, Game
from games.own_files import BrokenFile

FOLDERS = "PLYHOUSE_GAMES"  # the variable that names others' folders
RENAMED = {"format_position": "format_state", "parse_position": "parse_state"}  # fields of Game
_HERE = Path(__file__).parent
_NOT_GAMES = frozenset(
    {"__init__", "game", "kernel", "rng", "dice", "clock", "registry", "own_files", "laws"}
)


class UnknownGame(LookupError):
    """No game has this name; the message names those that exist."""


class UnknownVersion(UnknownGame):
    """The game is known, but not that version of its rules; the message names those that are."""


class BrokenGame(UnknownGame):
    """The file of the game cannot be loaded; the message says where and why."""


def names() -> tuple[str, ...]:
    """Return the names of all games that can be loaded, in alphabetical order.

    >>> "connect_four" in names()
    True

    Raises:
        NoFolder: PLYHOUSE_GAMES names what is no folder.
    """
    return _loadable(os.environ.get(FOLDERS, ""))


@cache
def _loadable(_: str) -> tuple[str, ...]:
    """Return the same for a value of PLYHOUSE_GAMES: a server tells everybody who comes."""
    reasons = broken()
    return tuple(sorted(name for name in _sources() if name not in reasons))


def broken() -> dict[str, str]:
    """Return why a game is left out, for each whose file cannot be loaded."""
    reasons = {}
    for name, path in _sources().items():
        if not path.is_relative_to(_HERE):
            try:
                _load(name, path)
            except BrokenFile as error:
                reasons[name] = str(error)
    return reasons


def game(name: str, version: int | None = None) -> Game:
    """Return the game called `name`, by its newest rules or by those of `version`.

    >>> game("tic_tac_toe").title
    'Tic-tac-toe'
    >>> game("chess")
    Traceback (most recent call last):
    games.registry.UnknownGame: there is no game 'chess'; there are ...

    Raises:
        UnknownGame: with the names that exist.
        UnknownVersion: with the versions that exist.
        BrokenGame: with the line of its file that is wrong.
    """
    return _game(name, version, os.environ.get(FOLDERS, ""))


@cache
def _game(name: str, version: int | None, _: str) -> Game:
    """Return the same for a value of PLYHOUSE_GAMES: it is asked whenever a match begins."""
    try:
        newest = _load(name, source(name))
    except BrokenFile as error:
        raise BrokenGame(f"the game {name!r} cannot be loaded: {error}") from error
    if version is None or version == newest.rules_version:
        return newest
    for one in newest.earlier:
        if one.rules_version == version:
            return one
    versions = sorted({newest.rules_version, *(one.rules_version for one in newest.earlier)})
    here = ", ".join(map(str, versions))
    raise UnknownVersion(f"{name} was rules version {version}, and here is {here}")


def versions(name: str) -> tuple[int, ...]:
    """Return the versions of its rules by which a game is known here, none if it is not."""
    try:
        newest = game(name)
    except UnknownGame:
        return ()
    return (newest.rules_version, *[one.rules_version for one in newest.earlier])


def source(name: str) -> Path:
    """Return the file that holds the rules of `name`: what a compiled copy is made from.

    Raises:
        UnknownGame: with the names that exist.
    """
    path = _sources().get(name)
    if path is None:
        raise UnknownGame(f"no game is called {name!r}; there are {', '.join(names())}")
    return path


def _sources() -> dict[str, Path]:
    return own_files.sources(FOLDERS, _HERE, _NOT_GAMES)


def read(path: Path) -> Game:
    """Return the game in a file or folder, whatever laws it breaks.

    Raises:
        BrokenFile: there is none, or it cannot be loaded; the message says where and why.
    """
    path = path / "__init__.py" if path.is_dir() else path
    if not path.is_file():
        raise BrokenFile(f"there is no file {str(path)!r}")
    return _read(path.parent.name if path.stem == "__init__" else path.stem, path.resolve())


def _load(name: str, path: Path) -> Game:
    game = _read(name, path)
    if not path.is_relative_to(_HERE) and (why := _breach(game)):
        raise BrokenFile(f"{path} breaks a law of games: {why}")
    return game


@cache
def _breach(game: Game) -> str:
    """Return which law a game of somebody's breaks, looked for once; empty if none.

    The house's own are held to all laws by the tests.
    """
    from games.laws.check import check_quickly

    try:
        check_quickly(game)
    except BrokenRules as error:
        return str(error)
    return ""


def _own_module(name: str, path: Path) -> ModuleType:
    try:
        return own_files.load(f"plyhouse_games_{name}", path)
    except BrokenFile as error:
        for old, new in RENAMED.items():
            # Since Python 3.13 a guess of its own follows, which may be another.
            before, there, _ = str(error).partition(f"unexpected keyword argument '{old}'")
            if there:
                why = f"{before}{there}; it is {new} now, of a state and no position"
                raise BrokenFile(why) from None
        raise


@cache
def _read(name: str, path: Path) -> Game:
    if path.is_relative_to(_HERE):
        module = importlib.import_module(f"games.{name}")
    else:
        module = _own_module(name, path)
    game = getattr(module, "GAME", None)
    if not isinstance(game, Game) or game.name != name:
        raise BrokenFile(f"{path} must end in GAME = Game(name={name!r}, ...)")
    versions = [one.rules_version for one in (game, *game.earlier)]
    if {one.name for one in game.earlier} - {name} or len(set(versions)) < len(versions):
        raise BrokenFile(f"{path}: `earlier` holds other versions of {name!r}, each once")
    return game
