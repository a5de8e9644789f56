"""Whatever is wrong with the place of compiled code, a bot plays on, and says so once."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from bots.engine import code_cache

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for cached in (code_cache._temporary, code_cache._remove_old, code_cache._said):
        cached.cache_clear()


def test_compiled_code_lies_in_the_user_s_cache(tmp_path: Path) -> None:
    assert code_cache.folder_of("uct-1") == tmp_path / "cache" / "plyhouse" / "uct-1"
    assert (tmp_path / "cache" / "plyhouse" / "uct-1").is_dir()


def test_without_a_place_in_the_home_it_is_a_temporary_one_which_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    folder = code_cache.folder_of("uct-1")
    assert folder is not None
    assert folder.is_relative_to(tmp_path / "tmp")
    assert code_cache.folder_of("uct-1") == folder
    [line] = caplog.messages
    assert f"compiled code is kept in {folder.parents[1]} until this ends" in line
    assert "Not a directory" in line


def test_without_any_place_it_is_kept_nowhere_which_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    assert code_cache.folder_of("uct-1") is None
    [line] = caplog.messages
    assert "compiled code is kept nowhere, so each start compiles (" in line


def test_a_folder_that_another_user_has_made_has_one_of_ours_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = tmp_path / "cache" / "plyhouse" / "uct-1"
    theirs.mkdir(parents=True)
    access = os.access
    monkeypatch.setattr(
        os, "access", lambda path, mode: Path(path) != theirs and access(path, mode)
    )
    assert code_cache.folder_of("uct-1") == theirs.with_name(f"uct-1.{os.getuid()}")


class FailingCache:
    """Like numba's, of a function whose files cannot be used."""

    cache_path = "/somewhere/uct-1"

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.thrown_away = 0

    def load_overload(self, *_: object) -> object:
        raise self.error

    save_overload = load_overload

    def flush(self) -> None:
        self.thrown_away += 1
        raise self.error


@pytest.mark.parametrize(
    "error", [EOFError("Ran out of input"), OSError(errno.EIO, "Input/output error")]
)
def test_an_entry_that_cannot_be_read_is_thrown_away_and_told_once(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    inner = FailingCache(error)
    for _ in range(2):
        assert code_cache.SafeCache(inner).load_overload(None, None) is None
    assert inner.thrown_away == 2
    [line] = caplog.messages
    assert line.startswith("plyhouse: compiled code in /somewhere/uct-1 is damaged, and made anew")
    assert str(error.args[-1]) in line


def test_what_cannot_be_kept_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    safe = code_cache.SafeCache(FailingCache(OSError(errno.ENOSPC, "No space left on device")))
    for _ in range(2):
        safe.save_overload(None, None)
    [line] = caplog.messages
    assert line.endswith("uct-1 cannot be kept (No space left on device)")


def test_an_entry_has_a_digest(tmp_path: Path) -> None:
    whole = code_cache._sealed(b"\x80\x04K\x07.")  # 7, pickled
    assert code_cache._unsealed(whole) == 7
    for torn in (b"", whole[:-1], whole[:2] + b"\0" + whole[3:]):
        with pytest.raises(ValueError, match="its digest does not fit"):
            code_cache._unsealed(torn)


PROBE = """
import numba
from bots.engine import code_cache
import twice
numba.config.CACHE_DIR = {folder!r}
kernel = numba.njit(cache=True)(twice.twice)
kernel._cache = code_cache.SafeCache(kernel._cache)
print(kernel(4), sum(kernel.stats.cache_hits.values()))
"""


def _damage(file: Path, how: str) -> None:
    data = file.read_bytes()
    if how == "zeros":  # as a power cut leaves a page
        middle = len(data) // 2
        file.write_bytes(data[:middle] + bytes(64) + data[middle + 64 :])
    elif how == "a folder":
        file.unlink()
        file.mkdir()
    else:
        file.write_bytes(data[: {"cut": 40, "empty": 0}[how]])


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("how", ["cut", "empty", "zeros", "a folder"])
def test_numba_s_own_files_may_be_damaged_in_any_way(tmp_path: Path, ending: str, how: str) -> None:
    (tmp_path / "twice.py").write_text("def twice(x):\n    return 2 * x\n")
    folder = tmp_path / "kept"

    def run() -> subprocess.CompletedProcess[str]:
        env: dict[str, Any] = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
        probe = PROBE.format(folder=str(folder))
        return subprocess.run(
            [sys.executable, "-c", probe], env=env, capture_output=True, text=True, timeout=120,
            check=True,
        )  # fmt: skip

    assert run().stdout == "8 0\n"
    assert run().stdout == "8 1\n"
    [file] = folder.rglob(f"*.{ending}")
    _damage(file, how)
    done = run()
    assert done.stdout == "8 0\n"
    assert "Traceback" not in done.stderr
    if how != "a folder":
        assert run().stdout == "8 1\n"
