"""solver: plays a game to the end, and so perfectly where its budget lasts for the proof.

It takes the fastest win or the slowest loss: in connect four by its opening book, elsewhere by
search (bots/solve.py; a node is one position looked at).  Where the budget ends before the proof,
its note says so, and it plays a proven win or draw, else the action that a part of the budget,
spent on alpha-beta by the game's `evaluate`, prefers among those not proven to be worse.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import Final

from bots import book, compiled
from bots.alphabeta import AlphaBeta
from bots.bot import Choice, Setting, Value, fit
from bots.searcher import Searcher
from bots.solve import SOLVERS, Solution, Solver, signed, solver
from games.game import Game, Ints, Position

AT_FIRST: Final = 1_000_000  # nodes for a proof before anything is guessed, or half of all
A_GUESS: Final = 200_000  # the most that a guess costs, or an eighth of all
GUESS_MEGABYTES: Final = 8

log = logging.getLogger("plyhouse.bots")


class Perfect(Searcher["Both"]):
    """Plays the action that gets the position's score, as far as that can be proven."""

    GAMES = tuple(sorted(SOLVERS))
    SETTINGS = (Setting("book", True, "play connect four's first plies by the opening book"),)
    LEVELS = (20, 200, 2_000, 10_000, 50_000, 300_000, 3_000_000, 60_000_000)
    SEARCHES = ("four", "negamax")

    @classmethod
    def idle(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """There is one book, of connect four."""
        if game.name == "connect_four":
            return {}
        return {"book": f"book=off says nothing in {game.name}: the book is connect four's"}

    @classmethod
    def ready(cls, game: Game) -> bool:
        """Whether the searches have been compiled; tic-tac-toe needs none."""
        return game.name != "connect_four" or super().ready(game)

    @classmethod
    def loaded(cls, game: Game) -> bool:
        """Whether the searches are here; tic-tac-toe needs none."""
        return game.name != "connect_four" or super().loaded(game)

    @classmethod
    def prepare(cls, game: Game) -> None:
        """Compile for connect four."""
        if game.name == "connect_four":
            super().prepare(game)

    @classmethod
    def warm_up(cls, position: Position) -> None:
        """Look at a few positions."""
        both = Both(position.game)
        both.solver.solve(position, 10, compiled.ints(1))
        both.guesser.think(position, 100, compiled.ints(1))

    def make(self, game: Game, plain: bool) -> Both:
        """Searches with empty tables."""
        return Both(game, plain)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Look the score up, or prove it, or find out as much as the budget allows."""
        if self.settings["book"] and position.game.name == "connect_four":
            told = _book().look(position)
            if told is not None:
                known = Solution(told[0], told[0], told[1], 0)
                return Choice(known.best, float(_sign(known)), 0, _note(position, known, "book"))
        found = self._find(position, nodes, stop)
        return Choice(found.best, float(_sign(found)), found.nodes, _note(position, found))

    def _find(self, position: Position, nodes: int, stop: Ints) -> Solution:
        """A proof within the budget, and where that seems to be far off, a guess on the way."""
        search = self.search(position.game)
        found = search.solver.solve(position, min(AT_FIRST, nodes - nodes // 2), stop)
        if found.proven:
            return found
        used, guess = found.nodes, None
        if nodes >= 8 and position.game.name == "connect_four":
            guessed = search.guesser.think(position, min(A_GUESS, nodes // 8), stop)
            used, guess = used + guessed.nodes, guessed.action
        found = search.solver.solve(position, nodes - used, stop, guess)
        return replace(found, nodes=used + found.nodes)


class Both:
    """What proves, and what guesses where there is no proof."""

    def __init__(self, game: Game, plain: bool = False) -> None:
        self.solver: Solver = solver(game, plain=plain)
        self._game, self._plain = game, plain

    @cached_property
    def guesser(self) -> AlphaBeta:
        """Made when it is first needed: not for every match."""
        return AlphaBeta(self._game, megabytes=GUESS_MEGABYTES, plain=self._plain)


@cache
def _book() -> book.Book:
    """The opening book; an empty one, and a warning, where there is none."""
    try:
        return book.read()
    except book.BadBook as error:
        log.warning("plyhouse: %s; solver plays without", error)
        return book.Book({})


def _sign(found: Solution) -> int:
    """1 for a proven win, -1 for a proven loss, else 0."""
    return (found.low > 0) - (found.high < 0)


def _note(position: Position, found: Solution, source: str = "proven") -> str:
    """The score, or between what it lies: "4 score +3 | proven"."""
    action = position.game.format_action(position, found.best)
    if found.proven:
        return fit([f"{action} score {signed(found.high)}", source])
    between = f"score from {signed(found.low)} to {signed(found.high)}"
    return fit([f"{action} {between}", "the budget ended before the proof"])


BOT = Perfect
