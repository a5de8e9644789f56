"""Files of ours are written whole or not at all, and what cannot be read is kept."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from protocol.files import whole_file


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_made_and_replaced_with_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for data in (b"one", b"two"):
        whole_file.write(path, data)
        assert path.read_bytes() == data
    assert names(tmp_path) == ["a.json"]


def test_a_private_file_is_its_owner_s_and_any_other_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    whole_file.write(path, b"one", private=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)
    whole_file.write(path, b"two")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    whole_file.write(path, b"three", private=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_is_on_the_disk_before_it_has_its_name_and_then_its_name_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, steps = tmp_path / "a", []
    sync, replace = os.fsync, Path.replace

    def synced(descriptor: int) -> None:
        kind = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        steps.append(f"sync {kind}")
        sync(descriptor)

    def replaced(self: Path, target: Path) -> Path:
        steps.append("replace")
        return replace(self, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", replaced)
    whole_file.write(path, b"one")
    assert steps == ["sync file", "replace", "sync folder"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_on_a_full_or_broken_disk_the_old_file_stays_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def failing(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(OSError, match=os.strerror(number)) as caught:
        whole_file.write(path, b"new")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


def test_what_a_killed_process_has_left_beside_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / f".a.{os.getpid()}-0").write_bytes(b"half")
    whole_file.write(tmp_path / "a", b"whole")
    assert (tmp_path / "a").read_bytes() == b"whole"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "a")
    (tmp_path / "a").write_bytes(b"old")
    whole_file.write(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_bytes() == b"new"


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes")
def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        whole_file.write(pipe, b"all of it")
        assert os.read(reader, 99) == b"all of it"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_a_full_device_is_an_error_with_its_name() -> None:
    with pytest.raises(OSError, match="No space left"):
        whole_file.write(Path("/dev/full"), b"x")


def test_an_object_is_read_with_a_byte_order_mark_too(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    assert whole_file.read_object(path) is None
    assert whole_file.read_object(path / "b") is None
    path.write_bytes(b'\xef\xbb\xbf{"a": 1}')
    assert whole_file.read_object(path) == {"a": 1}


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_what_makes_no_sense_is_not_taken_for_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(data)
    with pytest.raises(whole_file.Damaged, match=r"a\.json makes no sense"):
        whole_file.read_object(path)


def test_each_file_that_is_put_aside_has_a_name_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    for text in ("one", "two"):
        path.write_text(text)
        whole_file.put_aside(path)
    assert names(tmp_path) == ["a.json.unreadable-1", "a.json.unreadable-2"]
