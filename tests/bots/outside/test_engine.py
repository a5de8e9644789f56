"""A program as a bot: its process, its patience, and what `plyhouse` says of bad ones."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import plyhouse
from bots import registry
from bots.bot import Budget, CannotPlay, IllegalChoice, Situation
from bots.outside import engine
from bots.outside.engine import EngineBot, make_engine
from bots.outside.program import close_all
from games import registry as games
from protocol.parts import Clocks
from tests.bots.outside import engines
from tests.support.lent_server import lent_server  # noqa: F401  # a fixture

PAGE = (Path(__file__).parents[3] / "docs" / "bots" / "engine.md").read_text("utf-8")


@pytest.fixture(autouse=True)
def _forgotten(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry, "_added", {})
    monkeypatch.setattr(engine, "GREETING_S", 0.2)
    yield
    close_all()


def made(folder: Path, code: str, *words: str) -> type[EngineBot]:
    """The class of a bot that runs this program."""
    name = make_engine(shlex.join(engines.command(folder, code, *words)), ("connect_four",))
    bot_class = registry.bot_class(name)
    assert issubclass(bot_class, EngineBot)
    return bot_class


def test_a_process_plays_one_match_after_the_other(tmp_path: Path) -> None:
    bot_class = made(tmp_path, engines.COUNTING)
    position = games.game("connect_four").initial()
    first, beside = bot_class(), bot_class()
    for bot, column in ((first, "1"), (first, "2"), (beside, "1")):
        choice = bot.choose(position, Budget(ms=1))
        assert position.game.format_action(position, choice.action) == column
    first.close()
    later = bot_class().choose(position, Budget(ms=1))
    assert position.game.format_action(position, later.action) == "3"


def test_nonsense_is_illegal_and_silence_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    position = games.game("connect_four").initial()
    with pytest.raises(IllegalChoice, match=r"python\S*: it answered 'castles'"):
        made(tmp_path, engines.NONSENSE)().choose(position, Budget(ms=1))
    monkeypatch.setattr(registry, "_added", {})
    monkeypatch.setattr(engine, "TIMEOUT_MS", 200)
    with pytest.raises(CannotPlay, match="said nothing"):
        made(tmp_path, engines.SILENT)().choose(position, Budget(ms=1))


def test_patience_lasts_until_the_flag_has_fallen() -> None:
    position = games.game("connect_four").initial()
    untimed = Situation("1.1")
    assert engine._patience_s(position, Budget(ms=50_000), untimed) == 100
    clocks = Clocks(remaining=(9_000, 1), increment_ms=1_000)
    assert engine._patience_s(position, Budget(ms=300), Situation("1.1", clocks=clocks)) == 10
    a_move = Clocks(remaining=(9_000, 1), per_move_ms=3_000)
    assert engine._patience_s(position, Budget(ms=300), Situation("1.1", clocks=a_move)) == 4


def source(language: str) -> str:
    """The program in this language that the page shows."""
    (code,) = re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert len(code.strip().splitlines()) <= 15
    return str(code)


def first_engines(folder: Path) -> list[str]:
    """The page's programs as options of `plyhouse match`."""
    (folder / "first.py").write_text(source("python"), encoding="utf-8")
    (folder / "first.c").write_text(source("c"), encoding="utf-8")
    subprocess.run(
        ["cc", "-Wall", "-Werror", "-o", folder / "first", folder / "first.c"], check=True
    )
    return ["--engine", f"py=python3 {folder}/first.py", "--engine", f"c={folder}/first"]


@pytest.mark.socket
@pytest.mark.usefixtures("lent_server")
@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_engines_of_the_page_play(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["match", "py", "c", *first_engines(tmp_path), "--game", "backgammon", "--games", "1"]
    assert plyhouse.main([*words, "--json", "--seed", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["matches"] == 1
    assert found["forfeits"] == [{}, {}]
    assert found["sides"][0]["choices"] > 5


@pytest.mark.socket
@pytest.mark.usefixtures("lent_server")
@pytest.mark.parametrize(
    "form",
    ["--json", *(pytest.param(form, marks=pytest.mark.slow) for form in ("--csv", "--pairs"))],
)
def test_match_tells_illegal_actions_from_crashes(
    form: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    nonsense = shlex.join(engines.command(tmp_path, engines.NONSENSE))
    words = [
        "match",
        "bad",
        "random",
        "--ms",
        "1",
        "--engine",
        f"bad={nonsense}",
        "--game",
        "tic_tac_toe",
    ]
    words += ["--pairs", "1", "--json"] if form == "--pairs" else ["--games", "2", form]
    assert plyhouse.main(words) == 1
    out = capfd.readouterr().out
    assert "it answered 'castles', which is not legal" in caplog.text
    assert "Traceback" not in caplog.text
    if form == "--csv":
        assert [line.split(",")[4:6] for line in out.splitlines()] == [
            ["how", "reason"], ["illegal", "illegal"], ["illegal", "illegal"],
        ]  # fmt: skip
    elif form == "--json":
        assert json.loads(out)["forfeits"] == [{"illegal": 2}, {}]
    else:
        found = json.loads(out)
        assert {row["how"] for row in found["records"]} == {"illegal"}
        lost = {row["player"]: row["lost_by"] for row in found["standings"]}
        assert lost == {"A/bad@1": {"illegal": 2}, "B/random@1": {}}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("match engine random --engine ./no-such-program", "cannot be started: No such file"),
        ("match mcts random --engine mcts=cat", "there is a bot 'mcts' already"),
        ("match engine random --engine cat --engine dog", "two engines have one name"),
        ("match engine random --engine ''", "an engine needs a command"),
        ("match random mcts --engine-log x.log", "--engine-log belongs to --engine"),
        ("bot --engine cat", "--engine needs --games"),
        ("bot --engine cat --engine-log /no/such/folder --games tic_tac_toe", "No such file"),
    ],
)
def test_bad_options_are_a_sentence(
    words: str,
    sentence: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert plyhouse.main(shlex.split(words)) == 2
    err = capsys.readouterr().err
    assert sentence in err
    assert err.count("\n") == 1
