"""`plyhouse ladder`: arguments in, an exit code out.

Exit codes: 0 done; 1 the connection ended; 2 it cannot be done, or nothing is there.  Of `status`
and `watch` for a finished test of two bots (`sprt`): 0 better, 1 not better by elo1, 3 undecided.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import msgspec

from client import words
from client.commands.arguments import add_server, complain, guarded
from client.errors import ClientError
from client.ladder import csv as ladder_csv
from client.ladder import figures, following, report, tables
from client.names.sign_in import sign_in
from client.styled_text import clean
from protocol import notation
from protocol.errors import PlyhouseError, ProtocolError
from protocol.ladder import FORMATS, MAX_COMPARED, USAGE, LadderState
from protocol.messages import Push
from protocol.records.plain_text import clean_json
from protocol.shell.signals import ending_signals

_HELP = """\
  plyhouse ladder create daily --game connect_four --clock 10s+0.1s
  plyhouse ladder create ours --game connect_four --clock 10s+0.1s --members ann,bob --code X7K2M9
  plyhouse ladder join daily mcts --slots 2       let a bot play on it: the same as
  plyhouse bot mcts --ladder daily --slots 2
  plyhouse ladder watch daily                     the standings, live
  plyhouse ladder status daily --compare mcts,minimax   how two differ, and how sure that is
  plyhouse ladder report daily --out daily        a folder with plots, tables and records"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _HELP
    commands = parser.add_subparsers(dest="what", required=True, metavar="COMMAND")
    _add_create(commands.add_parser("create", help="open a ladder of your own"))
    about = "the standings of a ladder, or a list of all"
    _add_status(commands.add_parser("status", aliases=["list"], help=about))
    watch = _named(commands.add_parser("watch", help="the standings, live"), _watch)
    watch.add_argument("--compare", metavar="A,B", help="show how these two players differ, too")
    add_server(watch)
    add_server(_named(commands.add_parser("stop", help="end a ladder of yours"), _stop))
    drop = _named(
        commands.add_parser("drop", help="go on without a bot, on a ladder of yours"), _drop
    )
    drop.add_argument("player", metavar="BOT", help="such as mcts, ann/mcts or ann/mcts@2")
    add_server(drop)
    report_parser = _named(
        commands.add_parser("report", help="write a folder: plots, tables, records"), _report
    )
    report_parser.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="a new, or empty folder"
    )
    report_parser.add_argument(
        "--matches", type=int, metavar="N", help="records of the last N matches (default: of all)"
    )
    add_server(report_parser)


def _add_create(parser: argparse.ArgumentParser) -> None:
    _named(parser, _create)
    parser.add_argument("--game", required=True, help="such as connect_four")
    parser.add_argument(
        "--clock", required=True, help=f"time for each side: {notation.CLOCK_EXAMPLES}"
    )
    parser.add_argument("--format", default="endless", help=USAGE)
    parser.add_argument(
        "--quota", type=int, default=16, help="pairs at once of one owner's bots (default: 16)"
    )
    parser.add_argument(
        "--players",
        type=int,
        default=1,
        metavar="N",
        help="bots that must join before the first pair; the house's do not count (default: 1)",
    )
    parser.add_argument(
        "--members",
        default="",
        metavar="NAMES",
        help="only the bots of these owners join, and who has the code: ann,bob or bob/mcts",
    )
    parser.add_argument("--code", help="with this code others join, too")
    parser.add_argument(
        "--siblings",
        action="store_true",
        help="two bots of one owner meet as well (your own do so in any case)",
    )
    parser.add_argument(
        "--by-owner",
        action="store_true",
        help="each owner counts once in the ratings, however many names and bots it plays with",
    )
    parser.add_argument("--seed", type=int, help="of the order of openings (default: a fresh one)")
    add_server(parser)


