"""The `plyhouse` command: reads which app is meant, then imports that app and nothing else.

The only product file that may name both the server and the bots: `up` starts them as separate
processes.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

VERSION = "0.1.0"
HOUSE_BOTS = "mcts,minimax,hybrid,flat,solver,gammon,random"  # as the lobby lists them
PAGE = Path(__file__).parent / "client" / "web"
STEADY_S = 60.0  # house bots that ran so long did not end because of how they were started


class Command(NamedTuple):
    """A command: its row in the list of commands, and the two functions of its app.

    `module:function` names a function that is imported only when it is needed.
    """

    about: str
    add_arguments: str | Callable[[argparse.ArgumentParser], None]
    run: str | Callable[[argparse.Namespace], int]
    example: str = ""  # for --help, where the app has none of its own


def _in(module: str, about: str, example: str = "") -> Command:
    """A command whose app is a module of its own."""
    return Command(about, f"{module}:add_arguments", f"{module}:run", example)


def _serve(args: argparse.Namespace) -> int:
    from server import app

    return app.run(args, PAGE, reserved=HOUSE_BOTS.split(","))


def _add_up_arguments(parser: argparse.ArgumentParser) -> None:
    from server import app
    from server.cluster import siblings

    app.add_arguments(parser)
    parser.add_argument("--lan", action="store_true", help="let others on this network in")
    parser.add_argument("--bots", default=HOUSE_BOTS, help=f"default: {HOUSE_BOTS}")
    parser.add_argument(
        "--no-anchors",
        action="store_true",
        help="without the bots of fixed strength that play on every ladder",
    )
    siblings.add_arguments(parser)


def _up(args: argparse.Namespace) -> int:
    """`plyhouse up`: the server in this process, the house's bots in another."""
    import asyncio
    from contextlib import AsyncExitStack

    from bots import registry
    from protocol.files import folders
    from server import app, log_lines
    from server.cli import announcing, greeting
    from server.cluster import siblings

    data = args.data or folders.data()
    bots = [name for part in args.bots.split(",") if (name := part.strip())]
    try:
        for name in bots:
            registry.source(name)
            if name not in HOUSE_BOTS.split(","):
                registry.check_installed(name)
    except registry.UnknownBot as error:
        log_lines.open_log(args.log)
        log_lines.complain(args.log, error)
        return 2
    if args.lan and args.host == "127.0.0.1":
        args.host = "0.0.0.0"
    if (others := siblings.prepare(args, data)) is None:
        return 2

    async def beside(url: str, inner_url: str) -> None:
        async with AsyncExitStack() as stack:
            reach = greeting.NOT_ANNOUNCED
            if args.lan:
                reach = await announcing.announce(url, args.name, stack)
            qr = args.lan and sys.stdout.isatty()
            print(greeting.text(url, bots, data, args.name, reach, qr, len(others)), flush=True)
            beside_it.begin(data)
            if bots or not args.no_anchors:
                at = greeting.here(inner_url)
                await _keep_bots(at, bots, data, not args.no_anchors, args.log == "json")
            await asyncio.Event().wait()  # what is announced stays so until the server ends

    with siblings.Siblings(__file__, others) as beside_it:
        return app.run(args, PAGE, beside, bots, again=bool(others))


async def _keep_bots(
    url: str, bots: list[str], data: Path, anchors: bool = True, relayed: bool = False
) -> None:
    """Run the house's bots, with or without the anchors, until cancelled.

    If their process ends by itself, start it again after a pause; the pause grows up to a minute
    and is short again after STEADY_S of play.  `relayed`: their standard error is logged.
    """

    from client.backoff import Backoff

    backoff = Backoff(first=1.0, longest=60.0)
    tokens = str(data / "house-bots.json")  # which the server has written, with the house's token
    words = ["--url", url, "--name", "house", "--token-file", tokens, "--slots", "16"]
    words += ["--quiet", "--until-eof", "--at-once", *(["--anchors"] if anchors else [])]
    attempt = 0
    while True:
        start = backoff.now()
        try:
            how = f"ended with code {(code := await _run_bots([*bots, *words], relayed))}"
        except OSError as error:  # no process, no file or no memory is to be had just now
            code, how = None, f"could not be started ({error.strerror})"
        if code == 2:  # wrong arguments, and it has said so
            return
        if backoff.now() - start >= STEADY_S:
            attempt = 0
        pause = backoff.wait(attempt)
        print(f"plyhouse: the bots {how}; they start again in {pause:.1f} s", flush=True)
        await backoff.sleep(pause)
        attempt += 1


