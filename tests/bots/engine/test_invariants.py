"""What always holds in the searches, in every game: the invariants that docs/search.md names.

The trees are those of bots/engine/kernels/uct.py, in plain Python; test_compiled.py holds the
compiled ones against them.  Alpha-beta is held against a plain minimax of a few lines, at every
position of tic-tac-toe.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TypeAlias

import pytest

from bots.engine.alphabeta import AlphaBeta
from bots.engine.kernels.uct import (
    ACTION,
    COUNT,
    FIRST,
    FREE,
    LIMIT,
    MOVER,
    NODE,
    PROVEN,
    ROOT,
    TOTAL,
    VISITS,
)
from bots.engine.tree import Tree
from bots.reading.simple_minimax import PER_PLY, SimpleMinimax
from games import registry
from games.game import CHANCE, END, Position
from tests.bots.engine.trees import GAMES, at, children, first_decision, grown, nodes
from tests.bots.positions import reached, undecided, worth

# Little is left to play, so that a few hundred simulations prove much.
LATE = {
    "tic_tac_toe": "x2/1o1/2x o",
    "connect_four": "2xoxo1/2xxox1/2oxox1/xoxooo1/xoooxx1/xxoxoxo o",
    "ultimate_tic_tac_toe": (
        "1xoxo1oox/x1x1oxx1o/ooxxo1xxo/1xoo1xxox/ox1o1xxo1/ooxx2oxo/ooxoxoxxo/oxo1xxx1o/xxoxoxoo1"
        " o 5"
    ),
    "backgammon": "XGID=-AB--------------------ba-:0:0:1:21:0:0:0:0:10",
}
EVERY_GAME = [*GAMES, "pebbles"]
SETTINGS = [{"proofs": 1}, {"proofs": 0, "playouts": 3}]

Told: TypeAlias = tuple[object, ...]


@cache
def grown_once(name: str, playouts: int = 1, **settings: object) -> Tree:
    """A tree of 60 playouts from the beginning, for all tests that only look at it."""
    return grown(first_decision(name), 60 // playouts, playouts=playouts, **settings)


def own_playouts(memory: Sequence[int], node: int) -> int:
    """Visits of a node that are not its children's."""
    below = sum(memory[child + VISITS] for child in children(memory, node))
    return int(memory[node + VISITS] - below)


@pytest.mark.parametrize("name", EVERY_GAME)
@pytest.mark.parametrize("settings", SETTINGS)
def test_a_node_s_visits_are_its_children_s_and_its_own_playouts(
    name: str, settings: dict[str, int]
) -> None:
    """An expanded node has one leaf's worth of its own; more only if it has been proven since."""
    playouts = settings.get("playouts", 1)
    tree = grown_once(name, **settings)
    memory = tree.memory()
    assert tree.visits == 60
    for node in nodes(tree):
        own = own_playouts(memory, node)
        assert own >= 0
        assert memory[node + VISITS] % playouts == 0
        if memory[node + COUNT]:
            assert own == playouts or (own > playouts and memory[node + PROVEN])


@pytest.mark.parametrize("name", EVERY_GAME)
def test_visits_add_up_in_a_full_tree_and_after_it_was_cut(name: str) -> None:
    """Full: no more nodes, and the leaves take the playouts."""
    start = first_decision(name)
    tree = Tree(start.game, seed=3, plain=True, megabytes=1)
    limit = tree._limit = (4 + 2 * len(start.legal_actions())) * NODE
    tree._kernels.clear(tree._tree, limit)
    for position in walk(tree, start, 20):
        memory = tree.memory()
        assert memory[FREE] <= memory[LIMIT] == limit
        assert memory[memory[ROOT] + MOVER] == position.to_move
        for node in nodes(tree):
            own = own_playouts(memory, node)
            assert own >= 0
            assert memory[node + COUNT] == 0 or own > 0


def walk(tree: Tree, position: Position, simulations: int) -> Iterator[Position]:
    """Search four positions, one after the other: behind the best action and the first roll."""
    for _ in range(4):
        tree.think(position, simulations, [0])
        yield position
        found = tree.candidates()
        position = position.apply(found[0].action if found else position.legal_actions()[0])
        while position.to_move == CHANCE:
            position = position.apply(position.legal_actions()[0])
        if position.to_move == END:
            break


