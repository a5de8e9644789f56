"""minimax: alpha-beta with iterative deepening, expectiminimax with dice.

It judges by the game's own `evaluate` where there is one; elsewhere it only sees how the game ends.
The search is bots/search/simple_minimax.py.  A node is one position reached by an action.
"""

from __future__ import annotations

from bots.bot import Bot, Choice, Setting, fit
from bots.search.simple_minimax import MAX_DEPTH, Found, SimpleMinimax
from games.game import CHANCE, Ints, Position


class Minimax(Bot):
    """Plays what is best against best play, as far as it can look."""

    SETTINGS = (
        Setting("depth", 0, "decisions to look ahead; 0: what the budget allows", 0, MAX_DEPTH),
        Setting("pruning", True, "alpha-beta; off visits every position, for study"),
        Setting(
            "ties",
            "seed",
            "among equal actions: the first in an order shuffled by the seed, or the lowest",
            words=("seed", "lowest"),
        ),
    )
    LEVELS = (10, 50, 250, 1_000, 5_000, 20_000, 80_000, 300_000)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Look deeper and deeper until the budget, the depth, or the game is exhausted."""
        search = SimpleMinimax(
            position.game,
            pruning=bool(self.settings["pruning"]),
            seed=self.seed if self.settings["ties"] == "seed" else None,
        )
        found = search.run(list(position.state), nodes, stop, int(self.settings["depth"]))
        value = max(-1.0, min(1.0, round(found.value, 2 if found.solved else 4)))
        return Choice(found.action, value, found.nodes, _note(position, found))


def _note(position: Position, found: Found) -> str:
    """Depth, value, and the line of play it expects."""
    head = f"depth {found.depth} {found.value:+.2f}{' solved' if found.solved else ''}"
    words = [head]
    for action in found.line[:20]:
        words.append(position.game.format_action(position, action))
        position = position.apply(action)
        if position.to_move == CHANCE:
            break
    return fit(words, between=" ")


BOT = Minimax
