"""Games that are solved: the score that a play gave away."""

from __future__ import annotations

import pytest

from bots.analysis import exact
from bots.analysis.analyst import Judgement
from bots.analysis.analysts import make_analyst
from bots.analysis.exact import ExactAnalyst
from bots.analysis.match_analysis import analyse, read_actions
from bots.engine import book
from bots.engine.solvers import Solution, solver
from games import registry
from games.game import Ints, Position
from tests.bots.analysis.parts import option

TTT = registry.game("tic_tac_toe")
FOUR = registry.game("connect_four")
NEAR_THE_END = "22525762534622441115633653436713"  # its last eight are easy to prove


def test_a_play_that_gives_a_win_away_is_a_blunder() -> None:
    found = analyse(
        TTT.initial(), read_actions(TTT.initial(), "12594837"), make_analyst(TTT), given=4
    )
    plays = [(p.action, p.loss, p.blunder) for p in found.plays]
    assert plays == [("4", 0.0, False), ("8", 0.0, False), ("3", 4.0, True), ("7", 0.0, False)]
    play = found.plays[2]
    assert not play.doubtful
    best = [option("6", 2.0, "wins"), option("7", 2.0, "wins"), option("3", -2.0, "loses")]
    assert play.best == best
    assert (found.unit, found.blunder, found.by) == ("score", None, "solver")


def test_a_slower_win_is_doubtful_and_no_blunder() -> None:
    play = analyse(
        TTT.initial(), read_actions(TTT.initial(), "1259786"), make_analyst(TTT), given=6
    ).plays[0]
    assert (play.loss, play.doubtful, play.blunder) == (1.0, True, False)


def test_every_loss_is_the_difference_of_two_solved_scores() -> None:
    actions = read_actions(FOUR.initial(), NEAR_THE_END)
    found = analyse(
        FOUR.initial(), actions, ExactAnalyst(FOUR, nodes=20_000), given=len(actions) - 6
    )
    search = solver(FOUR)
    position = FOUR.initial()
    for action in actions[:-6]:
        position = position.apply(action)
    for play, action in zip(found.plays, actions[-6:], strict=True):
        best = search.solve(position, 2**62, [0]).high
        position = position.apply(action)
        played = -search.solve(position, 2**62, [0]).high
        assert play.loss == best - played
        assert play.best[0].value == best
        assert (play.action, played) in [(option.action, option.value) for option in play.best]
        assert play.blunder == ((best > 0) - (best < 0) > (played > 0) - (played < 0))
    assert sum(t.unknown for t in found.totals) == 0


def test_the_book_answers_for_the_first_plies() -> None:
    found = analyse(
        FOUR.initial(), read_actions(FOUR.initial(), "414"), ExactAnalyst(FOUR, nodes=1)
    )
    plays = [(p.action, p.loss, p.blunder) for p in found.plays][:2]
    assert plays == [("4", 0.0, False), ("1", 3.0, False)]
    assert found.plays[0].best[0] == option("4", 1.0, "wins")


def test_what_is_not_proven_says_so() -> None:
    found = analyse(
        FOUR.initial(), read_actions(FOUR.initial(), "44455"), ExactAnalyst(FOUR, nodes=30), given=4
    )
    play = found.plays[0]
    assert (play.loss, play.error, play.blunder) == (None, None, False)
    unknown = [option for option in play.best if option.value is None]
    assert unknown
    assert all(option.note.startswith("from -") and " to +" in option.note for option in unknown)
    assert any(option.action == "5" for option in play.best)
    assert (found.totals[0].unknown, found.totals[0].loss) == (1, 0.0)


class Told(ExactAnalyst):
    """Has proven what it was told: of a position, and of its actions from which score to which."""

    def __init__(self, low: int, high: int, best: str, after: dict[str, tuple[int, int]]) -> None:
        super().__init__(TTT)
        self.whole = Solution(low, high, int(best) - 1, 1)
        self.known = after

    def _solve(self, position: Position, stop: Ints) -> Solution:
        return self.whole

    def _after(self, position: Position, action: int, stop: Ints) -> exact._ActionScore:
        return exact._ActionScore(action, *self.known.get(str(action + 1), (-3, -3)))


def judged(analyst: ExactAnalyst, action: str) -> Judgement:
    """What it says of X's play after 1259."""
    actions = read_actions(TTT.initial(), "1259" + action)
    position = TTT.initial()
    for played in actions[:-1]:
        position = position.apply(played)
    found = analyst.judge(position, actions[-1], [0])
    assert found is not None
    return found


def test_a_play_that_another_may_beat_is_not_called_the_best() -> None:
    found = judged(Told(1, 2, "3", {"3": (1, 1), "4": (-2, 2)}), "3")
    assert (found.loss, found.blunder) == (None, False)


def test_what_is_proven_of_a_position_is_of_its_best_action() -> None:
    found = judged(Told(2, 2, "4", {"3": (1, 1), "4": (-2, 3)}), "3")
    assert (found.loss, found.best[0]) == (1.0, option("4", 2.0, "wins"))


def test_without_its_book_it_goes_on_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(book, "read", lambda: book.unpack(b"") and None)
    assert ExactAnalyst(FOUR, nodes=1).by == "solver without its book"
    assert ExactAnalyst(TTT).by == "solver"


def test_once_stopped_it_has_no_answer() -> None:
    stop: Ints = [1]
    position = FOUR.initial().apply(3).apply(3).apply(3).apply(2).apply(2)
    assert ExactAnalyst(FOUR, nodes=100).judge(position, 3, stop) is None


def test_of_equally_good_plays_the_one_played_stands_first() -> None:
    found = analyse(TTT.initial(), read_actions(TTT.initial(), "12597"), ExactAnalyst(TTT), given=4)
    assert found.plays[0].best[:2] == [option("7", 2.0, "wins"), option("4", 2.0, "wins")]
