"""Analyses finished matches and positions for others: what a server asks by `analysis_wanted` and
`consider_wanted`.

    reviewer = Reviewer(entry)
    analysis, error = await reviewer.review(wanted, delay)
    reviewer.drop(wanted.ask)           # no client waits for it any more
    consideration, error = await reviewer.consider(wanted)

One match at a time, and beside it one position, on threads of their own: no match that is on waits
for them, and no board for a match.  Code that is not
compiled yet is compiled first, in a process of its own; the client is told by `delay`.  An
analysis is cut to what one frame holds (`fit_frame`), as docs/reference/analyses.md says.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from bots import registry
from bots.analysis import analysts
from bots.analysis.analyst import BadDepth
from bots.analysis.consider import consider
from bots.analysis.match_analysis import analyse, read_actions
from bots.analysis.sampling import SamplingAnalyst
from bots.engine import compiled
from bots.online import readiness
from bots.online.entry import Entry
from bots.online.guard import contained
from games import registry as games
from games.game import BrokenRules, IllegalAction, Ints, NotationError, UnplayableTerms
from protocol import codec
from protocol.analysis import (
    AnalysedPlay,
    AnalysisWanted,
    Consideration,
    ConsiderWanted,
    MatchAnalysis,
    ReportAnalysis,
)
from protocol.messages import MAX_CLIENT_FRAME
from protocol.parts import MAX_INT, BotInfo
from protocol.records.terms import first_position

USED_TIME: Final = 0.9  # of what there is; then the bot reports what it has
# What compiling one bot for one game takes: 15 to 40 s, and more where others use the machine.
COMPILING_MS: Final = 40_000
MAX_COMPILING_S: Final = 280.0  # less than a server waits
TEXT_LENGTH: Final = 256  # what a frame's schema allows
MAX_LISTED: Final = 1_000  # plays, rolls, or plies that were not analysed
PLAY_LIMITS: Final = (400, 200, 100, 50, 25, 12)
# What a match raises that cannot be followed here.
UNREADABLE: Final = (
    games.UnknownGame, NotationError, IllegalAction, BrokenRules, UnplayableTerms,
)  # fmt: skip

Review: TypeAlias = tuple[MatchAnalysis | None, str | None]  # the analysis, or why there is none
Delay: TypeAlias = Callable[[int], Awaitable[object]]
T = TypeVar("T")

log = logging.getLogger("plyhouse.bots")


def introduce(entry: Entry) -> BotInfo:
    """A bot as `hello` introduces it: its entry, and the games whose matches and positions it
    analyses.

    These are the games whose analyst it is; tree search, which plays all, stands in for others.
    """
    analyses = [name for name in entry.games if entry.invited and _analyses(entry.program, name)]
    return replace(entry.info(), analyses=analyses, considers=analyses)


def _analyses(program: str, game: str) -> bool:
    try:
        own = analysts.analyst_class(games.game(game)).PROGRAM
    except analysts.NoAnalyst:
        return False
    return program in (own, SamplingAnalyst.PROGRAM)


class Reviewer:
    """The analyses that one bot is asked for at one server."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self._worker: ThreadPoolExecutor | None = None
        self._stops: dict[int, Ints] = {}  # what is under way, and the flag that ends it
        self._compiling: dict[tuple[str, str], asyncio.Task[None]] = {}  # by program and game
        self._thinker: ThreadPoolExecutor | None = None
        self._thinking: dict[int, Ints] = {}  # the same for positions

    async def review(self, wanted: AnalysisWanted, delay: Delay) -> Review:
        """Analyse a match: the analysis, or a sentence on why there is none.

        `delay` is awaited with the milliseconds that compiling takes, where that comes first.
        """
        self.drop()  # the server asks for another only once it has given up the one before
        stop = self._stops[wanted.ask] = compiled.ints(1)
        if (program := _uncompiled(wanted.game)) is not None:
            await delay(COMPILING_MS)
            await self.compile(program, wanted.game)
        loop = asyncio.get_running_loop()
        alarm = loop.call_later(wanted.expires_ms / 1000 * USED_TIME, stop.__setitem__, 0, 1)
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix=f"{self.entry.program} reviews")
        analysis = None
        try:
            with contained() as code:
                analysis = await loop.run_in_executor(self._worker, _review, wanted, stop)
        finally:
            alarm.cancel()
        if code.error is None:
            return analysis, None
        if isinstance(code.error, NoAnalysis):
            return None, str(code.error)
        name, game = self.entry.name, wanted.game
        log.error("%s crashed over a match of %s", name, game, exc_info=code.error)
        return None, "it failed"

    async def consider(self, wanted: ConsiderWanted) -> tuple[Consideration | None, str | None]:
        """What is best in a position, or a sentence on why that is not known.

        Several wait for each other; one that no client waits for any more is over at once.
        """
        stop = self._thinking[wanted.ask] = compiled.ints(1)
        loop = asyncio.get_running_loop()
        alarm = loop.call_later(wanted.expires_ms / 1000 * USED_TIME, stop.__setitem__, 0, 1)
        try:
            if (program := _uncompiled(wanted.game)) is not None:
                await self.compile(program, wanted.game)
            if self._thinker is None:
                name = f"{self.entry.program} considers"
                self._thinker = ThreadPoolExecutor(1, thread_name_prefix=name)
            consideration = None
            with contained() as code:
                consideration = await loop.run_in_executor(self._thinker, _consider, wanted, stop)
        finally:
            alarm.cancel()
        if isinstance(code.error, NoAnalysis):
            return None, str(code.error)
        if code.error is not None:
            name, where = self.entry.name, wanted.position
            log.error("%s crashed over %s", name, where, exc_info=code.error)
            return None, "it failed"
        return consideration, None if consideration is not None else "there was no time"

    def finish_considering(self, ask: int) -> bool:
        """End one that is over, or that no client waits for; whether one did."""
        stop = self._thinking.pop(ask, None)
        if stop is not None:
            stop[0] = 1
        return stop is not None

    async def compile(self, program: str, game: str) -> None:
        """Wait until code is compiled, or cannot be in time; another one who asks joins in."""
        key = (program, game)
        task = self._compiling.get(key)
        if task is None or task.done():
            task = asyncio.create_task(readiness.compile_beside(program, game))
            self._compiling[key] = task
        await asyncio.wait({task}, timeout=MAX_COMPILING_S)

    def finish(self, ask: int) -> bool:
        """End one that is over; whether somebody still waits for it."""
        return self._stops.pop(ask, None) is not None

    def drop(self, ask: int | None = None) -> None:
        """End one that no client waits for any more; None: all of them."""
        for number in list(self._stops) if ask is None else [ask]:
            stop = self._stops.pop(number, None)
            if stop is not None:
                stop[0] = 1

    def close(self) -> None:
        """End all, and the thread."""
        self.drop()
        for ask in list(self._thinking):
            self.finish_considering(ask)
        for task in self._compiling.values():
            task.cancel()
        for worker in (self._worker, self._thinker):
            if worker is not None:
                worker.shutdown(wait=False, cancel_futures=True)


