"""A cell of an experiment: one bot against another in one game, as they are set up; its games.

The random numbers of a game follow from the experiment's seed, the cell's key and the number of the
pair, whichever worker plays it and when.
"""

from __future__ import annotations

import hashlib
import traceback
from collections.abc import Callable
from typing import Final

import msgspec

from bots import registry
from bots.bot import Bot, Budget, CannotPlay, Value
from bots.engine.compiled_bot import first_decision
from bots.online.entry import Entry
from games import registry as games
from lab.experiments.contest import (
    PROCESS_CPU,
    BotFailed,
    FinishedGame,
    RosterPlayer,
    play_game,
)
from lab.experiments.sample import CellSample

WARM_UP_SEED: Final = 0


class Side(msgspec.Struct, frozen=True):
    """A bot as it plays in a cell: all of its settings, and its budget."""

    program: str
    settings: dict[str, Value]
    nodes: int | None = None
    ms: int | None = None

    def budget(self) -> Budget:
        return Budget(self.nodes, self.ms)

    def player(self, cpu: Callable[[], int] = PROCESS_CPU) -> RosterPlayer:
        """The bot as a player, whose CPU time is that of this clock."""

        def make(seed: int) -> Bot:
            return registry.bot(self.program, seed=seed, **self.settings)

        return RosterPlayer(make, self.budget(), cpu)


class Cell(msgspec.Struct, frozen=True):
    """What is played.

    key      tells it from all others of its experiment
    opening  random actions in front of a game
    shared   both games of a pair have the same opening and dice; else each its own
    """

    key: str
    game: str
    a: Side
    b: Side
    opening: int = 0
    shared: bool = False


class Batch(msgspec.Struct, frozen=True):
    """The pairs `first`, `first + 1` ... of a cell, played.  `error`: how a bot failed first."""

    cell: str
    first: int
    sample: CellSample
    error: str = ""

    @property
    def end(self) -> int:
        """The number of the first pair behind it."""
        return self.first + self.sample.pairs


def side_of(entry: Entry, budget: Budget) -> Side:
    """A checked bot with a budget, as a side."""
    return Side(entry.program, entry.settings, budget.nodes, budget.ms)


def game_seed(seed: int, key: str, number: int) -> int:
    """The seed of a game, or of a pair, from the experiment's."""
    text = f"{seed} {number} {key}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=7).digest(), "big")


class CellPlayer:
    """Plays the pairs of one cell."""

    def __init__(self, cell: Cell, seed: int, cpu: Callable[[], int] = PROCESS_CPU) -> None:
        self.cell = cell
        self._seed = seed
        self._game = games.game(cell.game)
        self._players = (cell.a.player(cpu), cell.b.player(cpu))
        self._error = ""
        self._warm_up()

    def _warm_up(self) -> None:
        """Load or compile what a choice needs, so that no game's time counts it."""
        position = first_decision(self._game)
        for side, player in zip((self.cell.a, self.cell.b), self._players, strict=True):
            registry.bot_class(side.program).prepare(self._game)
            player.begin(self._game, WARM_UP_SEED)
            self._guarded(lambda player=player: player.choose(position))  # type: ignore[misc]

    def _guarded(self, choose: Callable[[], object]) -> None:
        try:
            choose()
        except BotFailed as error:
            self._note(error)

    def _note(self, error: BotFailed) -> None:
        cause = error.__cause__
        lines = [str(cause)] if isinstance(cause, CannotPlay) else traceback.format_exception(cause)
        self._error = self._error or "".join(lines)

    def play(self, first: int, pairs: int) -> Batch:
        """So many pairs from the one of that number on."""
        sample = CellSample()
        for number in range(first, first + pairs):
            self._play_pair(number, sample)
        for player in self._players:
            player.rest()
        return Batch(self.cell.key, first, sample, self._error)

    def _play_pair(self, number: int, sample: CellSample) -> None:
        points, plies = [], 0
        spent = [[0, 0, 0.0, 0.0, 0], [0, 0, 0.0, 0.0, 0]]
        for leg in (0, 1):
            own = number if self.cell.shared else 2 * number + leg
            finished = self._play(leg, game_seed(self._seed, self.cell.key, own), sample)
            points.append(finished.returns[leg])
            plies += finished.plies
            for sums, player in zip(spent, self._players, strict=True):
                effort = (player.choices, player.nodes, player.wall_ms, player.cpu_ms, player.cut)
                sums[:] = [x + y for x, y in zip(sums, effort, strict=True)]
        sample.add((points[0], points[1]), plies)
        for effort_sums, (choices, nodes, wall, cpu, cut) in zip(
            (sample.a, sample.b), spent, strict=True
        ):
            effort_sums.add(int(choices), int(nodes), wall, cpu, int(cut))

    def _play(self, leg: int, seed: int, sample: CellSample) -> FinishedGame:
        """One game, in which A has seat `leg`; a bot that fails has lost it."""
        a, b = self._players
        players = (a, b) if leg == 0 else (b, a)
        try:
            return play_game(self._game, players, self.cell.opening, seed)
        except BotFailed as error:
            self._note(error)
            seat = error.position.to_move
            sample.failures[seat ^ leg] += 1
            return FinishedGame(self._game.forfeit(error.position, seat), 0)
