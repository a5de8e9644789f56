"""Nobody else on the machine reads the files of a house."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.store import FILE, files, open_store
from server.store.sqlite import copies
from tests.server.store.rows import append, event


def modes(folder: Path) -> dict[str, int]:
    """The permissions of a folder (as ".") and of all that is in it."""
    paths = {".": folder} | {path.name: path for path in folder.iterdir()}
    return {name: stat.S_IMODE(path.stat().st_mode) for name, path in paths.items()}


@pytest.fixture(autouse=True)
def generous_umask() -> Iterator[None]:
    """As on most machines: others may read what is made."""
    before = os.umask(0o022)
    yield
    os.umask(before)


async def test_a_new_house_is_its_owner_s_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = open_store(tmp_path / "data")
    await append(store, event(1, 1))
    found = modes(tmp_path / "data")
    store.close()
    assert found.pop(".") == 0o700
    assert {FILE, "plyhouse.db-wal", "plyhouse.db-shm", "plyhouse.lock", "plyhouse.mark"} == set(
        found
    )
    assert set(found.values()) == {0o600}
    assert caplog.text == ""


def test_an_older_house_is_made_private_with_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    open_store(tmp_path).close()
    tokens, strange = tmp_path / "house-bots.json", tmp_path / "diary.txt"
    for path in (tokens, strange):
        path.write_text("{}")
    (tmp_path / FILE).chmod(0o644)
    tmp_path.chmod(0o755)
    open_store(tmp_path).close()
    found = modes(tmp_path)
    assert (found["."], found[FILE], found[tokens.name]) == (0o700, 0o600, 0o600)
    assert found[strange.name] == 0o644
    (record,) = caplog.records
    assert "could read" in record.getMessage()
    assert FILE in record.getMessage()
    open_store(tmp_path).close()
    assert len(caplog.records) == 1


def test_a_folder_that_all_users_share_stays_theirs(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    open_store(tmp_path).close()
    assert modes(tmp_path)["."] == 0o1777


def test_what_cannot_be_made_private_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    open_store(tmp_path).close()
    (tmp_path / FILE).chmod(0o644)

    def chmod(path: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", chmod)
    open_store(tmp_path).close()
    assert f"others on this machine may read {FILE}" in caplog.text


def test_a_restore_has_the_folder_of_what_was_there_on_the_disk_before_anything_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house, steps = tmp_path / "house", list[tuple[str, Path]]()
    sync, replace = files.sync, Path.replace
    open_store(house).close()
    copies.backup(house, tmp_path / "backup.db")

    def noted_sync(path: Path) -> None:
        steps.append(("sync", path))
        sync(path)

    def noted_replace(path: Path, to: Path) -> Path:
        steps.append(("to", to.parent))
        return replace(path, to)

    monkeypatch.setattr(files, "sync", noted_sync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    before = copies.restore(tmp_path / "backup.db", house).before
    assert before is not None
    assert ("sync", house) in steps[: steps.index(("to", before))]