def _add_status(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("ladder", nargs="?", metavar="NAME", help="of the ladder")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="as JSON, as the server sends it")
    output.add_argument("--csv", action="store_true", help="as CSV, a row a player")
    parser.add_argument(
        "--compare",
        metavar="A,B",
        help="instead: how these players differ, with intervals and LOS; one alone: from all;"
        " all: each of the best 40 from each",
    )
    parser.set_defaults(run=_status)
    add_server(parser)


def _named(
    parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], Coroutine[Any, Any, int]]
) -> argparse.ArgumentParser:
    parser.add_argument("ladder", metavar="NAME", help="of the ladder")
    parser.set_defaults(run=run)
    return parser


def run(args: argparse.Namespace) -> int:
    try:
        return guarded(lambda: int(asyncio.run(args.run(args))))
    except PlyhouseError as error:  # `guarded` has caught refusals already
        return complain(error.text, 2 if isinstance(error, ProtocolError) else 1)


async def _create(args: argparse.Namespace) -> int:
    clock = notation.parse_clock(args.clock)
    if clock is None:
        raise ClientError("a ladder needs a clock, such as 10s+0.1s")
    async with await sign_in(args.url, args.name) as connection:
        members = tuple(filter(None, (name.strip() for name in args.members.split(","))))
        state = await connection.ladder_create(
            args.ladder, args.game, clock, args.format, quota=args.quota, seed=args.seed,
            players=args.players, members=members, code=args.code, siblings=args.siblings,
            by_owner=args.by_owner,
        )  # fmt: skip
    name = clean(state.ladder.name)
    print(
        f"{name} is open: {figures.kind_text(state.ladder)}; its owner is {clean(connection.name)}."
    )
    if args.players > 1:
        print(
            f"Its first pair begins when {args.players} bots have joined; the house's do not count."
        )
    kind = FORMATS.get(args.format.partition(":")[0].strip())
    if not (args.siblings or (kind is not None and kind.tests)):
        print("Two bots of one owner do not meet on it: that takes --siblings.")
    if members:
        print(f"Only for the bots of {clean(', '.join(members))}, and who has the code.")
    if not state.ladder.invited:
        print(
            "It is open: a player with several names can buy a rating. --members or --code"
            " keep it to those whom you know"
            + ("." if args.by_owner else "; --by-owner counts each owner once.")
        )
    code = f" --code {clean(args.code)}" if args.code else ""
    print(f"Bots join it with: plyhouse bot BOT --ladder {name}{code}")
    print(f"Its page: {figures.page_of(args.url, name)}")
    return 0


async def _stop(args: argparse.Namespace) -> int:
    async with await sign_in(args.url, args.name) as connection:
        await connection.ladder_stop(args.ladder)
        state = await connection.ladder_status(args.ladder)
    pairs = words.count(state.ladder.pairs, "pair")
    print(f"{clean(state.ladder.name)} is finished, with {pairs}.")
    return 0


async def _drop(args: argparse.Namespace) -> int:
    async with await sign_in(args.url, args.name) as connection:
        await connection.ladder_drop(args.ladder, args.player)
    print(f"{clean(args.player)} begins no more pairs on {clean(args.ladder)}.")
    return 0


async def _status(args: argparse.Namespace) -> int:
    to = tables.console(sys.stdout)
    if args.compare is not None:
        return await _compare(args)
    async with await sign_in(args.url, args.name) as connection:
        if args.ladder is None:
            ladders = await connection.ladders()
        else:
            state = await connection.ladder_status(args.ladder)
    if args.ladder is None:
        if args.json:
            _dump(ladders)
        elif args.csv:
            print(ladder_csv.ladders(ladders), end="")
        else:
            tables.say(to, tables.ladders(ladders))
        return 0
    if args.json:
        _dump(state)
    elif args.csv:
        print(ladder_csv.standings(state), end="")
    else:
        page = figures.page_of(args.url, state.ladder.name)
        tables.say(to, tables.whole(state, to, page))
    return code_of(state)


