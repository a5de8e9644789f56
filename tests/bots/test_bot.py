"""Budgets, settings, notes, and the registry of bots."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots import registry
from bots.bot import (
    MOST_MS,
    MOST_NODES,
    NOTE_BYTES,
    BadBudget,
    BadSetting,
    Budget,
    Choice,
    Setting,
    fit,
    full_note,
    read_settings,
)
from games import registry as games
from games.game import CHANCE

TABLE = (
    Setting("exploration", 1.4, "", 0.0, 10.0),
    Setting("depth", 0, "", 0, 100),
    Setting("pruning", True, ""),
    Setting("ties", "seed", "", words=("seed", "lowest")),
)


@pytest.mark.parametrize(
    "budget", [{}, {"nodes": 0}, {"ms": 0}, {"nodes": -5}, {"nodes": 5, "ms": -1}]
)
def test_a_budget_needs_a_positive_limit(budget: dict[str, int]) -> None:
    with pytest.raises(BadBudget, match=r"must be 1 or more|needs nodes, ms or both"):
        Budget(**budget)


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [
        ({"nodes": MOST_NODES + 1}, "nodes must be 1,000,000,000,000,000,000 or less"),
        ({"nodes": 5, "ms": 10**400}, "ms must be 2,592,000,000 or less"),
    ],
)
def test_a_budget_that_nothing_can_count_or_time_is_refused(
    budget: dict[str, int], sentence: str
) -> None:
    with pytest.raises(BadBudget, match=sentence):
        Budget(**budget)


@pytest.mark.parametrize("name", registry.names())
def test_the_largest_budget_is_one(name: str) -> None:
    for game in filter(registry.kind(name).plays, map(games.game, ("connect_four", "backgammon"))):
        position = game.initial()
        while position.to_move == CHANCE:
            position = position.apply(position.legal_actions()[0])
        choice = registry.bot(name).choose(position, Budget(MOST_NODES, MOST_MS), stop=[1])
        assert choice.action in position.legal_actions()


def test_a_cap_of_time_only_ever_shortens() -> None:
    assert Budget(nodes=5).within(None) == Budget(nodes=5)
    assert Budget(nodes=5).within(80) == Budget(nodes=5, ms=80)
    assert Budget(ms=50).within(80) == Budget(ms=50)
    assert Budget(ms=500).within(80) == Budget(ms=80)


def test_settings_are_read_from_texts_and_from_values() -> None:
    given = {"exploration": "2", "depth": 7, "pruning": "off", "ties": "lowest"}
    assert read_settings(TABLE, given) == {
        "exploration": 2.0,
        "depth": 7,
        "pruning": False,
        "ties": "lowest",
    }
    assert read_settings(TABLE, {"pruning": True})["pruning"] is True
    assert read_settings(TABLE, {})["exploration"] == 1.4


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("exploration", "11", "exploration=11 is not possible: it takes 0.0 to 10.0"),
        ("exploration", "nan", "exploration=nan is not possible"),
        ("exploration", "much", "exploration=much is not possible"),
        ("depth", "1.5", "depth=1.5 is not possible: it takes a whole number from 0 to 100"),
        ("pruning", "maybe", "pruning=maybe is not possible: it takes on or off"),
        ("ties", "highest", "ties=highest is not possible: it takes seed or lowest"),
        ("colour", "red", "there is no setting 'colour'; this bot has: exploration"),
    ],
)
def test_a_wrong_setting_is_answered_with_what_is_allowed(
    name: str, value: str, sentence: str
) -> None:
    with pytest.raises(BadSetting, match=sentence):
        read_settings(TABLE, {name: value})


def test_the_registry_says_whose_setting_it_was() -> None:
    with pytest.raises(BadSetting, match=r"random: there is no setting 'depth'; .* none at all"):
        registry.bot("random", depth=3)


def test_an_unknown_bot_is_answered_with_those_that_exist() -> None:
    with pytest.raises(registry.UnknownBot, match=r"'deep'; there are .*mcts, minimax, random"):
        registry.bot("deep")


def test_a_folder_of_ones_own_adds_bots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "timid.py").write_text(
        "from bots.bot import Bot, Choice\n"
        "class Timid(Bot):\n"
        "    GAMES = ('tic_tac_toe',)\n"
        "    def think(self, position, nodes, stop):\n"
        "        return Choice(position.legal_actions()[0], value=0.0, nodes=1)\n"
        "BOT = Timid\n"
    )
    monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path))
    assert "timid" in registry.names()
    assert "mcts" in registry.names()
    choice = registry.bot("timid").choose(games.game("tic_tac_toe").initial(), Budget(nodes=1))
    assert choice.action == 0
    assert not registry.kind("timid").plays(games.game("connect_four"))


def test_a_file_without_a_bot_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty_handed.py").write_text("")
    monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path))
    with pytest.raises(ImportError, match=r"empty_handed.py must end in BOT = "):
        registry.bot("empty_handed")
    monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="which is no folder"):
        registry.names()


def test_a_note_is_cut_between_its_parts_and_in_bytes() -> None:
    assert fit(["ab", "cd", "ef"], limit=8) == "ab | cd"
    assert fit(["ab", "é" * 3], limit=10) == "ab"
    choice = Choice(0, 0.0, 7, " | ".join(["Ω" * 20] * 40))
    note = full_note("mcts", choice, 1.234)
    assert note.startswith("mcts 7 nodes 1.23 s | Ω")
    assert len(note.encode()) <= NOTE_BYTES
    assert full_note("random", Choice(0, 0.0, 1), 0.0) == "random 1 nodes 0.00 s"
