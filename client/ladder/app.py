"""`plyhouse ladder`: arguments in, an exit code out.

Exit codes: 0 done; 1 the connection ended, 2 asked wrongly, or nothing there.  Of `status` and
`watch` for a test of two bots (`sprt`) that is finished: 0 better, 1 not better by 30, 3 undecided.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from client.connection import DEFAULT_PORT, Connection
from client.ladder import following, report, sheets, tables, wording
from client.ladder.report import NothingToReport
from client.records.app import guarded
from client.terminal.lines import clean
from client.terminal.person import Door, enter
from protocol.errors import PlyhouseError, ProtocolError
from protocol.ladder import LadderState
from protocol.messages import Push

DEFAULT_URL = f"127.0.0.1:{DEFAULT_PORT}"
_FORMATS = "endless (default), roundrobin:N, gauntlet:BOT or sprt:NEW,OLD"
_HELP = """\
  plyhouse ladder create daily --game connect_four --clock 10+0.1
  plyhouse ladder join daily mcts --slots 2       let a bot play on it: the same as
  plyhouse bot mcts --ladder daily --slots 2
  plyhouse ladder watch daily                     the standing, live
  plyhouse ladder report daily --out daily        a folder with plots, tables and records"""


# ---------------------------------------------------------------- arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse ladder`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _HELP
    commands = parser.add_subparsers(dest="what", required=True, metavar="COMMAND")
    _add_create(commands.add_parser("create", help="open a ladder, which is yours then"))
    join = commands.add_parser(
        "join", help="let a bot play on it: plyhouse ladder join NAME BOT [options of plyhouse bot]"
    )
    join.add_argument("ladder", metavar="NAME", help="of the ladder")
    join.add_argument("bot", metavar="BOT", nargs="+", help="as for plyhouse bot")
    join.set_defaults(run=_join)
    _add_status(commands.add_parser("status", help="the standing, or without a name all ladders"))
    watch = _named(commands.add_parser("watch", help="the standing, live"), _watch)
    _add_person(watch)
    _add_person(_named(commands.add_parser("stop", help="end a ladder of yours"), _stop))
    made = _named(
        commands.add_parser("report", help="write a folder: plots, tables, records"), _report
    )
    made.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="a new, or empty folder"
    )
    _add_person(made)


def _add_create(parser: argparse.ArgumentParser) -> None:
    _named(parser, _create)
    parser.add_argument("--game", required=True, help="such as connect_four")
    parser.add_argument(
        "--clock", required=True, metavar="S+I", help="seconds + seconds for each action, or S/move"
    )
    parser.add_argument("--format", default="endless", help=_FORMATS)
    parser.add_argument(
        "--quota", type=int, default=16, help="pairs at once of one owner's bots (default: 16)"
    )
    parser.add_argument(
        "--players",
        type=int,
        default=1,
        metavar="N",
        help="bots that join before the first pair, the house's not counted (default: 1)",
    )
    parser.add_argument("--seed", type=int, help="of the order of openings (default: a fresh one)")
    _add_person(parser)


def _add_status(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ladder", nargs="?", metavar="NAME", help="of the ladder")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="as JSON, as the server sends it")
    form.add_argument("--csv", action="store_true", help="as CSV, a row a player")
    parser.set_defaults(run=_status)
    _add_person(parser)


def _named(
    parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    parser.add_argument("ladder", metavar="NAME", help="of the ladder")
    parser.set_defaults(run=run)
    return parser


def _add_person(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("who and where")
    group.add_argument("--name", help="your name there (default: the last one, or your login)")
    group.add_argument(
        "--url",
        default=os.environ.get("PLYHOUSE_URL") or DEFAULT_URL,
        help=f"the server's address (default: PLYHOUSE_URL, or {DEFAULT_URL})",
    )


def run(args: argparse.Namespace) -> int:
    """Do what is asked: the exit code."""
    try:
        return guarded(lambda: int(args.run(args)))
    except NothingToReport as error:
        return _sorry(str(error), 2)
    except PlyhouseError as error:  # `guarded` has told refusals already
        return _sorry(error.text, 2 if isinstance(error, ProtocolError) else 1)


def _sorry(text: str, code: int) -> int:
    print(f"plyhouse: {clean(text)}", file=sys.stderr)
    return code


async def _enter(args: argparse.Namespace, on_link: Callable[[bool], None]) -> Connection:
    return await enter(Door(args.url, text=False, on_link=on_link), args.name)


def _alone(up: bool) -> None:
    """A short visit does not mind about lost connections."""


# ---------------------------------------------------------------- commands that ask once


def _join(args: argparse.Namespace) -> int:
    """Reached only where the name does not come first: plyhouse.py turns the rest to the bots."""
    return _sorry("write: plyhouse ladder join NAME BOT, and then the options of plyhouse bot", 2)


def _create(args: argparse.Namespace) -> int:
    return asyncio.run(_open(args))


async def _open(args: argparse.Namespace) -> int:
    clock = wording.parse_clock(args.clock)
    async with await _enter(args, _alone) as house:
        state = await house.ladder_create(
            args.ladder, args.game, clock, args.format, args.quota, args.seed, args.players
        )
    name = clean(state.ladder.name)
    print(f"{name} is open: {wording.kind_text(state.ladder)}; it is {clean(house.name)}'s.")
    if args.players > 1:
        print(
            f"Its first pair begins when {args.players} bots have joined, the house's not counted."
        )
    print(f"Bots join it with: plyhouse bot BOT --ladder {name}")
    print(f"Its page: {wording.page_of(args.url, name)}")
    return 0


def _stop(args: argparse.Namespace) -> int:
    async def stop() -> LadderState:
        async with await _enter(args, _alone) as house:
            await house.ladder_stop(args.ladder)
            return await house.ladder_status(args.ladder)

    state = asyncio.run(stop())
    pairs = wording.count(state.ladder.pairs, "pair")
    print(f"{clean(state.ladder.name)} is finished, with {pairs}.")
    return 0


def _status(args: argparse.Namespace) -> int:
    return asyncio.run(_look(args))


async def _look(args: argparse.Namespace) -> int:
    to = tables.console(sys.stdout)
    async with await _enter(args, _alone) as house:
        if args.ladder is None:
            listed = await house.ladders()
        else:
            state = await house.ladder_status(args.ladder)
    if args.ladder is None:
        if args.json:
            _dump(listed)
        elif args.csv:
            print(sheets.ladders(listed), end="")
        else:
            tables.say(to, tables.ladders(listed))
        return 0
    if args.json:
        _dump(state)
    elif args.csv:
        print(sheets.standings(state), end="")
    else:
        page = wording.page_of(args.url, state.ladder.name)
        tables.say(to, tables.whole(state, to, page))
    return code_of(state)


def _dump(message: Push) -> None:
    """The message as the wire has it, but for the number of the request."""
    fields = {k: v for k, v in msgspec.to_builtins(message).items() if k != "re"}
    print(json.dumps(fields, ensure_ascii=False))


def code_of(state: LadderState) -> int:
    """The exit code that a standing asks for: that of its verdict, once the test is over."""
    if state.verdict is None or state.ladder.state != "finished":
        return 0
    return {"better": 0, "not better by 30": 1}.get(state.verdict.word, 3)


# ---------------------------------------------------------------- watch, report


def _watch(args: argparse.Namespace) -> int:
    return asyncio.run(_follow(args))


async def _follow(args: argparse.Namespace) -> int:
    """Show the ladder until it is finished, or until Ctrl-C."""
    to = tables.console(sys.stdout)
    page = wording.page_of(args.url, args.ladder)
    drawn = to.is_terminal and not to.is_dumb_terminal
    face = following.Screen(to, page) if drawn else following.Lines(to, page)
    here: list[following.Face] = []  # empty while the first connection is made: that is no news

    def on_link(up: bool) -> None:
        for each in here:
            if not up:
                each.link(up=False)

    async with await _enter(args, on_link) as house:
        # Refusals come before the screen is taken over.
        await house.ladder_status(args.ladder)
        here.append(face)
        with face.shown():
            work = asyncio.create_task(following.follow(house, args.ladder, face))
            _end_on_signal(work, face)
            await asyncio.wait({work})
        here.clear()
    if work.cancelled():
        return 0
    last = work.result()
    if last is None:
        text = house.reason.text if house.reason is not None else "the connection is over"
        return _sorry(text, 1)
    return code_of(last)


def _end_on_signal(
    work: asyncio.Task[LadderState | None], face: following.Screen | following.Lines
) -> None:
    """Ctrl-C ends it; a window of another size is drawn anew."""
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, work.cancel)
    if isinstance(face, following.Screen):
        loop.add_signal_handler(signal.SIGWINCH, face.draw)


def _report(args: argparse.Namespace) -> int:
    report.check(args.out)

    async def gather() -> report.Gathered:
        async with await _enter(args, _alone) as house:
            return await report.gather(house, args.ladder)

    gathered = asyncio.run(gather())
    files = report.files(gathered)
    report.write(args.out, files)
    size = sum(map(len, files.values()))
    print(f"wrote {args.out / 'index.html'}, with {len(files) - 1} files beside it, {size:,} bytes")
    if gathered.missing:
        print(f"the server has no record of {', '.join(gathered.missing[:5])}", file=sys.stderr)
    return 0
