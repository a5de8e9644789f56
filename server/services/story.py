"""The story of a series: its games one after the other, with results, scores and what was decided
about the cube.

It is told from the rows of the log alone; no rules are needed for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from protocol.notation import format_match
from protocol.records.document import CUBE_ACTIONS, CubeDecision, StoryGame
from protocol.series import after as after_game
from protocol.series import is_on
from server.core.events import Ended, NotReplayed, Started, read_body
from server.services.history import remaining_actions
from server.store.contract import EventRow

_ENDS: Final = ("started", "ended")


def is_of_series(outline: Sequence[EventRow], match: int) -> bool:
    """Return whether a match, of which there is the start, is a game of a series."""
    starts = [row for row in outline if row.kind == "started" and row.match == match]
    try:
        started = read_body("started", starts[0].body) if starts else None
    except NotReplayed:
        return False
    return isinstance(started, Started) and started.series is not None


def games_of(outline: Sequence[EventRow], match: int) -> list[int]:
    """Return the matches of a room that are games of one series with `match`, which is over.

    `outline`: the starts and ends of the room's matches, at least.
    """
    starts = {row.match: row for row in outline if row.kind == "started" and row.match is not None}
    ends = {row.match: row for row in outline if row.kind == "ended"}
    first = last = match
    while _is_next(starts.get(first - 1), ends.get(first - 1), starts[first]):
        first -= 1
    while last + 1 in ends and _is_next(starts[last], ends[last], starts[last + 1]):
        last += 1
    return list(range(first, last + 1))


def _is_next(start: EventRow | None, end: EventRow | None, later: EventRow) -> bool:
    """Return whether a match goes on with the series of the one before it in its room."""
    if start is None or end is None:
        return False
    try:
        one, over, two = (read_body(row.kind, row.body) for row in (start, end, later))
    except NotReplayed:
        return False
    if not (isinstance(one, Started) and isinstance(over, Ended) and isinstance(two, Started)):
        return False
    same = all(player.same(other) for player, other in zip(one.players, two.players, strict=True))
    return same and one.series is not None and after_game(one.series, over.result) == two.series


def summary(rows: Sequence[EventRow]) -> tuple[StoryGame, ...]:
    """Return the games of a series, of which these are all rows; none where it is no series.

    Raises:
        NotReplayed: a row cannot be read.
    """
    by_match: dict[int, list[EventRow]] = {}
    for row in rows:
        if row.match is not None:
            by_match.setdefault(row.match, []).append(row)
    games = (_game(match, own) for match, own in by_match.items())
    return tuple(game for game in games if game is not None)


def _game(match: int, rows: Sequence[EventRow]) -> StoryGame | None:
    """Return a game from its rows; None where it is none of a series, or is not whole."""
    ends = {row.kind: row for row in rows if row.kind in _ENDS}
    if len(ends) < 2:
        return None
    start, end = (read_body(kind, ends[kind].body) for kind in _ENDS)
    if not isinstance(start, Started) or not isinstance(end, Ended) or start.series is None:
        return None
    cube = tuple(
        CubeDecision(event.ply or 0, 1 if event.seat else 0, event.action or "")
        for event in remaining_actions(rows)
        if event.action in CUBE_ACTIONS
    )
    return StoryGame(format_match(rows[0].room, match), start.series, end.result, cube)


def goes_on(outline: Sequence[EventRow], match: int) -> bool:
    """Return whether a series was still to be decided when this game of it, its last, was over."""
    rows = {row.kind: row for row in outline if row.match == match and row.kind in _ENDS}
    try:
        start, end = (read_body(kind, rows[kind].body) for kind in _ENDS)
    except NotReplayed:
        return False
    if not isinstance(start, Started) or not isinstance(end, Ended) or start.series is None:
        return False
    return is_on(after_game(start.series, end.result))
