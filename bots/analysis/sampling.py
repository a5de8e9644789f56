"""Games that are not solved: what a play cost by Monte Carlo tree search, with its error.

A first search of the position says which actions are worth a look.  Then each of them, and the one
that was played, is searched from the position after it, all with the same number of simulations:
the first search spends only a few on those that look worse.  The best of several means is a little
too high, so a loss within its error says nothing, and is no blunder.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, Final

from bots.analysis.analyst import AnalysisDepth, Analyst, Judgement
from bots.bot import MAX_NODES
from bots.engine import compiled
from bots.engine.tree import Tree
from games.game import Game, Ints, Position
from protocol.analysis import MAX_OPTIONS, AnalysedOption, Unit

NODES: Final = 10_000  # simulations for each action, and as many to find the actions
PLAIN_NODES: Final = 100
BLUNDER: Final = 0.2  # of a value that goes from -1 to 1: a tenth of all games
WIDTH: Final = 1.96  # standard deviations in half a 95 % interval
NO_NODE: Final = 2**62  # more visits than any node has: nothing below the root is read


@dataclass(frozen=True, slots=True)
class _SampledAction:
    """The value of an action to the side that plays it; visits 0: it is proven."""

    action: int
    value: float
    visits: int

    @property
    def variance(self) -> float:
        """The variance of the value; that of one playout, from -1 to 1, is at most 1 - value**2."""
        return (1.0 - self.value**2) / self.visits if self.visits else 0.0


class SamplingAnalyst(Analyst):
    """Judges by bots/engine/tree.py.  Deterministic under (seed, nodes)."""

    PROGRAM: ClassVar[str] = "mcts"
    DEPTHS: ClassVar = {"nodes": (1, MAX_NODES)}
    EFFORTS = (
        AnalysisDepth(nodes=500),
        AnalysisDepth(nodes=NODES),
        AnalysisDepth(nodes=10 * NODES),
    )
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
    def create(cls, game: Game, depth: AnalysisDepth) -> SamplingAnalyst:
        return cls(game, nodes=depth.nodes)

    def judge(self, position: Position, action: int, stop: Ints) -> Judgement | None:
        """Compare what was played with what looks best."""
        self._tree.think(position, self._nodes, stop)
        actions = [candidate.action for candidate in self._tree.candidates()[:MAX_OPTIONS]]
        if action not in actions:
            actions = [*actions[: MAX_OPTIONS - 1], action]
        samples = [self._after(position, each, stop) for each in actions]
        if stop[0]:
            return None
        samples.sort(key=lambda each: (-each.value, each.action != action, each.action))
        best, played = samples[0], next(each for each in samples if each.action == action)
        loss = best.value - played.value
        error = WIDTH * sqrt(best.variance + played.variance) if best is not played else 0.0
        sure = loss > error
        return Judgement(
            loss=round(loss, 4),
            error=round(error, 4),
            doubtful=sure and BLUNDER / 2 <= loss <= BLUNDER,
            blunder=sure and loss > BLUNDER,
            best=[_option(position, each) for each in samples],
        )

    def _after(self, position: Position, action: int, stop: Ints) -> _SampledAction:
        """Look at the position behind `action`."""
        after = position.apply(action)
        seat = position.to_move
        outcome = after.outcome()
        if outcome is not None:
            return _SampledAction(action, outcome.returns[seat] / position.game.max_return, 0)
        self._tree.think(after, self._nodes, stop)
        root = self._tree.dump(NO_NODE, 0)
        value = -root["value"] if seat == 1 else root["value"]
        return _SampledAction(action, value + 0.0, 0 if root["proven"] else max(1, root["visits"]))


def _option(position: Position, sample: _SampledAction) -> AnalysedOption:
    """An action with its value."""
    return AnalysedOption(
        action=position.game.format_action(position, sample.action),
        value=round(sample.value, 4),
        note=f"{sample.visits:,} simulations" if sample.visits else "proven",
    )
