"""More servers on this machine, on the ports that follow: `plyhouse up --servers N` keeps them.

Each is a process of its own with a folder of its own, and all have the host's token of the first.
One that ends is started again after a pause, which grows; all end with the first, however that
ends, but not when that is started anew in its own process, as after a drain: so they are kept by a
thread of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from server.admin.token import FILE, keep_token, read_token
from server.cluster.line.handshake import SECRET_FILE
from server.store import files
from server.store.contract import StoreError

MAX_SERVERS: Final = 16
PAUSE_S: Final = (0.5, 30.0)  # before one that has ended is started again: the first, the longest
STEADY_S: Final = 60.0  # of a run, after which the pauses begin anew
END_S: Final = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The option of `plyhouse up`."""
    parser.add_argument(
        "--servers",
        type=int,
        default=1,
        metavar="N",
        help="with --database: so many servers, at this port and those behind it",
    )


def prepare(args: argparse.Namespace, data: Path) -> list[list[str]] | None:
    """Have the first server be one of several, and return what starts each of the others.

    None, with a sentence on stderr, where the options do not go together.
    """
    if args.servers == 1:
        return []
    try:
        _fill_in(args, data)
    except StoreError as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return None
    return commands(args, data)


def _fill_in(args: argparse.Namespace, data: Path) -> None:
    """Fill in what was not said of the first server.

    Raises:
        StoreError: the options do not go together, with a sentence that says why.
    """
    if not 2 <= args.servers <= MAX_SERVERS:
        raise StoreError(f"--servers is 2 to {MAX_SERVERS}")
    if args.database is None:
        raise StoreError("--servers goes with --database: several servers share one database")
    if not 0 < args.port <= 65_535 - args.servers:
        raise StoreError("--servers needs a --port; they listen there and at the ports behind it")
    if args.advertise is None:
        if args.host != "127.0.0.1":
            raise StoreError("--servers needs --advertise HOST:PORT, where others reach this one")
        args.advertise = f"{args.host}:{args.port}"
    args.secret = args.secret or data / SECRET_FILE


def commands(args: argparse.Namespace, data: Path) -> list[list[str]]:
    """Return what starts each of the other servers."""
    host, _, port = args.advertise.rpartition(":")
    tls = [["--tls-cert", args.tls_cert], ["--tls-key", args.tls_key]]
    common = [word for pair in tls if pair[1] is not None for word in map(str, pair)]
    common += ["--log", args.log]
    for option, values in (("--set", args.set), ("--name", args.name)):
        common += [word for value in values for word in (option, value)]
    for proxy in args.trust_proxy:
        common += ["--trust-proxy", proxy]
    return [
        [
            "serve", "--host", args.host, "--port", str(args.port + n),
            "--data", str(data / f"server-{n + 1}"), "--database", args.database,
            "--advertise", f"{host}:{int(port) + n}", "--secret", str(args.secret), *common,
        ]
        for n in range(1, args.servers)
    ]  # fmt: skip


class Siblings:
    """Servers that run from `begin` until `close`."""

    def __init__(self, program: str, servers: Sequence[Sequence[str]]) -> None:
        self._program = program
        self._servers = servers
        self._begun: Future[Callable[[], object]] = Future()  # what ends them
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Siblings:
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._begun.result()()
            self._thread.join()

    def begin(self, data: Path) -> None:
        """Start them, unless they are there; `data`: the folder of the first, which has begun."""
        if self._thread is not None or not self._servers:
            return
        token = read_token(data / FILE).token
        for words in self._servers:
            folder = Path(words[words.index("--data") + 1])
            files.make_folder(folder)
            keep_token(folder, token, "")
        self._thread = threading.Thread(target=lambda: asyncio.run(self._keep_all()))
        self._thread.start()

    async def _keep_all(self) -> None:
        loop, over = asyncio.get_running_loop(), asyncio.Event()
        keeping = [loop.create_task(_keep(self._program, words)) for words in self._servers]
        self._begun.set_result(partial(loop.call_soon_threadsafe, over.set))
        await over.wait()
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)


async def _keep(program: str, words: Sequence[str]) -> None:
    """Run a server until cancelled, and again when it ends by itself."""
    loop = asyncio.get_running_loop()
    pause = PAUSE_S[0]
    while True:
        began = loop.time()
        try:
            how = f"ended with code {await _run(program, words)}"
        except OSError as error:  # no process, no file or no memory is to be had just now
            how = f"could not be started: {error.strerror}"
        if loop.time() - began > STEADY_S:
            pause = PAUSE_S[0]
        port = words[words.index("--port") + 1]
        print(f"plyhouse: the server at port {port} {how}", file=sys.stderr)
        await asyncio.sleep(pause)
        pause = min(PAUSE_S[1], pause * 2)


async def _run(program: str, words: Sequence[str]) -> int:
    """Run a server until it ends, and return its exit code."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, program, *words, "--until-eof"),
        stdin=asyncio.subprocess.PIPE,  # held open: it ends with the process that holds it
        stdout=asyncio.subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return await child.wait()
    except asyncio.CancelledError:
        with suppress(ProcessLookupError):  # it has ended just now
            child.terminate()
        await _ended(child)
        raise


async def _ended(child: asyncio.subprocess.Process) -> None:
    try:
        await asyncio.wait_for(child.wait(), END_S)
    except TimeoutError:
        with suppress(ProcessLookupError):
            child.kill()
        await child.wait()
