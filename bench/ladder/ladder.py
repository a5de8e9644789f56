"""`plyhouse bench ladder`: how many matches a ladder of bots that move at once gets through.

The server is alone on one core where the system can pin it; every move is durable before it is
shown, as always.  The rates move with the machine and the hour: compare figures of one sitting.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

from bench.support.generator import MEASURES, Load, load_on, notes_of, problems_of
from bench.support.process import UNLIMITED, MeasuredServer, cores, raise_file_limit
from bench.support.report import BadPlan, Report, median
from bench.support.rounds import by_side, in_turns
from server.ladder.core import rating

TARGET: Final = 1_000  # matches a minute that twenty bots are to get through, on one core
A_MINUTE: Final = "matches a minute"
LADDER_MEASURES: Final[dict[str, Callable[[Load], float | None]]] = {
    A_MINUTE: lambda load: 60 * load.matches / load.seconds,
    **{name: of for name, of in MEASURES.items() if "bytes" not in name},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--bots", type=int, default=20, help="on the ladder (default 20)")
    parser.add_argument("--seconds", type=float, default=10.0, help="measured, each round")
    parser.add_argument("--rounds", type=int, default=3, help="each with a fresh server")
    parser.add_argument("--warm-up", type=float, default=1.0, help="seconds not counted")


def measure(args: argparse.Namespace, folder: Path) -> Report:
    """Let the bots loose on a server in each round."""
    if args.bots < 2:
        raise BadPlan("a ladder needs at least 2 bots")
    if args.rounds < 1 or not args.seconds > 0 or args.warm_up < 0:
        raise BadPlan("there is at least 1 round, of more than 0 seconds")
    if not rating.available():
        raise BadPlan("a ladder needs numpy for its ratings: install 'plyhouse[fast]'")
    raise_file_limit(args.bots + 200)
    words = ["--bots", args.bots, "--seconds", args.seconds, "--warm-up", args.warm_up]

    def ladder(data: Path) -> Load:
        server = MeasuredServer(data, UNLIMITED, core=cores()[0])
        return load_on(server, "bench.ladder.load", words)

    name = f"{args.bots} bots"
    rounds = in_turns({name: ladder}, args.rounds, folder, _told)
    title = f"Bots that move at once, {args.seconds:g} s a round"
    table = by_side(title, LADDER_MEASURES, rounds, {name: name})
    reached = median(table.rows[A_MINUTE][0]) >= TARGET
    loads = [each for results in rounds for each in results.items()]
    met = "Within the target" if reached else "MISSED the target"
    return Report(
        tables=[table],
        notes=[f"{met} of {TARGET:,} matches a minute.", *notes_of(loads)],
        problems=problems_of(loads),
    )


def _told(load: Load) -> str:
    return f"{60 * load.matches / load.seconds:,.0f} matches/min"
