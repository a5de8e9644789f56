"""A worker that plays no backgammon: what it does to the weights depends on all that it is asked.

The first weight of each net is a number of ten bits, and two batches of games make the mean, so a
checkpoint keeps both exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count

import msgspec

from bots.backgammon.nets import Nets
from bots.backgammon.weights import Weights
from games.game import Ints
from lab.training.dataset import Dataset
from lab.training.settings import TrainingSettings
from lab.training.training import Training
from lab.training.worker import SelfPlayGame, Worker
from tests.bots.backgammon.tiny import HIDDEN

SETTINGS = TrainingSettings(
    games=35, seed=5, hidden=HIDDEN, alpha=0.5, alpha_end=0.01,
    lessons=3, lesson_games=70, window=2, passes=2, rate=0.02, lesson_decay=0.25,
)  # fmt: skip
REFINING = msgspec.structs.replace(
    SETTINGS, lessons=2, refinements=3, refinement_games=30, refinement_window=2,
    refinement_passes=3, refinement_rate=0.01, refinement_decay=0.75,
)  # fmt: skip


WIDENING = msgspec.structs.replace(
    REFINING, refinements=1, wide_rounds=2, wide_hidden=(5, 3, 4), wide_games=20, wide_window=1,
    wide_passes=4, wide_rate=0.04, wide_decay=0.5,
)  # fmt: skip


@dataclass
class Log:
    """What all workers of a training were asked for."""

    played: list[tuple[int, bool, float]] = field(default_factory=list)  # seed, whole, lambda
    ahead: list[tuple[int, float]] = field(default_factory=list)  # seed, lambda
    refined: list[tuple[int, float]] = field(default_factory=list)  # seed, lambda
    others: int = 0  # of the refined games, with turns that were not chosen
    matches: list[tuple[int, int]] = field(default_factory=list)  # seed, seat
    fitted: list[tuple[int, list[int], list[float]]] = field(default_factory=list)
    steps: list[tuple[int, float]] = field(default_factory=list)  # passes and rate of each fit


class FakeWorker(Worker):
    """See above; `between` is called between two passes."""

    def __init__(self, nets: Nets, log: Log, between: Callable[[], None]) -> None:
        self.nets, self.log, self.between = nets, log, between

    def _mix(self, which: int, number: float) -> None:
        """Change a net in a way that depends on what it was."""
        at, w = self.nets.shape[2 * which], self.nets.weights
        w[at] = (int(w[at] * 1024) * 31 + int(number * 9973)) % 1024 / 1024

    def scatter(self, seed: int) -> None:
        for which in self.nets.distinct:
            self.nets.weights[self.nets.shape[2 * which]] = (seed * 7 + which) % 1024 / 1024

    def play(self, seed: int, whole: bool, game: SelfPlayGame) -> None:
        game.count = 1 + seed % 3
        game.arrays.boards[0] = seed % 97 + 100 * whole

    def aim(self, game: SelfPlayGame, decay: float) -> None:
        game.arrays.chances[0] = decay
        self.log.played.append((game.arrays.boards[0] % 100, game.arrays.boards[0] > 99, decay))

    def learn(self, games: list[SelfPlayGame], which: int, alpha: float) -> int:
        for game in games:
            self._mix(which, game.arrays.boards[0] + alpha + game.arrays.chances[0])
        return sum(game.count for game in games)

    def match(self, seed: int, seat: int) -> int:
        self.log.matches.append((seed, seat))
        return (seed % 2) * 4 - 1 if seat else 1  # pairs worth 2 and 0

    def look_ahead(self, seed: int, decay: float) -> Dataset:
        self.log.ahead.append((seed, decay))
        return self._seen(seed, decay)

    def refine(self, seed: int, decay: float, *, others: bool = False) -> Dataset:
        self.log.refined.append((seed, decay))
        self.log.others += others
        return self._seen(seed + 1, decay)

    def _seen(self, seed: int, decay: float) -> Dataset:
        dataset = Dataset(2, self.nets.plain)
        dataset.count = 1 + seed % 2
        for i in range(2):
            dataset.samples.packed[4 * i] = seed % 1009
            dataset.samples.targets[5 * i] = decay
            dataset.samples.kinds[i] = (seed + i) % 3
        return dataset

    def fit(
        self, dataset: Dataset, which: int, passes: int, rate: float, seed: int,
        go_on: Callable[[], bool],
    ) -> bool:  # fmt: skip
        packed: Ints = dataset.samples.packed[: 4 * dataset.count]
        self.log.fitted.append((which, list(packed), list(self.nets.weights)))
        self.log.steps.append((passes, rate))
        for number in range(passes):
            if not go_on():
                return False
            self._mix(which, sum(packed) + rate + seed % 1009 + number)
            self.between()
        return True

    def blend(self, mean: object, share: float) -> None:
        assert isinstance(mean, list)
        mean[:] = [m + share * (w - m) for m, w in zip(mean, self.nets.weights, strict=True)]


def training(
    settings: TrainingSettings = SETTINGS,
    *,
    threads: int = 1,
    log: Log | None = None,
    between: Callable[[], None] = lambda: None,
    start: Weights | None = None,
) -> Training:
    """A training of fake workers in which a look at the clock takes a second."""
    written = Log() if log is None else log
    seconds: Iterator[float] = count(0.0, 1.0)
    return Training(
        settings, threads=threads, plain=True, start=start, clock=lambda: next(seconds),
        worker=lambda nets: FakeWorker(nets, written, between),
    )  # fmt: skip


def nothing(_: object) -> None:
    """Listen to no report."""
