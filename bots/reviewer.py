"""Goes through matches that are over on behalf of others: what a house asks by `analysis_wanted`.

    reviewer = Reviewer(entry)
    told, no = await reviewer.review(wanted)
    reviewer.drop(wanted.ask)           # nobody waits for it any more

One match at a time, on a thread of its own: a person who plays here waits for none of it.  What is
found is cut to what one frame holds (`fit`), as SPEC.md says.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias, TypeVar

import msgspec

from bots import compiled, registry
from bots.analysis import chosen
from bots.analysis.form import Analysis, Option, Play
from bots.analysis.match import analyse, read_actions
from bots.analysis.sampled import Sampled
from bots.foreign import Foreign
from bots.terms import Entry
from games import registry as games
from games.game import IllegalAction, Ints, NotationError
from protocol import codec
from protocol.analysis import AnalysisWanted, MatchAnalysis, ReportAnalysis
from protocol.messages import MAX_CLIENT_FRAME, MAX_INT, BotInfo

IN_TIME: Final = 0.9  # of what there is; then what has been found by then is told
MOST_LEFT: Final = 1_000  # plies that are named as not looked at
MOST_LETTERS: Final = 256  # of a text; what a frame's schema allows
MOST_PLAYS: Final = (400, 200, 100, 50, 25, 12)

Told: TypeAlias = tuple[MatchAnalysis | None, str | None]
T = TypeVar("T")

log = logging.getLogger("plyhouse.bots")


def introduce(entry: Entry) -> BotInfo:
    """What `hello` says of a bot: its entry, and the games of which it goes through matches.

    That is where it is the game's analyst; tree search, which plays all, stands in for others.
    """
    able = [name for name in entry.games if _analyses(entry.program, name)] if entry.invited else []
    return msgspec.structs.replace(entry.info(), analyses=able)


def _analyses(program: str, game: str) -> bool:
    return program in (chosen.program(games.game(game)), Sampled.PROGRAM)


class Reviewer:
    """The analyses that one bot is asked for at one house."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self._worker: ThreadPoolExecutor | None = None
        self._asked: dict[int, Ints] = {}  # what is under way, and what ends it

    async def review(self, wanted: AnalysisWanted) -> Told:
        """Go through a match: what is found, or a sentence on why nothing is."""
        self.drop()  # the house asks for another one only once it has given up the one before
        stop = self._asked[wanted.ask] = compiled.ints(1)
        loop = asyncio.get_running_loop()
        alarm = loop.call_later(wanted.expires_ms / 1000 * IN_TIME, stop.__setitem__, 0, 1)
        if self._worker is None:
            self._worker = ThreadPoolExecutor(1, thread_name_prefix=f"{self.entry.program} reviews")
        try:
            with Foreign() as review:
                return await loop.run_in_executor(self._worker, _review, wanted, stop), None
        finally:
            alarm.cancel()
        if isinstance(review.error, Declined):
            return None, str(review.error)
        name, game = self.entry.name, wanted.game
        log.error("%s crashed over a match of %s", name, game, exc_info=review.error)
        return None, "it failed"

    def wanted(self, ask: int) -> bool:
        """Whether somebody waits for this one; from now on nobody does."""
        return self._asked.pop(ask, None) is not None

    def drop(self, ask: int | None = None) -> None:
        """End one that nobody waits for any more; None: all of them."""
        for number in list(self._asked) if ask is None else [ask]:
            stop = self._asked.pop(number, None)
            if stop is not None:
                stop[0] = 1

    def close(self) -> None:
        """End all, and the thread."""
        self.drop()
        if self._worker is not None:
            self._worker.shutdown(wait=False, cancel_futures=True)


class Declined(Exception):
    """A match that cannot be gone through here; the sentence says why."""


def _review(wanted: AnalysisWanted, stop: Ints) -> MatchAnalysis:
    """What the game's analyst finds until `stop` is set."""
    if stop[0]:
        raise Declined("there was no time")
    try:
        game = games.game(wanted.game)
        actions = read_actions(game, wanted.actions)
    except (games.UnknownGame, NotationError, IllegalAction) as no:
        raise Declined(str(no)[:MOST_LETTERS]) from None
    analyst = chosen.analyst(game)
    if not registry.kind(analyst.PROGRAM).ready(game):  # who plays here would wait for that
        raise Declined("the code for that is not compiled yet")
    found = analyse(game, actions, analyst, stop=stop, given=wanted.given)
    if found.left and not (found.plays or found.rolls):
        raise Declined("the time did not last for a single play")
    return fit(found)


# ---------------------------------------------------------------- what one frame holds


def fit(found: Analysis) -> MatchAnalysis:
    """As much of an analysis as fits into a frame, in the order of SPEC.md.

    Raises:
        ValidationError: it holds what cannot be told, such as a number that is none.
    """
    for cut in _cuts(found):
        told = msgspec.convert(cut, MatchAnalysis, from_attributes=True)
        if len(codec.encode(ReportAnalysis(id=MAX_INT, ask=MAX_INT, analysis=told))) <= (
            MAX_CLIENT_FRAME
        ):
            break
    return msgspec.structs.replace(told, partial=cut != found)


def _cuts(found: Analysis) -> Iterator[Analysis]:
    """The analysis, then with ever more left out; the last one fits into any frame."""
    cut = replace(found, by=found.by[:MOST_LETTERS], left=found.left[:MOST_LEFT])
    steps: list[Callable[[Play], Play]] = [_shorn, partial(_options, most=3), _bare, _best]
    for step in steps:
        cut = replace(cut, plays=tuple(map(step, cut.plays)))
        if max(len(cut.plays), len(cut.rolls)) <= MOST_LEFT:
            yield cut
    cut = replace(cut, plays=tuple(play for play in cut.plays if not _lossless(play)))
    if max(len(cut.plays), len(cut.rolls)) <= MOST_LEFT:
        yield cut
    for most in MOST_PLAYS:
        plays = _greatest(cut.plays, lambda play: play.loss or 0.0, most)
        rolls = _greatest(cut.rolls, lambda roll: abs(roll.luck), most)
        cut = replace(cut, plays=plays, rolls=rolls)
        yield cut


def _shorn(play: Play) -> Play:
    """The play, its notes no longer than a text may be."""
    best = [Option(o.action, o.value, o.note[:MOST_LETTERS]) for o in play.best]
    return replace(play, best=tuple(best))


def _options(play: Play, most: int) -> Play:
    """The play with the best `most` options, the last of which gives way to what was played."""
    kept = play.best[:most]
    if all(option.action != play.action for option in kept):
        kept = (*kept[:-1], *(option for option in play.best if option.action == play.action))
    return replace(play, best=kept)


def _lossless(play: Play) -> bool:
    return play.loss == 0.0 and not (play.doubtful or play.blunder)


def _bare(play: Play) -> Play:
    """The play, without options if it lost nothing."""
    return replace(play, best=()) if _lossless(play) else play


def _best(play: Play) -> Play:
    """The play with the best option, and the one that was played if that is another."""
    return _options(play, 2) if play.best and play.best[0].action != play.action else (
        replace(play, best=play.best[:1])
    )  # fmt: skip


def _greatest(items: Sequence[T], size: Callable[[T], float], most: int) -> tuple[T, ...]:
    """The `most` greatest, in the order they had; of equals the first."""
    order = sorted(range(len(items)), key=lambda i: (-size(items[i]), i))
    return tuple(items[i] for i in sorted(order[:most]))
