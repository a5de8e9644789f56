"""A search tree of bots/engine/kernels/uct.py with its memory: kept from move to move, read, shown.

    tree = Tree(game, seed=1)
    tree.think(position, nodes=1000, stop)     # how many simulations it made
    tree.candidates()                          # what the bot chooses from, best first
    tree.principal_variation()

A Forest is several such trees of one position, each on a thread of its own and with its own random
numbers; what they have seen is added up at the root (G. Chaslot, M. Winands, J. van den Herik,
"Parallel Monte-Carlo Tree Search", CG 2008).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import ModuleType
from typing import Any, Final

from bots.engine import compiled
from bots.engine.compiled import CompiledSearch
from bots.engine.kernels import uct
from bots.engine.kernels.records import Scratch, UctOptions
from bots.engine.kernels.rules import Floats
from bots.engine.kernels.uct import (
    ACTION,
    COUNT,
    FIRST,
    FREE,
    MOVER,
    NODE,
    PROVEN,
    ROOT,
    TOTAL,
    VISITS,
)
from games.game import Game, Ints, Position
from games.rng import seeded

MEGABYTES: Final = 64  # of a tree: a million nodes
SLICE: Final = 256  # simulations between two looks at a flag that only Python sees
APART: Final = 16  # ints behind each array, so that two threads' never share a line of the cache
SPAN: Final = 6  # plies within which the next position is looked for: two actions, rolls, passes


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action at the root: visits, and value in [-1, 1] for the seat to move.

    `proven`: the value is what best play gives.
    """

    action: int
    visits: int
    value: float
    proven: bool = False

    def rank(self) -> tuple[float, float, float, int]:
        """Better is smaller: won, then not lost, then visits, value, and the lowest action."""
        sure = self.value if self.proven and self.value in (1.0, -1.0) else 0.0
        if sure:
            return (-sure, -self.value, -self.visits, self.action)
        return (0.0, -self.visits, -self.value, self.action)


