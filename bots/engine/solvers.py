"""Games played to the end: what a position is worth with best play, and the move that gets it.

    solution = solver(game).solve(position, nodes, stop)
    solution.low, solution.high, solution.proven, solution.best, solution.nodes

A score says who wins and how soon: S minus the number of stones that the winner will have played,
where S is one more than a side can play at all (22 in connect four, 6 in tic-tac-toe); negative
when the other side wins, 0 for a draw; seen by the side to move.  So the best move is the fastest
win, or the slowest loss.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, Final

from bots.engine import compiled
from bots.engine.kernels import four
from games.game import END, Game, Ints, Position

PLENTY: Final = 2**62  # more nodes than anybody has time for


class Spent(Exception):
    """The nodes are used up, or somebody set the stop flag."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What is known of a position: its score lies from `low` to `high`.

    best   the action that gets the score if that is proven, else the best one known
    nodes  positions looked at to find out
    """

    low: int
    high: int
    best: int
    nodes: int

    @property
    def proven(self) -> bool:
        return self.low == self.high


@dataclass(slots=True)
class _Branch:
    """An action, the position after it, and the most that it can bring to the side playing it."""

    action: int
    after: Position
    high: int


class Solver(ABC):
    """Solves the positions of one game, and keeps for the next what it has found out."""

    HAS_BOOK: ClassVar[bool] = False  # there is an opening book: bots/engine/book.py
    COMPILED: ClassVar[bool] = False  # it runs in compiled code, where there is numba
    most: int  # stones that a side can play
    middle_first: tuple[int, ...]  # all actions, those first that are likely to be good

    @abstractmethod
    def __init__(self, game: Game, *, plain: bool = False, wide: bool = False) -> None:
        """`plain`: without machine code; `wide`: with the larger table, where there are two."""

    def solve(
        self, position: Position, nodes: int, stop: Ints, first: int | None = None
    ) -> Solution:
        """Find the score, or give up after `nodes` nodes or once `stop[0]` is set.

        The position must not be over.  The action `first` is tried before the others, and is the
        best one as long as nothing is known against it.
        """
        root = [
            _Branch(action, position.apply(action), self.most)
            for action in sorted(self.middle_first, key=lambda action: action != first)
            if action in position.legal_actions()
        ]
        plies = position.state[2]
        low, high = (plies + 1) // 2 - self.most, self.most - plies // 2
        for branch in root:
            if self.at_a_glance(branch.after) == -high:
                return Solution(high, high, branch.action, 0)
        best = None
        self._allow(nodes, stop)
        try:
            while low < high:
                a = _next_window(low, high)
                best_now = self._better(root, a)
                if best_now is None:
                    high = a
                else:
                    low, best = a + 1, best_now
        except Spent:
            pass
        if best is None:
            best = max(root, key=lambda branch: self._hope(branch, first)).action
        return Solution(low, high, best, self._used())

    def all_best(self, position: Position, score: int, stop: Ints) -> list[int]:
        """The actions that get the position's `score`, which was proven before; ascending."""
        self._allow(PLENTY, stop)
        actions = []
        for action in position.legal_actions():
            branch = _Branch(action, position.apply(action), self.most)
            if self._better([branch], score - 1) is not None:
                actions.append(action)
        return actions

    def _better(self, root: list[_Branch], a: int) -> int | None:
        """An action that gets more than `a`; it is tried first the next time."""
        for i, branch in enumerate(root):
            if branch.high <= a:
                continue
            score = self.at_a_glance(branch.after)
            fails = score >= -a if score is not None else self._above(branch.after, -a - 1)
            if not fails:
                root.insert(0, root.pop(i))
                return branch.action
            branch.high = a
        return None

    def _hope(self, branch: _Branch, first: int | None) -> tuple[int, bool, int]:
        """What a branch promises while nothing is proven."""
        score = self.at_a_glance(branch.after)
        high = branch.high if score is None else min(branch.high, -score)
        judge = branch.after.game.evaluate
        judged = 0 if judge is None or score is not None else -judge(list(branch.after.state))
        return high, branch.action == first, judged

    def at_a_glance(self, position: Position) -> int | None:
        """The score if the game is over or the side to move wins at once; else None."""
        plies = position.state[2]
        if position.to_move == END:
            won = position.game.points(list(position.state)) != 0
            return (plies - 1) // 2 - self.most if won else 0
        return self.most - plies // 2 if self._wins_now(position) else None

    @abstractmethod
    def _wins_now(self, position: Position) -> bool:
        """Whether the side to move can win with its next stone."""

    @abstractmethod
    def _above(self, position: Position, a: int) -> bool:
        """Whether the score is above `a` where nothing is to be seen at a glance; may be Spent."""

    @abstractmethod
    def _allow(self, nodes: int, stop: Ints) -> None:
        """Begin to count."""

    @abstractmethod
    def _used(self) -> int:
        """The nodes used since."""


