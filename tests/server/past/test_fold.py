"""The index of matches is the fold of the log: made at the end of each match, or afterwards."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import Any

import pytest

from games import registry
from protocol import messages, parts
from server.core.events import Ended, Started, write_body
from server.core.past import summary as summaries
from server.core.past.fold import PastFold
from server.core.past.summary import MatchSummary, NotReplayed
from server.past import indexing
from server.rooms.index_rows import row_of
from server.store import open_store
from server.store.contract import INDEXING, EventRow, PastRow, ProgressRow, RoomRow
from tests.server.core.score import ANN, BOB, TERMS, Score, finished, started
from tests.server.memory_store import MemoryStore
from tests.server.scene import Scene
from tests.server.store.rows import append, settle

GAMES = [name for name in registry.names() if name != "pebbles"]
# Each game on all terms: in every run on half of them, the next game on the other half.
EACH = [
    pytest.param(game, terms, marks=pytest.mark.slow if (row + column) % 2 else ())
    for row, game in enumerate(GAMES)
    for column, terms in enumerate(TERMS)
]


def folded(rows: list[EventRow]) -> list[MatchSummary]:
    """What the events of a room tell of its matches."""
    fold = PastFold()
    return [found for row in rows if (found := fold.take(row.kind, row.body)) is not None]


@pytest.mark.parametrize(("game", "terms"), EACH)
def test_both_ways_to_a_match_that_is_over_lead_to_the_same(game: str, terms: str) -> None:
    score = Score(game, terms)
    live: list[MatchSummary] = []
    logs: list[list[EventRow]] = []
    for table in score.steps():
        if table.rows not in logs[-1:]:
            logs.append(table.rows)
        if any(isinstance(event, Ended) for event in table.events):
            found = summaries.of_room(table.room)
            assert found is not None
            live.append(found)
    assert live == [found for rows in logs for found in folded(rows)]
    assert live or game in ("backgammon", "ultimate_tic_tac_toe")


def test_what_today_s_rules_cannot_follow_has_no_position() -> None:
    table = finished()
    (start,) = [row for row in table.rows if row.kind == "started"]
    old = Started(0, "tic_tac_toe", 99, parts.Options(), (ANN, BOB), None, ("", ""))
    rows = [row._replace(body=write_body(old)) if row is start else row for row in table.rows]
    (found,) = folded(rows)
    assert (found.position, found.plies, found.result.reason) == ("", 5, "line")


def test_an_event_that_cannot_be_read_leaves_its_match_out_alone() -> None:
    rows = [row._replace(body=b"\xc1") if row.kind == "play" else row for row in finished().rows]
    assert folded(rows + started().rows[5:] + finished().rows[-1:]) != folded(rows) == []


def test_what_is_stored_is_read_again_and_nothing_else() -> None:
    (found,) = folded(finished().rows)
    assert summaries.read_summary(summaries.write_summary(found)) == found
    with pytest.raises(NotReplayed):
        summaries.read_summary(b"\xc1")


def filled(store: MemoryStore, rooms: int) -> dict[tuple[int, int], PastRow]:
    """The log of so many rooms, each with a match, and the index that is to be made of it."""
    index = {}
    for room in range(1, rooms + 1):
        rows = [row._replace(room=room) for row in finished().rows]
        store.events |= {(room, row.seq): row for row in rows}
        store.rooms[room] = RoomRow(room, 0)
        (found,) = folded(rows)
        index[room, 1] = row_of(room, 1, found)
    store.gone_on[INDEXING] = rooms
    return index


def test_older_logs_are_put_into_the_index_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "PAGE", 3)
    monkeypatch.setattr(indexing, "ROOMS", 4)
    store = MemoryStore()
    index = filled(store, 10)
    store.events[4, 3] = store.events[4, 3]._replace(body=b"\xc1")
    scene = Scene(store=store)
    scene.wait(60_000)
    assert (store.past, store.gone_on[INDEXING]) == (index, 0)
    appends = store.appends
    scene.close()
    again = scene.again()
    again.wait(60_000)
    assert store.appends == appends


def test_a_server_that_is_killed_goes_on_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexing, "ROOMS", 3)
    store = MemoryStore()
    index = filled(store, 10)
    scene = Scene(store=store)
    while store.gone_on[INDEXING] == 10:
        assert scene.loop.next(scene.loop.at + 60)
        store.settle()
    assert 0 < len(store.past) < 10
    scene.again().wait(60_000)
    assert (store.past, store.gone_on[INDEXING]) == (index, 0)


def test_a_disk_that_is_full_is_tried_again() -> None:
    store = MemoryStore()
    index = filled(store, 2)
    scene = Scene(store=store)
    store.broken = False
    original = store._write
    failures = [OSError("no space left on device")]
    store._write = lambda rows: failures.pop() if failures else original(rows)  # type: ignore[method-assign]
    scene.wait(1_000)
    assert store.past == {}
    scene.wait(120_000)
    assert store.past == index


def test_while_the_log_cannot_be_read_no_room_is_passed_over() -> None:
    store = MemoryStore()
    index = filled(store, 10)
    scene = Scene(store=store)
    store.broken = True
    scene.wait(120_000)
    assert (store.past, store.gone_on[INDEXING]) == ({}, 10)
    store.broken = False
    scene.wait(120_000)
    assert (store.past, store.gone_on[INDEXING]) == (index, 0)


def test_a_room_for_which_there_was_no_memory_once_is_in_the_index(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store, failures = MemoryStore(), [MemoryError()]
    index = filled(store, 3)
    fold = indexing._fold

    def fold_if_there_is_memory(*read: Any) -> Any:
        if failures:
            raise failures.pop()
        return fold(*read)

    monkeypatch.setattr(indexing, "_fold", fold_if_there_is_memory)
    Scene(store=store).wait(120_000)
    assert (store.past, store.gone_on[INDEXING]) == (index, 0)


def test_a_room_that_alone_cannot_be_read_is_passed_over() -> None:
    store = MemoryStore()
    index = filled(store, 10)
    read = store.read_events
    store.read_events = lambda room, *rest: (  # type: ignore[method-assign]
        rest[2](None) if room == 4 else read(room, *rest)
    )
    Scene(store=store).wait(120_000)
    del index[4, 1]
    assert (store.past, store.gone_on[INDEXING]) == (index, 0)


def test_the_end_of_a_match_and_its_row_are_one_append(scene: Scene) -> None:
    """A store that loses what it was told last has both or none: the index equals the fold."""
    at = scene.match()
    rng = random.Random(5)
    for n in range(40):
        at.ann.send(messages.Resign(match=f"{at.room}.{n + 1}"))
        if rng.random() < 0.5:
            scene.store.settle()
        for player in (at.ann, at.bob):
            player.send(messages.Ready(room=at.room))
        index = [scene.store.past[key].body for key in sorted(scene.store.past)]
        rows = scene.store.all_events(at.room)
        assert index == [summaries.write_summary(found) for found in folded(rows)]
        scene.store.settle()


async def test_a_match_that_cannot_go_on_is_in_the_index(tmp_path: Path) -> None:
    table = started()
    table.plays("1", "4")
    bad = [
        row._replace(body=row.body.replace(b"\xa14", b"\xa11")) if row.seq == 8 else row
        for row in table.rows
    ]
    store = MemoryStore()
    await append(store, *bad, RoomRow(table.room.number, 1))
    scene = Scene(store=store)
    (row,) = store.past.values()
    found = summaries.read_summary(row.body)
    assert (found.result.how, found.plies, found.position) == ("void", 2, "")
    assert folded(store.all_events(table.room.number)) == [found]
    scene.close()


async def test_a_house_that_was_cut_down_to_what_is_sound_makes_its_index_anew(
    tmp_path: Path,
) -> None:
    from server.store.sqlite import copies

    rows = finished().rows
    (found,) = folded(rows)
    with contextlib.closing(open_store(tmp_path / "old")) as store:
        row = row_of(rows[0].room, 1, found)
        done = await append(store, *rows, RoomRow(rows[0].room, 0), row, ProgressRow(INDEXING, 0))
        assert done is None
        settle(store)
    file = tmp_path / "backup.db"
    copies.backup(tmp_path / "old", file)
    copies.restore(file, tmp_path / "whole")
    with contextlib.closing(open_store(tmp_path / "whole")) as store:
        assert store.progress(INDEXING) == 0
    copies.restore(file, tmp_path / "sound", leave_out_damaged=True)
    with contextlib.closing(open_store(tmp_path / "sound")) as store:
        assert store.progress(INDEXING) == rows[0].room
