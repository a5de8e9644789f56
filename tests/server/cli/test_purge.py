"""Purging: what is deleted is gone and said to be, all else is as it was."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

import pytest

from protocol.errors import Code
from server.cli import purge
from server.core.events import Chatted, Closed, Created, Event, Who, write_body
from server.services.purged import PURGED, refusal_of
from server.store import FILE, open_store
from server.store.contract import EventRow, RoomRow, SessionRow, StoreError
from server.store.sqlite import copies
from tests.server.core.score import ANN, BOB
from tests.server.store.rows import append
from tests.server.store.test_past import match

DAY_MS = 86_400_000
OLD, NEW = 20_000 * DAY_MS, 20_500 * DAY_MS  # 2024-10-04, 2026-02-16
SECRET = b"the middle of the board"


def room(number: int, at: int, who: Who, is_open: bool = False) -> list[EventRow | RoomRow]:
    """The rows of a room in which somebody talks."""
    from protocol.parts import Options

    events: list[Event] = [
        Created(at, "tic_tac_toe", Options(), who, None),
        Chatted(at, who, SECRET.decode()),
        Closed(at, "nobody was here"),
    ]
    rows = [
        EventRow(number, seq, 1, event.kind, None, write_body(event))
        for seq, event in enumerate(events[: 2 if is_open else 3], 1)
    ]
    return [*rows, RoomRow(number, int(is_open), b"kept")]


async def house(folder: Path) -> None:
    """Ann's old room and her open one, bob's old and new ones, and matches of them."""
    with contextlib.closing(open_store(folder)) as store:
        for rows in (
            room(1, OLD, ANN), room(2, NEW, BOB), room(3, OLD, BOB), room(4, OLD, ANN, is_open=True)
        ):  # fmt: skip
            assert await append(store, *rows) is None
        assert await append(store, match(1, 1, at=OLD), match(2, 1, at=NEW)) is None
        assert await append(store, SessionRow(1, "ann", b"t", NEW, 0)) is None
        assert await append(store, *room(5, OLD, ANN)) is None  # the newest event of all goes, too


def purged(folder: Path, *words: str) -> int:
    """Run the command, and return its exit code."""
    parser = argparse.ArgumentParser()
    purge.add_arguments(parser)
    return purge.run(parser.parse_args([*words, "--data", str(folder)]))


def left(folder: Path) -> tuple[dict[int, list[str]], list[int]]:
    """The kinds of events that each room has, and which rooms are open."""
    with contextlib.closing(open_store(folder)) as store:
        kinds = {n: [row.kind for row in store.all_events(n)] for n in range(1, 6)}
        return kinds, store.open_rooms()


WHOLE, OPEN = ["created", "said", "closed"], ["created", "said"]


@pytest.mark.parametrize(
    ("words", "gone"),
    [(("--before", "2025-01-01"), {1, 3, 5}), (("--of", "ANN"), {1, 5}), (("--of", "eve"), set())],
)
async def test_what_is_purged_is_gone_and_all_else_is_as_it_was(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], gone: set[int]
) -> None:
    await house(tmp_path)
    assert purged(tmp_path, *words) == (2 if gone else 0)  # nobody can be asked
    out = capsys.readouterr().out
    assert (f"{len(gone)} rooms with" in out) == bool(gone)
    assert ("(4); close them" in out) == ("eve" not in words)
    size = (tmp_path / FILE).stat().st_size
    assert SECRET in (tmp_path / FILE).read_bytes()
    assert purged(tmp_path, *words, "--yes") == 0
    assert (tmp_path / FILE).stat().st_size <= size
    expected = {n: [PURGED] if n in gone else WHOLE for n in (1, 2, 3, 5)}
    assert left(tmp_path) == (expected | {4: OPEN}, [4])
    rest = (tmp_path / FILE).read_bytes().count(SECRET)
    assert rest == 5 - len(gone)
    copies.backup(tmp_path, tmp_path / "backup")
    copies.restore(tmp_path / "backup", tmp_path / "again")
    assert left(tmp_path / "again") == (expected | {4: OPEN}, [4])
    with contextlib.closing(open_store(tmp_path)) as store:
        row = next(iter(store.all_events(1)))
    no = refusal_of(row.kind, row.body)
    assert (no is not None) == (1 in gone)
    if no is not None:
        assert no.code == Code.ROOM_PURGED
        assert "purged by the host on 20" in no.text
    assert purged(tmp_path, *words, "--yes") == 0
    assert "nothing to delete" in capsys.readouterr().out


async def test_nothing_is_purged_while_a_server_runs_or_where_there_is_none(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert purged(tmp_path, "--of", "ann", "--yes") == 1
    assert "there is no house" in capsys.readouterr().err
    await house(tmp_path)
    with contextlib.closing(open_store(tmp_path)):
        assert purged(tmp_path, "--of", "ann", "--yes") == 1
    assert "another server is using" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        purged(tmp_path, "--before", "31.1.2026")
    assert "is no day" in capsys.readouterr().err
    assert left(tmp_path)[0][1] == WHOLE


def test_a_damaged_last_row_of_a_purged_room_still_says_so() -> None:
    no = refusal_of(PURGED, b"\xc1")
    assert no is not None
    assert no.text == "this record was purged by the host: nothing is left"
    assert refusal_of("created", b"") is None


def test_a_purge_that_cannot_be_written_has_deleted_nothing(tmp_path: Path) -> None:
    from server.store.copying import purge as purge_house

    open_store(tmp_path).close()

    def choose(_: set[int]) -> tuple[int, ...]:
        return (1,)

    with pytest.raises(StoreError, match="cannot be written"):
        purge_house(tmp_path, None, lambda _: None, choose, PURGED, {})  # type: ignore[arg-type]
