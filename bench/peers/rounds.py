"""The rounds of `plyhouse bench peers`: which server is measured when, and what came of each.

Each measurement has a fresh server, alone on one core where the system can pin it, with the load
generator on another.  All of a round come one after the other, in turns forwards and backwards, so
that an hour that gets busier favours nobody; whatever is compared is compared inside a round.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from bench.peers.node import NodeServer
from bench.server.load import ServerLoad
from bench.server.server import UNLIMITED
from bench.support.generator import load_on, percentiles
from bench.support.process import MeasuredServer, YardstickProcess, cores
from bench.support.report import progress

OURS: Final = "Plyhouse"
BARE: Final = "bare websockets"
ALONE: Final = 1  # so many matches: nobody waits for anybody, so it is the latency that shows
CROWD: Final = 2_000  # from so many matches on, one move of each takes a good part of a second
CROWD_FACTOR: Final = 3  # so many times as long is a crowd warmed up and measured
# A player who is alone on the server makes more moves a second than anybody may.
SETTINGS: Final = {
    **UNLIMITED,
    "connections_per_address": 100_000,
    "rooms_per_address": 100_000,
    "connections": 100_000,
    "frames_per_second": 10**9,
}
SYNCS: Final = 100
SYNC_BYTES: Final = 512  # about what a move has written


class Job(NamedTuple):
    """What is measured at once: a server under so many matches."""

    name: str
    matches: int


class PeerRound(NamedTuple):
    """What came of one round."""

    loads: dict[Job, ServerLoad]
    sync: tuple[float, float]  # one sync of the disk: p50 and p99, in ms


Runner: TypeAlias = Callable[[Job, Path], ServerLoad]


def jobs(names: Sequence[str], sizes: Sequence[int]) -> list[Job]:
    """All servers at the first number of matches, and alone; ours at all numbers."""
    return [
        Job(name, matches)
        for matches in sizes
        for name in names
        if name == OURS or matches in (sizes[0], ALONE)
    ]


def runner(installed: Path | None, seconds: float, warm_up: float) -> Runner:
    """How a job is done, each time in a folder of its own."""
    core = cores()[0]

    def run(job: Job, data: Path) -> ServerLoad:
        factor = CROWD_FACTOR if job.matches >= CROWD else 1
        words: list[object] = ["--matches", job.matches]
        words += ["--seconds", factor * seconds, "--warm-up", factor * warm_up]
        if job.name == OURS:
            server = MeasuredServer(data, SETTINGS, core=core)
            return load_on(server, "bench.server.load", words, ServerLoad)
        if job.name == BARE:
            return load_on(
                YardstickProcess(data, core=core), "bench.server.load", words, ServerLoad
            )
        assert installed is not None  # else nobody asks for a peer
        node = NodeServer(data, job.name, installed, core=core)
        return load_on(node, "bench.peers.load", [*words, "--peer", job.name], ServerLoad)

    return run


def play_rounds(
    plan: Sequence[Job], run: Runner, folder: Path, most: int, limit_s: float
) -> list[PeerRound]:
    """Play `most` rounds at most, of which none begins that would probably end after `limit_s`.

    Raises:
        ServerFailed: a server did not start, or nothing could be measured.
    """
    begin, longest, rounds = time.monotonic(), 0.0, list[PeerRound]()
    for number in range(most):
        at = time.monotonic()
        if rounds and at - begin + longest > limit_s:
            progress(f"{number} rounds of {most}: another would end too late (--minutes)")
            break
        where = folder / str(number)
        where.mkdir()
        order = plan if number % 2 == 0 else plan[::-1]
        loads = {}
        for place, job in enumerate(order):
            loads[job] = load = run(job, where / str(place))
            progress(
                f"round {number + 1}: {job.name}, {job.matches:,} at once:"
                f" {load.moves_per_s:,.0f} moves/s"
            )
        rounds.append(PeerRound(loads, sync_of(where / "sync")))
        longest = max(longest, time.monotonic() - at)
    return rounds


def sync_of(file: Path) -> tuple[float, float]:
    """How long it takes to have a few bytes more on the disk: p50 and p99, in ms."""
    sync = getattr(os, "fdatasync", os.fsync)  # not every system has the cheaper one
    times = []
    with file.open("wb", buffering=0) as out:
        for _ in range(SYNCS):
            out.write(bytes(SYNC_BYTES))
            begin = time.perf_counter()
            sync(out.fileno())
            times.append(time.perf_counter() - begin)
    return percentiles(times)
