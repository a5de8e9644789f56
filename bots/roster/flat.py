"""flat: Monte Carlo without a tree below the candidates (bots/engine/kernels/flat.py).

A node is one playout.  It is cut off after some random plies and judged by the game's `features`
and the weights below, else by its `evaluate`; where a game has neither, it is played to its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bots.bot import Choice, Setting, Value, fit
from bots.engine import compiled
from bots.engine.compiled import CompiledSearch
from bots.engine.compiled_bot import CompiledBot
from bots.engine.kernels import flat
from bots.engine.kernels.records import Candidates, FlatOptions, Scratch
from bots.engine.tree import Candidate
from games.game import Game, Ints, Position
from games.rng import seeded

SLICE: Final = 256  # playouts between two looks at a flag that only Python can read
WEIGHTS: Final = ("block", "hit", "advance", "safe", "blots", "off")  # in the order of `features`

# Pairs of matches against 0.5: connect four 0.554 +- 0.015 at 500 nodes, tic-tac-toe 0.531 +- 0.005
# at 200, backgammon +0.02 +- 0.09 points a game at 300; there 0.45 won 0.29 +- 0.09 points a game
# of 1.5, and 0.38 +- 0.10 of 0.15.
EXPLORATION: Final = 0.8


def _weight(name: str, default: int, meaning: str) -> Setting:
    return Setting(
        name, default, f"backgammon only, thousandths of a point: {meaning}", -3000, 3000
    )


class Flat(CompiledBot["FlatSearch"]):
    """Plays the candidate with the most playouts; ties: the higher mean, then the lower action."""

    SETTINGS = (
        Setting(
            "plies", 10, "random plies of a playout before it is judged; 0: to the end", 0, 1000
        ),
        Setting("exploration", EXPLORATION, "constant c of UCB1, for values in points", 0.0, 100.0),
        # Of some twenty sets of weights, 3,000 pairs of games each between players that look no
        # further, about the best; without fear for blots it loses 0.37 points a game.
        _weight("block", 15, "squared number of points held within six of their last checker"),
        _weight("hit", 130, "each of their checkers on the bar"),
        _weight("advance", 14, "each pip made"),
        _weight("safe", 70, "each point held by two checkers or more"),
        _weight("blots", -45, "each checker that stands alone and can be hit"),
        _weight("off", 120, "each checker borne off"),
    )
    LEVELS = (10, 40, 150, 500, 2_000, 8_000, 30_000, 100_000)
    SEARCHES = (flat,)

    @classmethod
    def ineffective(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """Weights where a game has no features, plies where nothing judges what they lead to."""
        if game.features is not None:
            return {}
        judged = game.evaluate is not None
        settings_left = "plies and exploration" if judged else "exploration"
        none = f"and {game.name} has none; set {settings_left} there"
        idle = {name: f"{name} weighs a feature of backgammon, {none}" for name in WEIGHTS}
        if not judged:
            idle["plies"] = f"plies end in an evaluation, {none}"
        return idle

    @classmethod
    def warm_up(cls, position: Position) -> None:
        """Think, cutting playouts off and not."""
        for plies in (2, 0):
            cls(plies=plies).think(position, 100, compiled.ints(1))

    def make(self, game: Game, plain: bool) -> FlatSearch:
        """A search with random numbers from the seed."""
        weights = [int(self.settings[name]) for name in WEIGHTS]
        return FlatSearch(game, self.seed, weights, plain=plain)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Start afresh with every position; the random numbers go on from the call before."""
        plies, exploration = int(self.settings["plies"]), float(self.settings["exploration"])
        candidates = self.search(position.game).think(position, nodes, stop, plies, exploration)
        if not candidates:
            return Choice(position.legal_actions()[0], value=0.0, nodes=0)
        best, spent = candidates[0], sum(c.visits for c in candidates)
        return Choice(best.action, best.value, spent, _note(position, candidates))


class FlatSearch(CompiledSearch):
    """The kernels for one game, and the arrays that they work on."""

    def __init__(self, game: Game, seed: int, weights: list[int], plain: bool = False) -> None:
        super().__init__(flat, game, plain)
        self._start, s, t = [self._ints(game.state_size) for _ in range(3)]
        actions, visits, totals, out = [self._ints(game.max_legal) for _ in range(4)]
        self._candidates = Candidates(actions, visits, totals)
        self._scratch = Scratch(s, t, out, self._ints(max(1, game.scratch)))
        self._rng = self._ints(1)
        self._rng[0] = seeded(seed)[0]
        self._features, self._weights = self._ints(len(weights)), self._ints(len(weights))
        for i, weight in enumerate(weights):
            self._weights[i] = weight

    def think(
        self, position: Position, nodes: int, stop: Ints, plies: int, exploration: float
    ) -> list[Candidate]:
        """The candidates that were tried, best first, after `nodes` playouts or until `stop`."""
        self._start[:] = position.state
        n = self._kernels.lay_out(self._start, *self._candidates, self._scratch.tmp, self._rng)
        sliced = isinstance(stop, list) and not self.plain  # compiled code does not see a list
        flag = self._ints(1) if sliced else stop
        options = FlatOptions(exploration, plies, self._weights, self._features)
        done = 0
        while done < nodes and not stop[0]:
            done = self._kernels.search(
                self._start, self._candidates, n, done, self._rng, self._scratch, options,
                min(nodes, done + SLICE) if sliced else nodes, flag,
            )  # fmt: skip
        sign = 1 if position.to_move == 0 else -1
        tried = [self._candidate(i, sign) for i in range(n) if self._candidates.visits[i]]
        return sorted(tried, key=Candidate.rank)

    def _candidate(self, i: int, sign: int) -> Candidate:
        visits = int(self._candidates.visits[i])
        mean = sign * int(self._candidates.totals[i]) / (self._kernels.FULL * visits)
        return Candidate(int(self._candidates.actions[i]), visits, mean)


def _note(position: Position, candidates: list[Candidate]) -> str:
    """The candidates, best first: action, playouts, mean value."""
    write = position.game.format_action
    return fit([f"{write(position, c.action)} {c.visits} {c.value:+.2f}" for c in candidates[:20]])


BOT = Flat