async def _compare(args: argparse.Namespace) -> int:
    """Show how players differ."""
    if args.ladder is None:
        raise ClientError("--compare needs a ladder: plyhouse ladder status NAME --compare A,B")
    players = [] if args.compare.strip() == "all" else _players(args.compare)
    async with await sign_in(args.url, args.name) as connection:
        answer = await connection.ladder_compare(args.ladder, *players)
    if args.json:
        _dump(answer)
    elif args.csv:
        print(ladder_csv.differences(answer), end="")
    else:
        to = tables.console(sys.stdout)
        tables.say(to, tables.differences(answer, to))
        print(f"These rest on {words.count(answer.rated, 'pair')}.")
    return 0


def _players(text: str) -> list[str]:
    """Return the names between commas; raises ClientError for none, or too many."""
    players = [name.strip() for name in text.split(",")]
    if not all(players):
        raise ClientError(f"--compare takes players, such as mcts,ann/deep@2, or all; not {text!r}")
    if len(players) > MAX_COMPARED:
        raise ClientError(f"--compare takes {MAX_COMPARED} players at most")
    return players


def _dump(message: Push) -> None:
    """Print the message as JSON, as the wire has it, without the number of the request."""
    fields = {k: v for k, v in msgspec.to_builtins(message).items() if k != "re"}
    print(clean_json(json.dumps(fields, ensure_ascii=False)))


def code_of(state: LadderState) -> int:
    """Return the exit code that a state asks for: that of its verdict, once the test is over."""
    if state.verdict is None or state.ladder.state != "finished":
        return 0
    return {"better": 0, "not better": 1}.get(state.verdict.word, 3)


async def _watch(args: argparse.Namespace) -> int:
    """Show the ladder until it is finished, or until Ctrl-C."""
    compare = [] if args.compare is None else _players(args.compare)
    if len(compare) not in (0, 2):
        raise ClientError("watch compares two players: --compare A,B")
    to = tables.console(sys.stdout)
    page = figures.page_of(args.url, args.ladder)
    drawn = to.is_terminal and not to.is_dumb_terminal
    view = following.LiveLadder(to, page) if drawn else following.LadderLog(to, page)
    views: list[following.LadderView] = []  # empty during the first connection: that is no news

    def on_link(up: bool) -> None:
        if not up:
            for each in views:
                each.link(up=False)

    async with await sign_in(args.url, args.name, on_link=on_link) as connection:
        # Refusals come before the screen is taken over.
        await connection.ladder_status(args.ladder)
        if compare:
            await connection.ladder_compare(args.ladder, *compare)
        views.append(view)
        with view.shown():
            work = asyncio.create_task(following.follow(connection, args.ladder, view, compare))
            _end_on_signal(work, view)
            await asyncio.wait({work})
        views.clear()
    if work.cancelled():
        return 0
    last = work.result()
    if last is None:
        text = connection.reason.text if connection.reason is not None else "the connection is over"
        return complain(text, 1)
    return code_of(last)


def _end_on_signal(
    work: asyncio.Task[LadderState | None], view: following.LiveLadder | following.LadderLog
) -> None:
    """End at Ctrl-C, and draw again in a window of another size."""
    if sys.platform == "win32":
        return
    loop = asyncio.get_running_loop()
    for number in ending_signals():
        loop.add_signal_handler(number, work.cancel)
    if isinstance(view, following.LiveLadder):
        loop.add_signal_handler(signal.SIGWINCH, view.draw)


async def _report(args: argparse.Namespace) -> int:
    report.check(args.out)
    if args.matches is not None and args.matches < 0:
        raise report.NothingToReport(f"--matches must be 0 or more, not {args.matches}")
    async with await sign_in(args.url, args.name) as connection:
        gathered = await report.gather(connection, args.ladder, args.matches)
    files = report.files(gathered)
    report.write(args.out, files)
    size = sum(map(len, files.values()))
    print(f"wrote {args.out / 'index.html'}, with {len(files) - 1} files beside it, {size:,} bytes")
    if gathered.missing:
        print(f"the server has no record of {', '.join(gathered.missing[:5])}", file=sys.stderr)
    return 0