@pytest.mark.parametrize("name", EVERY_GAME)
@pytest.mark.parametrize("settings", SETTINGS)
def test_values_stay_between_minus_one_and_one(name: str, settings: dict[str, int]) -> None:
    """From the beginning, and near the end, where leaves are over or proven."""
    late = [grown(at(name, LATE[name]), 20, **settings)] if name in LATE else []
    for tree in (grown_once(name, **settings), *late):
        memory, most = tree.memory(), tree.game.max_return
        for node in nodes(tree):
            assert abs(memory[node + TOTAL]) <= most * memory[node + VISITS]
            assert 0 <= memory[node + PROVEN] <= 1 + 2 * most
        assert all(-1 <= c.value <= 1 for c in tree.candidates())
        todo = [tree.dump()]
        while todo:
            node_told = todo.pop()
            assert -1 <= node_told["value"] <= 1
            todo += node_told["children"]


@pytest.mark.parametrize("name", GAMES)
def test_children_are_the_legal_actions_and_nodes_know_who_is_to_move(name: str) -> None:
    tree = grown_once(name, proofs=1)
    memory = tree.memory()
    todo = [(int(memory[ROOT]), first_decision(name))]
    seen = 0
    while todo:
        node, position = todo.pop()
        seen += 1
        if memory[node + VISITS]:
            assert memory[node + MOVER] == position.to_move
        if memory[node + COUNT]:
            actions = [memory[child + ACTION] for child in children(memory, node)]
            assert sorted(actions) == list(position.legal_actions())
            if position.to_move == CHANCE:
                assert actions == sorted(actions)
        for child in children(memory, node):
            todo.append((child, position.apply(memory[child + ACTION])))  # noqa: PERF401
    assert seen == tree.size


@pytest.mark.parametrize("name", EVERY_GAME)
def test_children_lie_side_by_side_and_every_node_but_the_root_is_the_child_of_one(
    name: str,
) -> None:
    start = first_decision(name)
    tree = Tree(start.game, seed=3, plain=True, megabytes=2)
    for _ in walk(tree, start, 15):
        memory = tree.memory()
        spans = sorted(
            (memory[node + FIRST], memory[node + FIRST] + memory[node + COUNT] * NODE)
            for node in nodes(tree)
            if memory[node + COUNT]
        )
        ends = [memory[ROOT] + NODE, *(end for _, end in spans)]
        assert [first for first, _ in spans] == ends[:-1], "no gap, and no node of two parents"
        assert ends[-1] == memory[FREE]
        assert all(memory[n + FIRST] > n for n in nodes(tree) if memory[n + COUNT])


@pytest.mark.parametrize("name", GAMES)
def test_what_is_proven_never_changes(name: str) -> None:
    start = at(name, LATE[name])
    tree = Tree(start.game, seed=1, plain=True, megabytes=1)
    known: dict[int, int] = {}
    for _ in range(40):
        tree.think(start, 10, [0])
        memory = tree.memory()
        for node, value in known.items():
            assert memory[node + PROVEN] == value
        known = {n: memory[n + PROVEN] for n in nodes(tree) if memory[n + PROVEN]}
    assert known


@pytest.mark.parametrize("name", ["tic_tac_toe", "connect_four", "ultimate_tic_tac_toe"])
def test_what_is_proven_is_what_minimax_says(name: str) -> None:
    start = at(name, LATE[name])
    tree = grown(start, 500)
    memory = tree.memory()
    todo, proven = [(int(memory[ROOT]), start)], 0
    while todo:
        node, position = todo.pop()
        if memory[node + PROVEN]:
            proven += 1
            result = memory[node + PROVEN] - 1 - start.game.max_return
            assert result == worth(position)[0] * start.game.max_return
        todo += [(c, position.apply(memory[c + ACTION])) for c in children(memory, node)]
    assert proven > 20


