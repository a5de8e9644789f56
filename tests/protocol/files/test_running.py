"""Where running servers tell how to reach them, and what lies there after a crash."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from protocol.files import folders, running


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    (tmp_path / "plyhouse").mkdir()
    return tmp_path / "plyhouse"


def test_a_server_that_runs_is_found(folder: Path) -> None:
    path = running.tell("http://127.0.0.1:9100")
    assert path == folder / f"{os.getpid()}.json"
    assert running.urls() == ["http://127.0.0.1:9100"]


@pytest.mark.parametrize(
    "text",
    [
        "", '{"url"', "[]", '{"pid": 1}', '{"url": 7, "pid": 1}', '{"url": "x", "pid": 1}',
        '{"url": "http://[::1", "pid": 1}', '{"url": "http://a:99999", "pid": 1}',
        '{"url": "http://127.0.0.1:1", "pid": 99999999999999999999}',
        '{"url": "http://127.0.0.1:1", "pid": "1"}', '{"url": "http://127.0.0.1:1", "pid": 1e400}',
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_passed_over_and_removed(folder: Path, text: str) -> None:
    (folder / "1.json").write_text(text)
    assert running.urls() == []
    assert list(folder.iterdir()) == []


def test_without_a_home_nothing_is_told_and_nobody_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for variable in ("XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(Path, "home", nobody)
    assert running.tell("http://127.0.0.1:9100") is None
    assert running.urls() == []
    with pytest.raises(folders.NoHome, match="HOME is not set, and this user has no name"):
        folders.cache()
