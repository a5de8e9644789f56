"""One decision of one match, thought about on a worker thread and ended from the event loop."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Executor

from bots.bot import Bot, Budget, Choice, full_note
from games import registry as games
from games.game import Ints, Position
from protocol.messages import MatchState


class Thought:
    """What a bot thinks about the position that `state` shows.

    choice    what it came to; None until then, and for good once it has been ended or has crashed
    action    the same in notation
    note      what goes over the wire with it
    seconds   how long it took
    """

    def __init__(self, state: MatchState, program: str) -> None:
        self.state = state
        self.program = program
        self.ended = False
        self.choice: Choice | None = None
        self.action = ""
        self.note = ""
        self.seconds = 0.0
        self._stop: Ints = [0]

    def is_about(self, state: MatchState) -> bool:
        """Whether `state` asks what has been thought about here."""
        return (self.state.match, self.state.turn) == (state.match, state.turn)

    def end(self) -> None:
        """Nobody wants to know any more: an ended thought is never played."""
        self.ended = True
        self._stop[0] = 1

    async def ponder(self, bot: Bot, workers: Executor) -> None:
        """Let the bot think on while the opponent does, on a worker; raises what the bot raises."""
        self._stop = bot.flag()
        loop = asyncio.get_running_loop()
        position = read_position(self.state)
        await loop.run_in_executor(workers, bot.ponder, position, self._stop)

    async def think(self, bot: Bot, budget: Budget, workers: Executor) -> None:
        """Let the bot choose, on a worker; raises what the bot raises.

        While it waits for a worker the clock runs: that time is taken off the budget's.
        """
        position = read_position(self.state)
        self._stop = bot.flag()
        started = time.perf_counter()

        def choose() -> Choice:
            return bot.choose(position, _less(budget, time.perf_counter() - started), self._stop)

        choice = await asyncio.get_running_loop().run_in_executor(workers, choose)
        self.seconds = time.perf_counter() - started
        if not self.ended:
            self.action = position.game.format_action(position, choice.action)
            self.note = full_note(self.program, choice, self.seconds)
            self.choice = choice


def _less(budget: Budget, seconds: float) -> Budget:
    """The budget after waiting so long; a quarter of it is left in any case."""
    if budget.ms is None:
        return budget
    return Budget(budget.nodes, max(1, budget.ms // 4, budget.ms - round(1000 * seconds)))


def read_position(state: MatchState) -> Position:
    """The position that a `match` message shows."""
    return games.game(state.game).parse_position(state.position)
