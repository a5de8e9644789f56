"""What the readable searches ask of a game: the kernels and sizes of games/game.py, by name.

`games.game.Game` fits.  A search is handed one as an argument and knows no game.
"""

from __future__ import annotations

from collections.abc import Callable, MutableSequence
from typing import Final, Protocol, TypeAlias

CHANCE: Final = -1  # what mover() says when dice decide
END: Final = -2  # ... and when the game is over

Ints: TypeAlias = MutableSequence[int]


class Kernels(Protocol):
    """The rules of one game as plain functions on a list of ints (see games/game.py for each)."""

    @property
    def max_legal(self) -> int: ...
    @property
    def scratch(self) -> int: ...
    @property
    def max_plies(self) -> int: ...
    @property
    def max_return(self) -> int: ...
    @property
    def mover(self) -> Callable[[Ints], int]: ...
    @property
    def legal(self) -> Callable[[Ints, Ints, Ints], int]: ...
    @property
    def play(self) -> Callable[[Ints, int], None]: ...
    @property
    def points(self) -> Callable[[Ints], int]: ...
    @property
    def weight(self) -> Callable[[Ints, int], int] | None: ...
    @property
    def evaluate(self) -> Callable[[Ints], int] | None: ...
    @property
    def playout(self) -> Callable[[Ints, Ints, Ints, Ints], int] | None: ...
