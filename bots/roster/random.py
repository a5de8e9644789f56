"""random: any legal action, each as likely.  What every other bot has to beat."""

from __future__ import annotations

from bots.bot import Bot, Choice, Value
from games.game import Game, Ints, Position
from games.rng import below, seeded


class Random(Bot):
    """Plays at random, whatever the budget."""

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        super().__init__(seed=seed, **settings)
        self._rng = seeded(seed)

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Any game: it needs to know none."""
        return True

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """One draw; its one node is the position itself."""
        actions = position.legal_actions()
        return Choice(actions[below(self._rng, len(actions))], value=0.0, nodes=1)


BOT = Random
