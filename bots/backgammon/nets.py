"""Nets of backgammon, their tables, and scratch memory, as the kernels take them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, Final

from bots.backgammon.kernels import bearoff, inputs
from bots.backgammon.kernels.inputs import BLIND, ESCAPES, FEATURES, INPUTS
from bots.backgammon.kernels.net import CONTACT, KINDS, ONE_WAY, OUTPUTS, SHAPE, TABLE_AT, size
from bots.backgammon.kernels.records import NetArrays, Workspace
from bots.backgammon.weights import Weights
from bots.engine import compiled
from bots.engine.kernels.rules import Floats, Ints
from games import registry

GAME: Final = registry.game("backgammon")
# What chances are worth where gammons count as in money play: see kernels/net.py, `equity`.
MONEY_PRICES: Final = (2.0, 1.0, 1.0, -1.0, -1.0) * 2
PLAIN_MOST: Final = 4  # checkers in the exact table of plain Python, which takes long to build it

_lock = threading.Lock()


class Nets:
    """Weights, where they lie, and the exact tables: `arrays`.  All threads share them."""

    def __init__(self, weights: Weights, *, plain: bool = False) -> None:
        self.plain = plain or not compiled.available()
        self.hidden = weights.hidden
        self.weights = compiled.singles(len(weights.values), self.plain)
        self.weights[:] = weights.values
        self.shape = compiled.ints(SHAPE, self.plain)
        begin = 0
        for k, width in enumerate(self.hidden):
            self.shape[2 * k], self.shape[2 * k + 1] = begin, width
            begin += size(width)
        if "one-way" in weights.without:
            self.shape[2 * ONE_WAY : 2 * ONE_WAY + 2] = self.shape[2 * CONTACT : 2 * CONTACT + 2]
        most, tails, first = exact_table(self.plain)
        self.shape[TABLE_AT] = 0 if "exact" in weights.without else most
        escapes = escapes_table(self.plain, "features" in weights.without)
        self.arrays = NetArrays(self.weights, self.shape, escapes, tails, first)

    @property
    def distinct(self) -> list[int]:
        """The nets, each once where two of them are one."""
        starts = [self.shape[2 * k] for k in range(KINDS)]
        return [k for k in range(KINDS) if starts.index(starts[k]) == k]

    def workspace(self) -> Workspace:
        """Scratch memory for one thread that asks these nets."""
        plain, widest, state = self.plain, max(self.hidden), GAME.state_size
        prices = compiled.singles(2 * OUTPUTS, plain)
        prices[:] = MONEY_PRICES
        return Workspace(
            inputs=compiled.ints(INPUTS, plain),
            times=compiled.singles(INPUTS, plain),
            features=compiled.singles(FEATURES, plain),
            features_before=compiled.singles(FEATURES, plain),
            hidden=compiled.singles(widest, plain),
            blame=compiled.singles(widest, plain),
            chances=compiled.singles(OUTPUTS, plain),
            sums=compiled.singles(KINDS * widest, plain),
            summed=compiled.ints(KINDS, plain),
            turns=compiled.ints(GAME.max_legal, plain),
            values=compiled.floats(GAME.max_legal, plain),
            prices=prices,
            after=compiled.singles(OUTPUTS * GAME.max_legal, plain),
            s=compiled.ints(state, plain),
            t=compiled.ints(state, plain),
            reply=compiled.ints(state, plain),
            average=compiled.singles(OUTPUTS, plain),
            within=compiled.singles(OUTPUTS, plain),
            change=compiled.singles(OUTPUTS, plain),
            tmp=compiled.ints(GAME.scratch, plain),
            spent=compiled.ints(1, plain),
        )


def kernels(module: ModuleType, plain: bool, **instead: Callable[..., Any]) -> ModuleType:
    """The copy of a file of kernels; `instead`: other kernels than the game's own."""
    return compiled.search(module, GAME, plain=plain, **instead)


@cache
def _exact_table(plain: bool) -> tuple[int, Floats, Floats]:
    most = PLAIN_MOST if plain else 15
    code = kernels(bearoff, plain)
    rows = code.rows(most)
    tails = compiled.singles(rows * bearoff.TURNS, plain)
    first = compiled.singles(code.new(most) * bearoff.FIRST, plain)
    code.build(
        most, tails, first, compiled.floats(rows, plain),
        compiled.ints(rows * bearoff.VIA, plain), compiled.ints(bearoff.SCRATCH, plain),
    )  # fmt: skip
    return most, tails, first


def exact_table(plain: bool) -> tuple[int, Floats, Floats]:
    """The most checkers it holds, and `tails` and `first` of bearoff.py; built once a process."""
    with _lock:
        return _exact_table(plain)


@cache
def escapes_table(plain: bool, blind: bool = False) -> Ints:
    """The table of inputs.list_escapes; `blind`: for nets that see nothing but checkers."""
    table = compiled.ints(ESCAPES, plain)
    kernels(inputs, plain).list_escapes(table)
    table[BLIND] = int(blind)
    return table
