"""`plyhouse export`: arguments in, an exit code out.

Exit codes: 0 it was written; 2 it cannot be: no such match, not over, not for us, no server, no
such format, or a format that this game does not have.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from client.commands.arguments import add_match, guarded, record_source
from client.records.source import unaltered_games
from protocol.records import formats


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_match(parser)
    names = "json (default), text; of backgammon also sgf, mat"
    parser.add_argument("--format", default="json", help=names)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it there; default: print")


def run(args: argparse.Namespace) -> int:
    return guarded(lambda: _export(args))


def _export(args: argparse.Namespace) -> int:
    if args.format not in formats.FORMATS:  # which is told before a server is asked
        raise formats.UnknownFormat(formats.no_such(args.format))
    *before, match = unaltered_games(record_source(args))
    data = formats.write(match, args.format, before)
    if args.out is None:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        args.out.write_bytes(data)
        print(f"wrote {args.out}, {len(data):,} bytes")
    return 0