def _uncompiled(game: str) -> str | None:
    """The program whose code would have to be compiled to analyse this game; None: none."""
    if game not in games.names():
        return None
    try:
        program = analysts.make_analyst(games.game(game)).PROGRAM
    except BadDepth:
        return None  # there is no analyst, which `_review` says
    return None if registry.bot_class(program).ready(games.game(game)) else program


class NoAnalysis(Exception):
    """A match that this bot does not analyse; the sentence says why."""


def _review(wanted: AnalysisWanted, stop: Ints) -> MatchAnalysis:
    """The analysis by the game's analyst, as far as it comes until `stop` is set."""
    if stop[0]:
        raise NoAnalysis("there was no time")
    try:
        game = games.game(wanted.game)
        first = first_position(game, wanted.options, wanted.series)
        actions = read_actions(first, wanted.actions)
        analyst = analysts.make_analyst(game)
    except (*UNREADABLE, BadDepth) as error:
        raise NoAnalysis(str(error)[:TEXT_LENGTH]) from None
    if not registry.bot_class(analyst.PROGRAM).ready(game):  # those who play here would wait
        raise NoAnalysis("the code for that could not be compiled in time; ask again in a minute")
    plies = [r.ply for r in wanted.resignations]
    if max(plies, default=0) > len(actions):
        raise NoAnalysis("somebody resigned behind the end of this match")
    analysis = analyse(
        first, actions, analyst, stop=stop, given=wanted.given, resignations=wanted.resignations
    )
    if analysis.left and not (analysis.plays or analysis.rolls):
        raise NoAnalysis("there was not enough time for a single play")
    return fit_frame(replace(analysis, series=wanted.series))


