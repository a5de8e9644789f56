"""Whom one is at each server."""

from __future__ import annotations

import errno
import getpass
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from client.names import keys
from client.names.keys import Keys


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
    assert keys.load("a:1") == Keys()
    assert keys.load("a:1").token(None) is None
    keys.remember("a:1", "ada", "one")
    keys.remember("a:1", "bob", "two")
    keys.remember("a:1", "bob", "two")
    kept = keys.load("a:1")
    assert kept == Keys("ada", {"ada": "one", "bob": "two"})
    assert (kept.token(None), kept.token("bob"), kept.token("eve")) == ("one", "two", None)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_ones_own_name_stays_until_it_is_forgotten(home: Path) -> None:
    keys.remember("a:1", "ada", "one")
    keys.remember("a:1", "bob", "two")
    keys.remember("a:1", "ada", "three")
    assert keys.load("a:1") == Keys("ada", {"ada": "three", "bob": "two"})
    keys.forget("a:1", "ada")
    assert keys.load("a:1") == Keys(None, {"bob": "two"})
    keys.remember("a:1", "eve", "four")
    assert keys.load("a:1").own == "eve"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_file_of_before_is_read_and_so_is_what_an_editor_has_saved(
    home: Path, mark: bytes
) -> None:
    path = keys.file_of("a:1")
    path.parent.mkdir(parents=True)
    path.write_bytes(mark + b'{"last": "bob", "tokens": {"ada": "one", "bob": "two"}}')
    assert keys.load("a:1") == Keys("bob", {"ada": "one", "bob": "two"})


def test_programs_that_start_at_once_lose_no_token(home: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: keys.remember("a:1", f"bot {n}", str(n)), range(40)))
    assert len(keys.load("a:1").tokens) == 40


@pytest.mark.parametrize("text", ["", "[]", "{", '{"tokens": 3}', "\x00"])
def test_a_file_that_makes_no_sense_is_put_aside_before_another_is_written(
    home: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    path = keys.file_of("a:1")
    for number in (1, 2):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        assert keys.load("a:1") == Keys()
        keys.remember("a:1", "ada", str(number))
        assert keys.load("a:1") == Keys("ada", {"ada": str(number)})
        aside = path.with_name(f"{path.name}.unreadable-{number}")
        assert aside.read_text() == text
        assert f"{path} makes no sense; it is kept as {aside.name}" in caplog.text


def test_a_file_that_may_not_be_read_is_neither_taken_for_empty_nor_written_over(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    keys.remember("a:1", "ada", "one")
    before = keys.file_of("a:1").read_bytes()

    def denied(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", denied)
        with pytest.raises(keys.UnreadableKeys, match=r"a_1\.json, .* cannot be read: Permission"):
            keys.load("a:1")
        keys.forget("a:1", "ada")
    assert keys.file_of("a:1").read_bytes() == before


def test_where_nothing_can_be_kept_one_plays_on_and_is_told(
    home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (home / "plyhouse").write_text("a file where the folder should be")
    keys.remember("a:1", "ada", "one")
    assert "next time you cannot be ada, as it is kept nowhere: " in caplog.text
    assert keys.load("a:1") == Keys()


def test_without_a_home_one_plays_on_and_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(Path, "home", _nobody)
    assert keys.load("a:1") == Keys()
    keys.remember("a:1", "ada", "one")
    assert "HOME is not set, and this user has no name; XDG_DATA_HOME can name" in caplog.text


def _nobody() -> Path:
    raise RuntimeError("Could not determine home directory.")


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
