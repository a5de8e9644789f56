"""What can happen to a server of a cluster, or to its database, for a time that is drawn."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Final, NamedTuple

from bench.cluster.networks import DATABASE, ClusterNetwork, ClusterProcesses

LASTS_S: Final = (1.0, 8.0)  # what passes by itself: less than a lease, or much more
DOWN_S: Final = 0.5  # from a program's kill to its next start
GONE_S: Final = 6.0  # from a machine's death to its next start: it has to boot
PROCESS_S: Final = 1.0  # until all play on: the goal after a process's death
MACHINE_S: Final = 5.0  # and after a machine's

# Is told which server it is for.  What is entered has happened; what is left is over, and mended.
Strike = Callable[[ClusterProcesses, int, random.Random], AbstractAsyncContextManager[None]]


class BlowKind(NamedTuple):
    """Something that can happen.

    `goal_s`: in so many seconds all should play on, None: once it is over; `is_silent`: it takes
    a network in which what is cut is silent.
    """

    what: str
    strike: Strike
    goal_s: float | None
    is_silent: bool = False


@asynccontextmanager
async def kill_server(
    cluster: ClusterProcesses, n: int, draw: random.Random
) -> AsyncIterator[None]:
    await cluster.kill_server(n)
    yield
    await asyncio.sleep(DOWN_S)
    await cluster.start_server(n)


@asynccontextmanager
async def stop_server(
    cluster: ClusterProcesses, n: int, draw: random.Random
) -> AsyncIterator[None]:
    pid, lasts_s = cluster.servers[n].pid, draw.uniform(*LASTS_S)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
        await asyncio.sleep(lasts_s)
    finally:
        os.kill(pid, signal.SIGCONT)


@asynccontextmanager
async def lose_machine(
    cluster: ClusterProcesses, n: int, draw: random.Random
) -> AsyncIterator[None]:
    """Have a machine vanish with its server, so that nobody hears of it; later it is back."""
    cluster.network.cut_off(n)
    await cluster.kill_server(n)
    yield
    await asyncio.sleep(GONE_S)
    cluster.network.heal()
    await cluster.start_server(n)


@asynccontextmanager
async def kill_database(
    cluster: ClusterProcesses, n: int, draw: random.Random
) -> AsyncIterator[None]:
    await asyncio.to_thread(cluster.network.postgres.kill)
    yield
    await asyncio.sleep(DOWN_S)
    await asyncio.to_thread(cluster.network.start_database)


def cutting(cut: Callable[[ClusterNetwork, int, list[int]], None]) -> Strike:
    """Cut something for a while: `cut` is told the server, and all others in any order."""

    @asynccontextmanager
    async def strike(cluster: ClusterProcesses, n: int, draw: random.Random) -> AsyncIterator[None]:
        others = [other for other in range(len(cluster.servers)) if other != n]
        draw.shuffle(others)
        cut(cluster.network, n, others)
        lasts_s = draw.uniform(*LASTS_S)
        try:
            yield
            await asyncio.sleep(lasts_s)
        finally:
            cluster.network.heal()

    return strike


KINDS: Final = (
    BlowKind("kill -9", kill_server, PROCESS_S),
    BlowKind("PostgreSQL killed", kill_database, None),
    BlowKind("database cut from all",
             cutting(lambda network, n, others: network.cut_apart(DATABASE, n, *others)), None),
    BlowKind("stopped and woken", stop_server, MACHINE_S),
    BlowKind("cut from the database",
             cutting(lambda network, n, others: network.cut_apart(n, DATABASE)), MACHINE_S),
    BlowKind("cut from the other servers",
             cutting(lambda network, n, others: network.cut_apart(n, *others)), None),
    BlowKind("cut from one other server",
             cutting(lambda network, n, others: network.cut_apart(n, others[0])), None),
    BlowKind("cut from one other, one way",
             cutting(lambda network, n, others: network.cut(n, others[0])), None, is_silent=True),
    BlowKind("cut from everything",
             cutting(lambda network, n, others: network.cut_off(n)), MACHINE_S, is_silent=True),
    BlowKind("machine gone", lose_machine, MACHINE_S, is_silent=True),
)  # fmt: skip


def drawn(times: int, draw: random.Random, is_silent: bool) -> list[BlowKind]:
    """Return so many blows at random, each kind at least once where there are enough."""
    kinds = [kind for kind in KINDS if is_silent or not kind.is_silent]
    first = draw.sample(kinds, min(times, len(kinds)))
    blows = [*first, *draw.choices(kinds, k=times - len(first))]
    draw.shuffle(blows)
    return blows
