"""Which analyst looks at which game: the first of ANALYSTS that is for it."""

from __future__ import annotations

import logging
from typing import Final

from bots.analysis.analyst import DEFAULT_DEPTH, AnalysisDepth, Analyst, BadDepth
from bots.analysis.cube_equity import CubeAnalyst
from bots.analysis.equity import EquityAnalyst
from bots.analysis.exact import ExactAnalyst
from bots.analysis.sampling import SamplingAnalyst
from bots.backgammon.weights import BadWeights
from games.game import Game


class NoAnalyst(BadDepth):
    """No bot here goes through matches of this game; the message says so."""


# The last one needs only the rules, and so is for all games but special ones.
ANALYSTS: Final[tuple[type[Analyst], ...]] = (
    EquityAnalyst, CubeAnalyst, ExactAnalyst, SamplingAnalyst,
)  # fmt: skip

log = logging.getLogger("plyhouse.bots")


def analyst_class(game: Game) -> type[Analyst]:
    """The class of the analyst of `game`; NoAnalyst: there is none."""
    for each in ANALYSTS:
        if game.name in each.GAMES if each.GAMES else not game.special:
            return each
    raise NoAnalyst(f"nobody here goes through matches of {game.name}")


def make_analyst(game: Game, depth: AnalysisDepth = DEFAULT_DEPTH) -> Analyst:
    """A fresh analyst for one match of `game`.

    Where the nets of backgammon cannot be read, it is tree search, and a warning says so; with the
    cube there is none.

    Raises:
        BadDepth: it cannot look to that depth; NoAnalyst: there is none now.
    """
    check_depth(game, depth)
    try:
        return analyst_class(game).create(game, depth)
    except BadWeights as error:
        if depth != DEFAULT_DEPTH:
            raise BadDepth(str(error)) from None
        if game.special:
            raise NoAnalyst(str(error)) from None
        log.warning("plyhouse: %s; mcts analyses the match instead", error)
        return SamplingAnalyst.create(game, depth)


def check_depth(game: Game, depth: AnalysisDepth) -> None:
    """Raises BadDepth, with what is possible, for what the analyst of `game` does not take."""
    depths = analyst_class(game).DEPTHS
    for name, value in depth.given().items():
        if name not in depths:
            options = " and ".join(map(_option, depths))
            raise BadDepth(f"{_option(name)} has no effect in {game.name}; use {options}")
        low, high = depths[name]
        if not low <= value <= high:
            raise BadDepth(f"{_option(name)} must be {low} to {high:,}, not {value:,}")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"
