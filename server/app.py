"""The composition root: builds every part, hands each what it needs, runs until it is told to
stop.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from games import registry
from server.config import BadSetting, Config
from server.gateway import Gateway
from server.house import House
from server.metrics import Metrics
from server.pages import Pages
from server.replays import Replays
from server.store import open_store
from server.store.store import StoreError

DEFAULT_PORT = 8765
OTHER_FILES = 200  # beside connections: those to be refused, the database, the interpreter's own


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `plyhouse serve`."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: this machine only)"
    )
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port; 0 takes a free one")
    parser.add_argument("--data", type=Path, default=None, help="folder of the database")
    parser.add_argument(
        "--name", action="append", default=[], help="another host name this server goes by"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change a limit of server/config.py",
    )


def default_data() -> Path:
    """Where the database is kept if nobody says otherwise."""
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "plyhouse"


Beside: TypeAlias = Callable[[str], Coroutine[Any, Any, None]]


def run(args: argparse.Namespace, page: Path | None, beside: Beside | None = None) -> int:
    """Serve until interrupted.  `page`: the folder of the browser's page.

    `beside(url)` runs as long as the server does, from when it listens; it is cancelled at the end.

    Returns:
        The exit code: 0 after SIGINT or SIGTERM, 2 if it could not start, with a sentence on
        stderr.
    """
    logging.basicConfig(format="plyhouse: %(message)s", level=logging.WARNING, stream=sys.stderr)
    try:
        config = Config().with_settings(args.set)
        registry.names()
        return asyncio.run(_serve(args, config, page, beside))
    except (BadSetting, StoreError, FileNotFoundError, NotListening) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:  # before the loop could take the signal
        return 0


class NotListening(Exception):
    """The address cannot be listened on."""


async def _serve(
    args: argparse.Namespace, config: Config, page: Path | None, beside: Beside | None
) -> int:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    if sys.platform != "win32":  # where Ctrl-C raises KeyboardInterrupt, which stops it as well
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
    _allow_files(config.connections + OTHER_FILES)
    data = args.data or default_data()
    async with opened(data, config, args.host, args.port, args.name, page) as running:
        print(f"plyhouse: listening on {running.url}", flush=True)
        companion = asyncio.ensure_future(beside(running.url)) if beside is not None else None
        await stop.wait()
        if companion is not None:
            companion.cancel()
            await asyncio.wait([companion])  # what it may have failed with, asyncio logs
    return 0


class Running(NamedTuple):
    """A server that is up."""

    house: House
    gateway: Gateway
    url: str


@contextlib.asynccontextmanager
async def opened(
    data: Path,
    config: Config,
    host: str = "127.0.0.1",
    port: int = 0,
    names: Sequence[str] = (),
    page: Path | None = None,
) -> AsyncIterator[Running]:
    """A server from before its first connection until after its last.

    Raises:
        StoreError: if the log in the folder `data` cannot be used.
        NotListening: if the address cannot.
    """
    loop = asyncio.get_running_loop()
    store = open_store(data)
    try:
        house = House(store, config, loop)
        metrics = Metrics(house)
        replays = Replays(store, loop)
        pages = Pages(page, names, metrics.health, metrics.text, replays)
        gateway = Gateway(house, pages)
        metrics.gateway = gateway
        server = await _listen(loop, gateway, host, port)
        gateway.start()
        try:
            yield Running(house, gateway, _url(server))
        finally:
            await _end(server, house, gateway)
    finally:
        store.close()


def _url(server: asyncio.Server) -> str:
    host, port = server.sockets[0].getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _allow_files(wanted: int) -> None:
    """Have as many open files as that, or as the system allows: often it begins with 1,024."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if resource.RLIM_INFINITY != soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


async def _listen(
    loop: asyncio.AbstractEventLoop, gateway: Gateway, host: str, port: int
) -> asyncio.Server:
    try:
        return await loop.create_server(gateway, host, port, backlog=1024)
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise NotListening(
            f"cannot listen on {host} port {port}: {why}; another server may be running there"
            " (choose another with --port, or --port 0 for a free one)"
        ) from None


async def _end(server: asyncio.Server, house: House, gateway: Gateway) -> None:
    """Stop accepting, say why, give peers a moment to close, drop the rest."""
    server.close()
    house.close()
    deadline = house.now() + house.config.close_grace_ms
    while gateway.connections and house.now() < deadline:  # noqa: ASYNC110  (asyncio itself closes them)
        await asyncio.sleep(0.02)
    gateway.stop()
    await asyncio.sleep(0)
