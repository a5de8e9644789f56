"""Any program as a bot: `plyhouse bot --engine "python3 my_engine.py"`.

The program reads a question a line and writes an answer a line (docs/bots/engine.md).  Each match
has a process of its own, so that it may keep a tree; after the match the process takes the next.
"""

from __future__ import annotations

import re
import shutil
from functools import partial
from pathlib import Path
from typing import ClassVar, Final

from bots import registry
from bots.bot import Budget, Choice, IllegalChoice, Situation, Value
from bots.outside.program import Program, split_command
from bots.outside.program_bot import ProgramBot
from bots.outside.question import question, read_answer
from games.clock import DAY
from games.game import Ints, Position

NAME: Final = "engine"  # of one without a name
TIMEOUT_MS: Final = 60_000  # with a match without clock; or twice what it was given, if more
GREETING_S: Final = 1.0  # for an answer behind a first line that is none, besides twice its time
LATE_MS: Final = 1_000  # after a flag must have fallen
_NAMED: Final = re.compile(r"([\w.+-]{1,24})=(.*)", re.DOTALL)


class EngineBot(ProgramBot):
    """A bot that asks a program; `make_engine` makes a class of it for each command."""

    FOLLOWS = True
    DEFAULT_BUDGET = Budget(ms=1_000)
    COMMAND: ClassVar[list[str]]
    LOG: ClassVar[Path | None] = None

    def __init__(self, *, seed: int = 0, **settings: Value) -> None:
        super().__init__(seed=seed, **settings)
        self._situation: Situation | None = None

    @classmethod
    def new_program(cls) -> Program:
        return Program(cls.COMMAND, cls.LOG)

    def follow(self, situation: Situation) -> None:
        self._situation = situation

    def answer(self, position: Position, budget: Budget, stop: Ints) -> Choice:
        """Ask the program.

        Raises:
            CannotPlay: it died twice, said nothing in time, or answered nonsense.
        """
        situation, self._situation = self._situation, None
        asked = question(position, budget, situation)
        patience_s = _patience_s(position, budget, situation)
        greeting_s = min(patience_s, GREETING_S + 2 * (budget.ms or 0) / 1000)
        text = self.ask(asked, patience_s, stop, partial(_is_answer, position), greeting_s)
        if text is None:  # the turn is over
            return Choice(position.legal_actions()[0], value=0.0, nodes=1)
        try:
            found = read_answer(text, position)
        except IllegalChoice as error:
            raise IllegalChoice(f"{self.new_program().name}: {error}") from None
        return Choice(found.action, found.value, nodes=1, note=found.note)


def _is_answer(position: Position, line: str) -> bool:
    """Whether a line may be an answer here."""
    try:
        read_answer(line, position)
    except IllegalChoice:
        return False
    return True


def _patience_s(position: Position, budget: Budget, situation: Situation | None) -> float:
    """How long an answer may take; with a clock, until its flag has fallen for certain."""
    clocks = situation.clocks if situation is not None else None
    if clocks is None or (clocks.per_move_ms or 0) >= DAY:
        return max(TIMEOUT_MS, 2 * (budget.ms or 0)) / 1000
    left = clocks.per_move_ms or clocks.remaining[position.to_move]
    return (left + LATE_MS) / 1000


def make_engine(text: str, games: tuple[str, ...] = (), log: Path | None = None) -> str:
    """Make the engine that `[NAME=]COMMAND` describes a bot, and return the bot's name.

    `games`: those it plays; empty: all.  `log`: a file for its standard error.

    Raises:
        CannotPlay: that is no command.
        UnknownBot: the name is a bot's already.
    """
    named = _NAMED.fullmatch(text.strip())
    if named and _is_variable(named[2]):
        named = None
    name, command = (named[1], named[2]) if named else (NAME, text)
    fields = {
        "__doc__": f"Asks {command}.",
        "COMMAND": split_command(command),
        "GAMES": games,
        "LOG": log,
    }
    registry.add(name, type(f"Engine {name}", (EngineBot,), fields))
    return name


def _is_variable(text: str) -> bool:
    """Whether what stands behind a first `=` is a variable's value and a command, as in
    `OMP_NUM_THREADS=1 ./my_engine`, and not the command of a bot with that name.
    """
    words = split_command(text)
    return len(words) > 1 and shutil.which(words[0]) is None and shutil.which(words[1]) is not None
