"""A ladder while one looks: redrawn on each standing in a terminal, told line by line in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.live import Live

from client.connection import Connection, Interrupted
from client.ladder import tables, wording
from client.terminal.lines import clean
from protocol.ladder import LadderState
from protocol.messages import Welcome

UNLINKED = "No connection to the server; trying again."


class Face(Protocol):
    """Who is shown a ladder."""

    def show(self, state: LadderState) -> None:
        """There is a new standing."""

    def link(self, up: bool) -> None:
        """The connection was lost, or is there again."""


async def follow(house: Connection, name: str, face: Face) -> LadderState | None:
    """Show each standing until the ladder is finished: the last one.

    After a lost connection the ladder is asked for again.  None: there will be no further
    connection, and `house.reason` says why.

    Raises:
        Refusal: there is no such ladder.
    """
    last: LadderState | None = None
    async for message in house:
        if isinstance(message, Welcome):  # the first one, too
            try:
                message = await house.ladder_status(name, follow=True)
            except Interrupted:
                continue
            face.link(up=True)
            name = message.ladder.name
        if not isinstance(message, LadderState) or message.ladder.name != name:
            continue
        if last is not None and message.seq < last.seq:
            continue  # it was on its way while we asked
        last = message
        face.show(message)
        if message.ladder.state == "finished":
            return last
    return None


class Screen:
    """The whole terminal, until `shown` is left."""

    def __init__(self, console: Console, page: str) -> None:
        self._console = console
        self._page = page
        self._state: LadderState | None = None
        self._foot = ""
        self._live: Live | None = None

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Take the terminal over; what was last shown stays when it is given back."""
        with Live(
            console=self._console, screen=True, auto_refresh=False, vertical_overflow="crop"
        ) as self._live:
            yield
        if self._state is not None:
            tables.say(self._console, tables.whole(self._state, self._console, self._page))

    def show(self, state: LadderState) -> None:
        """Redraw."""
        self._state = state
        self.draw()

    def link(self, up: bool) -> None:
        """Say so in the last line."""
        self._foot = "" if up else UNLINKED
        self.draw()

    def draw(self) -> None:
        """Draw what there is, into the terminal as large as it is now."""
        if self._live is None or self._state is None:
            return
        size = self._console.height
        foot = self._foot
        shown = tables.whole(self._state, self._console, self._page, size, foot)
        self._live.update(shown, refresh=True)


class Lines:
    """A pipe: the standing at first and at the end, and in between a line for each pair."""

    def __init__(self, console: Console, page: str) -> None:
        self._console = console
        self._page = page
        self._last: LadderState | None = None
        self._moved = False

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Nothing is to be prepared; at the end the standing is told once more."""
        yield
        if self._last is not None and self._moved:
            self._whole(self._last)

    def show(self, state: LadderState) -> None:
        """Tell what is new."""
        before, self._last = self._last, state
        if before is None:
            self._whole(state)
            return
        for text in news(before, state):
            self._moved = True
            self._tell(text)

    def link(self, up: bool) -> None:
        """A word on stderr: it is no part of the account."""
        if not up:
            print(f"plyhouse: {UNLINKED}", file=sys.stderr, flush=True)

    def _whole(self, state: LadderState) -> None:
        tables.say(self._console, tables.whole(state, self._console, self._page))

    def _tell(self, text: str) -> None:
        self._console.file.write(f"{text}\n")
        self._console.file.flush()


def news(before: LadderState, now: LadderState) -> list[str]:
    """What has happened between two standings, a line each, in order."""
    known = {pair.pair for pair in before.recent}
    over = [pair for pair in reversed(now.recent) if pair.pair not in known]
    unseen = now.ladder.pairs - before.ladder.pairs - sum(pair.void is None for pair in over)
    said = [f"{wording.count(unseen, 'pair')} more"] if unseen > 0 else []
    for pair in over:
        score = "–" if pair.void is not None else wording.pair_score(pair)
        players = clean(f"{pair.one} {score} {pair.two}")
        said.append(f"pair {pair.pair}: {players}, {wording.matches_text(pair)}")
    here = {row.player for row in before.standings}
    said += [f"{clean(row.player)} has joined" for row in now.standings if row.player not in here]
    old = wording.notes(before)
    said += [note for note in wording.notes(now) if note not in old]
    if now.ladder.state != before.ladder.state:
        said.append(f"{clean(now.ladder.name)} is {now.ladder.state}")
    return said
