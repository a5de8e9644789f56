"""`plyhouse bench search`: our UCT beside OpenSpiel's C++ MCTSBot, threads, start, memory.

Both sides make the same number of simulations from the same position, with exploration 1.4, one
playout a leaf, a fresh tree, no proofs and no decisive moves; what counts is simulations a second
of CPU time.  Every round measures both, one right after the other.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from bench.search import openspiel
from bench.search.house_bots import BotsReport
from bench.search.openspiel import PLACES, OpenSpielSearch, SearchPosition
from bench.support.report import (
    BadPlan,
    FigureTable,
    Report,
    busy_note,
    code_text,
    load_average,
    median,
    progress,
    spread,
)
from bench.support.rounds import in_turns, ratio
from bots.engine import compiled
from bots.engine.tree import Forest, Tree
from games import registry
from lab.arena.local_server import ROOT

EXPLORATION: Final = 1.4
MEGABYTES: Final = 256  # of our tree: more than any search here fills
PLAIN_MEGABYTES: Final = 8
BUSY: Final = 0.5  # of the load at the beginning: from here on threads and start-up mean little
LEAST_S: Final = 0.3  # CPU seconds that ours is measured for in each round, however fast it is

SIMULATIONS: Final = {
    "tic_tac_toe": 100_000,
    "ultimate_tic_tac_toe": 20_000,
    "connect_four": 50_000,
    "backgammon": 500,
}  # of each search: about half a second of OpenSpiel's

# How many times as fast as OpenSpiel, at least and to aim at.
TARGETS: Final = {
    "tic_tac_toe": (2.5, 4.0),
    "ultimate_tic_tac_toe": (6.0, 8.0),
    "connect_four": (13.0, 16.0),
    "backgammon": (6.0, 10.0),
}
THREADS: Final = (1.6, 1.9)  # times as many simulations as of one thread
CACHED_S: Final = (1.5, 0.7)  # seconds from the start of a process to the end of its first search
COLD_S: Final = (10.0, 4.0)  # the same with an empty cache of compiled code
MEMORY_MB: Final = (300.0, 200.0)  # of a process in which each bot has searched each of its games
MB: Final = "memory of all house bots, MB"


class Racer(NamedTuple):
    """Who searches, and from where."""

    place: SearchPosition
    is_ours: bool

    def __str__(self) -> str:
        who = "ours" if self.is_ours else "OpenSpiel"
        return f"{self.place.game}, {self.place.name}, {who}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", action="append", help="only this game; may be given repeatedly")
    parser.add_argument("--rounds", type=int, default=5, help="the median counts (default 5)")
    parser.add_argument("--simulations", type=int, help="of each search, in all games")
    parser.add_argument("--alone", action="store_true", help="without OpenSpiel beside it")
    parser.add_argument("--brief", action="store_true", help="no threads, start and memory")


def measure(args: argparse.Namespace, folder: Path) -> Report:
    """Race, and then measure ours alone."""
    games, load = _asked(args), load_average()  # of others: before ours begins
    if not args.alone:
        openspiel.load()
    places = [place for place in PLACES if place.game in games]
    report = Report(tables=[races(places, args, folder)])
    if not args.brief:
        report.tables.append(_alone(games, places, args, folder))
    report.notes.append(f"{code_text(compiled.available())}, median of {args.rounds} rounds.")
    report.notes += busy_note(load, BUSY)
    report.notes += [f"OFF ITS TARGET: {what}" for what in missed(report.tables)]
    return report


def _asked(args: argparse.Namespace) -> list[str]:
    """The games to be measured."""
    if args.rounds < 1 or (args.simulations is not None and args.simulations < 1):
        raise BadPlan("rounds and simulations start at 1")
    for game in args.game or ():
        if game not in SIMULATIONS:
            raise BadPlan(f"there is no game {game!r}; there are {', '.join(SIMULATIONS)}")
    return [game for game in SIMULATIONS if game in (args.game or SIMULATIONS)]


def races(places: Sequence[SearchPosition], args: argparse.Namespace, folder: Path) -> FigureTable:
    """Measure every position in every round."""
    sides: dict[Racer, Callable[[Path], float]] = {}
    for place in places:
        if not args.alone:
            sides[Racer(place, False)] = partial(their_rate, place, args.simulations, count(1))
        sides[Racer(place, True)] = partial(our_rate, place, args.simulations, count(1))
    rounds = in_turns(sides, args.rounds, folder, lambda rate: f"{rate:,.0f} a second")
    title = "UCT, simulations a CPU second"
    table = FigureTable(title, ["ours", "OpenSpiel", "ratio", "goal"])
    for place in places:
        ours, theirs = ([r.get(Racer(place, who)) for r in rounds] for who in (True, False))
        times = [ratio(a, b) for a, b in zip(ours, theirs, strict=True)]
        table.rows[f"{place.game}, {place.name}"] = [
            spread(ours), spread(theirs), spread(times), _goal(TARGETS[place.game]),
        ]  # fmt: skip
    return table


def their_rate(
    place: SearchPosition, simulations: int | None, seeds: Iterable[int], _: Path
) -> float:
    """Simulations a CPU second of OpenSpiel."""
    n = simulations or SIMULATIONS[place.game]
    return n / OpenSpielSearch(place, EXPLORATION).search(n, seed=next(iter(seeds)))


def our_rate(
    place: SearchPosition, simulations: int | None, seeds: Iterable[int], _: Path
) -> float:
    """Simulations a CPU second of our UCT."""
    n, tree = simulations or SIMULATIONS[place.game], our_tree(place, next(iter(seeds)))
    position, stop = place.position(), compiled.ints(1)
    tree.think(position, min(n, 100), stop)  # compiled, and memory touched
    made, began = 0, time.process_time()
    while True:
        made += tree.think(position, n, stop)
        spent = time.process_time() - began
        if spent >= LEAST_S or (spent and not compiled.available()):
            return made / spent


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


def _alone(
    games: Sequence[str], places: Sequence[SearchPosition], args: argparse.Namespace, folder: Path
) -> FigureTable:
    """Threads, start and memory."""
    table = FigureTable("Threads, start, memory", ["measured", "goal"])
    for place in places:
        if place.name == "first":
            gains = threads(place, args.rounds, args.simulations)
            table.rows[f"two threads to one, {place.game}"] = [spread(gains), _goal(THREADS)]
    for game in games:
        run = partial(_bots, ["first", game], folder / f"cache-{game}")
        cold, *cached = [_seconds(run) for _ in range(1 + args.rounds)]
        table.rows[f"start, cached, s, {game}"] = [spread(cached), _goal(CACHED_S)]
        table.rows[f"start, cold, s, {game}"] = [cold, _goal(COLD_S)]
        progress(f"start: {game}")
    _bots(["all"], folder / "cache")  # compiling takes memory of its own, once on a machine
    kb = _bots(["all"], folder / "cache").kb
    table.rows[MB] = [None if kb is None else kb / 1024, _goal(MEMORY_MB)]
    return table


def threads(place: SearchPosition, rounds: int, simulations: int | None) -> list[float]:
    """Two threads, a tree each, to one: simulations in the same time."""
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
    return gains


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _bots(words: list[str], cache: Path) -> BotsReport:
    """What bench/search/house_bots.py says, with compiled code kept in the folder `cache`."""
    env = {k: v for k, v in os.environ.items() if k not in ("PLYHOUSE_BOTS", "PLYHOUSE_GAMES")}
    done = subprocess.run(
        [sys.executable, "-m", "bench.search.house_bots", *words],
        cwd=ROOT,
        env={**env, "XDG_CACHE_HOME": str(cache.resolve())},
        stdout=subprocess.PIPE,
        check=True,
    )
    return msgspec.json.decode(done.stdout, type=BotsReport)


def _goal(goal: tuple[float, float]) -> str:
    return f"{goal[0]:g}/{goal[1]:g}"


def missed(tables: Sequence[FigureTable]) -> list[str]:
    """What is worse than it has to be at least."""
    race, *alone = tables
    names = [
        name
        for name, (_, _, times, goal) in race.rows.items()
        if times is not None and median(times) < _least(goal)
    ]
    for name, (cell, goal) in (row for table in alone for row in table.rows.items()):
        if cell is not None:
            is_less, wanted = median(cell) < _least(goal), name.startswith("two threads")
            names += [name] if is_less == wanted and median(cell) != _least(goal) else []
    return names


def _least(goal: object) -> float:
    return float(str(goal).partition("/")[0])
