"""A bot's analysis of a match that is over, or of one position, checked against what it is about
before others read it.

Nothing here judges whether the analysis is good.  It must speak of plays that happened, or could
happen, its numbers must fit each other, and its words must be clean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from msgspec import Struct
from msgspec.structs import replace

from protocol import analysis as wire
from protocol.errors import Code, Refusal
from protocol.parts import Event, Series
from server.core.names.text import clean


class Course(Struct, frozen=True):
    """A match that is over: its actions by ply, dice and passes included.

    `given`: how many of the first actions a ladder set, so that no player decided them; `series`:
    of which it is a game, as it stood before this one; `resignations`: that a bot is told of;
    `placed`: it began in a position of the players' choice, which may be of a match to points;
    `own`: it is of no room, and for who asks alone.
    """

    match: str
    game: str
    events: tuple[Event, ...]
    given: int = 0
    series: Series | None = None
    resignations: tuple[wire.Resignation, ...] = ()
    placed: bool = False
    own: bool = False


def course(
    match: str, game: str, events: Sequence[Event], series: Series | None = None,
    resignations: Sequence[wire.Resignation] = (),
) -> Course:  # fmt: skip
    """Return the match that these actions, by ply, make."""
    opened = [ply for ply, event in enumerate(events, 1) if event.kind == "opening"]
    last = tuple(resignations[-wire.MAX_RESIGNATIONS :])
    return Course(match, game, tuple(events), max(opened, default=0), series, last)


def check(analysis: wire.MatchAnalysis, of: Course) -> wire.MatchAnalysis:
    """Return the analysis as others may read it.

    Raises:
        Refusal: analysis/bad-report, with the first thing that does not fit the match.
    """
    if analysis.game != of.game:
        _bad("game", f"this is a match of {of.game}")
    if analysis.series != of.series:
        _bad("series", "it is not the one that `analysis_wanted` has")
    if analysis.unit == "chance" and of.series is None and not of.placed:
        _bad("unit", "`chance` is for games of a series")
    by = clean(analysis.by)
    if not by:
        _bad("by", "it says nothing")
    _check_order("plays", [play.ply for play in analysis.plays])
    _check_order("rolls", [roll.ply for roll in analysis.rolls])
    _check_order("left", analysis.left)
    seen = {play.ply for play in analysis.plays} | {roll.ply for roll in analysis.rolls}
    for i, ply in enumerate(analysis.left):
        if ply in seen or not of.given <= ply < len(of.events):
            _bad(f"left[{i}]", f"ply {ply} is analysed above, or not a ply of this match")
    plays = [_play(f"plays[{i}]", play, of) for i, play in enumerate(analysis.plays)]
    resignations = _resignations(analysis.resignations, of)
    for i, roll in enumerate(analysis.rolls):
        _check_roll(f"rolls[{i}]", roll, of)
    for seat, total in enumerate(analysis.totals):
        own = [play for play in plays if play.seat == seat]
        resigning = [play for play in resignations if play.seat == seat]
        _check_total(f"totals[{seat}]", total, own, resigning, of)
    return replace(analysis, by=by, plays=plays, resignations=resignations)


def check_consideration(
    consideration: wire.Consideration, legal: Sequence[str]
) -> wire.Consideration:
    """Return what a bot says of a position where this is legal, as others may read it.

    Raises:
        Refusal: analysis/bad-report, with the first thing that does not fit the position.
    """
    by = clean(consideration.by)
    if not by:
        _bad("by", "it says nothing")
    options = consideration.options
    if not options:
        _bad("options", "there is none")
    for i, option in enumerate(options):
        if option.action not in legal:
            _bad(f"options[{i}]", f"{option.action!r} is not legal there")
    if len({option.action for option in options}) != len(options):
        _bad("options", "an action is there twice")
    options = [replace(option, note=clean(option.note)) for option in options]
    return replace(consideration, by=by, options=options)


def _resignations(resignations: Sequence[wire.AnalysedPlay], of: Course) -> list[wire.AnalysedPlay]:
    """Return what is said of resignations, of which a bot may leave some out."""
    there = iter([each for one in of.resignations for each in wire.resigning_decisions(one)])
    for i, play in enumerate(resignations):
        decision = wire.ResigningDecision(play.ply, play.seat, play.action)
        if decision not in there:  # behind the one before
            where = f"resignations[{i}]"
            _bad(where, f"seat {play.seat} did not {play.action!r} then, or that comes earlier")
    return [_marked(f"resignations[{i}]", play) for i, play in enumerate(resignations)]


def _check_order(where: str, plies: Sequence[int]) -> None:
    for i in range(1, len(plies)):
        if plies[i] <= plies[i - 1]:
            _bad(f"{where}[{i}]", "plies ascend")


def _event(where: str, ply: int, kind: str, of: Course) -> Event:
    """Return the event of a ply that is to be of this kind."""
    if not of.given <= ply < len(of.events) or of.events[ply].kind != kind:
        _bad(where, f"ply {ply} is no {kind} of this match")
    return of.events[ply]


def _play(where: str, play: wire.AnalysedPlay, of: Course) -> wire.AnalysedPlay:
    event = _event(where, play.ply, "play", of)
    if (play.seat, play.action) != (event.seat, event.action):
        _bad(where, f"at ply {play.ply} seat {event.seat} played {event.action}")
    return _marked(where, play)


def _marked(where: str, play: wire.AnalysedPlay) -> wire.AnalysedPlay:
    """Return a decision with clean words, whose marks and options fit each other."""
    if play.blunder and play.doubtful:
        _bad(where, "a blunder is not doubtful as well")
    if play.mistake is not None and not play.cube:
        _bad(where, "`mistake` is about the cube, and this play is not")
    best = [_option(where, option) for option in play.best]
    names = [option.action for option in best]
    if len(names) != len(set(names)):
        _bad(where, "`best` has an action twice")
    if names and play.action not in names:
        _bad(where, "`best` lacks the action that was played")
    return replace(play, best=best)


def _option(where: str, option: wire.AnalysedOption) -> wire.AnalysedOption:
    action = clean(option.action)
    if not action or action != option.action:
        _bad(where, "`best` has what cannot be an action")
    return replace(option, note=clean(option.note))


def _check_roll(where: str, roll: wire.AnalysedRoll, of: Course) -> None:
    event = _event(where, roll.ply, "roll", of)
    if roll.roll != event.action:
        _bad(where, f"at ply {roll.ply} the dice were {event.action}")
    player = _who_plays(of.events[roll.ply + 1 :])
    if player is not None and roll.seat != player:
        _bad(where, f"at ply {roll.ply} seat {player} rolled")


def _who_plays(after: Sequence[Event]) -> int | None:
    """Return whose roll it was, by what came after it; None if that is no play of anybody's."""
    return after[0].seat if after and after[0].kind in ("play", "pass") else None


