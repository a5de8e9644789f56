"""A trace tells the search that plays: its rows, told again, are the same tree."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from bots.bot import Budget
from bots.engine.kernels.negamax import WIN
from bots.online.entry import make_entry
from games import registry as games
from games.game import CHANCE, Position
from lab.tracing import trace as tracing
from lab.tracing.choice import AnalysedChoice, choose
from lab.tracing.page_file import DRAWN, WEB, page
from lab.tracing.trace import NoTrace, record, watchable

GAMES = [name for name in games.names() if not games.game(name).special]  # searches play these


def first_decision(name: str) -> Position:
    position = games.game(name).initial()
    while position.to_move == CHANCE:
        position = position.apply(position.legal_actions()[:4][-1])
    return position


def analysed(bot: str, position: Position, nodes: int, **settings: str) -> AnalysedChoice:
    entry = make_entry(bot, seed=5, only=(position.game.name,), settings=settings)
    return choose(position, entry, Budget(nodes=nodes))


def grown(trace: dict[str, Any]) -> dict[str, Any]:
    """The tree that the rows of a trace make, as Tree.dump has it."""
    most = trace["most"]
    root: dict[str, Any] = {"visits": 0, "total": 0, "proven": None, "below": []}
    for path, expanded, *_, result, _, proofs in trace["rows"]:
        nodes = [root]
        for level, index in enumerate(path):
            if expanded and level == len(path) - 1:
                fresh = {"visits": 0, "total": 0, "proven": None}
                nodes[-1]["below"] = [{**fresh, "name": name, "below": []} for name in expanded[0]]
            nodes.append(nodes[-1]["below"][index])
        for node in nodes:
            node["visits"] += trace["playouts"]
            node["total"] += result
        for level, points in proofs:
            nodes[level]["proven"] = points

    def told(node: dict[str, Any]) -> dict[str, Any]:
        value = node["total"] / (most * node["visits"]) if node["visits"] else 0.0
        proven = node["proven"] is not None
        return {
            "name": node.get("name"),
            "visits": node["visits"],
            "value": pytest.approx(node["proven"] / most if proven else value),
            "proven": proven,
            "children": {n["name"]: told(n) for n in node["below"] if n["visits"]},
        }

    return told(root)


def dumped(node: dict[str, Any], position: Position, name: str | None = None) -> dict[str, Any]:
    """A node of Tree.dump, with its actions in notation."""
    below = {}
    for child in node["children"]:
        action = position.game.format_action(position, child["action"])
        below[action] = dumped(child, position.apply(child["action"]), action)
    kept = {key: node[key] for key in ("visits", "value", "proven")}
    return {"name": name, **kept, "children": below}


@pytest.mark.parametrize("game", GAMES)
def test_the_recorded_tree_is_the_one_that_chose(game: str) -> None:
    position = first_decision(game)
    nodes = 15 if position.game.has_chance else 60
    choice = analysed("mcts", position, nodes, playouts="2" if game == "connect_four" else "1")
    trace = record(choice, drawn=False)
    (tree,) = choice.trees
    assert len(trace["rows"]) == choice.choice.nodes
    assert grown(trace) == dumped(tree.dump(depth=100), position)
    assert not trace["cut"]


def test_proofs_are_recorded() -> None:
    position = games.game("tic_tac_toe").parse_position("xo1/1xo/3 x")
    choice = analysed("mcts", position, 2_000)
    trace = record(choice, drawn=False)
    assert choice.candidates[0].proven
    assert grown(trace) == dumped(choice.trees[0].dump(depth=100), position)


def test_a_long_search_is_recorded_from_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "SIMULATIONS", 40)
    position = first_decision("connect_four")
    long, short = (analysed("mcts", position, nodes) for nodes in (90, 40))
    trace = record(long, drawn=False)
    assert (trace["cut"], trace["recorded"], trace["nodes"]) == (True, 40, 90)
    assert grown(trace) == dumped(short.trees[0].dump(depth=100), position)


@pytest.mark.parametrize("bot", ["mcts", "flat", "minimax"])
def test_a_trace_ends_before_it_is_too_large(bot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "BYTES", 6_000)
    trace = record(analysed(bot, first_decision("connect_four"), 2_000), drawn=False)
    assert trace["cut"]
    assert 2_000 < len(json.dumps(trace)) < 9_000


@pytest.mark.parametrize("game", ["connect_four", "pebbles"])
def test_the_recorded_playouts_are_those_that_chose(game: str) -> None:
    position = first_decision(game)
    choice = analysed("flat", position, 60)
    trace = record(choice, drawn=False)
    names = trace["rows"][0][1][0]
    totals = {name: [0, 0] for name in names}
    for (index,), _, _, _, result, *_ in trace["rows"]:
        totals[names[index]][0] += 1
        totals[names[index]][1] += result
    visits, total = totals[trace["chosen"]]
    sign = 1 if position.to_move == 0 else -1
    assert visits == max(visits for visits, _ in totals.values())
    assert sign * total / (trace["unit"] * trace["most"] * visits) == pytest.approx(trace["value"])


@pytest.mark.parametrize("game", ["connect_four", "pebbles"])
def test_the_recorded_windows_are_those_that_chose(game: str) -> None:
    position = first_decision(game)
    choice = analysed("minimax", position, 300)
    trace = record(choice, drawn=False)
    rows = trace["rows"]
    reached = [row for row in rows if row[0] == "leaf" or (row[0] == "enter" and not row[6])]
    assert len(reached) == choice.choice.nodes
    _, action, value = next(row for row in reversed(rows) if row[0] == "found")
    assert trace["places"][0][2][action] == trace["chosen"]
    assert value / WIN == pytest.approx(trace["value"], abs=1e-3)


def test_windows_are_entered_and_left_in_turn_and_cuts_pass_them() -> None:
    trace = record(analysed("minimax", first_decision("tic_tac_toe"), 3_000), drawn=False)
    windows: list[tuple[int, int]] = []
    cuts = 0
    for kind, *rest in trace["rows"]:
        if kind == "enter":
            windows.append((rest[3], rest[4]))
        elif kind == "leave":
            _, beta = windows.pop()
            value, cut = rest
            assert not cut or value >= beta
            cuts += cut
        elif kind == "look":
            assert not windows
    assert cuts > 100
    assert any(kind == "table" for kind, *_ in trace["rows"])


def test_hybrid_shows_the_part_that_decides() -> None:
    opening = first_decision("connect_four")
    later = opening
    for column in "4444":
        later = later.apply(later.read(column))
    kinds = [record(analysed("hybrid", p, 60), drawn=False)["kind"] for p in (opening, later)]
    assert kinds == ["tree", "window"]


@pytest.mark.parametrize(
    ("bot", "settings", "sentence"),
    [
        ("random", {}, "random's search cannot be watched"),
        ("solver", {}, "solver's search cannot be watched"),
        ("mcts", {"threads": "2"}, "threads must be 1"),
        ("hybrid", {"form": "classic"}, "classic form"),
    ],
)
def test_what_cannot_be_watched_is_refused(
    bot: str, settings: dict[str, str], sentence: str
) -> None:
    entry = make_entry(bot, seed=1, only=("tic_tac_toe",), settings=settings)
    with pytest.raises(NoTrace, match=sentence):
        watchable(entry, first_decision("tic_tac_toe"))


def test_the_pages_pictures_are_those_of_client_web() -> None:
    registry = (WEB / "boards" / "registry.js").read_text("utf-8")
    boards = set(re.findall(r"^  (\w+): \(\) => import", registry, re.MULTILINE))
    assert boards & set(GAMES) == set(DRAWN)


@pytest.mark.parametrize("game", GAMES)
def test_a_page_asks_for_nothing(game: str) -> None:
    text = page(record(analysed("mcts", first_decision(game), 3), drawn=game not in DRAWN))
    addresses = {a for a in re.findall(r"https?://[\w./-]+", text) if "www.w3.org" not in a}
    assert not addresses
    assert not re.findall(r"^(?:import|export)\b|\bimport\(", text, re.MULTILINE)
    assert not re.search(r'(?:src|href)="(?!data:)', text)


def test_a_game_without_pictures_is_drawn_as_text() -> None:
    trace = record(analysed("mcts", first_decision("tic_tac_toe"), 20), drawn=True)
    assert len(trace["drawings"]) == len(trace["places"])
    assert "│" in trace["drawings"][0]


def test_text_in_a_trace_stays_text() -> None:
    trace = record(analysed("mcts", first_decision("tic_tac_toe"), 3), drawn=False)
    text = page({**trace, "head": "</script><!--<script>alert(1)"})
    data = re.search(r'id="trace">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["head"] == "</script><!--<script>alert(1)"


def test_the_command_writes_a_page_and_says_what_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    import plyhouse

    monkeypatch.setattr(tracing, "SIMULATIONS", 30)
    file = tmp_path / "tree.html"
    command = ["think", "tic_tac_toe", "--nodes", "50", "--seed", "1", "--page"]
    assert plyhouse.main([*command, str(file)]) == 0
    _, err = capfd.readouterr()
    assert "shows the first 30 of 50 simulations" in err
    assert file.read_text("utf-8").startswith("<!doctype html>")
    assert plyhouse.main([*command, str(tmp_path / "tree.htm")]) == 2
    assert capfd.readouterr().err.endswith("its name must end in .html\n")
    assert plyhouse.main([*command, str(tmp_path / "none" / "tree.html")]) == 1
