"""The index of matches that are over, in PostgreSQL's SQL; sqlite/past.py says what it is about.

A list of somebody's matches is merged from ranges of two indexes, one for each seat, in which
private matches stand apart; each range ends after as many rows as are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from server.store.contract import (
    DRAWN,
    LOOKED_AT,
    UNDECIDED,
    AnalysisRow,
    PastQuery,
    PastRow,
    RatedQuery,
    Tallies,
    TallyQuery,
    TallyRow,
)
from server.store.postgres.reading import SELECTS, rows_of

SEATS: Final = (("one", "two"), ("two", "one"))  # columns of a seat, and of the other
NEWEST_FIRST: Final = "ORDER BY at DESC, room DESC, match DESC"
PAST: Final = SELECTS["past"]


async def select_past(db: Any, query: PastQuery | RatedQuery) -> list[PastRow]:
    """Return the rows that a query asks for, newest first.

    Raises:
        DamagedRow: one is not what was stored.
    """
    if isinstance(query, RatedQuery):
        where = f"rated = 1 AND game = $2 {NEWEST_FIRST} LIMIT $1"
        return await _rows(db, f"{PAST} WHERE {where}", query.limit, query.game)
    values: list[Any] = [query.limit]
    earlier = ""
    if query.before is not None:
        values += query.before
        earlier = " AND (at, room, match) < ($2, $3, $4)"
    if query.who is None:
        where = f"private = 0 AND ladder = 0{earlier} {NEWEST_FIRST} LIMIT $1"
        return await _rows(db, f"{PAST} WHERE {where}", *values)
    at = len(values)
    values += query.who
    parts = [
        f"({PAST} WHERE {part}{earlier} {NEWEST_FIRST} LIMIT $1)"
        for _, part in _ranges(query.private, at + 1)
    ]
    return await _rows(db, f"{' UNION ALL '.join(parts)} {NEWEST_FIRST} LIMIT $1", *values)


def _ranges(private: bool, name: int) -> Iterator[tuple[int, str]]:
    """Yield where somebody's matches are, with the seat: in public, in private.

    `name`: the number of the parameter with the name; the session's follows it.
    """
    for number, (seat, _) in enumerate(SEATS):
        for closed in (0, 1) if private else (0,):
            yield number, f"{seat}_name = ${name} AND {seat} = ${name + 1} AND private = {closed}"


async def select_match(db: Any, room: int, match: int) -> list[PastRow]:
    """Return the row of one match, if there is one; DamagedRow if it is not what was stored."""
    return await _rows(db, f"{PAST} WHERE room = $1 AND match = $2", room, match)


async def select_last_match(db: Any, room: int, session: int) -> list[PastRow]:
    """Return the last match of a room that a session has played lately, if there is one."""
    last = await db.fetchval("SELECT max(match) FROM past WHERE room = $1", room)
    where = "room = $1 AND match > $3 AND (one = $2 OR two = $2) ORDER BY match DESC LIMIT 1"
    return await _rows(db, f"{PAST} WHERE {where}", room, session, (last or 0) - LOOKED_AT)


async def select_owner(db: Any, name: str) -> list[PastRow]:
    """Return a match of the youngest session that has played under a name, if there is one."""
    rows = [
        row
        for seat, _ in SEATS
        for row in await _rows(
            db, f"{PAST} WHERE {seat}_name = $1 ORDER BY {seat} DESC LIMIT 1", name
        )
    ]
    return sorted(rows, key=lambda row: -(row.one if row.one_name == name else row.two))[:1]


async def _rows(db: Any, query: str, *values: Any) -> list[PastRow]:
    return [PastRow(*row) for row in rows_of(await db.fetch(query, *values), "past")]


async def select_tallies(db: Any, query: TallyQuery) -> Tallies:
    """Add up somebody's newest matches; their checksums are not looked at."""
    ranges = [part for _, part in _ranges(query.private, 1)]
    ends = [
        f"(SELECT at FROM past WHERE {part} ORDER BY at, room, match LIMIT 1)" for part in ranges
    ]
    since = await db.fetchval(f"SELECT least({', '.join(ends)})", *query.who)
    newest = _newest(query)
    values = (*query.who, query.limit)
    rows = await db.fetch(
        f"SELECT game, other, count(*) FILTER (WHERE outcome = seat),"
        f" count(*) FILTER (WHERE outcome = {DRAWN}),"
        f" count(*) FILTER (WHERE outcome = 1 - seat), sum(rated),"
        f" (array_agg(1 - seat {NEWEST_FIRST}))[1], (array_agg(body {NEWEST_FIRST}))[1]"
        f" FROM ({newest}) AS newest WHERE outcome < {UNDECIDED}"
        " GROUP BY game, other_name, other"
        ' ORDER BY game COLLATE "C", other_name COLLATE "C", other',
        *values,
    )
    outcomes = await db.fetch(
        f"SELECT seat, outcome FROM ({newest}) AS newest {NEWEST_FIRST}", *values
    )
    return Tallies(since, _alike(outcomes), [TallyRow(*row) for row in rows], len(outcomes))


def _newest(query: TallyQuery) -> str:
    """Return what selects somebody's newest matches, as they see them."""
    parts = [
        f"(SELECT at, room, match, game, outcome, rated, body, {number} AS seat,"
        f" {SEATS[number][1]} AS other, {SEATS[number][1]}_name AS other_name"
        f" FROM past WHERE {part} {NEWEST_FIRST} LIMIT $3)"
        for number, part in _ranges(query.private, 1)
    ]
    return f"{' UNION ALL '.join(parts)} {NEWEST_FIRST} LIMIT $3"


def _alike(newest: Sequence[Any]) -> tuple[int, ...]:
    """Return how somebody's newest matches ended, as long as they all ended alike."""
    outcomes: list[int] = []
    for seat, outcome in newest:
        if outcome < UNDECIDED:
            own = 0 if outcome == DRAWN else 1 if outcome == seat else -1
            if outcomes and own != outcomes[0]:
                break
            outcomes.append(own)
    return tuple(outcomes)


async def select_analysis(db: Any, room: int, match: int) -> list[AnalysisRow]:
    """Return what is kept about a match; DamagedRow if it is not what was stored."""
    query = f"{SELECTS['analysis']} WHERE room = $1 AND match = $2"
    return [AnalysisRow(*row) for row in rows_of(await db.fetch(query, room, match), "analysis")]
