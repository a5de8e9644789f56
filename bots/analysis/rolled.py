"""Backgammon: what a play cost in equity, and what a roll brought, by the nets of bots/judge.py.

The play and the best one are looked at equally far, whatever the filter of the lookahead holds of
the first.  The luck of a roll is the equity after it with best play, less the average over all
rolls (D. Zare, "A Measure of Luck", 2000, bkgm.com/articles/Zare/AMeasureOfLuck.html): so where the
equities are true ones, a result is the luck of its rolls less the losses of its plays.
"""

from __future__ import annotations

from typing import ClassVar, Final

from bots.analysis.form import MOST, Option, Unit
from bots.analysis.match import Depth, Judged, LuckAnalyst
from bots.judge import Estimate, Judge, Rated
from games.game import Game, Ints, Position

PLIES: Final = 1  # rolls that are looked ahead for a play, if nobody says
LUCK_PLIES: Final = 0  # a roll is judged against 20 others, so it costs 21 times as much
BLUNDER: Final = 0.08  # points


class Rolled(LuckAnalyst):
    """Judges by equity, in points, without a cube."""

    PROGRAM: ClassVar[str] = "gammon"
    unit: Unit = "points"
    blunder = BLUNDER
    takes = ("plies", "luck_plies")

    def __init__(
        self,
        game: Game,
        *,
        plies: int = PLIES,
        luck_plies: int = LUCK_PLIES,
        judge: Judge | None = None,
    ) -> None:
        """Look so many `plies` ahead, 0 to 2, and `luck_plies` for luck.

        Raises:
            BadWeights: the nets that are shipped cannot be read.
        """
        self._judge = Judge() if judge is None else judge
        self._plies = plies
        self._luck_plies = luck_plies
        self.by = f"gammon, {plies} {'ply' if plies == 1 else 'plies'}"

    @classmethod
    def made(cls, game: Game, depth: Depth) -> Rolled:
        """One that looks so far."""
        plies = PLIES if depth.plies is None else depth.plies
        luck_plies = LUCK_PLIES if depth.luck_plies is None else depth.luck_plies
        return cls(game, plies=plies, luck_plies=luck_plies)

    def judge(self, position: Position, action: int, stop: Ints) -> Judged | None:
        """Look at all plays, and at the one that was played as far as at the best."""
        rated = self._judge.turns(position, self._plies, stop=stop, also=action)
        if stop[0]:
            return None
        played = next(one for one in rated if one.action == action)
        level = [one for one in rated if one.plies == played.plies]
        level.sort(key=lambda one: (-one.estimate.equity, one.action != action, one.action))
        loss = round(level[0].estimate.equity - played.estimate.equity, 4)
        listed = level[:MOST] if played in level[:MOST] else [*level[: MOST - 1], played]
        return Judged(
            loss=loss,
            error=None,
            doubtful=BLUNDER / 2 <= loss <= BLUNDER,
            blunder=loss > BLUNDER,
            best=tuple(_option(position, one) for one in listed),
        )

    def luck(self, position: Position, roll: int, stop: Ints) -> float | None:
        """What the roll brought, of all 21 that there are, or of the 30 first ones."""
        seat = position.apply(roll).to_move
        total, weights, brought = 0.0, 0, 0.0
        for each, weight in position.chance():
            after = position.apply(each)
            rated = self._judge.turns(after, self._luck_plies, stop=stop)
            if stop[0]:
                return None
            best = rated[0].estimate.equity
            equity = best if after.to_move == seat else -best
            total += weight * equity
            weights += weight
            if each == roll:
                brought = equity
        return round(brought - total / weights, 4) + 0.0


def _option(position: Position, rated: Rated) -> Option:
    """A play with its equity and its chances."""
    text = position.game.format_action(position, rated.action)
    return Option(text, round(rated.estimate.equity, 4), _chances(rated.estimate))


def _chances(estimate: Estimate) -> str:
    """Such as "wins 54.1 % (gammon 14.2 %), loses gammon 11.0 %"."""
    return (
        f"wins {100 * estimate.win:.1f} % (gammon {100 * estimate.gammon:.1f} %),"
        f" loses gammon {100 * estimate.lose_gammon:.1f} %"
    )
