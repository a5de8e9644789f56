"""mcts: Monte Carlo tree search with UCT and random playouts (bots/search/simple_uct.py).

It knows nothing but the rules.  A node is one simulation, however many playouts that makes.
"""

from __future__ import annotations

from typing import Final

from bots.bot import Bot, Choice, Setting, Value, fit
from bots.search.simple_uct import Candidate, SimpleUct
from games.game import Ints, Position
from games.rng import seeded

# Connect four, 80 matches at 400 nodes: 1.0 scored 0.61 against 0.5 and 0.64 against 0.7; 1.4
# scored 0.58 against 2.0.  Between 1.4 and 1.0 nothing was decided: 0.56, then 0.43 of 40 at 1,500.
EXPLORATION: Final = 1.4


class Mcts(Bot):
    """Plays the most visited action; ties: the higher value, then the lower action."""

    SETTINGS = (
        Setting("exploration", EXPLORATION, "constant c of UCT, for values in [-1, 1]", 0.0, 100.0),
        Setting("playouts", 1, "random games played at each new node", 1, 100),
    )
    LEVELS = (10, 40, 150, 500, 1_500, 5_000, 15_000, 40_000)

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        super().__init__(seed=seed, **settings)
        self._rng = seeded(seed)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Search anew from `position`; the random numbers go on from the call before."""
        search = SimpleUct(
            position.game,
            self._rng,
            exploration=float(self.settings["exploration"]),
            playouts=int(self.settings["playouts"]),
        )
        tried = search.run(list(position.state), nodes, stop)
        if not tried:
            return Choice(position.legal_actions()[0], value=0.0, nodes=0)
        done = sum(candidate.visits for candidate in tried)
        return Choice(tried[0].action, tried[0].value, done, _note(position, tried))


def _note(position: Position, tried: list[Candidate]) -> str:
    """The candidates, best first: action, visits, mean value."""
    write = position.game.format_action
    return fit([f"{write(position, c.action)} {c.visits} {c.value:+.2f}" for c in tried[:20]])


BOT = Mcts
