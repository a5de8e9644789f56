"""From the options of a room to its clock, and to the terms that the rules of a game know."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from msgspec.structs import replace

from games import clock as clocks
from games.clock import Clock
from games.game import END, Game, MatchTerms, NotationError, Position, UnplayableTerms
from protocol.parts import ClockOptions, Options, Series
from protocol.series import begin

STARTS: Final = 256  # first positions that are kept: of the usual terms, and of some scores


def clock_of(options: ClockOptions | None) -> Clock:
    """Return the clock that a match begins with."""
    if options is None:
        return clocks.untimed()
    if options.each_ms is not None:
        clock = clocks.each_move(options.each_ms)
    else:
        clock = clocks.fischer(options.base_ms or 0, options.increment_ms)
    return clock._replace(begin=options.begin_ms or 0)


def with_begin(options: Options) -> Options:
    """Return these options with a time to begin, where they have a clock and do not name one."""
    clock = options.clock
    if clock is None or clock.begin_ms is not None:
        return options
    begin = clocks.time_to_begin(clock_of(clock))
    return replace(options, clock=replace(clock, begin_ms=begin))


def sought(options: Options) -> Options:
    """Return the options of a room that is opened for a seek by these."""
    return replace(with_begin(options), public=True, sought=options.sought or ())


def agreed(options: Options, table: Options) -> Options | None:
    """Return the terms by which who seeks by `options` sits down at a table; None: by none.

    They are the table's, but for those that it leaves open and who comes does not.
    """
    free = options.sought or ()
    theirs = {name: getattr(options, name) for name in table.sought or () if name not in free}
    terms = replace(table, **theirs)
    ours = {name: getattr(terms, name) for name in free}
    return terms if replace(options, sought=terms.sought, **ours) == terms else None


def terms_of(options: Options, series: Series | None = None) -> MatchTerms:
    """Return by what a match is played; `series`: as it stands before this game.

    Raises:
        UnplayableTerms: a series to no points.
    """
    if options.points == 0:
        raise UnplayableTerms(
            "a match is to 1 point or more, not to 0; without `points` it is one game"
        )
    return MatchTerms(
        start=options.start,
        cube=options.cube,
        points=options.points or 0,
        score=series.score if series is not None else (0, 0),
        crawford=series.crawford if series is not None else options.points == 1,
        jacoby=options.jacoby,
        beavers=options.beavers,
    )


def check_terms(game: Game, options: Options) -> None:
    """Check that a game is played by these options.

    Raises:
        UnplayableTerms: it is not; the message says why, in a sentence.
    """
    first_position(game, options, begin(options.points) if options.points is not None else None)


@lru_cache(STARTS)
def first_position(game: Game, options: Options, series: Series | None = None) -> Position:
    """Return the first position of a match by these options.

    Raises:
        UnplayableTerms: the game is not played by them, or the series does not belong to them.
    """
    terms = terms_of(options, series)
    if (options.points is None) != (series is None):
        raise UnplayableTerms("a game of a series has `points` in its options, and no other has")
    if series is not None and (series.points != options.points or series.winner is not None):
        raise UnplayableTerms("it is a game of another series, or of one that is over")
    return _placed(game, options) if options.position else _start(game, terms)


def _placed(game: Game, options: Options) -> Position:
    """Return the position that these options name.

    Raises:
        UnplayableTerms: it is none, the game is over there, or other terms say how it begins.
    """
    if (
        replace(options, clock=None, public=True, rated=False, position="", sought=None)
        != Options()
    ):
        raise UnplayableTerms("a match that begins in a position has no other terms than a clock")
    try:
        position = game.parse_position(options.position)
    except NotationError as error:
        raise UnplayableTerms(str(error)) from None
    if position.to_move == END:
        raise UnplayableTerms("the game is over in that position")
    return position


@lru_cache(STARTS)
def _start(game: Game, terms: MatchTerms) -> Position:
    """Return the first position by these terms: one, with its legal actions, for all matches."""
    return game.initial(terms)