def _check_total(
    where: str, total: wire.AnalysedTotal, plays: Sequence[wire.AnalysedPlay],
    resigning: Sequence[wire.AnalysedPlay], of: Course,
) -> None:  # fmt: skip
    """Compare a total with what is listed; it may be more, as it counts what was left out."""
    least = {
        "plays": len(plays),
        "unknown": sum(play.loss is None for play in plays),
        "doubtful": sum(play.doubtful for play in [*plays, *resigning]),
        "blunders": sum(play.blunder for play in [*plays, *resigning]),
    }
    for name, count in least.items():
        if getattr(total, name) < count:
            _bad(where, f"`{name}` is less than what is listed")
    if total.plays + total.forced > len(of.events) - of.given:
        _bad(where, "the match had fewer plays")
    resigned = total.resigning or wire.AnalysedResigning()
    if resigned.decisions < len(resigning) or resigned.decisions > 2 * len(of.resignations):
        _bad(where, "`resigning` counts other decisions than those that there were")
    marked = total.doubtful + total.blunders - resigned.decisions
    if max(total.unknown, total.rated, marked) > total.plays:
        _bad(where, "there are more of some plays than plays in all")
    if resigned.doubtful + resigned.blunders > resigned.decisions:
        _bad(where, "`resigning` has more marks than decisions")
    if total.cube is not None:
        _check_cube(f"{where}.cube", total.cube, total)


def _check_cube(where: str, cube: wire.AnalysedCube, total: wire.AnalysedTotal) -> None:
    """Compare the sums about the cube with those of all plays, which they are part of."""
    for name, count in (
        ("plays", total.rated),
        ("doubtful", total.doubtful),
        ("blunders", total.blunders),
    ):
        if getattr(cube, name) > count:
            _bad(where, f"`{name}` is more than of all plays")


def _bad(where: str, why: str) -> NoReturn:
    raise Refusal(Code.ANALYSIS_BAD_REPORT, f"{where}: {why}")
