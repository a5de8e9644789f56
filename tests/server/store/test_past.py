"""The index of matches in a store: on disk it answers as the plain one in memory does."""

from __future__ import annotations

import contextlib
import random
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from server.store import FILE, open_store
from server.store.checksums import past_sum, row_sum
from server.store.contract import (
    LOOKED_AT,
    AnalysisRow,
    DroppedAnalysisRow,
    KeptAnalysis,
    MatchMoment,
    PastQuery,
    PastRow,
    PlayerKey,
    ProgressRow,
    RatedQuery,
    Store,
    StoreError,
    TallyQuery,
)
from server.store.sqlite import copies
from tests.server.memory_store import MemoryStore
from tests.server.store.rows import append, asked, event, read

NAMES = ["ann", "bob", "cem", "house/mcts", "dora"]
PEOPLE = [PlayerKey(name, number) for number, name in enumerate(NAMES, 1)]
PEOPLE.append(PlayerKey("ann", 9))  # who has taken a name that was free


def match(room: int, number: int = 1, at: int = 0, **more: Any) -> PastRow:
    """A match of ann's against bob."""
    row = PastRow(room, number, at, "go", 1, "ann", 2, "bob", 0, 0, 0, 0, b"%d.%d" % (room, number))
    return row._replace(**more)


def made_up(count: int) -> list[PastRow]:
    """Matches of some people, many of them at the same time."""
    rng = random.Random(7)
    rows = []
    for n in range(count):
        one, two = rng.sample(PEOPLE, 2)
        rows.append(
            match(
                rng.randrange(1, 30), n, at=rng.randrange(20), game=rng.choice(("go", "chess")),
                one=one.session, one_name=one.name, two=two.session, two_name=two.name,
                outcome=rng.choice((0, 0, 1, 2, 3)), private=rng.choice((0, 0, 1)),
                rated=rng.randrange(2), ladder=rng.choice((0, 0, 1)),
            )
        )  # fmt: skip
    return rows


def test_both_ways_to_a_checksum_of_a_match_come_to_the_same() -> None:
    odd = match(7, one_name="żółć", two_name="", body=b"\xff\x00")
    for row in (*made_up(20), odd):
        assert past_sum(row) == row_sum(row)


async def test_the_last_match_of_a_room_that_somebody_has_played(store: Store) -> None:
    rows = [match(1, n, one=n % 3, two=5) for n in range(1, 9)]
    assert await append(store, *rows, match(2, 1, one=7)) is None
    for session, last in ((0, 6), (1, 7), (2, 8), (5, 8)):
        ask = partial(store.read_last, 1, session)
        assert await asked(store, ask) == [rows[last - 1]]
    assert await asked(store, partial(store.read_last, 1, 7)) == []
    assert await append(store, match(1, LOOKED_AT + 8, one=5, two=6)) is None
    assert await asked(store, partial(store.read_last, 1, 2)) == []  # of long ago
    assert await asked(store, partial(store.read_last, 1, 5)) != []


async def test_the_store_on_disk_answers_as_the_one_in_memory(disk: Store) -> None:
    memory = MemoryStore()
    for store in (memory, disk):
        assert await append(store, *made_up(300)) is None

    async def same(ask: Callable[[Store], Callable[[Any], None]]) -> Any:
        answers = [await asked(store, ask(store)) for store in (memory, disk)]
        assert answers[0] == answers[1]
        return answers[0]

    moments: list[MatchMoment | None] = [None, MatchMoment(9, 15, 150), MatchMoment(0, 0, 0)]
    for who in (None, *PEOPLE, PlayerKey("bob", 1)):
        for private in (False, True):
            for before in moments:
                query = PastQuery(who, private, before, 15)
                await same(lambda s, q=query: lambda done: s.read_past(q, done))
        if who is not None:
            for limit in (1, 7, 1_000):
                tallied = TallyQuery(who, limit == 7, limit)
                found = await same(lambda s, q=tallied: lambda done: s.read_tallies(q, done))
                assert sum(row.won + row.drawn + row.lost for row in found.rows) <= limit
    for game in ("go", "chess", "halma"):
        await same(lambda s, g=game: lambda done: s.read_past(RatedQuery(g, 40), done))
    for name in (*NAMES, "eve"):
        owners = []
        for store in (memory, disk):
            rows = await asked(store, lambda done, s=store, n=name: s.read_owner(n, done))
            owners.append([_session(row, name) for row in rows])
        assert owners[0] == owners[1]
        assert owners[0] == [key.session for key in PEOPLE if key.name == name][-1:]
    await same(lambda s: lambda done: s.read_match(3, 7, done))


