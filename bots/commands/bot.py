"""`plyhouse bot`: one or more bots at a server, until Ctrl-C.

All of them share one name and one process (bots/online/pool.py).  With --ladder they join that
ladder at every start, and end with it, unless --stay has them wait for invitations then.
There a bot with another level, budget or settings has the same name, unless
--as gives it one of its own.
"""

from __future__ import annotations

import argparse
import asyncio
import functools
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from bots import registry
from bots.commands import arguments
from bots.commands.arguments import BAD_INPUT, BadOption
from bots.engine import compiled
from bots.online import anchors, output, readiness
from bots.online.entry import Entry, make_entry
from bots.online.pool import BotPool
from bots.online.runner import Unreachable, game_of
from bots.online.terms import HOUSE
from bots.online.tokens import OwnersTokens, Tokens
from protocol.errors import Refusal
from protocol.shell.signals import ending_signals

log = logging.getLogger("plyhouse.bots")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("bots", nargs="*", metavar="BOT", help=registry.described())
    parser.add_argument("--ladder", metavar="NAME", help="join this ladder, and play there")
    _add_options(parser)


def add_join_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse ladder join`: the same, but the ladder comes first."""
    parser.add_argument("ladder", metavar="NAME", help="the ladder")
    parser.add_argument("bots", nargs="+", metavar="BOT", help=registry.described())
    _add_options(parser)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--url",
        help="the server's address (default: PLYHOUSE_URL, or the one on this machine or network)",
    )
    parser.set_defaults(finds_server=True)
    parser.add_argument(
        "--ca", metavar="FILE",
        help="certificates to trust besides the system's (default: PLYHOUSE_CA)",
    )  # fmt: skip
    parser.add_argument("--name", default=None, help="the bots' owner (default: your login)")
    parser.add_argument(
        "--games", default="", help="only these, separated by commas (default: all)"
    )
    arguments.add_strength(parser)
    arguments.add_engines(parser)
    parser.add_argument("--slots", type=int, default=2, help="matches at once (default: 2)")
    parser.add_argument(
        "--as", dest="alias", metavar="NAME",
        help="the bot's name at the server, such as mcts-2 for mcts at level 2",
    )  # fmt: skip
    parser.add_argument(
        "--version", help="the bot's version; on ladders another one is another player"
    )
    parser.add_argument("--code", help="of a ladder that is for who was invited")
    parser.add_argument(
        "--stay", action="store_true", help="wait for invitations when the ladder is over"
    )
    parser.add_argument(
        "--anchors", action="store_true",
        help="bring the anchors, the house's bots that play on every ladder; at a server without"
        " its own, with --token-file DATA/house-bots.json",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, help="of the random numbers (default: a fresh one)")
    parser.add_argument("--token-file", type=Path, help="the file with the bots' tokens")
    parser.add_argument("--until-eof", action="store_true", help="end when standard input ends")
    parser.add_argument("--compile", action="store_true", help="only compile what the bots need")
    parser.add_argument(
        "--at-once",
        action="store_true",
        help="join before everything is compiled; slower until then",
    )
    parser.add_argument("--quiet", action="store_true", help="do not report single matches")


def run(args: argparse.Namespace) -> int:
    """Run the bots: 0 after Ctrl-C, or when their ladder is over; 1 when the server ends it, or the
    ladder goes on without one of them; 2 for bad input.
    """
    output.log_to_stderr()
    log.setLevel(logging.WARNING if args.quiet else logging.INFO)
    if args.ca:
        os.environ["PLYHOUSE_CA"] = args.ca
    try:
        entries = entries_of(args)
        return asyncio.run(_serve(args, entries))
    except (*BAD_INPUT, Refusal, Unreachable) as error:
        output.complain(f"plyhouse: {getattr(error, 'text', error)}")
        return 2
    except (KeyboardInterrupt, asyncio.CancelledError):  # the latter: standard input has ended
        return 0


def entries_of(args: argparse.Namespace) -> list[Entry]:
    """The bots that the arguments describe.

    Raises:
        one of BAD_INPUT: with what is allowed.
    """
    only = tuple(name.strip() for name in args.games.split(",") if name.strip())
    if args.engine and not only and args.ladder is None:
        raise BadOption("--engine needs --games: those that the program plays")
    engines = arguments.make_engines(args, only)
    args.bots = [*args.bots, *(name for name in engines if name not in args.bots)]
    if not (args.bots or args.anchors):
        raise BadOption(f"name a bot; there are {registry.described()}")
    if args.alias is not None and len(args.bots) != 1:
        raise BadOption("--as names one bot; start others with a command of their own")
    if len(set(args.bots)) < len(args.bots):
        raise BadOption("a bot can be named only once; use --slots for several matches at once")
    if not 1 <= args.slots <= 1000:
        raise BadOption(f"--slots must be 1 to 1000, not {args.slots}")
    seed = arguments.seed_of(args)
    log.info("plyhouse: seed %d", seed)
    settings = arguments.parse_settings(args.set)
    return [
        make_entry(
            program,
            seed=seed,
            only=only,
            budget=arguments.parse_budget(
                program, nodes=args.nodes, ms=args.ms, level=args.level, alone=len(args.bots) == 1
            ),
            settings=settings,
            slots=args.slots,
            alias=args.alias,
            version=args.version,
        )
        for program in args.bots
    ]


async def _serve(args: argparse.Namespace, entries: list[Entry]) -> int:
    """Connect all entries and play; the exit code."""
    if args.compile and args.until_eof:
        _at_eof(functools.partial(os._exit, 1))  # no loop runs while machine code is made
    compiled.at_once = args.at_once
    if args.ladder is not None and not args.games:
        entries = await _for_ladder(entries, args.ladder, args.url)
    compiling = [*entries, *(anchors.to_compile() if args.anchors else [])]
    if not args.at_once:
        await readiness.prepare(compiling, log.info)
    if args.compile:
        return 0
    name = args.name or (None if args.bots else HOUSE)
    tokens = Tokens(args.token_file) if args.token_file else OwnersTokens()
    if isinstance(tokens, OwnersTokens):
        await tokens.find_house(args.url)
    pool = BotPool(args.url, name, tokens, args.ladder, args.code, stay=args.stay)
    loop = asyncio.get_running_loop()
    for number in ending_signals():
        hangup = number not in (signal.SIGINT, signal.SIGTERM)
        loop.add_signal_handler(number, pool.on_hangup if hangup else pool.on_signal)
    if args.until_eof:
        this_task = asyncio.current_task()
        assert this_task is not None, "asyncio.run has made one"
        _at_eof(functools.partial(loop.call_soon_threadsafe, this_task.cancel))
    compiling_beside = (
        asyncio.create_task(readiness.prepare_beside(compiling)) if args.at_once else None
    )
    try:
        return await pool.serve(entries, arguments.seed_of(args) if args.anchors else None)
    finally:
        if compiling_beside is not None:
            compiling_beside.cancel()
            await asyncio.wait({compiling_beside})


async def _for_ladder(entries: list[Entry], ladder: str, url: str) -> list[Entry]:
    """The entries with the ladder's game only, so that none is compiled for others.

    Raises:
        BadOption: one of them does not play it.
        Refusal: there is no such ladder.
    """
    try:
        game = await game_of(ladder, url)
    except Unreachable:  # the bots wait for it later, and it refuses those that do not fit
        return entries
    for entry in entries:
        if game not in entry.games:
            plays = ", ".join(entry.games)
            raise BadOption(f"{ladder} is a ladder of {game}; {entry.program} plays {plays}")
    return [replace(entry, games=(game,)) for entry in entries]


def _at_eof(stop: Callable[[], object]) -> None:
    """Call `stop`, on a thread, when standard input ends."""
    threading.Thread(target=_await_eof, args=(stop,), daemon=True).start()


def _await_eof(stop: Callable[[], object]) -> None:
    """Wait until the process that holds our standard input open has ended.

    It is not read through a buffer: Python could not end while that waits.
    """
    while os.read(sys.stdin.fileno(), 4096):
        pass
    stop()
