"""Alpha-beta with its table, against slower truth; plain and compiled are the same search.

That it equals plain minimax on every position of tic-tac-toe is held in test_invariants.py.
"""

from __future__ import annotations

import pytest

from bots import registry
from bots.bot import BadSetting, Budget
from bots.engine import compiled
from bots.engine.alphabeta import AlphaBeta, AlphaBetaResult
from bots.engine.kernels import negamax
from bots.online.entry import make_entry
from bots.online.terms import Strength, agree
from bots.reading.simple_minimax import SimpleMinimax
from bots.roster import minimax
from games import registry as games
from games.game import Game, Ints, Position
from tests.bots.positions import decision, decisions, worth

PLENTY = 10**9
GAMES = [
    "tic_tac_toe",
    *[
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("connect_four", "ultimate_tic_tac_toe", "backgammon", "pebbles")
    ],
]


def find(
    position: Position, depth: int = 0, nodes: int = PLENTY, *, pruning: bool = True
) -> AlphaBetaResult:
    search = AlphaBeta(position.game, megabytes=1, pruning=pruning)
    return search.think(position, nodes, [0], depth)


@pytest.mark.parametrize("count", [8, pytest.param(150, marks=pytest.mark.slow)])
def test_it_knows_who_wins_late_games_and_in_how_many_plies(count: int) -> None:
    for game, stones in (("connect_four", 34), ("tic_tac_toe", 3)):
        for position in decisions(game, stones, count):
            found = find(position)
            value, plies = worth(position)
            assert found.solved
            assert found.value == (value if position.to_move == 0 else -value), position
            assert found.plies == plies, position
            assert worth(position.apply(found.action)) == (value, plies - 1 if value else 0)


def test_pruning_and_the_table_change_no_value() -> None:
    openings = decisions("connect_four", 12, 5)[1:]  # the first one is won at once
    for position in openings + decisions("ultimate_tic_tac_toe", 20, 2):
        state = list(position.state)
        simple = SimpleMinimax(position.game, pruning=False).run(state, PLENTY, [0], 3)
        whole = find(position, 3, pruning=False)
        assert whole.value == pytest.approx(simple.value, abs=0.011)  # evaluations are cut to 0.99
        assert (whole.depth, whole.nodes) == (simple.depth, simple.nodes)
        pruned = find(position, 3)
        assert pruned.value == whole.value
        assert pruned.nodes < whole.nodes


def test_without_pruning_a_budget_that_ends_leaves_a_short_look_to_play_by() -> None:
    won = "2o1o4/oo1xo1ooo/3xo4/x1x1xxx2/x3x2x1/ooooox2o/1xx2x1xx/x4xoo1/o1xo1x1xo o -"
    game = games.game("ultimate_tic_tac_toe")
    found = find(game.parse_position(won), 4, nodes=5_000, pruning=False)
    assert (found.nodes, found.depth, found.value) == (5_000, 1, 1.0)
    assert game.format_action(game.parse_position(won), found.action) == "16"


def test_what_is_known_is_not_looked_for_again() -> None:
    spent = [0, 0]
    for position in decisions("connect_four", 27, 2):
        search = AlphaBeta(position.game, megabytes=1)
        found = [search.think(position, PLENTY, [0]) for _ in range(2)]
        assert found[0].solved
        assert (found[0].value, found[0].plies) == (found[1].value, found[1].plies)
        spent = [spent[i] + found[i].nodes for i in range(2)]
    assert spent[1] < spent[0] / 10


def test_it_stops_at_exactly_its_nodes_and_says_how_far_it_looked() -> None:
    position = games.game("connect_four").initial()
    for nodes in (1, 6, 7, 8, 100, 5_000):
        assert find(position, nodes=nodes).nodes == nodes
    assert find(position, nodes=6).depth == 0
    assert find(position, nodes=7).depth == 1


def test_the_depth_has_an_end_where_dice_never_finish() -> None:
    (position,) = decisions("backgammon", 8, 1)
    assert find(position, nodes=200).nodes == 200


@pytest.mark.slow
def test_with_dice_a_value_near_one_is_no_proof() -> None:
    game = games.game("backgammon")
    position = game.parse_position("XGID=-A-AoAA-------------------:0:0:1:65:0:0:0:0:10")
    found = find(position, 3)
    assert negamax.SURE < found.value * negamax.WIN < negamax.WIN  # almost: some rolls are judged
    assert (found.solved, found.plies, found.depth) == (False, 0, 3)


def test_an_evaluation_of_another_game_is_refused() -> None:
    with pytest.raises(BadSetting, match="connect_four has usual"):
        make_entry("minimax", seed=1, only=("connect_four",), settings={"evaluation": "lines"})
    with_lines = make_entry("minimax", seed=1, settings={"evaluation": "lines"})
    assert with_lines.games == ("ultimate_tic_tac_toe",)
    anywhere, asked = make_entry("minimax", seed=1), Strength(set={"evaluation": "lines"})
    with pytest.raises(BadSetting, match="tic_tac_toe has usual"):
        agree(anywhere, "tic_tac_toe", asked)
    assert agree(anywhere, "ultimate_tic_tac_toe", asked).settings["evaluation"] == "lines"


def test_each_evaluation_of_a_game_is_searched_with() -> None:
    (position,) = decisions("ultimate_tic_tac_toe", 14, 1)
    values = set()
    for name in position.game.evaluations:
        bot = registry.bot("minimax", depth=2, evaluation=name)
        values.add(bot.choose(position, Budget(nodes=PLENTY)).value)
    assert len(values) == len(position.game.evaluations) == 3


def test_every_evaluation_is_compiled_before_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    thought: set[str] = set()

    class Noted(AlphaBeta):
        def __init__(self, game: Game, *, evaluation: str = "", megabytes: int = 1) -> None:
            super().__init__(game, evaluation=evaluation, megabytes=megabytes)
            self.evaluation = evaluation

        def think(
            self, position: Position, nodes: int, stop: Ints, depth: int = 0
        ) -> AlphaBetaResult:
            thought.add(self.evaluation)
            return super().think(position, nodes, stop, depth)

    monkeypatch.setattr(minimax, "AlphaBeta", Noted)
    game = games.game("ultimate_tic_tac_toe")
    minimax.Minimax.warm_up(game.initial())
    assert thought == {"", *game.evaluations}


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("pruning", [True, False])
def test_plain_and_compiled_find_the_same(name: str, pruning: bool) -> None:
    searches = [
        AlphaBeta(games.game(name), pruning=pruning, seed=4, megabytes=1, plain=plain)
        for plain in (True, False)
    ]
    for plies in (0, 3, 6):
        position = decision(games.game(name), plies, 2)
        if position is None:
            continue
        found = [
            search.think(position, 3_000, compiled.ints(1, search.plain)) for search in searches
        ]
        assert found[0] == found[1]
    tables = [list(map(int, search._table)) for search in searches]
    assert tables[0] == tables[1]
