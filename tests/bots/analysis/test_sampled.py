"""Games that are not solved: the value that a play gave away, and its error."""

from __future__ import annotations

import pytest

from bots.analysis import sampled
from bots.analysis.chosen import analyst
from bots.analysis.form import Option
from bots.analysis.match import analyse, read_actions
from bots.analysis.sampled import BLUNDER, Sampled
from games import registry
from games.game import Ints, Position

TTT = registry.game("tic_tac_toe")
ULTIMATE = registry.game("ultimate_tic_tac_toe")
PEBBLES = registry.game("pebbles")
BACKGAMMON = registry.game("backgammon")


def test_what_is_proven_has_no_error() -> None:
    found = analyse(TTT, read_actions(TTT, "15243"), Sampled(TTT, nodes=300), given=4)
    play = found.plays[0]
    assert (play.action, play.loss, play.error) == ("3", 0.0, 0.0)
    assert play.best[0].value == 1.0
    assert play.best[0].note == "proven"


def test_a_play_that_loses_at_once_is_a_blunder() -> None:
    found = analyse(TTT, read_actions(TTT, "5174"), Sampled(TTT, nodes=300), given=3)
    play = found.plays[0]
    assert (play.blunder, play.doubtful) == (True, False)
    assert play.loss is not None
    assert play.loss > 0.9
    assert [o.note for o in play.best if o.action == "4"] == ["proven"]


def test_a_single_game_of_backgammon_is_a_third_of_what_can_be_won() -> None:
    position = BACKGAMMON.parse_position("XGID=-A----------------------a-:0:0:1:21:0:0:0:0:10")
    judged = Sampled(BACKGAMMON, nodes=5).judge(position, position.legal_actions()[0], [0])
    assert judged is not None
    assert judged.best == (Option("1/off", 0.3333, "proven"),)


def test_the_error_is_that_of_two_means_of_as_many_games() -> None:
    found = analyse(ULTIMATE, [4], Sampled(ULTIMATE, nodes=40))
    play = found.plays[0]
    assert play.error is not None
    assert play.loss is not None
    assert play.error == (
        0.0 if play.best[0].action == play.action else pytest.approx(0.43, abs=0.02)
    )
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
    def after(self: Sampled, position: Position, action: int, stop: Ints) -> sampled._Seen:
        return sampled._Seen(action, played if action == 4 else 0.5, visits)

    monkeypatch.setattr(Sampled, "_after", after)
    play = analyse(ULTIMATE, [4], Sampled(ULTIMATE, nodes=10)).plays[0]
    assert play.loss == round(0.5 - played, 4)
    assert (play.doubtful, play.blunder) == marks


def test_the_played_one_is_listed_however_bad_it_looks() -> None:
    found = analyse(ULTIMATE, read_actions(ULTIMATE, ["55", "51"]), Sampled(ULTIMATE, nodes=30))
    for play in found.plays:
        assert len(play.best) == 5
        assert play.action in [o.action for o in play.best]
        values = [o.value for o in play.best if o.value is not None]
        assert values == sorted(values, reverse=True)
        assert play.loss is not None
        assert play.loss >= 0


def test_the_same_seed_finds_the_same() -> None:
    actions = read_actions(ULTIMATE, ["55", "51"])
    one, two = (analyse(ULTIMATE, actions, Sampled(ULTIMATE, nodes=20, seed=7)) for _ in "12")
    assert one == two


def test_dice_are_no_obstacle_and_their_luck_is_not_measured() -> None:
    position, actions = PEBBLES.initial(), []
    while position.legal_actions() and len(actions) < 6:
        actions.append(position.legal_actions()[-1])
        position = position.apply(actions[-1])
    found = analyse(PEBBLES, actions, Sampled(PEBBLES, nodes=10))
    assert found.plays
    assert found.totals[0].luck is None


def test_once_stopped_it_has_no_answer() -> None:
    assert Sampled(TTT, nodes=10).judge(TTT.initial(), 4, [1]) is None


def test_a_game_that_nobody_knows_more_of_is_sampled() -> None:
    for game in (ULTIMATE, PEBBLES):
        assert isinstance(analyst(game), Sampled)
    assert (analyst(ULTIMATE).unit, analyst(ULTIMATE).blunder) == ("value", BLUNDER)
    assert analyst(ULTIMATE).by == "mcts, 100 simulations an action"
