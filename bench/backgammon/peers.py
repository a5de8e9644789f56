"""The peer of `plyhouse bench backgammon`: GNU Backgammon, looking 0, 1 or 2 plies ahead.

Its nets come with the package gnubg-nn (bench extra).  Its boards are two lists of 25, points 1 to
24 and the bar as their owner counts them, the side on roll second; so the boards of a position turn
round when its turn is over.  What it calls 0 plies is the net's own judgement of a position; 1 and
2 are averages over the rolls of the turns that follow.  All is cubeless, by equity in points.
"""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from bench.support.report import Missing
from games.backgammon.rules import LARGER, SMALLER, TURN
from games.game import END, Position

PACKAGE: Final = "gnubg-nn"

Board: TypeAlias = tuple[int, ...]  # points 1 to 24 and the bar, as their owner counts them
Chooser: TypeAlias = Callable[[Position], int]


def load() -> Any:
    """The module gnubg_nn.

    Raises:
        Missing: where it is not installed.
    """
    try:
        return importlib.import_module("gnubg_nn")
    except ImportError as error:
        raise Missing(
            f"GNU Backgammon is not installed (pip install {PACKAGE}, or plyhouse[bench])"
        ) from error


def version() -> str | None:
    """The version of the package; None where it is not installed."""
    try:
        load()
        return importlib.metadata.version(PACKAGE)
    except (Missing, importlib.metadata.PackageNotFoundError):
        return None


def boards(state: Sequence[int], seat: int) -> tuple[Board, Board]:
    """The board of `seat` and that of the other side."""
    own, other = 26 * seat, 26 - 26 * seat
    return tuple(state[own + 1 : own + 26]), tuple(state[other + 1 : other + 26])


def results(position: Position) -> dict[tuple[Board, Board], int]:
    """Every legal turn, by the boards that it leaves: the mover's and the other's."""
    seat, play, turns = position.state[TURN], position.game.play, {}
    for action in position.legal_actions():
        state = list(position.state)
        play(state, action)
        turns[boards(state, seat)] = action
    return turns


class Gnu:
    """GNU Backgammon: its play at 0, 1 or 2 plies, and its equity at any of them."""

    def __init__(self, plies: int = 0) -> None:
        """Raises Missing."""
        self._gnubg = load()
        self._plies = plies

    def __call__(self, position: Position) -> int:
        legal = position.legal_actions()
        if len(legal) == 1:
            return legal[0]
        own, other = boards(position.state, position.state[TURN])
        dice = position.state[LARGER], position.state[SMALLER]
        _, key = self._gnubg.best_move([list(other), list(own)], *dice, n=self._plies, b=1)
        left, right = self._gnubg.board_from_position_key(key)
        return results(position)[tuple(left), tuple(right)]

    def equity(self, position: Position, action: int, plies: int) -> float:
        """Points that the turn `action` brings its side, looked `plies` ahead."""
        seat, after = position.state[TURN], position.apply(action)
        if after.to_move == END:
            outcome = after.outcome()
            return outcome.returns[seat] if outcome is not None else 0.0
        own, other = boards(after.state, seat)
        win, gammon, backgammon, lost_gammon, lost_backgammon = self._gnubg.probabilities(
            [list(own), list(other)], plies
        )
        won: float = 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon
        return -won  # that was the other side's


PEERS: dict[str, Callable[[], Chooser]] = {"gnubg": Gnu, "gnubg2": partial(Gnu, 2)}
