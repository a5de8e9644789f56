"""Whom one is at each server."""

from __future__ import annotations

import getpass
import stat
from concurrent.futures import ThreadPoolExecutor
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
    assert kept == Keys("ada", {"ada": "one", "bob": "two"})
    assert (kept.token(None), kept.token("bob"), kept.token("eve")) == ("one", "two", None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_ones_own_name_stays_until_it_is_forgotten(home: Path) -> None:
    path = keys.file_of("a:1")
    keys.remember(path, "ada", "one")
    keys.remember(path, "bob", "two")
    keys.remember(path, "ada", "three")
    assert keys.load(path) == Keys("ada", {"ada": "three", "bob": "two"})
    keys.forget(path, "ada")
    assert keys.load(path) == Keys(None, {"bob": "two"})
    keys.remember(path, "eve", "four")
    assert keys.load(path).own == "eve"


def test_a_file_of_before_is_read(home: Path) -> None:
    path = keys.file_of("a:1")
    path.parent.mkdir(parents=True)
    path.write_text('{"last": "bob", "tokens": {"ada": "one", "bob": "two"}}')
    assert keys.load(path) == Keys("bob", {"ada": "one", "bob": "two"})


def test_programs_that_start_at_once_lose_no_token(home: Path) -> None:
    path = keys.file_of("a:1")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: keys.remember(path, f"bot {n}", str(n)), range(40)))
    assert len(keys.load(path).tokens) == 40


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
