"""What a resignation gave up, and what was lost by the answer to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from bots.analysis.cube_equity import CubeAnalyst
from bots.analysis.equity import EquityAnalyst
from bots.analysis.match_analysis import analyse, read_actions
from bots.backgammon import weights
from bots.backgammon.cube import match_table
from bots.backgammon.judge import Judge
from games import registry
from games.game import Position
from protocol.analysis import AnalysedPlay, MatchAnalysis, Resignation
from tests.bots.analysis.parts import in_order
from tests.bots.backgammon import tiny

GAME, PLAIN = registry.game("backgammon_cube"), registry.game("backgammon")
# X bears off its last two checkers, from 5 and 2, with 19 rolls of 36; else O does so for sure.
LAST_ROLL, WINS = "--A--A------------------b-", 19 / 36
ONE = 2 * (2 * WINS - 1)  # what that is worth in money: X doubles, and O takes
LOST = ("roll", "21", "5/3 2/1")  # after which X has lost for sure


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    file = tmp_path_factory.mktemp("nets") / "tiny.nets"
    weights.save(file, tiny.weights())
    return Judge(weights=file, plain=True)


def at(rest: str = "0:0:0:0:10", cube: str = "0:0") -> Position:
    return GAME.parse_position(f"XGID={LAST_ROLL}:{cube}:1:00:{rest}")


def resigned(**fields: Any) -> Resignation:
    return Resignation(**{"ply": 0, "seat": 0, "points": 1} | fields)


def gone_through(
    judge: Judge, first: Position, resignation: Resignation, texts: Sequence[str] = ()
) -> MatchAnalysis:
    analyst = CubeAnalyst(plies=1, judge=judge)
    return analyse(first, read_actions(first, texts), analyst, resignations=[resignation])


def told(plays: Sequence[AnalysedPlay]) -> list[tuple[int, str, float | None]]:
    return [(play.seat, play.action, play.loss) for play in plays]


def test_who_gives_up_loses_what_playing_on_is_worth_and_the_sums_make_the_result(
    judge: Judge,
) -> None:
    found = gone_through(judge, at(), resigned())
    assert told(found.resignations) == [(0, "resign 1", round(1 + ONE, 4))]
    (play,) = found.resignations
    assert [option.action for option in play.best] == ["play on", "resign 1"]
    assert (play.blunder, play.cube, play.ply) == (True, False, 0)
    x, o = found.totals
    assert x.resigning is not None
    assert (x.resigning.decisions, x.resigning.blunders, x.blunders, x.plays) == (1, 1, 1, 0)
    assert (o.resigning, o.loss, x.rated) == (None, 0.0, 0)
    assert ONE - x.loss == pytest.approx(-1, abs=0.001)


@pytest.mark.parametrize("accepted", [True, False])
def test_an_offer_of_more_than_is_lost_is_an_error_and_to_refuse_it_is_one(
    judge: Judge, accepted: bool
) -> None:
    found = gone_through(judge, at(), resigned(accepted=accepted))
    given = round(1 + ONE, 4)
    answer = (1, "accept 1", 0.0) if accepted else (1, "refuse 1", given)
    assert told(found.resignations) == [(0, "resign 1", given), answer]
    assert all(in_order(play) for play in found.resignations)


@pytest.mark.parametrize("accepted", [True, False])
def test_an_offer_of_less_than_is_lost_costs_nobody_but_who_accepts_it(
    judge: Judge, accepted: bool
) -> None:
    first = at(cube="1:1")  # X owns it at 2, and O wins for sure
    offer = resigned(ply=3, accepted=accepted)
    found = gone_through(judge, first, offer, LOST)
    loss = 1.0 if accepted else 0.0
    verb = "accept" if accepted else "refuse"
    assert told(found.resignations) == [(0, "resign 1", 0.0), (1, f"{verb} 1", loss)]
    answer = found.resignations[1]
    assert (answer.normalised, answer.shows) == (loss / 2, 2)
    # of the one who has lost for sure, and of who moves next, it is worth the same
    assert found.resignations[0].best[0].value == -2.0


def test_at_a_score_it_is_told_in_chances_to_win_the_match(judge: Judge) -> None:
    found = gone_through(judge, at("1:0:0:5:10"), resigned(points=2, accepted=False))
    chance = match_table.shipped().chance
    plays_on = WINS * chance(2, 5) + (1 - WINS) * chance(4, 3)  # X doubles, and O takes
    offer, answer = found.resignations
    assert found.unit == "chance"
    assert offer.loss == pytest.approx(plays_on - chance(4, 3), abs=1e-5)
    assert answer.loss == offer.loss
    point = (chance(3, 5) - chance(4, 4)) / 2
    assert offer.normalised == pytest.approx((offer.loss or 0) / point, abs=1e-3)


def test_without_a_cube_it_is_judged_as_well_and_nothing_once_it_is_to_stop(judge: Judge) -> None:
    first = PLAIN.parse_position(f"XGID={LAST_ROLL}:0:0:1:21:0:0:0:0:10")  # as good as lost
    analyst = EquityAnalyst(judge=judge, plies=1)
    for seat, points, loss in ((0, 1, 0.0), (0, 2, 1.0), (1, 1, 2.0)):
        resignation = resigned(seat=seat, points=points)
        found = analyse(first, [], analyst, resignations=[resignation])
        assert told(found.resignations) == [(seat, f"resign {points}", loss)]
    stopped = analyse(first, [], analyst, stop=[1], resignations=[resigned()])
    assert stopped.resignations == []
