"""Contests for measurements: pairs of games with seats swapped and chance shared.

Both games of a pair begin with the same random actions and see the same dice, so that luck weighs
less; the pair is what the error bar is computed from.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from dataclasses import dataclass, field

from bots.engine import compiled
from bots.engine.alphabeta import AlphaBeta
from bots.experiments.contest import ContestPlayer, play_game
from games.game import Game, Position

PLENTY = 10**12  # nodes: as many as the depth takes


class MinimaxPlayer(ContestPlayer):
    """Alpha-beta to a fixed depth, without a bot around it: no note is written."""

    def __init__(
        self, game: Game, depth: int, *, pruning: bool = True, evaluation: str = ""
    ) -> None:
        self._search = AlphaBeta(game, evaluation=evaluation, pruning=pruning, megabytes=1)
        self._depth = depth
        self._stop = compiled.ints(1)
        self._search.think(game.initial(), 100, self._stop)  # compiled before anybody counts
        self.nodes = 0

    def begin(self, game: Game, seed: int) -> None:
        """Forget the table."""
        self._search.forget()
        self._search.seed = seed

    def choose(self, position: Position) -> int:
        """The best action at the fixed depth."""
        result = self._search.think(position, PLENTY, self._stop, self._depth)
        self.nodes += result.nodes
        return result.action


class RandomPlayer(ContestPlayer):
    """Any legal action."""

    def __init__(self) -> None:
        self._rng = random.Random(0)

    def begin(self, game: Game, seed: int) -> None:
        """Draw from the seed."""
        self._rng = random.Random(seed)

    def choose(self, position: Position) -> int:
        """One of the legal ones."""
        return self._rng.choice(position.legal_actions())


@dataclass(slots=True)
class ContestScore:
    """What A got.  `pairs`: the mean points of each pair of games, in the game's own points."""

    games: int = 0
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    pairs: list[float] = field(default_factory=list)
    seconds: float = 0.0  # CPU, of the whole contest

    @property
    def mean(self) -> float:
        """Points a game."""
        return self.points / self.games

    @property
    def score(self) -> float:
        """Wins plus half the draws, over games."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def margin(self) -> float:
        """Half the 95 % interval of the points a game, from the spread of the pairs."""
        if len(self.pairs) < 2:
            return math.inf
        return 1.96 * statistics.stdev(self.pairs) / math.sqrt(len(self.pairs))


def contest(
    game: Game, a: ContestPlayer, b: ContestPlayer, games: int, opening: int = 0, seed: int = 1
) -> ContestScore:
    """Play `games` games, an even number, with `opening` random actions in front of each pair."""
    score, began = ContestScore(), time.process_time()
    for number in range(games // 2):
        luck = seed * 1_000_003 + number
        points = []
        for seat, players in enumerate(((a, b), (b, a))):
            points.append(play_game(game, players, opening, luck).returns[seat])
            score.games += 1
            score.points += points[-1]
            score.wins += points[-1] > 0
            score.draws += points[-1] == 0
        score.pairs.append(sum(points) / 2)
    score.seconds = time.process_time() - began
    return score
