"""The messages about the analysis of a match that is over, and about positions of no match, as on
an analysis board; docs/reference/analyses.md says what each of them means.

A ply is the number of actions before it, rolls and passes included.  A value is that of the side
whose action it is; a loss is the value of the best action less that of the action played.  Where
games count differently much, as with the doubling cube, a loss is also told normalised: in points
with the cube as it stands counted as 1, at a score as in games of money.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from protocol.errors import Code
from protocol.messages import MAX_CLIENT_LIST, Push, Request
from protocol.parts import Options, Seat, Series, Short, Text, Whole
from protocol.request import of_module

MAX_FIGURE = 1_000_000  # of a value, a loss or luck, in whatever unit
MAX_OPTIONS = 5  # actions that are listed of a play
MAX_RESIGNATIONS = 64  # of one match that are looked at
MAX_EFFORT = 2  # of a bot that considers a position
RATING_FACTOR = 500  # by which a mean normalised loss becomes a performance rating

Figure = Annotated[float, Meta(ge=-MAX_FIGURE, le=MAX_FIGURE)]
Extent = Annotated[float, Meta(ge=0, le=MAX_FIGURE)]
Effort = Annotated[int, Meta(ge=0, le=MAX_EFFORT)]
# `points`, `score` and `value`: see docs/reference/analyses.md.  `chance`: to win the match.
Unit = Literal["points", "score", "value", "chance"]
# What was wrong about the cube: not doubled; doubled too early, or where to play on for a gammon
# was better; taken; dropped; turned at once; not turned at once.
CubeMistake = Literal[
    "missed_double", "early_double", "too_good", "wrong_take", "wrong_drop", "wrong_beaver",
    "missed_beaver",
]  # fmt: skip


class AnalysedOption(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An action that could be played.  `value`: null where it is unknown; `equity`: the same as in
    a game of money with the cube as 1, where `value` is a chance to win a match.
    """

    action: Short
    value: Figure | None = None
    note: Short = ""
    equity: Figure | None = None


