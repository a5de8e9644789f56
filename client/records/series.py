"""The games of a series, held against each other: does each begin where the last one ended?

Every game is checked by itself (verify.py); that says that its score is possible.  Here the scores
follow from the games, counted anew by the rules of a match to points, and without the code that
servers and replays count by.
"""

from __future__ import annotations

from collections.abc import Sequence

from client.records.verify import Verification, verify
from protocol.parts import Event, Result
from protocol.records.record import MatchRecord

CONCEDED = frozenset({"abandon", "disconnect"})  # a game that gives the series away


def games_of(records: Sequence[MatchRecord]) -> list[MatchRecord]:
    """Return the games of the series that the last of these matches is of, in order.

    Only that match if it is of none.  `records`: the matches of one room, in order; those that are
    called off are among them.
    """
    games = [records[-1]]
    for record in reversed(records[:-1]):
        if not _follows(record, games[0]):
            break
        games.insert(0, record)
    return games


def is_of_series(record: MatchRecord) -> bool:
    """Return whether a match is a game of a series."""
    start = _start(record)
    return start is not None and start.series is not None


def _follows(record: MatchRecord, later: MatchRecord) -> bool:
    """Return whether the later of two matches in a row is the next game of the same series."""
    one, two, result = _start(record), _start(later), _result(record)
    before, after = one.series if one else None, two.series if two else None
    if one is None or two is None or before is None or after is None or result is None:
        return False
    if one.players != two.players or before.points != after.points:
        return False
    if result.winner is None:
        return after.game == before.game
    over = before.score[result.winner] + max(result.returns) >= before.points
    return after.game == before.game + 1 and not over and result.how not in CONCEDED


def verify_series(
    games: Sequence[MatchRecord], *, promised: bool = True
) -> tuple[list[Verification], str | None]:
    """Check each game, and that the score of each is what those before it came to.

    `promised`: as in `verify`; what others wrote may begin with any game of a match.

    Returns:
        What was found of each, up to the first that does not hold, and why the series does not.
    """
    checked: list[Verification] = []
    score, one_away, number = [0, 0], False, 1
    start = _start(games[0])
    if not promised and start is not None and (first := start.series) is not None:
        score, number = list(first.score), first.game
        one_away = not first.crawford and max(score) == first.points - 1
    for record in games:
        found = verify(record, promised=promised)
        checked.append(found)
        if found.wrong is not None:
            return checked, None
        series = found.series
        if series is None or found.result is None:
            return checked, f"match {record.match} is no game of a series"
        crawford = max(score) == series.points - 1 and not one_away
        if (list(series.score), series.game, series.crawford) != (score, number, crawford):
            due = f"game {number} at {score[0]} to {score[1]}"
            own = f"game {series.game} at {series.score[0]} to {series.score[1]}"
            rule = "" if crawford == series.crawford else ", and the Crawford game is another one"
            return checked, f"match {record.match} is {own}, and {due} is next{rule}"
        winner = found.result.winner
        if winner is not None:
            one_away = one_away or max(score) == series.points - 1
            score[winner] += int(max(found.result.returns))
            number += 1
    return checked, None


def _start(record: MatchRecord) -> Event | None:
    return next((event for event in record.events if event.kind == "started"), None)


def _result(record: MatchRecord) -> Result | None:
    return next((e.result for e in record.events if e.kind == "ended"), None)
