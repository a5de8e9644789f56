"""`plyhouse bench ladder`: how many matches a ladder gets through, what followers and ratings cost.

    play     twenty bots that move at once, on a server that is alone on one core where the system
             can pin it; every move is durable before it is shown, as always
    page     the same with and without followers of the standings, in turns
    rating   the fit of a long ladder, as the server's rating thread does it

The absolute rates move with the machine and the hour: compare figures of one sitting only.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

from bench.support.generator import MEASURES, Load, load_on, notes_of, problems_of
from bench.support.process import UNLIMITED, MeasuredServer, cores, raise_file_limit
from bench.support.report import BadPlan, Report, median, spread, text
from bench.support.rounds import by_side, in_turns, ratios
from server.ladder.core import rating

PARTS: Final = ("play", "page", "rating")
TARGET: Final = 1_000  # matches a minute that twenty bots are to get through, on one core
RATED_IN: Final = 2.0  # seconds in which RATED pairs of PLAYERS are to be rated
PLAYERS, RATED = 200, 100_000
STRONG: Final = 250.0  # Elo: how far the players of the rating part are apart
DRAWN: Final = 0.2  # ... and the share of their matches that is drawn, if they are near enough
FITS: Final = 5  # of which the median counts: one takes a tenth of a second

A_MINUTE: Final = "matches a minute"
LADDER_MEASURES: Final[dict[str, Callable[[Load], float | None]]] = {
    A_MINUTE: lambda load: 60 * load.matches / load.seconds,
    **{name: of for name, of in MEASURES.items() if "bytes" not in name},
    "standings a second to all followers": lambda load: load.standings / load.seconds,
    "bytes of a standing": lambda load: load.bytes / max(1, load.standings),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--part", choices=PARTS, action="append", help="default: all")
    parser.add_argument("--bots", type=int, default=20, help="on the ladder (default 20)")
    parser.add_argument("--followers", type=int, default=20, help="of part page (default 20)")
    parser.add_argument("--seconds", type=float, default=10.0, help="measured, each run")
    parser.add_argument("--rounds", type=int, default=3, help="each with fresh servers")
    parser.add_argument("--warm-up", type=float, default=1.0, help="seconds not counted")
    parser.add_argument("--pairs", type=int, default=RATED, help="rated by part rating")


def measure(args: argparse.Namespace, folder: Path) -> Report:
    """Run what was asked for."""
    if args.bots < 2:
        raise BadPlan("a ladder needs at least 2 bots")
    if args.rounds < 1 or not args.seconds > 0 or args.warm_up < 0:
        raise BadPlan("there is at least 1 round, of more than 0 seconds")
    if args.followers < 1 or args.pairs < 1:
        raise BadPlan("there is at least 1 follower, and 1 pair to rate")
    if not rating.available():
        raise BadPlan("a ladder needs numpy for its ratings: install 'plyhouse[fast]'")
    raise_file_limit(args.bots + args.followers + 200)
    parts, report = args.part or PARTS, Report()
    if "play" in parts or "page" in parts:
        followers = (0, args.followers) if "page" in parts else (0,)
        sides = {count: partial(one_run, args, count) for count in followers}
        rounds = in_turns(sides, args.rounds, folder, _told)
        _add_rounds(report, args, rounds)
    if "rating" in parts:
        report.notes += rate(PLAYERS, args.pairs, FITS)
    return report


def one_run(args: argparse.Namespace, followers: int, data: Path) -> Load:
    words = ["--bots", args.bots, "--followers", followers]
    words += ["--seconds", args.seconds, "--warm-up", args.warm_up]
    return load_on(MeasuredServer(data, UNLIMITED, core=cores()[0]), "bench.ladder.load", words)


def _told(load: Load) -> str:
    return f"{LADDER_MEASURES[A_MINUTE](load):,.0f} matches/min"


def _add_rounds(report: Report, args: argparse.Namespace, rounds: list[dict[int, Load]]) -> None:
    """Put into a report what came of the runs, by how many followed."""
    title = f"{args.bots} bots that move at once, {args.seconds:g} s a run"
    columns = {f"{count} follow" if count else "alone": count for count in rounds[0]}
    report.tables.append(by_side(title, LADDER_MEASURES, rounds, columns))
    if len(columns) > 1:
        followed = {name: (count, 0) for name, count in columns.items() if count}
        title = "With followers to without"
        report.tables.append(ratios(title, LADDER_MEASURES, rounds, followed))
    alone = median(report.tables[0].row(A_MINUTE)["alone"])
    report.notes.append(f"{_met(alone >= TARGET)} of {TARGET:,} matches a minute.")
    loads = [(f"{n} followers", load) for each in rounds for n, load in each.items()]
    report.notes += notes_of(loads)
    report.problems += problems_of(loads)


def rate(players: int, pairs: int, rounds: int, seed: int = 1) -> list[str]:
    """Fit the same simulated ladder several times; the first fit also loads what it needs."""
    from server.ladder.core import fitting  # which needs numpy

    truth, played = simulated(players, pairs, seed)
    took: list[float] = []
    for number in range(rounds + 1):
        began = time.perf_counter()
        fit = fitting.fit(players, played, 0)
        if number:
            took.append(time.perf_counter() - began)
    wrong = [e - strength for e, strength in zip(fit.elo, truth, strict=True) if e is not None]
    return [
        f"Rating {pairs:,} pairs of {players} bots: {text(spread(took))} s;"
        f" off by {statistics.pstdev(wrong):.1f} Elo."
        f" {_met(statistics.median(took) <= RATED_IN)} of {RATED_IN:g} s for {RATED:,}."
    ]


def simulated(players: int, pairs: int, seed: int) -> tuple[list[float], rating.Pairs]:
    """Strengths in Elo, and pairs of players that are drawn at random and play as these say."""
    draw = random.Random(seed)
    truth = [draw.gauss(0.0, STRONG) for _ in range(players)]
    met = [draw.sample(range(players), 2) for _ in range(pairs)]

    def score(one: int, two: int) -> float:
        points = rating.expected(truth[one] - truth[two])
        drawn = min(DRAWN, 2 * points, 2 - 2 * points)  # so that `points` stays what is expected
        luck = draw.random() - points
        return 1.0 if luck < -drawn / 2 else 0.5 if luck < drawn / 2 else 0.0

    first = [score(one, two) for one, two in met]
    second = [score(one, two) for one, two in met]
    return truth, rating.Pairs([m[0] for m in met], [m[1] for m in met], first, second)


def _met(good: bool) -> str:
    return "Within the target" if good else "MISSED the target"
