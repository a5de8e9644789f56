"""`plyhouse bench`: measures server and searches, or tries to make a server lose something."""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Final

import msgspec

from bench.attacks import attack
from bench.backgammon import backgammon
from bench.cluster import cluster
from bench.ladder import ladder
from bench.peers import peers
from bench.plug import plug
from bench.search import search
from bench.server import chaos, kill, prices, server
from bench.support.report import BadPlan, Missing, progress, show
from bots.outside.reaper import Reaper
from lab.arena.local_server import ServerFailed
from protocol.errors import PlyhouseError
from server.store.contract import StoreError

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
    (plug, "losses of power, thousands of them: is anything lost?"),
    (cluster, "servers and a database that are killed: is anything lost?"),
    (chaos, "matches through a bad network: one story by all?"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(metavar="WHAT", required=True, dest="what")
    for module, about in MEASUREMENTS:
        command = commands.add_parser(module.__name__.rpartition(".")[2], help=about)
        module.add_arguments(command)
        command.add_argument("--json", action="store_true", help="print the report as JSON")
        command.set_defaults(measure=module.measure)


def run(args: argparse.Namespace) -> int:
    """Run the measurement, in a folder that goes with it, and print its report.

    Returns:
        0; 1 if there are problems, 2 if it could not be measured.
    """
    folder = Path(tempfile.mkdtemp(prefix=f"plyhouse-{args.what}-"))
    reaper = Reaper(folder)
    try:
        report = args.measure(args, folder)
    except (
        BadPlan, Missing, ServerFailed, StoreError, PlyhouseError, OSError,
    ) as error:  # fmt: skip
        progress(f"plyhouse bench {args.what}: {str(error) or 'not done in time'}")
        return 2
    finally:
        reaper.dismiss()
        shutil.rmtree(folder, ignore_errors=True)
    if args.json:
        print(msgspec.json.encode(report).decode())
    else:
        show(report)
    return 1 if report.problems else 0
