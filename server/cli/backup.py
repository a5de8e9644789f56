"""`plyhouse backup`: copies a house into one file, also while its server runs."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from protocol.files import folders
from server.store.contract import StoreError
from server.store.copying import backup
from server.store.sqlite.checking import Contents


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse backup`."""
    parser.add_argument("file", type=Path, help="the file to make; `plyhouse restore` reads it")
    parser.add_argument("--data", type=folders.named, default=None, help="folder of the database")
    parser.add_argument(
        "--database", metavar="URL", help="the PostgreSQL that keeps the log, if one does"
    )


def run(args: argparse.Namespace) -> int:
    """Copy, check and say what there is; 1 if it went wrong."""
    try:
        contents = backup(args.data or folders.data(), args.database, args.file)
    except StoreError as error:
        print(f"plyhouse: no backup was made: {error}", file=sys.stderr)
        return 1
    print(f"{args.file}: {summary(contents)}")
    return 0


def summary(contents: Contents) -> str:
    """Return what a copy holds, in words."""
    _, events, rooms, names = contents
    return f"events: {events:,}, rooms and ladders: {rooms:,}, names: {names:,}; all of it checked"
