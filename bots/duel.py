"""Two bots against each other at a server, match after match; `plyhouse match A B`.

Both are ordinary clients.  Seats are swapped after each match.  Every match
has its own seeds, derived from --seed and the match's number: with a budget in nodes and without
dice the same command plays the same matches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from bots import terms
from bots.bot import Choice
from bots.runner import Runner, enter
from bots.score import Record
from bots.table import Hooks
from bots.terms import Entry
from protocol.messages import ClockOptions, MatchState, Options

OWNERS = ("A", "B")  # the two sessions' names


@dataclass(frozen=True, slots=True)
class Plan:
    """A duel to be played.  `entries`: A and B."""

    entries: tuple[Entry, Entry]
    game: str
    matches: int
    seed: int
    clock: ClockOptions | None = None
    lanes: int = 1  # matches at once


@dataclass(slots=True)
class Lane:
    """One room, in which the two play `share` matches one after the other."""

    share: int
    started: list[str] = field(default_factory=list)


class Duel:
    """Two runners at one server, and the records of their matches."""

    def __init__(
        self, plan: Plan, url: str, on_match: Callable[[MatchState, Record], None]
    ) -> None:
        """`on_match` sees every state of every match."""
        self.plan = plan
        self.url = url
        self.records: dict[str, Record] = {}
        self.crashes: list[str] = []
        self.interrupted = False
        self._on_match = on_match
        self._lanes: dict[int, Lane] = {}
        self._over = asyncio.Event()

    def stop(self) -> None:
        """End it here; what has been played to its end counts."""
        self.interrupted = True
        self._over.set()

    async def play(self) -> list[Record]:
        """Play all matches; the records of those that ended, in order.

        Raises:
            PlyhouseError: the server refuses something, or is gone.
        """
        hooks = [
            Hooks(
                on_match=self._see,
                on_choice=self._effort(0),
                on_crash=self.crashes.append,
                on_closed=self._left,
                encore=self._encore,
            ),
            Hooks(on_choice=self._effort(1), on_crash=self.crashes.append, on_closed=self._left),
        ]
        houses = [
            await enter(e, self.url, name)
            for e, name in zip(self.plan.entries, OWNERS, strict=True)
        ]
        runners = [
            Runner(house, e, h)
            for house, e, h in zip(houses, self.plan.entries, hooks, strict=True)
        ]
        serving = [asyncio.create_task(runner.serve()) for runner in runners]
        over = asyncio.create_task(self._over.wait())
        try:
            await self._open_lanes(runners[0])
            await asyncio.wait({over, *serving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
            for house in houses:
                await house.close()
            await asyncio.gather(*serving)
        for house in houses:
            if house.reason is not None:
                raise house.reason
        return sorted((r for r in self.records.values() if r.how), key=lambda r: r.number)

    async def _open_lanes(self, runner: Runner) -> None:
        """One room after the other, so that rooms, and with them the seeds, are numbered alike."""
        plan = self.plan
        lanes = min(plan.lanes, plan.matches)
        options = Options(clock=plan.clock, public=False)
        rival = f"{OWNERS[1]}/{plan.entries[1].program}"
        for lane in range(lanes):
            share = plan.matches // lanes + (lane < plan.matches % lanes)
            room = await runner.host(plan.game, options, rival)
            self._lanes.setdefault(room, Lane(0)).share = share

    # ---- hooks

    def _encore(self, room: int) -> bool:
        lane = self._lanes.get(room)
        return lane is not None and len(lane.started) < lane.share and not self._over.is_set()

    def _left(self, room: int) -> None:
        """Neither leaves before the end unless something is wrong: do not wait for ever."""
        self._over.set()

    def _effort(self, side: int) -> Callable[[MatchState, Choice, float], None]:
        def add(state: MatchState, choice: Choice, seconds: float) -> None:
            self._record(state).efforts[side].add(choice.nodes, seconds)

        return add

    def _see(self, state: MatchState) -> None:
        record = self._record(state)
        for event in state.events:
            record.actions[event.seq] = event.action or ""
        record.plies = state.ply
        if state.result is not None:
            record.points = state.result.returns[record.seat]
            record.how, record.reason = state.result.how, state.result.reason
        self._on_match(state, record)
        if sum(1 for r in self.records.values() if r.how) == self.plan.matches:
            self._over.set()

    def _record(self, state: MatchState) -> Record:
        """The record of a match, begun when the match is first seen."""
        record = self.records.get(state.match)
        if record is None:
            lane = self._lanes.setdefault(state.room, Lane(0))
            lane.started.append(state.match)
            seat = 0 if state.seats[0].name == OWNERS[0] else 1
            seeds = [terms.match_seed(entry.seed, state.match) for entry in self.plan.entries]
            number = len(self.records) + 1
            record = Record(number, state.match, seat, (seeds[0], seeds[1]))
            self.records[state.match] = record
        return record
