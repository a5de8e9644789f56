"""A series: the matches of a room, its games, until a side has so many points.

Each game counts what it is worth.  When a side first lacks one point, the next game is the Crawford
game, in which neither doubles; after it both may again.  A game that neither wins, as it was
called off or a draw was agreed, is played once more: nothing else changes.
"""

from __future__ import annotations

from msgspec.structs import replace

from protocol.parts import Result, Seat, Series


def begin(points: int) -> Series:
    """Return a series to so many points before its first game."""
    return Series(points=points, crawford=points == 1)


def after(series: Series, result: Result) -> Series:
    """Return a series after one more game; the other side wins one that a side walked out of."""
    winner = result.winner
    if winner is None:
        return series
    if result.how in ("abandon", "disconnect"):
        return replace(series, winner=winner, conceded=True)
    one, two = series.score
    won = int(max(result.returns))
    score = (one + won, two) if winner == 0 else (one, two + won)
    if max(score) >= series.points:
        return replace(series, score=score, winner=winner)
    last = series.points - 1
    crawford = max(score) == last and max(series.score) < last
    return replace(series, score=score, game=series.game + 1, crawford=crawford)


def number_of_last(series: Series, result: Result) -> int:
    """Return the number of the game with this result, by which a series has come to this."""
    goes_on = series.winner is None and result.winner is not None
    return series.game - 1 if goes_on else series.game


def conceded(series: Series, seat: int) -> Series:
    """Return a series that `seat` gives up; one that is over stays as it is."""
    if series.winner is not None:
        return series
    winner: Seat = 0 if seat else 1
    return replace(series, winner=winner, conceded=True)


def is_on(series: Series | None) -> bool:
    return series is not None and series.winner is None
