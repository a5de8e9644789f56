"""`plyhouse think`: what it prints, and the trees it writes."""

from __future__ import annotations

import json
import shlex
from concurrent.futures import Future
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from bots import registry
from bots.bot import Budget
from bots.engine import compiled
from bots.engine.tree import Tree
from bots.online.entry import make_entry
from bots.outside.program import close_all
from games import registry as games
from games.game import CHANCE, Ints, Position
from lab.commands import think as command
from lab.tracing.choice import SHAPES, AnalysedChoice, choose, dump_trees, format_dot, write_trees
from tests.bots.outside import engines
from tests.support.command import Run

GAMES = [name for name in games.names() if not games.game(name).special]  # mcts plays these


def first_decision(name: str) -> Position:
    position = games.game(name).initial()
    while position.to_move == CHANCE:
        position = position.apply(position.legal_actions()[:8][-1])
    return position


def analysed(position: Position, nodes: int, **settings: str) -> AnalysedChoice:
    settings = {"megabytes": "2", **settings}
    entry = make_entry("mcts", seed=3, only=(position.game.name,), settings=settings)
    return choose(position, entry, Budget(nodes=nodes))


def bare(node: dict[str, Any]) -> dict[str, Any]:
    """A node of a written tree as Tree.dump has it."""
    kept = {k: v for k, v in node.items() if k != "notation"}
    return {**kept, "children": [bare(child) for child in node["children"]]}


def test_it_prints_the_choice_the_line_and_every_candidate(run: Run) -> None:
    code, out, _ = run("think tic_tac_toe 5 1 --nodes 500 --seed 1")
    position = games.game("tic_tac_toe").parse_position("o2/1x1/3 x")
    choice = registry.bot("mcts", seed=1).choose(position, Budget(nodes=500))
    assert code == 0
    assert "mcts 500 nodes for X, seed 1" in out
    assert "simulations  500 in" in out
    rows = [row.split() for row in out.split("value\n")[1].splitlines()]
    assert [row[:2] for row in rows] == [part.split()[:2] for part in choice.note.split(" | ")]
    assert any(row[-1] == "proven" for row in rows)


@pytest.mark.parametrize("bot", registry.own_names())
def test_every_bot_can_be_asked(run: Run, bot: str) -> None:
    game = "backgammon 31" if bot == "gammon" else "tic_tac_toe"
    row = run(f"think {game} --bot {bot} --nodes 20 --seed 1 --json").json()
    assert row["nodes"] <= 20
    assert row["bot"] == bot
    assert row["line"][:1] in ([], [row["action"]])


@pytest.mark.parametrize("bot", ["mcts", "minimax", "gammon"])
def test_without_a_budget_it_looks_at_every_play(bot: str) -> None:
    roll = games.game("backgammon").initial().read("31")
    position = games.game("backgammon").initial().apply(roll)
    entry = make_entry(bot, seed=1, only=("backgammon",))
    assert (command._usual_budget(entry, position).nodes or 0) >= 4 * len(position.legal_actions())


def test_a_depth_is_looked_to_and_a_budget_that_ends_before_is_told(run: Run) -> None:
    words = "think tic_tac_toe 5 1 --bot minimax --set depth=7 --set pruning=off"
    assert "cut " not in (whole := run(words).out)
    assert "\nnote         depth 7 " in whole
    cut = run(words, "--nodes", 90).out
    assert "\ncut          the budget ended it before the depth that is set\n" in cut
    assert "\nnote         depth 2 of 7 " in cut
    assert json.loads(run(words, "--json").out)["budget"] == {"nodes": None, "ms": None}


