"""Stubs of a game's kernels, for a search to import: bots/compiled.py puts the game's own there.

A search is written once and knows no game.  It says `from bots.search.rules import legal, play`;
for each game a copy of it is made in which those names are the game's kernels, and the constants
its sizes (see games/game.py for what each kernel does).  So nothing may be computed from them when
a module is loaded, and called as they stand here they fail.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final, NoReturn, TypeAlias

CHANCE: Final = -1  # what mover() says when dice decide
END: Final = -2  # ... and when the game is over

Ints: TypeAlias = MutableSequence[int]
Floats: TypeAlias = MutableSequence[float]

STATE = MAX_LEGAL = SCRATCH = MAX_PLIES = 0
MAX_RETURN = 1
HAS_CHANCE = HAS_EVALUATE = HAS_FEATURES = HAS_TACTIC = HAS_PLAYOUT = False

CONSTANTS = (
    "STATE", "MAX_LEGAL", "SCRATCH", "MAX_PLIES", "MAX_RETURN",
    "HAS_CHANCE", "HAS_EVALUATE", "HAS_FEATURES", "HAS_TACTIC", "HAS_PLAYOUT",
)  # fmt: skip
KERNELS = (
    "setup", "mover", "legal", "weight", "play", "points", "key", "evaluate", "features", "tactic",
    "playout",
)  # fmt: skip


def setup(s: Ints) -> None:
    """Write the first state."""
    _none()


def mover(s: Ints) -> int:
    """0, 1, CHANCE or END."""
    _none()


def legal(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the distinct actions, ascending; how many."""
    _none()


def weight(s: Ints, a: int) -> int:
    """Of a chance action; a game without dice has none, and asks for none."""
    _none()


def play(s: Ints, a: int) -> None:
    """In place, unchecked."""
    _none()


def points(s: Ints) -> int:
    """At the end: seat 0's."""
    _none()


def key(s: Ints) -> int:
    """0 <= key < 2**62, a hint."""
    _none()


def evaluate(s: Ints) -> int:
    """Static value, mover's view, |v| <= 10,000; only where HAS_EVALUATE."""
    _none()


def features(s: Ints, out: Ints) -> None:
    """Six counts that a value can be summed up from; only where HAS_FEATURES."""
    _none()


def tactic(s: Ints, out: Ints, tmp: Ints) -> int:
    """Winning actions, else forced blocks; only where HAS_TACTIC."""
    _none()


def playout(s: Ints, rng: Ints, out: Ints, tmp: Ints) -> int:
    """Points of a random game; only where HAS_PLAYOUT."""
    _none()


def _none() -> NoReturn:
    # Else a search that was imported, not copied for a game, would go on with what is no answer.
    raise RuntimeError("called without a game: bots.compiled.search puts its kernels here")
