"""Lessons in backgammon: positions, what lookahead says of them, and learning that.

After a training by self-play (bots/training.py) nets judge positions worse than their own lookahead
does.  A lesson lets them look ahead in some thousand games; then they learn what they saw there and
in the lessons before, in passes with shorter and shorter steps; the next one looks ahead with the
better nets.  What a lesson saw is a page, kept in a file until no lesson learns from it any more.
"""

from __future__ import annotations

import math
import sys
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from bots import compiled, weights
from bots.nets import kernels
from bots.search.backgammon.net import OUTPUTS, size
from bots.search.backgammon.study import LONGEST, PACKED
from bots.weights import BadWeights
from games.rng import seeded

if TYPE_CHECKING:
    from bots.training import Worker

STRAY: Final = 6  # of study.STRAYS decisions, in so many any of the good turns is played ...
GOOD: Final = 4  # ... of which there are so many at most ...
GAP: Final = 0.12  # ... none of them behind the best by more points
REPLIES: Final = 8  # to each roll that are judged
BATCH: Final = 128  # positions to a step
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

    def keep(self, path: Path) -> None:
        """Write to a file what is on the page; chances in single precision.

        Raises:
            OSError: it cannot be written; what was there is there still.
        """
        n = self.count
        parts = (
            array("q", self.packed[: n * PACKED]),
            array("f", self.chances[: n * OUTPUTS]),
            array("q", self.kinds[:n]),
        )
        heading = {"page": "backgammon", "count": n, "order": sys.byteorder}
        weights.seal(path, heading, b"".join(part.tobytes() for part in parts))

    @staticmethod
    def kept(path: Path, plain: bool) -> Page:
        """The page that was written to a file.

        Raises:
            BadWeights: it is not there, no such file, or damaged.
        """
        heading, content = weights.unseal(path)
        n = heading.get("count")
        each = 8 * PACKED + 4 * OUTPUTS + 8
        if (
            heading.get("page") != "backgammon"
            or heading.get("order") != sys.byteorder
            or not isinstance(n, int)
            or len(content) != n * each
        ):
            raise BadWeights(f"{path} is no page of a lesson of this version")
        page = Page(n, plain)
        page.count, begin = n, 0
        for room, code in ((page.packed, "q"), (page.chances, "f"), (page.kinds, "q")):
            part = array(code)
            end = begin + len(room) * part.itemsize
            part.frombytes(content[begin:end])
            room[:] = part
            begin = end
        return page


def joined(pages: Sequence[Page], plain: bool) -> Page:
    """One page with all that is on these."""
    whole = Page(sum(page.count for page in pages), plain)
    for page in pages:
        whole.add(page)
    return whole


class Lesson:
    """Looks ahead in so many games, and teaches what was seen.

    decay   lambda: how much of what is said of a position comes from those after it
    share   lets workers do something for 0 to n - 1, as bots/training.py does
    """

    def __init__(self, games: int, decay: float, share: Share, plain: bool) -> None:
        self.games = games
        self.decay = decay
        self.share = share
        self.plain = plain
        self.code = kernels("study", plain)

    def look(self, seed: int, go_on: Callable[[int], bool]) -> Page | None:
        """What was seen; None if `go_on`, told how many games are done, has ended it."""
        page = Page(self.games * ROOM, self.plain)
        single = [Page(LONGEST, self.plain) for _ in range(min(AT_ONCE, self.games))]

        def play(worker: Worker, i: int) -> None:
            self._fill(single[i], worker, seed + first + i)

        for first in range(0, self.games, AT_ONCE):
            if not go_on(first):
                return None
            n = min(AT_ONCE, self.games - first)
            self.share(play, n)
            for one in single[:n]:
                page.add(one)
        return joined([page], self.plain)  # without the room that was left

    def _fill(self, page: Page, worker: Worker, seed: int) -> None:
        """Play the game of this seed."""
        worker.rng[0] = seeded(seed)[0]
        page.count = self.code.study_game(
            worker.rng, STRAY, GOOD, GAP, self.decay, REPLIES, page.packed, page.chances,
            page.kinds, worker.reply, worker.change, worker.average, worker.spent, *worker.given,
            worker.stop,
        )  # fmt: skip

    def learn(
        self,
        page: Page,
        which: int,
        worker: Worker,
        passes: int,
        rate: float,
        seed: int,
        go_on: Callable[[], bool],
    ) -> bool:
        """Let one net learn what is on a page; False if `go_on` has ended it between two passes.

        Args:
            passes: over all positions, in an order of its own each.
            rate: the length of a step in the first pass; in the last it is nearly 0.
        """
        plain, nets = self.plain, worker.nets
        hidden = int(nets.shape[2 * which + 1])
        blame = compiled.singles(hidden, plain)
        memory = [compiled.singles(size(hidden), plain) for _ in range(3)]
        order, rng = compiled.ints(page.count + 1, plain), compiled.ints(1, plain)
        rng[0] = seeded(SHUFFLES + 4 * seed + which)[0]
        n = int(self.code.pick(page.kinds, page.count, which, nets.shape, order))
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