async def _run_bots(words: list[str], relayed: bool) -> int:
    """Run the house's bots until they end, and return their exit code."""
    import asyncio

    from server import log_lines

    child = await asyncio.create_subprocess_exec(
        *(sys.executable, __file__, "bot", *words),
        stdin=asyncio.subprocess.PIPE,  # held open: the bots end with the process that holds it
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE if relayed else None,
        start_new_session=True,
    )
    try:
        async with log_lines.relayed(child.stderr if relayed else None, "bots"):
            return await child.wait()
    except asyncio.CancelledError:
        with contextlib.suppress(ProcessLookupError):  # it has ended just now
            child.kill()  # a bot has nothing to save: its matches stand in the server's log
        await child.wait()
        raise


def _add_analyse_arguments(parser: argparse.ArgumentParser) -> None:
    from bots.commands import analyse
    from client.commands import arguments

    analyse.add_arguments(parser)
    arguments.add_match(parser)


def _analyse(args: argparse.Namespace) -> int:
    """`plyhouse analyse`: the client finds the match, a bot's search looks at it."""
    from bots.commands import analyse
    from client.commands.arguments import guarded, record_source, report_faults
    from client.records.source import finished, replays
    from client.styled_text import clean
    from client.words import full_title, result_text

    def analysed() -> int:
        found = finished(asked := record_source(args))
        matches = []
        for replay in replays(asked, found, whole_series=args.series):
            one, two = (clean(full_title(player)) for player in replay.players)
            result = clean(result_text(replay.result, replay.game.name, replay.game.seats))
            matches.append(analyse.finished(replay, (one, two), result))
        args.series |= len(matches) > 1  # a file with several games is a whole match
        return analyse.run(args, matches) or report_faults(args, found)

    return guarded(analysed)


def _results(args: argparse.Namespace) -> int:
    """`plyhouse results`: bots play, the model of the ladders rates them."""
    from lab.commands import results
    from lab.experiments.document import FieldRating
    from server.ladder.core import rating

    def rate(
        players: int, one: list[int], two: list[int], first: list[float], second: list[float]
    ) -> FieldRating:
        from server.ladder.core import fitting

        found = fitting.fit(players, rating.Pairs(one, two, first, second))
        return FieldRating(found.elo, found.error, found.first_move, found.first_move_error)

    return results.run(args, rate if rating.available() else None)


def _man(args: argparse.Namespace) -> int:
    """`plyhouse man`: what every command says of itself, as one page."""
    from client.commands import man

    parsers = []
    for name, command in COMMANDS.items():
        parser = argparse.ArgumentParser(prog=f"plyhouse {name}", description=command.about)
        with contextlib.suppress(ModuleNotFoundError):  # `bench` without the source tree
            _fill(parser, command)
        parsers.append(parser)
    about = f"{_ABOUT} Without arguments it lists its commands."
    return man.show(args, man.Manual(VERSION, about, parsers, [*_ENVIRONMENT.items()]))


