"""Compiling what bots need: before they join, or in a process beside them once they have.

Compiling takes some seconds a game, the first time on a machine and after a change of the sources.
It never happens on a clock: `prepare` is called before a bot joins.  The bots of `plyhouse up` join
at once, so they think in plain Python, with the same results but slowly, until `prepare_beside` has
filled the cache.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from bots.engine import compiled
from bots.online.entry import Entry
from games import registry as games

ROOT = Path(__file__).parents[2]  # where `plyhouse` can be imported from

log = logging.getLogger("plyhouse.bots")


async def prepare(entries: Iterable[Entry], say: Callable[[str], None]) -> None:
    """Compile for every bot and game, or load what was compiled before.

    It says a line for each that takes time, and one if there is no numba.
    """
    entries = list(entries)
    if any(entry.bot_class.COMPILED for entry in entries) and compiled.missing():
        say("plyhouse: without numba, searches run as plain Python, some fifty times slower")
    for entry in entries:
        for name in entry.games:
            game = games.game(name)
            if not entry.bot_class.ready(game):
                say(f"plyhouse: compiling {entry.program} for {name}, once")
                began = time.monotonic()
                await asyncio.to_thread(entry.bot_class.prepare, game)
                say(f"plyhouse: compiled in {time.monotonic() - began:.1f} s")
            elif not entry.bot_class.loaded(game):
                await asyncio.to_thread(entry.bot_class.prepare, game)


async def prepare_beside(entries: Iterable[Entry]) -> None:
    """Have another process do what `prepare` does; log it if that fails, end it when cancelled."""
    waiting = [e for e in entries if not all(e.bot_class.ready(games.game(g)) for g in e.games)]
    if not waiting:
        return
    programs = dict.fromkeys(entry.program for entry in waiting)
    if await _compile_in_child(*programs):
        command = f"plyhouse bot {' '.join(programs)} --compile"
        log.warning("plyhouse: searches stay plain Python, and slow: `%s` says why", command)


async def compile_beside(program: str, game: str) -> None:
    """Have another process compile one bot for one game, before all else that it may need."""
    await _compile_in_child(program, "--games", game)


async def _compile_in_child(*arguments: str) -> int:
    """Run `plyhouse bot ... --compile` and return its exit code; end it when cancelled."""
    path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH")) if part)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "plyhouse", "bot", *arguments, "--compile", "--until-eof",
        env={**os.environ, "PYTHONPATH": path},
        stdin=asyncio.subprocess.PIPE,  # held open: it ends with us
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        return await child.wait()
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
