"""The index of matches that are over, in SQL.

A list of somebody's matches is merged from ranges of two indexes, one for each seat, in which
private matches stand apart; so no query reads many more rows than it answers with.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from server.store.contract import (
    DRAWN,
    LOOKED_AT,
    UNDECIDED,
    AnalysisRow,
    PastQuery,
    PastRow,
    PlayerKey,
    RatedQuery,
    Tallies,
    TallyQuery,
    TallyRow,
)
from server.store.sqlite import checking

SEATS = (("one", "two"), ("two", "one"))  # columns of a seat, and of the other
NEWEST_FIRST = "ORDER BY at DESC, room DESC, match DESC LIMIT ?"
EARLIER = " AND (at, room, match) < (?, ?, ?)"


def select_past(db: sqlite3.Connection, query: PastQuery | RatedQuery) -> list[PastRow]:
    """Return the rows that a query asks for, newest first.

    Raises:
        DamagedRow: one is not what was stored.
    """
    if isinstance(query, RatedQuery):
        where = f"{checking.PAST} WHERE rated = 1 AND game = ? {NEWEST_FIRST}"
        return _rows(db, where, query)
    before = query.before
    earlier, values = (EARLIER, before) if before is not None else ("", ())
    if query.who is None:
        where = f"{checking.PAST} WHERE private = 0 AND ladder = 0{earlier} {NEWEST_FIRST}"
        return _rows(db, where, (*values, query.limit))
    parts = [f"{checking.PAST} WHERE {part}{earlier}" for part in _ranges(query.private)]
    numbers = (*query.who, *values) * len(parts)
    return _rows(db, f"{' UNION ALL '.join(parts)} {NEWEST_FIRST}", (*numbers, query.limit))


def _ranges(private: bool) -> Iterator[str]:
    """Yield where somebody's matches are: as one seat, as the other, in public, in private."""
    for seat, _ in SEATS:
        for closed in (0, 1) if private else (0,):
            yield f"{seat}_name = ? AND {seat} = ? AND private = {closed}"


def select_match(db: sqlite3.Connection, room: int, match: int) -> list[PastRow]:
    """Return the row of one match, if there is one; DamagedRow if it is not what was stored."""
    return _rows(db, f"{checking.PAST} WHERE room = ? AND match = ?", (room, match))


def select_last_match(db: sqlite3.Connection, room: int, session: int) -> list[PastRow]:
    """Return the last match of a room that a session has played lately, if there is one."""
    (last,) = db.execute("SELECT max(match) FROM past WHERE room = ?", (room,)).fetchone()
    where = "WHERE room = ? AND match > ? AND (one = ? OR two = ?) ORDER BY match DESC LIMIT 1"
    values = (room, (last or 0) - LOOKED_AT, session, session)
    return _rows(db, f"{checking.PAST} {where}", values)


def select_owner(db: sqlite3.Connection, name: str) -> list[PastRow]:
    """Return a match of the youngest session that has played under a name, if there is one."""
    rows = [
        row
        for seat, _ in SEATS
        for row in _rows(
            db, f"{checking.PAST} WHERE {seat}_name = ? ORDER BY {seat} DESC LIMIT 1", (name,)
        )
    ]
    return sorted(rows, key=lambda row: -(row.one if row.one_name == name else row.two))[:1]


def _rows(db: sqlite3.Connection, query: str, values: tuple[object, ...]) -> list[PastRow]:
    rows = db.execute(query, values).fetchall()
    return [PastRow(*columns) for columns in checking.checked(rows, "past")]


def select_tallies(db: sqlite3.Connection, query: TallyQuery) -> Tallies:
    """Add up somebody's newest matches; their checksums are not looked at."""
    ranges = list(_ranges(query.private))
    since = [_scalar(db, f"SELECT min(at) FROM past WHERE {part}", query.who) for part in ranges]
    newest, values = _newest(query)
    rows = db.execute(
        f"SELECT game, other, sum(outcome = seat), sum(outcome = {DRAWN}),"
        f" sum(outcome = 1 - seat), sum(rated), 1 - seat, body, max(at) FROM ({newest})"
        f" WHERE outcome < {UNDECIDED} GROUP BY game, other_name, other",
        values,
    ).fetchall()
    matches = db.execute(f"SELECT seat, outcome FROM ({newest})", values).fetchall()
    return Tallies(
        min((at for at in since if at is not None), default=None),
        _alike(matches),
        [TallyRow(*row[:-1]) for row in rows],
        len(matches),
    )


def _newest(query: TallyQuery) -> tuple[str, tuple[object, ...]]:
    """Return what selects somebody's newest matches, as they see them, and its values."""
    parts = [
        f"SELECT at, room, match, game, outcome, rated, body, {number} AS seat,"
        f" {other} AS other, {other}_name AS other_name FROM past"
        f" WHERE {seat}_name = ? AND {seat} = ? AND private = {closed}"
        for number, (seat, other) in enumerate(SEATS)
        for closed in ((0, 1) if query.private else (0,))
    ]
    values = (*(tuple(query.who) * len(parts)), query.limit)
    return f"{' UNION ALL '.join(parts)} {NEWEST_FIRST}", values


def _alike(matches: list[tuple[int, int]]) -> tuple[int, ...]:
    """Return how somebody's newest matches ended (seat, outcome), as long as they ended alike."""
    outcomes: list[int] = []
    for seat, outcome in matches:
        if outcome < UNDECIDED:
            own = 0 if outcome == DRAWN else 1 if outcome == seat else -1
            if outcomes and own != outcomes[0]:
                break
            outcomes.append(own)
    return tuple(outcomes)


def _scalar(db: sqlite3.Connection, query: str, values: PlayerKey) -> int | None:
    (value,) = db.execute(query, values).fetchone()
    return None if value is None else int(value)


def select_analysis(db: sqlite3.Connection, room: int, match: int) -> list[AnalysisRow]:
    """Return what is kept about a match; DamagedRow if it is not what was stored."""
    where = f"{checking.ANALYSES} WHERE room = ? AND match = ?"
    rows = db.execute(where, (room, match)).fetchall()
    return [AnalysisRow(*columns) for columns in checking.checked(rows, "analysis")]
