"""Budgets, settings, notes, and the registry of bots."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from bots import bot, registry
from bots.bot import BadBudget, BadSetting, Bot, Budget, Choice, Setting
from games import registry as games
from games.game import CHANCE, Ints, Position


class BotWithSettings(Bot):
    SETTINGS = (
        Setting("exploration", 1.4, "", 0.0, 10.0),
        Setting("depth", 0, "", 0, 100),
        Setting("pruning", True, ""),
        Setting("ties", "seed", "", words=("seed", "lowest")),
    )

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        raise AssertionError("only its settings are read here")


@pytest.mark.parametrize(
    ("budget", "sentence"),
    [
        ({}, "needs nodes, ms or both"),
        ({"nodes": 0}, "nodes must be 1 or more"),
        ({"nodes": -5}, "nodes must be 1 or more"),
        ({"ms": 0}, "ms must be 1 or more"),
        ({"nodes": 5, "ms": -1}, "ms must be 1 or more"),
        ({"nodes": bot.MAX_NODES + 1}, "nodes must be 1,000,000,000,000,000,000 or less"),
        ({"nodes": 5, "ms": 10**400}, "ms must be 2,592,000,000 or less"),
    ],
)
def test_a_budget_needs_a_positive_limit_that_can_be_counted_and_timed(
    budget: dict[str, int], sentence: str
) -> None:
    with pytest.raises(BadBudget, match=sentence):
        Budget(**budget)


@pytest.mark.parametrize("name", registry.own_names())
def test_the_largest_budget_is_one(name: str) -> None:
    for game in filter(
        registry.bot_class(name).plays, map(games.game, ("connect_four", "backgammon"))
    ):
        position = game.initial()
        while position.to_move == CHANCE:
            position = position.apply(position.legal_actions()[0])
        choice = registry.bot(name).choose(position, Budget(bot.MAX_NODES, bot.MAX_MS), stop=[1])
        assert choice.action in position.legal_actions()


@pytest.mark.parametrize("name", ["flat", "mcts", "minimax"])
def test_the_only_legal_action_takes_no_time(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    forced = "XGID=-b----E-C---eE---c-e-----B:0:0:1:61:0:0:0:0:10"
    position = games.game("backgammon").parse_position(forced)
    times: list[int | None] = []
    monkeypatch.setattr(bot, "alarm", lambda stop, ms: nullcontext(times.append(ms)))
    choice = registry.bot(name).choose(position, Budget(ms=60_000), stop=[1])
    assert (position.legal_actions(), times) == ((choice.action,), [bot.FORCED_MS])
    registry.bot(name).choose(position, Budget(nodes=5, ms=60_000), stop=[1])
    assert times[1:] == [60_000]  # so many nodes are the same in any run


def test_a_cap_of_time_only_ever_shortens() -> None:
    assert Budget(nodes=5).within(None) == Budget(nodes=5)
    assert Budget(nodes=5).within(80) == Budget(nodes=5, ms=80)
    assert Budget(ms=50).within(80) == Budget(ms=50)
    assert Budget(ms=500).within(80) == Budget(ms=80)


def test_settings_are_read_from_texts_and_from_values() -> None:
    given = {"exploration": "2", "depth": 7, "pruning": "off", "ties": "lowest"}
    values = {"exploration": 2.0, "depth": 7, "pruning": False, "ties": "lowest"}
    assert BotWithSettings.read(given) == values
    assert BotWithSettings.read({"pruning": True}) == {"pruning": True}
    assert BotWithSettings(**values).settings == values
    assert BotWithSettings(depth=3).settings == BotWithSettings.defaults() | {"depth": 3}


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
        BotWithSettings.read({name: value})


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
    assert not registry.bot_class("timid").plays(games.game("connect_four"))


def test_a_file_without_a_bot_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty_handed.py").write_text("")
    monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path))
    with pytest.raises(registry.BrokenBot, match=r"empty_handed.py must end in BOT = "):
        registry.bot("empty_handed")
    monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path / "nowhere"))
    with pytest.raises(FileNotFoundError, match="which is not a folder"):
        registry.names()


def test_a_bot_that_cannot_be_loaded_says_why_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text("import no_such_module\n")
    monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path))
    for _ in range(2):
        with pytest.raises(registry.UnknownBot, match=r"broken.py, line 1: .*no_such_module"):
            registry.bot("broken")


def test_a_note_is_cut_between_its_parts_and_in_bytes() -> None:
    assert bot.fit(["ab", "cd", "ef"], limit=8) == "ab | cd"
    assert bot.fit(["ab", "é" * 3], limit=10) == "ab"
    choice = Choice(0, 0.0, 7, " | ".join(["Ω" * 20] * 40))
    note = bot.full_note("mcts", choice, 1.234)
    assert note.startswith("mcts 7 nodes 1.23 s | Ω")
    assert len(note.encode()) <= bot.NOTE_BYTES
    assert bot.full_note("random", Choice(0, 0.0, 1), 0.0) == "random 1 nodes 0.00 s"
