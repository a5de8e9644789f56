"""What the bot, the analysis and the bench ask: turns in order, chances, and where it ends."""

from __future__ import annotations

from dataclasses import astuple
from functools import cache
from itertools import product
from pathlib import Path

import pytest

from bots.backgammon import judge, weights
from bots.backgammon.judge import MAX_LOOKAHEAD, Estimate, Filter, Judge
from games.backgammon import GAME
from games.game import CHANCE, Position
from tests.bots.backgammon import tiny
from tests.bots.backgammon.kernels.test_lookahead import ONE, TWO, Slow
from tests.bots.backgammon.tiny import near, position

START = GAME.initial()
WIDE = position({9: 1, 7: 1}, {20: 1}).apply(21)  # four turns
SMALL = (ONE.apply(21), TWO.apply(62), WIDE)
NARROW = {0: (), 1: (Filter(2, 9.0),), 2: (Filter(3, 9.0), Filter(2, 9.0))}
MANY = tuple(here for here in tiny.rolled(8) if 1 < len(here.legal_actions()) < 60)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("nets") / "tiny.nets"
    weights.save(path, tiny.weights())
    return path


@pytest.fixture(scope="module")
def asked(file: Path) -> Judge:
    return Judge(weights=file, plain=True)


@cache
def slow() -> Slow:
    return Slow(tiny.plain())


def same(one: Estimate, other: Estimate, within: float = 1e-9) -> bool:
    return near(astuple(one), astuple(other), within)


def test_an_estimate_is_worth_its_points() -> None:
    told = Estimate(0.6, 0.3, 0.1, 0.2, 0.05)
    single, lost = 0.6 - 0.3, 0.4 - 0.2
    by_hand = single + 2 * (0.3 - 0.1) + 3 * 0.1 - lost - 2 * (0.2 - 0.05) - 3 * 0.05
    assert told.equity == pytest.approx(by_hand)
    assert told.turned().equity == pytest.approx(-by_hand)
    assert same(told.turned().turned(), told)


@pytest.mark.parametrize(
    ("here", "plies"),
    [
        *((here, 0) for here in MANY),
        *((here, 1) for here in SMALL),
        *(pytest.param(here, 2, marks=pytest.mark.slow) for here in SMALL),
    ],
    ids=str,
)
def test_all_legal_turns_come_best_first_and_the_best_are_looked_at_further(
    asked: Judge, here: Position, plies: int
) -> None:
    found = asked.turns(here, plies)
    assert sorted(rated.action for rated in found) == list(here.legal_actions())
    assert found == sorted(found, key=lambda rated: (-rated.plies, -rated.estimate.equity))
    if len(found) > 1:
        assert found[0].plies == plies
    if plies == 0:
        assert asked.best(here) == found[0].action
    for rated in found:
        after = slow().chance(here.apply(rated.action), rated.plies)
        assert same(rated.estimate, Estimate(*after).turned())


@pytest.mark.parametrize(
    ("plies", "wanted"), [(1, [1, 1, 0, 0]), pytest.param(2, [2, 2, 1, 0], marks=pytest.mark.slow)]
)
def test_only_so_many_turns_are_looked_at_further(
    asked: Judge, monkeypatch: pytest.MonkeyPatch, plies: int, wanted: list[int]
) -> None:
    monkeypatch.setattr(judge, "FILTERS", NARROW)
    order = [rated.action for rated in asked.turns(WIDE)]
    found = asked.turns(WIDE, plies)
    assert [rated.plies for rated in found] == wanted
    if plies == 1:
        assert [rated.action for rated in found[2:]] == order[2:]


