"""The search that is written to be read grows the same tree as the fast one."""

from __future__ import annotations

from pathlib import Path

import pytest

from bots.engine.tree import Tree
from bots.reading.simple_uct import SimpleUct
from games import registry
from games.game import CHANCE, END, Position
from games.rng import below, seeded
from tests.bots.engine.trees import at

EXTRA = str(Path(__file__).parents[2] / "extra_games")
NODES = {"backgammon": 30, "connect_four": 250, "pebbles": 120, "tic_tac_toe": 400}


def decision(name: str, seed: int) -> Position:
    """A position of a random match in which a seat is to move."""
    rng, position = seeded(seed), registry.game(name).initial()
    plies = seed % 4
    while plies > 0 or position.to_move == CHANCE:
        actions = position.legal_actions()
        position = position.apply(actions[below(rng, len(actions))])
        plies -= 1
    assert position.to_move != END
    return position


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", [*NODES, "ultimate_tic_tac_toe"])
def test_the_same_random_numbers_grow_the_same_tree(
    name: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLYHOUSE_GAMES", EXTRA)
    position, nodes = decision(name, seed), NODES.get(name, 150)
    fast = Tree(position.game, seed=seed, exploration=0.8, proofs=False, plain=True, megabytes=4)
    assert fast.think(position, nodes, [0]) == nodes
    rng = seeded(seed)
    simple = SimpleUct(position.game, rng, exploration=0.8)
    tried = simple.run(list(position.state), nodes, [0])
    assert [(c.action, c.visits) for c in tried] == [
        (c.action, c.visits) for c in fast.candidates()
    ]
    assert [c.value for c in tried] == pytest.approx([c.value for c in fast.candidates()])
    assert rng[0] == fast.random_state


def test_a_flag_stops_it() -> None:
    position = at("tic_tac_toe", "3/3/3 x")
    search = SimpleUct(position.game, seeded(1))
    assert search.run(list(position.state), 1000, [1]) == []


def test_it_sees_a_win_at_once_and_a_game_that_is_over() -> None:
    position = at("tic_tac_toe", "xx1/oo1/3 x")
    best = SimpleUct(position.game, seeded(1)).run(list(position.state), 300, [0])[0]
    assert position.game.format_action(position, best.action) == "3"
    over = position.apply(best.action)
    assert SimpleUct(position.game, seeded(1)).run(list(over.state), 10, [0]) == []
