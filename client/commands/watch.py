"""`plyhouse watch`: arguments in, an exit code out; exit codes as `plyhouse play` has them."""

from __future__ import annotations

import argparse

from client.commands.arguments import add_person, guarded
from client.terminal import visit
from client.terminal.typed import terms
from client.terminal.typed.commands import WatchRoom


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("room", metavar="ROOM", help="a room (17), a match (17.2), or a code")
    add_person(parser)


def run(args: argparse.Namespace) -> int:
    return guarded(lambda: visit.visit(args, WatchRoom(terms.parse_place(args.room))))
