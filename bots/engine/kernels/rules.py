"""Stubs of a game's kernels, which a search imports.

A search is written once and knows no game.  It says `from bots.engine.kernels.rules import legal,
play`; for each game bots/engine/compiled.py makes a copy in which those names are the game's
kernels, and the constants its sizes (see games/game.py for what each kernel does).  So nothing may
be computed from them when a module is loaded, and called as they stand here they fail.
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
    """The weight of a chance action; only games with dice have it."""
    _none()


def play(s: Ints, a: int) -> None:
    """Play an action in place, unchecked."""
    _none()


def points(s: Ints) -> int:
    """Seat 0's points at the end."""
    _none()


def key(s: Ints) -> int:
    """A number of the position, 0 <= key < 2**62; equal positions have equal keys."""
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
    raise RuntimeError("called without a game: bots.engine.compiled.search puts its kernels here")
