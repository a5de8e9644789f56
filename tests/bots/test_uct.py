"""The invariants of the tree, its proofs, what is kept from move to move: in plain Python."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bots.search.uct import ACTION, COUNT, FIRST, FREE, MOVER, NODE, PROVEN, TOTAL, VISITS
from bots.tree import Candidate, Forest, Tree
from games import registry
from games.game import CHANCE, END, Position

GAMES = ("tic_tac_toe", "connect_four", "ultimate_tic_tac_toe", "backgammon")


def at(game: str, notation: str) -> Position:
    return registry.game(game).parse_position(notation)


def grown(position: Position, nodes: int, **settings: object) -> Tree:
    tree = Tree(position.game, seed=3, plain=True, megabytes=2, **settings)  # type: ignore[arg-type]
    tree.think(position, nodes, [0])
    return tree


def first_decision(name: str) -> Position:
    position = registry.game(name).initial()
    while position.to_move == CHANCE:
        position = position.apply(position.legal_actions()[7])
    return position


def nodes(tree: Tree) -> Iterator[int]:
    """Every node of the tree."""
    return iter(range(NODE, tree.memory()[FREE], NODE))


def children(memory: list[int], node: int) -> range:
    return range(memory[node + FIRST], memory[node + FIRST] + memory[node + COUNT] * NODE, NODE)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize(("proofs", "playouts"), [(True, 1), (False, 3)])
def test_a_node_s_visits_are_its_children_s_and_its_own(
    name: str, proofs: bool, playouts: int
) -> None:
    tree = grown(first_decision(name), 90, proofs=proofs, playouts=playouts)
    memory = tree.memory()
    assert tree.visits == 90 * playouts
    for node in nodes(tree):
        below = sum(memory[child + VISITS] for child in children(memory, node))
        own = memory[node + VISITS] - below
        assert own >= 0
        if memory[node + COUNT]:
            assert own == playouts or memory[node + PROVEN]


@pytest.mark.parametrize("name", GAMES)
def test_values_stay_in_bounds_and_children_are_the_legal_actions(name: str) -> None:
    start = first_decision(name)
    tree = grown(start, 100)
    memory, most = tree.memory(), start.game.max_return
    todo = [(NODE, start)]
    seen = 0
    while todo:
        node, position = todo.pop()
        seen += 1
        assert abs(memory[node + TOTAL]) <= most * memory[node + VISITS]
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


def worth(position: Position) -> int:
    """What tic-tac-toe is worth to seat 0 under best play."""
    outcome = position.outcome()
    if outcome is not None:
        return int(outcome.returns[0])
    values = [worth(position.apply(a)) for a in position.legal_actions()]
    return max(values) if position.to_move == 0 else min(values)


@pytest.mark.parametrize("text", ["xo1/1x1/1o1 x", "x2/1o1/2x o", "xox/1o1/3 x", "xo1/x2/o2 x"])
def test_what_is_proven_is_true_and_stays(text: str) -> None:
    start = at("tic_tac_toe", text)
    tree = Tree(start.game, seed=1, plain=True, megabytes=1)
    known: dict[int, int] = {}
    for _ in range(200):
        tree.think(start, 20, [0])
        memory = tree.memory()
        for node, value in known.items():
            assert memory[node + PROVEN] == value
        known = {n: memory[n + PROVEN] for n in nodes(tree) if memory[n + PROVEN]}
        if memory[NODE + PROVEN]:
            break
    todo = [(NODE, start)]
    while todo:
        node, position = todo.pop()
        if memory[node + PROVEN]:
            assert memory[node + PROVEN] - 1 - 1 == worth(position)
        todo += [(c, position.apply(memory[c + ACTION])) for c in children(memory, node)]
    assert memory[NODE + PROVEN], "the value of the start was proven"


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


@pytest.mark.parametrize("name", GAMES)
def test_the_part_of_the_tree_that_was_walked_into_is_kept(name: str) -> None:
    start = first_decision(name)
    tree = grown(start, 150)
    best = tree.candidates()[0]
    after = start.apply(best.action)
    kept = Tree(start.game, seed=3, plain=True, megabytes=2)
    kept.think(start, 150, [0])
    while after.to_move == CHANCE:
        after = after.apply(after.legal_actions()[0])
    if after.to_move == END:
        return
    kept.think(after, 1, [0])
    if name != "backgammon":
        assert kept.visits == best.visits + 1
    memory = kept.memory()
    for node in nodes(kept):
        below = sum(memory[child + VISITS] for child in children(memory, node))
        assert memory[node + VISITS] >= below


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


def test_a_flag_stops_the_search() -> None:
    start = first_decision("connect_four")
    assert Tree(start.game, plain=True, megabytes=1).think(start, 1_000, [1]) == 0


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
