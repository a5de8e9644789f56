"""The messages about the analysis of a match that is over; docs/reference/analyses.md says
what each of them means.

A ply is the number of actions before it, rolls and passes included.  A value is that of the side
whose action it is; a loss is the value of the best action less that of the action played.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.messages import MAX_CLIENT_LIST, Push, Request
from protocol.parts import Seat, Short, Whole

MAX_FIGURE = 1_000_000  # of a value, a loss or luck, in whatever unit
MAX_OPTIONS = 5  # actions that are listed of a play

Figure = Annotated[float, Meta(ge=-MAX_FIGURE, le=MAX_FIGURE)]
Extent = Annotated[float, Meta(ge=0, le=MAX_FIGURE)]


class AnalysedOption(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """An action that could be played.  `value`: null where it is unknown."""

    action: Short
    value: Figure | None = None
    note: Short = ""


class AnalysedPlay(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A decision between two actions or more.

    `loss` is null where it is not proven, `error` the ± of a loss that was sampled, 95 %.  `best`,
    best first, holds the action that was played, or is empty.
    """

    ply: Whole
    seat: Seat
    action: Short
    loss: Extent | None = None
    error: Extent | None = None
    doubtful: bool = False
    blunder: bool = False
    best: Annotated[list[AnalysedOption], Meta(max_length=MAX_OPTIONS)] = []


class AnalysedRoll(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A roll of the dice.  `luck`: its value for the side that rolled, less the average."""

    ply: Whole
    seat: Seat
    roll: Short
    luck: Figure


class AnalysedTotal(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The sums of one side, with what a message leaves out."""

    plays: Whole = 0
    forced: Whole = 0
    unknown: Whole = 0
    loss: Extent = 0.0
    doubtful: Whole = 0
    blunders: Whole = 0
    luck: Figure | None = None


class MatchAnalysis(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A match as an analyst sees it.

    `blunder`: a loss above this is one; null: a loss that changes who wins is.  `left`: plies that
    nobody had time to look at; `partial`: part of it was left out to fit into a message.
    """

    game: Short
    by: Short
    unit: Literal["points", "score", "value"]
    totals: tuple[AnalysedTotal, AnalysedTotal]
    blunder: Extent | None = None
    plays: Annotated[list[AnalysedPlay], Meta(max_length=MAX_CLIENT_LIST)] = []
    rolls: Annotated[list[AnalysedRoll], Meta(max_length=MAX_CLIENT_LIST)] = []
    left: Annotated[list[Whole], Meta(max_length=MAX_CLIENT_LIST)] = []
    partial: bool = False


class Analyse(Request, frozen=True, tag="analyse"):
    """Have a bot go through a match that is over, or hear again what one has found.

    `code`: of a private room, as in `history`; `anew`: in any case by a bot, and now.
    """

    match: Short
    code: Short | None = None
    anew: bool = False


class ReportAnalysis(Request, frozen=True, tag="report_analysis"):
    """A bot's answer to `analysis_wanted`; without `analysis` it declines, and `error` says why."""

    ask: Whole
    analysis: MatchAnalysis | None = None
    error: Short | None = None


class DelayAnalysis(Request, frozen=True, tag="delay_analysis"):
    """A bot's word that its answer to `analysis_wanted` begins only in about `wait_ms`."""

    ask: Whole
    wait_ms: Whole


class AnalysisWanted(Push, frozen=True, tag="analysis_wanted"):
    """To a bot: go through this match.  `given`: so many first actions were nobody's decision."""

    ask: Whole
    game: str
    actions: tuple[str, ...]
    expires_ms: Whole
    given: Whole = 0


class AnalysisUnwanted(Push, frozen=True, tag="analysis_unwanted"):
    """To that bot: nobody waits for it any longer."""

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


ANALYSIS_PARTS: tuple[type[Struct], ...] = (
    MatchAnalysis, AnalysedPlay, AnalysedOption, AnalysedRoll, AnalysedTotal,
)  # fmt: skip
ANALYSIS_REQUESTS: tuple[type[Request], ...] = (Analyse, ReportAnalysis, DelayAnalysis)
ANALYSIS_REPLIES: tuple[type[Push], ...] = (
    AnalysisWanted, AnalysisUnwanted, AnalysisWaits, Analysed,
)  # fmt: skip
