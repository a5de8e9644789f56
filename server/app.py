"""`plyhouse serve`: a server with its sockets, which runs until it is stopped.

assembly.py builds what it is without them.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from msgspec.structs import replace

from games import registry
from games.own_files import NoFolder
from protocol.files import folders
from protocol.files.running import tell
from protocol.messages import DEFAULT_PORT
from protocol.shell.signals import ending_signals
from server import collector
from server.admin import house
from server.admin.service import AdminService
from server.admin.token import NoAdminToken, find_token, keep_token
from server.assembly import assemble
from server.cli.greeting import here
from server.config import BadConfig, Config
from server.downloads.downloads import Downloads
from server.figures.loop_lag import LoopLag
from server.hub import Hub
from server.imports.imports import Imports
from server.log_lines import FORMS, JsonLines, complain, open_log
from server.metrics import Metrics
from server.net.addresses import CountedConnection
from server.net.admin_api import AdminApi
from server.net.broadcast_queue import BroadcastQueue
from server.net.door import LOOPBACK, Door, Listening, NotListening, open_door
from server.net.gateway import Gateway
from server.net.pages import MatchFiles, Pages
from server.net.proxies import BadProxy, Proxies
from server.net.replays import ReplayService
from server.net.tls import BadCertificate, Certificate
from server.place import EXIT_RESTART, HousePlace, entry_of, membership, place_of, run_to_the_end
from server.place import add_arguments as add_place_arguments
from server.rooms.outage import Outage, tell_what_was_lost
from server.rooms.wall_clock import WrongClock
from server.services.invitations import invitation_card
from server.store import open_store_at
from server.store.contract import DatabaseAway, Store, StoreError, WentBack

if TYPE_CHECKING:
    from server.cluster.entry import ClusterEntry

log = logging.getLogger("plyhouse")
OTHER_FILES = 200  # beside connections: those to be refused, the database, the interpreter's own


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of `plyhouse serve`."""
    parser.add_argument(
        "--host", default="127.0.0.1", help="address to listen on (default: this machine only)"
    )
    parser.add_argument("--port", type=int, default=DEFAULT_PORT, help="port; 0 takes a free one")
    parser.add_argument(
        "--tls-cert",
        type=Path,
        metavar="FILE",
        help="serve https and wss: the certificate, and what leads from it to an authority (PEM)",
    )
    parser.add_argument(
        "--tls-key", type=Path, metavar="FILE", help="the certificate's private key (PEM)"
    )
    parser.add_argument(
        "--trust-proxy",
        action="append",
        default=[],
        metavar="ADDRESS",
        help="a proxy, or a network of them, that says in X-Forwarded-For who connects",
    )
    parser.add_argument("--data", type=folders.named, default=None, help="folder of the database")
    parser.add_argument(
        "--database",
        metavar="URL",
        help="keep the log in a PostgreSQL: postgresql://USER@HOST/DATABASE (docs/postgresql.md)",
    )
    add_place_arguments(parser)
    parser.add_argument(
        "--name", action="append", default=[], help="another host name of this server"
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change a limit of server/config.py",
    )
    parser.add_argument(
        "--log",
        choices=FORMS,
        default="text",
        help="what is written to standard error: text, or one JSON object a line",
    )
    parser.add_argument(
        "--clock-was-wrong",
        action="store_true",
        help="once, after this machine's clock was ahead: believe it, and not the log",
    )

    parser.add_argument("--until-eof", action="store_true", help="end when standard input ends")


Companion: TypeAlias = Callable[[str, str], Coroutine[Any, Any, None]]


def run(
    args: argparse.Namespace,
    page: Path | None,
    companion: Companion | None = None,
    programs: Sequence[str] = (),
    reserved: Sequence[str] = (),
    again: bool = False,
) -> int:
    """Serve until interrupted.  `page`: the folder of the browser's page.

    `companion(url, inner_url)` runs while the server listens, and is cancelled at its end.
    `inner_url` is for programs of its own: without TLS, and for this machine only.  `programs`: the
    bots of the house that it brings; `reserved`: names of bots that are no person's in any case.
    `again`: one of several servers is started anew once its host has had it hand over what it had.

    Returns:
        The exit code: 0 after SIGINT or SIGTERM; else 2 or TRY_AGAIN, and a sentence on stderr.
    """
    open_log(args.log)
    try:
        config = Config().with_settings(args.set)
        load_games()
        door = Door(args.host, args.port, args.name, _certificate(args), Proxies(args.trust_proxy))
        over = threading.Event()  # once the host wants it to end
        serve = partial(
            _serve, args, config, door, page, companion, programs, reserved, over, again
        )  # fmt: skip
        return run_to_the_end(serve, over.is_set)
    except STARTUP_ERRORS as error:
        complain(args.log, error)
        return TRY_AGAIN if isinstance(error, WrongClock | DatabaseAway) else 2
    except KeyboardInterrupt:  # before the loop could take the signal
        return 0


