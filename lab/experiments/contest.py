"""Games in this process, without a server: two players, dice from a seed, an opening at random."""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from bots.bot import Bot, Budget, Situation
from games.game import CHANCE, END, Game, Position

PROCESS_CPU: Final = time.process_time_ns  # of all threads that think
THREAD_CPU: Final = time.thread_time_ns  # of one alone, where others play in this process


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


class BotFailed(RuntimeError):
    """A bot raised something, or chose what the rules do not allow; `position` is where."""

    def __init__(self, position: Position) -> None:
        super().__init__(f"a bot failed in {position}")
        self.position = position


class RosterPlayer(ContestPlayer):
    """A bot, made anew for every game, and what its choices of that game have cost.

    `cut`: choices that the budget ended before a depth that was asked for.
    `wall_ms`, `cpu_ms`: milliseconds of the wall's clock and of `cpu`, a clock in nanoseconds.
    """

    def __init__(
        self, make: Callable[[int], Bot], budget: Budget, cpu: Callable[[], int] = PROCESS_CPU
    ) -> None:
        self._make = make
        self._budget = budget
        self._cpu = cpu
        self._bot: Bot | None = None
        self._actions: list[str] = []
        self._clear()

    def _clear(self) -> None:
        self.choices, self.nodes, self.cut = 0, 0, 0
        self.wall_ms, self.cpu_ms = 0.0, 0.0

    def begin(self, game: Game, seed: int) -> None:
        """Take a new bot."""
        self._bot = self._make(seed)
        self._actions = []
        self._clear()

    def rest(self) -> None:
        """Let go of the last game's bot, and of its memory."""
        self._bot = None

    def see(self, position: Position, action: int) -> None:
        """Keep the actions for a bot that follows them."""
        if self._bot is not None and self._bot.FOLLOWS:
            self._actions.append(position.game.format_action(position, action))

    def choose(self, position: Position) -> int:
        """The bot's choice within the budget; BotFailed from whatever it raises."""
        assert self._bot is not None, "no game has begun"
        wall, cpu = time.perf_counter_ns(), self._cpu()
        try:
            if self._bot.FOLLOWS:
                self._bot.follow(Situation("1.1", tuple(self._actions)))
            choice = self._bot.choose(position, self._budget)
        except Exception as error:  # a bot may be anybody's; its player hears of it
            raise BotFailed(position) from error
        self.cpu_ms += (self._cpu() - cpu) / 1e6
        self.wall_ms += (time.perf_counter_ns() - wall) / 1e6
        self.choices += 1
        self.nodes += choice.nodes
        self.cut += choice.cut
        return choice.action


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """How a game ended: the points of seat 0 and 1, and how many plies it had, dice included."""

    returns: tuple[float, float]
    plies: int


def play_game(
    game: Game, players: tuple[ContestPlayer, ContestPlayer], opening: int, seed: int
) -> FinishedGame:
    """One game of the players by seat, whose first `opening` actions are random.

    Opening, dice and players have their random numbers from the seed.  A game that lasts too long
    is worth nothing to both.
    """
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
    return FinishedGame(outcome.returns if outcome is not None else (0.0, 0.0), plies)
