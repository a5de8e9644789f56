"""What an analyst is: it judges the plays of a match, and where dice roll, the luck of the rolls.

An analysis has the fields of the wire (protocol/analysis.py), so that JSON and messages agree.
Values, losses and luck are in the analyst's `unit`:

    points  backgammon: the points that a game brings on average; without a cube, or with it, and
            then the cube is in them
    chance  a game of a match to points of backgammon: the chance to win the match, 0 to 1
    score   solved games: S minus the number of stones that the winner will have played, negative
            if the other side wins, 0 for a draw (see bots/engine/solvers.py)
    value   other games: from -1, lost, to 1, won by the most that a game can bring

A value is that of the side whose action it is, and has four decimals.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar

from bots.engine import compiled
from games.game import Game, Ints, Position
from protocol.analysis import AnalysedOption, CubeMistake, Unit


@dataclass(frozen=True, slots=True)
class Judgement:
    """An analyst's judgement on a play; the fields are those of AnalysedPlay."""

    loss: float | None
    error: float | None
    doubtful: bool
    blunder: bool
    best: list[AnalysedOption]
    normalised: float | None = None
    cube: bool = False
    shows: int = 1
    trivial: bool = False
    mistake: CubeMistake | None = None


@dataclass(frozen=True, slots=True)
class AnalysisDepth:
    """How far an analyst looks; None: as far as it does by default.

    plies       rolls to look ahead for a play, 0 to 2
    luck_plies  the same for the luck of a roll
    nodes       positions or simulations for a play, 1 or more
    """

    plies: int | None = None
    luck_plies: int | None = None
    nodes: int | None = None

    def given(self) -> dict[str, int]:
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


class BadDepth(ValueError):
    """A depth that the analyst of a game cannot look to; the sentence says what it can."""


DEFAULT_DEPTH = AnalysisDepth()


class Analyst(ABC):
    """Judges the plays of one match; a LuckAnalyst its rolls, too.

    GAMES      the games that it is for; empty: all
    PROGRAM    the bot whose compiled searches it uses, and whose name it has
    DEPTHS     the least and the greatest of each field of an AnalysisDepth that it takes
    EFFORTS    how far it looks at a position that it considers, by effort: in a moment, in about a
               second, in several
    BACKWARDS  it has less to do if it sees the last ply first
    RATES      its losses are in points, so that they make a performance rating
    by         who looks and how far, such as "gammon, 1 ply"
    blunder    a loss above this is a blunder; None: one that changes who wins is
    """

    GAMES: ClassVar[tuple[str, ...]] = ()
    PROGRAM: ClassVar[str]
    DEPTHS: ClassVar[dict[str, tuple[int, int]]]
    EFFORTS: ClassVar[tuple[AnalysisDepth, AnalysisDepth, AnalysisDepth]]
    BACKWARDS: ClassVar[bool] = False
    RATES: ClassVar[bool] = False
    by: str
    unit: Unit
    blunder: float | None

    @classmethod
    @abstractmethod
    def create(cls, game: Game, depth: AnalysisDepth) -> Analyst:
        """One for `game` that looks as far as `depth`, which is within DEPTHS."""

    def begin(self, first: Position) -> None:  # noqa: B027 - most matches of a game begin alike
        """Get ready for a match that begins there; asked before all else."""

    def stop_flag(self) -> Ints:
        """A stop flag that compiled code sees at once; it sees a list only between two searches."""
        return compiled.ints(1)

    @abstractmethod
    def judge(self, position: Position, action: int, stop: Ints) -> Judgement | None:
        """What playing `action` was worth, where there were two actions or more.

        None if `stop[0]` was set before there was an answer.
        """


class LuckAnalyst(Analyst):
    """An analyst that judges rolls, too."""

    @abstractmethod
    def luck(self, position: Position, roll: int, stop: Ints) -> float | None:
        """What `roll` brought to the side that rolled it, against the average; None as `judge`."""


class ResignationAnalyst(LuckAnalyst):
    """An analyst that judges what a seat resigns for, too: see resigning.py."""

    @abstractmethod
    def worth(self, position: Position, seat: int, stop: Ints) -> float | None:
        """What it is worth to `seat` to play on where somebody is to move; None as `judge`."""

    @abstractmethod
    def defeat(self, position: Position, seat: int, points: int) -> float:
        """What it is worth to `seat` to lose so many points there; negative: to win them."""

    @abstractmethod
    def marked(self, position: Position, loss: float, best: list[AnalysedOption]) -> Judgement:
        """A judgement on a decision that lost so much, with the marks for that."""
