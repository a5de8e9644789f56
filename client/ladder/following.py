"""A ladder, live: redrawn at every change in a terminal, printed line by line in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.live import Live

from client import words
from client.connection import Connection, Interrupted
from client.ladder import figures, tables
from client.ladder.differences import sentence
from client.styled_text import clean
from client.terminal.shown.suspending import suspendable
from protocol.ladder import LadderState
from protocol.messages import Welcome

UNLINKED = "No connection to the server; trying again."


class LadderView(Protocol):
    """Where a ladder is shown."""

    def show(self, state: LadderState, compared: str = "") -> None:
        """Show a new state; `compared`: how the two differ that somebody asked for."""

    def link(self, up: bool) -> None:
        """Show that the connection was lost, or works again."""


async def follow(
    connection: Connection, name: str, view: LadderView, compare: Sequence[str] = ()
) -> LadderState | None:
    """Show each state of a ladder until it is finished, and return the last one.

    `compare`: two players whose difference is shown with it, or none.

    After a lost connection the ladder is asked for again.  None: there will be no further
    connection, and `connection.reason` says why.

    Raises:
        Refusal: there is no such ladder.
    """
    last: LadderState | None = None
    compared = ""
    async for message in connection:
        if isinstance(message, Welcome):  # the first one, too
            try:
                message = await connection.ladder_status(name, follow=True)
            except Interrupted:
                continue
            view.link(up=True)
            name = message.ladder.name
        if not isinstance(message, LadderState) or message.ladder.name != name:
            continue
        if last is not None and message.seq < last.seq:
            continue  # it was on its way while we asked
        if compare and (last is None or last.rated != message.rated):
            try:
                compared = sentence(await connection.ladder_compare(name, *compare))
            except Interrupted:
                continue  # with the next connection the state comes again
        last = message
        view.show(message, compared)
        if message.ladder.state == "finished":
            return last
    return None


class LiveLadder:
    """The whole terminal, until `shown` is left."""

    def __init__(self, console: Console, page: str) -> None:
        self._console = console
        self._page = page
        self._state: LadderState | None = None
        self._compared = ""
        self._foot = ""
        self._live: Live | None = None

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Take over the terminal; the last state stays visible afterwards."""
        live = Live(
            console=self._console, screen=True, auto_refresh=False, vertical_overflow="crop"
        )
        with live as self._live, suspendable(live.stop, self._take):
            yield
        if self._state is not None:
            content = tables.whole(self._state, self._console, self._page, compared=self._compared)
            tables.say(self._console, content)

    def show(self, state: LadderState, compared: str = "") -> None:
        self._state, self._compared = state, compared
        self.draw()

    def link(self, up: bool) -> None:
        self._foot = "" if up else UNLINKED
        self.draw()

    def _take(self) -> None:
        """Take over the terminal again, whatever stands there now."""
        if self._live is not None:
            self._live.stop()
            self._live.start()
            self.draw()

    def draw(self) -> None:
        """Draw the state into the terminal, at its present size."""
        if self._live is None or self._state is None:
            return
        rows = self._console.height
        content = tables.whole(
            self._state, self._console, self._page, rows, self._foot, self._compared
        )
        self._live.update(content, refresh=True)


class LadderLog:
    """A pipe: the standings at first and at the end, and in between a line for each pair."""

    def __init__(self, console: Console, page: str) -> None:
        self._console = console
        self._page = page
        self._last: LadderState | None = None
        self._compared = ""
        self._moved = False

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Print the standings once more at the end, if they have changed."""
        yield
        if self._last is not None and self._moved:
            self._whole(self._last)

    def show(self, state: LadderState, compared: str = "") -> None:
        """Print what is new."""
        self._compared = compared
        before, self._last = self._last, state
        if before is None:
            self._whole(state)
            return
        for text in news(before, state):
            self._moved = True
            self._console.file.write(f"{text}\n")
            self._console.file.flush()

    def link(self, up: bool) -> None:
        """Print it on stderr: it is not part of the output."""
        if not up:
            print(f"plyhouse: {UNLINKED}", file=sys.stderr, flush=True)

    def _whole(self, state: LadderState) -> None:
        content = tables.whole(state, self._console, self._page, compared=self._compared)
        tables.say(self._console, content)


def news(before: LadderState, now: LadderState) -> list[str]:
    """Return what happened between two states, a line each, in order."""
    earlier = {pair.pair for pair in before.recent}
    over = [pair for pair in reversed(now.recent) if pair.pair not in earlier]
    unseen = now.ladder.pairs - before.ladder.pairs - sum(pair.void is None for pair in over)
    lines = [words.count(unseen, "more pair")] if unseen > 0 else []
    for pair in over:
        score = "–" if pair.void is not None else figures.pair_score(pair)
        players = clean(f"{pair.one} {score} {pair.two}")
        lines.append(f"pair {pair.pair}: {players}, {figures.matches_text(pair)}")
    players_before = {row.player for row in before.standings}
    lines += [
        f"{clean(row.player)} has joined"
        for row in now.standings
        if row.player not in players_before
    ]
    old = figures.notes(before)
    lines += [note for note in figures.notes(now) if note not in old]
    if now.ladder.state != before.ladder.state:
        lines.append(f"{clean(now.ladder.name)} is {now.ladder.state}")
    return lines
