"""The one command.  Reads which app is meant, then imports that app and nothing else.

The only product file that may name both the server and the bots: `up` starts them as separate
processes.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

VERSION = "0.1.0"
HOUSE_BOTS = "mcts,minimax,hybrid,flat,solver,gammon,random"  # as the lobby lists them
PAGE = Path(__file__).parent / "client" / "web"
STEADY_S = 60.0  # house bots that ran so long did not end because of how they were started
App: TypeAlias = tuple[
    Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int]
]


def _up() -> App:
    from server import app

    def add_arguments(parser: argparse.ArgumentParser) -> None:
        app.add_arguments(parser)
        parser.add_argument("--lan", action="store_true", help="let others on this network in")
        parser.add_argument("--bots", default=HOUSE_BOTS, help=f"default: {HOUSE_BOTS}")
        parser.add_argument(
            "--no-anchors",
            action="store_true",
            help="without the bots of fixed strength that play on every ladder",
        )

    return add_arguments, _host


def _serve() -> App:
    from server import app

    return app.add_arguments, lambda args: app.run(args, PAGE)


def _play() -> App:
    from client.terminal import app

    return app.add_play_arguments, app.run_play


def _watch() -> App:
    from client.terminal import app

    return app.add_watch_arguments, app.run_watch


def _rooms() -> App:
    from client.terminal import app

    return app.add_rooms_arguments, app.run_rooms


def _replay() -> App:
    from client.terminal import replay

    return replay.add_arguments, replay.run


def _analyse() -> App:
    from bots.analysis import app
    from client.records import app as records

    def add_arguments(parser: argparse.ArgumentParser) -> None:
        app.add_arguments(parser)
        records.add_match(parser)

    return add_arguments, lambda args: records.guarded(lambda: _look_back(args))


def _look_back(args: argparse.Namespace) -> int:
    """`plyhouse analyse`: the client finds the match, a bot's search looks at it."""
    from bots.analysis import app
    from client.records import app as records
    from client.records import text
    from client.terminal.lines import clean
    from client.terminal.wording import full_title

    story = records.finished(args)
    one, two = (clean(full_title(player)) for player in story.players)
    match = app.Match(
        name=story.match,
        game=story.game,
        players=(one, two),
        result=clean(text.result_text(story)),
        actions=story.actions(),
        given=story.given(),
    )
    return app.run(args, match)


def _export() -> App:
    from client.records import app

    return app.add_export_arguments, app.run_export


def _verify() -> App:
    from client.records import app

    return app.add_verify_arguments, app.run_verify


def _bot() -> App:
    from bots import app

    return app.add_arguments, app.run


def _ladder() -> App:
    from client.ladder import app

    return app.add_arguments, app.run


def _match() -> App:
    from bots import versus

    return versus.add_arguments, versus.run


def _think() -> App:
    from bots import study

    return study.add_arguments, study.run


def _solve() -> App:
    from bots import answer

    return answer.add_arguments, answer.run


def _train() -> App:
    from bots import train

    return train.add_arguments, train.run


def _bench() -> App:
    from bench import app

    return app.add_arguments, app.run


def _doctor() -> App:
    from server import doctor

    return doctor.add_arguments, doctor.run


COMMANDS: dict[str, tuple[str, Callable[[], App]]] = {
    "up": ("host: a server with the house's bots", _up),
    "serve": ("host: the server alone", _serve),
    "play": ("play in this terminal, against a person or a bot", _play),
    "watch": ("watch a room", _watch),
    "rooms": ("list the rooms and bots of a server", _rooms),
    "replay": ("step through a match that is over", _replay),
    "analyse": ("go through a match that is over: blunders, what was best, luck", _analyse),
    "export": ("write a match that is over as a file: JSON, text, SGF, match text", _export),
    "verify": ("check the rules, dice and clocks of a match that is over", _verify),
    "bot": ("let a bot play on a server", _bot),
    "ladder": ("bots from anywhere, rated: open a ladder, look at it, report on it", _ladder),
    "match": ("bot against bot, here, with a table of results", _match),
    "think": ("one choice of a bot: its candidates, its line, its tree", _think),
    "solve": ("what a position of a solved game is worth, and its best moves", _solve),
    "train": ("train the nets of backgammon by self-play", _train),
    "bench": ("measure the server", _bench),
    "doctor": ("say what of Plyhouse works on this machine", _doctor),
}