class AnalysedPlay(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A decision between two actions or more.

    `loss` is null where it is not proven, `error` the ± of a loss that was sampled, 95 %.  `best`,
    best first, holds the action that was played, or is empty.  `normalised`: the loss, where its
    unit is another one.  `cube`: it is about the cube; `shows`: what that showed before it;
    `trivial`: no player would think about it, so it does not count for the rating.
    """

    ply: Whole
    seat: Seat
    action: Short
    loss: Extent | None = None
    error: Extent | None = None
    doubtful: bool = False
    blunder: bool = False
    best: Annotated[list[AnalysedOption], Meta(max_length=MAX_OPTIONS)] = []
    normalised: Extent | None = None
    cube: bool = False
    shows: Whole = 1
    trivial: bool = False
    mistake: CubeMistake | None = None


class Resignation(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`seat` would lose so many points in the position after `ply` actions.

    `accepted`: what the other side said; null: it was not asked, as that was the full price.
    """

    ply: Whole
    seat: Seat
    points: Whole
    accepted: bool | None = None


class AnalysedRoll(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A roll of the dice.  `luck`: its value for the side that rolled, less the average."""

    ply: Whole
    seat: Seat
    roll: Short
    luck: Figure


class AnalysedCube(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The sums of one side over its decisions about the cube, without trivial ones."""

    plays: Whole = 0
    loss: Extent = 0.0
    normalised: Extent = 0.0
    doubtful: Whole = 0
    blunders: Whole = 0


class AnalysedResigning(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The sums of one side over its resignations and its answers to those of the other side."""

    decisions: Whole = 0
    loss: Extent = 0.0
    doubtful: Whole = 0
    blunders: Whole = 0


class AnalysedTotal(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The sums of one side, with what a message leaves out.

    `rated`: how many plays count for the performance rating, and `normalised` the sum of what they
    lost, null where there is no such rating; `cube`: those about the cube, which are among all.
    `resigning`: resignations and answers to them, which are in `loss`, `doubtful` and `blunders`
    and no plays.
    """

    plays: Whole = 0
    forced: Whole = 0
    unknown: Whole = 0
    loss: Extent = 0.0
    doubtful: Whole = 0
    blunders: Whole = 0
    luck: Figure | None = None
    rated: Whole = 0
    normalised: Extent | None = None
    cube: AnalysedCube | None = None
    resigning: AnalysedResigning | None = None


class MatchAnalysis(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A match as an analyst sees it.

    `blunder`: a loss above this is one, normalised where it is; null: a loss that changes who wins
    is.  `left`: plies for which the time did not suffice; `partial`: part of it was left out to fit
    into a message.  `series`: of which the match is a game, as it stood before this one.
    `resignations`: what it was to resign, and to answer that; see `resigning_decisions`.
    """

    game: Short
    by: Short
    unit: Unit
    totals: tuple[AnalysedTotal, AnalysedTotal]
    blunder: Extent | None = None
    plays: Annotated[list[AnalysedPlay], Meta(max_length=MAX_CLIENT_LIST)] = []
    rolls: Annotated[list[AnalysedRoll], Meta(max_length=MAX_CLIENT_LIST)] = []
    left: Annotated[list[Whole], Meta(max_length=MAX_CLIENT_LIST)] = []
    partial: bool = False
    series: Series | None = None
    resignations: Annotated[list[AnalysedPlay], Meta(max_length=2 * MAX_RESIGNATIONS)] = []


class Consideration(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a bot says of a position.  `options`: the best actions, best first; `effort`: how long
    it has looked; `final`: more of it would change nothing.
    """

    by: Short
    unit: Unit
    options: Annotated[list[AnalysedOption], Meta(max_length=MAX_OPTIONS)]
    effort: Effort = 0
    final: bool = False


class Analyse(Request, frozen=True, tag="analyse"):
    """Have a bot go through a match that is over, or hear again what one has found.

    `code`: of a private room, as in `history`; `anew`: in any case by a bot, and now.
    """

    price = 2_000  # a bot goes through a match; to read it costs more
    answer = "analysis"
    refusals = (Code.LOBBY_NO_ROOM, Code.ROOM_PURGED, Code.ROOM_WRONG_CODE, Code.ANALYSIS_BUSY,
                Code.ANALYSIS_NO_BOT, Code.ANALYSIS_NOT_OVER)  # fmt: skip
    match: Short
    code: Short | None = None
    anew: bool = False


class CourseAction(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An action of a match of no room.  `seat`: -1 where no player decided, as of a roll."""

    kind: Literal["play", "pass", "roll", "opening"] = "play"
    seat: Annotated[int, Meta(ge=-1, le=1)]
    action: Short


class AnalyseOwn(Request, frozen=True, tag="analyse_own"):
    """Have a bot go through a match of no room, such as one that was read from a file.

    `name`: what the answer calls it; `options`, `series`, `resignations`: as in `analysis_wanted`.
    """

    price = 4_000  # up to 64 KiB are decoded, and a bot goes through a match
    answer = "analysis"
    refusals = (Code.LOBBY_UNKNOWN_GAME, Code.MATCH_NOT_ALLOWED, Code.ANALYSIS_BUSY,
                Code.ANALYSIS_NO_BOT)  # fmt: skip
    game: Short
    actions: Annotated[tuple[CourseAction, ...], Meta(max_length=MAX_CLIENT_LIST)]
    name: Short = ""
    options: Options = Options()
    series: Series | None = None
    resignations: Annotated[tuple[Resignation, ...], Meta(max_length=MAX_RESIGNATIONS)] = ()


class ReportAnalysis(Request, frozen=True, tag="report_analysis"):
    """A bot's answer to `analysis_wanted`; without `analysis` it declines, and `error` says why."""

    price = 2_000  # up to 64 KiB are checked
    refusals = (Code.MATCH_NO_OFFER, Code.ANALYSIS_BAD_REPORT)
    ask: Whole
    analysis: MatchAnalysis | None = None
    error: Short | None = None


class DelayAnalysis(Request, frozen=True, tag="delay_analysis"):
    """A bot's word that its answer to `analysis_wanted` begins only in about `wait_ms`."""

    price = 200  # two short messages
    refusals = (Code.MATCH_NO_OFFER,)
    ask: Whole
    wait_ms: Whole


class Try(Request, frozen=True, tag="try"):
    """Play an action in a position that is of no match, or just have the position looked at.

    `position`: as people write it; none: the first one.  `game`: none: the one that the position
    is of.  `draw`: as lines of text, too.
    """

    price = 2_000  # by the rules in plain Python; a play of a double can be one of thousands
    answer = "tried"
    repeatable = True
    refusals = (Code.LOBBY_UNKNOWN_GAME, Code.MATCH_BAD_NOTATION, Code.MATCH_ILLEGAL_ACTION,
                Code.MATCH_NO_DRAWING, Code.MATCH_OVER)  # fmt: skip
    game: Short | None = None
    position: Text | None = None
    action: Text | None = None
    draw: bool = False


class Consider(Request, frozen=True, tag="consider"):
    """Have a bot say which actions are best in a position of no match.

    One that was asked earlier and is not answered yet gives way.
    """

    price = 3_000  # a bot thinks about it
    answer = "considered"
    refusals = (Code.LOBBY_UNKNOWN_GAME, Code.MATCH_BAD_NOTATION, Code.MATCH_NO_DRAWING,
                Code.MATCH_NOT_ALLOWED, Code.MATCH_OVER, Code.MATCH_STALE_TURN, Code.ANALYSIS_BUSY,
                Code.ANALYSIS_NO_BOT)  # fmt: skip
    game: Short
    position: Text
    effort: Effort = 0


class ReportConsidered(Request, frozen=True, tag="report_considered"):
    """A bot's answer to `consider_wanted`; without `consideration` it has none, and `error` says
    why.
    """

    price = 300
    refusals = (Code.MATCH_NO_OFFER, Code.ANALYSIS_BAD_REPORT)
    ask: Whole
    consideration: Consideration | None = None
    error: Short | None = None


class AnalysisWanted(Push, frozen=True, tag="analysis_wanted"):
    """To a bot: go through this match.  `given`: so many first actions were no player's decision.

    `options`, as far as the rules know them, and `series`, as it stood before this game of it, say
    how it began; `resignations`, in order: at most the last 64.
    """

    ask: Whole
    game: str
    actions: tuple[str, ...]
    expires_ms: Whole
    given: Whole = 0
    options: Options = Options()
    series: Series | None = None
    resignations: tuple[Resignation, ...] = ()


class AnalysisUnwanted(Push, frozen=True, tag="analysis_unwanted"):
    """To that bot: no client waits for it any longer."""

    ask: Whole


class AnalysisWaits(Push, frozen=True, tag="analysis_waits"):
    """To who waits for an analysis: it begins in about `wait_ms`, and comes by itself."""

    match: str
    bot: str
    wait_ms: Whole


class Analysed(Push, frozen=True, tag="analysis"):
    """The answer to `analyse`.  `bot`: who made it."""

    match: str
    bot: str
    analysis: MatchAnalysis


class Tried(Push, frozen=True, tag="tried"):
    """The answer to `try`.  `legal`: what can be played, or rolled, there; `winner` and `reason`:
    how it ended, where it is over.
    """

    game: str
    position: str
    to_move: Annotated[int, Meta(ge=-2, le=1)]
    legal: tuple[str, ...] = ()
    winner: Seat | None = None
    reason: str = ""
    lines: tuple[str, ...] = ()


class Considered(Push, frozen=True, tag="considered"):
    """The answer to `consider`.  `bot`: who has looked at it."""

    game: str
    position: str
    bot: str
    consideration: Consideration


class ConsiderWanted(Push, frozen=True, tag="consider_wanted"):
    """To a bot: which actions are best there?"""

    ask: Whole
    game: str
    position: str
    expires_ms: Whole
    effort: Effort = 0


class ConsiderUnwanted(Push, frozen=True, tag="consider_unwanted"):
    """To that bot: no client waits for it any longer."""

    ask: Whole


class ResigningDecision(NamedTuple):
    """A decision to resign, or one about the other side's offer to; `action` says which."""

    ply: int
    seat: Seat
    action: str


def resigning_decisions(resignation: Resignation) -> tuple[ResigningDecision, ...]:
    """Return what was decided about a resignation, in the words of an analysis.

    `resign 2` is to offer the loss of 2 points, or to give up for as many; `accept 2` and
    `refuse 2` are the other side's answers.
    """
    ply, seat, points = resignation.ply, resignation.seat, resignation.points
    offer = ResigningDecision(ply, seat, f"resign {points}")
    if resignation.accepted is None:
        return (offer,)
    other: Seat = 0 if seat else 1
    verb = "accept" if resignation.accepted else "refuse"
    return (offer, ResigningDecision(ply, other, f"{verb} {points}"))


def performance_rating(total: AnalysedTotal | AnalysedCube) -> float | None:
    """Return 500 times the mean normalised loss of the decisions that count; None: there is none.

    A perfect player has 0.
    """
    plays = total.rated if isinstance(total, AnalysedTotal) else total.plays
    if total.normalised is None or plays == 0:
        return None
    return RATING_FACTOR * total.normalised / plays


ANALYSIS_PARTS: tuple[type[Struct], ...] = (
    MatchAnalysis, AnalysedPlay, AnalysedOption, AnalysedRoll, AnalysedTotal, AnalysedCube,
    AnalysedResigning, Resignation, CourseAction, Consideration,
)  # fmt: skip
ANALYSIS_REQUESTS = of_module(Request, __name__)
ANALYSIS_REPLIES = of_module(Push, __name__)
