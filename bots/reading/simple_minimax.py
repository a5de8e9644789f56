"""Minimax with alpha-beta pruning and iterative deepening, written to be read.

A value is what the game is worth to the seat to move, in [-1, 1]: points / max_return at the end;
at the horizon `evaluate` / 10,000 where the game has one, else 0.  An end that comes sooner counts
for a little more, so a win is taken and a loss put off.

Where dice roll, the value is the mean over all rolls (expectiminimax), each with a full window.
Plies of chance cost no depth: behind the last decision every roll is looked at, and `evaluate` is
only asked where a seat is to move.

`nodes` counts the positions that were reached by an action, at all depths; the search stops at
exactly that many.  Source: D. Knuth, R. Moore, "An Analysis of Alpha-Beta Pruning", Artificial
Intelligence 6, 1975.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from games.game import CHANCE, END, Game, Ints
from games.rng import below, seeded

Valued: TypeAlias = tuple[float, tuple[int, ...]]  # a value and the variation that leads to it

INFINITE: Final = 2.0
PER_PLY: Final = 1e-6  # what a win loses with each ply; MAX_PLIES of 2,000 make it 0.2 %
EVALUATE_MAX: Final = 10_000
SURE: Final = 0.99  # values beyond it are proven: `evaluate` is cut to it
MAX_DEPTH: Final = 100  # decisions of up to five Python frames each, of which there may be 1,000


@dataclass(frozen=True, slots=True)
class MinimaxResult:
    """What a search found out.

    depth    the last depth, in decisions, that was looked at in full
    variation  the play it expects, up to the first roll
    solved   `value` is what the game is worth under best play: no horizon was met, or none matters
    """

    action: int
    value: float
    nodes: int
    depth: int
    variation: tuple[int, ...]
    solved: bool


class _Spent(Exception):
    """The budget is used up; unwinds the recursion, and never leaves this file."""


class SimpleMinimax:
    """One search of one position.  Deterministic under (seed, nodes) as long as `stop` is not set.

    Among equal actions the first one wins: in an order shuffled by `seed`, or ascending (None).
    """

    def __init__(self, game: Game, *, pruning: bool = True, seed: int | None = None) -> None:
        self.game = game
        self.pruning = pruning
        self.seed = seed
        self.out = [0] * game.max_legal
        self.tmp = [0] * game.scratch
        self.nodes = 0
        self.limit = 0
        self.stop: Ints = [0]
        self.horizon = False

    def run(self, state: list[int], nodes: int, stop: Ints, depth: int = 0) -> MinimaxResult:
        """Look 1, 2, 3 ... decisions ahead, up to `depth` (0: no limit) and within `nodes`.

        Of a depth that is left unfinished, the best action it has looked at in full is the answer:
        the best one of the depth before is always the first of them.
        """
        self.nodes, self.limit, self.stop = 0, nodes, stop
        order = self._shuffled(self._legal(state))
        result = MinimaxResult(order[0], 0.0, 0, 0, (order[0],), False)
        for deep in range(1, min(depth or MAX_DEPTH, MAX_DEPTH) + 1):
            self.horizon = False
            best, complete = self._root(state, order, deep)
            if best is not None:
                value, variation = best
                solved = complete and (not self.horizon or abs(value) > SURE)
                result = MinimaxResult(
                    variation[0], value, 0, deep if complete else deep - 1, variation, solved
                )
            if not complete or result.solved:
                break
            order.remove(result.action)
            order.insert(0, result.action)
        return MinimaxResult(
            result.action, result.value, self.nodes, result.depth, result.variation, result.solved
        )

    def _root(self, state: list[int], order: list[int], depth: int) -> tuple[Valued | None, bool]:
        """The best variation among the actions that the budget allows, and whether that was all."""
        best: Valued | None = None
        mover = self.game.mover(state)
        for action in order:
            alpha = best[0] if best is not None and self.pruning else -INFINITE
            try:
                value, variation = self._after(state, mover, action, alpha, INFINITE, depth - 1, 1)
            except _Spent:
                return best, False
            if best is None or value > best[0]:
                best = value, (action, *variation)
        return best, True

    def _after(
        self, s: list[int], mover: int, action: int, alpha: float, beta: float, depth: int, ply: int
    ) -> Valued:
        """The value of `action` for `mover`, with `depth` decisions left to look at behind it."""
        if self.nodes >= self.limit or self.stop[0]:
            raise _Spent
        self.nodes += 1
        child = s[:]
        self.game.play(child, action)
        seat = self.game.mover(child)
        if seat == END:
            points = self.game.points(child) if mover == 0 else -self.game.points(child)
            return points / self.game.max_return * (1 - ply * PER_PLY), ()
        if seat == CHANCE:
            return self._expect(child, mover, depth, ply)
        if seat == mover:
            return self._search(child, seat, alpha, beta, depth, ply)
        value, variation = self._search(child, seat, -beta, -alpha, depth, ply)
        return -value, variation

    def _search(
        self, s: list[int], mover: int, alpha: float, beta: float, depth: int, ply: int
    ) -> Valued:
        """The value of `s` for `mover`; exact inside (alpha, beta), else a bound on that side."""
        if depth == 0:
            self.horizon = True
            return self._evaluate(s), ()
        best = -INFINITE
        best_variation: tuple[int, ...] = ()
        for action in self._legal(s):
            low = max(alpha, best) if self.pruning else -INFINITE
            value, variation = self._after(s, mover, action, low, beta, depth - 1, ply + 1)
            if value > best:
                best, best_variation = value, (action, *variation)
            if self.pruning and best >= beta:
                break
        return best, best_variation

    def _expect(self, s: list[int], mover: int, depth: int, ply: int) -> Valued:
        """The mean over all rolls, for `mover`; the variation ends here."""
        weight = self.game.weight
        if weight is None:
            raise ValueError("a game with chance nodes needs weights")
        total, weights = 0.0, 0
        for action in self._legal(s):
            value, _ = self._after(s, mover, action, -INFINITE, INFINITE, depth, ply + 1)
            share = weight(s, action)
            total += share * value
            weights += share
        return total / weights, ()

    def _evaluate(self, s: list[int]) -> float:
        if self.game.evaluate is None:
            return 0.0
        return max(-SURE, min(SURE, self.game.evaluate(s) / EVALUATE_MAX))

    def _legal(self, s: list[int]) -> list[int]:
        n = self.game.legal(s, self.out, self.tmp)
        return self.out[:n]

    def _shuffled(self, actions: list[int]) -> list[int]:
        if self.seed is None:
            return actions
        rng = seeded(self.seed)
        for i in range(len(actions) - 1, 0, -1):
            j = below(rng, i + 1)
            actions[i], actions[j] = actions[j], actions[i]
        return actions
