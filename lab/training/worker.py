"""What one thread of a training does: it plays games, looks ahead in them, and lets nets learn."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from bots.backgammon.kernels.net import OUTPUTS, size
from bots.backgammon.nets import GAME, Nets, kernels
from bots.engine import compiled
from bots.engine.kernels.rules import Floats, Ints
from games.rng import seeded
from lab.training.dataset import Dataset
from lab.training.kernels import learning, refinement, selfplay
from lab.training.kernels.learning import MAX_POSITIONS as MAX_SAMPLES
from lab.training.kernels.refinement import OTHERS
from lab.training.kernels.selfplay import MAX_POSITIONS
from lab.training.kernels.training_records import Exploration, GameArrays, RefinementSpace, Slopes

# In 6 of 16 decisions any of the best 4 turns, none of them worth less than the best by 0.12.
EXPLORATION: Final = Exploration(share=6, turns=4, gap=0.12)
# In refinement in 1 of 16: there a turn that is worse without lookahead is played often enough.
REFINING: Final = EXPLORATION._replace(share=1)
REPLIES: Final = 8  # to each roll that are judged ...
WIDE_REPLIES: Final = 16  # ... and where wider nets learn, which tell them apart better
BATCH: Final = 128  # positions to a step
SPREAD: Final = 0.1  # of random weights
SHUFFLES: Final = 1 << 62  # keeps the order of learning apart from the dice


class SelfPlayGame:
    """Room for one game of self-play, and how many positions there are."""

    def __init__(self, plain: bool) -> None:
        self.arrays = GameArrays(
            compiled.ints(MAX_POSITIONS * GAME.state_size, plain),
            compiled.singles(MAX_POSITIONS * OUTPUTS, plain),
        )
        self.count = 0


class Worker:
    """The kernels on one thread, with scratch memory of its own; the nets belong to all."""

    def __init__(self, nets: Nets) -> None:
        self.nets = nets
        self.space = nets.workspace()
        self.selfplay = kernels(selfplay, nets.plain)
        self.learning = kernels(learning, nets.plain)
        self.refinement = kernels(refinement, nets.plain)
        self._more = RefinementSpace(
            compiled.ints(REFINING.turns, nets.plain),
            compiled.singles(OUTPUTS, nets.plain),
            compiled.singles(OUTPUTS * REFINING.turns, nets.plain),
            compiled.ints(OTHERS, nets.plain),
            compiled.ints(GAME.state_size, nets.plain),
        )
        self._stop = compiled.ints(1, nets.plain)  # never set: a game is over soon

    def play(self, seed: int, whole: bool, game: SelfPlayGame) -> None:
        """Play a game; `whole`: beyond where the exact table knows the rest."""
        game.count = self.selfplay.play_game(
            self._rng(seed), whole, game.arrays, self.nets.arrays, self.space, self._stop
        )

    def aim(self, game: SelfPlayGame, decay: float) -> None:
        """Turn the chances of a game into targets."""
        if game.count:
            self.selfplay.aim(game.arrays, game.count, decay, self.nets.arrays, self.space)

    def learn(self, games: list[SelfPlayGame], which: int, alpha: float) -> int:
        """Let one net learn from all these games; from how many positions."""
        net, space = self.nets.arrays, self.space
        return sum(
            self.selfplay.learn(game.arrays, game.count, which, alpha, net, space) for game in games
        )

    def match(self, seed: int, seat: int) -> int:
        """The points of one game against the hand-made evaluation."""
        rng, net = self._rng(seed), self.nets.arrays
        return int(self.selfplay.match_game(rng, seat, net, self.space, self._stop))

    def look_ahead(self, seed: int, decay: float) -> Dataset:
        """Play a game and look one ply ahead after each turn."""
        dataset = Dataset(MAX_SAMPLES, self.nets.plain)
        dataset.count = self.learning.play_ahead(
            self._rng(seed), EXPLORATION, decay, REPLIES, dataset.samples, self.nets.arrays,
            self.space, self._stop,
        )  # fmt: skip
        return dataset

    def refine(self, seed: int, decay: float, *, others: bool = False) -> Dataset:
        """Play a game whose turns are chosen with one ply; by odd seeds from a hard position.

        `others`: with what turns would have left that were looked at and not chosen.
        """
        dataset = Dataset(MAX_SAMPLES + OTHERS if others else MAX_SAMPLES, self.nets.plain)
        replies = WIDE_REPLIES if others else REPLIES
        dataset.count = self.refinement.play_refined(
            self._rng(seed), seed % 2 == 1, REFINING, decay, replies, dataset.samples,
            self.nets.arrays, self.space, self._more, self._stop,
        )  # fmt: skip
        return dataset

    def fit(
        self,
        dataset: Dataset,
        which: int,
        passes: int,
        rate: float,
        seed: int,
        go_on: Callable[[], bool],
    ) -> bool:
        """Let one net learn from a dataset; False if `go_on` has ended it between two passes.

        Args:
            passes: over all positions, in an order of its own each.
            rate: the length of a step in the first pass; in the last it is nearly 0.
        """
        plain, net = self.nets.plain, self.nets.arrays
        weights = size(int(net.shape[2 * which + 1]))
        slopes = Slopes(*(compiled.singles(weights, plain) for _ in range(3)))
        order, rng = compiled.ints(dataset.count + 1, plain), self._rng(SHUFFLES + 4 * seed + which)
        samples = dataset.samples
        n = int(self.learning.pick(samples.kinds, dataset.count, which, net.shape, order))
        for number in range(passes):
            if not go_on():
                return False
            self.learning.shuffle(order, n, rng)
            now = rate * 0.5 * (1 + math.cos(math.pi * number / passes))
            steps = number * -(-n // BATCH)
            self.learning.learn_all(
                order, n, BATCH, samples, which, now, steps, net, self.space, slopes
            )
        return True

    def scatter(self, seed: int) -> None:
        """Give the nets the random weights that belong to this seed."""
        nets = self.nets
        self.selfplay.scatter(nets.weights, nets.shape, self._rng(seed), SPREAD)

    def blend(self, mean: Floats, share: float) -> None:
        """Move `mean` towards the weights by this share of the way."""
        self.selfplay.blend(self.nets.weights, mean, share)

    def _rng(self, seed: int) -> Ints:
        rng = compiled.ints(1, self.nets.plain)
        rng[0] = seeded(seed)[0]
        return rng
