"""Several bots of one owner at one server, with or without the anchors: enter, play, leave.

The first Ctrl-C (or SIGTERM) lets them finish the matches that are on, the second makes them
resign.  When their terminal is closed (SIGHUP) they have HANGUP_S to finish them.
"""

from __future__ import annotations

import asyncio
import getpass
import logging
from concurrent.futures import Executor
from typing import Final

from bots.online.anchors import ZERO, Anchors
from bots.online.entry import Entry
from bots.online.output import complain, say
from bots.online.runner import Connection, Runner, Unreachable, enter
from bots.online.tokens import OwnersTokens, Tokens
from protocol.errors import Refusal

HANGUP_S: Final = 5.0  # what closes a terminal often kills what is left in it soon

log = logging.getLogger("plyhouse.bots")


class BotPool:
    """Several bots of one owner at one server, each with a connection of its own."""

    def __init__(
        self,
        url: str,
        name: str | None,
        tokens: Tokens | OwnersTokens,
        ladder: str | None = None,
        code: str | None = None,
        *,
        stay: bool = False,
    ) -> None:
        """`ladder`: the one that they all join; None: they wait for invitations.  `code`: its own,
        if it has one.  `stay`: for invitations, too, once it is over.
        """
        self.url = url
        self.ladder = ladder
        self.code = code
        self.stay = stay
        self.name = name or tokens.own(url) or _login()
        self._name_was_chosen = name is not None
        self.tokens = tokens
        self.runners: list[Runner] = []
        self.anchors: Anchors | None = None
        self.signals = 0
        self._entering: asyncio.Task[None] | None = None
        self._leaving: list[asyncio.Task[None]] = []

    async def serve(self, entries: list[Entry], seed: int | None = None) -> int:
        """Play until told to stop, or until the ladder is over; 1 when a connection ended for a
        reason of the server's, or the ladder goes on without one of them.

        `seed`: of the anchors, which come too; None: without them.

        Raises:
            Refusal: the server does not let one of them in, or not onto the ladder.
        """
        self._entering = asyncio.create_task(self._enter_all(entries))
        try:
            await self._entering
        except asyncio.CancelledError:
            if not self.signals:
                raise
            for runner in self.runners:  # those that had connected before the signal
                runner.drain()
        playing = [runner.serve() for runner in self.runners]
        if seed is not None and not self.signals:
            zero = [runner for runner in self.runners if runner.entry.name == ZERO]
            self.anchors = Anchors(seed, self._bring, *zero)
            playing.append(self.anchors.run())
        try:
            await asyncio.gather(*playing)
        finally:
            for runner in self.runners:
                await runner.connection.close()
        reasons = [r.connection.reason for r in self.runners if r.connection.reason is not None]
        for reason in reasons:
            complain(f"plyhouse: {reason.text}")
        return 1 if reasons or any(runner.dismissed for runner in self.runners) else 0

    def on_signal(self) -> None:
        """Once: finish the matches that are on.  Twice: resign them."""
        self.signals += 1
        if self._entering is not None and not self._entering.done():
            self._entering.cancel()
            return
        if self.anchors is not None:
            self.anchors.stop()
        if self.signals == 1:
            rooms = [room for runner in self.runners for room in runner.rooms.values()]
            playing = sum(room.match is not None for room in rooms)
            if playing:
                matches = "1 match" if playing == 1 else f"{playing} matches"
                log.warning("plyhouse: finishing %s; Ctrl-C again resigns", matches)
            for runner in self.runners:
                runner.drain()
        else:
            self._leaving += [asyncio.ensure_future(r.abandon()) for r in self.runners]

    def on_hangup(self) -> None:
        """The terminal is gone, and with it the one who could press Ctrl-C twice."""
        self.on_signal()
        asyncio.get_running_loop().call_later(HANGUP_S, self.on_signal)

    async def _enter_all(self, entries: list[Entry]) -> None:
        for entry in entries:
            await self._bring(entry)
        if self.ladder is not None:  # when all are here: each plays from that moment on
            for runner in self.runners:
                await runner.enlist(self.ladder, code=self.code, tied=not self.stay)

    async def _bring(self, entry: Entry, workers: Executor | None = None) -> Runner:
        """Connect an entry, to think on `workers` (None: on threads of its own)."""
        connection = await self._enter(entry)
        runner = Runner(connection, entry, workers=workers)
        # Anchors come and go with ladders, for months; of the others the end tells how they ended.
        self.runners = [each for each in self.runners if not each.has_gone]
        self.runners.append(runner)
        self.name = connection.name  # which the server may have suggested: all have one owner
        if connection.token is not None:
            house = connection.welcome.server
            self.tokens.put(self.url, self.name, connection.token, house)
        say(f"plyhouse: {entry.name} is at {self.url} as {connection.name}/{entry.name}")
        return runner

    async def _enter(self, entry: Entry) -> Connection:
        """Connect; wait for a server that is not there yet, and say so once."""
        token = self.tokens.get(self.url, self.name)
        if token is None:
            self.tokens.check_room()
        try:
            return await self._enter_as(self.name, entry, token, patient=False)
        except Unreachable as error:
            if error.code != "client/unreachable":
                raise
            log.warning("plyhouse: %s; trying until one does", error.text)
            return await self._enter_as(self.name, entry, token, patient=True)

    async def _enter_as(
        self, name: str, entry: Entry, token: str | None, patient: bool
    ) -> Connection:
        """Connect; if no name was chosen, take the one that the server suggests instead."""
        try:
            return await enter(entry, self.url, name, token, patient=patient)
        except Refusal as refusal:
            if self._name_was_chosen or refusal.suggestion is None:
                raise
            return await enter(entry, self.url, refusal.suggestion, token, patient=patient)


def _login() -> str:
    """The login name of the user who runs this."""
    try:
        return getpass.getuser()[:24]
    except (KeyError, OSError):  # a container may run as a number that has no name
        return "bots"
