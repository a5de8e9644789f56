"""`plyhouse doctor`: says what of Plyhouse works on this machine, and what to do about the rest."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import platform
import socket
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from games import registry
from games.own_files import NoFolder
from protocol.files import folders, running
from protocol.files.folders import NoHome
from protocol.messages import DEFAULT_PORT
from server.store import ENGINE, open_store
from server.store.contract import StoreError, StoreInUse
from server.store.copying import look

Kind: TypeAlias = Literal["alive", "ready"]
TIMEOUT_S: Final = 4.0  # for one answer: a disk that fails may take a while
RETRY_S: Final = 0.2
DIRECT: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # it is this machine
EXTRAS = {
    "numba": "fast bots (extra `fast`)",
    "asyncpg": "log in a PostgreSQL (extra `postgres`)",
    "zeroconf": "servers found by name on a network (extra `lan`)",
}


class Finding(NamedTuple):
    """A row of the report: `ok`, `note` (works in part) or `bad` (does not work)."""

    state: str
    what: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--data", type=folders.named, default=None, help="folder of the database")
    parser.add_argument(
        "--database", metavar="URL", help="the PostgreSQL that keeps the log, if one does"
    )
    parser.add_argument(
        "--port", type=int, help=f"port the server uses, or would use (default: {DEFAULT_PORT})"
    )
    parser.add_argument(
        "--ask",
        choices=("alive", "ready"),
        help="only ask the server that runs here: does it live, may new players come?",
    )
    parser.add_argument(
        "--wait", type=float, default=0.0, metavar="SECONDS", help="with --ask: until it is so"
    )


def run(args: argparse.Namespace) -> int:
    """Look at everything and print the findings; return 1 if any is bad."""
    if args.ask is not None:
        findings = list(_asked(args.port, args.ask, args.wait))
    else:
        port = DEFAULT_PORT if args.port is None else args.port
        servers = list(_servers(port))
        findings = [
            *_python(),
            *_games(),
            *(_postgres(args.database) if args.database else _database(args.data, bool(servers))),
            *_port(port),
            *servers,
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


def _database(named: Path | None, served: bool) -> Iterator[Finding]:
    try:
        folder = named or folders.data()
    except NoHome as error:
        yield Finding("bad", f"database: there is no folder for it: {error.strerror}")
        return
    if not folder.exists():
        with tempfile.TemporaryDirectory() as scratch:
            open_store(Path(scratch)).close()
        yield Finding("ok", f"database: none yet; it will be made in {folder}")
        return
    try:
        with contextlib.closing(open_store(folder)) as store:
            rooms = len(store.open_rooms())
    except StoreInUse as error:
        alive = Finding("ok", f"database: {folder}, which a server is using")
        yield alive if served else Finding("bad", f"database: {error}")
        return
    except StoreError as error:
        yield Finding("bad", f"database: {error}")
        return
    yield Finding("ok", f"database: {folder}, {rooms} open rooms")


def _postgres(url: str) -> Iterator[Finding]:
    try:
        engine, contents, rooms, nodes, missing = look(url)
    except StoreError as error:
        yield Finding("bad", f"database: {error}")
        return
    yield Finding("ok", f"PostgreSQL {engine.version}")
    if contents is None:
        yield Finding("ok", "database: no house yet; the first server makes one")
    else:
        used = "a server is using it" if nodes else "no server is using it"
        yield Finding("ok", f"database: {rooms} open rooms, every row is what was stored; {used}")
    if missing:
        events, (first, _) = sum(count for _, count in missing), missing[0]
        text = f"database: {events} events are missing in {len(missing)} rooms, first in {first}"
        yield Finding("bad", f"{text}: a match that lacks some is void; put back a backup")
    if engine.fsync == "off":
        yield Finding("bad", "fsync is off: what is stored is lost when its machine loses power")
    if engine.standbys and engine.synchronous_commit in ("off", "local"):
        text = "its standby may lack what players were shown: see docs/postgresql.md"
        yield Finding("note", text)
    elif not engine.standbys:
        yield Finding("note", "no synchronous standby: what is stored is on one machine's disk")


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


def _servers(port: int) -> Iterator[Finding]:
    """Tell of the servers that run here; what else may use a port is told of already."""
    for url in dict.fromkeys([*running.urls(), *addresses(port)]):
        answer = ask(url, "ready")
        if answer.ok:
            yield Finding("ok", f"server at {url}: alive and ready")
        elif answer.ok is not None:
            yield Finding("note", f"server at {url}: alive, not ready: {answer.why}")


def _asked(port: int | None, kind: Kind, wait_s: float) -> Iterator[Finding]:
    """Tell whether all servers that run here are alive, or ready."""
    for answer in wait_for(lambda: addresses(port), kind, wait_s):
        why = f": {answer.why}" if answer.why else ""
        state, word = ("ok", kind) if answer.ok else ("bad", f"not {kind}{why}")
        yield Finding(state, f"server at {answer.url}: {word}")


def _extras(find: Callable[[str], object | None]) -> Iterator[Finding]:
    for module, what in EXTRAS.items():
        if find(module) is None:
            yield Finding("note", f"without {module}: no {what}")
        else:
            yield Finding("ok", f"{module}: {what}")


class HealthAnswer(NamedTuple):
    """What a server says of itself.  `ok`: None if what answers, if anything, is none of ours."""

    url: str
    ok: bool | None
    why: str = ""


def addresses(port: int | None) -> list[str]:
    """Return where servers are: at the port that was named, else those of this user's that run,
    else at the usual port.
    """
    if port is not None:
        return [f"http://127.0.0.1:{port}"]
    return running.urls() or [f"http://127.0.0.1:{DEFAULT_PORT}"]


def ask(url: str, kind: Kind) -> HealthAnswer:
    """Ask one server, which is on this machine."""
    try:
        with DIRECT.open(f"{url}/healthz/{kind}", timeout=TIMEOUT_S) as page:
            text = page.read()
    except urllib.error.HTTPError as error:
        with error:
            text = error.read()
    except OSError as error:
        return HealthAnswer(url, None, f"nobody answers: {getattr(error, 'reason', error)}")
    try:
        told = json.loads(text)
        why = "; ".join(map(str, told.get("obstacles", ())))
        return HealthAnswer(url, bool(told["ok"]), why)
    except (ValueError, KeyError, TypeError, AttributeError):
        return HealthAnswer(url, None, "what answers there is no server of ours")


def wait_for(urls: Callable[[], list[str]], kind: Kind, wait_s: float) -> list[HealthAnswer]:
    """Ask the servers until all of them say yes, for so many seconds at most; the last answers.

    `urls` is called each time: one that starts is known only once it listens.
    """
    deadline = time.monotonic() + wait_s
    while True:
        answers = [ask(url, kind) for url in urls()]
        if all(answer.ok for answer in answers) or time.monotonic() >= deadline:
            return answers
        time.sleep(RETRY_S)  # a server does not tell when it is ready
