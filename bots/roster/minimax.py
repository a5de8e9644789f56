"""minimax: alpha-beta with iterative deepening and a table, expectiminimax with dice.

It judges by the game's own `evaluate`, or another of the game's evaluations; where a game has none
it only sees how the game ends.  The search is bots/search/negamax.py; bots/search/simple_minimax.py
is the same idea, written to be read.  A node is one position reached by an action.
"""

from __future__ import annotations

from collections.abc import Mapping

from bots import compiled
from bots.alphabeta import MEGABYTES, AlphaBeta, Found
from bots.bot import BadSetting, Choice, Setting, Value, fit
from bots.search.negamax import MAX_DEPTH
from bots.searcher import Searcher
from games import registry
from games.game import CHANCE, Game, Ints, Position


def _evaluations() -> tuple[str, ...]:
    """The names of the evaluations of all games."""
    return tuple(
        dict.fromkeys(name for game in registry.names() for name in registry.game(game).evaluations)
    )


class Minimax(Searcher[AlphaBeta]):
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
        Setting(
            "evaluation",
            "usual",
            "what judges a position that is not over; ultimate has three",
            words=("usual", *_evaluations()),
        ),
        Setting("megabytes", MEGABYTES, "memory of the table", 1, 16_000, costly=True),
    )
    LEVELS = (10, 50, 250, 1_000, 5_000, 30_000, 200_000, 1_000_000)
    VERSION = "2"
    SEARCHES = ("negamax",)

    @classmethod
    def check(cls, game: Game, settings: Mapping[str, Value]) -> None:
        """Raises BadSetting for an evaluation of another game."""
        wanted = settings.get("evaluation", "usual")
        if wanted not in ("usual", *game.evaluations):
            has = " or ".join(("usual", *game.evaluations))
            raise BadSetting(f"evaluation={wanted} is not possible: {game.name} has {has}")

    @classmethod
    def idle(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """Memory where there is no table: with dice, or without pruning."""
        if game.has_chance:
            return {"megabytes": f"megabytes are of a table, and in {game.name} none is kept"}
        if not settings["pruning"]:
            return {"megabytes": "megabytes are of a table, which is kept with pruning=on alone"}
        return {}

    @classmethod
    def warm_up(cls, position: Position) -> None:
        """Look a little ahead, with every evaluation: each is compiled into a search of its own."""
        for evaluation in ("", *position.game.evaluations):
            search = AlphaBeta(position.game, evaluation=evaluation, megabytes=1)
            search.think(position, 100, compiled.ints(1))

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Look deeper and deeper until the budget, the depth, or the game is exhausted."""
        search = self.search(position.game)
        found = search.think(position, nodes, stop, int(self.settings["depth"]))
        value = round(found.value, 2 if found.solved else 4)
        line = search.principal_variation(position, found)
        return Choice(found.action, value, found.nodes, _note(position, found, line))

    def make(self, game: Game, plain: bool) -> AlphaBeta:
        """A search with an empty table."""
        wanted = str(self.settings["evaluation"])
        return AlphaBeta(
            game,
            evaluation="" if wanted == "usual" else wanted,
            pruning=bool(self.settings["pruning"]),
            seed=self.seed if self.settings["ties"] == "seed" else None,
            megabytes=int(self.settings["megabytes"]),
            plain=plain,
        )


def _note(position: Position, found: Found, line: list[int]) -> str:
    """Depth, value, and the line of play it expects."""
    head = f"depth {found.depth} {found.value:+.2f}{' solved' if found.solved else ''}"
    words = [head]
    for action in line:
        words.append(position.game.format_action(position, action))
        position = position.apply(action)
        if position.to_move == CHANCE:
            break
    return fit(words, between=" ")


BOT = Minimax
