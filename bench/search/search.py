"""`plyhouse bench search`: our UCT beside OpenSpiel's C++ MCTSBot.

Both sides make the same number of simulations from the same position, with exploration 1.4, one
playout a leaf, a fresh tree, no proofs and no decisive moves; what counts is simulations a second
of CPU time.  Every round measures both, one right after the other.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Final, NamedTuple

from bench.search import openspiel
from bench.search.openspiel import PLACES, OpenSpielSearch, SearchPosition
from bench.support.report import (
    BadPlan,
    FigureTable,
    Report,
    busy_note,
    code_text,
    load_average,
    median,
    spread,
)
from bench.support.rounds import in_turns, ratio
from bots.engine import compiled
from bots.engine.tree import Tree
from games import registry

EXPLORATION: Final = 1.4
MEGABYTES: Final = 256  # of our tree: more than any search here fills
PLAIN_MEGABYTES: Final = 8
BUSY: Final = 0.5  # of the load at the beginning
MIN_S: Final = 0.3  # CPU seconds that ours is measured for in each round, however fast it is

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


def measure(args: argparse.Namespace, folder: Path) -> Report:
    """Race."""
    games, load = _asked(args), load_average()  # of others: before ours begins
    if not args.alone:
        openspiel.load()
    places = [place for place in PLACES if place.game in games]
    table = races(places, args, folder)
    return Report(
        tables=[table],
        notes=[
            f"{code_text(compiled.available())}, median of {args.rounds} rounds.",
            *busy_note(load, BUSY),
            *(f"OFF ITS TARGET: {what}" for what in missed(table)),
        ],
    )


def _asked(args: argparse.Namespace) -> list[str]:
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
    n = simulations or SIMULATIONS[place.game]
    return n / OpenSpielSearch(place, EXPLORATION).search(n, seed=next(iter(seeds)))


def our_rate(
    place: SearchPosition, simulations: int | None, seeds: Iterable[int], _: Path
) -> float:
    n, tree = simulations or SIMULATIONS[place.game], our_tree(place, next(iter(seeds)))
    position, stop = place.position(), compiled.ints(1)
    tree.think(position, min(n, 100), stop)  # compiled, and memory touched
    made, began = 0, time.process_time()
    while True:
        made += tree.think(position, n, stop)
        spent = time.process_time() - began
        if spent >= MIN_S or (spent and not compiled.available()):
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


def _goal(goal: tuple[float, float]) -> str:
    return f"{goal[0]:g}/{goal[1]:g}"


def missed(table: FigureTable) -> list[str]:
    return [
        name
        for name, (_, _, times, goal) in table.rows.items()
        if times is not None and median(times) < float(str(goal).partition("/")[0])
    ]
