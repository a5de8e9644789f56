"""`plyhouse bench peers`: ours beside bare websockets and Colyseus.

All play the same drawn game of tic-tac-toe in the same closed loop (the next move when both players
have seen the last), each with a fresh server on a core of its own.  It is not equal work: ours has
each move on the disk before anybody sees it, keeps clocks, and sends the legal moves; Colyseus,
tuned to one patch a move and no tick, stores nothing.  Only ratios inside a round mean
anything, and only on a machine that is idle.
"""

from __future__ import annotations

import argparse
import os
import sys
import sysconfig
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from bench.peers import node
from bench.server.server import BARE, OURS
from bench.support.generator import (
    MEASURES,
    MORE_MEASURES,
    Load,
    load_on,
    notes_of,
    percentiles,
    problems_of,
)
from bench.support.process import (
    UNLIMITED,
    MeasuredServer,
    YardstickProcess,
    cores,
    raise_file_limit,
)
from bench.support.report import (
    BadPlan,
    Missing,
    Report,
    busy_note,
    load_average,
    progress,
    spread,
    text,
)
from bench.support.rounds import by_side, in_turns, ratio, ratios

SIZES: Final = "200,1,10,1000"
MAX_MATCHES: Final = 10_000
IDLE: Final = 1.0  # a load average above this: somebody else is at work here
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
    """What is measured at once: a server under so many matches; the disk under none."""

    name: str
    matches: int

    def __str__(self) -> str:
        return f"{self.name}, {self.matches:,} at once" if self.matches else self.name


SYNC: Final = Job("one sync of the disk", 0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--matches", default=SIZES,
        help="numbers of matches at once: all servers play at the first, and at 1; ours at each"
        f" (default {SIZES}; 4000 takes half a minute a round)",
    )  # fmt: skip
    parser.add_argument("--rounds", type=int, default=7, help="at most (default 7)")
    parser.add_argument(
        "--minutes", type=float, default=3.8, help="no round begins that would end later"
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="measured, each time")
    parser.add_argument("--warm-up", type=float, default=0.8, help="seconds not counted")
    parser.add_argument("--alone", action="store_true", help="ours and bare websockets only")


def measure(args: argparse.Namespace, folder: Path) -> Report:
    """Play all rounds."""
    sizes = _sizes(args.matches)
    if args.rounds < 1 or not (args.seconds > 0 and args.minutes > 0 and args.warm_up >= 0):
        raise BadPlan("rounds start at 1, seconds and minutes above 0")
    raise_file_limit(2 * max(sizes) + 200)
    busy = load_average()
    installed: Path | None = None
    left_out = ["Colyseus was not asked for."]
    if not args.alone:
        try:
            installed, left_out = node.install(), []
        except (Missing, OSError) as error:
            left_out = [str(error)]
            progress(left_out[0])
    names = [OURS, BARE, *([node.COLYSEUS] if installed else ())]
    sides: dict[Job, Callable[[Path], Load]] = {
        job: partial(loaded, job, installed, args.seconds, args.warm_up)
        for job in jobs(names, sizes)
    }
    sides[SYNC] = sync_of
    rounds = in_turns(sides, args.rounds, folder, _told, 60 * args.minutes)
    loads = [(job, load) for each in rounds for job, load in each.items()]
    report = Report(
        notes=[*_to_colyseus_and_sync(rounds), *left_out, *notes_of(loads), built()],
        problems=problems_of(loads),
    )
    if installed is not None:
        report.notes.append(f"{node.versions()}; {len(rounds)} rounds.")
    report.notes += busy_note(busy, IDLE)
    for size in dict.fromkeys(size for size in sizes if size in (sizes[0], ALONE)):
        title = f"{size:,} at once, {args.seconds:g} s each"
        here = {name: Job(name, size) for name in names}
        report.tables.append(by_side(title, MORE_MEASURES, rounds, here))
        others = {f"to {name}": (here[OURS], here[name]) for name in names if name != OURS}
        report.tables.append(ratios(f"{size:,} at once, ours to others", MEASURES, rounds, others))
    first = Job(OURS, sizes[0])
    columns = {f"{size:,} at once": Job(OURS, size) for size in sorted(sizes)}
    report.tables.append(by_side("Ours, by number of matches", MORE_MEASURES, rounds, columns))
    to_first = {name: (job, first) for name, job in columns.items()}
    title = f"Ours, to that at {sizes[0]:,} at once"
    report.tables.append(ratios(title, MEASURES, rounds, to_first))
    return report


