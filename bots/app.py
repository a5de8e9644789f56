"""`plyhouse bot`: one or more bots at a house, until Ctrl-C.  Parses, checks, connects, and waits.

All of them share one name and one process; each has a connection of its own, see bots/crew.py.
With --ladder they join that ladder at every start; what --level, --nodes or --set make of a bot has
no name of its own there unless --as gives it one.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import logging
import os
import secrets
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bots import anchors, compiled, readiness, registry, terms
from bots.bot import BadBudget, BadSetting
from bots.crew import Crew
from bots.registry import UnknownBot
from bots.runner import DEFAULT_PORT, Unreachable, game_of
from bots.terms import BadTerms, Entry
from bots.tokens import BadTokenFile, Tokens, default_file
from games.registry import UnknownGame
from protocol.errors import Refusal

HOUSE = "house"  # whose bots the anchors are
BAD_INPUT = (BadBudget, BadSetting, BadTerms, BadTokenFile, UnknownBot, UnknownGame)

log = logging.getLogger("plyhouse.bots")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse bot`."""
    parser.add_argument("bots", nargs="*", metavar="BOT", help=", ".join(registry.names()))
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
    parser.add_argument("--ladder", metavar="NAME", help="join this ladder, and play there")
    parser.add_argument(
        "--as", dest="alias", metavar="NAME",
        help="the program's name at the house, such as mcts-2 for mcts at level 2",
    )  # fmt: skip
    parser.add_argument("--version", help="on ladders, another version is another player")
    parser.add_argument(
        "--anchors", action="store_true",
        help="bring the house's bots that play on every ladder",
    )  # fmt: skip
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
    if not (args.bots or args.anchors):
        raise BadTerms(f"name a bot; there are {', '.join(registry.names())}")
    if args.alias is not None and len(args.bots) != 1:
        raise BadTerms("--as names one bot; start others with a command of their own")
    if len(set(args.bots)) < len(args.bots):
        raise BadTerms("a bot can be named only once; use --slots for several matches at once")
    if not 1 <= args.slots <= 1000:
        raise BadTerms(f"--slots must be 1 to 1000, not {args.slots}")
    seed = _seed(args)
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
            alias=args.alias,
            version=args.version,
        )
        for program in args.bots
    ]


def _seed(args: argparse.Namespace) -> int:
    return secrets.randbits(32) if args.seed is None else int(args.seed)


async def _serve(args: argparse.Namespace, entries: list[Entry]) -> int:
    """Connect all entries and play; the exit code."""
    compiled.at_once = args.at_once
    if args.ladder is not None and not args.games:
        entries = await _for_ladder(entries, args.ladder, args.url)
    compiling = [*entries, *(anchors.prepared() if args.anchors else [])]
    if not args.at_once:
        await readiness.prepare(compiling, log.info)
    if args.compile:
        return 0
    name = args.name or (None if args.bots else HOUSE)
    crew = Crew(args.url, name, Tokens(_token_file(args)), args.ladder)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, crew.on_signal)
    if args.until_eof:
        stop = functools.partial(loop.call_soon_threadsafe, _this_task().cancel)
        threading.Thread(target=_await_eof, args=(stop,), daemon=True).start()
    beside = asyncio.create_task(readiness.prepare_beside(compiling)) if args.at_once else None
    try:
        return await crew.serve(entries, _seed(args) if args.anchors else None)
    finally:
        if beside is not None:
            beside.cancel()
            await asyncio.wait({beside})


async def _for_ladder(entries: list[Entry], ladder: str, url: str) -> list[Entry]:
    """The entries with the game of the ladder alone, so that none is compiled for others.

    Raises:
        BadTerms: one of them does not play it.
        Refusal: there is no such ladder.
    """
    try:
        game = await game_of(ladder, url)
    except Unreachable:  # it is waited for later, and then refuses who does not fit
        return entries
    for entry in entries:
        if game not in entry.games:
            plays = ", ".join(entry.games)
            raise BadTerms(f"{ladder} is of {game}; {entry.program} plays {plays}")
    return [replace(entry, games=(game,)) for entry in entries]


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
