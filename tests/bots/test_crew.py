"""`plyhouse bot` with a ladder or the anchors, at a house without a network."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

import pytest

from bots import anchors, app, compiled, crew
from bots.terms import Entry
from protocol.errors import Code
from tests.bots.fake_house import FakeHouse, refusal


async def _nothing(entries: object) -> None:
    """In place of compiling."""


async def _game_of(ladder: str, url: str) -> str:
    return "tic_tac_toe"


class Street:
    """Where `enter` finds a house: a fake one for each entry that comes, which soon ends it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.houses: dict[str, FakeHouse] = {}
        self.entries: dict[str, Entry] = {}
        self.names: set[str] = set()
        self.refuse: list[Exception] = []
        monkeypatch.setattr(crew, "enter", self.enter)
        monkeypatch.setattr(app, "game_of", _game_of)
        monkeypatch.setattr(compiled, "at_once", True)
        monkeypatch.setattr(anchors, "LOOK_S", 0.01)
        monkeypatch.setattr(app.readiness, "prepare_beside", _nothing)

    async def enter(
        self, entry: Entry, url: str, name: str, *more: object, **how: object
    ) -> object:
        house = self.houses[entry.name] = FakeHouse()
        self.entries[entry.name] = entry
        self.names.add(name)
        house.name = name
        if self.refuse:
            house.refuse["ladder_join"] = [self.refuse.pop()]
        asyncio.get_running_loop().call_later(0.05, house.end)
        return house


@pytest.fixture
def street(monkeypatch: pytest.MonkeyPatch) -> Street:
    return Street(monkeypatch)


def bot(tmp_path: Path, *words: str) -> int:
    parser = argparse.ArgumentParser()
    app.add_arguments(parser)
    tokens = ["--token-file", str(tmp_path / "tokens.json"), "--at-once", "--quiet"]
    return app.run(parser.parse_args([*words, *tokens]))


def test_all_are_here_before_the_first_joins(street: Street, tmp_path: Path) -> None:
    words = "random minimax --ladder daily --slots 3 --name ann --version 7"
    assert bot(tmp_path, *words.split()) == 0
    joins = [house.calls[0] for house in street.houses.values()]
    assert [(call[0], call[1], call[3]) for call in joins] == [("ladder_join", "daily", 3)] * 2
    assert {entry.info().version for entry in street.entries.values()} == {"7"}
    assert {entry.games for entry in street.entries.values()} == {("tic_tac_toe",)}


def test_one_program_comes_under_another_name(
    street: Street, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "random --as random-2 --ladder daily --name ann"
    assert bot(tmp_path, *words.split()) == 0
    assert list(street.houses) == ["random-2"]
    assert capsys.readouterr().out.endswith("as ann/random-2\n")


def test_a_refused_join_ends_it_with_the_sentence(
    street: Street, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    street.refuse.append(refusal(Code.LADDER_UNKNOWN, "no ladder is called daily; there is weekly"))
    assert bot(tmp_path, "random", "--ladder", "daily") == 2
    assert capsys.readouterr().err == "plyhouse: no ladder is called daily; there is weekly\n"


def test_the_anchors_alone_are_the_houses(street: Street, tmp_path: Path) -> None:
    assert bot(tmp_path, "--anchors") == 0
    assert list(street.houses) == ["random"]
    assert street.names == {"house"}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("", "name a bot; there are"),
        ("random minimax --as both", "--as names one bot"),
        ("random --as a/b", "'a/b' is no name of a program: 1 to 24 letters"),
        ("random --version 1@2", "'1@2' is no name of a version: 1 to 24 letters"),
    ],
)
def test_wrong_words_are_answered_with_a_sentence(
    street: Street, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, sentence: str
) -> None:
    assert bot(tmp_path, *words.split()) == 2
    assert sentence in capsys.readouterr().err
    assert street.houses == {}