COMMANDS: dict[str, Command] = {
    "up": Command(
        "host: a server with the house's bots",
        _add_up_arguments,
        _up,
        "plyhouse up --lan                        so that others on this network can play",
    ),
    "serve": Command(
        "host: the server alone", "server.app:add_arguments", _serve,
        "plyhouse serve --port 9000 --data ./house",
    ),
    "play": _in("client.commands.play", "play in this terminal, against a person or a bot"),
    "watch": _in(
        "client.commands.watch",
        "watch a room",
        "plyhouse watch 17                        room 17; 17.2 is its second match",
    ),
    "rooms": _in(
        "client.commands.rooms", "list the rooms and bots of a server",
        "plyhouse rooms --url 192.168.1.5:8765",
    ),
    "matches": _in(
        "client.commands.matches",
        "list matches that are over: yours, or somebody's",
        "plyhouse matches ann                     what ann has played",
    ),
    "replay": _in("client.commands.replay", "step through a finished match"),
    "analyse": Command(
        "go through a finished match: blunders, what was best, luck",
        _add_analyse_arguments,
        _analyse,
        "plyhouse analyse 17.2 --all              every play of it, not only the worst",
    ),
    "export": _in(
        "client.commands.export",
        "write a finished match as a file: JSON, text, SGF, match text",
        "plyhouse export 17.2 --out match.json\n"
        "  plyhouse export match.json --format text",
    ),
    "verify": _in(
        "client.commands.verify",
        "check the rules, dice and clocks of a finished match",
        "plyhouse verify 17.2\n  plyhouse verify match.json               no server is asked",
    ),
    "bot": _in(
        "bots.commands.bot",
        "let a bot play on a server",
        "plyhouse bot mcts --games connect_four --nodes 2000 --slots 4",
    ),
    "ladder": _in(
        "client.commands.ladder",
        "bots from anywhere, rated: open a ladder, look at it, report on it",
    ),
    "ladder join": Command(
        "let a bot play on a ladder",
        "bots.commands.bot:add_join_arguments",
        "bots.commands.bot:run",
        "plyhouse ladder join friday mcts --slots 2",
    ),
    "match": _in(
        "lab.commands.match",
        "bot against bot, here, with a table of results",
        "plyhouse match minimax mcts:4 --game connect_four --games 20",
    ),
    "sweep": _in(
        "lab.commands.sweep",
        "a grid of a bot's settings against one opponent, with error bars and plots",
        "plyhouse sweep mcts --iterations 50,100,200,400 --playouts 1,5,10 --games 200 "
        "--plot sweep.png",
    ),
    "results": Command(
        "measure the bots against each other, and write a page of it",
        "lab.commands.results:add_arguments",
        _results,
        "plyhouse results --minutes 30 --out measured",
    ),
    "think": _in(
        "lab.commands.think",
        "one choice of a bot: its candidates, its principal variation, its tree",
        "plyhouse think connect_four 4 4 3 --bot mcts --nodes 5000\n"
        "  plyhouse think backgammon 31 --bot gammon",
    ),
    "board": _in(
        "bots.commands.board", "an analysis board: try moves in any position, see what is best",
        "plyhouse board connect_four 4453",
    ),
    "solve": _in(
        "bots.commands.solve", "what a position of a solved game is worth, and its best moves",
        "plyhouse solve connect_four 444444",
    ),
    "train": _in(
        "lab.commands.train",
        "train the nets of backgammon by self-play",
        "plyhouse train backgammon --out my.nets",
    ),
    "bench": _in(
        "bench.app",
        "measure the server, the rules and the bots (in the source tree)",
        "plyhouse bench server --matches 200",
    ),
    "backup": _in(
        "server.cli.backup", "copy a house into one file, also while it runs",
        "plyhouse backup house.backup",
    ),
    "restore": _in(
        "server.cli.restore", "make a house what a backup holds",
        "plyhouse restore house.backup --data ./house",
    ),
    "purge": _in(
        "server.cli.purge", "delete for good what is old, or what names somebody",
        "plyhouse purge --before 2026-01-31",
    ),
    "admin": _in(
        "server.cli.admin", "govern a server: see, kick, ban, close, tell all, drain",
        'plyhouse admin notice "Back at nine"',
    ),
    "doctor": _in("server.cli.doctor", "say what works on this machine", "plyhouse doctor"),
    "doctor game": _in(
        "lab.commands.doctor_game",
        "hold a game to the laws of games, and measure it",
        "plyhouse doctor game my_games/othello.py",
    ),
    "doctor bot": _in(
        "lab.commands.doctor_bot",
        "play a bot through what may happen at a server, and print a checklist",
        "plyhouse doctor bot my_bots/timid.py\n"
        "  plyhouse doctor bot --listen             a bot in any language; it connects itself",
    ),
    "completion": _in(
        "client.commands.completion", "have bash, zsh or fish complete this command line",
        "plyhouse completion bash >> ~/.bashrc",
    ),
    "man": Command(
        "the manual: all commands on one page", "client.commands.man:add_arguments", _man,
        "plyhouse man > plyhouse.1",
    ),
}  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    """Run one command; the exit code: 0 done, 1 it went wrong, 2 wrong arguments."""
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        parser = completing_parser(os.environ.get("COMP_LINE", "").split()[1:])
        argcomplete.autocomplete(parser, always_complete_options="long")  # ends the process
    from protocol.shell import streams

    words = sys.argv[1:] if argv is None else argv
    needed = _name(words) not in ("up", "serve")  # who plays there needs no reader of it
    return streams.with_streams(lambda: _run(words), needed)


