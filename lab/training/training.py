"""Training the nets of backgammon by self-play, from nothing but the rules.

Games are played in batches of BATCH with the weights as they were at its start, on as many threads
as there are; then the nets learn from them in order, each net on one thread.  So the weights depend
on the settings and on nothing else: neither on the number of threads nor on stopping and going on.

The length of a step stays as it begins for a while, and then falls evenly on a logarithmic scale.
The nets of the games are the mean of the weights over the last stretch (B. Polyak, A. Juditsky,
"Acceleration of stochastic approximation by averaging", 1992).

Rounds of lookahead follow.  In each the nets look ahead in some thousand games; then they learn
what they saw in this and the last rounds, in passes with shorter and shorter steps; the next round
looks ahead with the better nets.  The nets of the games play only the first round: what it saw is
learnt by random nets again, as weights that came about in small steps are slow to become anything
else.

In the rounds of refinement after these, turns are chosen with lookahead, too.  In the last rounds
wider nets learn, from what turns would have left, too, that were looked at and not chosen.  Both
begin with the nets as a file of them holds them, rounded, so they come to the same from a file.

Games with lookahead, and those that measure, can be played anywhere (tasks.py), as the nets stay as
they are meanwhile.  Games that are learnt from at once cannot: between two weights lie eight of
them, which take a twentieth of a second.

A killed training goes on from its last checkpoint; in a round of lookahead, from its beginning.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, TypeVar

from bots.backgammon import weights
from bots.backgammon.kernels.net import KINDS, size
from bots.backgammon.nets import Nets
from bots.backgammon.weights import Weights
from bots.engine import compiled
from lab.farm.executor import FarmExecutor, Task, as_done, in_order
from lab.farm.farm import open_executor
from lab.farm.where import HERE, Where
from lab.training import checkpoint
from lab.training.checkpoint import TrainingState
from lab.training.dataset import Dataset, joined
from lab.training.progress import CurvePoint, TrainingProgress
from lab.training.settings import RoundSettings, TrainingSettings
from lab.training.tasks import MakeWorker, PackedNets, look_ahead, match_points
from lab.training.worker import SelfPlayGame, Worker

BATCH: Final = 8  # games that are played before the nets learn
WHOLE: Final = 8  # one game of this many goes on to its end, for the net of races
LAST: Final = 0.2  # the share of the games at the end whose weights are averaged
LOOKED_AT: Final = 16  # games looked ahead in by a task, which takes two seconds
MEASURED: Final = 25  # pairs of games that a task plays, which takes half a second
ROOM: Final = 80  # positions of a game on average for which a dataset has room ...
ROOM_WITH_OTHERS: Final = 160  # ... where turns that were not chosen are learnt, too
MEASURE_SEEDS: Final = 1 << 40  # keeps the dice of measuring apart from those of playing ...
ROUND_SEEDS: Final = 1 << 28  # ... and those of one round of lookahead from the next one's

T = TypeVar("T")


class Training:
    """A training that can be stopped and goes on.

    progress  how far it has come
    ended     whether `end` was called
    """

    def __init__(
        self,
        settings: TrainingSettings,
        *,
        threads: int = 1,
        plain: bool = False,
        start: Weights | None = None,
        worker: MakeWorker = Worker,
        clock: Callable[[], float] = time.perf_counter,
        executor: FarmExecutor | None = None,
        say: Callable[[str], None] = lambda line: None,
    ) -> None:
        """`start`: the nets to start from, by settings.after; `worker` makes what a thread does.

        `executor`: who looks ahead and measures (None: the threads); `say`: what goes wrong there.
        """
        self.settings = settings
        self.start = start
        self.progress = TrainingProgress()
        self.ended = False
        self._make, self._say, self._clock = worker, say, clock
        self.datasets: dict[int, Dataset] = {}  # of the last rounds, by number, from 1
        self._use(Nets(start or _empty(settings.hidden, settings.without), plain=plain), threads)
        if start is None:
            self.workers[0].scatter(settings.seed)
        self._games = [SelfPlayGame(self.nets.plain) for _ in range(BATCH)]
        self._averaged = 0  # batches that `mean` is the mean of
        self._written: set[int] = set()  # rounds whose datasets are in their files
        self._threads = open_executor(Where("threads", threads) if threads > 1 else HERE)
        self._executor = self._threads if executor is None else executor

    def _use(self, nets: Nets, threads: int) -> None:
        """Train these nets from now on."""
        self.nets = nets
        self.mean = compiled.singles(len(nets.weights), nets.plain)
        self.workers = [self._make(nets) for _ in range(threads)]

    def end(self) -> None:
        """Stop soon; a signal handler may call it."""
        self.ended = True

    def _share(self, work: Callable[[Worker, int], T], numbers: Sequence[int]) -> list[T]:
        """What `work` returns for each number; the workers share them, each on its own thread."""
        n, count = len(numbers), len(self.workers)

        def part(k: int) -> list[T]:
            return [work(self.workers[k], number) for number in numbers[k::count]]

        if count == 1:
            return part(0)
        parts = [job.result() for job in [self._threads.submit(part, k) for k in range(count)]]
        return [parts[i % count][i // count] for i in range(n)]

    def run(self, report: Callable[[TrainingProgress], None], *, until: int | None = None) -> None:
        """Play and learn until all games, or `until` of them, are done, or `end` is called.

        `report` is called after every batch, on this thread.
        """
        goal = self.settings.games if until is None else min(until, self.settings.games)
        progress = self.progress
        began = self._clock() - progress.seconds
        while progress.games < goal and not self.ended:
            self._batch()
            progress.seconds = self._clock() - began
            report(progress)

    def _batch(self) -> None:
        """Play BATCH games at once, then learn from them."""
        settings, progress = self.settings, self.progress
        first = progress.games
        games = self._games[: min(BATCH, settings.games - first)]
        alpha = settings.step(first)
        self._share(lambda worker, i: self._play(worker, first + i, games[i]), range(len(games)))
        learnt = self._each_net(lambda worker, k: worker.learn(games, k, alpha))
        progress.learnt = [a + b for a, b in zip(progress.learnt, learnt, strict=True)]
        progress.games += len(games)
        if progress.games > (1 - LAST) * settings.games:
            self._averaged += 1
            self.workers[0].blend(self.mean, 1 / self._averaged)

    def _play(self, worker: Worker, number: int, game: SelfPlayGame) -> None:
        seed = self.settings.seed * MEASURE_SEEDS + number
        worker.play(seed, number % WHOLE == 0, game)
        worker.aim(game, self.settings.decay)

    def _each_net(self, work: Callable[[Worker, int], int]) -> list[int]:
        """What `work` returns for each net, on several threads where none has two of them."""
        if "one-way" in self.settings.without:  # two of the nets are one
            return [work(self.workers[0], k) for k in range(KINDS)]
        return self._share(work, range(KINDS))

    def finish(self) -> None:
        """Make the mean of the last games the weights, if no round of lookahead came after.

        Before refinement, and before wider nets learn, they are rounded as in a file.

        Raises:
            BadWeights: no file can hold them.
        """
        settings, lessons = self.settings, self.progress.lessons
        if self._averaged and not lessons:
            self.nets.weights[:] = self.mean
        if settings.begins_anew(lessons):
            self.nets.weights[:] = weights.rounded(self.nets.weights)

    def look_ahead(self, report: Callable[[str], None]) -> bool:
        """One round more, after all games; False if `end` was called before it was over.

        `report` is called now and then with what is going on, on this thread.
        """
        progress = self.progress
        self.finish()
        began, number = self._clock(), progress.lessons + 1
        settings = self.settings.round(number)
        seed = self.settings.seed * MEASURE_SEEDS + MEASURE_SEEDS // 2 + settings.dice * ROUND_SEEDS
        dataset = self._collect(settings, seed, report)
        if dataset is None:
            return False
        datasets = {n: data for n, data in self.datasets.items() if n >= settings.oldest}
        datasets[number] = dataset
        report(f"learns {sum(dataset.count for dataset in datasets.values()):,} positions")
        if not self._fit(joined(list(datasets.values()), self.nets.plain), settings, seed):
            return False
        self.datasets = datasets
        progress.lessons += 1
        progress.studied.append(dataset.count)
        progress.seconds += self._clock() - began
        return True

    def _collect(
        self, settings: RoundSettings, seed: int, report: Callable[[str], None]
    ) -> Dataset | None:
        """What lookahead says in the games of a round; None if `end` was called before."""
        games, nets, make = settings.games, self._packed(), self._make
        shares = _shares(games, LOOKED_AT)
        tasks = (
            Task(look_ahead, (nets, make, settings, seed + first, count), _title(first, count))
            for first, count in shares
        )
        room = ROOM_WITH_OTHERS if settings.others else ROOM
        dataset, looked_at = Dataset(games * room, self.nets.plain), 0
        early: dict[int, Dataset] = {}
        report(f"looks ahead in games: 0 of {games:,}")
        for number, share in as_done(self._executor, tasks, stopped=self._ended, say=self._say):
            early[number] = share
            looked_at += shares[number][1]
            report(f"looks ahead in games: {looked_at:,} of {games:,}")
        if self.ended:
            return None
        for number in sorted(early):
            dataset.add(early[number])
        return joined([dataset], self.nets.plain)  # without the room that was left

    def _packed(self) -> PackedNets:
        return PackedNets.of(self.nets, self.settings.without)

    def _ended(self) -> bool:
        return self.ended

    def _fit(self, dataset: Dataset, settings: RoundSettings, seed: int) -> bool:
        """Learn a dataset; False if `end` was called, with nets as they were."""
        before, values = (self.nets, self.mean, self.workers), list(self.nets.weights)
        if settings.anew:
            self.workers[0].scatter(self.settings.seed)
        if settings.hidden != self.nets.hidden:
            self._use(self._widened(settings.hidden), len(self.workers))

        def go_on() -> bool:
            return not self.ended

        def fit(worker: Worker, which: int) -> bool:
            return worker.fit(dataset, which, settings.passes, settings.rate, seed, go_on)

        over = all(self._share(fit, self.nets.distinct))
        if not over:
            self.nets, self.mean, self.workers = before
            self.nets.weights[:] = values
        return over

    def _widened(self, hidden: tuple[int, ...]) -> Nets:
        """Nets of these widths: random ones, but for those whose width stays as it is."""
        old, new = self.nets, Nets(_empty(hidden, self.settings.without), plain=self.nets.plain)
        self._make(new).scatter(self.settings.seed)
        for k, width in enumerate(hidden):
            if width == old.hidden[k]:
                here, there = int(new.shape[2 * k]), int(old.shape[2 * k])
                new.weights[here : here + size(width)] = old.weights[there : there + size(width)]
        return new

    def measure(self, pairs: int) -> CurvePoint:
        """How strong the weights are now; this changes nothing of what follows."""
        seed = self.settings.seed * MEASURE_SEEDS + 3 * MEASURE_SEEDS // 4

        nets = self._packed()
        tasks = (
            Task(match_points, (nets, self._make, seed + first, count), "a measurement")
            for first, count in _shares(pairs, MEASURED)
        )
        played = in_order(self._executor, tasks, say=self._say)
        points = [won for share in played for won in share]
        average = sum(points) / pairs
        squares = sum((won - average) ** 2 for won in points)
        error = 1.96 * (squares / max(1, pairs - 1) / pairs) ** 0.5
        games, lessons = self.progress.games, self.progress.lessons
        seconds = round(self.progress.seconds, 1)
        return CurvePoint(games, seconds, round(average, 4), round(error, 4), lessons)

    def result(self) -> Weights:
        """The weights as they are, and how they were made."""
        progress = self.progress
        trained = {
            **self.settings.plain(),
            "games_played": progress.games,
            "seconds": round(progress.seconds),
            "positions": progress.learnt,
            "studied": progress.studied,
            "curve": [[m.games, m.lessons, m.points, m.error] for m in progress.curve],
        }
        if self.start is not None:
            trained["before"] = self.start.trained
        values = [float(x) for x in self.nets.weights]
        return Weights(self.nets.hidden, values, trained, self.settings.without)

    def write(self, path: Path) -> None:
        """Write a checkpoint.

        Raises:
            OSError: it cannot be written.
        """
        both = [float(x) for part in (self.nets.weights, self.mean) for x in part]
        state = TrainingState(
            progress=self.progress, weights=both, averaged=self._averaged, datasets=self.datasets
        )
        checkpoint.write(path, self.settings, state, self._written)
        self._written |= self.datasets.keys()

    def go_on(self, path: Path) -> None:
        """Take up what `write` has written.

        Raises:
            BadWeights: there is no checkpoint, or it is damaged.
            BadTraining: it belongs to other settings.
        """
        state = checkpoint.read(path, self.settings, self.nets.plain)
        hidden = self.settings.hidden_after(state.progress.lessons)
        if hidden != self.nets.hidden:
            empty = _empty(hidden, self.settings.without)
            self._use(Nets(empty, plain=self.nets.plain), len(self.workers))
        count = len(self.nets.weights)
        self.progress, self._averaged = state.progress, state.averaged
        self.datasets, self._written = state.datasets, set(state.datasets)
        self.nets.weights[:], self.mean[:] = state.weights[:count], state.weights[count:]


def _empty(hidden: tuple[int, ...], without: tuple[str, ...]) -> Weights:
    """Nets of these widths, all their weights 0."""
    return Weights(hidden, [0.0] * sum(map(size, hidden)), {}, without)


def _shares(whole: int, size: int) -> list[tuple[int, int]]:
    """`whole` in parts of `size`, the last one perhaps smaller: where each begins, and its size."""
    return [(first, min(size, whole - first)) for first in range(0, whole, size)]


def _title(first: int, count: int) -> str:
    return f"games {first + 1:,} to {first + count:,} of a round of lookahead"