@pytest.mark.parametrize("text", ["xo1/1x1/1o1 x", "x2/1o1/2x o", "xox/1o1/3 x", "xo1/x2/o2 x"])
def test_a_small_game_is_proven_to_its_root(text: str) -> None:
    start = at("tic_tac_toe", text)
    tree = grown(start, 4_000)
    best = tree.candidates()[0]
    assert tree.visits < 4_000, "a proof ends the search"
    result, _ = worth(start)
    assert (best.proven, best.value) == (True, result if start.to_move == 0 else -result)


def told(memory: Sequence[int], node: int) -> Told:
    """All that a tree says from a node on: its numbers, and its children in their order."""
    own = tuple(memory[node + i] for i in (COUNT, ACTION, VISITS, TOTAL, MOVER, PROVEN))
    return (*own, *(told(memory, child) for child in children(memory, node)))


@pytest.mark.parametrize("name", GAMES)
def test_a_tree_that_was_cut_is_the_part_below_the_new_root(name: str) -> None:
    start = first_decision(name)
    simulations = 40 if name == "backgammon" else 200
    tree = grown(start, simulations)
    before = list(tree.memory())
    node, position = int(before[ROOT]), start
    for plies in (1, 2, 3, 4):
        node = max(children(before, node), key=lambda child: before[child + VISITS])
        position = position.apply(before[node + ACTION])
        if plies < 2 or position.to_move in (CHANCE, END):
            continue
        cut = grown(start, simulations)
        assert cut.think(position, 0, [0]) == 0
        assert told(cut.memory(), int(cut.memory()[ROOT])) == told(before, node)
        assert cut.random_state == tree.random_state
        if not before[node + PROVEN]:
            cut.think(position, 1, [0])
            assert cut.visits == before[node + VISITS] + 1
        break
    else:
        pytest.fail("no decision was found below the root")


def test_tic_tac_toe_has_5478_positions() -> None:
    assert len(set(reached())) == len(reached()) == 5_478
    assert len(undecided()) == 4_520


def positions(which: str, pruning: bool) -> tuple[Position, ...]:
    """All of them; or some from all over the game, late ones where much is to be looked at."""
    if which == "all":
        return undecided()
    late = [p for p in undecided() if pruning or len(p.legal_actions()) <= 4]
    return tuple(late[4::38])


@pytest.mark.parametrize("pruning", [True, False])
@pytest.mark.parametrize("which", ["some", pytest.param("all", marks=pytest.mark.slow)])
def test_alpha_beta_is_plain_minimax_on_every_position_of_tic_tac_toe(
    which: str, pruning: bool
) -> None:
    """The value, to the ply, and an action that keeps it."""
    for position in positions(which, pruning):
        search = SimpleMinimax(position.game, pruning=pruning)
        found = search.run(list(position.state), 10**9, [0])
        sign = 1 if position.to_move == 0 else -1
        result, plies = worth(position)
        assert found.solved
        assert found.value == pytest.approx(sign * result * (1 - plies * PER_PLY), abs=1e-12)
        after, left = worth(position.apply(found.action))
        assert after == result
        assert left == (plies - 1 if result else 0)


@pytest.mark.parametrize("pruning", [True, False])
@pytest.mark.parametrize("which", ["some", pytest.param("all", marks=pytest.mark.slow)])
def test_alpha_beta_with_a_table_is_plain_minimax_on_every_position_of_tic_tac_toe(
    which: str, pruning: bool
) -> None:
    """Fresh, to the ply.  With one table for all positions, where each meets what the ones before
    have left, a win may take longer than it must, but stays one.
    """
    game = registry.game("tic_tac_toe")
    warm = AlphaBeta(game, pruning=pruning, megabytes=1, plain=True)
    for position in positions(which, pruning):
        sign = 1 if position.to_move == 0 else -1
        result, plies = worth(position)
        fresh = AlphaBeta(game, pruning=pruning, megabytes=1, plain=True)
        for search in (fresh, warm) if pruning else (fresh,):
            found = search.think(position, 10**9, [0])
            after, left = worth(position.apply(found.action))
            assert found.solved
            assert (found.value, after) == (sign * result, result)
            if search is fresh:
                assert found.plies == plies
                assert left == (plies - 1 if result else 0)
