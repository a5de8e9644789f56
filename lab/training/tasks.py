"""What of a training can be done anywhere: games with nets that do not change meanwhile.

The nets travel with the task, as they are to the last bit.  What comes back depends on them, on the
seeds and on the kind of processor, on nothing else.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple

from bots.backgammon.nets import Nets
from bots.backgammon.weights import Weights
from lab.farm.executor import kept
from lab.training.dataset import Dataset, joined
from lab.training.settings import RoundSettings
from lab.training.worker import Worker

MakeWorker = Callable[[Nets], Worker]


class PackedNets(NamedTuple):
    """Nets on their way: `values` are in single precision, or in double where they are `plain`."""

    hidden: tuple[int, ...]
    without: tuple[str, ...]
    plain: bool
    values: bytes

    @staticmethod
    def of(nets: Nets, without: tuple[str, ...]) -> PackedNets:
        values = array(_code(nets.plain), nets.weights).tobytes()
        return PackedNets(tuple(nets.hidden), without, nets.plain, values)

    def unpacked(self) -> Nets:
        values = array(_code(self.plain), self.values)
        return Nets(Weights(self.hidden, values, {}, self.without), plain=self.plain)


def _code(plain: bool) -> str:
    return "d" if plain else "f"


def _worker(nets: PackedNets, make: MakeWorker) -> Worker:
    return make(nets.unpacked())


def look_ahead(
    nets: PackedNets, make: MakeWorker, settings: RoundSettings, first_seed: int, games: int
) -> Dataset:
    """What lookahead says in so many games of a round, in their order."""
    worker = kept(_worker, nets, make)
    seeds, decay = range(first_seed, first_seed + games), settings.decay
    if settings.refines:
        played = [worker.refine(seed, decay, others=settings.others) for seed in seeds]
    else:
        played = [worker.look_ahead(seed, decay) for seed in seeds]
    return joined(played, nets.plain)


def match_points(nets: PackedNets, make: MakeWorker, first_seed: int, pairs: int) -> list[float]:
    """Points a game against the hand-made evaluation, of each pair of games."""
    worker = kept(_worker, nets, make)
    return [
        sum(worker.match(first_seed + number, seat) for seat in (0, 1)) / 2
        for number in range(pairs)
    ]
