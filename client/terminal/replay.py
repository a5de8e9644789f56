"""`plyhouse replay`: arguments in, an exit code out.

In a terminal one steps through the match, in a pipe every position is printed.
Exit codes as `plyhouse verify` has them, but that a file which was altered is asked wrongly, too.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys

from client.records import app, text
from client.records.story import Story, tell
from client.terminal import retold, terms
from client.terminal.lines import text_of
from client.terminal.terms import BadTerm

_HELP = """\
  plyhouse replay 17.2                    a match of the server here
  plyhouse replay 17.2.json --seat second a file that `plyhouse export` wrote, seen from seat 1
  plyhouse replay 17.2 --moves            only the list of moves

In a terminal: left and right step, + and - go ten plies, Home and End to the ends, Space plays by
itself, f turns the board, q quits."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse replay`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _HELP
    app.add_match(parser)
    parser.add_argument("--moves", action="store_true", help="print the list of moves, no boards")
    parser.add_argument("--seat", default="first", help="seen from: first (default) or second")
    parser.add_argument(
        "--every", type=float, default=1.0, metavar="SECONDS", help="a position while it plays"
    )


def run(args: argparse.Namespace) -> int:
    """Replay: the exit code."""
    return app.guarded(lambda: _replay(args))


def _replay(args: argparse.Namespace) -> int:
    seat = terms.parse_seat(args.seat)
    if not 0.01 <= args.every <= 3600:
        raise BadTerm("--every takes 0.01 to 3600 seconds")
    story = tell(app.record_of(args).events)
    if args.moves:
        print(text.write(story), end="")
    elif _at_a_terminal():
        _walk(story, seat == 1, args.every)
    else:
        for shown in retold.plain(story, seat == 1):
            print(text_of(shown).rstrip())
    return 0


def _at_a_terminal() -> bool:
    both = sys.stdin.isatty() and sys.stdout.isatty()
    return both and os.environ.get("TERM") not in (None, "", "dumb")


def _walk(story: Story, flip: bool, every: float) -> None:
    from client.terminal.stepper import Stepper

    asyncio.run(Stepper(story, flip, every).run())
