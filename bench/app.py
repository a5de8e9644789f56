"""`plyhouse bench`: measures server and searches, or tries to make a server lose something."""

from __future__ import annotations

import argparse
from types import ModuleType
from typing import Final

from bench.attacks import attack
from bench.backgammon import backgammon
from bench.cluster import cluster
from bench.ladder import ladder
from bench.peers import peers
from bench.search import search
from bench.server import chaos, kill, prices, server
from bench.support import runner

# The module of a measurement has its name, and two functions: add_arguments and measure.
MEASUREMENTS: Final[tuple[tuple[ModuleType, str], ...]] = (
    (server, "moves a second, latency, CPU and memory"),
    (peers, "ours beside Colyseus and bare websockets"),
    (prices, "what each request costs the server, beside its price"),
    (ladder, "matches a minute on a ladder"),
    (search, "simulations a second beside OpenSpiel's"),
    (backgammon, "our net beside GNU Backgammon, in points a game"),
    (attack, "attacks by strangers, and a match beside them"),
    (kill, "kill -9 in the middle of matches: is anything lost?"),
    (cluster, "servers and a database that are killed: is anything lost?"),
    (chaos, "matches through a bad network: one story by all?"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the measurements; each has options of its own."""
    commands = parser.add_subparsers(metavar="WHAT", required=True, dest="what")
    for module, about in MEASUREMENTS:
        command = commands.add_parser(module.__name__.rpartition(".")[2], help=about)
        module.add_arguments(command)
        command.add_argument("--json", action="store_true", help="print the report as JSON")
        command.set_defaults(measure=module.measure)


def run(args: argparse.Namespace) -> int:
    return runner.run(args.what, args.measure, args)
