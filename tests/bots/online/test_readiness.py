"""What is compiled before a bot joins, and what is said about it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from bots import registry
from bots.bot import Budget
from bots.engine import compiled, compiled_bot
from bots.online import readiness, terms
from bots.online.entry import make_entry
from bots.roster.mcts import Mcts
from games import registry as games
from tests.bots.roster.house_bots import BotsReport

FOUR = make_entry("mcts", seed=1, only=("connect_four",))
RANDOM = make_entry("random", seed=1, only=("connect_four",))


async def told(*entries: terms.Entry) -> list[str]:
    said: list[str] = []
    await readiness.prepare(entries, said.append)
    return said


async def test_what_takes_time_is_said_before_and_after(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[str] = []
    monkeypatch.setattr(Mcts, "ready", classmethod(lambda cls, game: game.name in prepared))
    monkeypatch.setattr(Mcts, "prepare", classmethod(lambda cls, game: prepared.append(game.name)))
    said = await told(RANDOM, FOUR)
    assert said[0] == "plyhouse: compiling mcts for connect_four, once"
    assert said[1].startswith("plyhouse: compiled in ")
    assert prepared == ["connect_four"]
    assert await told(FOUR) == []


async def test_that_there_is_no_numba_is_said_once_and_only_if_it_matters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compiled, "missing", lambda: True)
    said = await told(FOUR, FOUR, RANDOM)
    assert said == [
        "plyhouse: without numba, searches run as plain Python, some fifty times slower"
    ]
    assert await told(RANDOM) == []


def test_a_bot_is_interpreted_until_all_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    ready: list[str] = []
    monkeypatch.setattr(compiled, "at_once", True)
    monkeypatch.setattr(Mcts, "ready", classmethod(lambda cls, game: bool(ready)))
    bot = registry.bot("mcts", seed=1)
    position = games.game("tic_tac_toe").initial()
    assert isinstance(bot, Mcts)
    assert bot.choose(position, Budget(nodes=50)).nodes == 50
    interpreted = bot._search
    bot.choose(position, Budget(nodes=50))
    assert bot._search is interpreted
    ready.append("now")
    bot.choose(position, Budget(nodes=50))
    later = bot._search
    assert later is not interpreted
    bot.choose(position, Budget(nodes=50))
    assert bot._search is later


async def test_what_was_compiled_before_is_loaded_before_a_bot_is_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No clock runs while it is."""
    prepared: list[str] = []
    monkeypatch.setattr(compiled, "available", lambda: True)
    monkeypatch.setattr(Mcts, "ready", classmethod(lambda cls, game: True))
    monkeypatch.setattr(Mcts, "warm_up", classmethod(lambda cls, position: prepared.append("x")))
    monkeypatch.setattr(compiled, "mark_ready", lambda kernels, game: None)
    monkeypatch.setattr(compiled_bot, "_loaded", set())
    assert not Mcts.loaded(games.game("connect_four"))
    assert await told(FOUR) == []
    assert prepared == ["x"]
    assert Mcts.loaded(games.game("connect_four"))
    assert not Mcts.loaded(games.game("tic_tac_toe"))
    assert await told(FOUR) == []
    assert prepared == ["x"]


async def test_a_process_beside_that_fails_is_heard_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Mcts, "ready", classmethod(lambda cls, game: False))
    monkeypatch.setattr(sys, "executable", "false")
    await readiness.prepare_beside([FOUR])
    assert "`plyhouse bot mcts --compile` says why" in caplog.text


@pytest.mark.slow
async def test_a_process_beside_fills_the_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("numba")
    monkeypatch.delenv("PLYHOUSE_PLAIN")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("PLYHOUSE_GAMES", "")
    monkeypatch.setattr(compiled, "available", lambda: True)
    entry = make_entry("mcts", seed=1)
    assert not any(entry.bot_class.ready(games.game(name)) for name in entry.games)
    await readiness.prepare_beside([RANDOM, entry])
    assert all(entry.bot_class.ready(games.game(name)) for name in entry.games)


@pytest.mark.slow
def test_what_one_process_has_compiled_the_next_one_runs() -> None:
    """The trap: what calls itself, and is called with a literal anywhere, is compiled twice, and
    from the cache comes a function that jumps to nowhere (numba's issue 6061).
    """
    pytest.importorskip("numba")
    env = {k: v for k, v in os.environ.items() if k not in ("PLYHOUSE_PLAIN", "PLYHOUSE_GAMES")}
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-m", "tests.bots.roster.house_bots", "all"],
            env=env,
            check=False,
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
    said = msgspec.json.decode(done.stdout, type=BotsReport)
    assert said.searches > 20
