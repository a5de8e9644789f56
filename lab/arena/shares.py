"""A duel in shares: matches of one room at a server of their own, each share anywhere.

The seeds of a match follow from its name in the whole duel, so a share plays what would have been
played in its place.  A share begins with an even number of matches behind it, as seats are swapped.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple

from bots.online import readiness
from bots.online.entry import MatchPart
from bots.online.output import complain
from bots.online.runner import Unreachable
from bots.outside.engine import make_engine
from lab.arena.duel import Duel, DuelPlan
from lab.arena.local_server import ServerFailed, local_server
from lab.arena.score import DuelRecord
from lab.farm.executor import FarmExecutor, Task, as_done, grace_period, is_ending
from protocol.errors import PlyhouseError
from protocol.notation import parse_match

SHARE_S: Final = 15.0  # that a share shall take; its server costs one more
ASKED_S: Final = 0.2  # between two looks at whether somebody still wants it


class DuelShare(NamedTuple):
    """The matches `first`, `first + 1` ... of a room, both counted from 0."""

    room: int
    first: int
    matches: int


class Engines(NamedTuple):
    """The programs of --engine, which a worker makes bots itself."""

    commands: tuple[str, ...] = ()
    log: Path | None = None


NO_ENGINES: Final = Engines()


@dataclass(slots=True)
class PlayedShare:
    """What came of a share.

    crashes  how many matches a bot lost by failing
    seconds  that the matches took, without the start of their server
    """

    share: DuelShare
    records: list[DuelRecord] = field(default_factory=list)
    crashes: int = 0
    seconds: float = 0.0


def play_share(plan: DuelPlan, share: DuelShare, engines: Engines) -> PlayedShare:
    """Play the matches of a share at a server of this machine.

    Raises:
        UnknownBot, CannotPlay: this machine does not have a bot, or what it needs.
        ServerFailed: its server did not start, or did not do what it should.
    """
    for command in engines.commands:
        make_engine(command, (plan.game,), engines.log)
    try:
        with grace_period():
            return asyncio.run(_play(plan, share))
    except (PlyhouseError, Unreachable) as error:
        raise ServerFailed(getattr(error, "text", str(error))) from error


async def _play(plan: DuelPlan, share: DuelShare) -> PlayedShare:
    part = MatchPart(share.room + 1, share.first)
    a, b = (replace(entry, part=part, slots=1) for entry in plan.entries)
    plan = replace(plan, entries=(a, b), matches=share.matches, concurrency=1)
    await readiness.prepare(plan.entries, complain)
    async with local_server() as server:
        began = time.monotonic()
        duel = Duel(plan, server.url, lambda state, record: None)
        asking = asyncio.create_task(_stop_in_time(duel))
        try:
            records = await duel.play()
        finally:
            asking.cancel()
        seconds = time.monotonic() - began
    return PlayedShare(share, records, len(duel.crashes), seconds)


async def _stop_in_time(duel: Duel) -> None:
    """Stop the duel once it is not wanted any more; that is said on another thread."""
    while not is_ending():  # noqa: ASYNC110  # no event of this loop tells it
        await asyncio.sleep(ASKED_S)
    duel.stop()


class SharedDuel:
    """A duel whose shares the workers of a farm play.

    `records`: of all shares that are over; the whole duel's numbers are theirs once all are.
    """

    def __init__(self, plan: DuelPlan, engines: Engines = NO_ENGINES) -> None:
        self.plan = plan
        self.crashes = 0
        self._engines = engines
        self._played: list[PlayedShare] = []

    @property
    def records(self) -> list[DuelRecord]:
        """The records so far, room by room, numbered anew."""
        records = [record for played in self._played for record in played.records]
        records.sort(key=lambda record: parse_match(record.match))
        return [replace(record, number=number) for number, record in enumerate(records, 1)]

    def play(self, executor: FarmExecutor) -> Generator[DuelRecord, None, None]:
        """Play all matches; the records as shares end.

        Raises:
            WorkerFailed, BadFarm: a share cannot be played.
            Whatever `play_share` raises.
        """
        tasks = (
            Task(play_share, (self.plan, share, self._engines), _title(share))
            for share in self._shares(lambda: executor.wanted)
        )
        for _, played in as_done(executor, tasks, say=lambda line: complain(f"plyhouse: {line}")):
            self._played.append(played)
            self.crashes += played.crashes
            yield from played.records

    def _shares(self, max_workers: Callable[[], int]) -> Iterator[DuelShare]:
        """All shares: at first two matches each, then as many as take SHARE_S."""
        left = self.plan.matches
        for room, whole in enumerate(self.plan.room_shares):
            first = 0
            while first < whole:
                share = DuelShare(room, first, min(whole - first, self._size(left, max_workers())))
                yield share
                first += share.matches
                left -= share.matches

    def _size(self, left: int, max_workers: int) -> int:
        """How many matches the next share has: an even number, and no more than keeps all busy."""
        matches = sum(len(played.records) for played in self._played)
        seconds = sum(played.seconds for played in self._played)
        size = SHARE_S * matches / seconds if matches else 2.0
        return max(2, 2 * round(min(size, left / max_workers) / 2))


def _title(share: DuelShare) -> str:
    first, last = share.first + 1, share.first + share.matches
    return f"matches {share.room + 1}.{first} to {share.room + 1}.{last}"
