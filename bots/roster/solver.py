"""solver: plays a game to the end, and so perfectly where its budget lasts for the proof.

It takes the fastest win or the slowest loss.  Where the budget ends sooner, its note says so, and
it plays the best that it has found: a proven win or draw, else what is not proven to be worse and
looks best to the game's own `evaluate`.  The search is bots/solve.py; a node is one position
looked at.
"""

from __future__ import annotations

from bots import compiled
from bots.bot import Bot, Choice, Value, fit
from bots.solve import SOLVERS, Solution, Solver, signed, solver
from games.game import Game, Ints, Position


class Perfect(Bot):
    """Plays the action that gets the position's score, as far as that can be proven."""

    GAMES = tuple(sorted(SOLVERS))
    LEVELS = (20, 200, 2_000, 10_000, 50_000, 300_000, 3_000_000, 60_000_000)
    COMPILED = True

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        super().__init__(seed=seed, **settings)
        self._solver: Solver | None = None
        self._hasty = False  # in plain Python, as it was not compiled yet

    @classmethod
    def ready(cls, game: Game) -> bool:
        """Whether the search has been compiled; tic-tac-toe needs none."""
        return game.name != "connect_four" or compiled.ready("four", game)

    @classmethod
    def prepare(cls, game: Game) -> None:
        """Compile: look at a few positions."""
        if game.name == "connect_four":
            solver(game).solve(game.initial(), 10, compiled.ints(1))
            compiled.compiled_whole("four", game)

    def flag(self) -> Ints:
        """One that compiled code can see."""
        flag: Ints = compiled.ints(1)
        return flag

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Prove the score, or find out as much as the budget allows."""
        hasty = compiled.at_once and not self.ready(position.game)
        if self._solver is None or (self._hasty and not hasty):
            self._solver, self._hasty = solver(position.game, plain=hasty), hasty
        found = self._solver.solve(position, nodes, stop)
        return Choice(found.best, float(_sign(found)), found.nodes, _note(position, found))


def _sign(found: Solution) -> int:
    """1 for a proven win, -1 for a proven loss, else 0."""
    return (found.low > 0) - (found.high < 0)


def _note(position: Position, found: Solution) -> str:
    """The score, or between what it lies: "4 score +3 | proven"."""
    action = position.game.format_action(position, found.best)
    if found.proven:
        return fit([f"{action} score {signed(found.high)}", "proven"])
    between = f"score from {signed(found.low)} to {signed(found.high)}"
    return fit([f"{action} {between}", "the budget ended before the proof"])


BOT = Perfect
