"""`plyhouse completion`: what a shell needs to complete `plyhouse`, and what it then offers.

Games and bots are known here; rooms, ladders and the bots of a server are asked of the server that
the line names, which has a second to answer.  What it said is good for a few presses of Tab.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from argcomplete.shell_integration import shellcode

from client.address import DEFAULT_ADDRESS
from client.commands import discovery
from client.connection import connect
from client.names import keys
from client.names.sign_in import sign_in
from games import registry as games
from protocol.errors import PlyhouseError
from protocol.files import folders, whole_file

SHELLS: Final = ("bash", "zsh", "fish")
ANSWERS_WITHIN_S: Final = 1.0
GOOD_FOR_S: Final = 20.0  # an answer of a server
NAMED_MATCHES: Final = 30  # the newest that are over
_FILES: Final = {"bash": "~/.bashrc", "zsh": "~/.zshrc", "fish": "~/.config/fish/config.fish"}
# A zsh without a configuration of its own has its completion still to be started.
_ZSH_COMPLETION: Final = "(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -u }"
_KINDS: Final = {  # what stands for an argument, by its name: what is asked of the server
    "against": "bots", "join": "rooms", "room": "rooms", "match": "matches", "ladder": "ladders",
}  # fmt: skip
Offers = dict[str, list[str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="which shell")
    parser.add_argument("--code", action="store_true", help="print what that line has it run")


def run(args: argparse.Namespace) -> int:
    """Print the line to add to a shell's start-up file, or the code that this line runs."""
    if args.code:
        if args.shell == "zsh":
            print(_ZSH_COMPLETION)
        print(shellcode(["plyhouse"], shell=args.shell))
        return 0
    code = f"{_program()} completion {args.shell} --code"
    print(f"{code} | source" if args.shell == "fish" else f'eval "$({code})"')
    if sys.stdout.isatty():
        print(f"This line belongs at the end of {_FILES[args.shell]}.", file=sys.stderr)
    return 0


def _program() -> str:
    """Return how a shell can call this program: by its name, if it is on the path."""
    called = Path(sys.argv[0]).resolve()
    found = shutil.which("plyhouse")
    if found is not None and Path(found).resolve() == called:
        return "plyhouse"
    python = f"{shlex.quote(sys.executable)} " if called.suffix == ".py" else ""
    return python + shlex.quote(str(called))


def attach(
    parser: argparse.ArgumentParser, bots: Callable[[], Iterable[str]], pairs: Iterable[str] = ()
) -> None:
    """Give the arguments of a parser, and of those below it, what completes them.

    `pairs`: commands of two words, such as `ladder join`, that are not in the first one's parser.
    """
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for pair in pairs:
                first, second = pair.split()
                if parser.prog.endswith(f" {first}") and second not in action.choices:
                    action.add_parser(second, help="")
            for below in action.choices.values():
                attach(below, bots, pairs)
        elif completer := _completer(action, bots):
            action.completer = completer  # type: ignore[attr-defined]


def _completer(
    action: argparse.Action, bots: Callable[[], Iterable[str]]
) -> Callable[..., list[str]] | None:
    if action.dest in ("game", "games"):
        return lambda **_: list(games.names())
    if action.dest in ("bot", "bots", "a", "b", "more"):
        return lambda **_: list(bots())
    kind = _KINDS.get(action.dest)
    if kind is None or action.choices is not None:
        return None

    def asked(parsed_args: argparse.Namespace, **_: object) -> list[str]:
        offers = server_offers(getattr(parsed_args, "url", None) or _usual_server())
        files = [str(path) for path in Path().glob("*.json")] if kind == "matches" else []
        return [*offers.get(kind, ()), *files] or (list(bots()) if kind == "bots" else [])

    return asked


def _usual_server() -> str:
    """Return the server that a line without --url means: on this machine, without a long search."""
    named = os.environ.get("PLYHOUSE_URL")
    return named or next((found.url for found in discovery.on_this_machine()), DEFAULT_ADDRESS)


def server_offers(address: str) -> Offers:
    """Return the rooms, matches, bots and ladders of a server; nothing if it does not answer."""
    with suppress(OSError, ValueError, msgspec.DecodeError):
        cache = _cache_file(address)
        if time.time() - cache.stat().st_mtime < GOOD_FOR_S:
            return msgspec.json.decode(cache.read_bytes(), type=Offers)
    try:
        offers = asyncio.run(_ask(address))
    except (PlyhouseError, OSError, TimeoutError):
        return {}
    with suppress(OSError):
        cache = _cache_file(address)
        cache.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        whole_file.write(cache, json.dumps(offers).encode())
    return offers


def _cache_file(address: str) -> Path:
    return folders.cache() / f"completion-{keys.slug(address)}.json"


async def _ask(address: str) -> Offers:
    async with asyncio.timeout(ANSWERS_WITHIN_S):
        known = bool(keys.load(address).tokens)
        async with await (sign_in(address) if known else connect(address)) as connection:
            lobby = await connection.lobby(follow=False)
            ladders = await connection.ladders()
            past = await connection.matches(None, None, NAMED_MATCHES)
    return {
        "rooms": [str(line.room) for line in lobby.rooms],
        "matches": [line.match for line in past.matches],
        "bots": sorted({bot.program for bot in lobby.bots}),
        "ladders": [line.name for line in ladders.ladders],
    }
