"""`plyhouse think`: what it prints, the trees it writes, and what it says when asked wrongly."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import plyhouse
from bots import registry, study, terms
from bots.bot import Budget
from bots.tree import Tree
from games import registry as games
from games.game import CHANCE, Position

GAMES = games.names()
NODE = re.compile(
    r'  (n\d+) \[label="((?:[^"\\]|\\.)*)", shape=(\w+)(, style=\w+, fillcolor=\w+)?\];'
)
EDGE = re.compile(r'  (n\d+) -> (n\d+) \[label="((?:[^"\\]|\\.)*)"\];')
HEAD = re.compile(r'digraph "(?:[^"\\]|\\.)*" \{')


def think(*words: str) -> int:
    return plyhouse.main(["think", *words])


def first_decision(name: str) -> Position:
    position = games.game(name).initial()
    while position.to_move == CHANCE:
        position = position.apply(position.legal_actions()[:8][-1])
    return position


def studied(position: Position, nodes: int, **settings: str) -> study.Study:
    small = {"megabytes": "2", **settings}
    entry = terms.entry("mcts", seed=3, only=(position.game.name,), settings={**small})
    return study.study(position, entry, Budget(nodes=nodes))


def bare(node: dict[str, Any]) -> dict[str, Any]:
    """A node of a written tree as Tree.dump has it."""
    kept = {k: v for k, v in node.items() if k != "notation"}
    return {**kept, "children": [bare(child) for child in node["children"]]}


def parsed(text: str) -> tuple[dict[str, tuple[str, str, bool]], dict[str, tuple[str, str]]]:
    """A text in DOT: node -> (label, shape, filled), and node -> (its parent, the edge's label).

    It knows only the part of the language that we write, and fails on anything else.
    """
    lines = text.splitlines()
    assert HEAD.fullmatch(lines[0])
    assert lines[-1] == "}"
    nodes: dict[str, tuple[str, str, bool]] = {}
    edges: dict[str, tuple[str, str]] = {}
    for line in lines[1:-1]:
        if found := NODE.fullmatch(line):
            assert found[1] not in nodes
            nodes[found[1]] = found[2], found[3], found[4] is not None
        elif found := EDGE.fullmatch(line):
            assert {found[1], found[2]} <= set(nodes), "an edge joins nodes that are there"
            assert found[2] not in edges, "a node has one parent"
            edges[found[2]] = found[1], found[3]
        else:
            assert re.fullmatch(r"  (node|edge) \[fontsize=10\];", line), line
    return nodes, edges


def test_it_prints_the_choice_the_line_and_every_candidate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert think("tic_tac_toe", "5", "1", "--nodes", "500", "--seed", "1") == 0
    out = capsys.readouterr().out
    choice = registry.bot("mcts", seed=1).choose(
        games.game("tic_tac_toe").parse_position("o2/1x1/3 x"), Budget(nodes=500)
    )
    assert "mcts 500 nodes for X, seed 1" in out
    assert "simulations  500 in" in out
    rows = [row.split() for row in out.split("value\n")[1].splitlines()]
    assert [f"{a} {n}" for a, n, *_ in rows] == [
        " ".join(part.split()[:2]) for part in choice.note.split(" | ")
    ]
    assert any(row[-1] == "proven" for row in rows)


@pytest.mark.parametrize("bot", registry.names())
def test_every_bot_can_be_asked(bot: str, capsys: pytest.CaptureFixture[str]) -> None:
    name = (registry.kind(bot).GAMES or ("tic_tac_toe",))[0]
    roll = ["31"] if name == "backgammon" else []
    assert think(name, *roll, "--bot", bot, "--nodes", "20", "--seed", "1", "--json") == 0
    row = json.loads(capsys.readouterr().out)
    assert row["nodes"] <= 20
    assert row["bot"] == bot
    assert row["line"][:1] in ([], [row["action"]])


@pytest.mark.parametrize("name", GAMES)
def test_a_written_tree_is_the_dump_with_its_actions_in_notation(name: str, tmp_path: Path) -> None:
    found = studied(first_decision(name), 25)
    study.write(found, tmp_path / "tree.json", least=2, depth=3)
    told = json.loads((tmp_path / "tree.json").read_text("utf-8"))
    tree = Tree(found.position.game, seed=3, megabytes=2)
    tree.think(found.position, 25, [0])
    assert [bare(root) for root in told["trees"]] == [tree.dump(least=2, depth=3)]
    assert [bare(root) for root in told["trees"]] == [found.trees[0].dump(least=2, depth=3)]
    assert told["candidates"] == found.row()["candidates"]
    todo = [(told["trees"][0], found.position)]
    while todo:
        node, position = todo.pop()
        for child in node["children"]:
            read = position.game.parse_action(position, child["notation"])
            assert read == child["action"]
            todo.append((child, position.apply(read)))


@pytest.mark.parametrize("name", GAMES)
def test_a_tree_in_dot_is_well_formed_and_holds_each_node_once(name: str, tmp_path: Path) -> None:
    found = studied(first_decision(name), 25)
    study.write(found, tmp_path / "tree.dot", least=2, depth=3)
    nodes, edges = parsed((tmp_path / "tree.dot").read_text("utf-8"))
    roots = study.trees(found, least=2, depth=3)
    todo = [(root, "") for root in roots]
    left = dict(nodes)
    while todo:
        node, parent = todo.pop()
        label = f"{node['visits']}\\n{'=' if node['proven'] else ''}{node['value']:+.3f}"
        looks = label, study.SHAPES[node["mover"]], node["proven"]
        same = [
            key
            for key, seen in left.items()
            if seen == looks
            and edges.get(key, ("", ""))[0] == parent
            and edges.get(key, ("", ""))[1] == node.get("notation", "")
        ]
        assert same, node
        del left[same[0]]
        todo += [(child, same[0]) for child in node["children"]]
    assert not left
    assert set(nodes) - set(edges) == {"n0"}


def test_a_text_with_quotes_and_backslashes_stays_one_string_of_dot() -> None:
    leaf = {"visits": 1, "value": 0.0, "proven": False, "mover": 0, "children": []}
    child = {**leaf, "notation": 'a "b" \\ c'}
    nodes, edges = parsed(study.dot([{**leaf, "children": [child]}], 'it\'s "x" \\'))
    assert len(nodes) == 2
    assert edges["n1"] == ("n0", 'a \\"b\\" \\\\ c')


def test_two_threads_make_two_trees_and_one_list_of_candidates() -> None:
    found = studied(first_decision("connect_four"), 200, threads="2")
    assert len(study.trees(found, None, 1)) == 2
    assert found.size == sum(tree.size for tree in found.trees)
    assert sum(c.visits for c in found.candidates) == 200 - 2
    nodes, edges = parsed(study.dot(study.trees(found, 1, 1), "two"))
    assert len(set(nodes) - set(edges)) == 2


def test_without_a_number_nodes_of_a_hundredth_of_all_visits_are_written() -> None:
    found = studied(first_decision("connect_four"), 1_000)
    shown = study.trees(found, None, 2)[0]
    assert shown == study.trees(found, 10, 2)[0]
    assert shown != study.trees(found, 1, 2)[0]


WRONG = [
    ("chess", "no game is called 'chess'"),
    ("tic_tac_toe 5 5", "5 is not legal in tic_tac_toe '3/1x1/3 o'"),
    ("tic_tac_toe z", "'z' is no cell"),
    ("tic_tac_toe --position 3/3", "is no tic-tac-toe position"),
    ("tic_tac_toe 1 4 2 5 3", "the game is over in"),
    ("backgammon", "dice are to be rolled in"),
    ("tic_tac_toe --bot deep", "no bot is called 'deep'"),
    ("tic_tac_toe --bot gammon", "gammon does not play tic_tac_toe"),
    ("tic_tac_toe --set speed=3", "there is no setting 'speed'"),
    ("tic_tac_toe --set speed", "is no setting; one looks like"),
    ("tic_tac_toe --nodes -3", "nodes must be 1 or more, not -3"),
    ("tic_tac_toe --level 9", "mcts has levels 1 to 8, not 9"),
    ("tic_tac_toe --tree tree.png", "its name must end in .json or .dot"),
    ("tic_tac_toe --tree t.dot --least 0", "--least must be 1 or more, not 0"),
    ("tic_tac_toe --tree t.dot --depth 101", "--depth must be 0 to 100, not 101"),
    ("tic_tac_toe --bot random --tree t.dot", "random never grows a tree; mcts does"),
]


@pytest.mark.parametrize(("words", "sentence"), WRONG)
def test_nonsense_is_one_sentence_and_exit_code_2(
    words: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert think(*words.split()) == 2
    err = capsys.readouterr().err
    assert err.startswith("plyhouse: ")
    assert sentence in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("bot", ["flat", "gammon", "minimax", "random", "solver"])
def test_a_bot_that_never_has_a_tree_is_refused_before_it_thinks(
    bot: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "study", lambda *given: pytest.fail("it thinks"))
    name = (registry.kind(bot).GAMES or ("tic_tac_toe",))[0]
    roll = ["31"] if name == "backgammon" else []
    assert think(name, *roll, "--bot", bot, "--nodes", "20", "--tree", "t.dot") == 2
    assert f"{bot} never grows a tree" in capsys.readouterr().err


def test_hybrid_has_a_tree_until_it_switches(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "--bot", "hybrid", "--nodes", "20", "--seed", "1"
    early, late = tmp_path / "early.dot", tmp_path / "late.dot"
    assert think("tic_tac_toe", "5", *words, "--tree", str(early)) == 0
    assert early.exists()
    capsys.readouterr()
    assert think("tic_tac_toe", "5", "1", *words, "--tree", str(late)) == 2
    assert capsys.readouterr().err == (
        "plyhouse: hybrid grew no tree for this choice; mcts always does\n"
    )
    assert not late.exists()


def test_a_file_that_cannot_be_written_is_one_sentence_and_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = str(tmp_path / "nowhere" / "tree.dot")
    assert think("tic_tac_toe", "--nodes", "10", "--tree", there) == 1
    assert (
        capsys.readouterr().err
        == f"plyhouse: {there} cannot be written: No such file or directory\n"
    )


def test_a_flag_that_is_set_ends_the_thinking_with_what_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a Ctrl-C does: the first wait for the result is interrupted."""
    from concurrent.futures import Future

    wait = Future.result
    waits: list[None] = []

    def interrupted(self: Future[Any], timeout: float | None = None) -> Any:
        waits.append(None)
        if len(waits) == 1:
            raise KeyboardInterrupt
        return wait(self, timeout)

    monkeypatch.setattr(Future, "result", interrupted)
    found = studied(first_decision("connect_four"), 10**9)
    assert found.choice.nodes < 10**9
    assert found.choice.action in found.position.legal_actions()
