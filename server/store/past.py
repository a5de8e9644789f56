"""The index of matches that are over, as both databases read it; each adds what is its dialect.

A list of somebody's matches is merged from ranges of two indexes, one for each seat, in which
private matches stand apart, so no query reads many more rows than it answers with.  Values stand in
a statement as $1, $2 ...  `each` is how a database is told to end a range in time: a format of the
range and its order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from server.store.contract import (
    DRAWN,
    LOOKED_AT,
    UNDECIDED,
    PastQuery,
    PastRow,
    RatedQuery,
    TallyQuery,
)

PAST: Final = f"SELECT {', '.join(PastRow._fields)}, sum FROM past"
SEATS: Final = (("one", "two"), ("two", "one"))  # columns of a seat, and of the other
NEWEST_FIRST: Final = "ORDER BY at DESC, room DESC, match DESC"
LAST: Final = "SELECT max(match) FROM past WHERE room = $1"
MATCH: Final = f"{PAST} WHERE room = $1 AND match = $2"
ONE_ANALYSIS: Final = " WHERE room = $1 AND match = $2"
# The newest matches that a session has played under a name, seat by seat.
OWNERS: Final = tuple(f"{PAST} WHERE {s}_name = $1 ORDER BY {s} DESC LIMIT 1" for s, _ in SEATS)


class PastStatement(NamedTuple):
    """SQL and its values, from $1 on."""

    sql: str
    values: tuple[Any, ...]


def listed(query: PastQuery | RatedQuery, each: str) -> PastStatement:
    """Return what selects the rows that a query asks for, newest first."""
    if isinstance(query, RatedQuery):
        where = f"rated = 1 AND game = $2 {NEWEST_FIRST} LIMIT $1"
        return PastStatement(f"{PAST} WHERE {where}", (query.limit, query.game))
    values: tuple[Any, ...] = (query.limit, *(query.before or ()))
    earlier = " AND (at, room, match) < ($2, $3, $4)" if query.before is not None else ""
    if query.who is None:
        where = f"private = 0 AND ladder = 0{earlier} {NEWEST_FIRST} LIMIT $1"
        return PastStatement(f"{PAST} WHERE {where}", values)
    parts = [f"{PAST} WHERE {part}{earlier}" for _, part in ranges(query.private, len(values) + 1)]
    return PastStatement(_merged(parts, "$1", each), (*values, *query.who))


def ranges(private: bool, name: int) -> Iterator[tuple[int, str]]:
    """Yield where somebody's matches are, with the seat: in public, in private.

    `name`: the number of the value with the name; the session's follows it.
    """
    for number, (seat, _) in enumerate(SEATS):
        for closed in (0, 1) if private else (0,):
            yield number, f"{seat}_name = ${name} AND {seat} = ${name + 1} AND private = {closed}"


def _merged(parts: Iterable[str], limit: str, each: str) -> str:
    """Return what selects the newest rows of all these ranges."""
    newest = f"{NEWEST_FIRST} LIMIT {limit}"
    return f"{' UNION ALL '.join(each.format(part, newest) for part in parts)} {newest}"


def last_of(room: int, session: int, last: int | None) -> PastStatement:
    """Return what selects the last match of a room that a session has played lately.

    `last`: the number of the room's last one, see LAST.
    """
    where = "room = $1 AND match > $3 AND (one = $2 OR two = $2) ORDER BY match DESC LIMIT 1"
    return PastStatement(f"{PAST} WHERE {where}", (room, session, (last or 0) - LOOKED_AT))


def youngest(rows: Iterable[PastRow], name: str) -> list[PastRow]:
    """Return the row of the youngest session of those that have played under a name, if any."""
    return sorted(rows, key=lambda row: -(row.one if row.one_name == name else row.two))[:1]


def first_at(query: TallyQuery) -> str:
    """Return what selects when somebody's first match ended; the values are `query.who`."""
    ends = [f"SELECT min(at) AS at FROM past WHERE {part}" for _, part in ranges(query.private, 1)]
    return f"SELECT min(at) FROM ({' UNION ALL '.join(ends)}) AS ends"


def newest(query: TallyQuery, each: str) -> PastStatement:
    """Return what selects somebody's newest matches, as they see them."""
    parts = [
        f"SELECT at, room, match, game, outcome, rated, body, {number} AS seat,"
        f" {SEATS[number][1]} AS other, {SEATS[number][1]}_name AS other_name"
        f" FROM past WHERE {part}"
        for number, part in ranges(query.private, 1)
    ]
    return PastStatement(_merged(parts, "$3", each), (*query.who, query.limit))


def alike(matches: Sequence[Any]) -> tuple[int, ...]:
    """Return how somebody's newest matches ended (seat, outcome), as long as they ended alike."""
    outcomes: list[int] = []
    for seat, outcome in matches:
        if outcome < UNDECIDED:
            own = 0 if outcome == DRAWN else 1 if outcome == seat else -1
            if outcomes and own != outcomes[0]:
                break
            outcomes.append(own)
    return tuple(outcomes)
