"""Tries seeds.

    python -m tests.simulation --seed 17              one run, and what was wrong with it
    python -m tests.simulation --seed 17 --faults 3,8 the same with two of its faults
    python -m tests.simulation --seeds 1000           the first so many, from --from on
    python -m tests.simulation --seconds 240          fresh ones, as many as there is time for
    python -m tests.simulation --guards               how many seeds it takes to miss each guard
    python -m tests.simulation --guards --servers 3   the same for those of several servers
    python -m tests.simulation --without turn --seed 3

`--minutes`, `--tables`: how long is played, and at how many tables; `--servers 3`: at several
servers on one database; `--trace FILE`: all that was said; `--history FILE`: the plays, for a
linearizability checker.  It ends with 1 where a seed has failed, after the command that replays it
with the fewest faults that still fail.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import multiprocessing
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tests.simulation.cluster.guards import CLUSTER_GUARDS
from tests.simulation.cluster.world import ClusterWorld
from tests.simulation.guards import GUARDS, without
from tests.simulation.run import Report, World, simulate

ALL = GUARDS | CLUSTER_GUARDS
MOST = 2_000  # seeds in which a guard that is out has to be noticed


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command says."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.simulation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seed")
    parser.add_argument("--faults", help="the numbers of those that happen")
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--from", type=int, default=0, dest="first")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--guards", nargs="*", choices=list(ALL))
    parser.add_argument("--without", choices=list(ALL))
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--trace")
    parser.add_argument("--history")
    args = parser.parse_args(argv)
    world = World if args.servers == 1 else partial(ClusterWorld, servers=args.servers)
    own = GUARDS if args.servers == 1 else CLUSTER_GUARDS
    run = partial(simulate, minutes=args.minutes, tables=args.tables, world=world)
    with without(args.without, ALL) if args.without else contextlib.nullcontext():
        if args.guards is not None:
            return _try_guards(args.guards or list(own), run, args.processes)
        if args.seed is not None:
            return _try_one(args, run)
        return _try_many(args, run)


def _try_one(args: argparse.Namespace, run: Callable[..., Report]) -> int:
    keep = None
    if args.faults is not None:
        keep = {int(number) for number in args.faults.split(",") if number}
    with (
        Path(args.trace or os.devnull).open("w", encoding="utf-8") as trace,
        Path(args.history or os.devnull).open("w", encoding="utf-8") as history,
    ):
        report = run(args.seed, keep=keep, trace=trace if args.trace else None, history=history)
    for number, fault in enumerate(report.faults):
        print(f"  {number:3} {fault.kind} at {fault.at:.1f} s, {fault.lasts:.1f} s, {fault.who}")
    print(f"{report.messages:,} messages, {report.plays:,} plays, {report.digest}")
    print(f"seed {report.seed}: {report.failure or 'all is well'}")
    return report.failure is not None


def _try_many(args: argparse.Namespace, run: Callable[..., Report]) -> int:
    """Try seeds side by side; the first that fails is shrunk and ends it."""
    began, count, plays = time.monotonic(), 0, 0
    seeds: Iterable[Any] = range(args.first, args.first + (args.seeds or 0))
    if args.seconds is not None:
        first = secrets.randbelow(10**9)
        print(f"fresh seeds from {first} on, for {args.seconds:g} s", flush=True)
        seeds = itertools.count(first)
    for report in _side_by_side(run, seeds, args.processes, args.seconds):
        count, plays = count + 1, plays + report.plays
        if report.failure is not None:
            print(f"seed {report.seed}: {report.failure}", flush=True)
            print(_replay(args, shrink(run, report)))
            return 1
    took = time.monotonic() - began
    print(f"{count:,} seeds in {took:.0f} s, {3600 * count / took:,.0f} an hour; {plays:,} plays;"
          " all is well")  # fmt: skip
    return 0


def _side_by_side(
    run: Callable[..., Report], seeds: Iterable[Any], processes: int, seconds: float | None
) -> Iterable[Report]:
    until = time.monotonic() + seconds if seconds is not None else None
    left = itertools.takewhile(lambda _: until is None or time.monotonic() < until, seeds)
    if processes < 2:
        yield from map(run, left)
        return
    with multiprocessing.get_context("fork").Pool(processes, maxtasksperchild=200) as pool:
        for some in iter(lambda: list(itertools.islice(left, 4 * processes)), []):
            yield from pool.imap_unordered(run, some)


def _replay(args: argparse.Namespace, report: Report) -> str:
    numbers = ",".join(str(number) for number in report.kept)
    parts = ["python -m tests.simulation", f"--seed {report.seed}", f"--faults {numbers or ','}"]
    parts += [f"--minutes {args.minutes:g}"] * (args.minutes != 10) + [
        f"--tables {args.tables}"
    ] * (args.tables != 20)
    parts += [f"--servers {args.servers}"] * (args.servers != 1)
    parts += [f"--without {args.without!r}"] * (args.without is not None)
    return " ".join(parts)


def shrink(run: Callable[..., Report], report: Report) -> Report:
    """Return the run of the same seed with the fewest faults that still fail, halves first."""
    kept, size = list(report.kept), max(1, len(report.kept) // 2)
    while kept:
        for first in range(0, len(kept), size):
            fewer = kept[:first] + kept[first + size :]
            attempt = run(report.seed, keep=set(fewer))
            if attempt.failure is not None:
                report, kept = attempt, fewer
                break
        else:
            if size == 1:
                break
            size = (size + 1) // 2
    return report


def _try_guards(names: Sequence[str], run: Callable[..., Report], processes: int) -> int:
    """Say after how many seeds each is missed, and how."""
    unnoticed = 0
    for name in names:
        with without(name, ALL):
            for count, report in enumerate(_side_by_side(run, range(MOST), processes, None), 1):
                if report.failure is not None:
                    print(f"{name}: after {count} seeds: {report.failure}", flush=True)
                    break
            else:
                unnoticed += 1
                print(f"{name}: not noticed in {MOST:,} seeds", flush=True)
    return unnoticed > 0


if __name__ == "__main__":
    sys.exit(main())