def test_no_turn_is_looked_at_further_that_is_far_behind(
    asked: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = WIDE
    best, second, third, *_ = (rated.estimate.equity for rated in asked.turns(here))
    assert best > second > third
    for gap, n in ((0, 1), (best - (second + third) / 2, 2)):
        monkeypatch.setattr(judge, "FILTERS", {0: (), 1: (Filter(9, gap),)})
        assert sum(rated.plies for rated in asked.turns(here, 1)) == n


def test_a_turn_that_is_asked_for_is_looked_at_as_far(
    asked: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "FILTERS", NARROW)
    here = WIDE
    worst = asked.turns(here)[-1].action
    for plies in (0, 1):
        found = {rated.action: rated for rated in asked.turns(here, plies, also=worst)}
        assert found[worst].plies == plies
        after = slow().chance(here.apply(worst), plies)
        assert same(found[worst].estimate, Estimate(*after).turned())
    assert asked.turns(here, 1, also=-5) == asked.turns(here, 1), "what is not legal is nowhere"


def test_a_single_turn_is_told_without_lookahead(asked: Judge) -> None:
    shut = position({25: 1, 6: 2}, dict.fromkeys(range(1, 7), 2), (6, 5))
    (only,) = asked.turns(shut, MAX_LOOKAHEAD)
    assert (only.action, only.plies) == (0, 0)


def test_with_few_nodes_chance_says_which_turns_are_judged(file: Path) -> None:
    here = max(MANY, key=lambda here: len(here.legal_actions()))
    legal = here.legal_actions()
    seen = set()
    for seed in range(6):
        found = []
        for _ in range(2):
            asked = Judge(weights=file, plain=True, seed=seed)
            found.append([rated.action for rated in asked.turns(here, 1, nodes=5)])
            assert asked.spent == 5
        assert found[0] == found[1], "the same seed, the same turns"
        assert len(set(found[0])) == 5
        assert set(found[0]) <= set(legal)
        seen.add(tuple(sorted(found[0])))
    assert len(seen) > 1


@pytest.mark.parametrize("plies", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_more_nodes_look_at_more_turns_and_the_best_ones_first(file: Path, plies: int) -> None:
    here = WIDE
    asked = Judge(weights=file, plain=True)
    whole = asked.turns(here, plies)
    needed, before = asked.spent, -1
    assert asked.turns(here, plies, nodes=10 * needed + 100_000) == whole
    for nodes in range(len(here.legal_actions()), needed + 1, max(1, needed // 6)):
        spent = asked.spent
        found = asked.turns(here, plies, nodes=nodes)
        assert sorted(rated.action for rated in found) == list(here.legal_actions())
        assert asked.spent - spent <= nodes
        further = sum(rated.plies for rated in found)
        assert further >= before
        before = further


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_a_stop_or_no_nodes_to_judge_end_it(asked: Judge, plies: int) -> None:
    assert asked.turns(WIDE, plies, nodes=0) == []
    assert asked.turns(WIDE, plies, stop=[1]) == []
    assert len(asked.turns(WIDE, 1)) > 1, "and the next one goes on as ever"


@pytest.mark.parametrize("plies", range(MAX_LOOKAHEAD + 1))
def test_the_chances_of_who_is_to_roll_and_of_what_is_known(asked: Judge, plies: int) -> None:
    assert TWO.to_move == CHANCE
    assert same(asked.chance(TWO, plies), Estimate(*slow().chance(TWO, plies)))
    assert asked.chance(START, plies) == Estimate(0.5, 0, 0, 0, 0), "even before the first roll"
    assert asked.chance(position({6: 14, 20: 1}, {}), plies) == Estimate(0, 0, 0, 1, 1)
    one_roll = asked.chance(position({6: 1}, {1: 1}), plies)
    assert same(one_roll, Estimate(27 / 36, 0, 0, 0, 0))


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_compiled_and_plain_judge_alike(asked: Judge, file: Path) -> None:
    quick = Judge(weights=file)
    assert not quick.nets.plain
    for here, plies in product(SMALL, range(MAX_LOOKAHEAD + 1)):
        one, two = (
            {rated.action: rated for rated in which.turns(here, plies)} for which in (asked, quick)
        )
        assert one.keys() == two.keys()
        for action, rated in one.items():
            assert rated.plies == two[action].plies
            assert same(rated.estimate, two[action].estimate, 1e-4)


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
@pytest.mark.parametrize("plies", [0, 1, 2])
def test_the_shipped_nets_open_as_everybody_does(plies: int) -> None:
    shipped = Judge()
    for roll, turn in ((31, "8/5 6/5"), (42, "8/4 6/4"), (61, "13/7 8/7"), (53, "8/3 6/3")):
        here = START.apply(roll)
        assert GAME.format_action(here, shipped.turns(here, plies)[0].action) == turn


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_the_shipped_nets_know_what_it_is_worth_to_roll_first() -> None:
    """About 0.07 points, 52.5 % of the games, and a gammon in every fourth or fifth game won."""
    s = START.state
    told = Judge().chance(Position(GAME, (*s[:52], 0, 0, 0)), 1)
    assert 0.02 < told.equity < 0.14
    assert 0.50 < told.win < 0.56
    assert 0.10 < told.gammon < 0.19
    assert 0.10 < told.lose_gammon < 0.19
    assert told.backgammon < 0.03
