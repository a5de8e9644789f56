"""One visit of a person to a server: connect, do what the command line asked for, and stay."""

from __future__ import annotations

import argparse
import asyncio
import signal
import sys
import time
import unicodedata
from functools import partial
from typing import TYPE_CHECKING

from client.address import host_and_port
from client.names.sign_in import sign_in
from client.styled_text import styled
from client.terminal import dispatch, meanwhile
from client.terminal.devices import recovery_lines
from client.terminal.session import TerminalSession
from client.terminal.shown.interface import can_draw
from client.terminal.shown.plain import PlainInterface
from client.terminal.typed.commands import SessionCommand, WatchRoom
from protocol.shell.signals import ending_signals

if TYPE_CHECKING:
    from client.terminal.shown.screen import PromptScreen


def milliseconds() -> int:
    """Return a clock that never goes back, and goes on while the machine sleeps, where one does."""
    clock = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
    return (time.monotonic_ns() if clock is None else time.clock_gettime_ns(clock)) // 1_000_000


def visit(args: argparse.Namespace, start: SessionCommand | None) -> int:
    """Play or watch, beginning with `start`; under one name after another where /name asks so."""
    name, link = args.name, args.link
    while True:
        code, rename = asyncio.run(_visit(args, name, link, start))
        if rename is None:
            return code
        name, link, start = rename, None, None


async def _visit(
    args: argparse.Namespace, name: str | None, link: str | None, start: SessionCommand | None
) -> tuple[int, str | None]:
    """Connect, do what was asked for, and stay; return the exit code and the next name."""
    sessions: list[TerminalSession] = []  # empty during the first connection: that is no news

    def on_link(up: bool) -> None:
        for session in sessions:
            session.line.changed(up)

    text = args.encoding == "json"
    async with await sign_in(args.url, name, link, text=text, on_link=on_link) as connection:
        interface = _interface()
        session = TerminalSession(connection, interface, host_and_port(args.url), milliseconds)
        if name is not None and connection.name != unicodedata.normalize("NFKC", name).strip():
            interface.tell(styled(("offer", f"{name} is taken here; you are {connection.name}.")))
        welcome = connection.welcome
        if welcome.recovery is not None:
            interface.tell(*recovery_lines(connection.name, welcome.recovery))
        elif welcome.token is not None and link is None and not interface.patient:
            hint = f"{connection.name} is yours now; /recovery shows a code that brings it back."
            interface.tell(styled(("event", hint)))
        if isinstance(start, WatchRoom):
            session.stay, session.watched = interface.patient, start.place.match
        await dispatch.begin(session, start)
        await meanwhile.tell(session, args.url)
        interface.attach(session.view, session.completion_names)
        sessions.append(session)
        if sys.platform != "win32":
            for sign in set(ending_signals()) - {signal.SIGINT}:  # a key of the screen
                asyncio.get_running_loop().add_signal_handler(sign, session.go_for_now)
        try:
            return await _stay(interface, session), session.rename
        finally:
            meanwhile.note(session, args.url)
            sessions.clear()  # the end of the connection is no news, either


def _interface() -> PromptScreen | PlainInterface:
    """Return a screen where both ends are a terminal that can be drawn on, else plain lines."""
    if not can_draw():
        return PlainInterface(sys.stdout, sys.stdin.fileno())
    from client.terminal.shown.screen import PromptScreen  # a pipe starts sooner without it

    return PromptScreen()


async def _stay(interface: PromptScreen | PlainInterface, session: TerminalSession) -> int:
    """Run the session, and the screen with it where there is one."""
    work = partial(dispatch.dispatch, session)
    if isinstance(interface, PlainInterface):
        interface.show()  # what there was before anything came
        return await session.run(work)
    drawing = asyncio.create_task(interface.run())
    running = asyncio.create_task(session.run(work))
    try:
        await asyncio.wait({drawing, running}, return_when=asyncio.FIRST_COMPLETED)
        if drawing.done():
            drawing.result()  # raises what the screen died of
        return await running
    finally:
        running.cancel()
        await asyncio.wait({running})
        interface.stop()
        await asyncio.wait({drawing})
