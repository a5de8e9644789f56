"""name -> Game, by listing this folder and those named in PLYHOUSE_GAMES (separated as in PATH).

A game is a file or folder whose module ends in `GAME = Game(...)`; there is no list to keep.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from games.game import Game

_HERE = Path(__file__).parent
_NOT_GAMES = frozenset({"__init__", "game", "kernel", "rng", "dice", "clock", "registry"})


class UnknownGame(LookupError):
    """No game has this name; the message names those that exist."""


def names() -> tuple[str, ...]:
    """Return the names of all games, in alphabetical order."""
    return tuple(sorted(_sources(os.environ.get("PLYHOUSE_GAMES", ""))))


def game(name: str) -> Game:
    """Return the game called `name`.

    Raises:
        UnknownGame: with the names that exist.
    """
    extra = os.environ.get("PLYHOUSE_GAMES", "")
    source = _sources(extra).get(name)
    if source is None:
        raise UnknownGame(f"no game is called {name!r}; there are {', '.join(names())}")
    return _load(name, source)


def source(name: str) -> Path:
    """Return the file that holds the rules of `name`: what a compiled copy is made from."""
    game(name)
    return _sources(os.environ.get("PLYHOUSE_GAMES", ""))[name]


@cache
def _sources(extra: str) -> dict[str, Path]:
    paths: dict[str, Path] = {}
    for folder in [*(Path(part) for part in extra.split(os.pathsep) if part), _HERE]:
        if not folder.is_dir():
            raise FileNotFoundError(f"PLYHOUSE_GAMES names {str(folder)!r}, which is no folder")
        for path in [*folder.glob("*.py"), *folder.glob("*/__init__.py")]:
            name = path.stem if path.parent == folder else path.parent.name
            if name not in _NOT_GAMES and not name.startswith("_"):
                paths[name] = path
    return paths


@cache
def _load(name: str, path: Path) -> Game:
    inside = path.is_relative_to(_HERE)
    module_name = f"games.{name}" if inside else f"plyhouse_games_{name}"
    module = importlib.import_module(module_name) if inside else _run(module_name, path)
    game = getattr(module, "GAME", None)
    if not isinstance(game, Game) or game.name != name:
        raise ImportError(f"{path} must end in GAME = Game(name={name!r}, ...)")
    return game


def _run(module_name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(module_name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded as a game")
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # while it runs: a dataclass looks its own module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[module_name]
        raise
    return module
