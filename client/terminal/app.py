"""`plyhouse play`, `watch` and `rooms`: arguments in, an exit code out.

Exit codes: 0 it was played or shown; 1 the house ended it; 2 asked wrongly, or no server is there,
with one sentence on stderr.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec

from client.connection import DEFAULT_PORT, Unreachable, parse_address
from client.terminal import obey, tables, terms
from client.terminal.commands import BadCommand, Command, Follow, Open, Sit
from client.terminal.lines import line, text_of
from client.terminal.person import Door, enter
from client.terminal.plain import Plain
from client.terminal.session import Session
from client.terminal.tables import Menu
from client.terminal.terms import BadTerm
from protocol.errors import Refusal
from protocol.messages import ClockOptions, Options

if TYPE_CHECKING:
    from client.terminal.screen import Screen

DEFAULT_URL: Final = f"127.0.0.1:{DEFAULT_PORT}"

_PLAY_HELP: Final = """\
  plyhouse play                                   see who is there, and choose
  plyhouse play connect_four --against mcts       play a bot
  plyhouse play backgammon --against mcts --level 3 --clock 5+3 --seat second
  plyhouse play connect_four --private            open a room; its code is shown
  plyhouse play --join QF7KDM                     sit down in it

In a terminal, /help lists the commands and Tab completes them.  In a pipe, lines in are actions and
commands, lines out are plain text: each action waits until it is its turn, and at the end of the
input a match that is still on is given up (aborted if it may be, else resigned), so that nobody is
kept waiting."""


class BadArguments(ValueError):
    """Arguments that do not go together; the text is a sentence."""


# ---------------------------------------------------------------- arguments


def add_play_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse play`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _PLAY_HELP
    parser.add_argument("game", nargs="?", metavar="GAME", help="such as connect_four")
    parser.add_argument("--against", metavar="WHO", help="a bot (mcts), or somebody's name")
    parser.add_argument(
        "--join", metavar="ROOM", help="sit down in a room: its number, or its code"
    )
    how = parser.add_argument_group("how strong the bot shall be")
    strength = how.add_mutually_exclusive_group()
    strength.add_argument("--level", metavar="N", help="1 to 8, where it has levels")
    strength.add_argument("--nodes", metavar="N", help="nodes to search for each action")
    strength.add_argument("--ms", metavar="N", help="milliseconds for each action")
    how.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the bot"
    )
    table = parser.add_argument_group("the table")
    clock = table.add_mutually_exclusive_group()
    clock.add_argument(
        "--clock", metavar="5+3", help="minutes + seconds for each action, or none (default)"
    )
    clock.add_argument("--per-move", metavar="SECONDS", help="so long for each action")
    table.add_argument("--private", action="store_true", help="only for those who have its code")
    table.add_argument("--rated", action="store_true", help="for the ladder: no takeback, no hint")
    table.add_argument("--seat", default="first", metavar="SEAT", help="first (default) or second")
    _add_person(parser)


def add_watch_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse watch`."""
    parser.add_argument("room", metavar="ROOM", help="a room (17), a match (17.2), or a code")
    _add_person(parser)


