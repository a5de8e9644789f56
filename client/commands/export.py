"""`plyhouse export`: arguments in, an exit code out.

Exit codes: 0 it was written; 2 it cannot be: no such match, not over, not for us, no server, no
such format, a format that this game does not have or that the file's ending contradicts, or the
file is the record itself.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from client.commands.arguments import add_match, guarded, record_source, report_faults
from client.errors import ClientError
from client.records.source import games_meant, unaltered
from protocol.files import whole_file
from protocol.records import formats, mat
from protocol.records.plain_text import clean, clean_json
from protocol.records.replay import replay_events

ENDINGS: Final = {".json": "json", ".txt": "text", ".sgf": "sgf", ".mat": "mat"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_match(parser)
    names = "json, text; of backgammon also sgf, mat; default: by the ending of FILE, else json"
    parser.add_argument("--format", type=str.lower, help=names)
    parser.add_argument(
        "--series",
        action="store_true",
        help="of a match to points, all games up to this one, also in JSON and text",
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it there; default: print")


def run(args: argparse.Namespace) -> int:
    return guarded(lambda: _export(args))


def _export(args: argparse.Namespace) -> int:
    if args.out is not None and _is_same(args.out, Path(args.match)):
        raise ClientError(f"{args.out} is the record that is read; name another file with --out")
    name = _format(args.format, args.out)  # which is told before a server is asked
    asked = record_source(args)
    found = unaltered(asked)
    *before, match = found.games
    whole = len(games_meant(asked, found, args.series)) > 1
    data = formats.write(match, name, before, whole=whole)
    if name == "mat" and (
        warning := mat.unsaid([replay_events(each.events) for each in (*before, match)])
    ):
        print(f"plyhouse: {warning}", file=sys.stderr)
    if args.out is None:
        if sys.stdout.isatty():  # a stranger's text is in it; files and pipes get the bytes
            data = _for_terminal(data.decode(), name).encode()
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        whole_file.write(args.out, data)
        print(f"wrote {args.out}, {len(data):,} bytes")
    return report_faults(args, found)


def _for_terminal(text: str, name: str) -> str:
    """Return what can be shown of a file in this format without harm."""
    return clean_json(text) if name == "json" else "\n".join(map(clean, text.split("\n")))


def _format(named: str | None, out: Path | None) -> str:
    """Return the format that is asked for, by name or by the ending of a file.

    Raises:
        UnknownFormat: there is no such one.
        ClientError: the two contradict each other.
    """
    meant = ENDINGS.get(out.suffix.lower()) if out is not None else None
    if named is not None and named not in formats.FORMATS:
        raise formats.UnknownFormat(formats.no_such(named))
    if named is not None and meant is not None and named != meant:
        raise ClientError(f"{out} would hold {named}, but its ending says {meant}: leave one out")
    return named or meant or "json"


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)
