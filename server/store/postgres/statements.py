"""The one statement that an append, or a batch of them, is: its rows, and leave to write them.

Each table's rows come as arrays, a column each.  Nothing is joined, or a plan could flip to one
that reads a whole table.  Rows that replace others are written once: the last one of a key counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Final, NamedTuple

from server.store.checksums import event_sum, row_sum
from server.store.contract import (
    AnalysisRow,
    DevicesRow,
    DroppedAnalysisRow,
    EventRow,
    ForgottenRow,
    HandedRow,
    PastRow,
    ProgressRow,
    PulseRow,
    RoomRow,
    Row,
    SessionRow,
    SettingsRow,
)
from server.store.postgres.node import VERSION

INT, SMALL, TEXT, BYTES = "bigint", "smallint", "text", "bytea"


class StoredTable(NamedTuple):
    """A table that rows replace one another in.

    `types`: of all columns but the checksum; `key`: how many of the first columns are its key;
    `deletes`: the rows that delete others.
    """

    name: str
    row: type[Row]
    types: tuple[str, ...]
    key: int
    deletes: type[Row] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a row fills, the checksum last."""
        fields: tuple[str, ...] = getattr(self.row, "_fields")  # noqa: B009  (of a NamedTuple)
        return (*fields, "sum")


EVENT: Final = StoredTable("event", EventRow, (INT, INT, INT, TEXT, INT, BYTES), 2)
LOGIN: Final = (INT, TEXT, BYTES, INT, SMALL, BYTES, SMALL)
MATCH: Final = (INT, INT, INT, TEXT, INT, TEXT, INT, TEXT, SMALL, SMALL, SMALL, SMALL, BYTES)
TABLES: Final = (
    StoredTable("room", RoomRow, (INT, SMALL, BYTES), 1),
    StoredTable("session", SessionRow, LOGIN, 1, ForgottenRow),
    StoredTable("device", DevicesRow, (INT, BYTES), 1),
    StoredTable("setting", SettingsRow, (INT, BYTES), 1),
    StoredTable("past", PastRow, MATCH, 2),
    StoredTable("progress", ProgressRow, (TEXT, INT), 1),
    StoredTable("analysis", AnalysisRow, (INT, INT, INT, BYTES), 2, DroppedAnalysisRow),
)
OF_ROW: Final[dict[type[Row], StoredTable]] = {
    **{table.row: table for table in TABLES},
    **{table.deletes: table for table in TABLES if table.deletes is not None},
}
# What a table has beside the columns of its row, and what goes there.
MORE: Final = {"room": (("owner", "$1"), ("version", str(VERSION))), "session": (("folded", None),)}
PULSE: Final = "beat AS (UPDATE node SET pulse = pulse + 1 FROM mine WHERE id = $1 AND epoch = $2)"
HANDED: Final = (
    "UPDATE room SET owner = nullif(r.owner, '') FROM unnest({}) AS r (number, owner), mine"
    " WHERE room.number = r.number AND room.owner = $1"
)
MINE: Final = (
    "mine AS MATERIALIZED (SELECT true FROM node WHERE id = $1 AND epoch = $2 FOR KEY SHARE)"
)


class Statement(NamedTuple):
    """SQL, and its values from $3 on; `events`: how many rows it is to report as inserted."""

    sql: str
    values: list[Sequence[Any]]
    events: int


def statement(rows: Sequence[Row]) -> Statement:
    """Return what writes rows, all or none; it answers with how many events it has inserted.

    It answers with no row at all if the node that writes has been replaced.

    Raises:
        ValueError: a value is none that can be stored, or two rows change whose one room is, of
            which each needs a statement of its own.
    """
    events = [row for row in rows if type(row) is EventRow]
    values: list[Sequence[Any]] = []
    parts: list[str] = []
    if events:
        values += zip(*events, strict=True)
        values.append([event_sum(*row) for row in events])
        parts.append("event")
    if len(events) < len(rows):
        parts += _replacing(rows, values)
    return Statement(_sql(tuple(parts)), values, len(events))


