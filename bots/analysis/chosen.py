"""Which analyst looks at which game: the one table that says so."""

from __future__ import annotations

import logging
from typing import Final

from bots.analysis.exact import Exact
from bots.analysis.match import Analyst, Depth
from bots.analysis.rolled import Rolled
from bots.analysis.sampled import Sampled
from bots.bot import MOST_NODES
from bots.judge import MOST_PLIES
from bots.terms import BadTerms
from bots.weights import BadWeights
from games.game import Game

SPECIAL: Final[dict[str, type[Analyst]]] = {
    "backgammon": Rolled,
    "connect_four": Exact,
    "tic_tac_toe": Exact,
}
AS_USUAL: Final = Depth()

log = logging.getLogger("plyhouse.bots")


def kind(game: Game) -> type[Analyst]:
    """Who looks at `game`: one that knows it well, or tree search, which needs only the rules."""
    return SPECIAL.get(game.name, Sampled)


def program(game: Game) -> str:
    """The bot whose search, and whose name, the analyst of `game` has."""
    return kind(game).PROGRAM


def analyst(game: Game, depth: Depth = AS_USUAL) -> Analyst:
    """A fresh analyst for one match of `game`.

    Where the nets of backgammon cannot be read, it is tree search, and a warning says so.

    Raises:
        BadTerms: what is asked cannot be done.
    """
    check(game, depth)
    try:
        return kind(game).made(game, depth)
    except BadWeights as error:
        if depth != AS_USUAL:
            raise BadTerms(str(error)) from None
        log.warning("plyhouse: %s; mcts goes through the match", error)
        return Sampled.made(game, depth)


def check(game: Game, depth: Depth) -> None:
    """Refuse what this game's analyst cannot be told.

    Raises:
        BadTerms: with what it can be.
    """
    takes = kind(game).takes
    for name in Depth.__slots__:
        value = getattr(depth, name)
        if value is None:
            continue
        option = f"--{name.replace('_', '-')}"
        if name not in takes:
            able = " and ".join(f"--{other.replace('_', '-')}" for other in takes)
            raise BadTerms(f"{option} is nothing for {game.name}, which takes {able}")
        least, most = (1, MOST_NODES) if name == "nodes" else (0, MOST_PLIES)
        if not least <= value <= most:
            raise BadTerms(f"{option} must be {least} to {most:,}, not {value:,}")
