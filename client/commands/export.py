"""`plyhouse export`: arguments in, an exit code out.

Exit codes: 0 it was written; 2 it cannot be: no such match, not over, not for us, no server, no
such format, or a format that this game does not have.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from client.commands.arguments import add_match, guarded, record_source
from client.errors import ClientError
from client.records import mat, record, sgf, text
from client.records.record import MatchRecord
from client.records.replay import Replay, replay_events
from client.records.source import unaltered


class UnknownFormat(ClientError):
    """There is no such format, or not for this game."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_match(parser)
    names = "json (default), text; of backgammon also sgf, mat"
    parser.add_argument("--format", default="json", help=names)
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it there; default: print")


def run(args: argparse.Namespace) -> int:
    return guarded(lambda: _export(args))


def _export(args: argparse.Namespace) -> int:
    write = FORMATS.get(args.format)
    if write is None:
        raise UnknownFormat(f"there is no format {args.format!r}; there are {', '.join(FORMATS)}")
    data = write(unaltered(record_source(args)))
    if args.out is None:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        args.out.write_bytes(data)
        print(f"wrote {args.out}, {len(data):,} bytes")
    return 0


def _as_text(match: MatchRecord) -> bytes:
    return text.write(replay_events(match.events)).encode()


def _of_backgammon(name: str, write: Callable[[Replay], str]) -> Callable[[MatchRecord], bytes]:
    """Return a format that only backgammon has."""

    def as_file(match: MatchRecord) -> bytes:
        replay = replay_events(match.events)
        if replay.game.name != "backgammon":
            raise UnknownFormat(
                f"{name} is for backgammon; {replay.game.name} goes into json or text"
            )
        return write(replay).encode()

    return as_file


FORMATS: dict[str, Callable[[MatchRecord], bytes]] = {
    "json": record.write,
    "text": _as_text,
    "sgf": _of_backgammon("sgf", sgf.write),
    "mat": _of_backgammon("mat", mat.write),
}
