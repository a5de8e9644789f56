"""The index of matches that are over, in PostgreSQL; store/past.py says what it is about."""

from __future__ import annotations

from typing import Any

from server.store import past
from server.store.contract import (
    DRAWN,
    UNDECIDED,
    AnalysisRow,
    PastQuery,
    PastRow,
    RatedQuery,
    Tallies,
    TallyQuery,
    TallyRow,
)
from server.store.past import NEWEST_FIRST
from server.store.postgres.reading import SELECTS, rows_of

EACH = "({} {})"


async def select_past(db: Any, query: PastQuery | RatedQuery) -> list[PastRow]:
    """Return the rows that a query asks for, newest first.

    Raises:
        DamagedRow: one is not what was stored.
    """
    sql, values = past.listed(query, EACH)
    return await _rows(db, sql, *values)


async def select_match(db: Any, room: int, match: int) -> list[PastRow]:
    """Return the row of one match, if there is one; DamagedRow if it is not what was stored."""
    return await _rows(db, past.MATCH, room, match)


async def select_last_match(db: Any, room: int, session: int) -> list[PastRow]:
    """Return the last match of a room that a session has played lately, if there is one."""
    sql, values = past.last_of(room, session, await db.fetchval(past.LAST, room))
    return await _rows(db, sql, *values)


async def select_owner(db: Any, name: str) -> list[PastRow]:
    """Return a match of the youngest session that has played under a name, if there is one."""
    rows = [row for sql in past.OWNERS for row in await _rows(db, sql, name)]
    return past.youngest(rows, name)


async def _rows(db: Any, query: str, *values: Any) -> list[PastRow]:
    return [PastRow(*row) for row in rows_of(await db.fetch(query, *values), "past")]


async def select_tallies(db: Any, query: TallyQuery) -> Tallies:
    """Add up somebody's newest matches; their checksums are not looked at."""
    since = await db.fetchval(past.first_at(query), *query.who)
    newest, values = past.newest(query, EACH)
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
    tallies = [TallyRow(*row) for row in rows]
    return Tallies(since, past.alike(outcomes), tallies, len(outcomes))


async def select_analysis(db: Any, room: int, match: int) -> list[AnalysisRow]:
    """Return what is kept about a match; DamagedRow if it is not what was stored."""
    query = f"{SELECTS['analysis']}{past.ONE_ANALYSIS}"
    return [AnalysisRow(*row) for row in rows_of(await db.fetch(query, room, match), "analysis")]
