"""Whom one is at each server."""

from __future__ import annotations

import getpass
import stat
from pathlib import Path

import pytest

from client import keys
from client.keys import Keys


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def test_each_server_has_its_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = home / "plyhouse" / "keys"
    assert keys.file_of("127.0.0.1:8765") == folder / "127.0.0.1_8765.json"
    assert keys.file_of("ws://localhost:8765/ws") == folder / "127.0.0.1_8765.json"
    assert keys.file_of("https://play.example.org") == folder / "play.example.org_443.json"
    assert keys.file_of("[fe80::1]:9") == folder / "fe80__1_9.json"
    monkeypatch.delenv("XDG_DATA_HOME")
    assert keys.file_of("a:1") == Path.home() / ".local/share/plyhouse/keys/a_1.json"


def test_names_and_tokens_are_kept_for_their_owner_alone(home: Path) -> None:
    path = keys.file_of("a:1")
    assert keys.load(path) == Keys()
    assert keys.load(path).token(None) is None
    keys.remember(path, "ada", "one")
    keys.remember(path, "bob", "two")
    keys.remember(path, "bob", "two")
    kept = keys.load(path)
    assert kept == Keys("bob", {"ada": "one", "bob": "two"})
    assert (kept.token(None), kept.token("ada"), kept.token("eve")) == ("two", "one", None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_a_forgotten_name_is_no_longer_the_last(home: Path) -> None:
    path = keys.file_of("a:1")
    keys.remember(path, "ada", "one")
    keys.remember(path, "bob", "two")
    keys.forget(path, "bob")
    assert keys.load(path) == Keys(None, {"ada": "one"})


@pytest.mark.parametrize("text", ["", "[]", "{", '{"tokens": 3}', "\x00"])
def test_a_broken_file_is_no_file(home: Path, text: str) -> None:
    path = keys.file_of("a:1")
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert keys.load(path) == Keys()


def test_a_folder_that_cannot_be_written_is_no_error(home: Path) -> None:
    (home / "plyhouse").write_text("a file where the folder should be")
    keys.remember(keys.file_of("a:1"), "ada", "one")
    assert keys.load(keys.file_of("a:1")) == Keys()


@pytest.mark.parametrize(
    ("login", "name"),
    [("ada", "ada"), ("dom/ada@host", "domadahost"), ("a" * 40, "a" * 24), ("//", None)],
)
def test_the_login_makes_a_name_if_there_is_one(
    login: str, name: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: login)
    assert keys.own_name() == name


@pytest.mark.parametrize("error", [OSError, KeyError, ImportError])
def test_where_the_system_knows_no_login_there_is_no_name(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nobody() -> str:
        raise error("no such user")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert keys.own_name() is None