class Tree(CompiledSearch):
    """One tree over one game.  Deterministic under (seed, calls) while `stop` is not set."""

    def __init__(
        self,
        game: Game,
        *,
        seed: int = 0,
        exploration: float = 1.4,
        playouts: int = 1,
        proofs: bool = True,
        decisive: bool = False,
        keep: bool = True,
        megabytes: int = MEGABYTES,
        plain: bool = False,
    ) -> None:
        """`keep`: go on with what was seen of a position before, where it was looked ahead to.

        `decisive`: in random games a side wins at once or blocks where it can.
        """
        super().__init__(uct, game, plain)
        self.game = game
        self.keep = keep
        self._limit = megabytes * 1_000_000 // 8 // NODE * NODE
        self._tree = self._ints(2 * NODE if self.plain else self._limit)
        self._spare: Ints | None = None
        self._rng = self._ints(1)
        self._rng[0] = seeded(seed)[0]
        self._start = self._ints(game.state_size)
        s, t = self._ints(game.state_size), self._ints(game.state_size)
        self._scratch = Scratch(s, t, self._ints(game.max_legal), self._ints(max(1, game.scratch)))
        self._path = self._ints(max(game.max_plies + 2, 2 * (SPAN + 1)))
        bounds = _bounds(self._kernels, self.plain)
        self._options = UctOptions(exploration, bounds, playouts, int(proofs), int(decisive))
        self._kernels.clear(self._tree, self._limit)
        self._seen = False

    def _ints(self, n: int) -> Ints:
        return super()._ints(n + APART)

    def think(self, position: Position, nodes: int, stop: Ints) -> int:
        """Make up to `nodes` simulations from `position`; how many were made.

        It stops sooner when `stop[0]` is set, and when the value of the position is proven.
        """
        self._move_to(position)
        if not isinstance(stop, list) and not self.plain:
            return self._search(nodes, stop)
        return self._in_slices(nodes, stop, self._limit + 1)

    def ponder(self, position: Position, nodes: int, stop: Ints) -> int:
        """Think until half of the memory is used: the rest is for thinking itself."""
        self._move_to(position)
        return self._in_slices(nodes, stop, self._limit // 2)

    def _in_slices(self, nodes: int, stop: Ints, limit: int) -> int:
        """Search, and look now and then at the flag and how far the tree has grown.

        Compiled code does not see a list: such a flag it gets to know between two slices only.
        """
        unseen = isinstance(stop, list) and not self.plain
        done, flag = 0, self._ints(1) if unseen else stop
        while done < nodes and not stop[0] and self._tree[FREE] < limit:
            wanted = min(SLICE, nodes - done)
            self._make_room(self._tree, int(self._tree[FREE]) + wanted * self.game.max_legal * NODE)
            more = self._search(wanted, flag)
            done += more
            if more < wanted:
                break
        return done

    def _make_room(self, tree: Ints, length: int) -> None:
        """Make a plain tree this long; a compiled one has its full length, which costs nothing yet.

        The zeros of numpy are memory only once they are written to, those of a list at once.
        """
        if self.plain:
            tree += [0] * (min(length, self._limit) + APART - len(tree))

    def _search(self, nodes: int, stop: Ints) -> int:
        done: int = self._kernels.search(
            self._tree, self._start, self._path, self._scratch, self._rng, self._options, nodes,
            stop,
        )  # fmt: skip
        return done

    def _move_to(self, position: Position) -> None:
        """Make `position` the root: the part of the tree below it, if there is one, or nothing."""
        goal = self._ints(len(position.state))
        for i, value in enumerate(position.state):
            goal[i] = value
        node = 0
        if self._seen and self.keep:
            node = self._kernels.find(
                self._tree, self._start, goal, self._scratch.s, self._path, SPAN
            )
        if node == 0:
            self._kernels.clear(self._tree, self._limit)
        elif node != self._tree[ROOT]:
            if self._spare is None:
                self._spare = self._ints(2 * NODE if self.plain else self._limit)
            self._make_room(self._spare, int(self._tree[FREE]))
            self._kernels.transplant(self._tree, int(node), self._spare, self._limit)
            self._tree, self._spare = self._spare, self._tree
        self._start = goal
        self._seen = True

    def memory(self) -> Ints:
        """The array as far as it is used: see bots/engine/kernels/uct.py."""
        return self._tree[: int(self._tree[FREE])]

    @property
    def random_state(self) -> int:
        return int(self._rng[0])

    @property
    def size(self) -> int:
        return int(self._tree[FREE]) // NODE - 1

    @property
    def visits(self) -> int:
        """How many playouts the root has seen, in this position and before."""
        return int(self._tree[int(self._tree[ROOT]) + VISITS])

    def candidates(self) -> list[Candidate]:
        return self._candidates(int(self._tree[ROOT]))

    def _candidates(self, node: int) -> list[Candidate]:
        seat = int(self._tree[node + MOVER])
        candidates = [self._candidate(child, seat) for child in self._children(node)]
        return sorted((c for c in candidates if c.visits), key=Candidate.rank)

    def _children(self, node: int) -> range:
        first = int(self._tree[node + FIRST])
        return range(first, first + int(self._tree[node + COUNT]) * NODE, NODE)

    def _candidate(self, child: int, seat: int) -> Candidate:
        tree, most = self._tree, self.game.max_return
        sign = -1 if seat == 1 else 1
        visits = int(tree[child + VISITS])
        if tree[child + PROVEN] and visits:
            value = sign * (int(tree[child + PROVEN]) - 1 - most) / most
            return Candidate(int(tree[child + ACTION]), visits, value, proven=True)
        value = sign * int(tree[child + TOTAL]) / (most * visits) if visits else 0.0
        return Candidate(int(tree[child + ACTION]), visits, value)

    def principal_variation(self, limit: int = 10) -> list[int]:
        """The actions that follow if everybody takes the best candidate, dice the likeliest."""
        variation: list[int] = []
        node = int(self._tree[ROOT])
        while len(variation) < limit and (candidates := self._candidates(node)):
            variation.append(candidates[0].action)
            node = next(c for c in self._children(node) if self._tree[c + ACTION] == variation[-1])
        return variation

    def dump(self, least: int = 1, depth: int = 4) -> dict[str, Any]:
        """The tree as plain values for JSON: nodes of `least` visits or more, `depth` plies deep.

        Each node: action (None at the root), mover, visits, value for seat 0 in [-1, 1], proven,
        children, the most visited first.
        """
        return self._node(int(self._tree[ROOT]), least, depth)

    def _node(self, node: int, least: int, depth: int) -> dict[str, Any]:
        seen = self._candidate(node, 0)
        below = [c for c in self._children(node) if self._tree[c + VISITS] >= max(1, least)]
        below.sort(key=lambda c: (-int(self._tree[c + VISITS]), int(self._tree[c + ACTION])))
        return {
            "action": None if node == self._tree[ROOT] else seen.action,
            "mover": int(self._tree[node + MOVER]),
            "visits": seen.visits,
            "value": seen.value,
            "proven": seen.proven,
            "children": [self._node(c, least, depth - 1) for c in below] if depth > 0 else [],
        }


_tables: dict[bool, Floats] = {}


def _bounds(kernels: ModuleType, plain: bool) -> Floats:
    """The table that selection looks its bounds up in: the same for all trees of a process."""
    if plain not in _tables:
        table = compiled.floats(2 * uct.TABLED, plain)
        kernels.fill(table)
        _tables[plain] = table
    return _tables[plain]


class GrowsTrees(ABC):
    """A bot whose choices may be read from trees."""

    @abstractmethod
    def forest(self) -> Forest | None:
        """The trees that the last choice was read from; None where there are none."""


class Forest:
    """Trees of one position, a thread each."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self.trees = trees

    def think(self, position: Position, nodes: int, stop: Ints) -> int:
        """Make up to `nodes` simulations, an equal share in each tree; how many were made."""
        return self._each([tree.think for tree in self.trees], position, nodes, stop)

    def ponder(self, position: Position, nodes: int, stop: Ints) -> int:
        return self._each([tree.ponder for tree in self.trees], position, nodes, stop)

    def _each(
        self,
        searches: Sequence[Callable[[Position, int, Ints], int]],
        position: Position,
        nodes: int,
        stop: Ints,
    ) -> int:
        if len(searches) == 1:
            return searches[0](position, nodes, stop)
        share, more = divmod(nodes, len(searches))
        with ThreadPoolExecutor(len(searches)) as threads:
            work = [
                threads.submit(search, position, share + (i < more), stop)
                for i, search in enumerate(searches)
            ]
            return sum(w.result() for w in work)

    def candidates(self) -> list[Candidate]:
        """The actions that were tried in any tree, their visits added up, best first."""
        by_action: dict[int, list[Candidate]] = {}
        for tree in self.trees:
            for candidate in tree.candidates():
                by_action.setdefault(candidate.action, []).append(candidate)
        return sorted(map(_merged, by_action.values()), key=Candidate.rank)


def _merged(same: Iterable[Candidate]) -> Candidate:
    """One candidate of several trees; a proof of one is a proof."""
    several = list(same)
    visits = sum(c.visits for c in several)
    for c in several:
        if c.proven:
            return Candidate(c.action, visits, c.value, proven=True)
    mean = sum(c.value * c.visits for c in several) / visits
    return Candidate(several[0].action, visits, mean)
