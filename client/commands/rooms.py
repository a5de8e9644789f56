"""`plyhouse rooms`: the rooms and bots of a server, as a list or as JSON."""

from __future__ import annotations

import argparse
import asyncio
import json
from dataclasses import replace

import msgspec

from client.commands.arguments import add_person, complain, guarded
from client.names.sign_in import sign_in
from client.styled_text import text_of
from client.terminal.shown.menus import Menu, lobby_menu, menu_lines
from protocol.records.plain_text import clean_json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="as JSON, as the server sends it")
    add_person(parser)


def run(args: argparse.Namespace) -> int:
    return guarded(lambda: asyncio.run(_list(args)))


async def _list(args: argparse.Namespace) -> int:
    async with await sign_in(
        args.url, args.name, args.link, text=args.encoding == "json"
    ) as connection:
        lobby = await connection.lobby(follow=False)
        code = connection.welcome.recovery
        if code is not None:
            complain(f"keep this code; it brings {connection.name} back the next time: {code}")
    if args.json:
        print(clean_json(json.dumps(msgspec.to_builtins(lobby), ensure_ascii=False)))
        return 0
    menu = lobby_menu(lobby, connection.name, Menu(), connection.welcome.games)
    for line in menu_lines(replace(menu, foot=""), numbered=False):
        print(text_of(line).rstrip())
    return 0