def _replacing(rows: Sequence[Row], values: list[Sequence[Any]]) -> list[str]:
    """Add the values of rows that replace others, and return the parts of the statement."""
    last: dict[StoredTable, dict[Any, Row]] = {}
    pulse = False
    for row in rows:
        table = OF_ROW.get(type(row))
        if table is not None:
            last.setdefault(table, {})[row[: table.key]] = row
        else:
            pulse |= type(row) is PulseRow
    parts = ["pulse"] if pulse else []
    handed = [row for row in rows if type(row) is HandedRow]
    if handed:
        numbers = [row.number for row in rows if isinstance(row, HandedRow | RoomRow)]
        if len(set(numbers)) < len(numbers):
            raise ValueError("what is handed over is written by itself")
        values += zip(*handed, strict=True)
        parts.append("handed")
    for table in TABLES:
        kept = list(last.get(table, {}).values())
        written = [row for row in kept if type(row) is table.row]
        if written:
            values += zip(*written, strict=True)
            values.append([row_sum(row) for row in written])
            if table.name == "session":
                values.append([row.name.casefold() for row in written if type(row) is SessionRow])
            parts.append(table.name)
        deleted = [row[: table.key] for row in kept if type(row) is table.deletes]
        if deleted:
            values += zip(*deleted, strict=True)
            parts.append(f"-{table.name}")
    return parts


@cache
def _sql(parts: tuple[str, ...]) -> str:
    """Return the SQL of a statement of these parts; there are few kinds of appends."""
    clauses, at = [MINE], 3
    tables = {table.name: table for table in (EVENT, *TABLES)}
    for part in parts:
        if part == "pulse":
            clauses.append(PULSE)
            continue
        if part == "handed":
            clauses.append(f"given AS ({HANDED.format(f'${at}::{INT}[], ${at + 1}::{TEXT}[]')})")
            at += 2
            continue
        table = tables[part.lstrip("-")]
        if part.startswith("-"):
            arrays = [f"${at + n}::{kind}[]" for n, kind in enumerate(table.types[: table.key])]
            clauses.append(_deletion(table, arrays))
        else:
            kinds = [*table.types, INT, *([TEXT] if table.name == "session" else [])]
            arrays = [f"${at + n}::{kind}[]" for n, kind in enumerate(kinds)]
            clauses.append(_insertion(table, arrays))
        at += len(arrays)
    count = "(SELECT count(*) FROM event_in)" if "event" in parts else "0"
    return f"WITH {', '.join(clauses)} SELECT {count} FROM mine"


def _insertion(table: StoredTable, arrays: Sequence[str]) -> str:
    more = MORE.get(table.name, ())
    columns = [*table.columns, *(name for name, _ in more)]
    fixed = "".join(f", {value}" for _, value in more if value is not None)
    end = "RETURNING true"
    if table is not EVENT:
        key = table.columns[: table.key]
        changed = [name for name in columns if name not in key]
        new = [f"{name} = {_newer(table, name)}" for name in changed]
        end = f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {', '.join(new)}"
    return (
        f"{table.name}_in AS (INSERT INTO {table.name} ({', '.join(columns)})"
        f" SELECT r.*{fixed} FROM unnest({', '.join(arrays)}) AS r, mine {end})"
    )


def _newer(table: StoredTable, column: str) -> str:
    if column == "version":
        return f"greatest({table.name}.version, excluded.version)"
    return f"excluded.{column}"


def _deletion(table: StoredTable, arrays: Sequence[str]) -> str:
    key = table.columns[: table.key]
    same = " AND ".join(f"{table.name}.{name} = r.{name}" for name in key)
    return (
        f"{table.name}_out AS (DELETE FROM {table.name}"
        f" USING unnest({', '.join(arrays)}) AS r ({', '.join(key)}), mine WHERE {same})"
    )
