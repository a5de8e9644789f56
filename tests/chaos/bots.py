"""Clients of a ladder for tests that cut and kill: random bots, and an owner who follows it.

All are ordinary clients that resume by themselves, and write down what they are shown.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from bench.support.players import BACKOFF
from bench.support.transcript import Transcript
from client.connection import Connection, Interrupted, Refusal, connect
from protocol.errors import Code, PlyhouseError
from protocol.ladder import LadderState, LadderTold
from protocol.messages import Error, MatchState, Welcome
from protocol.parts import BotInfo
from tests.chaos.account import LadderTranscript

A = TypeVar("A")


class LadderBot:
    """A bot and its transcripts by room.  `think` is its mean thinking time in seconds."""

    def __init__(self, connection: Connection, ladder: str, seed: int, think: float) -> None:
        self.connection = connection
        self.ladder = ladder
        self.transcripts: dict[int, Transcript] = {}
        self.moves = 0
        self.problems: list[str] = []
        self.late: set[str] = set()  # matches that were over when a play was sent once more
        self._random = random.Random(seed)
        self._think = think
        self._choices: dict[tuple[str, int], str] = {}

    async def play(self) -> None:
        """Join, and play until the connection is closed."""
        await patiently(
            lambda: self.connection.ladder_join(self.ladder, f"{self._random.getrandbits(64):x}")
        )
        async with asyncio.TaskGroup() as thoughts:
            async for message in self.connection:
                if isinstance(message, MatchState):
                    self.transcripts.setdefault(
                        message.room, Transcript(self.connection.name)
                    ).note(message)
                    turn = (message.match, message.turn)
                    if message.legal and turn not in self._choices:
                        self._choices[turn] = self._random.choice(message.legal)
                        thoughts.create_task(self._answer(*turn))
                elif (
                    isinstance(message, Error | LadderTold) and message.code != Code.LADDER_FINISHED
                ):
                    self.problems.append(f"{self.connection.name} was told {message.text}")
        if self.connection.reason is not None and self.connection.reason.code != "client/closed":
            self.problems.append(f"{self.connection.name} was left alone: {self.connection.reason}")

    def under_way(self) -> set[str]:
        """The matches of which it has seen a beginning and no end."""
        return {
            f"{room}.1"
            for room, transcript in self.transcripts.items()
            if not transcript.results and any(e.kind == "play" for e in transcript.actions.values())
        }

    async def _answer(self, match: str, turn: int) -> None:
        if self._think:
            await asyncio.sleep(self._random.expovariate(1 / self._think))
        try:
            await self.connection.play(match, turn, self._choices[match, turn])
            self.moves += 1
        except Refusal as no:
            self.late.add(f"{match} [{no.code}]")
        except PlyhouseError as error:
            if error.code != "client/closed":
                self.problems.append(f"{self.connection.name} played in {match} and got {error}")


class Owner:
    """The owner of the ladder, who follows its standings, through kills, too."""

    def __init__(self, connection: Connection, ladder: str) -> None:
        self.connection = connection
        self.ladder = ladder
        self.transcript = LadderTranscript()
        self._news = asyncio.Event()

    async def follow(self) -> None:
        """Write down all standings until the connection is closed."""
        asking: set[asyncio.Task[None]] = set()
        asking.add(asyncio.create_task(self._ask()))
        async for message in self.connection:
            if isinstance(message, LadderState):
                self._note(message)
            elif isinstance(message, Welcome):  # a new link: what was followed is asked for again
                asking.add(asyncio.create_task(self._ask()))
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    async def until(self, enough: Callable[[LadderState], bool]) -> LadderState:
        """The first standings that are `enough`."""
        while True:
            if (state := self.transcript.last) is not None and enough(state):
                return state
            self._news.clear()
            await self._news.wait()

    async def read_pairs(self) -> None:
        """Write down all pairs that are over, page by page."""
        since: int | None = 0
        while since is not None:
            page = await self.connection.ladder_pairs(self.ladder, since)
            for line in page.pairs:
                self.transcript.note_over(line)
            since = page.next

    async def _ask(self) -> None:
        self._note(await patiently(lambda: self.connection.ladder_status(self.ladder, follow=True)))

    def _note(self, state: LadderState) -> None:
        self.transcript.note(state)
        self._news.set()


async def patiently(ask: Callable[[], Awaitable[A]]) -> A:
    """Ask again whatever a lost connection has left without an answer."""
    while True:
        try:
            return await ask()
        except Interrupted:
            continue


async def seat(
    address: str, ladder: str, number: int, game: str, think: float, slots: int
) -> LadderBot:
    """Connect a bot of its own owner."""
    info = BotInfo(program="drawer", version="1", games=[game], slots=slots)
    connection = await connect(address, name=f"author{number}", bot=info, backoff=BACKOFF)
    return LadderBot(connection, ladder, number, think)
