"""minimax: alpha-beta with iterative deepening and a table, expectiminimax with dice.

It judges by the game's own `evaluate`, or another of the game's evaluations; where a game has none
it only sees how the game ends.  The search is bots/engine/kernels/negamax.py;
bots/reading/simple_minimax.py is the same idea, written to be read.  A node is one position reached
by an action.
"""

from __future__ import annotations

from collections.abc import Mapping

from bots.bot import BadSetting, Choice, Setting, Value, fit
from bots.engine import compiled
from bots.engine.alphabeta import MEGABYTES, AlphaBeta, AlphaBetaResult
from bots.engine.compiled_bot import CompiledBot
from bots.engine.kernels import negamax
from bots.engine.kernels.negamax import MAX_DEPTH
from games import registry
from games.game import CHANCE, Game, Ints, Position


def _evaluations() -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(name for game in registry.names() for name in registry.game(game).evaluations)
    )


class Minimax(CompiledBot[AlphaBeta]):
    """Plays what is best against best play, as far as it can look."""

    SETTINGS = (
        Setting("depth", 0, "decisions to look ahead; 0: what the budget allows", 0, MAX_DEPTH),
        Setting("pruning", True, "alpha-beta; off visits every position"),
        Setting(
            "ties",
            "seed",
            "among equal actions: the first in an order shuffled by the seed, or the lowest",
            words=("seed", "lowest"),
        ),
        Setting(
            "evaluation",
            "usual",
            "what judges a position that is not over; ultimate tic-tac-toe has three",
            words=("usual", *_evaluations()),
        ),
        Setting("megabytes", MEGABYTES, "memory of the table", 1, 16_000, costly=True),
    )
    LEVELS = (10, 50, 250, 1_000, 5_000, 30_000, 200_000, 1_000_000)
    VERSION = "2"
    SEARCHES = (negamax,)

    @classmethod
    def check(cls, game: Game, settings: Mapping[str, Value]) -> None:
        """Raises BadSetting for an evaluation of another game."""
        wanted = settings.get("evaluation", "usual")
        if wanted not in ("usual", *game.evaluations):
            has = " or ".join(("usual", *game.evaluations))
            raise BadSetting(f"evaluation={wanted} is not possible: {game.name} has {has}")

    @classmethod
    def ends_itself(cls, settings: Mapping[str, Value]) -> bool:
        """With a depth."""
        return int(settings["depth"]) > 0

    @classmethod
    def ineffective(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """Memory where there is no table: with dice, or without pruning."""
        if game.has_chance:
            return {
                "megabytes": f"megabytes has no effect: {game.name} is searched without a table"
            }
        if not settings["pruning"]:
            return {"megabytes": "megabytes has no effect: only pruning=on keeps a table"}
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
        depth = int(self.settings["depth"])
        result = search.think(position, nodes, stop, depth)
        cut = result.depth < depth and not result.solved
        value = round(result.value, 2 if result.solved else 4)
        variation = search.principal_variation(position, result)
        note = _note(position, result, variation, f" of {depth}" if cut else "")
        return Choice(result.action, value, result.nodes, note, cut)

    def make(self, game: Game, plain: bool) -> AlphaBeta:
        """A search with an empty table."""
        evaluation = str(self.settings["evaluation"])
        return AlphaBeta(
            game,
            evaluation="" if evaluation == "usual" else evaluation,
            pruning=bool(self.settings["pruning"]),
            seed=self.seed if self.settings["ties"] == "seed" else None,
            megabytes=int(self.settings["megabytes"]),
            plain=plain,
        )


def _note(position: Position, result: AlphaBetaResult, variation: list[int], asked: str) -> str:
    """Depth, `asked`, value, and the principal variation."""
    head = f"depth {result.depth}{asked} {result.value:+.2f}{' solved' if result.solved else ''}"
    words = [head]
    for action in variation:
        words.append(position.game.format_action(position, action))
        position = position.apply(action)
        if position.to_move == CHANCE:
            break
    return fit(words, between=" ")


BOT = Minimax