def _certificate(args: argparse.Namespace) -> Certificate | None:
    if args.tls_cert is None and args.tls_key is None:
        return None
    if args.tls_cert is None or args.tls_key is None:
        raise BadCertificate("--tls-cert and --tls-key go together")
    return Certificate(args.tls_cert, args.tls_key)


TRY_AGAIN = 3  # other than 2: the network may tell what time it is, a database come up later
STARTUP_ERRORS = (
    BadConfig, BadCertificate, BadProxy, NoFolder, NotListening, StoreError, WrongClock,
    NoAdminToken,
)  # fmt: skip


def load_games() -> None:
    """Load all games now, so that no client waits for it later, and log which are left out.

    Raises:
        NoFolder: PLYHOUSE_GAMES names what is no folder.
    """
    for name, why in registry.broken().items():
        log.warning("the game %r is left out: %s", name, why)
    for name in registry.names():
        registry.game(name)


async def _serve(
    args: argparse.Namespace,
    config: Config,
    door: Door,
    page: Path | None,
    companion: Companion | None,
    programs: Sequence[str],
    reserved: Sequence[str],
    over: threading.Event,
    again: bool,
) -> int:
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def end() -> None:
        over.set()
        stop.set()

    if sys.platform != "win32":  # where Ctrl-C raises KeyboardInterrupt, which stops it as well
        for number in ending_signals():
            loop.add_signal_handler(number, end)
        if door.certificate is not None:
            loop.add_signal_handler(signal.SIGHUP, door.certificate.renew)
        elif signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # as `nohup` has it
            loop.add_signal_handler(signal.SIGHUP, end)
    if args.until_eof:
        at_end = partial(loop.call_soon_threadsafe, end)
        threading.Thread(target=_await_eof, args=(at_end,), daemon=True).start()
    config = fit_to_files(config, _allow_files(config.connections + OTHER_FILES))
    door = door.checked()._replace(inner=True)
    place = place_of(args, args.data or folders.data(), door.certificate is not None)
    async with opened(place, config, door, page, args.clock_was_wrong, stop) as running:
        for program in reserved:
            running.hub.lobby.names.reserve(program)
        for program in programs:
            running.hub.lobby.names.add_house_program(program)
        if running.entry is not None:
            JsonLines.server = running.entry.node.key.number
        print(f"plyhouse: listening on {running.url}", flush=True)
        told = tell(here(running.inner_url))
        task = None
        if companion is not None:
            task = asyncio.ensure_future(companion(running.url, running.inner_url))
            task.add_done_callback(_report)
        await stop.wait()
        if told is not None:
            with contextlib.suppress(OSError):  # a reader sees that this process is gone
                told.unlink()
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        if isinstance(running.outage.ended, WentBack):
            return EXIT_RESTART
        has_left = again and not over.is_set() and not running.hub.rules.draining
        if running.entry is not None and (running.entry.why or running.outage.ended or has_left):
            return EXIT_RESTART
        if running.outage.ended is not None:
            raise StoreError(f"{running.outage.ended}; this server ends")
    return 0


def _await_eof(end: Callable[[], object]) -> None:
    """Wait until the process that holds our standard input open has ended.

    It is not read through a buffer: Python could not end while that waits.
    """
    with contextlib.suppress(OSError):  # no process holds it
        while sys.stdin is not None and os.read(sys.stdin.fileno(), 4096):
            pass
    with contextlib.suppress(RuntimeError):  # the loop is over already
        end()


