"""Games that are not solved: what a play cost by Monte Carlo tree search, with its error.

A first search of the position says which actions are worth looking at.  Then each of them, and the
one that was played, is looked at from the position behind it, with as many simulations as any
other: in the first search the ones that look worse would have had a few only.  The best of several
means is a little too high, so a loss within its error says nothing, and is no blunder.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Final

from bots import compiled
from bots.analysis.form import MOST, Option, Unit
from bots.analysis.match import Analyst, Depth, Judged
from bots.tree import Tree
from games.game import Game, Ints, Position

NODES: Final = 10_000  # simulations for each action, and as many to find the actions
PLAIN_NODES: Final = 100
BLUNDER: Final = 0.2  # of a value that goes from -1 to 1: a tenth of all games
WIDTH: Final = 1.96  # standard deviations in half a 95 % interval
NO_NODE: Final = 2**62  # more visits than any node has: nothing below the root is read


@dataclass(frozen=True, slots=True)
class _Seen:
    """The value of an action to who plays it; visits 0: it is proven."""

    action: int
    value: float
    visits: int

    @property
    def variance(self) -> float:
        """Of the value: a game brings -1 to 1, so that of one playout is at most 1 - value**2."""
        return (1.0 - self.value**2) / self.visits if self.visits else 0.0


class Sampled(Analyst):
    """Judges by bots/tree.py.  Deterministic under (seed, nodes)."""

    PROGRAM: ClassVar[str] = "mcts"
    unit: Unit = "value"
    blunder = BLUNDER

    def __init__(
        self, game: Game, *, nodes: int | None = None, plain: bool = False, seed: int = 0
    ) -> None:
        """`nodes`: simulations for each action that is looked at."""
        slow = plain or not compiled.available()
        self._nodes = nodes or (PLAIN_NODES if slow else NODES)
        self._tree = Tree(game, seed=seed, keep=False, plain=plain)
        self.by = f"mcts, {self._nodes:,} simulations an action"

    @classmethod
    def made(cls, game: Game, depth: Depth) -> Sampled:
        """One that spends so many nodes."""
        return cls(game, nodes=depth.nodes)

    def judge(self, position: Position, action: int, stop: Ints) -> Judged | None:
        """Compare what was played with what looks best."""
        self._tree.think(position, self._nodes, stop)
        tried = [candidate.action for candidate in self._tree.candidates()[:MOST]]
        if action not in tried:
            tried = [*tried[: MOST - 1], action]
        seen = [self._after(position, each, stop) for each in tried]
        if stop[0]:
            return None
        seen.sort(key=lambda one: (-one.value, one.action != action, one.action))
        best, played = seen[0], next(one for one in seen if one.action == action)
        loss = best.value - played.value
        error = WIDTH * sqrt(best.variance + played.variance) if best is not played else 0.0
        sure = loss > error
        return Judged(
            loss=round(loss, 4),
            error=round(error, 4),
            doubtful=sure and BLUNDER / 2 <= loss <= BLUNDER,
            blunder=sure and loss > BLUNDER,
            best=tuple(_option(position, one) for one in seen),
        )

    def _after(self, position: Position, action: int, stop: Ints) -> _Seen:
        """Look at the position behind `action`."""
        after = position.apply(action)
        seat = position.to_move
        outcome = after.outcome()
        if outcome is not None:
            return _Seen(action, outcome.returns[seat] / position.game.max_return, 0)
        self._tree.think(after, self._nodes, stop)
        root = self._tree.dump(NO_NODE, 0)
        value = -root["value"] if seat == 1 else root["value"]
        return _Seen(action, value + 0.0, 0 if root["proven"] else max(1, root["visits"]))


def _option(position: Position, seen: _Seen) -> Option:
    """An action with its value."""
    note = f"{seen.visits:,} simulations" if seen.visits else "proven"
    return Option(position.game.format_action(position, seen.action), round(seen.value, 4), note)
