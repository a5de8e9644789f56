"""`plyhouse bench search`: our UCT beside OpenSpiel's C++ MCTSBot, threads, start, memory.

Both sides make the same number of simulations from the same position, with exploration 1.4, one
playout a leaf, a fresh tree, no proofs and no decisive moves; what counts is simulations a second
of CPU time.  Every round measures both, one right after the other, so that a machine that slows
down meanwhile slows both; the ratio is taken in each round, and the median of the rounds counts.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from rich.console import Console
from rich.table import Table

from bench.search import openspiel
from bench.search.house_bots import BotsReport
from bench.search.openspiel import PLACES, OpenSpielSearch, SearchPosition
from bench.support.report import (
    Missing,
    Report,
    Spread,
    code_text,
    complain,
    load_average,
    output,
    print_load,
    progress,
    slim_table,
    spread,
)
from bots.engine import compiled
from bots.engine.tree import Forest, Tree
from games import registry
from lab.arena.local_server import ROOT

EXPLORATION = 1.4
MEGABYTES = 256  # of our tree: more than any search here fills
PLAIN_MEGABYTES = 8
BUSY = 0.5  # of the load at the beginning: from here on threads and start-up mean little
LEAST_S = 0.3  # CPU seconds that ours is measured for in each round, however fast it is

SIMULATIONS = {
    "tic_tac_toe": 100_000,
    "ultimate_tic_tac_toe": 20_000,
    "connect_four": 50_000,
    "backgammon": 500,
}  # of each search: about half a second of OpenSpiel's

# How many times as fast as OpenSpiel, at least and to aim at.
TARGETS = {
    "tic_tac_toe": (2.5, 4.0),
    "ultimate_tic_tac_toe": (6.0, 8.0),
    "connect_four": (13.0, 16.0),
    "backgammon": (6.0, 10.0),
}
THREADS_TARGET = (1.6, 1.9)
CACHED_TARGET_S = (1.5, 0.7)
COLD_TARGET_S = (10.0, 4.0)
MEMORY_TARGET_MB = (300.0, 200.0)


class Race(msgspec.Struct, kw_only=True):
    """One position: simulations a CPU second of each side, and how many times as fast ours is."""

    game: str
    place: str  # "first" or "middle"
    simulations: int
    ours: Spread
    theirs: Spread | None
    ratio: Spread | None
    target: float
    aim: float


class Threads(msgspec.Struct, kw_only=True):
    """How many times as many simulations two threads make in the same time as one."""

    game: str
    gain: Spread
    target: float
    aim: float


class Start(msgspec.Struct, kw_only=True):
    """Seconds from the start of a process to the end of its first search."""

    game: str
    cached_s: Spread
    cold_s: float  # once, with an empty cache of compiled code


class SearchReport(Report, kw_only=True):
    """Everything that was measured; what was not asked for is empty or None."""

    rounds: int
    compiled: bool
    races: list[Race]
    threads: list[Threads]
    starts: list[Start]
    house_bots_mb: float | None  # memory of a process in which each has searched each game it plays
    house_bots: int  # how many that are
    load: float | None  # processes that wanted a core when it began, of the last minute


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench search`."""
    parser.add_argument("--game", action="append", help="only this game; may be given repeatedly")
    parser.add_argument("--rounds", type=int, default=5, help="the median counts (default 5)")
    parser.add_argument("--simulations", type=int, help="of each search, in all games")
    parser.add_argument("--alone", action="store_true", help="without OpenSpiel beside it")
    parser.add_argument("--brief", action="store_true", help="no threads, start and memory")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 2 if it could not be measured."""
    try:
        games = _asked(args)
        if not args.alone:
            openspiel.load()
    except (ValueError, Missing) as error:
        return complain("search", error)
    places = [place for place in PLACES if place.game in games]
    load = load_average()  # of others: before ours begins
    report = SearchReport(
        rounds=args.rounds,
        compiled=compiled.available(),
        races=races(places, args.rounds, args.simulations, args.alone),
        threads=[],
        starts=[],
        house_bots_mb=None,
        house_bots=0,
        load=load,
    )
    if not args.brief:
        firsts = [place for place in places if place.name == "first"]
        report.threads = [threads(p, args.rounds, args.simulations) for p in firsts]
        report.starts = [start(game, args.rounds) for game in games]
        report.house_bots_mb, report.house_bots = memory()
    output(report, args.json, show)
    return 0


def _asked(args: argparse.Namespace) -> list[str]:
    """The games to be measured; ValueError where the arguments make no sense."""
    if args.rounds < 1 or (args.simulations is not None and args.simulations < 1):
        raise ValueError("rounds and simulations start at 1")
    for game in args.game or ():
        if game not in SIMULATIONS:
            raise ValueError(f"there is no game {game!r}; there are {', '.join(SIMULATIONS)}")
    return [game for game in SIMULATIONS if game in (args.game or SIMULATIONS)]


def races(
    places: Sequence[SearchPosition], rounds: int, simulations: int | None, alone: bool
) -> list[Race]:
    """Measure every position in every round."""
    ours: list[list[float]] = [[] for _ in places]
    theirs: list[list[float]] = [[] for _ in places]
    for number in range(rounds):
        for i, place in enumerate(places):
            n = simulations or SIMULATIONS[place.game]
            if not alone:
                their_search = OpenSpielSearch(place, EXPLORATION)
                theirs[i].append(n / their_search.search(n, seed=number + 1))
            ours[i].append(our_rate(place, n, seed=number + 1))
        progress(f"round {number + 1} of {rounds}")
    return [
        _race(place, simulations or SIMULATIONS[place.game], ours[i], theirs[i])
        for i, place in enumerate(places)
    ]


def our_rate(place: SearchPosition, simulations: int, seed: int) -> float:
    """Simulations a CPU second of our UCT, in searches of `simulations` each."""
    tree = our_tree(place, seed)
    position, stop = place.position(), compiled.ints(1)
    tree.think(position, min(simulations, 100), stop)  # compiled, and memory touched
    count, began = 0, time.process_time()
    while True:
        count += tree.think(position, simulations, stop)
        spent = time.process_time() - began
        if spent >= LEAST_S or (spent and not compiled.available()):
            return count / spent


def our_tree(place: SearchPosition, seed: int) -> Tree:
    """Our UCT with the settings that both sides have; it forgets its tree at every search."""
    return Tree(
        registry.game(place.game),
        seed=seed,
        exploration=EXPLORATION,
        playouts=1,
        proofs=False,
        decisive=False,
        keep=False,
        megabytes=MEGABYTES if compiled.available() else PLAIN_MEGABYTES,
    )


def _race(
    place: SearchPosition, simulations: int, ours: Sequence[float], theirs: Sequence[float]
) -> Race:
    target, aim = TARGETS[place.game]
    ratios = [a / b for a, b in zip(ours, theirs, strict=False)]
    return Race(
        game=place.game,
        place=place.name,
        simulations=simulations,
        ours=spread(ours),
        theirs=spread(theirs) if theirs else None,
        ratio=spread(ratios) if ratios else None,
        target=target,
        aim=aim,
    )


def threads(place: SearchPosition, rounds: int, simulations: int | None) -> Threads:
    """Two threads, a tree each, against one: simulations in the same time."""
    n = (simulations or SIMULATIONS[place.game]) * 4
    position, stop = place.position(), compiled.ints(1)
    one = Forest([our_tree(place, 1)])
    two = Forest([our_tree(place, 1), our_tree(place, 2)])
    one.think(position, n, stop)
    two.think(position, 2 * n, stop)
    gains = []
    for _ in range(rounds):
        alone = _seconds(lambda: one.think(position, n, stop))
        gains.append(2 * alone / _seconds(lambda: two.think(position, 2 * n, stop)))
    progress(f"threads: {place.game}")
    return Threads(
        game=place.game, gain=spread(gains), target=THREADS_TARGET[0], aim=THREADS_TARGET[1]
    )


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def start(game: str, rounds: int) -> Start:
    """A process that makes one search: with nothing compiled yet, and then with all."""
    with tempfile.TemporaryDirectory(prefix="plyhouse-bench-") as folder:
        cold = _seconds(lambda: _bots(["first", game], folder))
        cached = [_seconds(lambda: _bots(["first", game], folder)) for _ in range(rounds)]
    progress(f"start: {game}")
    return Start(game=game, cached_s=spread(cached), cold_s=cold)


def memory() -> tuple[float | None, int]:
    """MB of a process in which all house bots have searched, and how many searches that were."""
    with tempfile.TemporaryDirectory(prefix="plyhouse-bench-") as folder:
        _bots(["all"], folder)  # compiling takes memory of its own, once on a machine
        bots = _bots(["all"], folder)
    return (None if bots.kb is None else bots.kb / 1024), bots.searches


def _bots(words: list[str], cache: str) -> BotsReport:
    """What bench/search/house_bots.py says, with compiled code kept in the folder `cache`."""
    env = {k: v for k, v in os.environ.items() if k not in ("PLYHOUSE_BOTS", "PLYHOUSE_GAMES")}
    done = subprocess.run(
        [sys.executable, "-m", "bench.search.house_bots", *words],
        cwd=ROOT,
        env={**env, "XDG_CACHE_HOME": str(Path(cache).resolve())},
        stdout=subprocess.PIPE,
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=BotsReport)


def show(report: SearchReport) -> None:
    """Print the report for people."""
    console = Console()
    console.print(_race_table(report))
    if report.threads:
        console.print(_rest_table(report))
    how = f"{code_text(report.compiled)}, median of {report.rounds} rounds"
    console.print(f"{report.place}, {how}.")
    print_load(console, report.load, BUSY)
    for line in missed(report):
        console.print(f"OFF ITS TARGET: {line}")


def _race_table(report: SearchReport) -> Table:
    figures = ["ours", "OpenSpiel", "ratio", "range", "goal"]
    table = slim_table("UCT, thousands of simulations a CPU second", ["game", "from"], figures)
    for race in report.races:
        theirs = ratio = span = ""
        if race.theirs and race.ratio:
            theirs = _thousands(race.theirs.median)
            ratio = f"{race.ratio.median:.1f}"
            span = f"{race.ratio.low:.1f}-{race.ratio.high:.1f}"
        ours = _thousands(race.ours.median)
        target = f"{race.target:g}/{race.aim:g}"
        table.add_row(race.game, race.place, ours, theirs, ratio, span, target)
    return table


def _rest_table(report: SearchReport) -> Table:
    figures = ["median", "range", "target", "aim"]
    table = slim_table("Threads, start, memory", [""], figures)
    for two in report.threads:
        row = f"{two.gain.median:.2f}", f"{two.gain.low:.2f}-{two.gain.high:.2f}"
        table.add_row(f"two threads to one: {two.game}", *row, *_texts(THREADS_TARGET))
    for line in report.starts:
        cached = line.cached_s
        row = f"{cached.median:.2f}", f"{cached.low:.2f}-{cached.high:.2f}"
        name = f"start, cached, s: {line.game}"
        table.add_row(name, *row, *_texts(CACHED_TARGET_S))
    for line in report.starts:
        name = f"start, cold, s: {line.game}"
        table.add_row(name, f"{line.cold_s:.1f}", "once", *_texts(COLD_TARGET_S))
    if report.house_bots_mb is not None:
        name = f"all house bots ({report.house_bots} searches), MB"
        table.add_row(name, f"{report.house_bots_mb:.0f}", "once", *_texts(MEMORY_TARGET_MB))
    return table


def missed(report: SearchReport) -> list[str]:
    """What is worse than it has to be at least."""
    names = [
        f"{race.game}, {race.place} position"
        for race in report.races
        if race.ratio and race.ratio.median < race.target
    ]
    names += [f"threads, {t.game}" for t in report.threads if t.gain.median < t.target]
    for s in report.starts:
        if s.cached_s.median > CACHED_TARGET_S[0] or s.cold_s > COLD_TARGET_S[0]:
            names.append(f"start, {s.game}")
    if report.house_bots_mb is not None and report.house_bots_mb > MEMORY_TARGET_MB[0]:
        names.append("memory")
    return names


def _thousands(rate: float) -> str:
    return f"{rate / 1000:,.0f}" if rate >= 100_000 else f"{rate / 1000:.1f}"


def _texts(target: tuple[float, float]) -> tuple[str, str]:
    return f"{target[0]:g}", f"{target[1]:g}"
