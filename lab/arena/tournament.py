"""`plyhouse match` in pairs: several bots on a ladder of a server of our own, until it is over.

A *pair* is two matches with the same opening or the same dice and seats swapped.  Either each
meets each in the same number of pairs (round robin), or two play until it is known whether the
first is better (SPRT).  It is an ordinary ladder: pairing, rating and verdict are the server's.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Final

from msgspec import structs

from bots.bot import Choice, is_illegal
from bots.online.entry import Entry
from bots.online.match import Hooks
from bots.online.runner import Connection, Runner, Unreachable, connect, enter
from protocol.ladder import (
    USUAL,
    Hypotheses,
    LadderDifferences,
    LadderState,
    PairLine,
    Standing,
)  # fmt: skip
from protocol.messages import MatchState
from protocol.parts import ClockOptions

NAME: Final = "match"  # of the ladder and of its owner
RATING_S: Final = 15.0  # for the last ratings to be computed
NOT_COMPARED = LadderDifferences(ladder=NAME, rated=0, players=(), differences=())
MAX_BOTS: Final = 26  # their owners are called A to Z


@dataclass(frozen=True, slots=True)
class TournamentPlan:
    """What is to be played.

    pairs        of each two, or the most of a test; None: until the test is decided
    concurrency  pairs of a bot at once
    test         what --sprt decides between
    """

    entries: tuple[Entry, ...]
    game: str
    clock: ClockOptions
    pairs: int | None
    sprt: bool
    seed: int
    concurrency: int = 1
    test: Hypotheses = USUAL

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
    def format(self) -> str:
        """The format of the ladder."""
        if not self.sprt:
            return f"roundrobin:{self.pairs}"
        names = self.test.__struct_fields__
        given = [f"{n}={v:g}" for n in names if (v := getattr(self.test, n)) != getattr(USUAL, n)]
        return f"sprt:{','.join([*self.players, *given])}"

    @property
    def total(self) -> int | None:
        n = len(self.entries)
        return None if self.pairs is None else self.pairs * n * (n - 1) // 2


@dataclass(slots=True)
class TournamentResult:
    """How it ended: the last standings, and all pairs that are over, in the order of their ends.

    finished     nothing is left to play, which is less than planned where bots repeat themselves
    interrupted  somebody stopped it
    cuts         (match, place of the entry): choices there that the budget ended before a depth
                 that was asked for
    """

    state: LadderState
    pairs: list[PairLine]
    crashes: list[str]
    finished: bool
    interrupted: bool
    differences: LadderDifferences = NOT_COMPARED
    cuts: Mapping[tuple[str, int], int] = field(default_factory=dict)

    def cut(self, place: int) -> int:
        return sum(count for (_, where), count in self.cuts.items() if where == place)


class Tournament:
    """The bots of one plan at one server."""

    def __init__(
        self, plan: TournamentPlan, url: str, on_state: Callable[[LadderState], None]
    ) -> None:
        """`on_state` is called with each new state of the ladder, about one a second."""
        self.plan = plan
        self.url = url
        self.interrupted = False
        self._crashes: list[str] = []  # matches
        self._illegal: set[str] = set()  # those of them that a bot lost by an illegal action
        self._cuts: Counter[tuple[str, int]] = Counter()
        self._on_state = on_state
        self._stopping = asyncio.Event()

    def stop(self) -> None:
        """End it here; the pairs that are over count."""
        self.interrupted = True
        self._stopping.set()

    async def play(self) -> TournamentResult:
        """Play it to its end.

        Raises:
            PlyhouseError: the server refuses something, or is gone.
        """
        entries = [replace(entry, slots=self.plan.concurrency) for entry in self.plan.entries]
        host = await connect(self.url, name=NAME)
        connections = [host]
        serving: list[asyncio.Task[None]] = []
        try:
            await self._open(host)
            for place, (owner, entry) in enumerate(zip(self.plan.owners, entries, strict=True)):
                connection = await enter(entry, self.url, owner)
                connections.append(connection)
                hooks = Hooks(on_crash=self._on_crash, on_choice=self._count_cuts(place))
                runner = Runner(connection, entry, hooks)
                serving.append(asyncio.create_task(runner.serve()))
                await runner.enlist(NAME)
            await self._until_over(host, serving)
            for connection in connections:
                if connection.reason is not None:
                    raise connection.reason
            return await self._outcome(host)
        finally:
            for connection in connections:
                await connection.close()
            await asyncio.gather(*serving)

    async def _open(self, host: Connection) -> None:
        plan = self.plan
        await host.ladder_create(
            NAME,
            plan.game,
            plan.clock,
            plan.format,
            quota=plan.concurrency,
            seed=plan.seed % 2**32,
            players=len(plan.entries),
        )

    async def _until_over(self, host: Connection, serving: list[asyncio.Task[None]]) -> None:
        """Wait for the end of the ladder, or until a bot loses its connection."""
        watching = asyncio.create_task(self._watch(host))
        stopping = asyncio.create_task(self._stopping.wait())
        try:
            await asyncio.wait({watching, stopping, *serving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (watching, stopping):
                task.cancel()
            await asyncio.wait({watching, stopping})
        if not watching.cancelled():
            watching.result()

    async def _watch(self, host: Connection) -> None:
        """Follow the ladder until there is nothing more to come."""
        state = await host.ladder_status(NAME, follow=True)
        self._on_state(state)
        while not self._is_over(state):
            state = await self._next(host)
            self._on_state(state)

    def _is_over(self, state: LadderState) -> bool:
        if state.ladder.state == "finished":
            return True
        playing = [row for row in state.standings if row.suspended is None]
        if len(playing) < min(2, len(state.standings)):
            return True
        limit, verdict = self.plan.pairs, state.verdict
        if not self.plan.sprt or limit is None or verdict is None:
            return False
        return verdict.pairs >= limit

    async def _outcome(self, host: Connection) -> TournamentResult:
        """Stop the ladder if it goes on, and read its results."""
        state = await host.ladder_status(NAME)
        finished = state.ladder.state == "finished"
        if not finished:
            await host.ladder_stop(NAME)
        state = await self._rated(host)
        pairs: list[PairLine] = []
        since: int | None = 0
        while since is not None:
            page = await host.ladder_pairs(NAME, since)
            pairs += page.pairs
            since = page.next
        state, pairs = told_apart(state, pairs, self._illegal)
        differences = await host.ladder_compare(NAME)
        return TournamentResult(
            state, pairs, self._crashes, finished, self.interrupted, differences, self._cuts
        )

    def _count_cuts(self, place: int) -> Callable[[MatchState, Choice, float], None]:
        def add(state: MatchState, choice: Choice, seconds: float) -> None:
            if choice.cut:
                self._cuts[state.match, place] += 1

        return add

    def _on_crash(self, match: str, error: Exception) -> None:
        self._crashes.append(match)
        if is_illegal(error):
            self._illegal.add(match)

    async def _rated(self, host: Connection) -> LadderState:
        """The last state, with ratings that rest on all pairs."""
        state = await host.ladder_status(NAME, follow=True)
        with suppress(TimeoutError):  # then the ratings are older
            async with asyncio.timeout(RATING_S):
                while state.rated < state.ladder.pairs:
                    state = await self._next(host)
        return state

    async def _next(self, host: Connection) -> LadderState:
        async for message in host:
            if isinstance(message, LadderState):
                return message
        raise host.reason or Unreachable("the server has ended the connection")


def told_apart(
    state: LadderState, pairs: list[PairLine], illegal: Collection[str]
) -> tuple[LadderState, list[PairLine]]:
    """Return standings and pairs in which these matches were lost by an illegal action.

    A bot here looks at its choice before it sends it, so to the server each of them is a crash.
    """
    moved: Counter[str] = Counter()
    told = []
    for pair in pairs:
        legs = list(pair.legs)
        for number, leg in enumerate(legs):
            result = leg.result
            if leg.match not in illegal or result is None or result.how != "crash":
                continue
            legs[number] = structs.replace(
                leg, result=structs.replace(result, how="illegal", reason="illegal")
            )
            if pair.void is None and result.winner is not None:
                loser_is_one = result.winner != number
                moved[pair.one if loser_is_one else pair.two] += 1
        told.append(structs.replace(pair, legs=(legs[0], legs[1])))
    rows = [structs.replace(row, lost_by=_moved(row, moved)) for row in state.standings]
    return structs.replace(state, standings=tuple(rows)), told


def _moved(row: Standing, moved: Mapping[str, int]) -> dict[str, int]:
    count = min(moved[row.player], row.lost_by.get("crash", 0))
    lost_by = {**row.lost_by, "crash": row.lost_by.get("crash", 0) - count}
    lost_by["illegal"] = lost_by.get("illegal", 0) + count
    return {how: times for how, times in lost_by.items() if times}