def _next_window(low: int, high: int) -> int:
    """The next `a` of which to ask whether the score is above it: who wins, then how soon."""
    if low <= 0 < high:
        return 0
    if low < 0 <= high:
        return -1
    return (low + high) // 2


class ConnectFour(Solver):
    """Alpha-beta on bitboards, bots/engine/kernels/four.py, with a table of 32 MB, or 512 if
    `wide`.
    """

    HAS_BOOK = COMPILED = True
    most = 21
    middle_first = (3, 2, 4, 1, 5, 0, 6)

    def __init__(self, game: Game, *, plain: bool = False, wide: bool = False) -> None:
        self._search = compiled.search(four, game, plain=plain)
        self._plain = plain
        slots = self._search.WIDE if wide else self._search.SLOTS
        self._table: Ints = compiled.ints(slots, plain)
        self._work: Ints = compiled.ints(self._search.WORKSPACE, plain)
        self._stop: Ints = [0]
        self._nodes = 0

    def forget(self) -> None:
        """Empty the table; nothing but a measurement needs that."""
        self._table[:] = compiled.ints(len(self._table), self._plain)

    def _allow(self, nodes: int, stop: Ints) -> None:
        self._nodes = nodes
        self._work[self._search.LEFT] = nodes
        self._work[self._search.UNUSED] = 0
        self._stop = stop
        if not self._plain and compiled.available() and isinstance(stop, list):
            self._stop = compiled.ints(1)  # machine code cannot look into a list
            self._stop[0] = stop[0]

    def _used(self) -> int:
        search, work = self._search, self._work
        return self._nodes - max(0, int(work[search.LEFT]), int(work[search.UNUSED]))

    def _wins_now(self, position: Position) -> bool:
        x, o, plies = position.state
        search = self._search
        cells = search.winning(o if plies & 1 else x, x | o) & (x | o) + search.BOTTOM
        return bool(cells)

    def _above(self, position: Position, a: int) -> bool:
        x, o, plies = position.state
        search, work = self._search, self._work
        mine, danger = (o, x) if plies & 1 else (x, o)
        danger = search.winning(danger, x | o)
        if self._stop[0]:
            raise Spent
        above = search.above(mine, x | o, danger, plies, a, self._table, work, self._stop)
        if work[search.LEFT] < 0:
            raise Spent
        return bool(above)


class TicTacToe(Solver):
    """All of it, by plain negamax with a table."""

    most = 5
    middle_first = (4, 0, 2, 6, 8, 1, 3, 5, 7)

    def __init__(self, game: Game, *, plain: bool = False, wide: bool = False) -> None:
        self._table: dict[tuple[int, ...], int] = {}
        self._stop: Ints = [0]
        self._nodes = self._left = 0

    def _allow(self, nodes: int, stop: Ints) -> None:
        self._nodes = self._left = nodes
        self._stop = stop

    def _used(self) -> int:
        return self._nodes - self._left

    def _wins_now(self, position: Position) -> bool:
        return any(
            after.to_move == END and after.game.points(list(after.state)) != 0
            for after in map(position.apply, position.legal_actions())
        )

    def _above(self, position: Position, a: int) -> bool:
        return self._score(position) > a

    def _score(self, position: Position) -> int:
        score = self._table.get(position.state)
        if score is None:
            if self._left == 0 or self._stop[0]:
                raise Spent
            self._left -= 1
            score = self.at_a_glance(position)
            if score is None:
                score = max(-self._score(position.apply(a)) for a in position.legal_actions())
            self._table[position.state] = score
        return score


SOLVERS: Final[dict[str, type[Solver]]] = {"connect_four": ConnectFour, "tic_tac_toe": TicTacToe}


def signed(score: int) -> str:
    """A score as people write it: +3, -2, 0."""
    return f"{score:+d}" if score else "0"


def solver(game: Game, *, plain: bool = False, wide: bool = False) -> Solver:
    return SOLVERS[game.name](game, plain=plain, wide=wide)
