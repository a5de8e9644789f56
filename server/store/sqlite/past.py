"""The index of matches that are over, in SQLite; store/past.py says what it is about."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
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
from server.store.sqlite import checking

EACH = "{}"  # it merges ranges in their order, and reads no further than it has to


def select_past(db: sqlite3.Connection, query: PastQuery | RatedQuery) -> list[PastRow]:
    """Return the rows that a query asks for, newest first.

    Raises:
        DamagedRow: one is not what was stored.
    """
    return _rows(db, *past.listed(query, EACH))


def select_match(db: sqlite3.Connection, room: int, match: int) -> list[PastRow]:
    """Return the row of one match, if there is one; DamagedRow if it is not what was stored."""
    return _rows(db, past.MATCH, (room, match))


def select_last_match(db: sqlite3.Connection, room: int, session: int) -> list[PastRow]:
    """Return the last match of a room that a session has played lately, if there is one."""
    ((last,),) = _execute(db, past.LAST, (room,))
    return _rows(db, *past.last_of(room, session, last))


def select_owner(db: sqlite3.Connection, name: str) -> list[PastRow]:
    """Return a match of the youngest session that has played under a name, if there is one."""
    return past.youngest([row for sql in past.OWNERS for row in _rows(db, sql, (name,))], name)


def _execute(db: sqlite3.Connection, sql: str, values: Sequence[Any]) -> list[Any]:
    """Return the rows of a statement; `$1` is a name to SQLite."""
    return db.execute(sql, {str(n): value for n, value in enumerate(values, 1)}).fetchall()


def _rows(db: sqlite3.Connection, sql: str, values: Sequence[Any]) -> list[PastRow]:
    return [PastRow(*row) for row in checking.checked(_execute(db, sql, values), "past")]


def select_tallies(db: sqlite3.Connection, query: TallyQuery) -> Tallies:
    """Add up somebody's newest matches; their checksums are not looked at."""
    ((since,),) = _execute(db, past.first_at(query), query.who)
    newest, values = past.newest(query, EACH)
    rows = _execute(
        db,
        f"SELECT game, other, sum(outcome = seat), sum(outcome = {DRAWN}),"
        f" sum(outcome = 1 - seat), sum(rated), 1 - seat, body, max(at) FROM ({newest})"
        f" WHERE outcome < {UNDECIDED} GROUP BY game, other_name, other",
        values,
    )
    matches = _execute(db, f"SELECT seat, outcome FROM ({newest})", values)
    tallies = [TallyRow(*row[:-1]) for row in rows]
    return Tallies(since, past.alike(matches), tallies, len(matches))


def select_analysis(db: sqlite3.Connection, room: int, match: int) -> list[AnalysisRow]:
    """Return what is kept about a match; DamagedRow if it is not what was stored."""
    rows = _execute(db, f"{checking.ANALYSES}{past.ONE_ANALYSIS}", (room, match))
    return [AnalysisRow(*columns) for columns in checking.checked(rows, "analysis")]