def _sizes(words: str) -> list[int]:
    try:
        sizes = list(dict.fromkeys(int(word) for word in words.split(",")))
    except ValueError:
        sizes = [0]
    if not all(1 <= size <= MAX_MATCHES for size in sizes):
        raise BadPlan(f"--matches are numbers from 1 to {MAX_MATCHES:,}, such as {SIZES}")
    return sizes


def jobs(names: Sequence[str], sizes: Sequence[int]) -> list[Job]:
    """All servers at the first number of matches, and alone; ours at all numbers."""
    return [
        Job(name, matches)
        for matches in sizes
        for name in names
        if name == OURS or matches in (sizes[0], ALONE)
    ]


def loaded(job: Job, installed: Path | None, seconds: float, warm_up: float, data: Path) -> Load:
    core, factor = cores()[0], CROWD_FACTOR if job.matches >= CROWD else 1
    words: list[object] = ["--matches", job.matches]
    words += ["--seconds", factor * seconds, "--warm-up", factor * warm_up]
    if job.name == OURS:
        server = MeasuredServer(data, SETTINGS, core=core)
    elif job.name == BARE:
        server = YardstickProcess(data, core=core)
    else:
        assert installed is not None  # else nobody asks for a peer
        server = node.NodeServer(data, installed, core=core)
        return load_on(server, "bench.peers.colyseus", words)
    return load_on(server, "bench.server.load", words)


def sync_of(file: Path) -> Load:
    sync = getattr(os, "fdatasync", os.fsync)  # not every system has the cheaper one
    times = []
    with file.open("wb", buffering=0) as out:
        for _ in range(SYNCS):
            out.write(bytes(SYNC_BYTES))
            begin = time.perf_counter()
            sync(out.fileno())
            times.append(time.perf_counter() - begin)
    p50, p99 = percentiles(times)
    return Load(seconds=sum(times), moves=SYNCS, p50_ms=p50, p99_ms=p99)


def _told(load: Load) -> str:
    return f"{load.moves_per_s:,.0f} moves/s"


def _to_colyseus_and_sync(rounds: Sequence[dict[Job, Load]]) -> list[str]:
    """What a sync takes; and ours alone, to Colyseus alone and one sync."""
    sentences, ours, theirs = [], Job(OURS, ALONE), Job(node.COLYSEUS, ALONE)
    for name in ("p50", "p99"):
        times = [{job: getattr(r[job], f"{name}_ms") for job in r} for r in rounds]
        sentence = f"One sync of the disk, {name}: {text(spread(t[SYNC] for t in times))} ms."
        if ours in rounds[0] and theirs in rounds[0]:
            both = [ratio(t[ours], t[theirs] + t[SYNC]) for t in times]
            sentence += f" Ours alone to Colyseus' and one sync: {text(spread(both))}."
        sentences.append(sentence)
    return sentences


def built() -> str:
    """Which Python runs, and whether it was built well: one without that is slower by a sixth."""
    asked = sysconfig.get_config_var("CONFIG_ARGS")  # Debian's says nothing, and is optimised
    record = "nothing of that is on record"
    if asked:
        record = "yes" if "--enable-optimizations" in asked else "not by its own record"
    return f"Python {' '.join(sys.version.split())}; with --enable-optimizations: {record}."
