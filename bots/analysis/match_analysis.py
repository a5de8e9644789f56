"""The analysis of a match: `analyse` puts plays, rolls and resignations before an analyst."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from msgspec.structs import replace

from bots.analysis.analyst import Analyst, LuckAnalyst, ResignationAnalyst
from bots.analysis.resigning import judge_resignations
from games.game import CHANCE, Ints, Position
from protocol.analysis import (
    AnalysedCube,
    AnalysedPlay,
    AnalysedResigning,
    AnalysedRoll,
    AnalysedTotal,
    MatchAnalysis,
    Resignation,
)
from protocol.parts import Seat

OnProgress: TypeAlias = Callable[[int, int], None]  # how many plies are done, and of how many


@dataclass(frozen=True, slots=True)
class PlayedAction:
    """One action of a match; `seat`: who played or rolled it."""

    ply: int
    position: Position
    action: int
    seat: Seat

    @property
    def is_roll(self) -> bool:
        return self.position.to_move == CHANCE

    @property
    def forced(self) -> bool:
        return len(self.position.legal_actions()) == 1

    @property
    def text(self) -> str:
        return self.position.game.format_action(self.position, self.action)


def analyse(
    first: Position,
    actions: Sequence[int],
    analyst: Analyst,
    on_progress: OnProgress | None = None,
    stop: Ints | None = None,
    given: int = 0,
    resignations: Sequence[Resignation] = (),
) -> MatchAnalysis:
    """Look at every play and roll of a match, and at who would give it up.

    Args:
        first: the position that the match began with.
        actions: all that remain, from the start, rolls and passes included.
        on_progress: is called after each play and roll.
        stop: the analyst's `flag()`; once `stop[0]` is set, the result is what was done by then.
        given: the number of first actions that a ladder set up, and no player chose.
        resignations: looked at first, by an analyst that judges them.

    Raises:
        IllegalAction: one of the actions is not legal.
    """
    flag: Ints = [0] if stop is None else stop
    every = _with_positions(first, actions)
    played = every[given:]
    analyst.begin(first)
    resigning: list[AnalysedPlay] = []
    if resignations and isinstance(analyst, ResignationAnalyst):
        last = every[-1].position.apply(every[-1].action) if every else first
        positions = [*(each.position for each in every), last]
        resigning = judge_resignations(analyst, positions, resignations, flag)
    judges_luck = isinstance(analyst, LuckAnalyst)
    todo = [each for each in played if (judges_luck if each.is_roll else not each.forced)]
    plays: list[AnalysedPlay] = []
    rolls: list[AnalysedRoll] = []
    for done, each in enumerate(reversed(todo) if analyst.BACKWARDS else todo, 1):
        if flag[0] or not _judge(analyst, each, flag, plays, rolls):
            break
        if on_progress is not None:
            on_progress(done, len(todo))
    plays.sort(key=lambda play: play.ply)
    rolls.sort(key=lambda roll: roll.ply)
    judged = {play.ply for play in plays} | {roll.ply for roll in rolls}
    forced = [each.seat for each in played if not each.is_roll and each.forced]
    return MatchAnalysis(
        game=first.game.name,
        by=analyst.by,
        unit=analyst.unit,
        blunder=analyst.blunder,
        plays=plays,
        rolls=rolls,
        totals=(
            _with_resigning(_total(0, plays, rolls, forced, analyst), 0, resigning),
            _with_resigning(_total(1, plays, rolls, forced, analyst), 1, resigning),
        ),
        left=[each.ply for each in todo if each.ply not in judged],
        resignations=resigning,
    )


def _judge(
    analyst: Analyst,
    played: PlayedAction,
    stop: Ints,
    plays: list[AnalysedPlay],
    rolls: list[AnalysedRoll],
) -> bool:
    """Judge one action and add the result; whether there was one."""
    ply, seat, text = played.ply, played.seat, played.text
    if played.is_roll and isinstance(analyst, LuckAnalyst):
        luck = analyst.luck(played.position, played.action, stop)
        if luck is not None:
            rolls.append(AnalysedRoll(ply=ply, seat=seat, roll=text, luck=luck))
        return luck is not None
    judgement = analyst.judge(played.position, played.action, stop)
    if judgement is None:
        return False
    plays.append(
        AnalysedPlay(
            ply=ply,
            seat=seat,
            action=text,
            loss=judgement.loss,
            error=judgement.error,
            doubtful=judgement.doubtful,
            blunder=judgement.blunder,
            best=judgement.best,
            normalised=judgement.normalised,
            cube=judgement.cube,
            shows=judgement.shows,
            trivial=judgement.trivial,
            mistake=judgement.mistake,
        )
    )
    return True


def _with_positions(first: Position, actions: Sequence[int]) -> list[PlayedAction]:
    """The actions with their positions; a roll belongs to the side that plays after it."""
    played = []
    position = first
    for ply, action in enumerate(actions):
        after = position.apply(action)
        mover = after.to_move if position.to_move == CHANCE else position.to_move
        seat: Seat = 1 if mover == 1 else 0  # of two rolls in a row the first is seat 0's
        played.append(PlayedAction(ply, position, action, seat))
        position = after
    return played


def _total(
    seat: int,
    plays: Iterable[AnalysedPlay],
    rolls: Iterable[AnalysedRoll],
    forced: Sequence[int],
    analyst: Analyst,
) -> AnalysedTotal:
    own = [play for play in plays if play.seat == seat]
    luck = _sum(roll.luck for roll in rolls if roll.seat == seat)
    rated = [play for play in own if not play.trivial] if analyst.RATES else []
    return AnalysedTotal(
        plays=len(own),
        forced=forced.count(seat),
        unknown=sum(play.loss is None for play in own),
        loss=_sum(play.loss or 0.0 for play in own),
        doubtful=sum(play.doubtful for play in own),
        blunders=sum(play.blunder for play in own),
        luck=luck if isinstance(analyst, LuckAnalyst) else None,
        rated=len(rated),
        normalised=_sum(map(normalised_loss, rated)) if analyst.RATES else None,
        cube=_cube([play for play in rated if play.cube]),
    )


def _with_resigning(
    total: AnalysedTotal, seat: int, resigning: Iterable[AnalysedPlay]
) -> AnalysedTotal:
    """The sums of a side with what it decided about resignations, if it did."""
    own = [play for play in resigning if play.seat == seat]
    if not own:
        return total
    sums = AnalysedResigning(
        decisions=len(own),
        loss=_sum(play.loss or 0.0 for play in own),
        doubtful=sum(play.doubtful for play in own),
        blunders=sum(play.blunder for play in own),
    )
    return replace(
        total,
        loss=_sum((total.loss, sums.loss)),
        doubtful=total.doubtful + sums.doubtful,
        blunders=total.blunders + sums.blunders,
        resigning=sums,
    )


def _cube(plays: Sequence[AnalysedPlay]) -> AnalysedCube | None:
    """The sums over decisions about the cube; None without any."""
    if not plays:
        return None
    return AnalysedCube(
        plays=len(plays),
        loss=_sum(play.loss or 0.0 for play in plays),
        normalised=_sum(map(normalised_loss, plays)),
        doubtful=sum(play.doubtful for play in plays),
        blunders=sum(play.blunder for play in plays),
    )


def normalised_loss(play: AnalysedPlay) -> float:
    """What a play counts for the rating; a loss that is not told normalised is so as it is."""
    return (play.loss or 0.0) if play.normalised is None else play.normalised


def _sum(values: Iterable[float]) -> float:
    """A sum of values that have four decimals."""
    return round(sum(values), 4) + 0.0


def read_actions(first: Position, texts: Iterable[str]) -> list[int]:
    """Actions in notation as numbers, from the first position on.

    Raises:
        NotationError, IllegalAction: with the one that does not fit.
    """
    actions = []
    position = first
    for text in texts:
        legal = position.legal_notation()
        if text in legal:
            action = position.legal_actions()[legal.index(text)]
        else:
            action = position.game.parse_action(position, text)
        position = position.apply(action)
        actions.append(action)
    return actions
