"""The grid of a sweep: some values for some settings of a bot, and all their combinations."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from bots import registry
from bots.bot import BadBudget, Budget, Value, format_value
from bots.online.entry import Entry, level_budget, make_entry, no_level, usual_budget
from games import registry as games
from lab.experiments.cell import Cell, Side, side_of

BUDGETS: Final = ("nodes", "ms", "level")  # axes that are no setting of the bot
MAX_CELLS: Final = 10_000


class BadGrid(ValueError):
    """Values of which no grid can be made; the sentence says why."""


@dataclass(frozen=True, slots=True)
class GridAxis:
    """A setting, or one of BUDGETS, and the values it takes."""

    name: str
    values: tuple[Value, ...]

    @property
    def numbers(self) -> bool:
        """Whether the values have an order and distances."""
        return all(type(value) in (int, float) for value in self.values)


@dataclass(frozen=True, slots=True)
class Sweep:
    """A grid to be played: each of its cells is the bot with one value of each axis.

    `games`: of each cell, an even number; half of them in each seat.
    """

    program: str
    game: str
    axes: tuple[GridAxis, ...]
    rival: Side
    rival_title: str
    games: int
    seed: int

    @property
    def points(self) -> list[dict[str, Value]]:
        """The values of each cell, by axis; the first axis changes slowest."""
        names = [axis.name for axis in self.axes]
        grid = itertools.product(*(axis.values for axis in self.axes))
        return [dict(zip(names, values, strict=True)) for values in grid]

    def cells(self) -> list[Cell]:
        """All cells, in the order of `points`.

        Raises:
            BadGrid, BadSetting, BadTerms, BadBudget: one of them is not possible.
        """
        count = math.prod(len(axis.values) for axis in self.axes)
        if count > MAX_CELLS:
            raise BadGrid(f"a grid has at most {MAX_CELLS:,} settings, not {count:,}")
        return [self._cell(point) for point in self.points]

    def _cell(self, point: Mapping[str, Value]) -> Cell:
        settings = {name: value for name, value in point.items() if name not in BUDGETS}
        given = {name: int(point[name]) for name in BUDGETS if name in point}
        entry = make_entry(self.program, seed=0, only=(self.game,), settings=settings)
        return Cell(key(point), self.game, side_of(entry, grid_budget(entry, **given)), self.rival)

    def head(self) -> dict[str, Any]:
        """What tells this sweep from others, in its journal: all but how many games."""
        return {
            "journal": "sweep",
            "game": self.game,
            "rules": games.game(self.game).rules_version,
            "bot": self.program,
            "version": registry.bot_class(self.program).VERSION,
            "grid": {axis.name: list(axis.values) for axis in self.axes},
            "against": msgspec.to_builtins(self.rival),
            "against_version": registry.bot_class(self.rival.program).VERSION,
            "seed": self.seed,
        }

    def digest(self) -> str:
        """A short name for `head`."""
        return hashlib.sha256(msgspec.json.encode(self.head(), order="sorted")).hexdigest()[:10]

    @property
    def varied(self) -> list[GridAxis]:
        return [axis for axis in self.axes if len(axis.values) > 1]

    @property
    def fixed(self) -> list[str]:
        """The values that all cells share: ["exploration=2"]."""
        return [f"{a.name}={format_value(a.values[0])}" for a in self.axes if len(a.values) == 1]

    @property
    def repeatable(self) -> bool:
        """Whether the same seed gives the same games: no clock ends a choice."""
        return self.rival.ms is None and all(axis.name != "ms" for axis in self.axes)


def key(point: Mapping[str, Value]) -> str:
    """What a cell is called: the same in any grid that holds it."""
    return " ".join(f"{name}={format_value(point[name])}" for name in sorted(point))


def grid_budget(
    entry: Entry, nodes: int | None = None, ms: int | None = None, level: int | None = None
) -> Budget:
    """The budget that is asked for; where nothing is, the entry's usual one."""
    if level is not None:
        if nodes is not None:
            raise BadBudget("give levels or nodes, not both")
        budget = level_budget(entry.program, level)
        if budget is None:
            raise BadBudget(no_level(entry.program, level))
        return budget.within(ms)
    if nodes is not None or ms is not None:
        return Budget(nodes, ms)
    return usual_budget(entry.program, entry.settings)


def make_rival(entry: Entry, budget: Budget | None) -> tuple[Side, str]:
    """An opponent and what it is called; without a budget it has its usual one."""
    budget = budget or grid_budget(entry)
    plain = not registry.bot_class(entry.program).LEVELS and budget == Budget(nodes=1)
    return side_of(entry, budget), entry.title(None if plain else budget)


def make_axis(program: str, name: str, texts: Sequence[str]) -> GridAxis:
    """An axis of the values that these texts stand for, each once.

    Raises:
        BadGrid: a text is no value, or there is none.
        BadSetting: the bot has no such setting, or it takes no such value.
    """
    if not texts or "" in texts:
        raise BadGrid(f"{name} takes values such as 1,2,5, not {','.join(texts)!r}")
    values: list[Value] = []
    for text in texts:
        if name in BUDGETS:
            if not (text.isascii() and text.isdigit() and len(text) < 20):
                raise BadGrid(f"{name} takes whole numbers such as 100,200, not {text!r}")
            values.append(int(text))
        else:
            values.append(registry.read_settings(program, {name: text})[name])
    return GridAxis(name, tuple(dict.fromkeys(values)))
