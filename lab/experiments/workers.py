"""Which pairs are played when: a schedule hands them out, and the workers of a farm play them."""

from __future__ import annotations

import heapq
import math
import threading
import time
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Final, NamedTuple

import msgspec

from bots.online.output import complain
from lab.experiments.cell import Batch, Cell, CellPlayer
from lab.experiments.contest import PROCESS_CPU, THREAD_CPU
from lab.experiments.sample import CellSample
from lab.farm.executor import FarmExecutor, Task, as_done, shares_process

BATCH_S: Final = 1.0  # that a batch shall take: so much is lost at a kill, and a line is written
KEPT: Final = 512  # players of cells that a worker keeps ready


class PairSpan(NamedTuple):
    """Pairs of a cell that somebody shall play."""

    cell: str
    first: int
    pairs: int


class Schedule:
    """Which pairs come next: those of the cell that is furthest behind.

    Args:
        goals: pairs of each cell, by its key.
        played: what is over already.
        by_cost: play dear cells less: pairs in proportion to 1 / sqrt(their cost), by which the
            variances of all cells together become smallest for the time (Neyman's allocation).
    """

    def __init__(
        self, goals: Mapping[str, int], played: Iterable[Batch], by_cost: bool = False
    ) -> None:
        keys = list(goals)
        self.goals = goals
        self.samples = {key: CellSample() for key in keys}
        self._by_cost = by_cost
        self._places = {key: place for place, key in enumerate(keys)}
        self._free: dict[str, list[tuple[int, int]]] = {
            key: [(0, goal)] for key, goal in goals.items()
        }
        self._out = dict.fromkeys(keys, 0)
        for batch in played:
            if batch.cell in self.samples:
                self._take(batch)
        self._queue = [(self._rank(key), self._places[key], key) for key in keys]
        heapq.heapify(self._queue)

    @property
    def games(self) -> int:
        return sum(sample.games for sample in self.samples.values())

    @property
    def total(self) -> int:
        return 2 * sum(self.goals.values())

    @property
    def seconds(self) -> float:
        """Seconds of one core that the games have taken."""
        return sum(sample.seconds for sample in self.samples.values())

    def seconds_left(self) -> float:
        """Seconds of one core that are left, by what the pairs of each cell have taken."""
        costs = {key: cost for key in self.goals if (cost := self._cost(key)) is not None}
        usual = sum(costs.values()) / len(costs) if costs else 0.0
        return sum(
            max(0, goal - self.samples[key].pairs) * costs.get(key, usual)
            for key, goal in self.goals.items()
        )

    def next(self, max_workers: int = 1) -> PairSpan | None:
        """What a worker, of so many that play at once, shall play now; None: all is handed out."""
        while self._queue:
            rank, place, key = heapq.heappop(self._queue)
            if not self._free[key]:
                continue
            if rank != (now := self._rank(key)):
                heapq.heappush(self._queue, (now, place, key))
                continue
            first, end = self._free[key].pop(0)
            pairs = min(end - first, self._batch(key, max_workers))
            if first + pairs < end:
                self._free[key].insert(0, (first + pairs, end))
            self._out[key] += pairs
            heapq.heappush(self._queue, (self._rank(key), place, key))
            return PairSpan(key, first, pairs)
        return None

    def probe(self, key: str) -> PairSpan | None:
        """A pair of this cell to be played now; None where all are handed out."""
        if not self._free[key]:
            return None
        first, end = self._free[key].pop(0)
        if first + 1 < end:
            self._free[key].insert(0, (first + 1, end))
        self._out[key] += 1
        return PairSpan(key, first, 1)

    def done(self, batch: Batch) -> None:
        self._out[batch.cell] -= batch.sample.pairs
        self.samples[batch.cell].merge(batch.sample)

    def _rank(self, key: str) -> float:
        pairs = self.samples[key].pairs + self._out[key]
        if not self._by_cost:
            return pairs
        cost = self._cost(key)
        return pairs * math.sqrt(cost) if cost is not None else float(pairs)

    def _cost(self, key: str) -> float | None:
        sample = self.samples[key]
        return sample.seconds / sample.pairs if sample.pairs else None

    def _batch(self, key: str, max_workers: int) -> int:
        """Pairs of a batch: as many as take BATCH_S, and a share of the cell that lets all cells
        and all workers come along together.
        """
        cost = self._cost(key)
        if cost is None:
            return 1
        goal = self.goals[key]
        left = goal - self.samples[key].pairs - self._out[key]
        share = max(1, min(goal // 10, math.ceil(left / max_workers)))
        return max(1, min(share, round(BATCH_S / max(cost, 1e-6))))

    def _take(self, batch: Batch) -> None:
        """Count pairs that are over, and hand them out no more; a batch is counted as a whole."""
        self.samples[batch.cell].merge(batch.sample)
        spans = []
        for first, end in self._free[batch.cell]:
            spans += [(first, min(end, batch.first)), (max(first, batch.end), end)]
        self._free[batch.cell] = [(first, end) for first, end in spans if first < end]


def play(
    cells: Mapping[str, Cell],
    seed: int,
    schedule: Callable[[], PairSpan | None],
    executor: FarmExecutor,
) -> Generator[Batch, None, None]:
    """Play what the schedule hands out until it has nothing more; the batches as they end.

    Bots that print do so on stderr.

    Raises:
        WorkerFailed: a batch cannot be played; those before it stand.
        BadFarm, UnknownBot: a worker elsewhere cannot play it.
    """
    tasks = (
        Task(play_span, (cells[span.cell], seed, span.first, span.pairs), _title(span))
        for span in iter(schedule, None)
    )
    try:
        for _, batch in as_done(executor, tasks, say=lambda line: complain(f"plyhouse: {line}")):
            yield batch
    finally:
        _kept.players.clear()  # where this thread has played


def _title(span: PairSpan) -> str:
    last = span.first + span.pairs
    pairs = f"pair {last}" if span.pairs == 1 else f"pairs {span.first + 1} to {last}"
    return f"{pairs} of {span.cell}"


class KeptPlayers(threading.local):
    """The players of the last cells that this thread has played, by seed and cell."""

    def __init__(self) -> None:
        self.players: dict[bytes, CellPlayer] = {}


_kept: Final = KeptPlayers()


def play_span(cell: Cell, seed: int, first: int, pairs: int) -> Batch:
    """Play pairs of a cell, on whichever machine."""
    shared = shares_process()
    key = msgspec.msgpack.encode((seed, shared, cell))
    players = _kept.players
    player = players.pop(key, None) or CellPlayer(cell, seed, THREAD_CPU if shared else PROCESS_CPU)
    players[key] = player
    if len(players) > KEPT:
        del players[next(iter(players))]
    began = time.perf_counter()
    batch = player.play(first, pairs)
    batch.sample.seconds = time.perf_counter() - began
    return batch
