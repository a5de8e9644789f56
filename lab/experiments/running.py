"""Carries an experiment through: a schedule, its journal, how far it is, and when to stop."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Final

from bots.commands.progress import ProgressBar
from bots.online.output import complain
from lab.experiments import workers
from lab.experiments.cell import Batch, Cell
from lab.experiments.journal import Journal
from lab.experiments.workers import PairSpan, Schedule
from lab.farm.executor import FarmExecutor, HereExecutor
from lab.farm.interrupts import interruptible

LINE_S: Final = 10.0  # between two lines in a pipe
PROBED_CELLS: Final = 16
PROBE_S: Final = 10.0


@dataclass(slots=True)
class Experiment:
    """Cells that are played by a schedule into a journal.

    `executor`: where they are played; `clock`: seconds.
    """

    cells: Mapping[str, Cell]
    seed: int
    schedule: Schedule
    journal: Journal
    executor: FarmExecutor = field(default_factory=HereExecutor)
    clock: Callable[[], float] = time.monotonic
    failed: bool = False  # whether a bot has failed in a game
    _errors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Know of what failed before."""
        self.failed = any(any(batch.sample.failures) for batch in self.journal.batches)

    def probe(self) -> None:
        """Play a pair of some cells from all over the grid, so that its cost is known."""
        keys = list(self.cells)
        step = max(1, len(keys) // PROBED_CELLS)
        tasks = iter([key for key in keys[::-1][::step] if not self.schedule.samples[key].pairs])
        end = self.clock() + PROBE_S

        def one() -> PairSpan | None:
            for key in tasks:
                if self.clock() < end and (task := self.schedule.probe(key)) is not None:
                    return task
            return None

        for batch in workers.play(self.cells, self.seed, one, HereExecutor()):
            self._count(batch)

    def run(self, title: str, limit: float = math.inf) -> None:
        """Play until all is played, or games have taken `limit` seconds of one core; show how far
        it is.

        Raises:
            WorkerFailed, OSError: it cannot go on; what the journal holds is kept.
            KeyboardInterrupt: the same.
        """
        schedule = self.schedule
        if schedule.games >= schedule.total:
            return
        end = schedule.seconds + limit

        def next_task() -> PairSpan | None:
            return None if schedule.seconds >= end else schedule.next(self.executor.wanted)

        said = self.clock()
        with (
            interruptible(),
            ProgressBar(title, schedule.total) as bar,
            closing(workers.play(self.cells, self.seed, next_task, self.executor)) as batches,
        ):
            for batch in batches:
                self._count(batch)
                line = None
                if self.clock() - said >= LINE_S:
                    said = self.clock()
                    line = self._line(end)
                bar.show(schedule.games, line, f"{title}, {self._left(end)}")

    def _line(self, end: float) -> str:
        """How far it is, in a line for a pipe."""
        done, total = self.schedule.games, self.schedule.total
        whole = f" of {total:,}" if math.isinf(end) else ""
        return f"{done:,}{whole} games, {self._left(end)}"

    def _left(self, end: float) -> str:
        """How long it still takes, about, while each worker has a core."""
        seconds = min(self.schedule.seconds_left(), max(0.0, end - self.schedule.seconds))
        return f"{duration(seconds / self.executor.max_workers)} left"

    def _count(self, batch: Batch) -> None:
        """Count a batch, which is on the disk by then."""
        self.journal.append(batch)
        self.schedule.done(batch)
        self.failed = self.failed or any(batch.sample.failures)
        if batch.error and batch.error not in self._errors:
            self._errors.add(batch.error)
            complain(f"plyhouse: a bot failed, and lost its game ({batch.cell}):")
            for line in batch.error.splitlines():
                complain(line)


def duration(seconds: float) -> str:
    """A time in words: "40 s", "3.5 min", "2.1 hours", "12 days"."""
    for unit, size, least in (("days", 86_400, 2), ("hours", 3600, 2), ("min", 60, 1.5)):
        if seconds >= least * size:
            amount = seconds / size
            return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:,.0f} {unit}"
    return f"{seconds:.0f} s"


def ask(sentence: str) -> bool | None:
    """Whether the person at the terminal agrees; None: there is no terminal."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    print(f"plyhouse: {sentence}; go on? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
