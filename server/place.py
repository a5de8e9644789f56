"""Where a house is: in a folder of this machine, in a database, on one server or several."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from server.admin.service import AdminService
from server.rooms.wall_clock import WrongClock
from server.services.loading import Loading
from server.store import files
from server.store.contract import Store, StoreError
from server.store.driver import check_driver

if TYPE_CHECKING:
    from server.cluster.entry import ClusterEntry
    from server.cluster.lines import LineAddress

log = logging.getLogger("plyhouse")
EXIT_RESTART: Final = 75  # not of the process: start the server once more
RESTART_S: Final = 1.0  # before that, so that a database which fails at once is not stormed
ANYWHERE: Final = ("0.0.0.0", "[::]", "*")  # where one listens; no server can be reached there


class HousePlace(NamedTuple):
    """The folder of a house's files, and the URL of its database if it has one.

    `url`: where clients reach this server, if it is one of several; `line`: where it listens for
    these; `line_at`: where they reach it, if not there; `secret`: the file with what all of them
    know.
    """

    data: Path
    database: str | None = None
    url: str | None = None
    line: str = "127.0.0.1:0"
    secret: Path | None = None
    line_at: str | None = None


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `plyhouse serve` about several servers on one database."""
    parser.add_argument(
        "--advertise",
        metavar="HOST:PORT",
        help="be one of several servers on the database; clients reach this one here",
    )
    parser.add_argument(
        "--line",
        metavar="HOST:PORT",
        default=HousePlace(Path()).line,
        help="where the other servers reach this one (default: on this machine, any free port)",
    )
    parser.add_argument(
        "--line-at",
        metavar="HOST:PORT",
        help="where they do so instead, if --line is reached there only within, as in a container",
    )
    parser.add_argument(
        "--secret",
        type=Path,
        metavar="FILE",
        help="what all these servers know (default: cluster.secret in the data folder)",
    )


def place_of(args: argparse.Namespace, data: Path, secure: bool) -> HousePlace:
    """Return the place that the options say.  `secure`: clients come by TLS.

    Raises:
        StoreError: it is none, with a sentence that says why.
    """
    if args.advertise is None:
        return HousePlace(data, args.database)
    return HousePlace(
        data, args.database, advertised(args.advertise, secure), args.line, args.secret,
        args.line_at,
    )  # fmt: skip


def advertised(text: str, secure: bool) -> str:
    """Return the URL of HOST:PORT, where clients reach a server.

    Raises:
        StoreError: it is none, or no address that anybody can reach.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) <= 65_535:
        raise StoreError(f"{text!r} is no address to advertise: it is HOST:PORT, as others see it")
    if host in ANYWHERE:
        raise StoreError(f"{text} is where a server listens; say by which address others reach it")
    return f"{'wss' if secure else 'ws'}://{text}/ws"


def entry_of(place: HousePlace) -> ClusterEntry | None:
    """Return a server's entry into its cluster, None if it is alone.

    Raises:
        StoreError: it cannot enter.
    """
    if place.url is None:
        return None
    if place.database is None:
        raise StoreError("--advertise goes with --database: several servers share one database")
    check_driver()
    from server.cluster import entry
    from server.cluster.line.handshake import SECRET_FILE

    files.make_folder(place.data)
    secret = place.secret or place.data / SECRET_FILE
    line = entry.parse_line(place.line)
    reached = entry.parse_line(place.line_at) if place.line_at is not None else None
    check_reached(reached or line)
    where = entry.ClusterPlace(place.url, line, secret, reached)
    return entry.ClusterEntry(where, place.database)


def check_reached(line: LineAddress) -> None:
    """See that other servers can reach a line here.

    Raises:
        StoreError: they cannot.
    """
    if line.host in ANYWHERE or f"[{line.host}]" in ANYWHERE:
        raise StoreError(f"{line} is where a line listens; say by --line-at where others reach it")


def membership(
    entry: ClusterEntry | None,
    loading: Loading,
    store: Store,
    admin: AdminService,
    stop: Callable[[], None],
) -> contextlib.AbstractAsyncContextManager[None]:
    """Return the time in which a server is one of several, if it is."""
    if entry is None:
        return contextlib.nullcontext()
    return entry.join(loading, store, admin, stop)


def run_to_the_end(
    serve: Callable[[], Coroutine[Any, Any, int]], is_over: Callable[[], bool]
) -> int:
    """Serve; a server comes back, as if it was started anew, that others have taken over from, that
    has handed over to them what it had, or whose database has gone back.

    `is_over`: whether its host wants it to end.

    Returns:
        The exit code.
    """
    code = asyncio.run(serve())
    while code == EXIT_RESTART and not is_over():
        log.warning("this server begins anew")
        try:
            code = asyncio.run(serve())
        except (StoreError, WrongClock) as error:  # in a failover even a standby answers
            if is_over():
                log.warning("%s", error)
            else:
                log.warning("%s; trying again", error)
                time.sleep(RESTART_S)
    return 0 if code == EXIT_RESTART else code
