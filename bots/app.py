"""`plyhouse bot`: one or more bots at a house, until Ctrl-C.  Parses, checks, connects, and waits.

All of them share one name and one process; each has a connection of its own.  The first Ctrl-C (or
SIGTERM) lets them finish the matches that are on, the second makes them resign.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import getpass
import logging
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from bots import compiled, readiness, registry, terms
from bots.bot import BadBudget, BadSetting
from bots.registry import UnknownBot
from bots.runner import DEFAULT_PORT, Connection, Runner, Unreachable, enter
from bots.terms import BadTerms, Entry
from bots.tokens import BadTokenFile, Tokens, default_file
from games.registry import UnknownGame
from protocol.errors import Refusal

BAD_INPUT = (BadBudget, BadSetting, BadTerms, BadTokenFile, UnknownBot, UnknownGame)

log = logging.getLogger("plyhouse.bots")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse bot`."""
    parser.add_argument("bots", nargs="+", metavar="BOT", help=", ".join(registry.names()))
    here = f"127.0.0.1:{DEFAULT_PORT}"
    parser.add_argument(
        "--url",
        default=os.environ.get("PLYHOUSE_URL") or here,
        help=f"the house's address (default: PLYHOUSE_URL, or {here})",
    )
    parser.add_argument("--name", default=None, help="the bots' owner (default: your login)")
    parser.add_argument("--games", default="", help="only these, with commas (default: all)")
    parser.add_argument("--nodes", type=int, help="nodes for each action")
    parser.add_argument("--ms", type=int, help="milliseconds for each action")
    parser.add_argument("--level", type=int, help="strength, 1 to 8, for bots that have levels")
    parser.add_argument("--slots", type=int, default=2, help="matches at once (default: 2)")
    parser.add_argument(
        "--set", action="append", default=[], metavar="K=V", help="a setting, such as exploration=2"
    )
    parser.add_argument("--seed", type=int, help="of the random numbers (default: a fresh one)")
    parser.add_argument("--token-file", type=Path, help="where tokens of bots are kept")
    parser.add_argument(
        "--until-eof",
        action="store_true",
        help="end when standard input does, with whoever holds it",
    )
    parser.add_argument("--compile", action="store_true", help="compile what they need, and end")
    parser.add_argument(
        "--at-once", action="store_true", help="join before all is compiled; slower until then"
    )
    parser.add_argument("--quiet", action="store_true", help="say nothing of single matches")


def run(args: argparse.Namespace) -> int:
    """Run the bots: 0 after Ctrl-C, 1 when the server ends it, 2 for bad input."""
    logging.basicConfig(stream=sys.stderr, format="%(message)s")
    log.setLevel(logging.WARNING if args.quiet else logging.INFO)
    try:
        entries = entries_of(args)
        return asyncio.run(_serve(args, entries))
    except (*BAD_INPUT, Refusal, Unreachable) as error:
        print(f"plyhouse: {getattr(error, 'text', error)}", file=sys.stderr)
        return 2
    except (KeyboardInterrupt, asyncio.CancelledError):  # the latter: standard input has ended
        return 0


def entries_of(args: argparse.Namespace) -> list[Entry]:
    """The bots that the arguments describe.

    Raises:
        one of BAD_INPUT: with what is allowed.
    """
    only = tuple(name.strip() for name in args.games.split(",") if name.strip())
    if len(set(args.bots)) < len(args.bots):
        raise BadTerms("a bot can be named only once; use --slots for several matches at once")
    if not 1 <= args.slots <= 1000:
        raise BadTerms(f"--slots must be 1 to 1000, not {args.slots}")
    seed = secrets.randbits(32) if args.seed is None else args.seed
    log.info("plyhouse: seed %d", seed)
    settings = terms.parse_settings(args.set)
    return [
        terms.entry(
            program,
            seed=seed,
            only=only,
            budget=terms.parse_budget(
                program,
                nodes=args.nodes,
                ms=args.ms,
                level=args.level,
                alone=len(args.bots) == 1,
            ),
            settings=settings,
            slots=args.slots,
        )
        for program in args.bots
    ]


