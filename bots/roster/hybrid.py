"""hybrid: Monte Carlo for the first plies of a match, then alpha-beta.

At first too much is open for a static evaluation, and random games tell more; later a deep look
sees what they overlook.  The first part is `mcts`, the second `minimax`.  A node is a simulation of
the one, or five positions of the other, which take about as long.

In the classic form, the first part has no tree (bots/search/hybrid.py): only the actions of the
highest score are candidates, by the lines of boards that are open after them where the game has
such an evaluation, else by its usual one; the node is a game of ten plies among such actions; the
highest mean is played, and of equals the last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from bots import compiled
from bots.bot import UNLIMITED, Choice, Setting, Value, fit
from bots.roster.mcts import EXPLORATION, Mcts
from bots.roster.minimax import Minimax
from bots.search.hybrid import MOST
from bots.searcher import Searcher
from bots.tree import Forest
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
MEASURED: Final = {"ultimate_tic_tac_toe": 12, "connect_four": 2, "tic_tac_toe": 2}
AS_MEASURED: Final = -1
POSITIONS: Final = 5  # of alpha-beta that are a node


class Hybrid(Searcher["Sampler"]):
    """Plays by simulations first, and by what it can calculate later."""

    SETTINGS = (
        Setting(
            "switch",
            AS_MEASURED,
            "plies of Monte Carlo before alpha-beta; -1: what did best in the game, classic 24",
            AS_MEASURED,
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
    GAMES = ("tic_tac_toe", "connect_four", "ultimate_tic_tac_toe")  # `plies` can read them
    SEARCHES = ("uct", "negamax", "hybrid")

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        super().__init__(seed=seed, **settings)
        self._classic = self.settings["form"] == "classic"
        self._tree = Mcts(seed=seed, exploration=self.settings["exploration"])
        self._deep = Minimax(seed=seed)
        self._grew = False  # the last choice was read from the tree

    @classmethod
    def idle(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """What is said of a part that is not played, or of a tree that is not grown."""
        if settings["switch"] == 0:
            none = "is of Monte Carlo, but switch=0 leaves it no ply; give it 1 or more"
            return {name: f"{name} {none}" for name in ("form", "exploration")}
        if settings["form"] == "classic":
            return {"exploration": "exploration is of the tree, which form=classic does without"}
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
        """By one part or the other, as many plies as have been played."""
        self._grew = False
        if plies(position) >= self._switch(position.game):
            found = self._deep.think(position, min(POSITIONS * nodes, UNLIMITED), stop)
            return replace(found, nodes=-(-found.nodes // POSITIONS))
        if not self._classic:
            self._grew = True
            return self._tree.think(position, nodes, stop)
        sampled = self.search(position.game).think(position, nodes, stop)
        best, made = sampled[0], sum(c.games for c in sampled)
        return Choice(best.action, round(best.value, 4), made, _note(position, sampled))

    def forest(self) -> Forest | None:
        """The tree of the first part, if the last choice was read from it."""
        return self._tree.forest() if self._grew else None

    def _switch(self, game: Game) -> int:
        wish = int(self.settings["switch"])
        if wish != AS_MEASURED:
            return wish
        return CLASSIC if self._classic else MEASURED[game.name]


def plies(position: Position) -> int:
    """How many there were before, in a game where each puts one stone on the board for good."""
    board = position.game.format_position(position).split(" ")[0]
    return sum(board.count(stone) for stone in "xo")


@dataclass(frozen=True, slots=True)
class Sampled:
    """A candidate: how many games it had, and their mean value in [-1, 1] for the seat to move."""

    action: int
    games: int
    value: float


class Sampler:
    """The search of the classic form with its memory."""

    def __init__(self, game: Game, seed: int, plain: bool = False) -> None:
        self.plain = plain or not compiled.available()
        instead = {"evaluate": game.evaluations["lines"]} if "lines" in game.evaluations else {}
        self._kernels: Any = compiled.search("hybrid", game, plain=self.plain, **instead)
        self._start, self._s, self._work = (self._ints(game.state_size) for _ in range(3))
        self._out, self._candidates = (self._ints(game.max_legal) for _ in range(2))
        self._totals = self._ints(game.max_legal)
        self._tmp = self._ints(max(1, game.scratch))
        self._rng = self._ints(1)
        self._rng[0] = seeded(seed)[0]

    def _ints(self, n: int) -> Any:
        return compiled.ints(n, self.plain)

    def think(self, position: Position, nodes: int, stop: Ints) -> list[Sampled]:
        """The candidates, best first: those that were sampled by value, of equals the last."""
        if not self.plain and isinstance(stop, list):  # compiled code does not see a list
            told, stop = stop, self._ints(1)
            stop[0] = told[0]
        for i, word in enumerate(position.state):
            self._start[i] = word
        n = int(self._kernels.top(self._start, self._work, self._candidates, self._tmp))
        for i in range(n):
            self._totals[i] = 0
        made = 0
        if n > 1:
            made = int(
                self._kernels.compare(
                    self._start, self._candidates, n, self._totals, SAMPLED, nodes, self._rng,
                    self._s, self._work, self._out, self._tmp, stop,
                )
            )  # fmt: skip
        found = [self._sampled(i, made // n + (i < made % n)) for i in range(n)]
        return sorted(found, key=lambda c: (c.games > 0, c.value, c.action), reverse=True)

    def _sampled(self, i: int, games: int) -> Sampled:
        value = int(self._totals[i]) / (games * MOST) if games else 0.0
        return Sampled(int(self._candidates[i]), games, value)


def _note(position: Position, found: list[Sampled]) -> str:
    """The candidates, best first: action, games, mean value."""
    write = position.game.format_action
    return fit([f"{write(position, c.action)} {c.games} {c.value:+.2f}" for c in found[:20]])


BOT = Hybrid
