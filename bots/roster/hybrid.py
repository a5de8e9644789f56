"""hybrid: Monte Carlo for the first plies of a match, then alpha-beta.

At first too much is open for a static evaluation, and random games tell more; later a deep look
sees what they overlook.  The first part is `mcts`, the second `minimax`.  A node is a simulation of
the one, or five positions of the other, which take about as long.

In the classic form, the first part has no tree (bots/engine/kernels/hybrid.py): only the actions of
the highest score are candidates, by the lines of boards that are open after them where the game has
such an evaluation, else by its usual one; the node is a game of ten plies among such actions; the
highest mean is played, and of equals the last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from bots.bot import UNLIMITED, Bot, Choice, Setting, Value, fit
from bots.engine import compiled
from bots.engine.compiled import CompiledSearch
from bots.engine.compiled_bot import CompiledBot
from bots.engine.kernels import hybrid, negamax, uct
from bots.engine.kernels.hybrid import SCALE
from bots.engine.kernels.records import Scratch
from bots.engine.tree import Forest, GrowsTrees
from bots.roster.mcts import EXPLORATION, Mcts
from bots.roster.minimax import Minimax
from games.game import Game, Ints, Position
from games.rng import seeded

CLASSIC: Final = 24  # plies of Monte Carlo in the classic form
SAMPLED: Final = 10  # plies of a random game there
# From sweeps over random openings, each played from both sides, +- two standard errors.  Ultimate,
# 2,000 nodes a move, against alpha-beta throughout: 4 plies 0.50 +- 0.05, 8: 0.49 +- 0.06, 12: 0.52
# +- 0.05, 16: 0.40 +- 0.04, 20: 0.38 +- 0.04; against Monte Carlo throughout: 0 plies 0.86 +- 0.03,
# 12: 0.88 +- 0.03, 24: 0.78 +- 0.03, 36: 0.69 +- 0.03, 48: 0.51 +- 0.06.  At 10,000 nodes, 12
# against 0: 0.59 +- 0.07.  Connect four, 1,000 nodes, against 0: 2 plies 0.57 +- 0.04, 4: 0.44 +-
# 0.05, 8: 0.37 +- 0.02, 16: 0.31 +- 0.03, all: 0.30 +- 0.03.  Tic-tac-toe, 100 nodes, against 0:
# 2 plies 0.57 +- 0.01, 4: 0.51 +- 0.01, all: 0.51 +- 0.01.  The classic form against the tree,
# in ultimate at 2,000 nodes: 0.45 +- 0.04.
BEST_SWITCH: Final = {"ultimate_tic_tac_toe": 12, "connect_four": 2, "tic_tac_toe": 2}
DEFAULT_SWITCH: Final = -1  # stands for the best of the game
POSITIONS: Final = 5  # of alpha-beta that are a node


class Hybrid(CompiledBot["Sampler"], GrowsTrees):
    """Plays by simulations first, and by what it can calculate later."""

    SETTINGS = (
        Setting(
            "switch",
            DEFAULT_SWITCH,
            "plies of Monte Carlo before alpha-beta; -1: the best for the game, classic 24",
            DEFAULT_SWITCH,
            1_000,
        ),
        Setting(
            "form",
            "tree",
            "of Monte Carlo: a tree, or as in the classic program, top-scored candidates only",
            words=("tree", "classic"),
        ),
        Setting("exploration", EXPLORATION, "constant c of UCT in the tree", 0.0, 100.0),
    )
    LEVELS = (10, 40, 150, 500, 2_000, 8_000, 30_000, 100_000)
    GAMES = tuple(sorted(BEST_SWITCH))  # `plies` can read them
    SEARCHES = (uct, negamax, hybrid)

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        super().__init__(seed=seed, **settings)
        self._classic = self.settings["form"] == "classic"
        self._tree = Mcts(seed=seed, exploration=self.settings["exploration"])
        self._deep = Minimax(seed=seed)
        self._used_tree = False  # for the last choice

    @classmethod
    def ineffective(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """Settings of Monte Carlo where it is not played, or of the tree where there is none."""
        if settings["switch"] == 0:
            none = "has no effect: switch=0 leaves Monte Carlo no ply; set it to 1 or more"
            return {name: f"{name} {none}" for name in ("form", "exploration")}
        if settings["form"] == "classic":
            return {"exploration": "exploration has no effect: form=classic grows no tree"}
        return {}

    @classmethod
    def warm_up(cls, position: Position) -> None:
        """Think a little in all three ways."""
        Mcts.warm_up(position)
        Minimax.warm_up(position)
        Sampler(position.game, 0).think(position, 2, compiled.ints(1))

    def make(self, game: Game, plain: bool) -> Sampler:
        """What the classic form samples with."""
        return Sampler(game, self.seed, plain=plain)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Choose by one part or the other, according to the plies played so far."""
        part = self.part(position)
        self._used_tree = part is self._tree
        if part is self._deep:
            choice = self._deep.think(position, min(POSITIONS * nodes, UNLIMITED), stop)
            return replace(choice, nodes=-(-choice.nodes // POSITIONS))
        if part is self._tree:
            return self._tree.think(position, nodes, stop)
        candidates = self.search(position.game).think(position, nodes, stop)
        best, spent = candidates[0], sum(c.games for c in candidates)
        return Choice(best.action, round(best.value, 4), spent, _note(position, candidates))

    def part(self, position: Position) -> Bot:
        """Who decides in `position`: the tree, alpha-beta, or in the classic form itself."""
        if plies(position) >= self._switch(position.game):
            return self._deep
        return self if self._classic else self._tree

    def forest(self) -> Forest | None:
        """The tree of the first part, if the last choice was read from it."""
        return self._tree.forest() if self._used_tree else None

    def _switch(self, game: Game) -> int:
        switch = int(self.settings["switch"])
        if switch != DEFAULT_SWITCH:
            return switch
        return CLASSIC if self._classic else BEST_SWITCH[game.name]


def plies(position: Position) -> int:
    """How many plies were played, in a game where each puts one stone on the board for good."""
    board = position.game.format_position(position).split(" ")[0]
    return sum(board.count(stone) for stone in "xo")


@dataclass(frozen=True, slots=True)
class SampledCandidate:
    """A candidate: how many games it had, and their mean value in [-1, 1] for the seat to move."""

    action: int
    games: int
    value: float


class Sampler(CompiledSearch):
    """The search of the classic form with its memory."""

    def __init__(self, game: Game, seed: int, plain: bool = False) -> None:
        instead = {"evaluate": game.evaluations["lines"]} if "lines" in game.evaluations else {}
        super().__init__(hybrid, game, plain, **instead)
        self._start, s, t = (self._ints(game.state_size) for _ in range(3))
        out, self._candidates, self._totals = (self._ints(game.max_legal) for _ in range(3))
        self._scratch = Scratch(s, t, out, self._ints(max(1, game.scratch)))
        self._rng = self._ints(1)
        self._rng[0] = seeded(seed)[0]

    def think(self, position: Position, nodes: int, stop: Ints) -> list[SampledCandidate]:
        """The candidates, best first: those that were sampled by value, of equals the last."""
        if not self.plain and isinstance(stop, list):  # compiled code does not see a list
            stop, was_set = self._ints(1), stop[0]
            stop[0] = was_set
        self._start[:] = position.state
        t, tmp = self._scratch.t, self._scratch.tmp
        n = int(self._kernels.top(self._start, t, self._candidates, tmp))
        for i in range(n):
            self._totals[i] = 0
        played = 0
        if n > 1:
            played = int(
                self._kernels.compare(
                    self._start, self._candidates, n, self._totals, SAMPLED, nodes, self._rng,
                    self._scratch, stop,
                )
            )  # fmt: skip
        candidates = [self._candidate(i, played // n + (i < played % n)) for i in range(n)]
        return sorted(candidates, key=lambda c: (c.games > 0, c.value, c.action), reverse=True)

    def _candidate(self, i: int, games: int) -> SampledCandidate:
        value = int(self._totals[i]) / (games * SCALE) if games else 0.0
        return SampledCandidate(int(self._candidates[i]), games, value)


def _note(position: Position, candidates: list[SampledCandidate]) -> str:
    """The candidates, best first: action, games, mean value."""
    write = position.game.format_action
    return fit([f"{write(position, c.action)} {c.games} {c.value:+.2f}" for c in candidates[:20]])


BOT = Hybrid
