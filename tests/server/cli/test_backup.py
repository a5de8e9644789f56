"""`plyhouse backup` and `plyhouse restore`: there and back, and never over what is used."""

from __future__ import annotations

import contextlib
import shutil
import stat
from pathlib import Path

import pytest

from plyhouse import main
from server.store import FILE, open_store
from server.store.contract import RoomRow, SessionRow, StoreError
from tests.server.store.rows import append, event, noted, seqs
from tests.server.store.sqlite.test_migrations import FIRST, SCHEMAS, execute

ANN = SessionRow(1, "ann", b"t", 99, 0)


def backup(file: Path, data: Path) -> int:
    return main(["backup", str(file), "--data", str(data)])


def restore(file: Path, data: Path) -> int:
    return main(["restore", str(file), "--data", str(data)])


def leavings(folder: Path) -> list[Path]:
    """Files that are half a copy."""
    return list(folder.glob("**/*.part*"))


async def fill(folder: Path, rows: int) -> None:
    """Have so many events in the one room of a house."""
    with contextlib.closing(open_store(folder)) as store:
        there = len(store.all_events(1))
        new = [event(1, seq) for seq in range(there + 1, rows + 1)]
        await append(store, *new, RoomRow(1, 1), ANN)


async def test_a_running_house_is_copied_and_comes_back(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, new = tmp_path / "copy", tmp_path / "new"
    with contextlib.closing(open_store(tmp_path / "data")) as store:
        await append(store, event(1, 1), event(1, 2), RoomRow(1, 1), ANN)
        assert backup(file, tmp_path / "data") == 0
        assert await append(store, event(1, 3)) is None
        server = store.server
    said = f"{file}: events: 2, rooms and ladders: 1, names: 1; all of it checked\n"
    assert capsys.readouterr().out == said
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert restore(file, new) == 0
    assert capsys.readouterr().out == said.replace(str(file), str(new))
    with contextlib.closing(open_store(new)) as store:
        assert (store.server, store.epoch, seqs(store.all_events(1))) == (server, 2, [1, 2])
        assert (store.sessions(), store.open_rooms()) == ([ANN], [1])
        assert store.newest_events() == [event(1, 2)]  # though there is no mark that tells
        assert await append(store, event(1, 3)) is None
    assert not leavings(tmp_path)


async def test_what_was_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, file = tmp_path / "data", tmp_path / "copy"
    for round_ in (1, 2):
        await fill(data, rows=2)
        file.unlink(missing_ok=True)
        assert backup(file, data) == 0
        await fill(data, rows=3)
        assert restore(file, data) == 0
        assert f"is in {data / f'before-restore-{round_}'} now" in capsys.readouterr().out
        with contextlib.closing(open_store(data)) as store:
            assert seqs(store.all_events(1)) == [1, 2]
        with contextlib.closing(open_store(data / f"before-restore-{round_}")) as store:
            assert seqs(store.all_events(1)) == [1, 2, 3]


async def test_nothing_is_restored_over_a_running_house(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, file = tmp_path / "data", tmp_path / "copy"
    await fill(data, rows=2)
    assert backup(file, data) == 0
    with contextlib.closing(open_store(data)) as store:
        assert restore(file, data) == 1
        assert await append(store, event(1, 3)) is None
    assert "another server is using" in capsys.readouterr().err
    assert not list(data.glob("before-restore-*"))


async def test_what_is_left_of_a_house_can_be_gone_on_with(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    with contextlib.closing(open_store(data)) as store:
        await append(store, event(1, 1))
        await noted(store)
        shutil.copytree(data, copy)
    (copy / "plyhouse.db-wal").unlink()
    with pytest.raises(StoreError, match="lacks what was stored last"):
        open_store(copy)
    assert backup(tmp_path / "no", copy) == 1
    assert restore(copy / FILE, copy) == 0
    with contextlib.closing(open_store(copy)) as store:
        assert (store.epoch, store.all_events(1)) == (2, [])


@pytest.mark.parametrize(
    ("damage", "left_out"),
    [
        ("UPDATE session SET name = 'eve' WHERE number = 2; UPDATE event SET body = x'00'", 2),
        ("UPDATE room SET open = 0 WHERE number = 1", 1),
    ],
)
async def test_what_is_sound_of_a_damaged_house_can_be_gone_on_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], damage: str, left_out: int
) -> None:
    data = tmp_path / "data"
    await fill(data, rows=1)
    with contextlib.closing(open_store(data)) as store:
        await append(store, ANN._replace(number=2), RoomRow(2, 1, b"of events"))
        server = store.server
    execute(data, damage)
    assert restore(data / FILE, data) == 1
    assert "--leave-out-damaged" in capsys.readouterr().err
    assert main(["restore", str(data / FILE), "--data", str(data), "--leave-out-damaged"]) == 0
    assert f"\n{left_out} damaged rows" in capsys.readouterr().out
    with contextlib.closing(open_store(data)) as store:
        held = len(store.all_events(1)) + len(store.sessions()) + len(store.open_rooms())
        assert (store.server, held) == (server, 5 - left_out)
        assert {row.body for row in store.open_room_rows()} == {b""}  # some may be left out


def test_what_cannot_be_copied_is_a_sentence_and_leaves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data, file = tmp_path / "data", tmp_path / "copy"
    execute(data, SCHEMAS[1] + FIRST)
    open_store(data).close()
    (tmp_path / "diary").write_text("dear diary " * 100)
    execute(tmp_path / "other", "CREATE TABLE recipe (name);")

    def refused(code: int) -> str:
        assert code == 1
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)
        return said.err

    assert "there is no house in" in refused(backup(file, tmp_path / "nothing"))
    assert "there is no file" in refused(restore(tmp_path / "nothing", tmp_path / "new"))
    assert "cannot be copied" in refused(restore(tmp_path / "diary", tmp_path / "new"))
    assert "not one of Plyhouse's" in refused(restore(tmp_path / "other" / FILE, tmp_path / "new"))
    assert "cannot be written" in refused(backup(tmp_path / "nowhere" / "copy", data))
    assert backup(file, data) == 0
    capsys.readouterr()
    assert "is there already" in refused(backup(file, data))
    execute(data, "UPDATE event SET body = x'00'")
    assert "room 3, seq 1 is damaged" in refused(backup(tmp_path / "second", data))
    assert "room 3, seq 1 is damaged" in refused(restore(data / FILE, data))
    assert not leavings(tmp_path)
    assert restore(file, data) == 0
    open_store(data).close()
