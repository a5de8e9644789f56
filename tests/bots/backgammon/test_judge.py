"""What the bot, the analysis and the bench ask: turns in order, chances, and where it ends."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from bots import judge, weights
from bots.judge import MOST_PLIES, Estimate, Filter, Judge
from bots.weights import BadWeights
from games.backgammon import GAME
from games.game import CHANCE, END, Position
from tests.bots.backgammon import tiny
from tests.bots.backgammon.test_lookahead import ONE, TWO, Slow
from tests.bots.backgammon.tiny import position

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


def of(told: list[float]) -> Estimate:
    return Estimate(*told)


def same(one: Estimate, other: Estimate, within: float = 1e-9) -> bool:
    pairs = [(getattr(one, name), getattr(other, name)) for name in Estimate.__slots__]
    return all(abs(a - b) <= within for a, b in pairs)


# ---------------------------------------------------------------- estimates


def test_an_estimate_is_worth_its_points() -> None:
    told = Estimate(0.6, 0.3, 0.1, 0.2, 0.05)
    single, lost = 0.6 - 0.3, 0.4 - 0.2
    by_hand = single + 2 * (0.3 - 0.1) + 3 * 0.1 - lost - 2 * (0.2 - 0.05) - 3 * 0.05
    assert told.equity == pytest.approx(by_hand)
    assert told.turned().equity == pytest.approx(-by_hand)
    assert same(told.turned().turned(), told)
    assert Estimate(1, 1, 1, 0, 0).equity == 3
    assert Estimate(0, 0, 0, 1, 1).equity == -3


# ---------------------------------------------------------------- turns


@pytest.mark.parametrize("here", MANY, ids=str)
def test_all_legal_turns_come_best_first_each_as_what_it_leaves(
    asked: Judge, here: Position
) -> None:
    found = asked.turns(here)
    assert sorted(rated.action for rated in found) == list(here.legal_actions())
    assert {rated.plies for rated in found} == {0}
    equities = [rated.estimate.equity for rated in found]
    assert equities == sorted(equities, reverse=True)
    for rated in found:
        left = of(slow().static(here.apply(rated.action))).turned()
        assert same(rated.estimate, left)
    assert asked.best(here) == found[0].action


@pytest.mark.parametrize("plies", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("here", SMALL, ids=str)
def test_the_best_turns_are_looked_at_further(asked: Judge, here: Position, plies: int) -> None:
    found = asked.turns(here, plies)
    assert sorted(rated.action for rated in found) == list(here.legal_actions())
    assert found == sorted(found, key=lambda rated: (-rated.plies, -rated.estimate.equity))
    if len(found) > 1:
        assert found[0].plies == plies
    for rated in found:
        after = slow().chance(here.apply(rated.action), rated.plies)
        assert same(rated.estimate, of(after).turned())


def test_only_so_many_turns_are_looked_at_further(
    asked: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judge, "FILTERS", NARROW)
    here = WIDE
    order = [rated.action for rated in asked.turns(here)]
    assert len(order) == 4
    found = asked.turns(here, 1)
    assert {rated.action for rated in found if rated.plies == 1} == set(order[:2])
    assert [rated.action for rated in found[2:]] == order[2:]
    assert [rated.plies for rated in found] == [1, 1, 0, 0]


@pytest.mark.slow
def test_two_plies_are_for_fewer_turns_still(asked: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "FILTERS", NARROW)
    assert [rated.plies for rated in asked.turns(WIDE, 2)] == [2, 2, 1, 0]


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
        assert same(found[worst].estimate, of(after).turned())
    assert asked.turns(here, 1, also=-5) == asked.turns(here, 1), "what is not legal is nowhere"


def test_a_single_turn_is_told_without_lookahead(asked: Judge) -> None:
    shut = position({25: 1, 6: 2}, dict.fromkeys(range(1, 7), 2), (6, 5))
    (only,) = asked.turns(shut, MOST_PLIES)
    assert (only.action, only.plies) == (0, 0)


def test_mirrored_colours_are_judged_alike(asked: Judge) -> None:
    for here in MANY[:6]:
        s = here.state
        other = Position(GAME, (*s[26:52], *s[:26], 1 - s[52], *s[53:]))
        for one, two in zip(asked.turns(here), asked.turns(other), strict=True):
            assert one.action == two.action
            assert same(one.estimate, two.estimate)


# ---------------------------------------------------------------- nodes and stop


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


def test_nodes_for_all_turns_are_not_enough_to_look_further(file: Path) -> None:
    here = WIDE
    asked = Judge(weights=file, plain=True)
    found = asked.turns(here, 2, nodes=len(here.legal_actions()))
    assert {rated.plies for rated in found} == {0}
    assert asked.spent == len(found) == len(here.legal_actions())


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


def test_no_nodes_judge_nothing(asked: Judge) -> None:
    assert asked.turns(MANY[0], 1, nodes=0) == []


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_a_stop_ends_it(asked: Judge, plies: int) -> None:
    assert asked.turns(WIDE, plies, stop=[1]) == []
    assert len(asked.turns(WIDE, 1)) > 1, "and the next one goes on as ever"


# ---------------------------------------------------------------- at the dice


def test_before_the_opening_roll_it_is_even(asked: Judge) -> None:
    for plies in range(MOST_PLIES + 1):
        assert asked.chance(START, plies) == Estimate(0.5, 0, 0, 0, 0)


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_the_chances_of_who_is_to_roll(asked: Judge, plies: int) -> None:
    assert TWO.to_move == CHANCE
    assert same(asked.chance(TWO, plies), of(slow().chance(TWO, plies)))


def test_at_the_end_all_is_known(asked: Judge) -> None:
    over = position({6: 14, 20: 1}, {})
    assert over.to_move == END
    for plies in range(MOST_PLIES + 1):
        assert asked.chance(over, plies).equity == -3
    assert asked.chance(position({6: 1}, {1: 1}), 2).win == pytest.approx(27 / 36)


def test_who_bears_off_the_last_checker_has_won(asked: Judge) -> None:
    found = asked.turns(tiny.LAST.apply(61), 2)
    assert found[0].estimate == Estimate(1, 1, 1, 0, 0)
    assert found[0].estimate.equity == 3


# ---------------------------------------------------------------- the file


def test_a_file_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(BadWeights, match="there are no weights in"):
        Judge(weights=tmp_path / "none.nets", plain=True)
    (tmp_path / "bad.nets").write_bytes(b"nothing")
    with pytest.raises(BadWeights, match="is no file of weights"):
        Judge(weights=tmp_path / "bad.nets", plain=True)


def test_two_judges_do_not_disturb_each_other(file: Path) -> None:
    one, two = (Judge(weights=file, plain=True) for _ in range(2))
    here, other = MANY[0], MANY[-1]
    before = one.turns(here)
    two.turns(other)
    assert one.turns(here) == before
    assert (one.spent, two.spent) == (2 * len(before), len(other.legal_actions()))


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_compiled_and_plain_judge_alike(asked: Judge, file: Path) -> None:
    quick = Judge(weights=file)
    assert not quick.nets.plain
    for here in SMALL:
        for plies in range(MOST_PLIES + 1):
            pairs = zip(
                sorted(asked.turns(here, plies), key=lambda rated: rated.action),
                sorted(quick.turns(here, plies), key=lambda rated: rated.action),
                strict=True,
            )
            for one, two in pairs:
                assert (one.action, one.plies) == (two.action, two.plies)
                assert same(one.estimate, two.estimate, 1e-4)


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
