"""Two bots against each other at a server, match after match; `plyhouse match A B`.

Both are ordinary clients.  They swap seats after each match.  Every match has its own seeds,
derived from --seed and the match's number: with a budget in nodes and without dice the same command
plays the same matches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from bots.bot import Choice, is_illegal
from bots.online.entry import Entry
from bots.online.match import Hooks
from bots.online.runner import Runner, enter
from bots.online.terms import match_seed
from lab.arena.score import DuelRecord
from protocol.messages import MatchState
from protocol.parts import ClockOptions, Options

OWNERS = ("A", "B")  # the two sessions' names


@dataclass(frozen=True, slots=True)
class DuelPlan:
    """A duel to be played.  `entries`: A and B."""

    entries: tuple[Entry, Entry]
    game: str
    matches: int
    seed: int
    clock: ClockOptions | None = None
    concurrency: int = 1  # matches at once

    @property
    def room_shares(self) -> list[int]:
        """How many matches are played in each room, one after the other."""
        rooms = min(self.concurrency, self.matches)
        return [self.matches // rooms + (i < self.matches % rooms) for i in range(rooms)]


@dataclass(slots=True)
class DuelRoom:
    """One room, in which the two play `share` matches one after the other."""

    share: int
    started: list[str] = field(default_factory=list)


class Duel:
    """Two runners at one server, and the records of their matches."""

    def __init__(
        self, plan: DuelPlan, url: str, on_match: Callable[[MatchState, DuelRecord], None]
    ) -> None:
        """`on_match` sees every state of every match."""
        self.plan = plan
        self.url = url
        self.records: dict[str, DuelRecord] = {}
        self.crashes: list[str] = []  # matches
        self._illegal: set[str] = set()  # those of them that a bot lost by an illegal action
        self.interrupted = False
        self._on_match = on_match
        self._rooms: dict[int, DuelRoom] = {}
        self._over = asyncio.Event()

    def stop(self) -> None:
        """End it here; matches that are over count."""
        self.interrupted = True
        self._over.set()

    async def play(self) -> list[DuelRecord]:
        """Play all matches; the records of those that ended, in order.

        Raises:
            PlyhouseError: the server refuses something, or is gone.
        """
        hooks = [
            Hooks(
                on_match=self._on_state,
                on_choice=self._count_effort(0),
                on_crash=self._on_crash,
                on_closed=self._on_left,
                goes_on=self._goes_on,
            ),
            Hooks(
                on_choice=self._count_effort(1),
                on_crash=self._on_crash,
                on_closed=self._on_left,
            ),
        ]
        entries = self.plan.entries
        connections = [
            await enter(entry, self.url, owner)
            for entry, owner in zip(entries, OWNERS, strict=True)
        ]
        runners = [Runner(*parts) for parts in zip(connections, entries, hooks, strict=True)]
        serving = [asyncio.create_task(runner.serve()) for runner in runners]
        over = asyncio.create_task(self._over.wait())
        try:
            await self._open_rooms(runners[0])
            await asyncio.wait({over, *serving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            over.cancel()
            for connection in connections:
                await connection.close()
            await asyncio.gather(*serving)
        for connection in connections:
            if connection.reason is not None:
                raise connection.reason
        return sorted((r for r in self.records.values() if r.how), key=lambda r: r.number)

    async def _open_rooms(self, runner: Runner) -> None:
        """One room after the other, so that rooms, and with them the seeds, are numbered alike."""
        plan = self.plan
        options = Options(clock=plan.clock, public=False)
        rival = f"{OWNERS[1]}/{plan.entries[1].name}"
        for share in plan.room_shares:
            room = await runner.host(plan.game, options, rival)
            self._rooms.setdefault(room, DuelRoom(0)).share = share

    def _goes_on(self, room: int) -> bool:
        duel_room = self._rooms.get(room)
        if duel_room is None or self._over.is_set():
            return False
        return len(duel_room.started) < duel_room.share

    def _on_left(self, room: int) -> None:
        """A bot left before the end, so something is wrong: end the duel."""
        self._over.set()

    def _on_crash(self, match: str, error: Exception) -> None:
        self.crashes.append(match)
        if is_illegal(error):
            self._illegal.add(match)

    def _count_effort(self, side: int) -> Callable[[MatchState, Choice, float], None]:
        def add(state: MatchState, choice: Choice, seconds: float) -> None:
            self._record(state).efforts[side].add(choice.nodes, seconds, choice.cut)

        return add

    def _on_state(self, state: MatchState) -> None:
        record = self._record(state)
        for event in state.events:
            record.actions[event.seq] = event.action or ""
        record.plies = state.ply
        if state.result is not None:
            record.points = state.result.returns[record.seat]
            record.how, record.reason = state.result.how, state.result.reason
            if state.match in self._illegal:
                record.how = record.reason = "illegal"
        self._on_match(state, record)
        if sum(1 for r in self.records.values() if r.how) == self.plan.matches:
            self._over.set()

    def _record(self, state: MatchState) -> DuelRecord:
        """The record of a match, which begins with the match's first state."""
        record = self.records.get(state.match)
        if record is None:
            self._rooms.setdefault(state.room, DuelRoom(0)).started.append(state.match)
            seat = 0 if state.seats[0].name == OWNERS[0] else 1
            name = self.plan.entries[0].whole_name(state.match)
            seeds = [match_seed(entry.seed, name) for entry in self.plan.entries]
            number = len(self.records) + 1
            record = DuelRecord(number, name, seat, (seeds[0], seeds[1]))
            self.records[state.match] = record
        return record
