"""Contests for measurements: pairs of games with seats swapped and chance shared.

Both games of a pair begin with the same random actions and see the same dice, so that luck weighs
less; the pair is what the error bar is computed from.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from bench.support.report import progress
from bots.engine import compiled
from bots.engine.alphabeta import AlphaBeta
from bots.experiments.contest import PROCESS_CPU, THREAD_CPU, ContestPlayer, play_game
from bots.farm.executor import FarmExecutor, Task, in_order, shares_process
from games import registry
from games.game import Game, Position

PLENTY = 10**12  # nodes: as many as the depth takes
SHARES = 4  # for each hand of a farm, so that none is idle for long at the end
MOST_PAIRS = 50  # of a share


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

    def add(self, other: ContestScore) -> None:
        """Count the pairs that come after these."""
        self.games += other.games
        self.points += other.points
        self.wins += other.wins
        self.draws += other.draws
        self.pairs += other.pairs
        self.seconds += other.seconds

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


class ContestPlan(NamedTuple):
    """A contest that can be played in parts.  `a`, `b` make the players, wherever that is."""

    game: str
    a: Callable[[], ContestPlayer]
    b: Callable[[], ContestPlayer]
    games: int
    opening: int = 0
    seed: int = 1


def contest(
    game: Game, a: ContestPlayer, b: ContestPlayer, games: int, opening: int = 0, seed: int = 1
) -> ContestScore:
    """Play `games` games, an even number, with `opening` random actions in front of each pair."""
    return _pairs(game, (a, b), range(games // 2), opening, seed)


def shared_contest(plan: ContestPlan, executor: FarmExecutor) -> ContestScore:
    """The same, played by the hands of a farm.

    Raises:
        WorkerFailed, BadFarm: somebody cannot play.
        Missing: a player needs what is not there.
    """
    pairs = plan.games // 2
    size = max(1, min(MOST_PAIRS, math.ceil(pairs / (SHARES * executor.hands))))
    tasks = (
        Task(play_pairs, (plan, first, min(first + size, pairs)), "a contest")
        for first in range(0, pairs, size)
    )
    score = ContestScore()
    for share in in_order(executor, tasks, say=progress):
        score.add(share)
    return score


def play_pairs(plan: ContestPlan, first: int, end: int) -> ContestScore:
    """Play the pairs of a contest from `first` to before `end`."""
    game = registry.game(plan.game)
    return _pairs(game, (plan.a(), plan.b()), range(first, end), plan.opening, plan.seed)


def _pairs(
    game: Game,
    players: tuple[ContestPlayer, ContestPlayer],
    numbers: Iterable[int],
    opening: int,
    seed: int,
) -> ContestScore:
    cpu = THREAD_CPU if shares_process() else PROCESS_CPU
    score, began = ContestScore(), cpu()
    a, b = players
    for number in numbers:
        luck = seed * 1_000_003 + number
        points = []
        for seat, seated in enumerate(((a, b), (b, a))):
            points.append(play_game(game, seated, opening, luck).returns[seat])
            score.games += 1
            score.points += points[-1]
            score.wins += points[-1] > 0
            score.draws += points[-1] == 0
        score.pairs.append(sum(points) / 2)
    score.seconds = (cpu() - began) / 1e9
    return score
