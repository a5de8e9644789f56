"""One decision of one match, searched for on a worker thread and ended from the event loop."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import Executor
from contextlib import suppress

from bots.bot import Bot, Budget, Choice, Situation, full_note
from client.connection import Connection
from client.replica import Replica
from games import registry as games
from games.game import Ints, Position
from protocol.errors import PlyhouseError
from protocol.messages import MatchState


class SearchTask:
    """A bot's decision about the position in `state`.

    choice    the result; None until then, and for ever if the search was ended or the bot crashed
    action    that choice in notation
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
        self._began = time.perf_counter()

    def is_about(self, state: MatchState) -> bool:
        return (self.state.match, self.state.turn) == (state.match, state.turn)

    @property
    def waited(self) -> float:
        """The seconds since it began; its clock runs as long."""
        return time.perf_counter() - self._began

    def end(self) -> None:
        """Stop: what it finds after that is never played."""
        self.ended = True
        self._stop[0] = 1

    async def ponder(self, bot: Bot, workers: Executor) -> None:
        """Let the bot think on while the opponent does, on a worker; raises what the bot raises."""
        self._stop = bot.stop_flag()
        loop = asyncio.get_running_loop()
        position = read_position(self.state)
        await loop.run_in_executor(workers, bot.ponder, position, self._stop)

    async def think(
        self, bot: Bot, budget: Budget, workers: Executor, situation: Situation | None = None
    ) -> None:
        """Let the bot choose, on a worker; raises what the bot raises.

        The clock runs while it waits, for an earlier search, the server or a worker: that time is
        taken off the budget.
        """
        position = read_position(self.state)
        self._stop = bot.stop_flag()
        started = time.perf_counter()

        def choose() -> Choice:
            if situation is not None:
                bot.follow(situation)
            return bot.choose(position, _after_waiting(budget, self.waited), self._stop)

        choice = await asyncio.get_running_loop().run_in_executor(workers, choose)
        self.seconds = time.perf_counter() - started
        if not self.ended:
            self.action = position.game.format_action(position, choice.action)
            self.note = full_note(self.program, choice, self.seconds)
            self.choice = choice


class MatchFollower:
    """The actions of a match from its first on, for a bot that follows them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._replica = Replica(connection.name)

    def take(self, state: MatchState) -> None:
        self._replica.feed(state, 0)

    async def situation(self, state: MatchState) -> Situation:
        """Return what is around the position of `state`; what is missing is asked of the server."""
        with suppress(PlyhouseError):  # then the bot does without
            while (since := self._replica.gap(state.match)) is not None:
                self._replica.fill(await self._connection.history(state.room, since))
        actions = self._replica.actions(state.match)
        known = [event.action or "" for event in actions]
        complete = [event.ply for event in actions] == list(range(state.ply))
        return Situation(state.match, tuple(known) if complete else None, state.clocks)


def _after_waiting(budget: Budget, seconds: float) -> Budget:
    """The budget less the time waited, but never less than a quarter of it."""
    if budget.ms is None:
        return budget
    return Budget(budget.nodes, max(1, budget.ms // 4, budget.ms - round(1000 * seconds)))


def read_position(state: MatchState) -> Position:
    return games.game(state.game, state.rules_version).parse_position(state.position)
