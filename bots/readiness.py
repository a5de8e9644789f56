"""Before bots join: compile what they need, and say so; or join at once, and have it compiled.

Compiling takes some seconds a game, the first time on a machine and after a change of the sources.
It never happens on a clock: `prepare` is called before a bot joins.  The bots of `plyhouse up` are
to be there at once, so they join first, and think in plain Python, with the same results and more
slowly, until a process beside them has filled the cache.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from bots import compiled
from bots.terms import Entry
from games import registry as games

ROOT = Path(__file__).parent.parent  # where `plyhouse` can be imported from


async def prepare(entries: Iterable[Entry], say: Callable[[str], None]) -> None:
    """Compile for every bot and game, or load what was compiled before; a line for each that takes
    time, one if there is no numba.
    """
    entries = list(entries)
    if any(entry.kind.COMPILED for entry in entries) and compiled.missing():
        say("plyhouse: without numba, searches run as plain Python, some fifty times slower")
    for entry in entries:
        for name in entry.games:
            game = games.game(name)
            if not entry.kind.ready(game):
                say(f"plyhouse: compiling {entry.program} for {name}, once")
                began = time.monotonic()
                await asyncio.to_thread(entry.kind.prepare, game)
                say(f"plyhouse: compiled in {time.monotonic() - began:.1f} s")
            elif not entry.kind.loaded(game):
                await asyncio.to_thread(entry.kind.prepare, game)


async def prepare_beside(entries: Iterable[Entry]) -> None:
    """Have another process do what `prepare` does; ends it when cancelled."""
    waiting = [e for e in entries if not all(e.kind.ready(games.game(g)) for g in e.games)]
    if not waiting:
        return
    programs = dict.fromkeys(entry.program for entry in waiting)
    path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH")) if part)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "plyhouse", "bot", *programs, "--compile",
        env={**os.environ, "PYTHONPATH": path},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )  # fmt: skip
    try:
        await child.wait()
    finally:
        if child.returncode is None:
            with suppress(ProcessLookupError):
                child.kill()
            await child.wait()
