"""A position of no match, as on an analysis board: what is best there, by its game's analyst."""

from __future__ import annotations

from bots.analysis import analysts
from bots.analysis.analyst import Analyst, BadDepth
from bots.engine import compiled
from games.game import Ints, Position
from protocol.analysis import MAX_EFFORT, MAX_OPTIONS, AnalysedOption, Consideration


class NotConsidered(BadDepth):
    """A position that there is nothing to say about; the sentence says why."""


def consider(position: Position, effort: int, stop: Ints) -> Consideration | None:
    """The best actions, best first, as far as `effort`, 0 to 2, lets one see; None: stopped.

    An analyst that looks deep has looked at few of them so; those which it liked at less effort are
    then asked about one by one.

    Raises:
        BadDepth: nobody here looks at positions of this game; NotConsidered: no seat is to move.
    """
    legal = position.legal_notation()
    if position.to_move < 0:
        raise NotConsidered("no side is to move there")
    analyst = _analyst(position, effort)
    liked = _liked(analyst, position, stop)
    options = {option.action: option for option in liked}
    fewer = len(liked) < min(MAX_OPTIONS, len(legal))
    wanted = _liked(_analyst(position, effort - 1), position, stop) if effort and fewer else []
    for action in [option.action for option in wanted if option.action not in options]:
        judgement = analyst.judge(position, position.read(action), stop)
        if judgement is not None:
            options[action] = next(each for each in judgement.best if each.action == action)
    if stop[0]:
        return None
    solved = analyst.unit == "score"  # and ranked by what is proven, with bounds in place of values
    ranked = liked if solved else sorted(options.values(), key=lambda each: -(each.value or 0.0))
    proven = solved and all(each.value is not None for each in ranked)
    return Consideration(
        by=analyst.by,
        unit=analyst.unit,
        options=ranked[:MAX_OPTIONS],
        effort=effort,
        final=proven or effort == MAX_EFFORT,
    )


def _analyst(position: Position, effort: int) -> Analyst:
    game = position.game
    efforts = analysts.analyst_class(game).EFFORTS
    least = not compiled.available()  # in plain Python the rest would take minutes
    analyst = analysts.make_analyst(game, efforts[0 if least else effort])
    analyst.begin(position)
    return analyst


def _liked(analyst: Analyst, position: Position, stop: Ints) -> list[AnalysedOption]:
    """What it lists when it is asked about the first action, without that where it lists it only
    as it was asked about.
    """
    first = position.legal_actions()[0]
    judgement = analyst.judge(position, first, stop)
    options = [] if judgement is None else judgement.best
    if len(options) < len(position.legal_actions()):
        asked = position.game.format_action(position, first)
        return options[:-1] if len(options) > 1 and options[-1].action == asked else options
    return options
