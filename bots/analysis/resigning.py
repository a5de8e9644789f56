"""What it cost to resign, and to answer an offer to.

Who resigns gives up what playing on is worth above that defeat.  An offer that the other side does
better to refuse costs nothing, as no one has to accept it; a side that accepts it all the same
loses what was there beyond it, and one that refuses what is more than playing on brings loses that.
"""

from __future__ import annotations

from collections.abc import Sequence

from bots.analysis.analyst import ResignationAnalyst
from games.game import CHANCE, Ints, Position
from protocol.analysis import AnalysedOption, AnalysedPlay, Resignation, resigning_decisions
from protocol.parts import Seat

PLAY_ON = "play on"


def judge_resignations(
    analyst: ResignationAnalyst,
    positions: Sequence[Position],
    resignations: Sequence[Resignation],
    stop: Ints,
) -> list[AnalysedPlay]:
    """Judge what was decided about resignations, until `stop[0]` is set.

    Args:
        positions: of the match, by ply.
    """
    plays: list[AnalysedPlay] = []
    for resignation in resignations:
        position = positions[resignation.ply]
        worth = _worth(analyst, position, resignation.seat, stop)
        if worth is None:
            break
        plays += _judge(analyst, position, resignation, worth)
    return plays


def _worth(analyst: ResignationAnalyst, position: Position, seat: int, stop: Ints) -> float | None:
    """Return what it is worth to `seat` to play on; None once stopped."""
    if position.to_move != CHANCE:
        return analyst.worth(position, seat, stop)
    total, weights = 0.0, 0
    for roll, weight in position.chance():
        worth = analyst.worth(position.apply(roll), seat, stop)
        if worth is None:
            return None
        total, weights = total + weight * worth, weights + weight
    return total / weights


def _judge(
    analyst: ResignationAnalyst, position: Position, resignation: Resignation, worth: float
) -> list[AnalysedPlay]:
    """Judge a resignation, and the answer to it.  `worth`: of playing on, to who resigns."""
    seat, points = resignation.seat, resignation.points
    other: Seat = 0 if seat else 1
    defeat = analyst.defeat(position, seat, points)
    is_offer = resignation.accepted is not None
    offered = min(defeat, worth) if is_offer else defeat
    values = {f"resign {points}": offered, PLAY_ON: worth}
    answers = {
        f"accept {points}": analyst.defeat(position, other, -points),
        f"refuse {points}": 1 - worth if analyst.unit == "chance" else -worth,
    }
    choices = (values, answers)
    return [
        _play(analyst, position, each, choices[n])
        for n, each in enumerate(resigning_decisions(resignation))
    ]


def _play(
    analyst: ResignationAnalyst,
    position: Position,
    decision: tuple[int, Seat, str],
    values: dict[str, float],
) -> AnalysedPlay:
    ply, seat, action = decision
    values = {name: round(value, 6) + 0.0 for name, value in values.items()}
    order = sorted(values, key=lambda name: (-values[name], name != action))
    best = [AnalysedOption(action=name, value=values[name]) for name in order]
    judgement = analyst.marked(position, values[order[0]] - values[action], best)
    return AnalysedPlay(
        ply=ply,
        seat=seat,
        action=action,
        loss=judgement.loss,
        doubtful=judgement.doubtful,
        blunder=judgement.blunder,
        best=judgement.best,
        normalised=judgement.normalised,
        shows=judgement.shows,
    )
