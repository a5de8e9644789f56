"""Which analyst looks at which game: the one table that says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from bots.analysis.exact import Exact
from bots.analysis.match import Analyst
from bots.analysis.sampled import Sampled
from games.game import Game

Maker: TypeAlias = Callable[..., Analyst]

SPECIAL: Final[dict[str, Maker]] = {
    "connect_four": Exact,
    "tic_tac_toe": Exact,
}


def analyst(game: Game) -> Analyst:
    """A fresh analyst for a match of `game`."""
    return SPECIAL.get(game.name, Sampled)(game)
