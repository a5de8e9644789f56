"""One choice of one bot, and all that led to it: candidates, trees, principal variation."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bots import registry
from bots.analysis.interruptible import run_interruptibly
from bots.bot import NO_LIMIT, Budget, Choice
from bots.engine.tree import Candidate, GrowsTrees, Tree
from bots.online.entry import Entry
from games.game import Position


@dataclass(frozen=True, slots=True)
class AnalysedChoice:
    """A choice, with what it was read from.

    seconds   what it took, without compiling
    trees     one a thread; none if the bot grows no tree
    """

    position: Position
    entry: Entry
    budget: Budget
    choice: Choice
    seconds: float
    candidates: list[Candidate]
    trees: tuple[Tree, ...] = ()

    @property
    def size(self) -> int:
        return sum(tree.size for tree in self.trees)

    @property
    def principal_variation(self) -> list[str]:
        """The principal variation in notation, of the first tree that agrees with the choice."""
        variations = [tree.principal_variation() for tree in self.trees]
        agreeing = [each for each in variations if each[:1] == [self.choice.action]]
        return list(_notation(self.position, (agreeing or variations or [[]])[0]))

    def row(self) -> dict[str, Any]:
        """Everything but the trees, as plain values for JSON."""
        game = self.position.game
        return {
            "game": game.name,
            "position": game.format_position(self.position),
            "mover": self.position.to_move,
            "bot": self.entry.program,
            "settings": self.entry.settings,
            "seed": self.entry.seed,
            "budget": {
                "nodes": None if self.budget == NO_LIMIT else self.budget.nodes,
                "ms": self.budget.ms,
            },
            "action": game.format_action(self.position, self.choice.action),
            "value": self.choice.value,
            "nodes": self.choice.nodes,
            "seconds": round(self.seconds, 6),
            "note": self.choice.note,
            "cut": self.choice.cut,
            "size": self.size,
            "line": self.principal_variation,
            "candidates": [
                {
                    "action": game.format_action(self.position, candidate.action),
                    "visits": candidate.visits,
                    "value": candidate.value,
                    "proven": candidate.proven,
                }
                for candidate in self.candidates
            ],
        }


def _notation(position: Position, actions: list[int]) -> Iterator[str]:
    for action in actions:
        yield position.game.format_action(position, action)
        position = position.apply(action)


def choose(position: Position, entry: Entry, budget: Budget) -> AnalysedChoice:
    """Let a fresh bot choose; Ctrl-C ends its thinking, and it chooses from what it has by then."""
    bot = registry.bot_class(entry.program)(seed=entry.seed, **entry.settings)
    stop = bot.stop_flag()
    start = time.perf_counter()
    choice = run_interruptibly(lambda: bot.choose(position, budget, stop), stop)
    seconds = time.perf_counter() - start
    forest = bot.forest() if isinstance(bot, GrowsTrees) else None
    candidates, trees = ([], []) if forest is None else (forest.candidates(), forest.trees)
    return AnalysedChoice(position, entry, budget, choice, seconds, candidates, tuple(trees))
