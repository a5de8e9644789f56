"""The score of one position of a solved game: by the opening book, or by search."""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import Any

from bots.analysis.interruptible import run_interruptibly
from bots.engine import book, compiled
from bots.engine.kernels import four
from bots.engine.solvers import PLENTY, SOLVERS, Solution, Solver, Spent, solver
from games.game import Ints, Position


@dataclass(frozen=True, slots=True)
class ScoredPosition:
    """A position with its score, as far as that is proven.

    best      the actions that get the score, only one of them if `by_book`; empty without a proof
    seconds   without loading and compiling
    """

    position: Position
    solution: Solution
    best: list[int]
    seconds: float
    by_book: bool = False

    def row(self) -> dict[str, Any]:
        """The score as plain values for JSON."""
        game, solution = self.position.game, self.solution
        return {
            "game": game.name,
            "position": game.format_position(self.position),
            "mover": self.position.to_move,
            "score": solution.high if solution.proven else None,
            "low": solution.low,
            "high": solution.high,
            "best": [game.format_action(self.position, action) for action in self.best],
            "book": self.by_book,
            "nodes": solution.nodes,
            "seconds": round(self.seconds, 6),
        }


def score_position(
    position: Position, nodes: int | None, *, use_book: bool
) -> tuple[ScoredPosition, bool]:
    """The score as far as the nodes last, and whether a Ctrl-C ended the search."""
    from_book = _by_book(position) if use_book else None
    if from_book is not None:
        return from_book, False
    search = _make_solver(position)
    stop = compiled.ints(1)
    start = time.perf_counter()
    limit = PLENTY if nodes is None else nodes
    solution, best = run_interruptibly(lambda: _solve(search, position, limit, stop), stop)
    seconds = time.perf_counter() - start
    return ScoredPosition(position, solution, best, seconds), bool(stop[0])


def _solve(
    search: Solver, position: Position, nodes: int, stop: Ints
) -> tuple[Solution, list[int]]:
    """The score, and if it is proven, the actions that get it: all, or the one that is proven."""
    solution = search.solve(position, nodes, stop)
    if not solution.proven:
        return solution, []
    try:
        return solution, search.all_best(position, solution.high, stop)
    except Spent:
        return solution, [solution.best]


def _make_solver(position: Position) -> Solver:
    """A solver, loaded and compiled, and with a large table where that helps."""
    game = position.game
    if not SOLVERS[game.name].COMPILED:
        return solver(game)
    if not compiled.ready(four, game):
        print("plyhouse: compiling the search, once", file=sys.stderr)
    search = solver(game, wide=compiled.available() and position.state[2] < book.PLIES)
    search.solve(game.initial(), 10, compiled.ints(1))
    compiled.mark_ready(four, game)
    return search


def _by_book(position: Position) -> ScoredPosition | None:
    if not SOLVERS[position.game.name].HAS_BOOK:
        return None
    try:
        entry = book.read().look(position)
    except book.BadBook as error:
        print(f"plyhouse: {error}; searching without the book", file=sys.stderr)
        return None
    if entry is None:
        return None
    score, action = entry
    return ScoredPosition(position, Solution(score, score, action, 0), [action], 0.0, by_book=True)
