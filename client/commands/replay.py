"""`plyhouse replay`: arguments in, an exit code out.

In a terminal one steps through the match, in a pipe every position is printed.
Exit codes: 0 it was shown; 2 it cannot be: no such match, not over, not for us, an altered file.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence

from client.commands.arguments import add_match, guarded, record_source, report_faults
from client.errors import ClientError
from client.records.source import replays, unaltered
from client.styled_text import text_of
from client.terminal.shown import replayed
from client.terminal.shown.interface import can_draw
from client.terminal.typed import terms
from protocol.records import text
from protocol.records.replay import Replay

_HELP = """\
  plyhouse replay 17.2                    a match of the server here
  plyhouse replay 17.2.json --seat second a file that `plyhouse export` wrote, seen from seat 1
  plyhouse replay 17.2 --moves            only the list of moves
  plyhouse replay club.mat                all games of a match that another program wrote

In a terminal: left and right step, + and - go ten plies, Home and End to the ends, Space plays by
itself, f turns the board, n and p go to the next and the previous game of a file, q quits."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _HELP
    add_match(parser)
    parser.add_argument("--moves", action="store_true", help="print the list of moves, no boards")
    parser.add_argument("--seat", default="first", help="seen from: first (default) or second")
    parser.add_argument(
        "--every",
        type=float,
        default=1.0,
        metavar="SECONDS",
        help="time between positions while it plays",
    )


def run(args: argparse.Namespace) -> int:
    return guarded(lambda: _replay(args))


def _replay(args: argparse.Namespace) -> int:
    seat = terms.parse_seat(args.seat)
    if not 0.01 <= args.every <= 3600:
        raise ClientError("--every takes 0.01 to 3600 seconds")
    asked = record_source(args)
    match = unaltered(asked)
    games = replays(asked, match)
    if args.moves:
        print("\n".join(map(text.write, games)), end="")
    elif can_draw():
        _walk(games, seat == 1, args.every)
    else:
        lines = (line for game in games for line in (*replayed.plain(game, seat == 1), ()))
        print("\n".join(text_of(line).rstrip() for line in lines).rstrip("\n"))
    return report_faults(args, match)


def _walk(games: Sequence[Replay], flip: bool, every: float) -> None:
    from client.terminal.shown.stepper import Stepper

    asyncio.run(Stepper(games, flip, every).run())
