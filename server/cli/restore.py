"""`plyhouse restore`: makes a house what a backup holds."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from protocol.files import folders
from server.cli.backup import summary
from server.store.contract import StoreError
from server.store.copying import restore


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse restore`."""
    parser.add_argument("file", type=Path, help="a backup, or what is left of a database")
    parser.add_argument(
        "--data",
        type=folders.named,
        default=None,
        help="folder of the database, which no server may use",
    )
    parser.add_argument(
        "--database", metavar="URL", help="an empty database of PostgreSQL, in place of the folder"
    )
    parser.add_argument(
        "--leave-out-damaged",
        action="store_true",
        help="restore what is sound of a file that is damaged",
    )


def run(args: argparse.Namespace) -> int:
    """Restore, and say what there is now; 1 if nothing was changed, as it went wrong."""
    folder = args.data or folders.data()
    if args.database is not None and args.leave_out_damaged:
        print(
            "plyhouse: --leave-out-damaged restores to a folder; restore from there",
            file=sys.stderr,
        )
        return 2
    try:
        contents, left_out, before, second = restore(
            args.file, folder, args.database, args.leave_out_damaged
        )
    except StoreError as error:
        print(f"plyhouse: nothing was restored: {error}", file=sys.stderr)
        return 1
    where = "the database" if args.database is not None else folder
    print(f"{where}: {summary(contents)}")
    if left_out:
        print(f"{left_out} damaged rows, or tables from a damaged page on, were left out")
    if second:
        print(f"{second} events of a second server that wrote here at the same time were left out")
    if before is not None:
        print(f"what was there is in {before} now")
    return 0
