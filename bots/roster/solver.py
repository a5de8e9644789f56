"""solver: searches to the end of the game, and plays perfectly if its budget lasts for the proof.

It takes the fastest win or the slowest loss, from the opening book where a game has one, else by
search (bots/engine/solvers.py; a node is one position looked at).  Where the budget ends before the
proof, its note says so.  Then it plays a proven win or draw, else the action that alpha-beta, with
a part of the budget and the game's `evaluate`, prefers among those not proven to be worse.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import Final

from bots.bot import Choice, Setting, Value, fit
from bots.engine import book, compiled
from bots.engine.alphabeta import AlphaBeta
from bots.engine.compiled_bot import CompiledBot
from bots.engine.kernels import four, negamax
from bots.engine.solvers import SOLVERS, Solution, Solver, signed, solver
from games.game import Game, Ints, Position

FIRST_NODES: Final = 1_000_000  # for a proof before a guess; at most half of all
GUESS_NODES: Final = 200_000  # for a guess; at most an eighth of all
GUESS_MEGABYTES: Final = 8

log = logging.getLogger("plyhouse.bots")


class SolverBot(CompiledBot["SolverAndGuesser"]):
    """Plays the action that gets the position's score, as far as that can be proven."""

    GAMES = tuple(sorted(SOLVERS))
    SETTINGS = (Setting("book", True, "connect four: play the first plies by the opening book"),)
    LEVELS = (20, 200, 2_000, 10_000, 50_000, 300_000, 3_000_000, 60_000_000)
    SEARCHES = (four, negamax)

    @classmethod
    def ineffective(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """The book, in a game that has none."""
        if SOLVERS[game.name].HAS_BOOK:
            return {}
        return {"book": f"book=off has no effect in {game.name}: it has no opening book"}

    @classmethod
    def ready(cls, game: Game) -> bool:
        """Whether the searches have been compiled, if the game's solver is compiled at all."""
        return not SOLVERS[game.name].COMPILED or super().ready(game)

    @classmethod
    def loaded(cls, game: Game) -> bool:
        """Whether the searches have been loaded, if the game's solver is compiled at all."""
        return not SOLVERS[game.name].COMPILED or super().loaded(game)

    @classmethod
    def prepare(cls, game: Game) -> None:
        if SOLVERS[game.name].COMPILED:
            super().prepare(game)

    @classmethod
    def warm_up(cls, position: Position) -> None:
        """Look at a few positions."""
        both = SolverAndGuesser(position.game)
        both.solver.solve(position, 10, compiled.ints(1))
        both.guesser.think(position, 100, compiled.ints(1))

    def make(self, game: Game, plain: bool) -> SolverAndGuesser:
        return SolverAndGuesser(game, plain)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Look the score up, or prove it, or find out as much as the budget allows."""
        if self.settings["book"] and SOLVERS[position.game.name].HAS_BOOK:
            entry = _book().look(position)
            if entry is not None:
                score, action = entry
                solution = Solution(score, score, action, 0)
                return Choice(action, float(_sign(solution)), 0, _note(position, solution, "book"))
        solution = self._solve(position, nodes, stop)
        value = float(_sign(solution))
        return Choice(solution.best, value, solution.nodes, _note(position, solution))

    def _solve(self, position: Position, nodes: int, stop: Ints) -> Solution:
        """A proof within the budget, with a guess on the way where the proof seems far off."""
        search = self.search(position.game)
        first = search.solver.solve(position, min(FIRST_NODES, nodes - nodes // 2), stop)
        if first.proven:
            return first
        used, guess = first.nodes, None
        if nodes >= 8 and position.game.evaluate is not None:
            guessed = search.guesser.think(position, min(GUESS_NODES, nodes // 8), stop)
            used, guess = used + guessed.nodes, guessed.action
        second = search.solver.solve(position, nodes - used, stop, guess)
        return replace(second, nodes=used + second.nodes)


class SolverAndGuesser:
    """What proves, and what guesses where there is no proof."""

    def __init__(self, game: Game, plain: bool = False) -> None:
        self.solver: Solver = solver(game, plain=plain)
        self._game, self._plain = game, plain

    @cached_property
    def guesser(self) -> AlphaBeta:
        """Created when it is first needed, which is not in every match."""
        return AlphaBeta(self._game, megabytes=GUESS_MEGABYTES, plain=self._plain)


@cache
def _book() -> book.Book:
    """The opening book; an empty one, and a warning, where there is none."""
    try:
        return book.read()
    except book.BadBook as error:
        log.warning("plyhouse: %s; solver plays without its book", error)
        return book.Book({})


def _sign(solution: Solution) -> int:
    """1 for a proven win, -1 for a proven loss, else 0."""
    return (solution.low > 0) - (solution.high < 0)


def _note(position: Position, solution: Solution, source: str = "proven") -> str:
    """The score, or its bounds: "4 score +3 | proven"."""
    action = position.game.format_action(position, solution.best)
    if solution.proven:
        return fit([f"{action} score {signed(solution.high)}", source])
    bounds = f"score from {signed(solution.low)} to {signed(solution.high)}"
    return fit([f"{action} {bounds}", "the budget ended before the proof"])


BOT = SolverBot