def _run(words: list[str]) -> int:
    """Run the command that these words name."""
    name = _name(words)
    if name not in COMMANDS:
        if words and words[0] not in ("-h", "--help", "--version"):
            print(f"plyhouse: {_unknown(words[0])}", file=sys.stderr)
            return 2
        _parser().parse_args(words[:1] or ["--help"])  # which ends the process
    from protocol.shell.command_line import CommandLine

    command = COMMANDS[name]
    parser = CommandLine(prog=f"plyhouse {name}", description=command.about)
    try:
        _fill(parser, command)
        args = parser.read(words[len(name.split()) :])
        if getattr(args, "finds_server", False):
            from client.commands import discovery

            try:
                discovery.fill_in(args)
            except discovery.Undecided as error:
                print(f"plyhouse: {error}", file=sys.stderr)
                return 2
        return int(_function(command.run)(args))
    except ModuleNotFoundError as error:
        if error.name != "bench":
            raise
        print("plyhouse: `bench` comes with the source tree only", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except OSError as error:  # of a file, a folder or a disk: the system says what
        where = "" if error.filename is None else f"{error.filename}: "
        print(f"plyhouse: {where}{error.strerror or error}", file=sys.stderr)
        return 2


def _name(words: list[str]) -> str:
    """Return the command that a line begins with, of one word or two."""
    two = " ".join(words[:2])
    return two if two in COMMANDS else "".join(words[:1])


def _unknown(word: str) -> str:
    """Return what is said of a command that there is not."""
    close = difflib.get_close_matches(word, COMMANDS, n=1, cutoff=0.5)
    guess = f"did you mean `plyhouse {close[0]}`? " if close else ""
    return f"there is no command {word!r}; {guess}`plyhouse --help` lists them all"


def _fill(parser: argparse.ArgumentParser, command: Command) -> None:
    """Give a parser the arguments of a command, and an example where it has none of its own."""
    _function(command.add_arguments)(parser)
    if command.example:
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        more = f"\n\n{parser.epilog}" if parser.epilog else ""
        parser.epilog = f"  {command.example}{more}"


def completing_parser(words: list[str]) -> argparse.ArgumentParser:
    """Return a parser of the whole command line for a shell that completes `words`.

    Only the app that the words name is imported, and only its arguments are there.
    """
    from client.commands import completion

    parser = argparse.ArgumentParser(prog="plyhouse")
    commands = parser.add_subparsers()
    name = _name(words)
    first, _, second = name.partition(" ")
    for each, command in COMMANDS.items():
        if " " not in each:
            below = commands.add_parser(each, help=command.about)
            if each == name:
                with contextlib.suppress(ModuleNotFoundError):  # `bench` without the source tree
                    _fill(below, command)
            elif each == first:  # a command of two words: all others below it are out of question
                _fill(below.add_subparsers().add_parser(second), COMMANDS[name])

    def bots() -> list[str]:
        from bots import registry

        return list(registry.names())

    completion.attach(parser, bots, [name for name in COMMANDS if " " in name])
    return parser


def _function(place: str | Callable[..., Any]) -> Callable[..., Any]:
    """The function at `module:function`."""
    if callable(place):
        return place
    module, _, name = place.partition(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


_ABOUT = "A house for board games: people and bots play at the same tables."
_ENVIRONMENT = {
    "PLYHOUSE_URL": "the server to play on, instead of 127.0.0.1:8765",
    "PLYHOUSE_CA": "certificates to trust besides the system's",
    "PLYHOUSE_BOTS": "a folder with bots of your own",
    "PLYHOUSE_GAMES": "a folder with games of your own",
    "PLYHOUSE_NETS": "nets of your own for gammon, a file",
}


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:{width}}  {command.about}" for name, command in COMMANDS.items())
    longest = max(map(len, _ENVIRONMENT))
    variables = "\n".join(f"  {name:{longest}}  {about}" for name, about in _ENVIRONMENT.items())
    parser = argparse.ArgumentParser(
        prog="plyhouse",
        description=_ABOUT,
        epilog=f"commands:\n{rows}\n\nenvironment:\n{variables}\n\n"
        "`plyhouse COMMAND --help` tells more, `plyhouse man` all of it.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"plyhouse {VERSION}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="what to do")
    return parser


if __name__ == "__main__":
    sys.exit(main())