@pytest.mark.parametrize("bot", ["mcts", "minimax"])
def test_more_memory_than_there_is_is_a_sentence(
    run: Run, bot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_many(n: int, plain: bool = False) -> Ints:
        raise MemoryError(n)

    words = f"think connect_four 4 --bot {bot} --set megabytes=16000 --nodes 9"
    with monkeypatch.context() as patch:
        patch.setattr(registry.bot_class(bot), "prepare", lambda game: None)
        patch.setattr(compiled, "ints", too_many)
        patch.setattr(registry.bot_class(bot), "stop_flag", lambda bot: [0])
        code, _, err = run(words)
    sentence = "there is too little memory here with megabytes=16000; set less"
    assert (code, err) == (2, f"plyhouse: {sentence}\n")


def test_where_no_nodes_are_missing_more_are_not_asked_for(run: Run) -> None:
    words = "think ultimate_tic_tac_toe 55 --bot hybrid --set form=classic --nodes 200 --seed 1"
    assert "looked at" not in run(words).out


def test_with_too_few_nodes_it_says_how_many_plays_it_looked_at(run: Run) -> None:
    _, out, _ = run("think backgammon 31 --bot gammon --nodes 8 --seed 1")
    assert "plays        8 of 16 looked at; more nodes" in out
    assert "looked at" not in run("think tic_tac_toe --nodes 200 --seed 1").out


@pytest.mark.parametrize("name", GAMES)
def test_a_written_tree_is_the_dump_with_its_actions_in_notation(name: str, tmp_path: Path) -> None:
    found = analysed(first_decision(name), 25)
    write_trees(found, tmp_path / "tree.json", least=2, depth=3)
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
def test_a_tree_in_dot_holds_each_node_once_below_its_parent(name: str, tmp_path: Path) -> None:
    found = analysed(first_decision(name), 25)
    write_trees(found, tmp_path / "tree.dot", least=2, depth=3)
    head, *lines, end = (tmp_path / "tree.dot").read_text("utf-8").splitlines()
    assert (head.startswith('digraph "mcts: '), end) == (True, "}")
    expected: list[str] = []
    numbers = count()

    def expect(node: dict[str, Any], edge: str = "") -> None:
        number = next(numbers)
        label = f"{node['visits']}\\n{'=' if node['proven'] else ''}{node['value']:+.3f}"
        looks = f"shape={SHAPES[node['mover']]}"
        looks += ", style=filled, fillcolor=lightgrey" if node["proven"] else ""
        expected.append(f'  n{number} [label="{label}", {looks}];')
        if edge:
            expected.append(edge.format(number))
        for child in node["children"]:
            expect(child, f'  n{number} -> n{{}} [label="{child["notation"]}"];')

    [root] = dump_trees(found, least=2, depth=3)
    expect(root)
    assert lines == ["  node [fontsize=10];", "  edge [fontsize=10];", *expected]


def test_a_text_with_quotes_and_backslashes_stays_one_string_of_dot() -> None:
    leaf = {"visits": 1, "value": 0.0, "proven": False, "mover": 0, "children": []}
    child = {**leaf, "notation": 'a "b" \\ c'}
    lines = format_dot([{**leaf, "children": [child]}], 'it\'s "x" \\').splitlines()
    assert lines[0] == 'digraph "it\'s \\"x\\" \\\\" {'
    assert '  n0 -> n1 [label="a \\"b\\" \\\\ c"];' in lines


def test_two_threads_make_two_trees_and_one_list_of_candidates() -> None:
    found = analysed(first_decision("connect_four"), 200, threads="2")
    assert len(dump_trees(found, None, 1)) == 2
    assert found.size == sum(tree.size for tree in found.trees)
    assert sum(c.visits for c in found.candidates) == 200 - 2
    dot = format_dot(dump_trees(found, 1, 1), "two")
    assert dot.count("[label=") == 2 * dot.count(" -> ") + 2, "two have no parent"


def test_without_a_number_nodes_of_a_hundredth_of_all_visits_are_written() -> None:
    found = analysed(first_decision("connect_four"), 1_000)
    shown = dump_trees(found, None, 2)[0]
    assert shown == dump_trees(found, 10, 2)[0]
    assert shown != dump_trees(found, 1, 2)[0]


def test_a_bot_that_never_has_a_tree_is_refused_before_it_thinks(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "choose", lambda *given: pytest.fail("it thinks"))
    run("think tic_tac_toe --bot random --tree t.dot").refuses("plyhouse: random never grows")


def test_hybrid_has_a_tree_until_it_switches(run: Run, tmp_path: Path) -> None:
    words = "--bot hybrid --nodes 20 --seed 1 --tree"
    early, late = tmp_path / "early.dot", tmp_path / "late.dot"
    assert run("think tic_tac_toe 5", words, early).code == 0
    assert early.exists()
    code, _, err = run("think tic_tac_toe 5 1", words, late)
    assert code == 2
    assert err == "plyhouse: hybrid grew no tree for this choice; mcts always does\n"
    assert not late.exists()


def test_a_file_that_cannot_be_written_is_one_sentence_and_exit_code_1(
    run: Run, tmp_path: Path
) -> None:
    there = tmp_path / "nowhere" / "tree.dot"
    code, _, err = run("think tic_tac_toe --nodes 10 --tree", there)
    assert code == 1
    assert err == f"plyhouse: {there} cannot be written: No such file or directory\n"


def test_a_flag_that_is_set_ends_the_thinking_with_what_was_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As a Ctrl-C does: the first wait for the result is interrupted."""
    wait = Future.result

    def interrupted(self: Future[Any], timeout: float | None = None) -> Any:
        monkeypatch.setattr(Future, "result", wait)
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", interrupted)
    found = analysed(first_decision("connect_four"), 10**9)
    assert found.choice.nodes < 10**9
    assert found.choice.action in found.position.legal_actions()


def test_a_program_is_asked(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_added", {})
    words = shlex.join(engines.command(tmp_path, engines.FIRST))
    said = run("think connect_four 4 4 --json --engine", Path(words))
    assert (said.code, said.json()["action"]) == (0, "1")
    dies = shlex.join(engines.command(tmp_path, engines.DIES))
    refused = run("think connect_four --bot mine --engine", Path(f"mine={dies}"))
    refused.refuses("plyhouse: ", "no luck")
    close_all()


def test_the_board_and_the_points_are_those_of_who_is_to_play(run: Run) -> None:
    said = run(
        "think backgammon --bot random --seed 1 --position",
        "XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10",
    ).out
    lines = said.splitlines()
    assert lines[1].endswith("X  167 pips"), "X is far from O"
    assert any(line.startswith("action") and line.endswith(" points, 1 is 3") for line in lines)


def test_what_was_known_without_a_search_asks_for_no_nodes(run: Run) -> None:
    said = run("think connect_four 4 --bot hybrid --set form=classic --nodes 300 --seed 1").out
    assert "looked at" not in said
