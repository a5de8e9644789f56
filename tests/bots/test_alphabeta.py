"""Alpha-beta with its table, against slower truth; plain and compiled are the same search.

That it equals plain minimax on every position of tic-tac-toe is held in test_invariants.py.
"""

from __future__ import annotations

import random
from functools import cache

import pytest

from bots import compiled, registry
from bots.alphabeta import AlphaBeta, Found
from bots.bot import BadSetting, Budget
from bots.roster import minimax
from bots.search import negamax
from bots.search.simple_minimax import SimpleMinimax
from bots.terms import Strength, agree, entry
from games import registry as games
from games.game import END, Game, Ints, Position

PLENTY = 10**9
GAMES = [
    "tic_tac_toe",
    *[
        pytest.param(name, marks=pytest.mark.slow)
        for name in ("connect_four", "ultimate_tic_tac_toe", "backgammon", "pebbles")
    ],
]


def wander(game: str, plies: int, seed: int) -> Position | None:
    """A position after so many random actions in which a seat is to move; None if there is none."""
    rng = random.Random(seed)
    position = games.game(game).initial()
    while plies > 0 or (position.to_move < 0 and position.to_move != END):
        if position.to_move == END:
            return None
        position = position.apply(rng.choice(position.legal_actions()))
        plies -= 1
    return None if position.to_move == END else position


def late(game: str, plies: int, count: int) -> list[Position]:
    found = (wander(game, plies, seed) for seed in range(40 * count))
    return [position for position in found if position is not None][:count]


def find(position: Position, depth: int = 0, nodes: int = PLENTY, *, pruning: bool = True) -> Found:
    search = AlphaBeta(position.game, megabytes=1, pruning=pruning)
    return search.think(position, nodes, [0], depth)


@cache
def truth(position: Position) -> tuple[int, int]:
    """What a position is worth to seat 0, and how many plies that takes at best."""
    outcome = position.outcome()
    if outcome is not None:
        return int(outcome.returns[0]), 0
    sign = 1 if position.to_move == 0 else -1
    found = [truth(position.apply(action)) for action in position.legal_actions()]
    value, plies = max(found, key=lambda v: (sign * v[0], -sign * v[0] * v[1]))
    return value, plies + 1


@pytest.mark.parametrize("count", [8, pytest.param(150, marks=pytest.mark.slow)])
def test_it_knows_who_wins_late_games_and_in_how_many_plies(count: int) -> None:
    for game, stones in (("connect_four", 34), ("tic_tac_toe", 3)):
        for position in late(game, stones, count):
            found = find(position)
            value, plies = truth(position)
            assert found.solved
            assert found.value == (value if position.to_move == 0 else -value), position
            assert found.plies == (plies if value else 0), position
            assert truth(position.apply(found.action))[0] == value
            if value:
                assert truth(position.apply(found.action))[1] == plies - 1


def test_pruning_and_the_table_change_no_value() -> None:
    for position in late("connect_four", 12, 4) + late("ultimate_tic_tac_toe", 20, 2):
        state = list(position.state)
        simple = SimpleMinimax(position.game, pruning=False).run(state, PLENTY, [0], 3)
        whole = find(position, 3, pruning=False)
        assert whole.value == pytest.approx(simple.value, abs=0.011)  # evaluations are cut to 0.99
        assert (whole.depth, whole.nodes < simple.nodes) == (simple.depth, True)
        pruned = find(position, 3)
        assert pruned.value == whole.value
        assert pruned.nodes < whole.nodes


def test_what_is_known_is_not_looked_for_again() -> None:
    spent = [0, 0]
    for position in late("connect_four", 24, 3):
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


def test_it_stops_when_it_is_told() -> None:
    position = games.game("connect_four").initial()
    found = AlphaBeta(position.game, megabytes=1).think(position, PLENTY, [1])
    assert (found.nodes, found.solved) == (0, False)
    assert found.action in position.legal_actions()


def test_the_depth_has_an_end_where_dice_never_finish() -> None:
    position = wander("backgammon", 8, 3)
    assert position is not None
    found = find(position, nodes=200)
    assert found.nodes == 200


@pytest.mark.slow
def test_with_dice_a_value_near_one_is_no_proof() -> None:
    game = games.game("backgammon")
    position = game.parse_position("XGID=-A-AoAA-------------------:0:0:1:65:0:0:0:0:10")
    found = find(position, 3)
    assert negamax.SURE < found.value * negamax.WIN < negamax.WIN  # almost: some rolls are judged
    assert (found.solved, found.plies, found.depth) == (False, 0, 3)


def test_an_evaluation_of_another_game_is_refused() -> None:
    with pytest.raises(BadSetting, match="connect_four has usual"):
        entry("minimax", seed=1, only=("connect_four",), settings={"evaluation": "lines"})
    with_lines = entry("minimax", seed=1, settings={"evaluation": "lines"})
    assert with_lines.games == ("ultimate_tic_tac_toe",)
    anywhere, asked = entry("minimax", seed=1), Strength(set={"evaluation": "lines"})
    with pytest.raises(BadSetting, match="tic_tac_toe has usual"):
        agree(anywhere, "tic_tac_toe", asked)
    assert agree(anywhere, "ultimate_tic_tac_toe", asked).settings["evaluation"] == "lines"


def test_each_evaluation_of_a_game_is_searched_with() -> None:
    position = wander("ultimate_tic_tac_toe", 14, 5)
    assert position is not None
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

        def think(self, position: Position, nodes: int, stop: Ints, depth: int = 0) -> Found:
            thought.add(self.evaluation)
            return super().think(position, nodes, stop, depth)

    monkeypatch.setattr(minimax, "AlphaBeta", Noted)
    game = games.game("ultimate_tic_tac_toe")
    minimax.Minimax.warm_up(game.initial())
    assert thought == {"", *game.evaluations}


# ---------------------------------------------------------------- compiled


@pytest.fixture
def with_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(compiled, "available", lambda: True)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("pruning", [True, False])
def test_plain_and_compiled_find_the_same(with_numba: None, name: str, pruning: bool) -> None:
    searches = [
        AlphaBeta(games.game(name), pruning=pruning, seed=4, megabytes=1, plain=plain)
        for plain in (True, False)
    ]
    for plies in (0, 3, 6):
        position = wander(name, plies, 2)
        if position is None:
            continue
        found = [
            search.think(position, 3_000, compiled.ints(1, search.plain)) for search in searches
        ]
        assert found[0] == found[1]
    tables = [list(map(int, search._table)) for search in searches]
    assert tables[0] == tables[1]


def test_the_desk_is_laid_out_without_overlap() -> None:
    assert negamax.KILLERS == negamax.HISTORY + 2 * negamax.TRACED
    assert negamax.FRAMES == negamax.KILLERS + 2 * negamax.PLIES
    assert negamax.HISTORY > negamax.PLY
