"""The cube: which action is best, what others lose, and positions that everybody knows."""

from __future__ import annotations

import pytest

from bots.backgammon import weights
from bots.backgammon.cube.cube_judge import CubeJudge, CubeJudgement
from bots.backgammon.cube.stakes import Stakes
from bots.backgammon.judge import Judge
from games.backgammon import GAME
from games.game import Position
from tests.bots.backgammon import tiny
from tests.bots.backgammon.cube.tables import plain_table
from tests.bots.backgammon.tiny import position

# Two checkers to go, on the points 6 and 1, and the other side bears off next: 15 rolls of 36 win.
LAST_ROLL = position({6: 1, 1: 1}, {1: 2})
LAST_WINS = sum(2 - (a == b) for a, b in tiny.DICE if (a == 6 and b >= 1) or a == b > 1) / 36


def money(stays: float, taken: float, beaver: float | None = None) -> CubeJudgement:
    return CubeJudgement(0, stays, taken, beaver, 1.0, (1.0, -1.0), in_match=False, free=False)


@pytest.fixture(scope="module")
def cubes(tmp_path_factory: pytest.TempPathFactory) -> CubeJudge:
    file = tmp_path_factory.mktemp("nets") / "tiny.nets"
    weights.save(file, tiny.weights())
    return CubeJudge(Judge(weights=file, plain=True), table=plain_table())


@pytest.mark.parametrize(
    ("stays", "taken", "double", "too_good", "answer", "best"),
    [
        (0.3, 0.1, False, False, "take", "roll"),
        (0.5, 0.8, True, False, "take", "double"),
        (0.9, 1.4, True, False, "drop", "double"),
        (1.2, 1.9, False, True, "drop", "roll"),
    ],
)
def test_every_kind_of_decision(
    stays: float, taken: float, double: bool, too_good: bool, answer: str, best: str
) -> None:
    told = money(stays, taken)
    assert (told.double, told.too_good, told.answer) == (double, too_good, answer)
    assert told.value == max(stays, min(taken, 1.0))
    first, second = told.actions()
    assert (first.name, first.value, first.loss) == (best, told.value, 0)
    assert second.loss == pytest.approx(abs(stays - min(taken, 1.0)))
    values = {action.name: action.value for action in told.answers()}
    assert values == {"take": -taken, "drop": -1.0}
    assert told.answers()[1].loss == pytest.approx(abs(taken - 1))


def test_a_beaver_is_an_answer_where_it_is_allowed() -> None:
    told = money(-0.1, -0.3, beaver=-0.6)
    assert [action.name for action in told.answers()] == ["beaver", "take", "drop"]
    assert told.doubled == -0.6
    assert money(0.4, 0.3, beaver=0.5).answer == "take"


def test_who_has_nothing_to_lose_doubles_on_a_tie_and_nobody_else() -> None:
    for free in (False, True):
        told = CubeJudgement(0, 0.5, 0.5, None, 0.7, (0.7, 0.0), in_match=True, free=free)
        assert told.double == free


def test_nobody_doubles_where_both_play_for_the_match_anyhow(cubes: CubeJudge) -> None:
    for away, double in (((5, 2), True), ((2, 2), False), ((2, 5), False)):
        told = cubes.judge(LAST_ROLL, Stakes(cube=2, away=away), 0)
        assert told is not None
        assert told.double == double, away


def test_in_a_match_an_answer_is_worth_the_rest_and_points_count_the_cube() -> None:
    told = CubeJudgement(1, 0.5, 0.55, None, 0.6, (0.6, 0.4), in_match=True, free=False)
    assert {action.name: action.value for action in told.answers()} == pytest.approx(
        {"take": 0.45, "drop": 0.4}
    )
    assert told.points(0.6) == pytest.approx(1)
    assert told.points(0.4) == pytest.approx(-1)
    assert told.points(0.55) == pytest.approx(0.5)


@pytest.mark.parametrize("plies", [1, 2])
def test_the_last_roll_of_a_race_is_exact(cubes: CubeJudge, plies: int) -> None:
    told = cubes.judge(LAST_ROLL, Stakes(), plies)
    assert told is not None
    assert told.stays == pytest.approx(2 * LAST_WINS - 1)
    assert told.taken == pytest.approx(2 * (2 * LAST_WINS - 1))
    match = cubes.judge(LAST_ROLL, Stakes(away=(2, 3)), plies)
    assert match is not None
    table = plain_table()
    assert match.stays == pytest.approx(
        LAST_WINS * table.chance(1, 3) + (1 - LAST_WINS) * table.chance(2, 2)
    )
    assert match.taken == pytest.approx(LAST_WINS + (1 - LAST_WINS) * table.chance(2, 1))


def test_who_may_not_double_is_told_so(cubes: CubeJudge) -> None:
    for stakes in (Stakes(cube=2, owner=1), Stakes(away=(1, 3), crawford=True)):
        told = cubes.judge(LAST_ROLL, stakes, 0)
        assert told is not None
        assert told.taken is told.beaver is told.cash is told.doubled is None
        assert not told.double
        assert not told.too_good
        assert [action.name for action in told.actions()] == ["roll"]
        with pytest.raises(ValueError, match="not allowed"):
            told.answers()


def test_the_cube_is_judged_before_a_roll_only(cubes: CubeJudge) -> None:
    start = GAME.initial()
    for here in (start, start.apply(31)):
        with pytest.raises(ValueError, match="before a seat rolls"):
            cubes.judge(here, Stakes(), 0)


def test_a_stop_ends_it(cubes: CubeJudge) -> None:
    assert cubes.judge(LAST_ROLL, Stakes(), 1, stop=[1]) is None
    assert cubes.judge(LAST_ROLL, Stakes(), 1) is not None


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_the_shipped_nets_know_what_everybody_knows() -> None:
    """Nobody doubles at the start; a race with a lead of ten pips in a hundred is a double and a
    take, with twenty a drop; who has closed out a checker and may win a gammon is too good."""
    shipped = CubeJudge(Judge())
    start = Position(GAME, (*GAME.initial().state[:52], 0, 0, 0))
    race = {pips: position({6: 7, 7: 4, 8: 4}, {6: 5, 7: 4, 8: 4, 8 + pips: 2}) for pips in (1, 9)}
    gammon = position({6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 1: 2}, {25: 2, 24: 2, 13: 5, 8: 3, 6: 3})
    told = [shipped.judge(here, Stakes(), 2) for here in (start, *race.values(), gammon)]
    first, close, far, good = told
    assert first is not None
    assert close is not None
    assert far is not None
    assert good is not None
    assert not first.double
    assert first.answer == "take"
    assert close.answer == "take"
    assert far.double
    assert far.answer == "drop"
    assert good.too_good