def _host(args: argparse.Namespace) -> int:
    """`plyhouse up`: the server in this process, the house's bots in another."""
    from bots import registry
    from server import app, greeting

    data = args.data or app.default_data()
    bots = [name for part in args.bots.split(",") if (name := part.strip())]
    try:
        for name in bots:
            registry.source(name)
    except registry.UnknownBot as error:
        print(f"plyhouse: {error}", file=sys.stderr)
        return 2
    if args.lan and args.host == "127.0.0.1":
        args.host = "0.0.0.0"

    async def beside(url: str) -> None:
        print(greeting.text(url, bots, data, args.host, args.port), flush=True)
        if bots or not args.no_anchors:
            await _keep_bots(greeting.here(url), bots, data, not args.no_anchors)

    return app.run(args, PAGE, beside)


async def _keep_bots(url: str, bots: list[str], data: Path, anchors: bool = True) -> None:
    """Run the house's bots, with or without the anchors, until cancelled; should their process end
    by itself, start it again.

    Each pause before that is twice the last, up to a minute; after STEADY_S of play it is short.
    """
    import asyncio

    tokens = str(data / "house-bots.json")
    asked = ["--url", url, "--name", "house", "--token-file", tokens, "--slots", "16"]
    how = ["--quiet", "--until-eof", "--at-once"]
    if anchors:
        how.append("--anchors")
    command = [sys.executable, __file__, "bot", *bots, *asked, *how]
    held, unheard = asyncio.subprocess.PIPE, asyncio.subprocess.DEVNULL
    now = asyncio.get_running_loop().time
    pause = 1.0
    while True:
        began = now()
        child = await asyncio.create_subprocess_exec(
            *command, stdin=held, stdout=unheard, start_new_session=True
        )
        try:
            code = await child.wait()
        except asyncio.CancelledError:
            child.kill()  # a bot has nothing to save: its matches stand in the server's log
            await child.wait()
            raise
        if code == 2:  # it was asked wrongly, and has said so
            return
        if now() - began >= STEADY_S:
            pause = 1.0
        print(f"plyhouse: the bots ended with code {code}; they start again in {pause:.0f} s")
        await asyncio.sleep(pause)
        pause = min(2 * pause, 60.0)


def main(argv: list[str] | None = None) -> int:
    """Run one command.

    Returns:
        The exit code: 0 done, 1 it went wrong, 2 asked wrongly.
    """
    words = _joining(sys.argv[1:] if argv is None else argv)
    parser = _parser()
    if not words or words[0] not in COMMANDS:
        parser.parse_args(words or ["--help"])  # --help, --version, or a sentence and exit code 2
        return 2
    about, load = COMMANDS[words[0]]
    app = argparse.ArgumentParser(prog=f"plyhouse {words[0]}", description=about)
    try:
        add_arguments, run = load()
        add_arguments(app)
        code: int = run(app.parse_args(words[1:]))
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # who reads it has seen enough, such as `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def _joining(words: list[str]) -> list[str]:
    """`ladder join NAME BOT ...` is `bot BOT ... --ladder NAME`: no client can start a bot."""
    if words[:2] == ["ladder", "join"] and len(words) > 3 and not words[2].startswith("-"):
        return ["bot", *words[3:], "--ladder", words[2]]
    return words


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:{width}}  {about}" for name, (about, _) in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="plyhouse",
        description="A house for board games: people and bots play at the same tables.",
        epilog=f"commands:\n{listing}\n\n`plyhouse COMMAND --help` tells more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"plyhouse {VERSION}")
    parser.add_argument("command", choices=COMMANDS, metavar="COMMAND", help="what to do")
    return parser


if __name__ == "__main__":
    sys.exit(main())
