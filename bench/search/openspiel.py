"""OpenSpiel's C++ MCTSBot beside our UCT, from the same positions.

OpenSpiel (open_spiel in the bench extra) plays by its own rules, so every position is given twice:
in our notation, and as the actions of its states.  It takes two actions for one of ultimate
tic-tac-toe where the board is free to choose, and has its own numbers for backgammon.
Its evaluator is one random playout, its tree a fresh one for every search, and it proves nothing.
"""

from __future__ import annotations

import importlib
import time
from dataclasses import dataclass
from typing import Any

from bench.support.report import Missing
from games import registry
from games.game import Position

MEGABYTES = 1000  # its tree may grow so large; none here comes near
LOADED = {"backgammon": "backgammon(scoring_type=full_scoring)"}  # gammons count, as in ours


@dataclass(frozen=True, slots=True)
class SearchPosition:
    """A position to search: `first` or `middle`, what led there in our notation and in its."""

    game: str
    name: str
    ours: tuple[str, ...]
    theirs: tuple[int, ...]

    def position(self) -> Position:
        position = registry.game(self.game).initial()
        for text in self.ours:
            position = position.apply(position.game.parse_action(position, text))
        return position


def _place(game: str, name: str, ours: str, theirs: tuple[int, ...]) -> SearchPosition:
    return SearchPosition(game, name, tuple(ours.split(", ") if ours else ()), theirs)


# The middles are random games, cut off: any that are not nearly over would do.
PLACES = (
    _place("tic_tac_toe", "first", "", ()),
    _place("tic_tac_toe", "middle", "3, 2, 5", (2, 1, 4)),
    _place("ultimate_tic_tac_toe", "first", "", ()),
    _place(
        "ultimate_tic_tac_toe",
        "middle",
        "44, 43, 36, 68, 82, 21, 18, 86, 64, 42, 29, 99, 98, 85, 53, 34, 49, 92, 28, 88",
        (3, 3, 2, 5, 7, 1, 0, 7, 5, 3, 1, 8, 8, 7, 4, 2, 3, 8, 1, 7, 7),
    ),
    _place("connect_four", "first", "", ()),
    _place(
        "connect_four",
        "middle",
        "7, 7, 1, 1, 1, 3, 7, 2, 6, 7, 6, 7",
        (6, 6, 0, 0, 0, 2, 6, 1, 5, 6, 5, 6),
    ),
    _place("backgammon", "first", "31", (2,)),
    _place(
        "backgammon",
        "middle",
        "16, 24/18 8/7, 21, 8/5, 31, 8/5 7/6, 21, 13/11 8/7*, 21, bar/24 5/3, 51, 8/3 5/4, 31, "
        "24/20, 21, 13/10, 41",
        (9, 205, 0, 484, 2, 163, 0, 427, 0, 804, 6, 510, 2, 1271, 0, 349, 4),
    ),
)


def load() -> Any:
    """The module pyspiel.

    Raises:
        Missing: where it is not installed.
    """
    try:
        return importlib.import_module("pyspiel")
    except ImportError as error:
        raise Missing("OpenSpiel is not installed (pip install open_spiel)") from error


class OpenSpielSearch:
    """OpenSpiel's search of one position."""

    def __init__(self, place: SearchPosition, exploration: float) -> None:
        self.exploration = exploration
        self._spiel = load()
        self.game = self._spiel.load_game(LOADED.get(place.game, place.game))
        self.state = self.game.new_initial_state()
        for action in place.theirs:
            self.state.apply_action(action)

    def search(self, simulations: int, seed: int) -> float:
        """CPU seconds of one search of `simulations` simulations."""
        evaluator = self._spiel.RandomRolloutEvaluator(1, seed)
        proofs = talk = False
        bot = self._spiel.MCTSBot(
            self.game, evaluator, self.exploration, simulations, MEGABYTES, proofs, seed, talk
        )
        began = time.process_time()
        bot.mcts_search(self.state)
        return time.process_time() - began
