"""`plyhouse play`: arguments in, an exit code out.

Exit codes: 0 done, and in a pipe: this player has won; 1 the server ended
it; 2 the arguments make no sense or no server is there, with one sentence on stderr.  In a pipe
also 4 this player has lost, 5 a draw, 6 no result.
"""

from __future__ import annotations

import argparse
from typing import Final

from msgspec.structs import replace

from client.commands.arguments import add_person, guarded
from client.errors import ClientError
from client.terminal import visit
from client.terminal.typed import terms
from client.terminal.typed.commands import CreateRoom, JoinRoom, SeekOpponent, SessionCommand
from protocol import notation
from protocol.parts import ClockOptions, Options

_HELP: Final = """\
  plyhouse play                                   see who is there, and choose
  plyhouse play connect_four --against mcts       play a bot
  plyhouse play backgammon --against mcts --level 3 --clock 5+3 --seat second
  plyhouse play connect_four --private            open a room; it shows what a friend types
  plyhouse play backgammon --seek --clock 5+3     play whoever wants the same
  plyhouse play --join QF7KDM                     sit down in it, and the match starts

In a terminal, /help lists the commands and Tab completes them.  In a pipe, lines in are actions and
commands, lines out are plain text: each action waits until it is its turn, and what is left of them
when the match is over ends the program.  At the end of the input a match that is still on is given
up (called off if it may be, else resigned), so that no opponent is kept waiting.

Exit codes of a pipe: 0 you have won, 4 lost, 5 a draw, 6 no result (not played, called off, void or
still on), 1 the server ended it, 2 bad input.  In a terminal: 0, 1 and 2."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _HELP
    parser.add_argument("game", nargs="?", metavar="GAME", help="such as connect_four")
    parser.add_argument("--against", metavar="WHO", help="a bot (mcts), or somebody's name")
    parser.add_argument(
        "--seek", action="store_true", help="play whoever wants the same; wait until they come"
    )
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
        "--clock",
        metavar="5+3",
        help="minutes + seconds for each action, 3d (days for each action), or none (default)",
    )
    clock.add_argument("--per-move", metavar="SECONDS", help="time for each action")
    table.add_argument("--any-clock", action="store_true", help="--seek: also by another clock")
    table.add_argument("--private", action="store_true", help="only for those who have its code")
    table.add_argument("--rated", action="store_true", help="no takeback, no hint; needs a clock")
    table.add_argument(
        "--position", default="", metavar="TEXT", help="begin there, unrated: as the game writes it"
    )
    table.add_argument("--seat", default="first", metavar="SEAT", help="first (default) or second")
    cube = parser.add_argument_group("backgammon_cube")
    cube.add_argument("--points", metavar="N", help="a match to so many points, 1 to 25")
    cube.add_argument("--start", default="", metavar="NAME", help="nackgammon or hypergammon")
    cube.add_argument("--no-cube", action="store_true", help="nobody doubles")
    cube.add_argument("--jacoby", action="store_true", help="the Jacoby rule; not with --points")
    cube.add_argument("--beavers", action="store_true", help="beavers; not with --points")
    add_person(parser)


def run(args: argparse.Namespace) -> int:
    return guarded(lambda: visit.visit(args, first_command(args)))


def first_command(args: argparse.Namespace) -> SessionCommand | None:
    """Return the command that `plyhouse play` begins with; None: the lobby.

    Raises:
        ClientError, BadNotation: the arguments make no sense.
    """
    if args.join is not None:
        if args.game or args.against or args.seek:
            raise ClientError(
                "--join goes to an existing room: leave out the game, --against and --seek"
            )
        return JoinRoom(terms.parse_place(args.join))
    if args.game is None:
        if args.seek:
            raise ClientError("which game? plyhouse play GAME --seek")
        if args.against:
            raise ClientError(
                f"which game against {args.against}? plyhouse play GAME --against ..."
            )
        return None
    strength = terms.parse_strength(
        level=args.level,
        nodes=args.nodes,
        ms=args.ms,
        settings=dict(terms.parse_setting(text) for text in args.set),
    )
    options = Options(
        clock=_clock(args),
        public=not args.private,
        rated=args.rated,
        points=terms.parse_points(args.points) if args.points is not None else None,
        cube=not args.no_cube,
        jacoby=args.jacoby,
        beavers=args.beavers,
        start=args.start,
        position=args.position,
    )
    if args.seek:
        if args.against or args.private:
            raise ClientError("--seek finds whoever comes: leave out --against and --private")
        return SeekOpponent(args.game, replace(options, sought=("clock",) * args.any_clock))
    return CreateRoom(args.game, options, terms.parse_seat(args.seat), args.against, strength)


def _clock(args: argparse.Namespace) -> ClockOptions | None:
    if args.per_move is not None:
        return notation.parse_clock(f"{args.per_move}/move")
    return notation.parse_clock(args.clock or "none")
