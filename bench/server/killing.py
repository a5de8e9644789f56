"""How a server is killed: at a random moment, in mid-commit, or again while it is starting."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from bench.support.log_place import LogPlace
from lab.arena.local_server import ServerFailed, ServerProcess

UP_S: Final = 0.6  # the longest that it is left alone before it is killed
COMMIT_S: Final = 2.0  # for a commit to begin
START_S: Final = 0.8  # about what a start takes: the second kill of two falls within it
LOOK_S: Final = 0.00005  # between two looks whether one has begun
WITHIN_COMMIT_S: Final = (0.0, 0.0002, 0.001)  # how far it may have come: begun, written, synced
DOWN_S: Final = (0.0, 0.3, 2.0)  # for a database: within patience, and beyond it


class Manner(StrEnum):
    """How a server is killed."""

    PLANNED = "planned"  # after so many plies
    RANDOM = "at a random moment"
    COMMIT = "in mid-commit"
    TWICE = "twice in quick succession"
    DATABASE = "with its database"  # which is killed as well, a moment before
    DATABASE_ALONE = "not at all, but its database"


WITHIN_COMMITS: Final = (Manner.COMMIT, Manner.DATABASE, Manner.DATABASE_ALONE)


class Kill(msgspec.Struct):
    """One kill: when, what was going on, and how."""

    after_plies: int
    under_way: int  # matches
    down_s: float
    manner: Manner = Manner.PLANNED


class Killed(NamedTuple):
    """A kill, and from when to when the server was away (monotonic seconds)."""

    kill: Kill
    begin: float
    end: float


async def kill_planned(server: ServerProcess, down: float) -> tuple[float, float]:
    """Kill it now and start it again after `down` seconds; from when to when it was away."""
    begin = time.monotonic()
    await asyncio.to_thread(server.kill)
    await asyncio.sleep(down)
    await asyncio.to_thread(server.start)
    return begin, time.monotonic()


def manners(place: LogPlace) -> tuple[Manner, ...]:
    """Return in which manners a server can be killed that has its log there."""
    if place.own is not None:
        return (Manner.RANDOM, Manner.COMMIT, Manner.DATABASE_ALONE, Manner.TWICE, Manner.DATABASE)
    if place.database is not None:
        return (Manner.RANDOM, Manner.TWICE)
    return (Manner.RANDOM, Manner.COMMIT, Manner.TWICE)


async def kill_somehow(
    server: ServerProcess, manner: Manner, draw: random.Random, place: LogPlace
) -> tuple[float, float]:
    """Kill it in this manner and start it again; from when to when it was away."""
    await asyncio.sleep(draw.uniform(0.0, UP_S))
    file = place.written(server.data) if manner in WITHIN_COMMITS else None
    if file is not None:
        await asyncio.to_thread(_wait_for_commit, file, draw)
    begin = time.monotonic()
    if place.own is not None and manner in (Manner.DATABASE, Manner.DATABASE_ALONE):
        await asyncio.to_thread(place.own.kill)
        if manner is Manner.DATABASE_ALONE:
            await asyncio.sleep(draw.choice(DOWN_S))
            await asyncio.to_thread(place.own.start)
            return begin, time.monotonic()
        await asyncio.to_thread(place.own.start)
    await asyncio.to_thread(server.kill)
    if manner is Manner.TWICE:
        await _start_and_kill(server, draw.uniform(0.0, START_S))
    await asyncio.to_thread(server.start)
    return begin, time.monotonic()


def _wait_for_commit(log: Path, draw: random.Random) -> None:
    """Return as soon as the log is being written, or up to a millisecond later.

    Nothing tells another process when a commit begins, and it takes about a millisecond: so the
    file is looked at twenty times in one.
    """
    before, deadline = _state(log), time.monotonic() + COMMIT_S
    while _state(log) == before and time.monotonic() < deadline:
        time.sleep(LOOK_S)  # no event tells another process of it
    time.sleep(draw.choice(WITHIN_COMMIT_S))  # so that the kill falls anywhere within a commit


def _state(log: Path) -> tuple[int, int] | None:
    try:
        status = log.stat()
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns


async def _start_and_kill(server: ServerProcess, after: float) -> None:
    """Start it, and kill it while it starts, or just when it has."""
    done = threading.Event()
    killing = asyncio.create_task(asyncio.to_thread(_kill_later, lambda: server.pid, after, done))
    try:
        await asyncio.to_thread(server.start)
    except ServerFailed:
        pass  # as it should: it was killed on the way
    finally:
        done.set()
        await killing
    await asyncio.to_thread(server.kill)


def _kill_later(pid: Callable[[], int], after: float, done: threading.Event) -> None:
    if done.wait(after):
        return
    try:
        os.kill(pid(), signal.SIGKILL)
    except (ServerFailed, ProcessLookupError):
        return  # it has ended, or has not come so far
