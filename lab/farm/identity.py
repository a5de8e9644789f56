"""What a worker elsewhere has to have in common with this machine, so that results are the same."""

from __future__ import annotations

import hashlib
import importlib.metadata
import platform
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from bots import registry as bots
from bots.backgammon.judge import nets_file
from bots.engine import compiled
from bots.registry import UnknownBot
from games import registry as games
from lab.farm.where import BadFarm

ROOT: Final = Path(__file__).parents[2]
PACKAGES: Final = ("bots", "games", "lab", "protocol", "server")  # what results depend on


class Identity(NamedTuple):
    """A process as a worker.

    code       digest of Plyhouse's sources, of games and bots of somebody's own, and of the nets
    compiled   whether searches are machine code
    processor  what that is compiled for: a name, and a digest of what it can
    """

    python: str
    dask: str
    code: str
    compiled: bool
    processor: tuple[str, str]


@cache
def identity() -> Identity:
    """This process; read once."""
    python = ".".join(platform.python_version_tuple()[:2])
    dask = importlib.metadata.version("distributed")
    return Identity(python, dask, _digest(), compiled.available(), compiled.processor())


def _digest() -> str:
    digest = hashlib.sha256()
    for name, path in _files():
        digest.update(f"{name} {hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:16]


def _files() -> Iterator[tuple[str, Path]]:
    """Every file that counts, by a name that is the same on all machines."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            yield path.relative_to(ROOT).as_posix(), path
    paths = [*(games.source(name) for name in games.names()), *_bot_files()]
    yield from sorted((path.name, path) for path in paths if not path.is_relative_to(ROOT))
    if nets_file().exists():
        yield "nets", nets_file()


def _bot_files() -> Iterator[Path]:
    for name in bots.names():
        with suppress(UnknownBot):  # one of this process, which no file has
            yield bots.source(name)


def check(worker: str, theirs: Identity, ours: Identity) -> None:
    """Check that a worker may work for us.

    Raises:
        BadFarm: it may not; the sentence says what has to be the same.
    """
    if theirs.python != ours.python:
        raise BadFarm(f"{worker} runs Python {theirs.python}, and this machine {ours.python}")
    if theirs.dask != ours.dask:
        raise BadFarm(f"{worker} runs distributed {theirs.dask}, and this machine {ours.dask}")
    if theirs.code != ours.code:
        raise BadFarm(
            f"{worker} has another version of Plyhouse than this machine, or other bots, games or "
            "nets of one's own (PLYHOUSE_BOTS, PLYHOUSE_GAMES, PLYHOUSE_NETS)"
        )
    if theirs.compiled != ours.compiled:
        ways = "plain Python", "machine code"
        raise BadFarm(
            f"{worker} searches in {ways[theirs.compiled]}, and this machine in "
            f"{ways[ours.compiled]}: install numba on both, or set PLYHOUSE_PLAIN on both"
        )
