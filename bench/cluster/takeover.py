"""`plyhouse bench takeover`: how long a killed server's rooms stand still when there are many.

Two servers on one PostgreSQL; a match is on in each of many rooms, all at the first server, which
is killed.  Measured is when the second one has read all of them, and when somebody who comes back
to it has been shown the match of the last room.
"""

from __future__ import annotations

import argparse
import asyncio
import time
import urllib.request
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from bench.cluster.processes import ClusterProcesses, two_servers
from bench.server.restart import fill, token_of
from bench.support.balancer import BackendAddress
from bench.support.process import cpu_us
from bench.support.report import Report, complain, tried
from client.connection import connect
from protocol.messages import MatchState
from server.store import open_store_at

LIMIT_S: Final = 300.0
ASK_S: Final = 0.02  # between two looks at a server's figures
SETTLED_S: Final = 4.0  # a server that has just joined takes over nobody's rooms


class TakeoverReport(Report, kw_only=True):
    """Seconds from the kill, and of processor time."""

    rooms: int
    read_s: float  # of `taken_s`, from when they were this server's
    taken_s: float  # until all rooms are read
    shown_s: float  # until the match of the last room is shown
    cpu_s: float  # of the server that took them
    problems: list[str] = msgspec.field(default_factory=list)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench takeover`."""
    parser.add_argument("--rooms", type=int, default=1_000, help="with a match on (default 1000)")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Do it and print the report."""
    if args.rooms < 1:
        return complain("takeover", "at least 1 room")
    trial = partial(carry_out, args.rooms)
    return tried("takeover", LIMIT_S, trial, None if args.json else show)


async def carry_out(rooms: int, folder: Path) -> TakeoverReport:
    """Fill a house, start two servers over it, kill one."""
    async with two_servers(folder) as cluster, asyncio.timeout(LIMIT_S):
        url = cluster.network.postgres.url()
        store = await open_store_at(folder / "filled", url, None)
        await fill(store, rooms, 1)
        await store.aclose()
        return await _measure(cluster, rooms)


async def _measure(cluster: ClusterProcesses, rooms: int) -> TakeoverReport:
    first, second = cluster.network.addresses
    await cluster.prepare()
    await cluster.start_server(0)
    await _has_taken(first, rooms)
    await cluster.start_server(1)
    while await asyncio.to_thread(_figure, second, "lines") < 1:  # noqa: ASYNC110
        await asyncio.sleep(ASK_S)  # nobody tells
    await asyncio.sleep(SETTLED_S)
    before = cpu_us(cluster.servers[1].pid)
    began = time.monotonic()
    await cluster.kill_server(0)
    await _has_taken(second, rooms)
    taken = time.monotonic() - began
    read = await asyncio.to_thread(_figure, second, "takeover_seconds_sum")
    player = await connect(str(second), token=token_of(2 * rooms))
    async for message in player:
        if isinstance(message, MatchState):
            break
    shown = time.monotonic() - began
    cpu = (cpu_us(cluster.servers[1].pid) - before) / 1e6
    await player.close()
    return TakeoverReport(rooms=rooms, read_s=read, taken_s=taken, shown_s=shown, cpu_s=cpu)


async def _has_taken(address: BackendAddress, rooms: int) -> None:
    while await asyncio.to_thread(_figure, address, "rooms_taken_total") < rooms:  # noqa: ASYNC110
        await asyncio.sleep(ASK_S)  # nobody tells


def _figure(address: BackendAddress, name: str) -> float:
    """One of a server's figures."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as reply:
        lines = reply.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(f"plyhouse_{name}"))


def show(report: TakeoverReport) -> None:
    """Print the report for people."""
    print(f"{report.rooms:,} rooms with a match on; {report.place}")
    print(f"all of them read by the other server {report.taken_s:.2f} s after the kill,")
    print(f"{report.read_s:.2f} s of that for reading them;")
    print(f"the match of the last one shown to a player after {report.shown_s:.2f} s")
    print(f"processor time of the server that took them: {report.cpu_s:.2f} s")
