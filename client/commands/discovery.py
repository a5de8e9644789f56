"""Finds a server when the command does not say where it is: on this machine, whatever its port,
else on the network, where `plyhouse up --lan` makes itself known.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from client.address import DEFAULT_ADDRESS
from client.errors import ClientError
from client.styled_text import clean
from protocol.files import running

LISTEN_S: Final = 1.5  # for answers of a network
CONNECT_S: Final = 0.3  # for a machine's own servers


class Found(NamedTuple):
    """A server: its address, and where it is, for people."""

    url: str
    place: str


class Undecided(ClientError):
    """There are several servers, and there is no terminal to ask at; the text lists them."""


def fill_in(args: argparse.Namespace) -> None:
    """Put the server into `args.url` where a command takes one, and none was named.

    Raises:
        Undecided: there are several, and standard input is no terminal.
    """
    if not getattr(args, "finds_server", False) or args.url is not None:
        return
    if os.environ.get("PLYHOUSE_URL"):
        args.url = os.environ["PLYHOUSE_URL"]
    elif not _is_file(getattr(args, "match", None)):
        args.url = find_server(_ask if sys.stdin.isatty() and sys.stdout.isatty() else None)


def find_server(ask: Callable[[Sequence[Found]], Found] | None) -> str:
    """Return the address of the one server there is, or the usual one where there is none.

    `ask` chooses among several.

    Raises:
        Undecided: there are several, and `ask` is None.
    """
    found = on_this_machine() or asyncio.run(on_network())
    if not found:
        return DEFAULT_ADDRESS
    if len(found) == 1:
        [server] = found
        if server.place != HERE:
            print(f"plyhouse: {clean(server.url)}, found on {clean(server.place)}", file=sys.stderr)
        return server.url
    if ask is None:
        listed = ", ".join(each.url for each in found)
        raise Undecided(f"there are several servers; name one with --url: {listed}")
    return ask(found).url


HERE: Final = "this machine"


def on_this_machine() -> list[Found]:
    """Return the servers of this machine that answer: this user's, and one at the usual port."""
    urls = running.urls()
    if not any(urlsplit(url).port == urlsplit(f"//{DEFAULT_ADDRESS}").port for url in urls):
        urls.append(f"http://{DEFAULT_ADDRESS}")
    return [Found(url, HERE) for url in urls if _answers(url)]


async def on_network(
    seconds: float = LISTEN_S, interfaces: Sequence[str] | None = None
) -> list[Found]:
    """Return the servers that make themselves known on the network; none without zeroconf.

    `interfaces`: the addresses to ask at; None: all.
    """
    try:
        from zeroconf import DNSQuestionType, InterfaceChoice, ServiceStateChange, Zeroconf
        from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf
    except ImportError:
        return []
    names: dict[str, None] = {}

    def on_change(
        zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange
    ) -> None:
        if state_change is not ServiceStateChange.Removed:
            names[name] = None

    found: list[Found] = []
    with suppress(OSError):  # no network, or one without multicast
        zeroconf = AsyncZeroconf(interfaces=list(interfaces or ()) or InterfaceChoice.All)
        try:
            # Of an answer to the asker alone, another program of this machine may get all, since
            # they share a port; and an answer to everybody is what some networks lose.
            browsers = [
                AsyncServiceBrowser(
                    zeroconf.zeroconf, running.SERVICE, handlers=[on_change], question_type=kind
                )
                for kind in DNSQuestionType
            ]
            await asyncio.sleep(seconds)  # nothing says that all have answered
            for name in names:
                info = AsyncServiceInfo(running.SERVICE, name)
                if await info.async_request(zeroconf.zeroconf, 1_000) and info.port:
                    url = _url(info.parsed_addresses(), info.port, info.properties)
                    title = name.removesuffix(f".{running.SERVICE}")
                    found += [Found(url, f"the network: {title}")] if url else []
            for browser in browsers:
                await browser.async_cancel()
        finally:
            await zeroconf.async_close()
    return found


def _url(
    addresses: Sequence[str], port: int, properties: Mapping[bytes, bytes | None]
) -> str | None:
    """The address of an announced server: by the name of its certificate, where it has one."""
    if not addresses:
        return None
    host = next((each for each in addresses if ":" not in each), f"[{addresses[0]}]")
    if properties.get(b"tls") != b"1":
        return f"http://{host}:{port}"
    named = (properties.get(b"host") or b"").decode("utf-8", "replace")
    return f"https://{named or host}:{port}"


def _answers(url: str) -> bool:
    parts = urlsplit(url)
    try:
        with socket.create_connection((parts.hostname or "", parts.port or 80), CONNECT_S):
            return True
    except OSError:
        return False


def _ask(found: Sequence[Found]) -> Found:
    """Have the person choose."""
    print("There are several servers:")
    for number, each in enumerate(found, 1):
        print(f"  {number}  {clean(each.url)}  ({clean(each.place)})")
    while True:
        typed = input(f"Which one? 1 to {len(found)}: ").strip()
        if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(found):
            return found[int(typed) - 1]


def _is_file(match: object) -> bool:
    """Whether a match is a file, for which no server is needed."""
    return isinstance(match, str) and Path(match).is_file()
