"""solver: plays a game to the end, and so perfectly where its budget lasts for the proof.

It takes the fastest win or the slowest loss: in connect four by its opening book, elsewhere by
search (bots/solve.py; a node is one position looked at).  Where the budget ends before the proof,
its note says so, and it plays a proven win or draw, else the action that a part of the budget,
spent on alpha-beta by the game's `evaluate`, prefers among those not proven to be worse.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache
from typing import Final

from bots import book, compiled
from bots.alphabeta import AlphaBeta
from bots.bot import Bot, Choice, Setting, Value, fit
from bots.solve import SOLVERS, Solution, Solver, signed, solver
from games.game import Game, Ints, Position

AT_FIRST: Final = 1_000_000  # nodes for a proof before anything is guessed, or half of all
A_GUESS: Final = 200_000  # the most that a guess costs, or an eighth of all
GUESS_MEGABYTES: Final = 8

log = logging.getLogger("plyhouse.bots")


class Perfect(Bot):
    """Plays the action that gets the position's score, as far as that can be proven."""

    GAMES = tuple(sorted(SOLVERS))
    SETTINGS = (Setting("book", True, "play connect four's first plies by the opening book"),)
    LEVELS = (20, 200, 2_000, 10_000, 50_000, 300_000, 3_000_000, 60_000_000)
    COMPILED = True

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        super().__init__(seed=seed, **settings)
        self._solver: Solver | None = None
        self._guesser: AlphaBeta | None = None
        self._hasty = False  # in plain Python, as it was not compiled yet

    @classmethod
    def ready(cls, game: Game) -> bool:
        """Whether the searches have been compiled; tic-tac-toe needs none."""
        return game.name != "connect_four" or all(
            compiled.ready(search, game) for search in ("four", "negamax")
        )

    @classmethod
    def prepare(cls, game: Game) -> None:
        """Compile: look at a few positions."""
        if game.name == "connect_four":
            stop = compiled.ints(1)
            solver(game).solve(game.initial(), 10, stop)
            AlphaBeta(game, megabytes=1).think(game.initial(), 100, stop)
            compiled.compiled_whole("four", game)
            compiled.compiled_whole("negamax", game)

    def flag(self) -> Ints:
        """One that compiled code can see."""
        flag: Ints = compiled.ints(1)
        return flag

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Look the score up, or prove it, or find out as much as the budget allows."""
        if self.settings["book"] and position.game.name == "connect_four":
            told = _book().look(position)
            if told is not None:
                known = Solution(told[0], told[0], told[1], 0)
                return Choice(known.best, float(_sign(known)), 0, _note(position, known, "book"))
        found = self._search(position, nodes, stop)
        return Choice(found.best, float(_sign(found)), found.nodes, _note(position, found))

    def _search(self, position: Position, nodes: int, stop: Ints) -> Solution:
        """A proof within the budget, and where that seems to be far off, a guess on the way."""
        hasty = compiled.at_once and not self.ready(position.game)
        if self._solver is None or (self._hasty and not hasty):
            self._solver, self._guesser = solver(position.game, plain=hasty), None
            self._hasty = hasty
        found = self._solver.solve(position, min(AT_FIRST, nodes - nodes // 2), stop)
        if found.proven:
            return found
        used, guess = found.nodes, None
        if nodes >= 8 and position.game.name == "connect_four":
            if self._guesser is None:
                self._guesser = AlphaBeta(
                    position.game, megabytes=GUESS_MEGABYTES, plain=self._hasty
                )
            guessed = self._guesser.think(position, min(A_GUESS, nodes // 8), stop)
            used, guess = used + guessed.nodes, guessed.action
        found = self._solver.solve(position, nodes - used, stop, guess)
        return replace(found, nodes=used + found.nodes)


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
