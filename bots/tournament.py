"""`plyhouse match` in pairs: several bots on a ladder of a server of our own, until it is over.

A *pair* is two matches with the same opening or the same dice and seats swapped.  All meet all in
as many pairs (round robin), or two of them until it is known whether the first is better (SPRT).
Everything is an ordinary ladder: pairing, rating and verdict are the server's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from bots.runner import Connection, Runner, Unreachable, connect, enter
from bots.table import Hooks
from bots.terms import Entry
from protocol.ladder import LadderState, PairLine
from protocol.messages import ClockOptions

NAME: Final = "match"  # of the ladder, and of whose it is
RATED_S: Final = 15.0  # for the last ratings to be computed
MOST: Final = 26  # bots; their owners are called A to Z


@dataclass(frozen=True, slots=True)
class Contest:
    """What is to be played.  `pairs`: of each two, or of a test at most; None: until it knows.

    lanes   pairs of a bot at once
    """

    entries: tuple[Entry, ...]
    game: str
    clock: ClockOptions
    pairs: int | None
    sprt: bool
    seed: int
    lanes: int = 1

    @property
    def owners(self) -> list[str]:
        """A, B and so on: under this name the entry in that place plays."""
        return [chr(ord("A") + i) for i in range(len(self.entries))]

    @property
    def players(self) -> list[str]:
        """What they are called on the ladder: `A/mcts-4@1`."""
        infos = [entry.info() for entry in self.entries]
        return [
            f"{owner}/{info.program}@{info.version}"
            for owner, info in zip(self.owners, infos, strict=True)
        ]

    @property
    def form(self) -> str:
        """The format of the ladder."""
        return f"sprt:{','.join(self.players)}" if self.sprt else f"roundrobin:{self.pairs}"

    @property
    def total(self) -> int | None:
        """How many pairs there will be, if that is known."""
        n = len(self.entries)
        return None if self.pairs is None else self.pairs * n * (n - 1) // 2


@dataclass(slots=True)
class Outcome:
    """How it ended: the last standing, and all pairs that are over, in that order.

    finished     all that there is to play was played: where bots repeat themselves, less than asked
    interrupted  somebody stopped it
    """

    state: LadderState
    pairs: list[PairLine]
    crashes: list[str]
    finished: bool
    interrupted: bool


class Tournament:
    """The bots of a contest at one server."""

    def __init__(self, contest: Contest, url: str, on_state: Callable[[LadderState], None]) -> None:
        """`on_state` sees each new standing, about one a second."""
        self.contest = contest
        self.url = url
        self.interrupted = False
        self._crashes: list[str] = []
        self._on_state = on_state
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End it here; the pairs that are over count."""
        self.interrupted = True
        self._stopping.set()

    async def play(self) -> Outcome:
        """Play it to its end.

        Raises:
            PlyhouseError: the server refuses something, or is gone.
        """
        entries = [replace(entry, slots=self.contest.lanes) for entry in self.contest.entries]
        hooks = Hooks(on_crash=self._crashes.append)
        chair = await connect(self.url, name=NAME)
        houses = [chair]
        serving: list[asyncio.Task[None]] = []
        try:
            await self._open(chair)
            for owner, entry in zip(self.contest.owners, entries, strict=True):
                house = await enter(entry, self.url, owner)
                houses.append(house)
                runner = Runner(house, entry, hooks)
                serving.append(asyncio.create_task(runner.serve()))
                await runner.enlist(NAME)
            await self._until_over(chair, serving)
            for house in houses:
                if house.reason is not None:
                    raise house.reason
            return await self._outcome(chair)
        finally:
            for house in houses:
                await house.close()
            await asyncio.gather(*serving)

    async def _open(self, chair: Connection) -> None:
        contest = self.contest
        await chair.ladder_create(
            NAME,
            contest.game,
            contest.clock,
            contest.form,
            quota=contest.lanes,
            seed=contest.seed % 2**32,
            players=len(contest.entries),
        )

    async def _until_over(self, chair: Connection, serving: list[asyncio.Task[None]]) -> None:
        """Wait for the end of the ladder; whoever loses its connection ends it, too."""
        watching = asyncio.create_task(self._watch(chair))
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({watching, stopping, *serving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (watching, stopping):
                task.cancel()
            await asyncio.wait({watching, stopping})
        if not watching.cancelled():
            watching.result()

    async def _watch(self, chair: Connection) -> None:
        """Follow the standing until there is nothing more to come."""
        state = await chair.ladder_status(NAME, follow=True)
        self._on_state(state)
        while not self._is_over(state):
            state = await self._next(chair)
            self._on_state(state)

    def _is_over(self, state: LadderState) -> bool:
        if state.ladder.state == "finished":
            return True
        able = [row for row in state.standings if row.suspended is None]
        if len(state.standings) - len(able) and len(able) < 2:
            return True
        most, said = self.contest.pairs, state.verdict
        return self.contest.sprt and most is not None and said is not None and said.pairs >= most

    async def _outcome(self, chair: Connection) -> Outcome:
        """Stop the ladder if it goes on, and read what came of it."""
        state = await chair.ladder_status(NAME)
        finished = state.ladder.state == "finished"
        if not finished:
            await chair.ladder_stop(NAME)
        state = await self._rated(chair)
        pairs: list[PairLine] = []
        since: int | None = 0
        while since is not None:
            page = await chair.ladder_pairs(NAME, since)
            pairs += page.pairs
            since = page.next
        return Outcome(state, pairs, self._crashes, finished, self.interrupted)

    async def _rated(self, chair: Connection) -> LadderState:
        """The last standing, with ratings that rest on all pairs."""
        state = await chair.ladder_status(NAME, follow=True)
        with suppress(TimeoutError):  # the older ratings, then
            async with asyncio.timeout(RATED_S):
                while state.rated < state.ladder.pairs:
                    state = await self._next(chair)
        return state

    async def _next(self, chair: Connection) -> LadderState:
        async for message in chair:
            if isinstance(message, LadderState):
                return message
        raise chair.reason or Unreachable("the server has ended the connection")
