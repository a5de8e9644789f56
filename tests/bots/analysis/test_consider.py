"""A position of no match: which actions are best, and when more effort would change nothing."""

from __future__ import annotations

import pytest

from bots.analysis import analysts
from bots.analysis.consider import NotConsidered, consider
from bots.analysis.exact import ExactAnalyst
from bots.analysis.sampling import SamplingAnalyst
from games import registry
from games.game import Game
from protocol.analysis import MAX_OPTIONS


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled: few nodes, in plain Python."""

    def make(game: Game, depth: object = None) -> ExactAnalyst | SamplingAnalyst:
        kind = analysts.analyst_class(game)
        assert kind in (ExactAnalyst, SamplingAnalyst)
        return kind(game, nodes=90, plain=True)

    monkeypatch.setattr(analysts, "make_analyst", make)


def test_the_best_come_first_and_all_are_legal() -> None:
    position = registry.game("tic_tac_toe").parse_position("xx1/oo1/3 x")
    seen = consider(position, 0, [0])
    assert seen is not None
    names = [option.action for option in seen.options]
    assert (names[0], seen.unit, seen.by) == ("3", "score", "solver")
    assert set(names) <= set(position.legal_notation())
    assert seen.final  # it is proven


def test_what_is_not_solved_is_final_with_the_most_effort() -> None:
    position = registry.game("ultimate_tic_tac_toe").initial()
    seen = [consider(position, effort, [0]) for effort in (0, 2)]
    assert [one is not None and (one.effort, one.final) for one in seen] == [(0, False), (2, True)]
    assert all(one is not None and len(one.options) <= MAX_OPTIONS for one in seen)


def test_only_one_action_is_an_answer_too() -> None:
    position = registry.game("tic_tac_toe").parse_position("xox/xox/o1o x")
    seen = consider(position, 1, [0])
    assert seen is not None
    assert [option.action for option in seen.options] == ["8"]


def test_nothing_is_said_once_stopped_nor_where_no_side_is_to_move() -> None:
    game = registry.game("tic_tac_toe")
    assert consider(game.initial(), 0, [1]) is None
    with pytest.raises(NotConsidered):
        consider(game.parse_position("xxx/oo1/3 o"), 0, [0])
    with pytest.raises(NotConsidered):
        consider(registry.game("backgammon").initial(), 0, [0])
