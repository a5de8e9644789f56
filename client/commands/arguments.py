"""The arguments that several commands share, and how they say what cannot be done."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable

from client.errors import ClientError, Unreachable
from client.records.source import RecordSource
from client.styled_text import clean
from protocol.errors import Refusal
from protocol.notation import BadNotation
from protocol.reading.files import ReadMatch
from protocol.records.record import RecordError

NAME_HELP = "your name there (default: the first that you had there, or your login)"


def add_server(
    parser: argparse.ArgumentParser, title: str = "who and where"
) -> argparse._ArgumentGroup:
    """Add `--name`, `--url` and `--ca`."""
    group = parser.add_argument_group(title)
    group.add_argument("--name", help=NAME_HELP)
    group.add_argument(
        "--url",
        help="the server's address (default: PLYHOUSE_URL, or the one on this machine or network)",
    )
    parser.set_defaults(finds_server=True)
    group.add_argument(
        "--ca",
        metavar="FILE",
        action=_TrustFile,
        help="certificates to trust besides the system's (default: PLYHOUSE_CA)",
    )
    return group


class _TrustFile(argparse.Action):
    """Sets PLYHOUSE_CA: one file for all connections of this process."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        os.environ["PLYHOUSE_CA"] = str(values)


def add_person(parser: argparse.ArgumentParser) -> None:
    """Add the server, `--link` and `--encoding`."""
    group = add_server(parser)
    group.add_argument(
        "--link", metavar="CODE", help="use a name here, too: the code of /link, or of /recovery"
    )
    group.add_argument(
        "--encoding", choices=("msgpack", "json"), default="msgpack", help="on the wire"
    )


def add_match(parser: argparse.ArgumentParser) -> None:
    """Add the match, its code, and the server that has it."""
    parser.add_argument(
        "match",
        metavar="MATCH",
        help="such as 17.2; a file that export wrote, or of backgammon any program (.mat, .sgf);"
        " or DIR/17.2 in a ladder's report",
    )
    parser.add_argument("--code", help="of a private room, if you have not played there")
    add_server(parser, "who and where (not for a file)")


def report_faults(args: argparse.Namespace, match: ReadMatch) -> int:
    """Say on stderr what a file says otherwise than the rules, and where it stops to make sense.

    Returns:
        0, or 1 if it was read in part only.
    """
    for remark in match.remarks:
        complain(f"{args.match}, {remark}")
    if match.fault is None:
        return 0
    return complain(f"{args.match}, {match.fault}; what stands above it was read", code=1)


def record_source(args: argparse.Namespace) -> RecordSource:
    return RecordSource(args.match, args.url, args.name, args.code)


def guarded(work: Callable[[], int]) -> int:
    """Run `work`, and return its exit code; 2 and a sentence on stderr if it cannot be done."""
    try:
        return work()
    except Unreachable as error:
        hint = "; `plyhouse up` starts one" if error.code == "client/unreachable" else ""
        return complain(error.text + hint)
    except Refusal as error:
        return complain(error.text)
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        return complain(f"{where}{error.strerror or error}")
    except (ClientError, RecordError, BadNotation) as error:
        return complain(str(error))


def complain(text: str, code: int = 2) -> int:
    """Print a sentence on stderr, and return the exit code."""
    print(f"plyhouse: {clean(text)}", file=sys.stderr)
    return code
