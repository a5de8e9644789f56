"""Compiled and plain are the same search, and a copy is made anew when a source of it changes.

Most of these compile, so they belong to the long run; in every run the
smallest search is compiled for one small game.
"""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bots import registry as bots
from bots.bot import Budget
from bots.engine import compiled
from bots.engine.compiled_bot import first_decision
from bots.engine.kernels import rules, uct
from bots.engine.tree import Tree
from bots.roster.flat import FlatSearch
from games import registry
from games.kernel import is_kernel
from tests.bots.engine.test_flat import decision as undecided
from tests.bots.positions import decision

pytestmark = pytest.mark.usefixtures("with_numba")
ROOT = Path(__file__).parents[3]
AVAILABLE = compiled.available.__wrapped__
GAMES = [
    "tic_tac_toe",
    *[
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("connect_four", "ultimate_tic_tac_toe", "backgammon", "pebbles")
    ],
]


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("decisive", [False, True])
def test_plain_and_compiled_grow_the_same_tree(name: str, decisive: bool) -> None:
    game = registry.game(name)
    trees = [
        Tree(game, seed=7, playouts=2, decisive=decisive, megabytes=2, plain=plain)
        for plain in (True, False)
    ]
    for plies in (0, 2, 5):
        position = decision(game, plies, seed=plies)
        if position is None:
            continue
        for tree in trees:
            tree.think(position, 60, compiled.ints(1, tree.plain))
    plain, fast = trees
    assert list(plain.memory()) == [int(x) for x in fast.memory()]
    assert plain.candidates() == fast.candidates()
    assert plain.random_state == fast.random_state
    assert plain.dump() == fast.dump()


@pytest.mark.parametrize("name", GAMES)
def test_plain_and_compiled_play_the_same_playouts(name: str) -> None:
    weights = [7, 60, 8, 70, -20, 120]
    for plies in (0, 4):
        game = registry.game(name)
        desks = [FlatSearch(game, 5, weights, plain=plain) for plain in (True, False)]
        for turn in (0, 3, 6):
            position = undecided(name, turn)
            one, other = [
                d.think(position, 40, compiled.ints(1, d.plain), plies, 0.5) for d in desks
            ]
            assert one == other
        assert int(desks[0]._rng[0]) == int(desks[1]._rng[0])


def test_a_search_is_made_once_for_a_game() -> None:
    tic, four = registry.game("tic_tac_toe"), registry.game("connect_four")
    one = compiled.search(uct, tic, plain=True)
    assert compiled.search(uct, tic, plain=True) is one
    other = compiled.search(uct, four, plain=True)
    assert other is not one
    assert (one.MAX_PLIES, other.MAX_PLIES) == (9, 42)
    assert one.legal is not other.legal
    assert compiled.search(uct, tic, plain=True, points=four.points) is not one


def test_no_stub_is_left_that_the_game_has() -> None:
    module = compiled.search(uct, registry.game("backgammon"), plain=True)
    for name in rules.KERNELS:
        here = getattr(module, name, None)
        if here is not None and name not in ("tactic", "playout"):
            assert is_kernel(here), name
    assert (module.HAS_CHANCE, module.MAX_RETURN, module.STATE) == (True, 3, 55)


def test_the_stubs_fail_when_they_are_called() -> None:
    for name in rules.KERNELS:
        stub: Any = getattr(rules, name)
        arguments = [0] * stub.__code__.co_argcount
        with pytest.raises(RuntimeError, match="called without a game"):
            stub(*arguments)


PROBE = """
import sys
from bots.engine import compiled
from bots.engine.kernels import twice
from games import registry
toy = registry.game("toy")
module = compiled.search(twice, toy)
state = compiled.ints(toy.state_size)
print(module.twice(state), type(module.twice).__name__)
"""
SEARCH = """
from bots.engine.kernels.rules import Ints, points
from games.kernel import kernel
@kernel
def twice(s: Ints) -> int:
    return 2 * points(s)
"""


@pytest.mark.slow
def test_a_copy_is_made_anew_when_a_rules_file_changes(tmp_path: Path) -> None:
    """The trap: numba alone would go on with the compiled search and the old rules in it."""
    toy = (ROOT / "games" / "tic_tac_toe.py").read_text().replace("tic_tac_toe", "toy")
    folder, cache = tmp_path / "games", tmp_path / "cache"
    folder.mkdir()
    searches = tmp_path / "more"
    searches.mkdir()
    (searches / "twice.py").write_text(SEARCH)
    env = {**os.environ, "PLYHOUSE_GAMES": str(folder), "XDG_CACHE_HOME": str(cache)}
    env.pop("PLYHOUSE_PLAIN", None)
    start = f"import bots.engine.kernels; bots.engine.kernels.__path__.append({str(searches)!r})\n"

    def answer(worth: int) -> str:
        changed = toy.replace(
            "        return -1\n    return 0", f"        return -1\n    return {worth}"
        )
        assert changed != toy or worth == 0
        (folder / "toy.py").write_text(changed)
        done = subprocess.run(
            [sys.executable, "-c", start + PROBE], cwd=ROOT, env=env, check=True,
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
        return done.stdout

    assert answer(0) == "0 CPUDispatcher\n"
    kept = sorted(cache.rglob("*.nbc"))
    assert answer(0) == "0 CPUDispatcher\n"
    assert sorted(cache.rglob("*.nbc")) == kept, "nothing has changed, so nothing was compiled"
    assert answer(1) == "2 CPUDispatcher\n"
    assert answer(0) == "0 CPUDispatcher\n"


def test_without_numba_everything_is_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "available", lambda: False)
    module = compiled.search(uct, registry.game("tic_tac_toe"))
    assert module.search.__module__ == module.__name__
    assert compiled.ints(2) == [0, 0]
    assert compiled.floats(2) == [0.0, 0.0]


def test_plain_may_be_asked_for_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLYHOUSE_PLAIN", raising=False)
    assert AVAILABLE() is True
    monkeypatch.setenv("PLYHOUSE_PLAIN", "1")
    assert AVAILABLE() is False


PEBBLES = ROOT / "tests" / "extra_games" / "pebbles.py"
SHORT = "    if mover(s) == END:\n        return 0\n"
REFUSED = '    seen = {"n": 1}\n    if seen["n"] == mover(s) - END + 1:\n        return 0\n'


def test_rules_that_numba_does_not_take_are_named_with_their_line_and_played_as_plain_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source = PEBBLES.read_text("utf-8").replace('name="pebbles"', 'name="marbles"')
    source = source.replace(SHORT, REFUSED, 1)
    assert REFUSED in source
    (tmp_path / "marbles.py").write_text(source, "utf-8")
    monkeypatch.setenv("PLYHOUSE_GAMES", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(compiled, "_refused", set())
    game, flat = registry.game("marbles"), bots.bot_class("flat")
    with caplog.at_level(logging.WARNING, "plyhouse.bots"):
        for _ in range(2):
            flat.prepare(game)
    [record] = caplog.records
    line = source.splitlines().index(REFUSED.splitlines()[1]) + 1
    assert f"{tmp_path / 'marbles.py'}, line {line}: numba cannot compile `" in record.getMessage()
    assert flat.ready(game)
    bot = bots.bot("flat", seed=1)
    position = first_decision(game)
    assert bot.choose(position, Budget(nodes=20)).action in position.legal_actions()
