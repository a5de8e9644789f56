"""docs/new-game.md leads to a game that works: its blocks, joined, keep the laws of all games, are
played by the searches, compiled and not, and its commands run.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from bots import registry as bots
from bots.bot import Budget
from games import registry
from games.game import END, Game, Outcome
from games.laws.check import check_all

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "new-game.md").read_text("utf-8")
NAME = "breakthrough"


def fences(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def commands() -> list[str]:
    lines = "".join(fences("sh")).splitlines()
    return [line.split("  #")[0].strip() for line in lines]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the reader of the page works, with the file that the page has made."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "my_games").mkdir()
    code = "\n\n".join(block.strip("\n") + "\n" for block in fences("python"))
    (folder / "my_games" / f"{NAME}.py").write_text(code, encoding="utf-8")
    return folder


@pytest.fixture
def game(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    monkeypatch.setenv("PLYHOUSE_GAMES", str(folder / "my_games"))
    return registry.game(NAME)


def env(folder: Path, **more: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PLYHOUSE_", "XDG_"))}
    return {**kept, "HOME": str(folder), "PYTHONPATH": str(ROOT), **more}


def plyhouse(folder: Path, command: str, **more: str) -> str:
    """Run a command in the reader's folder; what it said."""
    words = [sys.executable, str(ROOT / "plyhouse.py"), *shlex.split(command)[1:]]
    done = subprocess.run(
        words, check=False, cwd=folder, env=env(folder, PLYHOUSE_GAMES="my_games", **more),
        capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_game_of_the_page_keeps_the_laws(game: Game) -> None:
    assert [law.sentence() for law in check_all(game) if law.what is not None] == []


def test_its_pawns_go_ahead_capture_aslant_and_win_by_breaking_through(game: Game) -> None:
    position = game.parse_position("5/x4/1o3/x1x2/5 x")
    assert set(position.legal_notation()) == {
        "a2-a3", "a2-b3", "c2-b3", "c2-c3", "c2-d3", "a4-a5", "a4-b5",
    }  # fmt: skip
    won = position.apply(position.read("a4-b5"))
    assert won.to_move == END
    assert won.outcome() == Outcome((1.0, -1.0), "breakthrough")
    last = game.parse_position("5/5/1o3/x4/5 x")
    assert last.apply(last.read("a2-b3")).outcome() == Outcome((1.0, -1.0), "captured")


@pytest.mark.parametrize("bot", ["mcts", "minimax"])
def test_a_search_finds_the_win(bot: str, game: Game) -> None:
    position = game.parse_position("5/x2o1/5/4x/5 x")
    choice = bots.bot(bot, seed=1).choose(position, Budget(nodes=400))
    assert game.format_action(position, choice.action) in ("a4-a5", "a4-b5")
    assert choice.value == pytest.approx(1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [c for c in commands() if re.match(r"plyhouse (think|match|doctor)", c)]
)
def test_a_command_of_the_page_runs(command: str, folder: Path) -> None:
    """As it stands, but for its budget."""
    brief = re.sub(r" --(nodes|level) \d+", "", command)
    brief += "" if " doctor " in command else " --nodes 30"
    assert plyhouse(folder, brief, PLYHOUSE_PLAIN="1")


def test_every_command_of_the_page_is_known() -> None:
    known = (
        "export PLYHOUSE_GAMES=my_games", "plyhouse think breakthrough", "plyhouse up",
        "plyhouse match mcts random", "plyhouse play breakthrough --against mcts",
        "plyhouse doctor game my_games/breakthrough.py",
    )  # fmt: skip
    assert [c for c in commands() if not c.startswith(known)] == []


@pytest.mark.slow
def test_the_server_plays_it_with_a_bot(folder: Path) -> None:
    (line,) = [c for c in commands() if c.startswith("plyhouse play")]
    with subprocess.Popen(
        [sys.executable, str(ROOT / "plyhouse.py"), "up", "--port", "0", "--data", "data"],
        cwd=folder, env=env(folder, PLYHOUSE_GAMES="my_games", PLYHOUSE_PLAIN="1"),
        stdout=subprocess.PIPE, text=True,
    ) as server:  # fmt: skip
        try:
            assert server.stdout is not None
            url = server.stdout.readline().rpartition("http://")[2].strip()
            for _ in range(60):  # each takes half a second: the bots come after the server
                if "mcts" in plyhouse(folder, "plyhouse rooms", PLYHOUSE_URL=url):
                    break
            done = subprocess.run(
                [sys.executable, str(ROOT / "plyhouse.py"), *shlex.split(line)[1:]],
                check=False, cwd=folder, input="b2-b3\n/legal\n/resign\n/resign\n", timeout=60,
                capture_output=True, text=True,
                env=env(folder, PLYHOUSE_URL=url, PLYHOUSE_GAMES="my_games"),
            )  # fmt: skip
        finally:
            server.terminate()
    assert "White b2-b3" in done.stdout, done.stdout + done.stderr


@pytest.mark.slow
def test_a_compiled_search_plays_it_and_beats_chance(folder: Path) -> None:
    pytest.importorskip("numba")
    compiled = str(folder / "cache")
    match = f"plyhouse match mcts random --game {NAME} --games 10 --nodes 300 --json"
    assert json.loads(plyhouse(folder, match, XDG_CACHE_HOME=compiled))["wins"] >= 9
    think = f"plyhouse think {NAME} --nodes 300 --seed 1 --json"
    plain = plyhouse(folder, think, PLYHOUSE_PLAIN="1")
    fast = plyhouse(folder, think, XDG_CACHE_HOME=compiled)
    without = r'"seconds": [\d.]+'
    assert re.sub(without, "", plain) == re.sub(without, "", fast)
    assert [p for p in (folder / "cache" / "plyhouse").iterdir() if "uct" in p.name]
