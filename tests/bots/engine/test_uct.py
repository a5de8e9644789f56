"""The search tree: proofs, what is kept from move to move, candidates, several trees at once.

In plain Python.  What holds in every tree is in test_invariants.py.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bots.engine.kernels.uct import NODE, PROVEN
from bots.engine.tree import Candidate, Forest, Tree
from tests.bots.engine.trees import at, children, first_decision, grown


def test_a_proven_win_ends_the_search_and_is_played() -> None:
    start = at("connect_four", "7/7/7/7/ooo4/xxx4 x")
    tree = Tree(start.game, plain=True, megabytes=1)
    assert 0 < tree.think(start, 10_000, [0]) < 200
    best = tree.candidates()[0]
    assert (best.action, best.value, best.proven) == (3, 1.0, True)
    assert tree.think(start, 10_000, [0]) == 0


def test_a_proven_loss_is_never_chosen_over_an_unproven_action() -> None:
    start = at("connect_four", "7/7/7/7/oo5/xxx4 o")
    tree = grown(start, 3_000)
    ranked = tree.candidates()
    assert ranked[0].action == 3
    lost = [c for c in ranked if c.proven and c.value == -1.0]
    assert len(lost) >= 4
    assert ranked[-len(lost) :] == lost


def test_candidates_are_ranked_won_then_open_by_visits_value_and_action_then_lost() -> None:
    won, drawn = Candidate(8, 2, 1.0, True), Candidate(7, 50, 0.0, True)
    lost, most = Candidate(1, 90, -1.0, True), Candidate(6, 60, -0.5)
    better, lower, higher = Candidate(5, 40, 0.2), Candidate(2, 40, 0.1), Candidate(3, 40, 0.1)
    ranked = sorted([lost, higher, lower, drawn, better, most, won], key=Candidate.rank)
    assert ranked == [won, most, drawn, better, lower, higher, lost]


def test_through_dice_a_proof_needs_all_outcomes() -> None:
    """X bears its last checker off with any roll from point 1, but not from point 4 with 21."""

    def proven(place: int) -> tuple[int, set[int]]:
        board = ["-"] * 26
        board[place], board[24] = "A", "a"
        tree = grown(at("backgammon", f"XGID={''.join(board)}:0:0:1:00:0:0:0:0:10"), 4_000)
        memory = tree.memory()
        below = {memory[c + PROVEN] for c in children(memory, NODE)}
        return int(memory[NODE + PROVEN]), below - {0}

    won, lost = 1 + 3 + 1, 1 + 3 - 1
    assert proven(1) == (won, {won})
    assert proven(4) == (0, {won, lost})


def test_nothing_is_kept_where_that_is_not_wished_or_the_position_is_another() -> None:
    start = first_decision("connect_four")
    tree = grown(start, 300, keep=False)
    tree.think(start.apply(3), 5, [0])
    assert tree.visits == 5
    tree = grown(start, 300)
    tree.think(at("connect_four", "7/7/7/x6/oo5/xox4 x"), 5, [0])
    assert tree.visits == 5


def test_a_full_tree_goes_on_with_playouts() -> None:
    start = first_decision("ultimate_tic_tac_toe")
    tree = Tree(start.game, plain=True, megabytes=1)
    tree._limit = 200 * NODE
    tree._kernels.clear(tree._tree, tree._limit)
    assert tree.think(start, 500, [0]) == 500
    assert tree.size <= 200
    assert tree.visits == 500


def test_the_principal_variation_follows_the_best_candidates() -> None:
    start = first_decision("connect_four")
    tree = grown(start, 500)
    line = tree.principal_variation()
    assert line[0] == tree.candidates()[0].action
    position = start
    for action in line:
        position = position.apply(action)
    assert 2 <= len(line) <= 10


def test_a_dump_shows_the_most_visited_first_and_no_more_than_was_asked() -> None:
    tree = grown(first_decision("connect_four"), 300)
    dump = tree.dump(least=5, depth=2)
    assert (dump["action"], dump["visits"], dump["mover"]) == (None, 300, 0)
    visits = [child["visits"] for child in dump["children"]]
    assert visits == sorted(visits, reverse=True)
    assert all(v >= 5 for v in visits)
    assert all(not grand["children"] for child in dump["children"] for grand in child["children"])


def test_two_trees_share_the_work_and_add_up_what_they_saw() -> None:
    start = first_decision("connect_four")
    trees = [Tree(start.game, seed=seed, plain=True, megabytes=1) for seed in (1, 2)]
    forest = Forest(trees)
    assert forest.think(start, 301, [0]) == 301
    assert [tree.visits for tree in trees] == [151, 150]
    added = forest.candidates()
    assert sum(c.visits for c in added) == 301 - 2
    for c in added:
        seen = [o for tree in trees for o in tree.candidates() if o.action == c.action]
        assert c.visits == sum(o.visits for o in seen)
        mean = sum(o.value * o.visits for o in seen) / c.visits
        assert c.value == pytest.approx(mean)


def test_no_path_is_longer_than_a_match_may_be() -> None:
    game = dataclasses.replace(at("tic_tac_toe", "3/3/3 x").game, max_plies=3)
    tree = Tree(game, seed=1, megabytes=1, plain=True, proofs=False)
    tree.think(game.initial(), 3_000, [0])

    def depth(node: dict[str, Any]) -> int:
        return 1 + max((depth(child) for child in node["children"]), default=-1)

    assert depth(tree.dump(depth=9)) == 3
