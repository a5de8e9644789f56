"""flat: Monte Carlo without a tree below the candidates (bots/search/flat.py).

A node is one playout.  It is cut off after some random plies and judged by the game's `features`
and the weights below, else by its `evaluate`; where a game has neither, it is played to its end.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from bots import compiled
from bots.bot import Choice, Setting, Value, fit
from bots.searcher import Searcher
from bots.tree import Candidate
from games.game import Game, Ints, Position
from games.rng import seeded

SLICE: Final = 256  # playouts between two looks at a flag that only Python sees
WEIGHTS: Final = ("block", "hit", "advance", "safe", "blots", "off")  # in the order of `features`

# Pairs of matches against 0.5: connect four 0.554 +- 0.015 at 500 nodes, tic-tac-toe 0.531 +- 0.005
# at 200, backgammon +0.02 +- 0.09 points a game at 300; there 0.45 won 0.29 +- 0.09 points a game
# of 1.5, and 0.38 +- 0.10 of 0.15.
EXPLORATION: Final = 0.8


def _weight(name: str, default: int, meaning: str) -> Setting:
    return Setting(
        name, default, f"backgammon only, thousandths of a point: {meaning}", -3000, 3000
    )


class Flat(Searcher["_Desk"]):
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
    SEARCHES = ("flat",)

    @classmethod
    def idle(cls, game: Game, settings: Mapping[str, Value]) -> dict[str, str]:
        """Weights where a game has no features, plies where nothing can judge what they lead to."""
        if game.features is not None:
            return {}
        judged = game.evaluate is not None
        left = "plies and exploration" if judged else "exploration"
        none = f"but {game.name} has none; what can be set there is {left}"
        idle = {name: f"{name} weighs a feature of backgammon, {none}" for name in WEIGHTS}
        if not judged:
            idle["plies"] = f"plies come before an evaluation, {none}"
        return idle

    @classmethod
    def warm_up(cls, position: Position) -> None:
        """Think, cutting playouts off and not."""
        for plies in (2, 0):
            cls(plies=plies).think(position, 100, compiled.ints(1))

    def make(self, game: Game, plain: bool) -> _Desk:
        """A desk with nothing on it."""
        weights = [int(self.settings[name]) for name in WEIGHTS]
        return _Desk(game, self.seed, weights, plain=plain)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Begin anew with every position; the random numbers go on from the call before."""
        plies, exploration = int(self.settings["plies"]), float(self.settings["exploration"])
        found = self.search(position.game).think(position, nodes, stop, plies, exploration)
        if not found:
            return Choice(position.legal_actions()[0], value=0.0, nodes=0)
        made = sum(c.visits for c in found)
        return Choice(found[0].action, found[0].value, made, _note(position, found))


class _Desk:
    """The kernels for one game, and the arrays that they work on."""

    def __init__(self, game: Game, seed: int, weights: list[int], plain: bool = False) -> None:
        self.plain = plain or not compiled.available()
        self._kernels: Any = compiled.search("flat", game, plain=self.plain)
        self._start, self._s = self._ints(game.state_size), self._ints(game.state_size)
        self._actions, self._visits, self._totals, self._out = [
            self._ints(game.max_legal) for _ in range(4)
        ]
        self._tmp = self._ints(max(1, game.scratch))
        self._rng = self._ints(1)
        self._rng[0] = seeded(seed)[0]
        self._features, self._weights = self._ints(len(weights)), self._ints(len(weights))
        for i, weight in enumerate(weights):
            self._weights[i] = weight

    def _ints(self, n: int) -> Any:
        return compiled.ints(n, self.plain)

    def think(
        self, position: Position, nodes: int, stop: Ints, plies: int, exploration: float
    ) -> list[Candidate]:
        """The candidates that were tried, best first, after `nodes` playouts or until `stop`."""
        for i, value in enumerate(position.state):
            self._start[i] = value
        n = self._kernels.lay_out(
            self._start, self._actions, self._visits, self._totals, self._tmp, self._rng
        )
        sliced = isinstance(stop, list) and not self.plain  # compiled code does not see a list
        flag = self._ints(1) if sliced else stop
        made = 0
        while made < nodes and not stop[0]:
            made = self._kernels.search(
                self._start, self._actions, self._visits, self._totals, n, made, self._s,
                self._rng, self._out, self._tmp, self._features, self._weights, exploration,
                plies, min(nodes, made + SLICE) if sliced else nodes, flag,
            )  # fmt: skip
        sign = 1 if position.to_move == 0 else -1
        found = [self._candidate(i, sign) for i in range(n) if self._visits[i]]
        return sorted(found, key=Candidate.rank)

    def _candidate(self, i: int, sign: int) -> Candidate:
        visits = int(self._visits[i])
        mean = sign * int(self._totals[i]) / (self._kernels.FULL * visits)
        return Candidate(int(self._actions[i]), visits, mean)


def _note(position: Position, found: list[Candidate]) -> str:
    """The candidates, best first: action, playouts, mean value."""
    write = position.game.format_action
    return fit([f"{write(position, c.action)} {c.visits} {c.value:+.2f}" for c in found[:20]])


BOT = Flat