def _consider(wanted: ConsiderWanted, stop: Ints) -> Consideration | None:
    """What the game's analyst says of a position; None: stopped."""
    if stop[0]:
        return None
    try:
        position = games.game(wanted.game).parse_position(wanted.position)
        considered = consider(position, wanted.effort, stop)
    except (*UNREADABLE, BadDepth) as error:
        raise NoAnalysis(str(error)[:TEXT_LENGTH]) from None
    if considered is None:
        return None
    return msgspec.convert(msgspec.to_builtins(considered), Consideration)  # or ValidationError


def fit_frame(analysis: MatchAnalysis) -> MatchAnalysis:
    """The part of an analysis that fits into a frame; what goes first is as in analyses.md.

    Raises:
        ValidationError: it holds what the wire does not allow, such as a loss of infinity.
    """
    for cut in _cuts(analysis):
        checked = msgspec.convert(msgspec.to_builtins(cut), MatchAnalysis)
        report = ReportAnalysis(id=MAX_INT, ask=MAX_INT, analysis=checked)
        if len(codec.encode(report)) <= MAX_CLIENT_FRAME:
            break
    return replace(checked, partial=cut != analysis)


def _cuts(analysis: MatchAnalysis) -> Iterator[MatchAnalysis]:
    """The analysis, then with more and more left out; the last one fits into any frame."""
    cut = replace(analysis, by=analysis.by[:TEXT_LENGTH], left=analysis.left[:MAX_LISTED])
    steps: list[Callable[[AnalysedPlay], AnalysedPlay]] = [
        _with_short_notes,
        partial(_with_options, limit=3),
        _without_options_if_lossless,
        _with_best_option,
    ]
    for step in steps:
        cut = replace(cut, plays=list(map(step, cut.plays)))
        if max(len(cut.plays), len(cut.rolls)) <= MAX_LISTED:
            yield cut
    cut = replace(cut, plays=[play for play in cut.plays if not _lossless(play)])
    if max(len(cut.plays), len(cut.rolls)) <= MAX_LISTED:
        yield cut
    for limit in PLAY_LIMITS:
        plays = _greatest(cut.plays, lambda play: play.loss or 0.0, limit)
        rolls = _greatest(cut.rolls, lambda roll: abs(roll.luck), limit)
        cut = replace(cut, plays=plays, rolls=rolls)
        yield cut


def _with_short_notes(play: AnalysedPlay) -> AnalysedPlay:
    """The play, its notes no longer than a text may be."""
    best = [replace(option, note=option.note[:TEXT_LENGTH]) for option in play.best]
    return replace(play, best=best)


def _with_options(play: AnalysedPlay, limit: int) -> AnalysedPlay:
    """The play with the best `limit` options, the last of which gives way to what was played."""
    options = play.best[:limit]
    if all(option.action != play.action for option in options):
        options[-1:] = [option for option in play.best if option.action == play.action]
    return replace(play, best=options)


def _lossless(play: AnalysedPlay) -> bool:
    return play.loss == 0.0 and not (play.doubtful or play.blunder)


def _without_options_if_lossless(play: AnalysedPlay) -> AnalysedPlay:
    return replace(play, best=[]) if _lossless(play) else play


def _with_best_option(play: AnalysedPlay) -> AnalysedPlay:
    """The play with the best option, and the one that was played if that is another."""
    best_was_played = not play.best or play.best[0].action == play.action
    return replace(play, best=play.best[:1]) if best_was_played else _with_options(play, 2)


def _greatest(items: Sequence[T], size: Callable[[T], float], limit: int) -> list[T]:
    """The `limit` greatest, in the order they had; of equals the first."""
    order = sorted(range(len(items)), key=lambda i: (-size(items[i]), i))
    return [items[i] for i in sorted(order[:limit])]
