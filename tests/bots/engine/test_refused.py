"""Rules of somebody's own that numba does not take."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from bots import registry
from bots.bot import Budget
from bots.engine import compiled
from bots.engine.compiled_bot import first_decision
from games import registry as games

PEBBLES = Path(__file__).parents[2] / "extra_games" / "pebbles.py"
SHORT = "    if mover(s) == END:\n        return 0\n"
REFUSED = '    seen = {"n": 1}\n    if seen["n"] == mover(s) - END + 1:\n        return 0\n'


@pytest.mark.skipif(compiled.missing(), reason="without numba nothing is compiled")
def test_they_are_named_with_file_and_line_and_played_as_plain_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source = PEBBLES.read_text("utf-8").replace('name="pebbles"', 'name="marbles"')
    source = source.replace(SHORT, REFUSED, 1)
    assert REFUSED in source
    (tmp_path / "marbles.py").write_text(source, "utf-8")
    monkeypatch.setenv("PLYHOUSE_GAMES", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(compiled, "available", lambda: True)
    monkeypatch.setattr(compiled, "_refused", set())
    game, uct = games.game("marbles"), registry.bot_class("mcts")
    with caplog.at_level(logging.WARNING, "plyhouse.bots"):
        for _ in range(2):
            uct.prepare(game)
    [record] = caplog.records
    line = source.splitlines().index(REFUSED.splitlines()[1]) + 1
    assert f"{tmp_path / 'marbles.py'}, line {line}: numba cannot compile `" in record.getMessage()
    assert uct.ready(game)
    bot = registry.bot("mcts", seed=1)
    position = first_decision(game)
    assert bot.choose(position, Budget(nodes=20)).action in position.legal_actions()
