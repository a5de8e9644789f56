"""A bot that has a process of a program think: one for each match, and after it for the next."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

from bots.bot import Bot, Budget, Choice, Value
from bots.outside.program import Fits, Program
from games.game import CHANCE, END, Game, IllegalAction, Ints, Position


class ProgramBot(Bot):
    """Asks its process by `ask`; a subclass says which program by `new_program`."""

    IDLE: ClassVar[list[Program]]  # processes whose match is over

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        super().__init__(seed=seed, **settings)
        self._program: Program | None = None
        self._asks = self._closed = False

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        cls.IDLE = []

    @classmethod
    @abstractmethod
    def new_program(cls) -> Program:
        """Return the program, which is not started yet; CannotPlay where it is not installed."""

    @abstractmethod
    def answer(self, position: Position, budget: Budget, stop: Ints) -> Choice:
        """Return what the program chooses; any legal action once `stop` is set.

        Raises:
            CannotPlay: it does not answer, or nonsense.
        """

    def choose(self, position: Position, budget: Budget, stop: Ints | None = None) -> Choice:
        """Ask the program, which keeps its own time: nothing ends it when the budget is spent."""
        if position.to_move in (CHANCE, END):
            raise ValueError(f"no seat is to move in {position}")
        choice = self.answer(position, budget, self.stop_flag() if stop is None else stop)
        if choice.action not in position.legal_actions():
            raise IllegalAction(position, choice.action)
        return choice

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        return self.answer(position, Budget(nodes=nodes), stop)

    @classmethod
    def prepare(cls, game: Game) -> None:
        """Start one process: a program that cannot be run is found before the first match."""
        if not cls.loaded(game):
            program = cls.new_program()
            program.start()
            cls.IDLE.append(program)

    @classmethod
    def loaded(cls, game: Game) -> bool:
        """Whether a process waits."""
        return bool(cls.IDLE)

    @property
    def silence(self) -> str:
        """What there is to say of an answer that has not come; empty where none is due."""
        program = self._program
        return program.silence if program is not None and program.owes else ""

    def ask(
        self,
        line: str,
        patience_s: float,
        stop: Ints,
        fits: Fits = lambda line: True,
        greeting_s: float = 0.0,
    ) -> str | None:
        """Return the answer of this match's process, as `Program.ask` does."""
        if self._program is None:
            self._program = self.IDLE.pop() if self.IDLE else self.new_program()
        self._asks = True
        try:
            return self._program.ask(line, patience_s, stop, fits, greeting_s)
        finally:
            self._asks = False
            if self._closed:
                self.close()

    def __del__(self) -> None:
        """Who plays without a server may forget to close: no process is left behind for that."""
        self.close()

    def close(self) -> None:
        """The match is over: its process waits for the next, or ends if it still thinks."""
        self._closed = True
        program = self._program
        if program is None or self._asks:
            return
        self._program = None
        if program.is_idle:
            self.IDLE.append(program)
        else:
            program.close(kill=True)
