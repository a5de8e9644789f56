"""`plyhouse bench`: measures server, rules and search, or tries to make a server lose something."""

from __future__ import annotations

import argparse
from types import ModuleType
from typing import Final

from bench.attacks import attack
from bench.backgammon import backgammon, cube, curve, efficiency, scores, series
from bench.capacity import capacity
from bench.cluster import cluster, forwarding, scaling, takeover
from bench.ladder import ladder
from bench.peers import peers
from bench.search import four, growth, rules, search, strength
from bench.server import (
    chaos,
    kill,
    lobby,
    memory,
    page,
    prices,
    restart,
    server,
    store,
)

# The module of a measurement has its name, and two functions: add_arguments and run.
MEASUREMENTS: Final[tuple[tuple[ModuleType, str], ...]] = (
    (server, "moves a second, latency, CPU and memory"),
    (store, "appends a second, in a file and in a PostgreSQL"),
    (peers, "ours beside Colyseus, boardgame.io and bare websockets"),
    (prices, "what each request costs the server, beside its price"),
    (capacity, "how many people this machine serves; what runs out first"),
    (restart, "a start over a house full of open matches"),
    (memory, "kB of a connection, by what its player does"),
    (page, "how soon the page is there; what spectators cost"),
    (lobby, "what the lobby costs while many follow it"),
    (ladder, "matches a minute on a ladder; its page and ratings"),
    (rules, "microseconds a move in each game's rules"),
    (search, "simulations a second beside OpenSpiel's"),
    (strength, "how well the bots play, with error bars"),
    (backgammon, "our net beside GNU Backgammon: points, time"),
    (cube, "backgammon's cube beside GNU Backgammon's use of it"),
    (efficiency, "how live the cube is, in games of our nets"),
    (scores, "the chances at each score beside published ones"),
    (series, "matches to points against GNU Backgammon, with the cube"),
    (curve, "how the nets of backgammon learnt; a plot"),
    (four, "connect four's solver beside the same in C++"),
    (growth, "how a search's time and memory grow; a plot"),
    (attack, "attacks by strangers, and a match beside them"),
    (kill, "kill -9 in the middle of matches: is anything lost?"),
    (cluster, "servers and a database that are killed: is anything lost?"),
    (forwarding, "a move whose room is on another server"),
    (scaling, "moves a second of several servers, beside one"),
    (takeover, "the rooms of a server that is killed, when there are many"),
    (chaos, "matches through a bad network: one story by all?"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the measurements; each has options of its own."""
    commands = parser.add_subparsers(metavar="WHAT", required=True)
    for module, about in MEASUREMENTS:
        command = commands.add_parser(module.__name__.rpartition(".")[2], help=about)
        module.add_arguments(command)
        command.set_defaults(measure=module.run)


def run(args: argparse.Namespace) -> int:
    """Run the measurement: its exit code."""
    code: int = args.measure(args)
    return code
