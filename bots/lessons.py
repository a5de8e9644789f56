"""Lessons in backgammon: positions, what one ply of lookahead says of them, and learning that.

After a training by self-play (bots/training.py) nets judge positions worse than their own lookahead
does.  A lesson lets them look ahead in some thousand games, and then learn what they saw, in many
passes with shorter and shorter steps; the next lesson looks ahead with the better nets.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bots import compiled
from bots.nets import kernels
from bots.search.backgammon.net import OUTPUTS, size
from bots.search.backgammon.study import LONGEST, PACKED
from games.rng import seeded

if TYPE_CHECKING:
    from bots.training import Worker

GOOD: Final = 4  # turns of a decision that may be looked at ...
GAP: Final = 0.12  # ... if they are not behind the best by more points
REPLIES: Final = 8  # to each roll that are judged
BATCH: Final = 256  # positions to a step
AT_ONCE: Final = 64  # games that are shared among the threads
ROOM: Final = 80  # positions of a game on average for which there is room
SHUFFLES: Final = 1 << 62  # keeps the order of learning apart from the dice

Share: TypeAlias = Callable[[Callable[["Worker", int], Any], int], list[Any]]


class Page:
    """Room for `n` positions: what is left of each, its chances, and which net learns it."""

    def __init__(self, n: int, plain: bool) -> None:
        self.n = n
        self.count = 0
        self.packed = compiled.ints(n * PACKED, plain)
        self.chances = compiled.singles(n * OUTPUTS, plain)
        self.kinds = compiled.ints(n, plain)

    def add(self, other: Page) -> None:
        """Take over what is on the other page, as far as there is room."""
        n = min(other.count, self.n - self.count)
        for mine, theirs, each in (
            (self.packed, other.packed, PACKED),
            (self.chances, other.chances, OUTPUTS),
            (self.kinds, other.kinds, 1),
        ):
            mine[each * self.count : each * (self.count + n)] = theirs[: each * n]
        self.count += n


class Lesson:
    """Looks ahead in so many games, and learns from that.

    share   lets workers do something for 0 to n - 1, as bots/training.py does
    """

    def __init__(self, games: int, share: Share, plain: bool) -> None:
        self.games = games
        self.share = share
        self.plain = plain
        self.code = kernels("study", plain)
        self.page = Page(games * ROOM, plain)
        self._single = [Page(LONGEST, plain) for _ in range(min(AT_ONCE, games))]

    def look(self, seed: int, go_on: Callable[[int], bool]) -> bool:
        """Play and look ahead; False if `go_on`, told how many games are done, has ended it."""
        self.page.count = 0
        for first in range(0, self.games, AT_ONCE):
            if not go_on(first):
                return False
            n = min(AT_ONCE, self.games - first)
            self.share(partial(self._fill, seed=seed + first), n)
            for page in self._single[:n]:
                self.page.add(page)
        return True

    def _fill(self, worker: Worker, i: int, seed: int) -> None:
        """Play the game number i from this one on."""
        page = self._single[i]
        worker.rng[0] = seeded(seed + i)[0]
        page.count = self.code.study_game(
            worker.rng, GOOD, GAP, REPLIES, page.packed, page.chances, page.kinds, worker.reply,
            worker.average, worker.spent, *worker.given, worker.stop,
        )  # fmt: skip

    def learn(
        self,
        which: int,
        worker: Worker,
        passes: int,
        rate: float,
        seed: int,
        go_on: Callable[[], bool],
    ) -> bool:
        """Let one net learn what is there; False if `go_on` has ended it between two passes.

        Args:
            passes: over all positions, in an order of its own each.
            rate: the length of a step in the first pass; in the last it is nearly 0.
        """
        plain, page, nets = self.plain, self.page, worker.nets
        hidden = int(nets.shape[2 * which + 1])
        blame = compiled.singles(hidden, plain)
        memory = [compiled.singles(size(hidden), plain) for _ in range(3)]
        order, rng = compiled.ints(page.count + 1, plain), compiled.ints(1, plain)
        rng[0] = seeded(SHUFFLES + 4 * seed + which)[0]
        n = int(self.code.pick(page.kinds, page.count, which, order))
        for number in range(passes):
            if not go_on():
                return False
            self.code.shuffle(order, n, rng)
            now = rate * 0.5 * (1 + math.cos(math.pi * number / passes))
            self.code.study_all(
                order, n, BATCH, page.packed, page.chances, which, now, number * -(-n // BATCH),
                worker.s, nets.w, nets.shape, nets.escapes, *worker.desk.single, blame, *memory,
            )  # fmt: skip
        return True
