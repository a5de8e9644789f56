"""Games that are not solved: the value that a play gave away, and its error."""

from __future__ import annotations

import pytest

from bots.analysis.analysts import make_analyst
from bots.analysis.match_analysis import analyse, read_actions
from bots.analysis.sampling import BLUNDER, SamplingAnalyst, _SampledAction
from games import registry
from games.game import Ints, Position
from tests.bots.analysis.parts import in_order, option

TTT = registry.game("tic_tac_toe")
ULTIMATE = registry.game("ultimate_tic_tac_toe")
PEBBLES = registry.game("pebbles")
BACKGAMMON = registry.game("backgammon")


def test_what_is_proven_has_no_error_and_a_play_that_loses_at_once_is_a_blunder() -> None:
    analyst = SamplingAnalyst(TTT, nodes=300)
    play = analyse(TTT.initial(), read_actions(TTT.initial(), "15243"), analyst, given=4).plays[0]
    assert (play.action, play.loss, play.error) == ("3", 0.0, 0.0)
    assert play.best[0] == option("3", 1.0, "proven")
    play = analyse(TTT.initial(), read_actions(TTT.initial(), "5174"), analyst, given=3).plays[0]
    assert (play.blunder, play.doubtful) == (True, False)
    assert play.loss is not None
    assert play.loss > 0.9
    assert [o.note for o in play.best if o.action == "4"] == ["proven"]


def test_a_single_game_of_backgammon_is_a_third_of_what_can_be_won() -> None:
    position = BACKGAMMON.parse_position("XGID=-A----------------------a-:0:0:1:21:0:0:0:0:10")
    judged = SamplingAnalyst(BACKGAMMON, nodes=5).judge(position, position.legal_actions()[0], [0])
    assert judged is not None
    assert judged.best == [option("1/off", 0.3333, "proven")]


def test_the_error_is_that_of_two_means_of_as_many_games() -> None:
    play = analyse(ULTIMATE.initial(), [4], SamplingAnalyst(ULTIMATE, nodes=40)).plays[0]
    assert play.loss is not None
    error = 0.0 if play.best[0].action == play.action else pytest.approx(0.43, abs=0.02)
    assert play.error == error
    assert {o.note for o in play.best} == {"40 simulations"}


@pytest.mark.parametrize(
    ("played", "visits", "marks"),
    [
        (0.2, 40, (False, False)),  # 0.3 ± 0.41
        (0.2, 400, (False, True)),  # 0.3 ± 0.13
        (0.35, 400, (True, False)),  # 0.15 ± 0.12
        (0.35, 200, (False, False)),  # 0.15 ± 0.18
        (0.45, 4_000_000, (False, False)),  # 0.05, less than half a blunder
    ],
)
def test_a_loss_within_its_error_is_no_mistake(
    played: float, visits: int, marks: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    def after(self: SamplingAnalyst, position: Position, action: int, stop: Ints) -> _SampledAction:
        return _SampledAction(action, played if action == 4 else 0.5, visits)

    monkeypatch.setattr(SamplingAnalyst, "_after", after)
    play = analyse(ULTIMATE.initial(), [4], SamplingAnalyst(ULTIMATE, nodes=10)).plays[0]
    assert play.loss == round(0.5 - played, 4)
    assert (play.doubtful, play.blunder) == marks


def test_the_played_one_is_listed_however_bad_it_looks() -> None:
    actions = read_actions(ULTIMATE.initial(), ["55", "51"])
    found = analyse(ULTIMATE.initial(), actions, SamplingAnalyst(ULTIMATE, nodes=30))
    for play in found.plays:
        assert len(play.best) == 5
        assert play.action in [o.action for o in play.best]
        assert in_order(play)


def test_the_same_seed_finds_the_same() -> None:
    actions = read_actions(ULTIMATE.initial(), ["55", "51"])
    one, two = (
        analyse(ULTIMATE.initial(), actions, SamplingAnalyst(ULTIMATE, nodes=20, seed=7))
        for _ in "12"
    )
    assert one == two


def test_dice_are_no_obstacle_and_their_luck_is_not_measured() -> None:
    position, actions = PEBBLES.initial(), []
    while position.legal_actions() and len(actions) < 6:
        actions.append(position.legal_actions()[-1])
        position = position.apply(actions[-1])
    found = analyse(PEBBLES.initial(), actions, SamplingAnalyst(PEBBLES, nodes=10))
    assert found.plays
    assert found.totals[0].luck is None


def test_once_stopped_it_has_no_answer() -> None:
    assert SamplingAnalyst(TTT, nodes=10).judge(TTT.initial(), 4, [1]) is None


def test_a_game_that_nobody_knows_more_of_is_sampled() -> None:
    for game in (ULTIMATE, PEBBLES):
        assert isinstance(make_analyst(game), SamplingAnalyst)
    assert (make_analyst(ULTIMATE).unit, make_analyst(ULTIMATE).blunder) == ("value", BLUNDER)
    assert make_analyst(ULTIMATE).by == "mcts, 100 simulations an action"