def _session(row: PastRow, name: str) -> int:
    return row.one if row.one_name == name else row.two


async def test_no_query_of_the_index_looks_at_more_than_its_ranges(tmp_path: Path) -> None:
    from server.store.sqlite import past

    with contextlib.closing(open_store(tmp_path)):
        db = sqlite3.connect(tmp_path / FILE)
        plans: list[str] = []

        class Spy:
            def execute(self, query: str, values: Any = ()) -> sqlite3.Cursor:
                plans.extend(row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {query}", values))
                return db.execute(query, values)

        spy: Any = Spy()
        for who in (None, PEOPLE[0]):
            for before in (None, MatchMoment(5, 1, 1)):
                past.select_past(spy, PastQuery(who, True, before, 9))
        past.select_past(spy, RatedQuery("go", 9))
        past.select_owner(spy, "ann")
        past.select_match(spy, 1, 1)
        assert [
            plan for plan in plans if plan.startswith("SCAN") and "USING INDEX" not in plan
        ] == []
        assert not any("TEMP B-TREE" in plan for plan in plans)
        plans.clear()
        past.select_tallies(spy, TallyQuery(PEOPLE[0], True, 9))
        assert [plan for plan in plans if plan.startswith("SCAN past")] == []
        db.close()


async def test_a_match_is_written_with_its_end_or_not_at_all(disk: Store) -> None:
    assert await append(disk, event(1, 1), match(1, at=2**70)) is not None
    assert await read(disk, 1) == []
    assert await append(disk, event(1, 1), match(1)) is None
    assert await append(disk, match(1, at=5)) is None  # again: it replaces the first
    assert [row.at for row in await asked(disk, lambda d: disk.read_match(1, 1, d))] == [5]


async def test_what_goes_through_all_rooms_says_how_far_it_is(disk: Store) -> None:
    assert disk.progress("past") == 0
    await append(disk, ProgressRow("past", 7))
    assert (disk.progress("past"), disk.progress("else")) == (7, 0)


async def test_analyses_are_kept_until_they_are_dropped(store: Store) -> None:
    rows = [AnalysisRow(2, 1, 9, b"abc"), AnalysisRow(1, 1, 5, b"d"), AnalysisRow(1, 1, 7, b"")]
    assert await append(store, *rows) is None
    assert store.kept_analyses() == [KeptAnalysis(1, 1, 7, 0), KeptAnalysis(2, 1, 9, 3)]
    assert await asked(store, lambda d: store.read_analysis(2, 1, d)) == rows[:1]
    assert await append(store, DroppedAnalysisRow(2, 1)) is None
    assert await asked(store, lambda d: store.read_analysis(2, 1, d)) == []


@pytest.mark.parametrize("table", ["past", "progress", "analysis"])
async def test_a_damaged_row_is_found_and_named(
    tmp_path: Path, table: str, caplog: pytest.LogCaptureFixture
) -> None:
    with contextlib.closing(open_store(tmp_path)) as store:
        await append(store, match(3), ProgressRow("past", 7), AnalysisRow(3, 1, 5, b"x"))
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as db:
        db.execute(f"UPDATE {table} SET sum = sum + 1")
        db.commit()
    with pytest.raises(StoreError, match=f"{table}.* is damaged: its checksum does not fit"):
        copies.backup(tmp_path, tmp_path / "backup.db")
    with contextlib.closing(open_store(tmp_path)) as store:
        if table == "past":
            assert await asked(store, lambda done: store.read_match(3, 1, done)) is None
            assert "match 3.1 cannot be read" in caplog.text
        elif table == "analysis":
            assert await asked(store, lambda done: store.read_analysis(3, 1, done)) is None
