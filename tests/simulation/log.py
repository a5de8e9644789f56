"""The log in memory, by the store's contract, with its time and its losses.

A Disk outlives servers; a SimulatedLog is one server's hold on it.  A commit is under way for a
while, is on the disk at one moment, whole, and is answered at a later one: a server that dies
before the first has written nothing, one that dies between the two has written what was never
answered.  While the disk is slow a commit takes long; while it fails nothing is written, and each
append is told.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, cast

from server.store.batching import Append, GroupCommit
from server.store.contract import Done, EventRow, PulseRow, Row, Space
from tests.server.memory_store import MemoryStore
from tests.simulation.loop import SimulatedLoop


class Disk:
    """What is durable.  `when`: of each event, when it became so."""

    def __init__(self, seed: str, loop: SimulatedLoop) -> None:
        self.loop = loop
        self.rng = random.Random(f"{seed} disk")
        # Whatever a MemoryStore holds by key: events, logins, rooms ...
        self.kept = {n: rows for n, rows in vars(MemoryStore()).items() if isinstance(rows, dict)}
        self.by_room: dict[int, list[EventRow]] = {}
        self.when: dict[tuple[int, int], float] = {}
        self.epoch = 0
        self.delay_s = 0.0  # of each commit, beside the usual
        self.fails = False
        self.acknowledges_early = False  # a guard that was taken out: see guards.py


class _Soon:
    """A list of answers that come by themselves, in order."""

    def __init__(self, log: SimulatedLog) -> None:
        self._log = log
        self._last = 0.0

    def append(self, answer: Callable[[], None]) -> None:
        """Have it come."""
        disk = self._log.disk
        self._last = max(self._last, disk.loop.now + 0.0005 + 0.01 * disk.rng.random() ** 3)
        disk.loop.call_at(self._last, answer)


class SimulatedLog(MemoryStore):
    """One server's hold on the disk."""

    def __init__(self, disk: Disk) -> None:
        super().__init__()
        self.disk = disk
        self.__dict__.update(disk.kept)
        disk.epoch += 1
        self.epoch = disk.epoch
        self.last_at = max((row.seen for row in self.logins.values()), default=0)
        self._asked = cast(Any, _Soon(self))
        self._group = GroupCommit(self._send, disk.loop)

    def append(self, rows: list[Row], done: Done) -> None:
        """As the contract says."""
        self._group.append(rows, done)

    def space(self) -> Space:
        """More than is ever used."""
        return Space(10**12, 0)

    def is_idle(self) -> bool:
        """Whether all is written."""
        return self._group.is_idle()

    def is_stuck(self) -> bool:
        """Whether something waits to be written, and nothing is being written."""
        return bool(self._group._waiting) and not self._group._writing

    def _send(self, batch: list[Append]) -> None:
        disk, loop = self.disk, self.disk.loop
        rest = 0.0003 + 0.002 * disk.rng.random()
        if disk.acknowledges_early:
            loop.call_later(rest, self._group.sent, batch, [None] * len(batch))
            loop.call_later(rest + 0.02 + disk.delay_s, self._sync, batch, False)
            return
        loop.call_later(
            0.0005 + 0.006 * disk.rng.random() ** 2 + disk.delay_s, self._sync, batch, rest
        )

    def _sync(self, batch: list[Append], rest: float | bool) -> None:
        """Put a batch onto the disk, and say so a moment later."""
        disk = self.disk
        errors: list[Exception | None] = []
        for rows, _ in batch:
            if disk.fails:
                errors.append(OSError("no space left on device"))
                continue
            errors.append(error := self._write(rows))
            for row in rows if error is None else ():
                if isinstance(row, EventRow):
                    self._note(row)
                assert not isinstance(row, PulseRow) or row.epoch == self.epoch
        if rest is not False:
            disk.loop.call_later(rest, self._group.sent, batch, errors)

    def _note(self, row: EventRow) -> None:
        disk, key = self.disk, (row.room, row.seq)
        if key not in disk.when:
            disk.when[key] = disk.loop.now
            disk.by_room.setdefault(row.room, []).append(row)

    def all_events(self, room: int) -> list[EventRow]:
        """As the contract says."""
        return sorted(self.disk.by_room.get(room, ()), key=lambda row: row.seq)

    def events_before(self, room: int, since: int = 0) -> list[EventRow]:
        """As the contract says."""
        return [row for row in self.all_events(room) if row.seq > since]
