"""Tokens of bots in a file."""

from __future__ import annotations

import errno
import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bots.online.tokens import BadTokenFile, Tokens, default_file


def test_tokens_are_kept_by_server_and_name_for_their_owner_alone(
    tmp_path: Path,
) -> None:
    tokens = Tokens(tmp_path / "new" / "tokens.json")
    assert tokens.get("a:1", "ann") is None
    tokens.put("a:1", "ann", "one")
    tokens.put("a:2", "ann", "two")
    tokens.put("a:1", "ann", "three")
    assert Tokens(tokens.path).get("a:1", "ann") == "three"
    assert Tokens(tokens.path).get("a:2", "ann") == "two"
    assert list(tokens.path.parent.iterdir()) == [tokens.path]
    assert stat.S_IMODE(tokens.path.stat().st_mode) == 0o600


def test_the_token_that_a_server_has_written_for_its_house_is_good_at_any_address(
    tmp_path: Path,
) -> None:
    tokens = Tokens(tmp_path / "house-bots.json")
    tokens.path.write_text('{"house": "new", "a:1 house": "old"}')
    before = tokens.path.read_bytes()
    assert tokens.get("a:1", "house") == tokens.get("b:2", "house") == "new"
    tokens.put("a:1", "house", "new")
    assert tokens.path.read_bytes() == before


@pytest.mark.parametrize("text", ["{", "[]", '{"a": 1}'])
def test_a_file_of_something_else_is_named_and_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "notes.json"
    path.write_text(text)
    with pytest.raises(BadTokenFile, match=r"notes.json holds no tokens"):
        Tokens(path).put("a:1", "ann", "one")
    assert path.read_text() == text


def test_the_users_data_folder_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/somewhere")
    assert default_file() == Path("/somewhere/plyhouse/bot-tokens.json")


def test_bots_that_store_their_tokens_at_the_same_moment_lose_none(tmp_path: Path) -> None:
    path = tmp_path / "tokens.json"
    with ThreadPoolExecutor(8) as bots:
        list(bots.map(lambda n: Tokens(path).put("a:1", f"bot{n}", str(n)), range(40)))
    assert len(json.loads(path.read_text())) == 40


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC])
def test_where_no_token_could_be_stored_no_name_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    tokens = Tokens(tmp_path / "tokens.json")
    tokens.check_room()
    assert tokens.path.exists()

    def failing(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", failing)
    with pytest.raises(BadTokenFile, match=f"tokens.json cannot be written: {os.strerror(number)}"):
        tokens.check_room()
