"""`plyhouse doctor`: says what of Plyhouse works on this machine, and what to do about the rest."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import platform
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from games import registry
from games.own_files import NoFolder
from protocol.messages import DEFAULT_PORT
from server.app import default_data
from server.store import ENGINE, open_store
from server.store.contract import StoreError

EXTRAS = {
    "numba": "fast bots (extra `fast`)",
    "zeroconf": "servers found by name on a network (extra `lan`)",
}


class Finding(NamedTuple):
    """A row of the report: `ok`, `note` (works in part) or `bad` (does not work)."""

    state: str
    what: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=Path, default=None, help="folder of the database")
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port the server would use")


def run(args: argparse.Namespace) -> int:
    """Look at everything and print the findings; return 1 if any is bad."""
    findings = [
        *_python(),
        *_games(),
        *_database(args.data or default_data()),
        *_port(args.port),
        *_extras(importlib.util.find_spec),
    ]
    for finding in findings:
        print(f"{finding.state:5} {finding.what}")
    return 1 if any(finding.state == "bad" for finding in findings) else 0


def _python() -> Iterator[Finding]:
    yield Finding("ok", f"Python {platform.python_version()} on {platform.system()}")
    yield Finding("ok", ENGINE)
    if sys.platform == "win32":
        yield Finding("note", "on Windows only Ctrl-C was tested: it ends a server")


def _games() -> Iterator[Finding]:
    try:
        yield Finding("ok", f"games: {', '.join(registry.names())}")
    except NoFolder as error:
        yield Finding("bad", f"games: {error}")
        return
    for name, why in registry.broken().items():
        yield Finding("bad", f"games: {name!r} is left out: {why}")


def _database(folder: Path) -> Iterator[Finding]:
    if not folder.exists():
        with tempfile.TemporaryDirectory() as scratch:
            open_store(Path(scratch)).close()
        yield Finding("ok", f"database: none yet; it will be made in {folder}")
        return
    try:
        with contextlib.closing(open_store(folder)) as store:
            rooms = len(store.open_rooms())
    except StoreError as error:
        yield Finding("bad", f"database: {error}")
        return
    yield Finding("ok", f"database: {folder}, {rooms} open rooms")


def _port(port: int) -> Iterator[Finding]:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OverflowError:
            yield Finding("bad", f"port {port}: there is none; ports go from 0 to 65535")
            return
        except OSError as error:
            yield Finding("note", f"port {port}: {error.strerror}; perhaps a server is running")
            return
    yield Finding("ok", f"port {port} is free")


def _extras(find: Callable[[str], object | None]) -> Iterator[Finding]:
    for module, what in EXTRAS.items():
        if find(module) is None:
            yield Finding("note", f"without {module}: no {what}")
        else:
            yield Finding("ok", f"{module}: {what}")
