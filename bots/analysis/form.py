"""The form of an analysis: values that hold texts and numbers only, so that JSON and the wire have
the same fields.

Actions and rolls are in the game's notation.  A ply counts the actions before it from 0, rolls and
passes too.  Values, losses and luck are in the `unit` of the analysis:

    points  backgammon: points that a game brings on average, without a cube
    score   games that are solved: S minus the number of stones that the winner will have played,
            negative if that is the other side, 0 for a draw (bots/solve.py)
    value   other games: from -1, lost, to 1, won by the most that a game can bring

A value is that of the side whose action it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Unit: TypeAlias = Literal["points", "score", "value"]

MOST: int = 5  # actions that are listed of a play


@dataclass(frozen=True, slots=True)
class Option:
    """An action that there was.

    value  None where it is not known
    note   what else is to be said of it, such as chances of winning or "from -2 to +3"
    """

    action: str
    value: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Play:
    """A decision between two actions or more.

    loss      value of the best action minus that of the one that was played, 0 or more; None where
              it is not proven
    error     half the width of the loss's 95 % interval; None where nothing was sampled
    doubtful  the loss is worth a `?`: half a blunder or more, or a loss that costs no result
    blunder   ... a `??`; never doubtful too
    best      up to MOST actions, best first, and always the one that was played
    """

    ply: int
    seat: int
    action: str
    loss: float | None
    error: float | None
    doubtful: bool
    blunder: bool
    best: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Roll:
    """A roll of the dice.  luck: what it brought to `seat`, who rolled, against the average."""

    ply: int
    seat: int
    roll: str
    luck: float


@dataclass(frozen=True, slots=True)
class Total:
    """All of one side.

    plays     decisions that were looked at
    forced    plays with a single legal action
    unknown   decisions looked at whose loss is not proven
    loss      sum over the plays whose loss is known
    luck      sum; None in games where it is not measured
    """

    plays: int = 0
    forced: int = 0
    unknown: int = 0
    loss: float = 0.0
    doubtful: int = 0
    blunders: int = 0
    luck: float | None = None


@dataclass(frozen=True, slots=True)
class Analysis:
    """A match as an analyst sees it.

    by       who looked at it and how far, such as "gammon, 1 ply"
    blunder  a loss above this is a blunder; None: one that changes who wins is
    plays    by ply; forced ones are not listed
    rolls    by ply; empty in games where luck is not measured
    totals   by seat
    left     plies of decisions and rolls that were not looked at, as somebody stopped it
    """

    game: str
    by: str
    unit: Unit
    blunder: float | None
    plays: tuple[Play, ...]
    rolls: tuple[Roll, ...]
    totals: tuple[Total, Total]
    left: tuple[int, ...] = ()