async def _serve(args: argparse.Namespace, entries: list[Entry]) -> int:
    """Connect all entries and play; the exit code."""
    compiled.at_once = args.at_once
    if not args.at_once:
        await readiness.prepare(entries, log.info)
    if args.compile:
        return 0
    crew = _Crew(args.url, args.name, Tokens(_token_file(args)))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, crew.on_signal)
    if args.until_eof:
        stop = functools.partial(loop.call_soon_threadsafe, _this_task().cancel)
        threading.Thread(target=_await_eof, args=(stop,), daemon=True).start()
    beside = asyncio.create_task(readiness.prepare_beside(entries)) if args.at_once else None
    try:
        return await crew.serve(entries)
    finally:
        if beside is not None:
            beside.cancel()
            await asyncio.wait({beside})


def _this_task() -> asyncio.Task[object]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("called outside of a task")
    return task


def _await_eof(then: Callable[[], object]) -> None:
    """Wait until whoever holds our standard input open is gone, however it went."""
    while sys.stdin.buffer.read(4096):
        pass
    then()


def _token_file(args: argparse.Namespace) -> Path:
    return default_file() if args.token_file is None else Path(args.token_file)


def _login() -> str:
    """What the system calls who runs this."""
    try:
        return getpass.getuser()[:24]
    except (KeyError, OSError):  # a container may run as a number that has no name
        return "bots"


class _Crew:
    """Several bots of one owner at one house."""

    def __init__(self, url: str, name: str | None, tokens: Tokens) -> None:
        self.url = url
        self.name = name or _login()
        self.named = name is not None
        self.tokens = tokens
        self.runners: list[Runner] = []
        self.signals = 0
        self._entering: asyncio.Task[None] | None = None
        self._leaving: list[asyncio.Task[None]] = []

    async def serve(self, entries: list[Entry]) -> int:
        """Play until told to stop; 1 when a connection ended for a reason of the server's."""
        self._entering = asyncio.create_task(self._enter_all(entries))
        try:
            await self._entering
        except asyncio.CancelledError:
            if not self.signals:
                raise
            for runner in self.runners:  # those that were quicker than the signal
                runner.drain()
        try:
            await asyncio.gather(*(runner.serve() for runner in self.runners))
        finally:
            for runner in self.runners:
                await runner.house.close()
        reasons = [r.house.reason for r in self.runners if r.house.reason is not None]
        for reason in reasons:
            print(f"plyhouse: {reason.text}", file=sys.stderr)
        return 1 if reasons else 0

    def on_signal(self) -> None:
        """Once: finish the matches that are on.  Twice: resign them."""
        self.signals += 1
        if self._entering is not None and not self._entering.done():
            self._entering.cancel()
        elif self.signals == 1:
            on = sum(1 for r in self.runners for t in r.tables.values() if t.match is not None)
            if on:
                log.warning("plyhouse: finishing %d matches; Ctrl-C again resigns them", on)
            for runner in self.runners:
                runner.drain()
        else:
            self._leaving += [asyncio.ensure_future(r.abandon()) for r in self.runners]

    async def _enter_all(self, entries: list[Entry]) -> None:
        for entry in entries:
            house = await self._enter(entry)
            self.runners.append(Runner(house, entry))
            if house.token is not None:
                self.tokens.put(self.url, self.name, house.token)
            print(f"plyhouse: {entry.program} is at {self.url} as {house.name}/{entry.program}")
            sys.stdout.flush()

    async def _enter(self, entry: Entry) -> Connection:
        """Connect; a server that is not there yet is waited for, and that is said once."""
        token = self.tokens.get(self.url, self.name)
        try:
            return await self._enter_as(self.name, entry, token, patient=False)
        except Unreachable as absent:
            if absent.code != "client/unreachable":
                raise
            log.warning("plyhouse: %s; trying until one does", absent.text)
            return await self._enter_as(self.name, entry, token, patient=True)

    async def _enter_as(
        self, name: str, entry: Entry, token: str | None, patient: bool
    ) -> Connection:
        """Connect; a name that nobody asked for gives way to the one that the server suggests."""
        try:
            return await enter(entry, self.url, name, token, patient=patient)
        except Refusal as no:
            if self.named or no.suggestion is None:
                raise
            return await enter(entry, self.url, no.suggestion, token, patient=patient)
