"""Nets of backgammon and the tables that they go with, as the arrays that the kernels want.

What is never written to while it is used, `Nets`, is shared by all threads; what one evaluation
scribbles on, `Desk`, each has for itself.
"""

from __future__ import annotations

import threading
from functools import cache
from typing import Any, Final

from bots import compiled
from bots.search.backgammon import bearoff
from bots.search.backgammon.inputs import BLIND, ESCAPES, INPUTS, SIGHTS
from bots.search.backgammon.net import CONTACT, KINDS, MOST, ONE_WAY, OUTPUTS, SHAPE, size
from bots.weights import Weights
from games import registry

GAME: Final = registry.game("backgammon")
PLAIN_MOST: Final = 4  # checkers in the exact table of plain Python, which takes long to build it

_lock = threading.Lock()


class Nets:
    """Weights, where they lie, and the exact tables.

    `given` are the arrays in the order in which all kernels take them.
    """

    def __init__(self, weights: Weights, *, plain: bool = False) -> None:
        self.plain = plain or not compiled.available()
        self.hidden = weights.hidden
        self.w: Any = compiled.singles(len(weights.values), self.plain)
        self.w[:] = weights.values
        self.shape: Any = compiled.ints(SHAPE, self.plain)
        begin = 0
        for k, hidden in enumerate(self.hidden):
            self.shape[2 * k], self.shape[2 * k + 1] = begin, hidden
            begin += size(hidden)
        if "one-way" in weights.without:
            self.shape[2 * ONE_WAY : 2 * ONE_WAY + 2] = self.shape[2 * CONTACT : 2 * CONTACT + 2]
        most, self.tails, self.first = exact_table(self.plain)
        self.shape[MOST] = 0 if "exact" in weights.without else most
        self.escapes = escapes_table(self.plain, "sights" in weights.without)
        self.given = (self.w, self.shape, self.escapes, self.tails, self.first)


class Desk:
    """Scratch of one thread for nets of this size: `given` as the kernels take it."""

    def __init__(self, hidden: tuple[int, ...], *, plain: bool) -> None:
        widest = max(hidden)
        self.told = compiled.singles(OUTPUTS, plain)
        self.after = compiled.singles(OUTPUTS * GAME.max_legal, plain)
        self.single = (
            compiled.ints(INPUTS, plain),
            compiled.singles(INPUTS, plain),
            compiled.singles(SIGHTS, plain),
            compiled.singles(widest, plain),
            self.told,
        )
        self.given = (
            *self.single,
            compiled.singles(SIGHTS, plain),
            compiled.singles(KINDS * widest, plain),
            compiled.ints(KINDS, plain),
            self.after,
        )


def kernels(name: str, plain: bool) -> Any:
    """The copy of bots/search/backgammon/NAME.py."""
    return compiled.search(f"backgammon.{name}", GAME, plain=plain)


@cache
def _exact_table(plain: bool) -> tuple[int, Any, Any]:
    most = PLAIN_MOST if plain else 15
    code = kernels("bearoff", plain)
    rows = code.rows(most)
    tails = compiled.singles(rows * bearoff.TURNS, plain)
    first = compiled.singles(code.new(most) * bearoff.FIRST, plain)
    code.build(
        most, tails, first, compiled.floats(rows, plain),
        compiled.ints(rows * bearoff.VIA, plain), compiled.ints(bearoff.SCRATCH, plain),
    )  # fmt: skip
    return most, tails, first


def exact_table(plain: bool) -> tuple[int, Any, Any]:
    """The most checkers it holds, and `tails` and `first` of bearoff.py; built once a process."""
    with _lock:
        return _exact_table(plain)


@cache
def escapes_table(plain: bool, blind: bool = False) -> Any:
    """The table of inputs.list_escapes; `blind`: for nets that see nothing but checkers."""
    table = compiled.ints(ESCAPES, plain)
    kernels("inputs", plain).list_escapes(table)
    table[BLIND] = int(blind)
    return table
