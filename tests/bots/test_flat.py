"""Flat Monte Carlo: playouts shared out, cut off and judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bots import compiled, registry
from bots.bot import BadSetting, Budget
from bots.roster.flat import WEIGHTS, Flat, _Desk
from bots.search import flat as kernels
from games import registry as games
from games.game import CHANCE, END, Position
from games.rng import below, seeded

EXTRA = str(Path(__file__).parents[1] / "extra_games")
GAMES = sorted({*games.names(), "pebbles"})
MONEY = "0:0:0:0:10"


@pytest.fixture(autouse=True)
def _pebbles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLYHOUSE_GAMES", EXTRA)


def decision(name: str, plies: int = 4) -> Position:
    """A position of a random match in which a seat is to move."""
    rng, position = seeded(plies), games.game(name).initial()
    while plies > 0 or position.to_move == CHANCE:
        actions = position.legal_actions()
        position = position.apply(actions[below(rng, len(actions))])
        plies -= 1
    return position


def desk(position: Position, seed: int = 1, weights: tuple[int, ...] = (0,) * 6) -> _Desk:
    return _Desk(position.game, seed, list(weights), plain=True)


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("plies", [0, 3])
def test_every_playout_is_counted_for_one_candidate(name: str, plies: int) -> None:
    position = decision(name)
    made = 3 if (name, plies) == ("backgammon", 0) else 80
    found = desk(position).think(position, made, [0], plies, 0.5)
    assert sum(c.visits for c in found) == made
    assert len({c.action for c in found}) == min(made, len(position.legal_actions()))
    assert all(-1 <= c.value <= 1 for c in found)
    assert found == sorted(found, key=lambda c: (-c.visits, -c.value, c.action))


def test_a_small_budget_tries_some_of_the_candidates_whichever_the_seed_says() -> None:
    position = games.game("ultimate_tic_tac_toe").initial()
    tried = set()
    for seed in range(12):
        found = desk(position, seed).think(position, 3, [0], 1, 0.5)
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
        work = desk(position)
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
    one, other = [desk(position).think(position, 60, [0], plies, 0.5) for plies in (1, 0)]
    assert one == other


def test_weights_are_thousandths_of_a_point_for_each_feature() -> None:
    places = "XGID=-b----E-C---eE---c-e----B-"
    position = games.game("backgammon").parse_position(f"{places}:0:0:1:31:{MONEY}")
    module = compiled.search("flat", position.game, plain=True)
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


def test_the_weights_that_are_set_are_those_that_it_plays_by() -> None:
    position = decision("backgammon", 1)
    budget = Budget(nodes=60)
    plain = registry.bot("flat", seed=1, plies=1).choose(position, budget)
    other = registry.bot("flat", seed=1, plies=1, advance=-3000).choose(position, budget)
    assert plain.note != other.note


def test_weights_do_nothing_where_there_is_nothing_to_weigh() -> None:
    settings = registry.checked("flat", {})
    assert Flat.idle(games.game("backgammon"), settings) == {}
    idle = Flat.idle(games.game("connect_four"), settings)
    assert set(idle) == set(WEIGHTS)
    assert "connect_four has none" in idle["hit"]


def test_how_far_a_playout_goes_does_nothing_where_none_can_be_judged() -> None:
    idle = Flat.idle(games.game("tic_tac_toe"), registry.checked("flat", {}))
    assert set(idle) == {"plies", *WEIGHTS}
    position, few = decision("tic_tac_toe"), Budget(nodes=40)
    choices = {str(registry.bot("flat", seed=1, plies=n).choose(position, few)) for n in (0, 2)}
    assert len(choices) == 1


def test_a_setting_that_cannot_be_is_answered_with_what_is_allowed() -> None:
    with pytest.raises(BadSetting, match="hit=5000 is not possible: it takes a whole number from"):
        registry.bot("flat", hit=5000)
    with pytest.raises(BadSetting, match=r"no setting 'race'; this bot has: plies .* off "):
        registry.bot("flat", race=1)
    assert set(WEIGHTS) < {setting.name for setting in Flat.SETTINGS}


def test_a_raised_flag_ends_it_between_playouts() -> None:
    position = decision("connect_four")
    assert desk(position).think(position, 10**9, [1], 10, 0.5) == []
    choice = registry.bot("flat").choose(position, Budget(ms=30))
    assert choice.nodes > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_plain_and_compiled_play_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    monkeypatch.setattr(compiled, "available", lambda: True)
    weights = [7, 60, 8, 70, -20, 120]
    for plies in (0, 4):
        game = games.game(name)
        desks = [_Desk(game, 5, weights, plain=plain) for plain in (True, False)]
        for turn in (0, 3, 6):
            position = decision(name, turn)
            if position.to_move == END:
                continue
            one, other = [
                d.think(position, 40, compiled.ints(1, d.plain), plies, 0.5) for d in desks
            ]
            assert one == other
        assert int(desks[0]._rng[0]) == int(desks[1]._rng[0])
