"""Backgammon with the cube gone through: each decision's loss and what was wrong, and luck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bots.analysis import analysts
from bots.analysis.analyst import AnalysisDepth, Judgement
from bots.analysis.cube_equity import CubeAnalyst
from bots.analysis.match_analysis import analyse, read_actions
from bots.backgammon import weights
from bots.backgammon.cube import match_table
from bots.backgammon.cube.cube_judge import CubeJudge, CubeJudgement
from bots.backgammon.judge import Judge
from bots.backgammon.weights import BadWeights
from games import registry
from games.game import MatchTerms, Position
from protocol.analysis import MatchAnalysis, performance_rating
from tests.bots.analysis.parts import in_order
from tests.bots.backgammon import tiny

GAME = registry.game("backgammon_cube")
START = "-b----E-C---eE---c-e----B-"
# X bears off its last two checkers, from 5 and 2, with 19 rolls of 36; else O does so for sure.
LAST_ROLL, WINS = "--A--A------------------b-", 19 / 36
COURSE = ("roll", "21", "5/3 2/1", "double", "take", "31", "1/off(2)")


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    file = tmp_path_factory.mktemp("nets") / "tiny.nets"
    weights.save(file, tiny.weights())
    return Judge(weights=file, plain=True)


def at(board: str, rest: str = "0:0:0:0:10", cube: str = "0:0", dice: str = "00") -> Position:
    """X is to roll; `rest`: the score of X and of O, Crawford or Jacoby, the length, and a 10."""
    return GAME.parse_position(f"XGID={board}:{cube}:1:{dice}:{rest}")


def gone_through(judge: Judge, first: Position, texts: Sequence[str]) -> MatchAnalysis:
    analyst = CubeAnalyst(plies=1, judge=judge)
    return analyse(first, read_actions(first, texts), analyst)


def test_of_money_all_that_was_lost_and_all_luck_make_the_result(judge: Judge) -> None:
    found = gone_through(judge, at(LAST_ROLL), COURSE)
    assert (found.unit, found.by, found.blunder) == (
        "points",
        "gammon, 1 ply, the cube 2 plies",
        0.08,
    )
    told = [(p.ply, p.seat, p.action, p.loss, p.mistake, p.shows) for p in found.plays if p.cube]
    lost = round(2 * WINS - 1, 4)
    assert told == [
        (0, 0, "roll", lost, "missed_double", 1),
        (3, 1, "double", 0.0, None, 1),
        (4, 0, "take", 1.0, "wrong_take", 1),
    ]
    assert [(r.ply, r.seat, r.luck) for r in found.rolls] == [
        (1, 0, round(-1 - lost, 4)),
        (5, 1, 0.0),
    ]
    x, o = found.totals
    value = 2 * lost  # with the double that was missed
    assert x.luck is not None
    assert value + x.luck - x.loss + o.loss == pytest.approx(-2, abs=0.001)
    assert x.cube is not None
    assert (x.cube.plays, x.cube.normalised, x.cube.doubtful, x.cube.blunders) == (2, 1.0556, 1, 1)
    turn = next(p for p in found.plays if p.action == "5/3 2/1")
    assert (turn.loss, turn.cube, x.rated) == (0.0, False, 3)  # whatever it plays, it has lost
    assert performance_rating(x) == pytest.approx(500 * 1.0556 / 3)
    assert (o.rated, performance_rating(o)) == (1, 0.0)
    assert all(in_order(play) for play in found.plays)


def test_a_cube_that_counts_more_makes_losses_larger_but_not_what_is_rated(judge: Judge) -> None:
    play = gone_through(judge, at(LAST_ROLL, cube="2:1"), ["roll"]).plays[0]
    assert (play.shows, play.normalised) == (4, 0.0556)
    assert play.loss == pytest.approx(4 * (2 * WINS - 1), abs=1e-4)
    assert [option.action for option in play.best] == ["double", "roll"]


def test_at_a_score_losses_are_chances_to_win_the_match(judge: Judge) -> None:
    found = gone_through(judge, at(LAST_ROLL, "1:0:0:5:10"), COURSE)
    chance = match_table.shipped().chance
    stays = WINS * chance(3, 5) + (1 - WINS) * chance(4, 4)
    doubled = WINS * chance(2, 5) + (1 - WINS) * chance(4, 3)
    first, take = (p for p in found.plays if p.mistake)
    assert found.unit == "chance"
    assert first.loss == pytest.approx(doubled - stays, abs=1e-5)
    point = (chance(3, 5) - chance(4, 4)) / 2  # half of what winning or losing one point makes
    assert first.normalised == pytest.approx((doubled - stays) / point, abs=1e-3)
    best, other = (option.equity for option in first.best)  # the same, told of each option
    assert best is not None
    assert other is not None
    assert best - other == pytest.approx(first.normalised, abs=1e-3)
    assert take.loss == pytest.approx(chance(4, 4) - chance(4, 3), abs=1e-5)
    luck = {roll.ply: roll.luck for roll in found.rolls}
    assert luck[1] == pytest.approx(chance(4, 4) - stays, abs=1e-5)
    ended = chance(4, 3)
    x, o = found.totals
    assert doubled + (x.luck or 0) - x.loss - (o.luck or 0) + o.loss == pytest.approx(
        ended, abs=1e-4
    )


class Told(CubeJudge):
    """Says of every position the same about the cube."""

    def __init__(self, stays: float, taken: float, beaver: float | None = None) -> None:
        self.told = CubeJudgement(
            0, stays, taken, beaver, 1.0, (1.0, -1.0), in_match=False, free=False
        )

    def judge(self, position: Position, *_: Any, **__: Any) -> CubeJudgement:  # type: ignore[override]
        return self.told


def decided(judge: Judge, told: Told, *texts: str, rules: str = "0:0:0:0:10") -> Judgement:
    """What is said of the last of these decisions."""
    position = at(START, rules)
    *before, last = read_actions(position, texts)
    for action in before:
        position = position.apply(action)
    judgement = CubeAnalyst(judge=judge, cubes=told).judge(position, last, [0])
    assert judgement is not None
    return judgement


@pytest.mark.parametrize(
    ("stays", "taken", "beaver", "actions", "mistake", "loss"),
    [
        (0.5, 0.8, None, ["roll"], "missed_double", 0.3),
        (0.5, 0.8, None, ["double"], None, 0.0),
        (0.3, 0.1, None, ["double"], "early_double", 0.2),
        (1.2, 1.9, None, ["double"], "too_good", 0.2),
        (1.1, 1.9, None, ["roll"], None, 0.0),
        (0.5, 0.8, None, ["double", "drop"], "wrong_drop", 0.2),
        (0.5, 1.3, None, ["double", "take"], "wrong_take", 0.3),
        (0.5, 1.3, None, ["double", "drop"], None, 0.0),
        (-0.1, -0.2, -0.5, ["double", "take"], "missed_beaver", 0.3),
        (0.5, 0.6, 0.9, ["double", "beaver"], "wrong_beaver", 0.3),
    ],
)
def test_what_was_wrong_about_the_cube_has_a_name(
    judge: Judge, stays: float, taken: float, beaver: float | None, actions: list[str],
    mistake: str | None, loss: float,
) -> None:  # fmt: skip
    rules = "0:0:0:0:10" if beaver is None else "0:0:2:0:10"
    found = decided(judge, Told(stays, taken, beaver), *actions, rules=rules)
    assert (found.mistake, found.loss, found.cube, found.trivial) == (mistake, loss, True, False)
    assert found.blunder == (loss > 0.08)
    notes = [option.note for option in found.best if option.note]
    assert notes == (["too good to double"] if stays > 1 else [])


@pytest.mark.parametrize(
    ("taken", "trivial"), [(0.5, True), (0.35, False), (0.339, True), (-0.5, True)]
)  # it stays at 0.5
def test_not_to_double_counts_only_where_a_double_makes_a_difference_and_is_not_far_off(
    judge: Judge, taken: float, trivial: bool
) -> None:
    assert decided(judge, Told(0.5, taken), "roll").trivial == trivial


def test_where_the_cube_is_dead_nobody_thinks_about_it(judge: Judge) -> None:
    told = Told(0.5, 0.5)
    told.told = CubeJudgement(0, 0.5, 0.49, None, 1.0, (1.0, 0.5), in_match=True, free=False)
    assert decided(judge, told, "roll", rules="4:0:0:5:10").trivial
    assert not decided(judge, told, "roll", rules="3:0:0:5:10").trivial


@pytest.mark.parametrize(
    ("terms", "unit"),
    [
        (MatchTerms(cube=False), "points"),
        (MatchTerms(points=3, score=(2, 0), crawford=True), "chance"),
        (MatchTerms(start="hypergammon", jacoby=True), "points"),
    ],
)
def test_any_terms_are_gone_through_from_their_start(
    judge: Judge, terms: MatchTerms, unit: str
) -> None:
    first = GAME.initial(terms)
    rolled = first.apply(first.legal_actions()[0])
    analyst = CubeAnalyst(plies=0, cube_plies=0, judge=judge)
    actions = [first.legal_actions()[0], rolled.legal_actions()[0]]
    found = analyse(first, actions, analyst)
    assert (found.unit, found.left, len(found.plays), len(found.rolls)) == (unit, [], 1, 1)
    play = found.plays[0]
    assert in_order(play)
    assert play.normalised is not None
    assert (play.cube, found.totals[play.seat].rated) == (False, 1)


def test_once_stopped_it_has_no_answer(judge: Judge) -> None:
    analyst = CubeAnalyst(judge=judge)
    before, rolled = at(LAST_ROLL), at(LAST_ROLL, dice="21")
    assert analyst.judge(before, before.legal_actions()[0], [1]) is None
    assert analyst.judge(rolled, rolled.legal_actions()[0], [1]) is None
    rolling = before.apply(before.legal_actions()[0])
    assert analyst.luck(rolling, rolling.legal_actions()[0], [1]) is None


def test_without_its_nets_there_is_no_analyst(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(self: Judge, **more: object) -> None:
        raise BadWeights("there are no weights here")

    monkeypatch.setattr(Judge, "__init__", none)
    with pytest.raises(analysts.NoAnalyst, match="there are no weights here"):
        analysts.make_analyst(GAME)


def test_it_is_the_analyst_of_the_game_with_the_cube(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "__init__", lambda self: None)
    monkeypatch.setattr(CubeJudge, "__init__", lambda self, judge: None)
    assert analysts.make_analyst(GAME).by == "gammon, 1 ply, the cube 2 plies"
    shallow = analysts.make_analyst(GAME, AnalysisDepth(plies=0, luck_plies=1))
    assert shallow.by == "gammon, 0 plies, the cube 1 ply"