def _report(task: asyncio.Future[Any]) -> None:
    """Log at once what a companion has failed with: the server goes on without it."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("what runs beside the server has failed", exc_info=error)


class Running(NamedTuple):
    """A server that is up."""

    hub: Hub
    outage: Outage
    gateway: Gateway
    url: str
    inner_url: str
    entry: ClusterEntry | None = None


@contextlib.asynccontextmanager
async def opened(
    place: Path | HousePlace,
    config: Config,
    door: Door = LOOPBACK,
    page: Path | None = None,
    clock_was_wrong: bool = False,
    stop: asyncio.Event | None = None,
) -> AsyncIterator[Running]:
    """Open a server, and close it at the end, after its last connection.

    `stop` is set when its host wants it to end.

    Raises:
        StoreError: if the log in that place, or a folder, cannot be used; at the end, if it was
            found to be damaged while the server ran, which stops it.
        WrongClock: if it is more than a day ahead of the clock, unless that `clock_was_wrong`.
        NotListening: if the address cannot.
    """
    loop = asyncio.get_running_loop()
    ends = stop or asyncio.Event()
    damage: list[StoreError] = []
    data, store, entry = await _open_store(place, clock_was_wrong)
    try:
        neighbours = await entry.neighbours() if entry is not None else None
        with _collector_at_rest():
            hub, outage, clock, loading = assemble(store, config, loop, neighbours)
        store.news.ended.append(lambda _: ends.set())
        if entry is None:
            await house.open_house(data, store, hub.lobby.names, clock.now())
        else:
            await entry.begin(data, hub)
        sockets: set[CountedConnection] = set()
        broadcasts, lag = BroadcastQueue(loop), LoopLag(loop)
        figures = entry.figures if entry is not None else lambda: None
        metrics = Metrics(hub, outage, sockets, broadcasts, lag.histogram, figures)
        news = hub.rooms.announcements  # not of what was read at the start
        news.stored.append(metrics.stored)
        admin, token = _admin(hub, ends.set, entry), find_token(data)
        pages = _pages(hub, metrics, door, page, data, AdminApi(token, admin))
        gateway = Gateway(hub, clock, pages, sockets, broadcasts)
        async with membership(entry, loading, store, admin, ends.set):
            open_ = await open_door(door, gateway, loop)
            keep_token(data, token, here(open_.inner_url))
            gateway.start()
            lag.start()
            collector.relieve()
            loading.start()
            store.check(partial(_stop_over_damage, damage, ends))
            try:
                yield Running(hub, outage, gateway, open_.url, open_.inner_url, entry)
            finally:
                admin.close()
                lag.stop()
                outage.stop()
                await _end(open_, hub, gateway, outage, entry)
    finally:
        await store.aclose()
    if damage:
        raise damage[0]


async def _open_store(
    place: Path | HousePlace, clock_was_wrong: bool
) -> tuple[Path, Store, ClusterEntry | None]:
    """Return the folder of a house, its log, and this server's entry if it is one of several."""
    place = place if isinstance(place, HousePlace) else HousePlace(place)
    now = int(time.time() * 1000) if clock_was_wrong else None
    entry = entry_of(place)
    if entry is not None:
        return place.data, await entry.open_store(now), entry
    return place.data, await open_store_at(place.data, place.database, now), None


def _stop_over_damage(damage: list[StoreError], stop: asyncio.Event, error: StoreError) -> None:
    """End: what is stored from now on might be lost with the rest."""
    damage.append(error)
    stop.set()


def _admin(hub: Hub, stop: Callable[[], None], entry: ClusterEntry | None) -> AdminService:
    if entry is None:
        return AdminService(hub, stop)
    return AdminService(hub, stop, entry.nodes, partial(entry.leave_then, stop))


def _pages(
    hub: Hub, metrics: Metrics, door: Door, page: Path | None, data: Path, admin: AdminApi
) -> Pages:
    """Return what is answered over HTTP."""
    loop = asyncio.get_running_loop()
    replays = ReplayService(hub.services.reads, loop, hub.rooms.room, hub.lobby.names.is_former)
    card = partial(invitation_card, hub.rooms)
    return Pages(
        page, door.names, metrics.health, metrics.text, MatchFiles(replays, Imports(loop)),
        door.proxies, card, hub.sessions.describe, admin, Downloads(data, loop),
    )  # fmt: skip


@contextlib.contextmanager
def _collector_at_rest() -> Iterator[None]:
    """Let nothing be collected while the log is read: all of that stays."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def fit_to_files(config: Config, files: int) -> Config:
    """Return the configuration with no more connections than so many open files allow."""
    if files >= config.connections + OTHER_FILES:
        return config
    connections = files - OTHER_FILES if files >= 2 * OTHER_FILES else files // 2
    log.warning(
        "the system lets this server open %d files, so it takes %d connections at once, not %d",
        files, connections, config.connections,
    )  # fmt: skip
    spare = min(config.spare_connections, max(1, files // 16))  # the rest: accepted in one turn
    return replace(config, connections=max(1, connections), spare_connections=spare)


def _allow_files(wanted: int) -> int:
    """Raise the limit of open files to this, or as far as the system allows; often it is 1,024.

    Returns:
        How many may be open.
    """
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if resource.RLIM_INFINITY != soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
        return limit
    return wanted if soft == resource.RLIM_INFINITY else soft


async def _end(
    door: Listening, hub: Hub, gateway: Gateway, outage: Outage, entry: ClusterEntry | None = None
) -> None:
    """Stop accepting, say why, give peers a moment to close, drop the rest."""
    door.close()
    if outage.ended is not None or (entry is not None and entry.why is not None):
        await tell_what_was_lost(hub.rooms)
    if entry is not None and isinstance(outage.ended, WentBack):
        await entry.hear_the_others()
    if entry is not None:
        await entry.leave()
        entry.send_all_away()
    hub.close()
    gateway.close()
    deadline = hub.now() + hub.config.close_grace_ms
    while gateway.sockets and hub.now() < deadline:  # noqa: ASYNC110  (asyncio itself closes them)
        await asyncio.sleep(0.02)
    gateway.stop()
    await asyncio.sleep(0)
