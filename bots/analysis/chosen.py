"""Which analyst looks at which game: the one table that says so."""

from __future__ import annotations

from typing import Final

from bots.analysis.exact import Exact
from bots.analysis.match import Analyst
from bots.analysis.sampled import Sampled
from bots.bot import MOST_NODES
from bots.terms import BadTerms
from games.game import Game

SPECIAL: Final[dict[str, type[Exact]]] = {
    "connect_four": Exact,
    "tic_tac_toe": Exact,
}


def program(game: Game) -> str:
    """The bot whose search, and whose name, the analyst of `game` has."""
    return _kind(game).PROGRAM


def analyst(
    game: Game, *, plies: int | None = None, luck_plies: int | None = None, nodes: int | None = None
) -> Analyst:
    """A fresh analyst for one match of `game`.

    Raises:
        BadTerms: as `check` does.
    """
    check(game, plies=plies, luck_plies=luck_plies, nodes=nodes)
    return _kind(game)(game, nodes=nodes)


def check(game: Game, *, plies: int | None, luck_plies: int | None, nodes: int | None) -> None:
    """Refuse what this game's analyst cannot be told.

    Raises:
        BadTerms: with what it can be.
    """
    if plies is not None or luck_plies is not None:
        raise BadTerms(f"plies are for backgammon; {game.name} takes --nodes")
    if nodes is not None and not 1 <= nodes <= MOST_NODES:
        raise BadTerms(f"--nodes must be 1 to {MOST_NODES:,}, not {nodes:,}")


def _kind(game: Game) -> type[Exact] | type[Sampled]:
    return SPECIAL.get(game.name, Sampled)
