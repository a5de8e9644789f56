"""Matches in this process, without a server: pairs of games with seats swapped and chance shared.

Both games of a pair begin with the same random actions and see the same dice, so that luck weighs
less; the pair is what the error bar is computed from.
"""

from __future__ import annotations

import math
import random
import statistics
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from bots.bot import Bot, Budget
from bots.engine import compiled
from bots.engine.alphabeta import AlphaBeta
from games.game import CHANCE, END, Game, Position

PLENTY = 10**12  # nodes: as many as the depth takes


class ContestPlayer(ABC):
    """A player of a contest."""

    @abstractmethod
    def begin(self, game: Game, seed: int) -> None:
        """Begin a game, and forget what was thought before."""

    @abstractmethod
    def choose(self, position: Position) -> int:
        """The action for the seat to move."""

    def see(self, position: Position, action: int) -> None:  # noqa: B027  # optional
        """Note that somebody, or the dice, did `action` in `position`."""


class RosterPlayer(ContestPlayer):
    """A bot of the roster, made anew for every game."""

    def __init__(self, make: Callable[[int], Bot], budget: Budget) -> None:
        self._make = make
        self._budget = budget
        self._bot = make(0)

    def begin(self, game: Game, seed: int) -> None:
        """Take a new bot."""
        self._bot = self._make(seed)

    def choose(self, position: Position) -> int:
        """The bot's choice within the budget."""
        return self._bot.choose(position, self._budget).action


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
        points = [
            _play(game, (a, b) if seat == 0 else (b, a), seat, opening, luck, score)
            for seat in (0, 1)
        ]
        score.pairs.append(sum(points) / 2)
    score.seconds = time.process_time() - began
    return score


def _play(
    game: Game,
    players: tuple[ContestPlayer, ContestPlayer],
    seat: int,
    opening: int,
    seed: int,
    score: ContestScore,
) -> float:
    """One game; the points of A, who sits at `seat`."""
    luck = random.Random(seed)
    for i, player in enumerate(players):
        player.begin(game, 2 * seed + i)
    position, plies = game.initial(), 0
    while position.to_move != END and plies < game.max_plies:
        if position.to_move == CHANCE:
            actions, weights = zip(*position.chance(), strict=True)
            action = luck.choices(actions, weights)[0]
        elif plies < opening:
            action = luck.choice(position.legal_actions())
        else:
            action = players[position.to_move].choose(position)
        for player in players:
            player.see(position, action)
        position, plies = position.apply(action), plies + 1
    outcome = position.outcome()
    won = outcome.returns[seat] if outcome is not None else 0.0
    score.games += 1
    score.points += won
    score.wins += won > 0
    score.draws += won == 0
    return won
