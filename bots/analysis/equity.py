"""Backgammon: what a play cost in equity, and what a roll brought, by the nets of
bots/backgammon/judge.py.

The play and the best one are looked at equally far, whatever the filter of the lookahead holds of
the first.  The luck of a roll is the equity after it with best play, less the average over all
rolls (D. Zare, "A Measure of Luck", 2000, bkgm.com/articles/Zare/AMeasureOfLuck.html): so where the
equities are true ones, a result is the luck of its rolls less the losses of its plays.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Final, Self

from bots.analysis.analyst import AnalysisDepth, Judgement, ResignationAnalyst
from bots.backgammon.judge import MAX_LOOKAHEAD, Estimate, Judge, Rated
from games.game import Game, Ints, Position
from protocol.analysis import MAX_OPTIONS, AnalysedOption, Unit

PLIES: Final = 1  # rolls to look ahead for a play, by default
LUCK_PLIES: Final = 0  # a roll is judged against 20 others, so it costs 21 times as much
BLUNDER: Final = 0.08  # points


class NetAnalyst(ResignationAnalyst):
    """What the analysts of backgammon share: nets, how far they look, and the luck of rolls."""

    PROGRAM: ClassVar[str] = "gammon"
    DEPTHS: ClassVar = {"plies": (0, MAX_LOOKAHEAD), "luck_plies": (0, MAX_LOOKAHEAD)}
    EFFORTS = (AnalysisDepth(plies=0), AnalysisDepth(plies=1), AnalysisDepth(plies=2))
    RATES = True
    unit: Unit = "points"
    blunder = BLUNDER

    def __init__(
        self, *, plies: int = PLIES, luck_plies: int = LUCK_PLIES, judge: Judge | None = None
    ) -> None:
        """Look `plies` ahead, 0 to 2, and `luck_plies` for luck.

        Raises:
            BadWeights: the nets that are shipped cannot be read.
        """
        self._judge = Judge() if judge is None else judge
        self._plies = plies
        self._luck_plies = luck_plies
        self.by = f"gammon, {plies_text(plies)}"

    @classmethod
    def create(cls, game: Game, depth: AnalysisDepth) -> Self:
        given = depth.given()
        return cls(plies=given.get("plies", PLIES), luck_plies=given.get("luck_plies", LUCK_PLIES))

    def luck(self, position: Position, roll: int, stop: Ints) -> float | None:
        """What the roll brought, of all 21 that there are, or of the 30 first ones."""
        seat = position.apply(roll).to_move
        total, weights, brought = 0.0, 0, 0.0
        for each, weight in position.chance():
            worth = self._worth_of_roll(position.apply(each), seat, stop)
            if worth is None:
                return None
            total += weight * worth
            weights += weight
            if each == roll:
                brought = worth
        return self._rounded(brought - total / weights) + 0.0

    @abstractmethod
    def _worth_of_roll(self, rolled: Position, seat: int, stop: Ints) -> float | None:
        """What the best play of a roll is worth to `seat`; None once stopped."""

    def _rounded(self, value: float) -> float:
        return round(value, 4)


class EquityAnalyst(NetAnalyst):
    """Judges by equity, in points, without a cube."""

    GAMES = ("backgammon",)

    def judge(self, position: Position, action: int, stop: Ints) -> Judgement | None:
        """Look at all plays, and at the one that was played as far as at the best."""
        turns = self._judge.turns(position, self._plies, stop=stop, also=action)
        if stop[0]:
            return None
        played = next(turn for turn in turns if turn.action == action)
        equals = [turn for turn in turns if turn.plies == played.plies]
        equals.sort(key=lambda turn: (-turn.estimate.equity, turn.action != action, turn.action))
        loss = round(equals[0].estimate.equity - played.estimate.equity, 4)
        options = equals[:MAX_OPTIONS]
        if played not in options:
            options[-1] = played
        return _judgement(loss, [_option(position, turn) for turn in options])

    def worth(self, position: Position, seat: int, stop: Ints) -> float | None:
        """What it is worth to play on, by the best turn."""
        turns = self._judge.turns(position, self._plies, stop=stop)
        if stop[0]:
            return None
        equity = turns[0].estimate.equity
        return round(equity if position.to_move == seat else -equity, 4)

    def defeat(self, position: Position, seat: int, points: int) -> float:
        return float(-points)

    def marked(self, position: Position, loss: float, best: list[AnalysedOption]) -> Judgement:
        """A judgement on a resignation, or on the answer to one."""
        return _judgement(round(loss, 4), best)

    def _worth_of_roll(self, rolled: Position, seat: int, stop: Ints) -> float | None:
        turns = self._judge.turns(rolled, self._luck_plies, stop=stop)
        if stop[0]:
            return None
        best = turns[0].estimate.equity
        return best if rolled.to_move == seat else -best


def plies_text(count: int) -> str:
    """A number of plies in words."""
    return "1 ply" if count == 1 else f"{count} plies"


def _judgement(loss: float, best: list[AnalysedOption]) -> Judgement:
    return Judgement(
        loss=loss,
        error=None,
        doubtful=BLUNDER / 2 <= loss <= BLUNDER,
        blunder=loss > BLUNDER,
        best=best,
    )


def _option(position: Position, rated: Rated) -> AnalysedOption:
    text = position.game.format_action(position, rated.action)
    return AnalysedOption(
        action=text, value=round(rated.estimate.equity, 4), note=format_chances(rated.estimate)
    )


def format_chances(estimate: Estimate) -> str:
    """The chances as text: "wins 54.1 % (gammon 14.2 %), loses gammon 11.0 %"."""
    return (
        f"wins {100 * estimate.win:.1f} % (gammon {100 * estimate.gammon:.1f} %),"
        f" loses gammon {100 * estimate.lose_gammon:.1f} %"
    )
