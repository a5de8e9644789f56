"""mcts: Monte Carlo tree search with UCT, proofs and random playouts (bots/engine/kernels/uct.py).

It knows only the rules.  A node is one simulation, however many playouts that makes.  What it has
seen of a position is kept until that position comes up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bots.bot import BadSetting, Choice, Setting, Value, fit
from bots.engine import compiled
from bots.engine.compiled_bot import CompiledBot
from bots.engine.kernels import uct
from bots.engine.tree import MEGABYTES, Candidate, Forest, GrowsTrees, Tree
from games.game import Game, Ints, Position

# Connect four, 80 matches at 400 nodes: 1.0 scored 0.61 against 0.5 and 0.64 against 0.7; 1.4
# scored 0.58 against 2.0.  Between 1.4 and 1.0 nothing was decided: 0.56, then 0.43 of 40 at 1,500.
EXPLORATION: Final = 1.4
MAX_PONDERED: Final = 1_000_000  # playouts in one turn of the opponent, who may be out for lunch


class Mcts(CompiledBot[Forest], GrowsTrees):
    """Plays a proven win at once, never a proven loss if there is anything else; else the most
    visited action; ties: the higher value, then the lower action.
    """

    SETTINGS = (
        Setting("exploration", EXPLORATION, "constant c of UCT, for values in [-1, 1]", 0.0, 100.0),
        Setting("playouts", 1, "random games played at each new node", 1, 100),
        Setting("proofs", True, "prove wins and losses, and play by them"),
        Setting("decisive", False, "in random games win at once, and block"),
        Setting("keep", True, "keep the tree from move to move"),
        Setting(
            "ponder",
            False,
            "think on the opponent's time: stronger than the level, and different every time",
        ),
        Setting("threads", 1, "trees that are searched at the same time", 1, 64, costly=True),
        Setting(
            "megabytes", MEGABYTES, "memory of a tree, touched as it grows", 1, 16_000, costly=True
        ),
    )
    LEVELS = (10, 40, 150, 500, 2_000, 8_000, 30_000, 100_000)
    VERSION = "2"
    SEARCHES = (uct,)

    @classmethod
    def check(cls, game: Game, settings: Mapping[str, Value]) -> None:
        """Pondering is of use only in a tree that is kept."""
        if settings.get("ponder") and not settings.get("keep", True):
            raise BadSetting("mcts: ponder=on needs keep=on")

    @classmethod
    def ineffective(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """Decisive playouts, where the game does not say what wins at once."""
        if game.tactic is not None:
            return {}
        why = f"{game.name} does not say what wins at once"
        return {"decisive": f"decisive=on has no effect: {why}"}

    @classmethod
    def warm_up(cls, position: Position) -> None:
        """Think, move, and think on."""
        tree = Tree(position.game, megabytes=1)
        tree.think(position, 100, compiled.ints(1))
        tree.think(position.apply(tree.candidates()[0].action), 1, compiled.ints(1))

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Go on from what the tree has of `position`; the random numbers go on as well."""
        forest = self.search(position.game)
        spent = forest.think(position, nodes, stop)
        candidates = forest.candidates()
        if not candidates:
            return Choice(position.legal_actions()[0], value=0.0, nodes=spent)
        best = candidates[0]
        return Choice(best.action, best.value, spent, _note(position, candidates))

    def forest(self) -> Forest | None:
        return self._search

    def ponder(self, position: Position, stop: Ints) -> int:
        """Let the trees grow below `position`; what is below the opponent's play is kept.

        Not in plain Python while code is being compiled: that would slow down other matches.
        """
        forest = self.search(position.game)
        nodes = MAX_PONDERED // int(self.settings["playouts"])
        return 0 if self._interpreted else forest.ponder(position, nodes, stop)

    def make(self, game: Game, plain: bool) -> Forest:
        """Trees with nothing in them."""
        settings = self.settings
        return Forest(
            [
                Tree(
                    game,
                    seed=self.seed + i * 7919,
                    exploration=float(settings["exploration"]),
                    playouts=int(settings["playouts"]),
                    proofs=bool(settings["proofs"]),
                    decisive=bool(settings["decisive"]),
                    keep=bool(settings["keep"]),
                    megabytes=int(settings["megabytes"]),
                    plain=plain,
                )
                for i in range(int(settings["threads"]))
            ]
        )


def _note(position: Position, candidates: list[Candidate]) -> str:
    """The candidates, best first: action, visits, mean value; `=` before a value that is proven."""
    write = position.game.format_action
    return fit(
        [
            f"{write(position, c.action)} {c.visits} {'=' if c.proven else ''}{c.value:+.2f}"
            for c in candidates[:20]
        ]
    )


BOT = Mcts