def add_rooms_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `plyhouse rooms`."""
    parser.add_argument("--json", action="store_true", help="as JSON, as the server sends it")
    _add_person(parser)


def _add_person(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("who and where")
    group.add_argument("--name", help="your name here (default: the last one, or your login)")
    group.add_argument(
        "--link", metavar="CODE", help="take over a name: the code that /link showed"
    )
    group.add_argument(
        "--url",
        default=os.environ.get("PLYHOUSE_URL") or DEFAULT_URL,
        help=f"the server's address (default: PLYHOUSE_URL, or {DEFAULT_URL})",
    )
    group.add_argument(
        "--encoding", choices=("msgpack", "json"), default="msgpack", help="on the wire"
    )


def play_command(args: argparse.Namespace) -> Command | None:
    """What `plyhouse play` shall begin with; None: with the lobby.

    Raises:
        BadTerm, BadArguments: for what makes no sense.
    """
    if args.join is not None:
        if args.game or args.against:
            raise BadArguments("--join goes to a room that is there: name no game, nobody to play")
        return Sit(terms.parse_place(args.join))
    if args.game is None:
        if args.against:
            raise BadArguments(
                f"which game against {args.against}? plyhouse play GAME --against ..."
            )
        return None
    strength = terms.parse_strength(
        level=args.level,
        nodes=args.nodes,
        ms=args.ms,
        settings=dict(terms.parse_setting(text) for text in args.set),
    )
    options = Options(clock=_clock(args), public=not args.private, rated=args.rated)
    return Open(args.game, options, terms.parse_seat(args.seat), args.against, strength)


def _clock(args: argparse.Namespace) -> ClockOptions | None:
    if args.per_move is not None:
        return terms.parse_per_move(args.per_move)
    return terms.parse_clock(args.clock or "none")


# ---------------------------------------------------------------- the commands


def run_play(args: argparse.Namespace) -> int:
    """Play: the exit code."""
    return _guarded(lambda: _play(args, play_command(args)))


def run_watch(args: argparse.Namespace) -> int:
    """Watch: the exit code."""
    return _guarded(lambda: _play(args, Follow(terms.parse_place(args.room))))


def run_rooms(args: argparse.Namespace) -> int:
    """List rooms and bots: the exit code."""
    return _guarded(lambda: asyncio.run(_rooms(args)))


def _guarded(work: Callable[[], int]) -> int:
    try:
        return work()
    except Unreachable as error:
        start = "; `plyhouse up` starts one" if error.code == "client/unreachable" else ""
        return _sorry(error.text + start)
    except Refusal as error:
        return _sorry(error.text)
    except (BadCommand, BadTerm, BadArguments) as error:
        return _sorry(str(error))
    except BrokenPipeError:
        # Whoever read our lines is gone; let the interpreter not stumble over it once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _sorry(text: str) -> int:
    print(f"plyhouse: {text_of(line(text))}", file=sys.stderr)
    return 2


def _play(args: argparse.Namespace, start: Command | None) -> int:
    """Play or watch, under one name after the other if that is wished."""
    name, link = args.name, args.link
    while True:
        code, rename = asyncio.run(_visit(args, name, link, start))
        if rename is None:
            return code
        name, link, start = rename, None, None


async def _visit(
    args: argparse.Namespace, name: str | None, link: str | None, start: Command | None
) -> tuple[int, str | None]:
    """Connect, do what was asked for, and stay: the exit code, and the name to go on under."""
    here: list[Session] = []  # empty while the first connection is made: that is no news

    def on_link(up: bool) -> None:
        for session in here:
            session.link_changed(up)

    async with await enter(_door(args, on_link), name, link) as house:
        face = _face()
        session = Session(house, face, place_of(args.url))
        if name is not None and house.name != name:
            face.tell(line(("offer", f"{name} is taken here; you are {house.name}.")))
        if isinstance(start, Follow):
            session.stay, session.watched = face.patient, start.place.match
        await obey.begin(session, start)
        face.attach(session.scene, session.known)
        here.append(session)
        if sys.platform != "win32":
            for sign in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(sign, session.go_for_now)
        try:
            return await _stay(face, session), session.rename
        finally:
            here.clear()  # that the connection is closed now is no news, either


def _door(args: argparse.Namespace, on_link: Callable[[bool], None]) -> Door:
    return Door(args.url, text=args.encoding == "json", on_link=on_link)


def _face() -> Screen | Plain:
    """A screen where both ends are a terminal that can be drawn on, else plain lines."""
    both = sys.stdin.isatty() and sys.stdout.isatty()
    if both and os.environ.get("TERM") not in (None, "", "dumb"):
        from client.terminal.screen import Screen  # a pipe does without, and starts sooner

        return Screen()
    return Plain(sys.stdout, sys.stdin.fileno())


async def _stay(face: Screen | Plain, session: Session) -> int:
    """Run the session, and the screen with it where there is one."""

    async def work(command: Command) -> None:
        await obey.obey(session, command)

    if isinstance(face, Plain):
        face.show()  # what there was before anything came
        return await session.run(work)
    drawing = asyncio.create_task(face.run())
    running = asyncio.create_task(session.run(work))
    try:
        await asyncio.wait({drawing, running}, return_when=asyncio.FIRST_COMPLETED)
        if drawing.done():
            drawing.result()  # nobody shall sit before a screen that died of a bug
        return await running
    finally:
        running.cancel()
        await asyncio.wait({running})
        face.stop()
        await asyncio.wait({drawing})


def place_of(url: str) -> str:
    """A server's address as people read it."""
    return urlsplit(parse_address(url)).netloc


async def _rooms(args: argparse.Namespace) -> int:
    async with await enter(_door(args, lambda up: None), args.name, args.link) as house:
        lobby = await house.lobby(follow=False)
    if args.json:
        print(json.dumps(msgspec.to_builtins(lobby), ensure_ascii=False))
        return 0
    menu = tables.lobby_menu(lobby, house.name, Menu(), house.welcome.games)
    for shown in tables.menu_lines(replace(menu, foot=""), numbered=False):
        print(text_of(shown).rstrip())
    return 0
