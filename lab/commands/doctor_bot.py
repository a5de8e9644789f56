"""`plyhouse doctor bot`: plays a bot through what may happen at a server, and prints a checklist.

A bot of ours (FILE or NAME) is started as `plyhouse bot` does it, at a scripted server; with
--listen any program is waited for that connects by itself, in whatever language; with --url a bot
that is connected to a real server is invited there, as anybody could.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bots import registry
from bots.commands import arguments
from bots.commands.arguments import BAD_INPUT, BadOption
from bots.online.runner import Unreachable
from bots.outside.reaper import Reaper
from games import registry as games
from games.own_files import NoFolder
from lab.doctor.cases import games_for
from lab.doctor.checklist import CaseResult, examine
from lab.doctor.invitations import invite
from lab.doctor.script import Guest
from lab.doctor.wire import BotWire, listening
from protocol.errors import Refusal

ROOT: Final = Path(__file__).resolve().parents[2]  # where `plyhouse` can be imported from
OWNER: Final = "doctor"
START_S: Final = 600.0  # of a bot that compiles first
FIRST_LINES: Final = 30  # of what a bot wrote, where it failed: an error is shown whole but once


@dataclass(frozen=True, slots=True)
class StartedBot:
    """A bot that runs in a process of its own, and the file with what it writes."""

    process: subprocess.Popen[bytes]
    log: Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse doctor bot`."""
    parser.add_argument("bot", nargs="?", metavar="FILE|NAME", help="a bot's file, or its name")
    parser.add_argument(
        "--listen", nargs="?", const="127.0.0.1:0", metavar="HOST:PORT",
        help="start none: print an address, and wait for a bot in any language to connect there",
    )  # fmt: skip
    parser.add_argument(
        "--url", help="invite NAME (or OWNER/NAME) at this server, where it is connected: only "
        "what an ordinary player can do there is tried",
    )  # fmt: skip
    parser.add_argument(
        "--wait", type=float, default=300.0, metavar="SECONDS", help="for --listen (default: 300)"
    )
    parser.add_argument(
        "--patience", type=float, default=1.0, metavar="FACTOR",
        help="multiplies all waits, for a bot that is slow by nature (default: 1)",
    )  # fmt: skip
    arguments.add_strength(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.epilog = "exit code: 0 nothing failed, 1 something did, 2 no such bot or address"


def run(args: argparse.Namespace) -> int:
    """Try all cases and print what became of them.

    Returns:
        0 if none failed, 1 if one did, 2 for bad input.
    """
    try:
        _check(args)
        return asyncio.run(_run(args))
    except (*BAD_INPUT, NoFolder) as error:
        print(f"plyhouse: {error}", file=sys.stderr)
    except (Refusal, Unreachable) as error:
        print(f"plyhouse: {error.text}", file=sys.stderr)
    except OSError as error:
        print(f"plyhouse: {args.listen or args.bot}: {error.strerror or error}", file=sys.stderr)
    return 2


def _check(args: argparse.Namespace) -> None:
    """BadOption where the arguments do not go together."""
    if (args.bot is None) == (args.listen is None):
        raise BadOption("name a bot, or say --listen and connect one yourself")
    if args.listen is not None and args.url is not None:
        raise BadOption("--listen and --url do not go together")
    if not 0.1 <= args.patience <= 100:
        raise BadOption(f"--patience is from 0.1 to 100, not {args.patience:g}")
    if not 0 < args.wait <= 86_400:
        raise BadOption(f"--wait is up to 86400 seconds, not {args.wait:g}")


async def _run(args: argparse.Namespace) -> int:
    results: list[CaseResult] = []
    if args.url is not None:
        results = await _print(args, invite(args.url, args.bot, args.patience))
    elif args.listen is not None:
        host, port = _address(args.listen)
        async with listening(host, port) as wire:
            say = sys.stderr if args.json else sys.stdout
            print(f"connect your bot to {wire.url}", file=say, flush=True)
            try:
                await wire.reopen(args.wait)
            except TimeoutError:
                raise BadOption(f"nobody connected within {args.wait:g} s") from None
            results = await _print(args, examine(wire, Guest(), args.patience))
    else:
        results = await _started(args)
    return 1 if any(result.state == "failed" for result in results) else 0


async def _started(args: argparse.Namespace) -> list[CaseResult]:
    """Start a bot of ours, try all cases, and end it."""
    name, folder = _named(args.bot)
    async with listening("127.0.0.1", 0) as wire:
        with tempfile.TemporaryDirectory(prefix="plyhouse-") as scratch:
            with _running(args, name, folder, wire.url, Path(scratch)) as started:
                await _connected(wire, started)
                results = await _print(args, examine(wire, Guest(), args.patience))
            if any(result.state == "failed" for result in results):
                _show_log(started.log)
    return results


def _named(text: str) -> tuple[str, Path | None]:
    """The bot's name, and the folder to be named in PLYHOUSE_BOTS, if it needs one.

    Raises:
        UnknownBot, BrokenBot, BadOption: with what is wrong.
    """
    path = Path(text)
    folder = None
    if path.suffix == ".py" or path.parent != Path() or path.exists():
        if not path.exists():
            raise BadOption(f"there is no file {text!r}")
        path = path.resolve()
        name = path.stem if path.suffix == ".py" else path.name
        folder = path.parent
        known = os.environ.get("PLYHOUSE_BOTS")
        os.environ["PLYHOUSE_BOTS"] = os.pathsep.join([str(folder), *([known] if known else [])])
        if registry.source(name) not in (path, path / "__init__.py"):
            raise BadOption(f"a bot of the house is called {name!r}; give the file another name")
    else:
        name = text
    registry.bot_class(name)
    return name, folder


@contextmanager
def _running(
    args: argparse.Namespace, name: str, folder: Path | None, url: str, scratch: Path
) -> Iterator[StartedBot]:
    """Run the bot as `plyhouse bot` does, until the block is left."""
    bot_class = registry.bot_class(name)
    plays = [game for game in games.names() if bot_class.plays(games.game(game))]
    words = [name, "--url", url, "--name", OWNER, "--token-file", str(scratch / "tokens.json")]
    words += ["--games", ",".join(games_for(plays)), "--slots", "2", "--until-eof"]
    for option in ("nodes", "ms", "level"):
        if (value := getattr(args, option)) is not None:
            words += [f"--{option}", str(value)]
    words += [word for pair in args.set for word in ("--set", pair)]
    path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH")) if part)
    log = scratch / "bot.log"
    reaper = Reaper(scratch)
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "plyhouse", "bot", *words],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,  # it ends with us
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    reaper.watch(process.pid)
    try:
        yield StartedBot(process, log)
    finally:
        with process:
            process.terminate()
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
        reaper.dismiss()


