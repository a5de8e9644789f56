"""Flat Monte Carlo: playouts shared out, cut off and judged."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import pytest

from bots import registry
from bots.bot import Budget
from bots.engine import compiled
from bots.engine.kernels import flat
from bots.engine.kernels import flat as kernels
from bots.roster.flat import WEIGHTS, Flat, FlatSearch
from games import registry as games
from games.game import Position
from tests.bots import positions

GAMES = sorted({*games.names(), "pebbles"})
MONEY = "0:0:0:0:10"


def decision(name: str, plies: int = 4) -> Position:
    """A position of a random match that is not over by then."""
    reached = (positions.decision(games.game(name), plies, seed) for seed in count(plies))
    return next(position for position in reached if position is not None)


def search(position: Position, seed: int = 1, weights: tuple[int, ...] = (0,) * 6) -> FlatSearch:
    return FlatSearch(position.game, seed, list(weights), plain=True)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("plies", [0, 3])
def test_every_playout_is_counted_for_one_candidate(name: str, plies: int) -> None:
    position = decision(name)
    made = 3 if (name, plies) == ("backgammon", 0) else 80
    found = search(position).think(position, made, [0], plies, 0.5)
    assert sum(c.visits for c in found) == made
    assert len({c.action for c in found}) == min(made, len(position.legal_actions()))
    assert all(-1 <= c.value <= 1 for c in found)
    assert found == sorted(found, key=lambda c: (-c.visits, -c.value, c.action))


def test_a_small_budget_tries_some_of_the_candidates_whichever_the_seed_says() -> None:
    position = games.game("ultimate_tic_tac_toe").initial()
    tried = set()
    for seed in range(12):
        found = search(position, seed).think(position, 3, [0], 1, 0.5)
        assert len(found) == 3
        tried |= {c.action for c in found}
    assert len(tried) > 20


def test_the_better_a_candidate_looks_the_more_playouts_it_gets() -> None:
    position = games.game("connect_four").parse_position("7/7/7/7/ooo4/xxx4 x")
    choice = registry.bot("flat", seed=1).choose(position, Budget(nodes=400))
    assert position.game.format_action(position, choice.action) == "4"
    assert choice.note.startswith("4 3")
    assert choice.note.count("|") == 6
    even = registry.bot("flat", seed=1, exploration=100).choose(position, Budget(nodes=350))
    assert even.note.startswith("4 52 ")


@pytest.mark.parametrize("seat", [0, 1])
def test_both_seats_want_to_win_and_the_bound_is_ucb1(seat: int) -> None:
    sign = 1 if seat == 0 else -1
    visits, totals = [10, 10, 80], [sign * 50_000, -sign * 50_000, sign * 400_000]
    assert kernels.select(visits, totals, 3, 100, seat, 0.0) == 0
    assert kernels.select(visits, totals, 3, 100, seat, 0.1) == 0
    assert kernels.select([90, 2, 8], [sign * 450_000, 0, 0], 3, 100, seat, 1.0) == 1
    assert kernels.select([1, 1, 0], [0, 0, 0], 3, 2, seat, 1.0) == 2


def test_a_playout_is_cut_off_after_its_plies_rolls_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    position = decision("backgammon", 3)
    for plies in (1, 2, 10):
        work = search(position)
        played: list[int] = []

        def play(
            s: list[int],
            a: int,
            played: list[int] = played,
            really: Callable[[list[int], int], None] = position.game.play,  # type: ignore[assignment]
        ) -> None:
            played.append(s[53])
            really(s, a)

        with monkeypatch.context() as patch:
            patch.setattr(work._kernels, "play", play)
            work.think(position, 1, [0], plies, 0.5)
        turns = [larger for larger in played if larger]
        assert len(turns) == plies + 1
        assert len(played) == 2 * plies + 2


def test_where_there_is_no_evaluation_a_playout_goes_to_the_end() -> None:
    position = decision("tic_tac_toe", 2)
    assert position.game.evaluate is None
    one, other = [search(position).think(position, 60, [0], plies, 0.5) for plies in (1, 0)]
    assert one == other


def test_weights_are_thousandths_of_a_point_for_each_feature() -> None:
    places = "XGID=-b----E-C---eE---c-e----B-"
    position = games.game("backgammon").parse_position(f"{places}:0:0:1:31:{MONEY}")
    module = compiled.search(flat, position.game, plain=True)
    found = [0] * 6
    for i, weight in enumerate((30, 600, 3, 60, 6, 900)):
        position.game.features(list(position.state), found)  # type: ignore[misc]
        weights = [0] * 6
        weights[i] = weight
        value = module.judged(list(position.state), found, weights)
        assert value == found[i] * weight * 3333 // 1000


def test_features_are_counted_as_they_are_described() -> None:
    game = games.game("backgammon")
    assert features(decision("backgammon", 1)) == [0] * 6
    # X: two each on 4 to 8, three of these points within six of O's bar; blots on 10 and 14, with O
    # behind them; three off.  O: one on the bar, one on X's point 2, 13 at home on two points.
    state = [0] * 55
    for p in (4, 5, 6, 7, 8):
        state[p] = 2
    state[10] = state[14] = 1
    state[0] = 3
    state[26 + 25] = state[26 + 23] = 1
    state[26 + 1], state[26 + 2] = 7, 6
    state[52] = 0
    found = [0] * 6
    assert game.features is not None
    game.features(state, found)
    mine, theirs = 2 * (4 + 5 + 6 + 7 + 8) + 24, 25 + 23 + 7 + 12
    assert found == [9, 1, theirs - mine, 5 - 2, 2 - 1, 3]
    state[52] = 1
    game.features(state, found)
    assert found == [-9, -1, mine - theirs, 2 - 5, 1 - 2, -3]


def features(position: Position) -> list[int]:
    found = [0] * 6
    assert position.game.features is not None
    position.game.features(list(position.state), found)
    return found


def test_settings_do_nothing_where_there_is_nothing_to_weigh_or_to_judge() -> None:
    idle = {
        name: Flat.ineffective(games.game(name), Flat.defaults())
        for name in ("backgammon", "connect_four", "tic_tac_toe")
    }
    assert idle["backgammon"] == {}
    assert set(idle["connect_four"]) == set(WEIGHTS)
    assert "connect_four has none" in idle["connect_four"]["hit"]
    assert set(idle["tic_tac_toe"]) == {"plies", *WEIGHTS}
