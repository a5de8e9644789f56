"""docs/reference/kept.md tells of all that a server keeps, who pays, and what frees it."""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from server.admin.core.requests import VERBS
from server.config import Config
from tests.server.kept import walk

TABLE: Final = walk.ROOT / "docs" / "reference" / "kept.md"
NAME: Final = re.compile(r"`([^`]+)`")
STORES: Final = ("server/store/sqlite", "server/store/postgres")


class Row(NamedTuple):
    """What is said of something that is kept."""

    kept: str
    payer: str
    bound: str
    freed: str
    host: str


@cache
def rows() -> tuple[Row, ...]:
    """Return the rows of all tables."""
    lines = TABLE.read_text("utf-8").splitlines()
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"
    ]
    return tuple(Row(*each) for each in cells if each[0] not in ("kept", "---"))


@cache
def told() -> frozenset[str]:
    """Return all that the page tells of: the names in its first columns, and in its lists."""
    kept = [name for row in rows() for name in NAME.findall(row.kept)]
    text = TABLE.read_text("utf-8")
    lists = text[text.index("## Held from the start") :]
    return frozenset([*kept, *NAME.findall(lists)])


@cache
def kept() -> set[str]:
    """Return all that the source keeps."""
    tables = {name for folder in STORES for name in walk.tables(folder)}
    return {*walk.attributes(), *walk.variables(), *walk.remembered(), *tables}


def test_whatever_can_grow_is_told_of() -> None:
    assert sorted(kept() - told()) == []


def test_nothing_is_told_of_that_is_not_kept() -> None:
    files = {
        name
        for name in told()
        if name.endswith((".db", "-wal", "-shm", ".mark", ".lock", ".token", ".json", "/"))
    }
    assert sorted(told() - files - kept()) == []


def test_each_row_says_who_pays_what_bounds_it_and_what_frees_it() -> None:
    assert [row.kept for row in rows() if not (row.payer and row.bound and row.freed)] == []


def test_a_bound_is_a_setting_a_constant_or_something_told_of() -> None:
    known = {*Config.__struct_fields__, *walk.constants(), *told()}
    bounds = {name for row in rows() for name in NAME.findall(row.bound + row.freed)}
    assert sorted(bounds - known - {"hello", "leave"}) == []


def test_a_host_s_verb_is_one() -> None:
    verbs = {name.split()[0] for row in rows() for name in NAME.findall(row.host)}
    assert sorted(verbs - VERBS.keys() - {"purge"}) == []  # a command, while no server runs


def test_the_walk_sees_a_collection_however_it_is_made() -> None:
    """Else a new one would be told of by nobody."""
    assert {"Hub.peers", "Hub.routes", "MatchView._own", "Presence.rooms"} <= kept()
    assert {
        "LadderPlayer.points",
        "SqliteStore._file",
        "Socket.parts",
        "newest_1",
        "epochs",
    } <= kept()