async def _connected(wire: BotWire, started: StartedBot) -> None:
    """Wait for the bot; BadOption if its process ends before it connects."""
    until = wire.now() + START_S
    while wire.now() < until:
        try:
            return await wire.reopen(0.5)
        except TimeoutError:
            if started.process.poll() is not None:
                lines = ["the bot ended", *_written(started.log)]
                raise BadOption(lines[-1].removeprefix("plyhouse: ")) from None
    raise BadOption(f"the bot did not connect within {START_S:g} s")


def _show_log(log: Path) -> None:
    """Print the first lines of what the bot wrote, and how many more there are."""
    lines = _written(log)
    more = len(lines) - FIRST_LINES
    if lines:
        rest = [f"... and {more} lines more"] if more > 0 else []
        print("\nwhat it wrote:", *lines[:FIRST_LINES], *rest, sep="\n  ", file=sys.stderr)


def _written(log: Path) -> list[str]:
    return log.read_text("utf-8", "replace").strip().splitlines()


async def _print(args: argparse.Namespace, results: AsyncIterator[CaseResult]) -> list[CaseResult]:
    """Print each result as soon as it is there, or all of them as JSON."""
    rows = []
    async for result in results:
        rows.append(result)
        if not args.json:
            print("\n".join(_lines(result)), flush=True)
    if args.json:
        report = {
            "ok": all(row.state != "failed" for row in rows), "cases": [r._asdict() for r in rows]
        }  # fmt: skip
        print(json.dumps(report, indent=1))
    else:
        count = {state: sum(1 for row in rows if row.state == state) for state in ("ok", "failed")}
        print(f"\n{count['ok']} ok, {count['failed']} failed, of {len(rows)}")
    return rows


def _lines(result: CaseResult) -> Iterator[str]:
    yield f"{result.state:9}  {result.case}"
    if result.state == "failed":
        yield f"           expected: {result.expected}"
        yield f"           seen:     {result.seen}"
    elif result.why:
        yield f"           {result.why}"


def _address(text: str) -> tuple[str, int]:
    """Host and port; BadOption for what is none."""
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65_535:
        raise BadOption(f"{text!r} is no HOST:PORT, such as 127.0.0.1:9000")
    return host.strip("[]") or "127.0.0.1", int(port)
